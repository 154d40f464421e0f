"""Parameters that make an object of a project's class, as its definition says: dataclasses, named tuples, enums, typed
dictionaries, and plain classes with an `__init__`."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from codeopt.analysis.positions import Def
from codeopt.workloads.source.functions import dotted
from codeopt.workloads.source.scope import Scope

_ENUMS = ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag")
_RECORDS = ("NamedTuple", "TypedDict", "BaseModel")
_BY_NAME = ("TypedDict", "BaseModel")
"""Records whose fields are given by name alone; pydantic's models are such."""
_DATACLASSES = ("dataclass", "define", "frozen", "mutable", "attrs", "s")
"""Decorators that write an `__init__` from the annotations of a class."""

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
    record = next((name for name in _RECORDS if name in names), "")
    for scope, each in lineage:
        init = next((n for n in each.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
        if init is not None:
            return "class", of_function(init, scope.inside(each), 1)
        if record or _is_dataclass(each):
            return record or "dataclass", _fields(lineage, bool(record))
    return "class", []


def _fields(lineage: list[tuple[Scope, ast.ClassDef]], record: bool) -> list[Parameter]:
    """Annotated names in order, inherited ones first. A typed dictionary's and later ones of KW_ONLY go by name."""
    found: dict[str, Parameter] = {}
    by_name = any(name in _BY_NAME for _, node in lineage for name in base_names(node))
    for scope, node in reversed(lineage):
        named = not record and any("kw_only=True" in ast.unparse(decorator) for decorator in node.decorator_list)
        named |= by_name
        for field in node.body:
            if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
                continue
            kind = dotted(field.annotation.value if isinstance(field.annotation, ast.Subscript) else field.annotation)
            named |= kind.endswith("KW_ONLY")
            if kind.rpartition(".")[2] in ("ClassVar", "KW_ONLY") or "init=False" in _text(field.value):
                continue
            name = field.target.id
            found[name] = Parameter(name, field.annotation, _default(field.value), scope.inside(node), named)
    return list(found.values())


def _default(value: ast.expr | None) -> ast.expr | None:
    """`field()` and `field(repr=False)` give none."""
    if isinstance(value, ast.Call) and dotted(value).rpartition(".")[2] in ("field", "ib", "attrib"):
        return value if any(word.arg in ("default", "default_factory", "factory") for word in value.keywords) else None
    return value


def _text(node: ast.expr | None) -> str:
    return ast.unparse(node) if node is not None else ""


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
    if not any(name in _ENUMS for _, each in home.bases(node) for name in base_names(each)):
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


def _is_dataclass(node: ast.ClassDef) -> bool:
    return any(dotted(mark).rpartition(".")[2] in _DATACLASSES for mark in node.decorator_list)


def base_names(node: ast.ClassDef) -> list[str]:
    """Last parts of the names of a class's bases."""
    return [dotted(base.value if isinstance(base, ast.Subscript) else base).rpartition(".")[2] for base in node.bases]
