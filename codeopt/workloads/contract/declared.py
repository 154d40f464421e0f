"""Types that hints declare, with those of the project's classes: the outermost bound of generated calls."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from types import BuiltinFunctionType
from typing import Any

from codeopt.analysis.nodes import Def
from codeopt.core.call import Call, Constructed, Opaque, is_deeper, write
from codeopt.workloads.contract.seen import Seen, seen
from codeopt.workloads.source.functions import Function, dotted
from codeopt.workloads.source.literals import one_deeper, value_of
from codeopt.workloads.source.names import Parameter, Scope, base_names, of_function, parameters, scopes_below

MORE = "*"
"""Place of positional arguments beyond the named parameters."""
SAMPLE = 2_000
"""Items of a recipe whose types are looked at: its items are all of one kind."""
OTHERS = "**"
"""Place of named arguments that no parameter has the name of."""


# Types that the constructors and methods of the project's classes take. The text is read, not run.
#
# It covers dataclasses, attrs, pydantic models, NamedTuples and parameters of `__init__`. The classes are the module's
# own, inner ones, and those that it imports.

Breach = tuple[str, str, str]
"""Class, method and parameter of something that an object is made with."""
_LOADED = re.compile(r"load\('([\w.]+)', '([\w.]+)'\)")
_WRAPPERS = ("Annotated", "Final", "InitVar", "Required", "NotRequired", "ReadOnly")
_SCALARS = (type(None), bool, int, float, complex, str, bytes)
_PLAIN = (*_SCALARS, list, tuple, dict, set, frozenset)


class _Thing:
    """An object of exactly this class."""


_BUILTINS = {"load('builtins', 'object')()": _Thing(), "load('builtins', 'len')": len}
"""Values that are tried where a type is checked, and what they are."""
_KNOWN = (*_PLAIN, _Thing, BuiltinFunctionType)
_SETS = (set, frozenset)
_SEQUENCES = (list, tuple, str, bytes)
_ITERABLES = (*_SEQUENCES, *_SETS, dict)
_ITERATORS = ("Sequence", "Iterator", "Generator")
"""Further types that a call gives as an iterator."""
_FAMILIES: Mapping[str, tuple[type, ...]] = {
    "int": (int,), "float": (int, float), "complex": (int, float, complex), "str": (str,), "bytes": (bytes,),
    "bool": (bool,), "list": (list,), "List": (list,), "MutableSequence": (list,), "dict": (dict,), "Dict": (dict,),
    "Mapping": (dict,), "MutableMapping": (dict,), "tuple": (tuple,), "Tuple": (tuple,), "set": (set,), "Set": _SETS,
    "MutableSet": (set,), "AbstractSet": _SETS, "frozenset": (frozenset,), "FrozenSet": (frozenset,),
    "Sequence": _SEQUENCES, "Collection": _ITERABLES, "Iterable": _ITERABLES, "Reversible": _ITERABLES,
    "Container": _ITERABLES, "Iterator": (), "Generator": (),
    "Callable": (BuiltinFunctionType,),
}  # fmt: skip


@dataclass(frozen=True)
class ProjectClass:
    """A class of the project, and the module that defines it."""

    home: Scope
    node: ast.ClassDef

    @property
    def name(self) -> str:
        """`pkg.bags.Bag`."""
        return f"{self.home.module}.{self.home.qualified(self.node)}"

    def constructor(self) -> list[Parameter]:
        """Parameters of its constructor; none where a base outside of the project may add fields."""
        if self.node not in self.home.constructors:
            kind, given = parameters(self.home, self.node)
            # bases outside of the project that add no field
            unknown = (
                home.look_up(dotted(base.value if isinstance(base, ast.Subscript) else base)) is None
                for home, node in self.home.bases(self.node)
                for base, name in zip(node.bases, base_names(node), strict=True)
                if name not in ("NamedTuple", "BaseModel", "object", "ABC", "Generic")
            )
            self.home.constructors[self.node] = given if kind == "class" or not any(unknown) else []
        return self.home.constructors[self.node]

    def method(self, name: str) -> list[Parameter]:
        """Parameters of a method, of the class or of the first base that has it, without `self`."""
        for home, node in self.home.bases(self.node):
            for each in node.body:
                if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and each.name == name:
                    return of_function(each, home.inside(node), 1)
        return []


@dataclass(frozen=True)
class MadeWith:
    """Something that an object is made with."""

    place: Breach
    hint: ast.expr | None
    hints: ClassHints
    """Classes as the hint names them."""
    value: Any


@dataclass(frozen=True)
class ClassHints:
    """Classes of a project, and what they are made with."""

    module: Scope | None = None
    here: Scope | None = None
    """Scope of the annotations in question."""
    breached: frozenset[Breach] = frozenset()
    """Places that a known call gives something else than their hints say."""
    # maximum number of aliases that are followed, one after another
    far: int = 8
    """Number of aliases that are still followed."""

    def within(self, owner: str) -> ClassHints:
        """Return the hints for annotations in the body of a class of the module, by its qualified name."""
        node = self.module.classes.get(owner) if self.module else None
        return replace(self, here=self.module.inside(node)) if self.module and node else self

    def allowing(self, known: Sequence[Call]) -> ClassHints:
        """Return the hints without those that known calls break."""
        broken = (breach for call in known for value in call.values for breach in self._breaches(value))
        return replace(self, breached=self.breached | frozenset(broken)) if self.module else self

    def keeps(self, call: Call) -> bool:
        """Return True if the arguments of all objects in a call fit their class's hints."""
        return not self.module or not any(
            breach not in self.breached for value in call.values for breach in self._breaches(value)
        )

    def class_of(self, value: Any) -> ProjectClass | None:
        """Class of the project whose constructor makes a value; None where none does."""
        if not isinstance(value, Constructed):
            return None
        if value.maker == "used":
            return self.class_of(value.args[0]) if value.args else None
        loaded, home = _LOADED.fullmatch(value.maker), self.module
        if loaded is None or home is None:
            return None
        if loaded[1] != home.module:
            # the function's own module may have had another package's name when a call was written down
            same_file = loaded[1].rpartition(".")[2] == home.module.rpartition(".")[2]
            home = home.other(loaded[1]) or (home if same_file else None)
        node = home.classes.get(loaded[2]) if home is not None else None
        return ProjectClass(home, node) if home is not None and node is not None else None

    def named(self, name: str) -> ProjectClass | None:
        """Return the project's class for a name in an annotation."""
        found = self.here.look_up(name) if self.here and name else None
        return ProjectClass(found[0], found[1]) if found and isinstance(found[1], ast.ClassDef) else None

    def _alias(self, name: str) -> tuple[ClassHints, ast.expr] | None:
        """Return the annotation that a name of the project represents, with the classes as it names them."""
        found = self.here.look_up(name) if self.here and name and self.far else None
        value = found[1].value if found and isinstance(found[1], ast.Assign | ast.AnnAssign) else None
        if isinstance(value, ast.Call):
            is_new_type = dotted(value.func).rpartition(".")[2] == "NewType" and len(value.args) == 2
            value = value.args[1] if is_new_type else None
        return (replace(self, here=found[0], far=self.far - 1), value) if found and value is not None else None

    def made_with(self, value: Constructed) -> Iterator[MadeWith]:
        """Arguments that an object was given by its constructor and methods."""
        made = self.class_of(value)
        steps = value.args[1:] if value.maker == "used" else ()
        if value.maker != "used":
            given = made.constructor() if made else []
            yield from self._placed((made.name if made else "", "__init__"), given, value)
        elif isinstance(value.args[0], Constructed):
            yield from self.made_with(value.args[0])
        for step in steps:
            if isinstance(step, Constructed) and step.maker.startswith("do."):
                method = step.maker.removeprefix("do.")
                given = made.method(method) if made else []
                yield from self._placed((made.name if made else "", method), given, step)

    def _placed(self, owner: tuple[str, str], given: Sequence[Parameter], made: Constructed) -> Iterator[MadeWith]:
        by_name = {each.name: each for each in given}
        for name, value in [*zip(_names(given, len(made.args)), made.args, strict=True), *made.kwargs]:
            known = by_name.get(name)
            hints = replace(self, here=known.scope) if known else self
            yield MadeWith((*owner, name), known.hint if known else None, hints, value)

    def _breaches(self, value: Any) -> Iterator[Breach]:
        """Places of objects inside a value that are given something else than their hint says."""
        if isinstance(value, Constructed) and self.class_of(value):
            for part in self.made_with(value):
                if part.hint is not None and part.hints.forbids(part.hint, part.value):
                    yield part.place
        for each in _parts(value):
            if type(each) not in _SCALARS:
                yield from self._breaches(each)

    def forbids(self, hint: ast.expr, value: Any) -> bool:
        """Return True if a value certainly has another type than an annotation says."""
        return self._compare(hint, value) is False

    def fits(self, hint: ast.expr, value: Any) -> bool:
        """Return True if a value certainly has the type that an annotation says. An object of a project's class does
        if all that it was made with fits its hints."""
        return self._compare(hint, value) is True

    def _compare(self, hint: ast.expr, value: Any) -> bool | None:
        """Return True if a value fits, False if the annotation forbids it. None if it is not known."""
        if isinstance(value, Opaque | Constructed):
            value = _BUILTINS.get(write(value), value) if not _parts(value) else value
        if isinstance(value, Opaque):
            return False if is_deeper(value) and self.forbids(hint, one_deeper(value)) else None
        if isinstance(hint, ast.Constant):
            return value is None if hint.value is None else self._quoted(hint.value, value)
        if isinstance(hint, ast.BinOp) and isinstance(hint.op, ast.BitOr):
            return _any(self._compare(side, value) for side in (hint.left, hint.right))
        whole = dotted(hint.value if isinstance(hint, ast.Subscript) else hint)
        if not isinstance(hint, ast.Subscript):
            found = self._named_type(whole, value)
            is_open = found and whole in _FAMILIES and not isinstance(value, Constructed) and _parts(value)
            return None if is_open else found  # `list` says nothing about its items
        name = whole.rpartition(".")[2]
        inner = list(hint.slice.elts) if isinstance(hint.slice, ast.Tuple) else [hint.slice]
        if name in ("Union", "Optional"):
            none = [value is None] * (name == "Optional")
            return _any(chain(none, (self._compare(each, value) for each in inner)))
        if name in _WRAPPERS:
            return self._compare(inner[0], value)
        if name == "Literal":
            choices = [each.value for each in inner if isinstance(each, ast.Constant)]
            others = [each for each in choices if (type(each), each) != (type(value), value)]
            return False if isinstance(value, _KNOWN) and len(others) == len(inner) else None
        found = self._named_type(whole, value)
        if name not in _FAMILIES or found is False:
            return found and None
        return _all(chain([found], self._parts_compared(name, inner, value)))

    def _quoted(self, text: Any, value: Any) -> bool | None:
        try:
            return self._compare(ast.parse(text, mode="eval").body, value) if isinstance(text, str) else None
        except SyntaxError:
            return None

    def _named_type(self, whole: str, value: Any) -> bool | None:
        """Compare with a class, an alias or a type of Python, but not the contents."""
        meant = self.named(whole)
        if meant is not None:
            names = base_names(meant.node)
            if "TypedDict" in names:
                return False if self._breaks_keys(meant, value) else None
            made = self.class_of(value)
            if made and any(ProjectClass(*each).name == meant.name for each in made.home.bases(made.node)):
                fit = (
                    part.hint is not None and part.hints.fits(part.hint, part.value) for part in self.made_with(value)
                )
                return True if all(fit) else None
            return False if (made or isinstance(value, _KNOWN)) and "Protocol" not in names else None
        if alias := self._alias(whole):
            return False if alias[0].forbids(alias[1], value) else None
        name = whole.rpartition(".")[2]
        if name not in _FAMILIES:
            return None
        if isinstance(value, Constructed):
            return True if value.maker == "iter" and (_FAMILIES[name] == _ITERABLES or name in _ITERATORS) else None
        if not isinstance(value, _KNOWN):
            return None
        if _is_plain(name, value):
            return True
        return None if isinstance(value, _FAMILIES[name]) else False

    def _breaks_keys(self, meant: ProjectClass, value: Any) -> bool:
        """Return True if a value is no dictionary of a typed dictionary's keys. Any of them may be missing."""
        if not isinstance(value, dict):
            return isinstance(value, _KNOWN)
        keys = {each.name: each for each in parameters(meant.home, meant.node)[1]}
        return any(
            key not in keys or ((hint := keys[key].hint) and replace(self, here=keys[key].scope).forbids(hint, item))
            for key, item in value.items()
        )

    def _parts_compared(self, name: str, inner: list[ast.expr], value: Any) -> Iterator[bool | None]:
        """Compare the parts of a container with the types between its brackets."""
        if isinstance(value, Constructed):
            value = value.args[0] if value.maker == "iter" and value.args else None
        pairs: Iterable[tuple[ast.expr, Sequence[Any]]]
        if isinstance(value, dict):
            pairs = zip(inner, (list(value), list(value.values())), strict=False)
        elif name in ("tuple", "Tuple") and not (len(inner) == 2 and ast.unparse(inner[1]) == "..."):
            if isinstance(value, tuple) and len(value) != len(inner):
                yield False
            pairs = ((hint, [item]) for hint, item in zip(inner, _parts(value), strict=False))
        else:
            pairs = [(inner[0], list(value[:1]) if isinstance(value, str | bytes) else _parts(value))]
        for hint, items in pairs:
            known = hint.id if isinstance(hint, ast.Name) and hint.id in _FAMILIES else ""
            if known and self.named(known) is None and self._alias(known) is None:
                # of a long list of numbers nothing is left, and their types are found at C speed
                plain = {"int": int, "str": str}.get(known)
                uniform = set(map(type, items)) == {plain}
                items = [] if uniform else [each for each in items if not _is_plain(known, each)]
            yield from (self._compare(hint, item) for item in items)


