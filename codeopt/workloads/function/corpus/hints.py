"""Guessed calls, used if little else is known: from type hints, defaults and what the function does with its
parameters. Hypothesis draws plain arguments from type hints, on this machine.

Objects are drawn from the constructors of the project's classes. Annotations are read and not evaluated, so no code of
the module runs here. The original decides if a guess makes sense. The judge shrinks failing calls of any source.
"""

from __future__ import annotations

import ast
import contextlib
import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from codeopt.core.call import Call, Constructed, Opaque
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.generated.vocabulary import PLAIN
from codeopt.workloads.source import names
from codeopt.workloads.source.functions import dotted
from codeopt_sandbox.owner import temporary_folder

EXAMPLES = 80
_RANGES = ((0x00, 0x180), (0x370, 0x400), (0x410, 0x450), (0x5D0, 0x5EB), (0x620, 0x64B), (0x966, 0x970))
CHARACTERS = "".join(chr(code) for start, stop in _RANGES for code in range(start, stop)) + (
    "\u0301\u200b\u200d\u2028\u2029\u3000\ufeff"  # combines, joins, separates, is a space or of no width
    "\u1e9e\ufb01\uff21\uff11\u2167\u2460\u216b"  # changes its length or kind with its case, is or is not a digit
    "\u4e2d\u6587\uac00\u0e01\ue000\U0001d4b3\U00010437\U0001f600\U0010ffff"
)
"""Alphabet of drawn texts.

For all of Unicode Hypothesis first builds a table, which takes longer than all other work with hints. Its cache folder
is replaced here, so each run would build the table again.
"""


def calls_from_hints(harness: FunctionHarness) -> tuple[list[Call], str]:
    """Calls with arguments of the annotated types; none, and why, when a parameter without default has a type that is
    not known."""
    from hypothesis import strategies as st
    from hypothesis.configuration import set_hypothesis_home_dir

    # Hypothesis keeps tables of characters and constants in a folder `.hypothesis`, which is no business of the user's
    # folder, unless its own variable names another one.
    with contextlib.ExitStack() as stack:
        if not os.environ.get("HYPOTHESIS_STORAGE_DIRECTORY"):
            set_hypothesis_home_dir(stack.enter_context(temporary_folder("hypothesis")))
            stack.callback(set_hypothesis_home_dir, None)
        strategy = _strategy(harness, st)
        drawn = [] if strategy is None or strategy.is_empty else _drawn(strategy)
    if drawn:
        return drawn, ""
    bound = harness.function.kind in ("method", "property", "classmethod")
    given = names.of_function(harness.function.node, harness.scope, int(bound))
    bare = [each.name for each in given if each.hint is None and each.default is None]
    if bare:
        return [], f"{', '.join(bare)} {'has' if len(bare) == 1 else 'have'} no type hint"
    return [], "nothing can be made of the type hints of its parameters, or of its class"


