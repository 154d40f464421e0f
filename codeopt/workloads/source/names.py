"""What names mean in a module: its scopes, what it imports and sets, and the shapes of its classes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from codeopt.analysis.nodes import Def
from codeopt.core.errors import UsageError
from codeopt.core.program import read_program
from codeopt.workloads.source.functions import Function, dotted
from codeopt.workloads.source.module_graph import imported_from

FAR = 6
"""Maximum number of imports followed from one name to another."""


@dataclass(frozen=True)
class Scope:
    module: str
    is_package: bool
    tree: ast.Module
    other: Callable[[str], Scope | None]
    """Returns another module of the project, which is read once. None if it does not exist or cannot be read."""
    owner: str = ""
    """Qualified name of the class around the annotations. Empty for the module itself."""

    @cached_property
    def names(self) -> dict[str, ast.stmt]:
        """Return statements by the names that classes, assignments and imports bind outside of functions."""
        found: dict[str, ast.stmt] = {}
        for node in _statements(self.tree.body):
            for name in _bound(node):
                found.setdefault(name, node)
        return found

    def look_up(self, name: str, far: int = FAR) -> tuple[Scope, ast.stmt] | None:
        """Scope and statement that define a dotted name, a class or an assignment; None for what is not the
        project's."""
        if not far:
            return None
        if (own := _inner(self.classes.get(self.owner), name)) is not None:
            return self, own
        first, _, rest = name.partition(".")
        node = self.names.get(first)
        if node is None:
            return None
        if isinstance(node, ast.ImportFrom):
            return self._imported(node, first, rest, far)
        if isinstance(node, ast.Import):
            # `t.Name` after `import a.b as t`, and `a.b.Name` after `import a.b`
            for alias in node.names:
                known = alias.asname or alias.name
                if name.startswith(f"{known}.") and (scope := self.other(alias.name)):
                    return scope.look_up(name[len(known) + 1 :], far - 1)
            return None
        if isinstance(node, ast.ClassDef) and rest:
            inner = _inner(node, rest)
            return (self, inner) if inner is not None else None
        return None if rest else (self, node)

    @cached_property
    def classes(self) -> dict[str, ast.ClassDef]:
        """All classes of the module outside of functions by their qualified names, inner ones too."""
        found: dict[str, ast.ClassDef] = {}
        todo: list[tuple[str, ast.AST]] = [("", self.tree)]
        while todo:
            prefix, node = todo.pop()
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.ClassDef):
                    found.setdefault(prefix + child.name, child)
                    todo.append((f"{prefix}{child.name}.", child))
                elif isinstance(child, ast.If | ast.Try):
                    todo.append((prefix, child))
        return found

    def qualified(self, node: ast.ClassDef) -> str:
        """The name that leads to a class from its module."""
        return next((name for name, each in self.classes.items() if each is node), node.name)

    def inside(self, node: ast.ClassDef) -> Scope:
        """The scope of annotations in a class's body, which may name its inner classes alone."""
        owner = self.qualified(node)
        return self._insides.get(owner) or self._insides.setdefault(owner, replace(self, owner=owner))

    @cached_property
    def constructors(self) -> dict[ast.ClassDef, list[Parameter]]:
        """Parameters by class, as far as they were asked for: a call may hold thousands of objects of one class."""
        return {}

    @cached_property
    def _insides(self) -> dict[str, Scope]:
        """Scopes of classes, each with what it has looked up: it is asked for every object in a call."""
        return {}

    def _imported(self, node: ast.ImportFrom, first: str, rest: str, far: int) -> tuple[Scope, ast.stmt] | None:
        """Target of `from home import first`: a name of that module, or a module in it."""
        home = imported_from(node, self.module, self.is_package)
        real = next(alias.name for alias in node.names if (alias.asname or alias.name) == first)
        scope = self.other(home)
        if scope is not None and (found := scope.look_up(f"{real}.{rest}" if rest else real, far - 1)):
            return found
        inner = self.other(f"{home}.{real}") if rest else None
        return inner.look_up(rest, far - 1) if inner else None

    def bases(self, node: ast.ClassDef) -> list[tuple[Scope, ast.ClassDef]]:
        """A class and those of the project that it inherits from, nearest first; each once, even in circles."""
        found: dict[tuple[str, str], tuple[Scope, ast.ClassDef]] = {}
        todo: list[tuple[Scope, ast.stmt]] = [(self, node)]
        while todo:
            scope, each = todo.pop()
            if not isinstance(each, ast.ClassDef) or (scope.module, scope.qualified(each)) in found:
                continue
            found[scope.module, scope.qualified(each)] = scope, each
            names = (dotted(base.value if isinstance(base, ast.Subscript) else base) for base in reversed(each.bases))
            todo += [place for name in names if name and (place := scope.look_up(name))]
        return list(found.values())

    def heirs(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """Classes of this module that inherit from a class by name, those of its heirs too."""
        found: dict[str, ast.ClassDef] = {}
        todo = [node]
        while todo:
            name = todo.pop(0).name
            for other in self.names.values():
                inherits = isinstance(other, ast.ClassDef) and any(dotted(base) == name for base in other.bases)
                if isinstance(other, ast.ClassDef) and inherits and other.name not in found and other is not node:
                    found[other.name] = other
                    todo.append(other)
        return list(found.values())


def _inner(node: ast.ClassDef | None, name: str) -> ast.ClassDef | None:
    """A class in the body of another one, by its dotted name."""
    for part in name.split("."):
        body = node.body if node is not None else []
        node = next((each for each in body if isinstance(each, ast.ClassDef) and each.name == part), None)
    return node


def scopes_below(roots: Sequence[Path]) -> Callable[[str], Scope | None]:
    """Return a reader of the project's modules by dotted name. It returns None for a module that does not exist or
    cannot be read.

    roots: Folders that modules of the project are imported from.
    """

    @cache
    def read(module: str) -> Scope | None:
        parts = module.split(".")
        for root in roots:
            for path in (root.joinpath(*parts).with_suffix(".py"), root.joinpath(*parts, "__init__.py")):
                if module and path.is_file():
                    try:
                        return Scope(module, path.name == "__init__.py", ast.parse(read_program(path).source), read)
                    except (UsageError, SyntaxError, ValueError):
                        return None
        return None

    return read


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a body, those of `if TYPE_CHECKING` and `try` included."""
    for node in body:
        yield node
        for part in ("body", "orelse", "handlers", "finalbody"):
            if isinstance(node, ast.If | ast.Try):
                inner = getattr(node, part, [])
                yield from _statements([s for n in inner for s in (n.body if part == "handlers" else [n])])


def _bound(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import):
        return [(alias.asname or alias.name).partition(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [alias.asname or alias.name for alias in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


# Constants of a module that callers may set, and classes that they may derive from. The text is read, not run.

_MAKERS = {"__init__", "__new__", "__slots__", "__setattr__"}


def settings(function: Function) -> dict[str, Any]:
    """Another value for each public constant of the module that a function reads, or what it calls."""
    tree = ast.parse(function.source)
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    defined = {node.name: node for node in tree.body if isinstance(node, kinds)}
    reads: set[str] = set()
    left = [function.qualname.partition(".")[0]]
    while left:
        part = defined.get(left.pop())
        names = {each.id for each in ast.walk(part) if isinstance(each, ast.Name)} if part is not None else set()
        left += names - reads
        reads |= names
    state = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    found: dict[str, Any] = {}
    for node in tree.body:
        match node:
            case ast.Assign([ast.Name(name)], ast.Constant(value)):
                found[name] = _another(value)
            case ast.AnnAssign(ast.Name(name), hint, ast.Constant(value)) if "Final" not in ast.unparse(hint):
                found[name] = _another(value)
    public = {name: value for name, value in found.items() if value is not None and not name.startswith("_")}
    return {name: value for name, value in public.items() if name in reads - state}


def subclasses(source: str) -> list[tuple[str, str]]:
    """Names of a class and of one derived from it that overrides a method and is made in the same way."""
    classes = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)}
    return [
        (base, name)
        for name, node in classes.items()
        for base in base_names(node)
        if base in classes and _methods(node) & _methods(classes[base]) and not _is_made_otherwise(node)
    ]


def _another(value: Any) -> Any:
    """Another value of the same type; None if no such value means something."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value // 2 if abs(value) > 1 else value + 1
    if isinstance(value, float):
        return value / 2 or 1.0
    if isinstance(value, str):
        return value[::-1] if value != value[::-1] else f"{value}x"
    return None


def _methods(node: ast.ClassDef) -> set[str]:
    return {each.name for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}


def _is_made_otherwise(node: ast.ClassDef) -> bool:
    """Return True if the objects of a class may need other parts than those of its base."""
    names = {name.id for each in node.body if isinstance(each, ast.Assign) for name in each.targets
             if isinstance(name, ast.Name)}  # fmt: skip
    return bool((names | _methods(node)) & _MAKERS) or any(isinstance(each, ast.AnnAssign) for each in node.body)


def imported_names(source: str) -> tuple[str, ...]:
    """Return dotted names that a text may import or reach by an import, in any place: `scipy` and `scipy.signal`.

    Some are not modules, such as `math.sqrt`. The tuple is empty for a text that cannot be parsed.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return ()
    known = {alias: name for node in ast.walk(tree) for alias, name in _of(node)}
    chains = (dotted(node).partition(".") for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    reached = [f"{known[root]}.{rest}" for root, _, rest in chains if root in known]
    return tuple(dict.fromkeys([*known.values(), *reached]))


def _of(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the names that a statement binds, each with its dotted name."""
    if isinstance(node, ast.Import):
        for each in node.names:
            top = each.name.partition(".")[0]
            yield from ([(each.asname, each.name)] if each.asname else [(top, top), (each.name, each.name)])
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        for each in node.names:
            yield each.asname or each.name, node.module if each.name == "*" else f"{node.module}.{each.name}"


# Parameters that make an object of a project's class, as its definition says: dataclasses, named tuples, enums, typed
# dictionaries, and plain classes with an `__init__`.

_MUTATORS = (
    "add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popleft", "popitem", "push", "put",
    "remove", "reverse", "setdefault", "sort", "update",
)  # fmt: skip


@dataclass(frozen=True)
class Parameter:
    """A parameter, with the scope of its annotation."""

    name: str
    hint: ast.expr | None
    default: ast.expr | None
    scope: Scope
    named: bool = False
    """Can only be given by name."""
    positional_only: bool = False


def of_function(node: Def, scope: Scope, skip: int) -> list[Parameter]:
    """A function's parameters, without the first `skip`."""
    given = node.args
    positional = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(positional) - len(given.defaults)) + list(given.defaults)
    found = [
        Parameter(arg.arg, arg.annotation, default, scope, positional_only=arg in given.posonlyargs)
        for arg, default in zip(positional, defaults, strict=True)
    ][skip:]
    pairs = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    return found + [Parameter(arg.arg, arg.annotation, default, scope, named=True) for arg, default in pairs]