def _any(found: Iterable[bool | None]) -> bool | None:
    """Compare with one of several types, up to the first that fits."""
    unknown = False
    for each in found:
        if each:
            return True
        unknown = unknown or each is None
    return None if unknown else False


def _all(found: Iterable[bool | None]) -> bool | None:
    """Compare several parts with their types, up to the first that does not fit."""
    unknown = False
    for each in found:
        if each is False:
            return False
        unknown = unknown or each is None
    return None if unknown else True


def _is_plain(name: str, value: Any) -> bool:
    """Return True if a value has a type of Python exactly, or one that replaces it everywhere."""
    if name == "float":
        return type(value) is int or (type(value) is float and math.isfinite(value))
    if name in ("int", "str", "bytes", "bool", "complex"):
        return type(value).__name__ == name
    return isinstance(value, _FAMILIES[name][:1])  # `Sequence` allows a tuple, but few callers have one


def _names(given: Sequence[Parameter], count: int) -> list[str]:
    """Return the names of positional arguments. An argument without a name has its number."""
    names = [each.name for each in given if not each.named]
    return [names[at] if at < len(names) else str(at) for at in range(count)]


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    return list(value.values) if isinstance(value, Constructed) else []


@dataclass(frozen=True)
class DeclaredTypes:
    """Hints of a function's parameters, and of what objects are made of.

    A call that breaks them is not generated. A type that a known call gives a parameter is allowed there, even against
    the hint.
    """

    names: tuple[str, ...] = ()
    """Parameters that a call may give by position."""
    hints: Mapping[str, ast.expr | None] = field(default_factory=dict)
    """Annotations of all parameters; those of `*args` and `**kwargs` by MORE and OTHERS."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Literal defaults."""
    classes: ClassHints = ClassHints()
    given: Mapping[str, Seen] = field(default_factory=dict)
    """Values of the parameters to which a known call or the default gives what the hint forbids."""

    def knowing(self, calls: Sequence[Call]) -> DeclaredTypes:
        """Return the hints with the types that known calls give in spite of them."""
        values: dict[str, list[Any]] = {name: [value] for name, value in self.defaults.items()}
        for call in calls:
            for name, value in self._placed(call):
                values.setdefault(name, []).append(value)
        broken = {
            name: seen(known)
            for name, known in values.items()
            if (hint := self.hints.get(name)) is not None and any(self.classes.forbids(hint, each) for each in known)
        }
        return replace(self, given=broken, classes=self.classes.allowing(calls))

    def allows(self, call: Call) -> bool:
        """Return True unless an argument certainly has a type that its hint does not name."""
        given = call.built(SAMPLE)
        if not self.classes.keeps(given):
            return False
        for name, value in self._placed(given):
            hint = self.hints.get(name)
            if hint is None or not self.classes.forbids(hint, value):
                continue
            if name not in self.given or isinstance(value, Opaque) or self.given[name].missing(value):
                return False
        return True

    def allowed(self, calls: Iterable[Call]) -> list[Call]:
        """The calls that break no hint. Those that are too long are known ones made longer."""
        return [call for call in calls if not call.can_change or self.allows(call)]

    def _placed(self, call: Call) -> Iterator[tuple[str, Any]]:
        for at, value in enumerate(call.args):
            yield self.names[at] if at < len(self.names) else MORE, value
        for name, value in call.kwargs:
            yield name if name in self.hints else OTHERS, value