def _drawn(strategy: Any) -> list[Call]:
    import hypothesis

    found: dict[Call, None] = {}

    @hypothesis.settings(
        max_examples=EXAMPLES,
        database=None,
        derandomize=True,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(strategy)
    def draw(drawn: Constructed) -> None:
        found[Call(drawn.args, drawn.kwargs)] = None

    with contextlib.suppress(hypothesis.errors.Unsatisfiable), warnings.catch_warnings():
        # Python 3.15 counts references so that Hypothesis takes its own generator for one that nobody holds.
        warnings.simplefilter("ignore", hypothesis.errors.HypothesisWarning)
        draw()
    return list(found)


def _strategy(harness: FunctionHarness, st: Any) -> Any:
    """The function's arguments; of a method, an object of its class first."""
    function, scope = harness.function, harness.scope
    owner = scope.classes.get(function.qualname.rpartition(".")[0])
    words = [*harness.vocabulary.words[0], *PLAIN]
    text = (
        st.sampled_from(words)
        | st.text(CHARACTERS, max_size=20)
        | st.lists(st.sampled_from(words), max_size=8).map("".join)
    )
    guesser = Guesser(st, Kinds(st, text, harness.vocabulary.keys))
    bound = function.kind in ("method", "property", "classmethod")
    here = scope.inside(owner) if owner is not None else scope
    arguments = guesser.arguments(names.of_function(function.node, here, int(bound)), "f")
    if arguments is None or function.kind not in ("method", "property"):
        return arguments
    made = guesser.used(scope, owner, function.name) if owner is not None else None
    if owner is not None and function.name == "__init__":  # nobody calls it on an object that is built already
        kind = f"load({scope.module!r}, {scope.qualified(owner)!r})"
        made = st.just(Constructed(f"{kind}.__new__", (Opaque(kind),)))
    if made is None:
        return None
    return st.tuples(made, arguments).map(lambda pair: Constructed("f", (pair[0], *pair[1].args), pair[1].kwargs))


# Hypothesis strategies from type annotations, as data: no code of the module runs here.
#
# Plain values represent themselves. Values that the sandbox constructs are `Made` or `Opaque` (core/call.py).

DEPTH = 4
"""So deep objects are nested; a recursive type ends there, with an empty list or None."""


@dataclass
class Guesser:
    """Makes strategies. st: hypothesis.strategies; kinds: types that are known by name."""

    st: Any
    kinds: Kinds
    made: dict[tuple[str, str, int], Any] = field(default_factory=dict)
    """Objects by module, class and depth: types that hold each other would be looked at again and again."""

    def arguments(self, given: list[names.Parameter], maker: str, depth: int = 0) -> Any:
        """`maker` called with these parameters: required ones always; None when one of those has no known type."""
        required, named, optional = [], {}, {}
        for parameter in given:
            value = self.parameter(parameter, depth)
            if parameter.default is not None:
                if value is not None and not value.is_empty and not parameter.positional_only:
                    optional[parameter.name] = value
            elif value is None:
                return None
            elif parameter.named:
                named[parameter.name] = value
            else:
                required.append(value)
        pairs = self.st.fixed_dictionaries(named, optional=optional)
        return self.st.tuples(self.st.tuples(*required), pairs).map(
            lambda drawn: Constructed(maker, drawn[0], tuple(drawn[1].items()))
        )

    def parameter(self, parameter: names.Parameter, depth: int) -> Any:
        """Strategy for a parameter, by its annotation or the type of its default."""
        if parameter.hint is not None:
            return self.value(parameter.hint, parameter.scope, depth)
        default = getattr(parameter.default, "value", None)
        return self.kinds.plain(type(default).__name__, depth) if isinstance(default, int | float | str) else None

    def value(self, hint: ast.expr, scope: names.Scope, depth: int = 0) -> Any:
        """Strategy for an annotation; None for a type that is not known, an empty strategy where it is nested too
        deep."""
        if isinstance(hint, ast.Constant):
            return self.constant(hint.value, scope, depth)
        if isinstance(hint, ast.BinOp) and isinstance(hint.op, ast.BitOr):
            return self.one_of([hint.left, hint.right], scope, depth)
        name = dotted(hint.value if isinstance(hint, ast.Subscript) else hint)
        if name and (found := scope.look_up(name)):
            home, node = found
            return self.object(home, node, depth) if isinstance(node, ast.ClassDef) else self.alias(home, node, depth)
        if isinstance(hint, ast.Subscript):
            return self.generic(name.rpartition(".")[2], hint.slice, scope, depth)
        return self.kinds.plain(name.rpartition(".")[2], depth)

    def constant(self, value: Any, scope: names.Scope, depth: int) -> Any:
        """Strategy for a constant: None, or an annotation in quotes."""
        if value is None:
            return self.st.none()
        try:
            return self.value(ast.parse(value, mode="eval").body, scope, depth) if isinstance(value, str) else None
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    def one_of(self, hints: list[ast.expr], scope: names.Scope, depth: int) -> Any:
        """Strategy for one of the known types, if any is known."""
        known = [value for hint in hints if (value := self.value(hint, scope, depth)) is not None]
        return self.st.one_of(*known) if known else None

    def alias(self, home: names.Scope, node: ast.stmt, depth: int) -> Any:
        """Strategy for what a module-level name is bound to: another annotation, a NewType, a TypeVar."""
        value = getattr(node, "value", None)
        if depth > DEPTH or value is None:
            return self.st.nothing() if value else None
        if isinstance(value, ast.Call):
            name = dotted(value).rpartition(".")[2]
            bound = [word.value for word in value.keywords if word.arg == "bound"]
            if name == "TypeVar":
                return self.one_of([*value.args[1:], *bound] or [ast.Name("int")], home, depth + 1)
            return self.value(value.args[1], home, depth + 1) if name == "NewType" and len(value.args) == 2 else None
        return self.value(value, home, depth + 1)

    def object(self, home: names.Scope, node: ast.ClassDef, depth: int) -> Any:
        """Return a strategy for objects of a project class. An abstract class gives those of its subclasses in its
        module."""
        if depth >= DEPTH:
            return self.st.nothing()
        key = home.module, home.qualified(node), depth
        if key not in self.made:
            self.made[key] = self._object(home, node, key[1], depth)
        return self.made[key]

    def _object(self, home: names.Scope, node: ast.ClassDef, name: str, depth: int) -> Any:
        if values := names.members(home, node):
            return self.st.sampled_from([Opaque(f"load({home.module!r}, '{name}.{value}')") for value in values])
        others = names.stand_ins(home, node)
        if others is not None:
            made = [self.object(home, other, depth) for other in others]
            known = [value for value in made if value is not None]
            return self.st.one_of(*known) if known else None
        kind, given = names.parameters(home, node)
        made = self.arguments(given, f"load({home.module!r}, {name!r})", depth + 1)
        return made.map(lambda value: dict(value.kwargs)) if made is not None and kind == "TypedDict" else made

    def used(self, home: names.Scope, node: ast.ClassDef, but: str) -> Any:
        """Return a strategy for objects of a class, or of a subclass that inherits the method `but`.

        On most objects other methods with known parameters were called before, so that their state changed.
        """
        heirs = [each for each in home.heirs(node) if but not in {getattr(part, "name", "") for part in each.body}]
        kinds = [self.object(home, each, 0) for each in (node, *heirs)]
        known = [each for each in kinds if each is not None]
        made = self.st.one_of(*known) if known else None
        others = [method for method in names.methods(node) if method.name != but]
        made_calls = [
            self.arguments(names.of_function(method, home.inside(node), 1), f"do.{method.name}", 1) for method in others
        ]
        calls = [call for call in made_calls if call is not None]
        for setter in names.setters(node):
            value = self.parameter(names.of_function(setter, home.inside(node), 1)[0], 1)
            if value is not None and not value.is_empty:
                calls.append(value.map(lambda drawn, name=setter.name: Constructed("do.__setattr__", (name, drawn))))
        if made is None or not calls:
            return made
        # maximum number of methods of an object that are called before the one that is meant
        steps = self.st.lists(self.st.one_of(*calls), max_size=3)
        return self.st.tuples(made, steps).map(
            lambda pair: Constructed("used", (pair[0], *pair[1])) if pair[1] else pair[0]
        )

    def generic(self, name: str, inside: ast.expr, scope: names.Scope, depth: int) -> Any:
        """A type with what it holds in brackets."""
        parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
        if name == "Literal":
            return self.st.sampled_from([part.value for part in parts if isinstance(part, ast.Constant)])
        if name in ("Callable", "Pattern"):
            return self.kinds.standard(name)
        if name in ("Union", "Optional"):
            none: list[ast.expr] = [ast.Constant(None)] if name == "Optional" else []
            return self.one_of([*none, *parts], scope, depth)
        if name in ("Annotated", "Final", "InitVar", "Required", "NotRequired", "ReadOnly"):
            return self.value(parts[0], scope, depth)
        endless = len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is ...
        inner = [self.value(part, scope, depth) for part in (parts[:1] if endless or name == "Generator" else parts)]
        if any(value is None for value in inner):
            return None
        if name in ("tuple", "Tuple") and not endless:
            return self.st.tuples(*inner)
        return self.kinds.container(name, inner, depth)


# Hypothesis strategies for types that are known by their name: plain ones, containers, values of the standard
# library.

_LISTS = ("list", "List", "Sequence", "Iterable", "Collection", "MutableSequence", "Container", "Reversible")
_ITERATORS = ("Iterator", "Generator")
_DICTS = ("dict", "Dict", "Mapping", "MutableMapping")
_TUPLES = ("tuple", "Tuple")
_SETS = ("set", "Set", "AbstractSet", "MutableSet", "frozenset", "FrozenSet")
_OTHERS = {"deque": "deque", "Counter": "load('collections', 'Counter')", **dict.fromkeys(_ITERATORS, "iter")}
_HOLDERS = frozenset((*_LISTS, *_DICTS, *_TUPLES, *_SETS, *_OTHERS))
_FUNCTIONS = ("str", "repr", "len", "bool", "abs")
_PATTERNS = (r"\d+", "a+b", "[a-c]", r"\s*,\s*", "(x)(y)?")
_FLOATS = (0.0, 0.5, 1.0, 2.5, -1.0, 100.0)


@dataclass(frozen=True)
class Kinds:
    """st: hypothesis.strategies; text: what makes texts; keys: those that the function takes items of rows by."""

    st: Any
    text: Any
    keys: Sequence[str] = ()

    def plain(self, name: str, depth: int) -> Any:
        """A type without what it holds; None for one that is not known."""
        st = self.st
        simple: dict[str, Callable[[], Any]] = {
            "int": lambda: st.integers(-9, 9) | st.integers(-100, 100) | st.integers(),
            "float": lambda: st.sampled_from(_FLOATS) | st.floats(-100, 100) | st.floats(),
            "bool": st.booleans,
            "str": lambda: self.text,
            "bytes": lambda: st.binary(max_size=20),
            "bytearray": lambda: st.binary(max_size=20).map(bytearray),
            "memoryview": lambda: st.binary(max_size=20).map(lambda v: Constructed("memoryview", (v,))),
            "complex": lambda: st.complex_numbers(allow_nan=False),
            "Any": lambda: st.integers(-9, 9) | self.text,
            "object": lambda: st.integers(-9, 9) | self.text,
        }
        if name in simple:
            return simple[name]()
        if name in _HOLDERS:
            inner = self.text if name in _DICTS else st.integers(-9, 99)
            return self.container(name, [inner, st.integers(-9, 99)], depth)
        return self.standard(name)

    def standard(self, name: str) -> Any:
        """Values of the standard library, and functions of one argument."""
        st = self.st
        near = st.tuples(st.just(2024), st.sampled_from((2, 3)), st.sampled_from((1, 2, 3, 28, 29)))
        day = near | st.tuples(st.integers(1999, 2030), st.integers(1, 12), st.integers(1, 28))
        moment = st.tuples(st.integers(0, 23), st.integers(0, 59), st.integers(0, 59))
        span = st.tuples(st.integers(-2, 31)) | st.tuples(st.integers(-40, 400), st.integers(0, 90_000))
        money = st.decimals(-1000, 1000, places=2).map(lambda value: (str(value),))
        path = self.text.map(lambda value: (value.replace("\0", "0"),))
        makers = {
            "date": ("datetime.date", day),
            "datetime": ("datetime.datetime", st.tuples(day, moment).map(lambda pair: (*pair[0], *pair[1]))),
            "time": ("datetime.time", moment),
            "timedelta": ("datetime.timedelta", span),
            "Decimal": ("Decimal", money),
            "Fraction": ("Fraction", st.tuples(st.integers(-20, 20), st.integers(1, 12))),
            "Path": ("load('pathlib', 'Path')", path),
            "PurePath": ("load('pathlib', 'PurePath')", path),
            "Pattern": ("load('re', 'compile')", st.tuples(st.sampled_from(_PATTERNS))),
        }
        if name == "Callable":
            return st.sampled_from([Opaque(f"load('builtins', {function!r})") for function in _FUNCTIONS])
        if name not in makers:
            return None
        maker, arguments = makers[name]
        return arguments.map(lambda values: Constructed(maker, values))

    def container(self, name: str, inner: list[Any], depth: int) -> Any:
        """Items of the types that were found; None for a container that is not known."""
        # items of a container; half as many at each level below
        st, most = self.st, 0 if inner[0].is_empty else max(2, 12 >> depth)
        if name in _DICTS:
            if len(inner) < 2:
                return None
            some = st.dictionaries(inner[0].filter(_is_key), inner[1], max_size=most)
            rows = st.fixed_dictionaries(dict.fromkeys(self.keys, inner[1]))
            return rows | some if self.keys and inner[0] is self.text else some
        if name in _SETS:
            kind = frozenset if name.lower() == "frozenset" else set
            return st.sets(inner[0].filter(_is_key), max_size=most).map(kind)
        if name not in _HOLDERS:
            return None
        items = st.lists(inner[0], max_size=most)
        if name in _OTHERS:
            return items.map(lambda value: Constructed(_OTHERS[name], (value,)))
        return items.map(tuple) if name in _TUPLES else items


def _is_key(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