def parameters(home: Scope, node: ast.ClassDef) -> tuple[str, list[Parameter]]:
    """Kind of a class, and its parameters: the fields of a record, else the parameters of its `__init__`."""
    lineage = list(home.bases(node))
    names = {name for scope, each in lineage for name in base_names(each)}
    record = next((name for name in ("NamedTuple", "TypedDict", "BaseModel") if name in names), "")
    for scope, each in lineage:
        init = next((n for n in each.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
        if init is not None:
            return "class", of_function(init, scope.inside(each), 1)
        marks = (dotted(mark).rpartition(".")[2] for mark in each.decorator_list)
        # decorators that write an `__init__` from the annotations of a class
        if record or any(mark in ("dataclass", "define", "frozen", "mutable", "attrs", "s") for mark in marks):
            return record or "dataclass", _fields(lineage, bool(record))
    return "class", []


def _fields(lineage: list[tuple[Scope, ast.ClassDef]], record: bool) -> list[Parameter]:
    """Annotated names in order, inherited ones first. A typed dictionary's and later ones of KW_ONLY go by name."""
    found: dict[str, Parameter] = {}
    # records whose fields are given by name alone; pydantic's models are such
    by_name = any(name in ("TypedDict", "BaseModel") for _, node in lineage for name in base_names(node))
    for scope, node in reversed(lineage):
        named = not record and any("kw_only=True" in ast.unparse(decorator) for decorator in node.decorator_list)
        named |= by_name
        for field in node.body:
            if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
                continue
            kind = dotted(field.annotation.value if isinstance(field.annotation, ast.Subscript) else field.annotation)
            named |= kind.endswith("KW_ONLY")
            text = ast.unparse(field.value) if field.value is not None else ""
            if kind.rpartition(".")[2] in ("ClassVar", "KW_ONLY") or "init=False" in text:
                continue
            name, default = field.target.id, field.value
            if isinstance(default, ast.Call) and dotted(default).rpartition(".")[2] in ("field", "ib", "attrib"):
                given = any(word.arg in ("default", "default_factory", "factory") for word in default.keywords)
                default = default if given else None  # `field()` and `field(repr=False)` give none
            found[name] = Parameter(name, field.annotation, default, scope.inside(node), named)
    return list(found.values())


def methods(node: ast.ClassDef) -> list[ast.FunctionDef]:
    """A class's plain, public methods that change an object: what its users call before others."""
    found = [each for each in node.body if isinstance(each, ast.FunctionDef) and not each.decorator_list]
    return [each for each in found if not each.name.startswith("_") and each.args.args and _changes(each)]


def setters(node: ast.ClassDef) -> list[ast.FunctionDef]:
    found = [each for each in node.body if isinstance(each, ast.FunctionDef) and len(each.args.args) == 2]
    return [each for each in found if any(dotted(mark) == f"{each.name}.setter" for mark in each.decorator_list)]


def _changes(method: ast.FunctionDef) -> bool:
    """Return True if the method seems to change the content of its first argument."""
    me = method.args.args[0].arg
    for node in ast.walk(method):
        stored = isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load)
        called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MUTATORS
        if (stored or called) and any(isinstance(n, ast.Name) and n.id == me for n in ast.walk(node)):
            return True
    return False


def members(home: Scope, node: ast.ClassDef) -> list[str]:
    """The names of an enumeration; none for another class."""
    enums = ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag")
    if not any(name in enums for _, each in home.bases(node) for name in base_names(each)):
        return []
    targets = [n.targets[0] for n in node.body if isinstance(n, ast.Assign)]
    return [target.id for target in targets if isinstance(target, ast.Name) and not target.id.startswith("_")]


def stand_ins(home: Scope, node: ast.ClassDef) -> list[ast.ClassDef] | None:
    """Return the classes in the scope that inherit from an abstract one. None for a class that is not abstract."""
    if not _is_abstract(node):
        return None
    return [heir for heir in home.heirs(node) if not _is_abstract(heir)]


def _is_abstract(node: ast.ClassDef) -> bool:
    methods = [each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    marks = {dotted(mark).rpartition(".")[2] for method in methods for mark in method.decorator_list}
    return "Protocol" in base_names(node) or bool(marks & {"abstractmethod", "abstractproperty"})


def base_names(node: ast.ClassDef) -> list[str]:
    """Last parts of the names of a class's bases."""
    return [dotted(base.value if isinstance(base, ast.Subscript) else base).rpartition(".")[2] for base in node.bases]