def declared_types(function: Function, classes: ClassHints | None = None) -> DeclaredTypes:
    """Hints of a function.

    Args:
        function: The function.
        classes: Hints of the project's classes. Defaults to those of the module and its folder.
    """
    here = classes or class_hints(function)
    given = function.node.args
    hints = {each.arg: each.annotation for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    rest = {MORE: given.vararg, OTHERS: given.kwarg}
    hints |= {place: each.annotation for place, each in rest.items() if each is not None}
    owner = function.qualname.rpartition(".")[0]
    if function.kind in ("method", "property") and function.parameters and not hints[function.parameters[0]]:
        hints[function.parameters[0]] = ast.Name(owner, ast.Load())
    return DeclaredTypes(function.parameters, hints, defaults(function.node), here.within(owner)).knowing(())


def defaults(node: Def) -> dict[str, Any]:
    """Return the literal defaults of parameters."""
    places = [*node.args.posonlyargs, *node.args.args]
    given = [
        *zip(places[len(places) - len(node.args.defaults) :], node.args.defaults, strict=True),
        *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True),
    ]
    values = {each.arg: value_of(default) for each, default in given if default is not None}
    return {name: value for name, value in values.items() if not isinstance(value, Opaque)}


def class_hints(function: Function) -> ClassHints:
    """Hints of the classes that a function's module names, in the regular package around it."""
    package = function.path.stem == "__init__"
    folder, parts = function.path.parent, [] if package else [function.path.stem]
    while (folder / "__init__.py").is_file() and folder != folder.parent:
        parts.insert(0, folder.name)
        folder = folder.parent
    scope = Scope(".".join(parts), package, ast.parse(function.source), scopes_below((folder,)))
    return ClassHints(scope, scope)
