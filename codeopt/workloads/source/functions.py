"""`path.py::qualified.name` -> the function that is meant, or one clear line that says why it cannot be improved."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from codeopt.analysis.nodes import first_line
from codeopt.analysis.positions import Def, functions
from codeopt.core.errors import UsageError
from codeopt.core.program import TargetFiles, read_program

Kind = Literal["function", "method", "staticmethod", "classmethod", "property"]
_PROPERTIES = ("property", "cached_property", "functools.cached_property")


@dataclass(frozen=True)
class Function:
    """One function of a module: where it stands and what kind it is."""

    path: Path
    source: str
    """Text of the whole module."""
    qualname: str
    kind: Kind
    asynchronous: bool
    generator: bool
    first_line: int
    """1-based, of the first decorator or of `def`."""
    body_line: int
    """1-based, of the first statement after the docstring."""
    last_line: int
    parameters: tuple[str, ...]
    """Names of the parameters that a call may give by position, `self` and `cls` included."""
    others: tuple[int, ...] = ()
    """First lines of others of its name: earlier ones, and those of another branch."""

    @property
    def name(self) -> str:
        """The last part of the qualified name."""
        return self.qualname.rpartition(".")[2]

    @property
    def text(self) -> str:
        """The function's own lines."""
        return "".join(self.source.splitlines(keepends=True)[self.first_line - 1 : self.last_line])


def read_function(path: Path, qualname: str, program: TargetFiles | None = None) -> Function:
    """The function `qualname` of the module at `path`. Raises UsageError when there is none that can be improved.

    program: what the file is taken to hold; None: what it holds.
    """
    program = program or read_program(path)
    tree = ast.parse(program.source)
    found = [node for name, node in definitions(tree) if name == qualname]
    if not found:
        raise UsageError(f"{path} has no function {qualname!r}{_hint(tree, qualname)}")
    real = [node for node in found if not _is_overload(node)]
    if not real:
        raise UsageError(f"{path}::{qualname} has only @overload signatures, no body to improve")
    node = ([node for node in real if not _is_setter(node)] or real)[-1]
    _require_body(path, qualname, node)
    parent = qualname.rpartition(".")[0]
    if any(name == parent for name, _ in definitions(tree)):
        raise UsageError(f"{path}::{qualname} is defined inside another function: name that one ({parent})")
    kind = _kind(node, qualname)
    _refuse_decorators(path, qualname, node)
    return Function(
        path=path,
        source=program.source,
        qualname=qualname,
        kind=kind,
        asynchronous=isinstance(node, ast.AsyncFunctionDef),
        generator=any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in own_nodes(node)),
        first_line=first_line(node),
        body_line=_body(node)[0].lineno,
        last_line=node.end_lineno or node.lineno,
        parameters=tuple(argument.arg for argument in [*node.args.posonlyargs, *node.args.args]),
        others=tuple(first_line(other) for other in real if other is not node),
    )


def definitions(tree: ast.Module) -> Iterator[tuple[str, Def]]:
    """Every function of a module with its qualified name; those inside other functions too, so that they can be
    named."""
    yield from functions(tree.body, inner=True)


def definition(tree: ast.Module, qualname: str) -> Def | None:
    """The first function of that name."""
    return next((node for name, node in definitions(tree) if name == qualname), None)


def own_nodes(node: Def) -> Iterator[ast.AST]:
    """The nodes of a function, without those of functions and classes inside it."""
    todo: list[ast.AST] = list(node.body)
    while todo:
        current = todo.pop()
        yield current
        if not isinstance(current, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            todo.extend(ast.iter_child_nodes(current))


def dotted(node: ast.expr) -> str:
    """`a.b.c` of a name, an attribute, or a call of one; empty for anything else."""
    if isinstance(node, ast.Call):
        return dotted(node.func)
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _hint(tree: ast.Module, qualname: str) -> str:
    names = sorted({name for name, _ in definitions(tree)})
    if any(isinstance(node, ast.ClassDef) and node.name == qualname for node in tree.body):
        methods = [name for name in names if name.startswith(f"{qualname}.")]
        return f": that is a class; name one of its methods ({', '.join(methods[:5])})" if methods else ": a class"
    last = qualname.rpartition(".")[2]
    near = [name for name in names if name.rpartition(".")[2] == last] or difflib.get_close_matches(qualname, names, 3)
    if not names:
        return "; it defines no function at all"
    return f"; did you mean {' or '.join(near)}?" if near else f"; it has {', '.join(names[:6])}"


def _is_overload(node: Def) -> bool:
    return any(dotted(decorator).rpartition(".")[2] == "overload" for decorator in node.decorator_list)


def _is_setter(node: Def) -> bool:
    return any(dotted(decorator).endswith((".setter", ".deleter")) for decorator in node.decorator_list)


def _body(node: Def) -> list[ast.stmt]:
    """The statements after the docstring; the docstring itself when there is nothing else."""
    first = node.body[0]
    documented = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and type(first.value.value) is str
    )
    return node.body[1:] or node.body if documented else node.body


def _require_body(path: Path, qualname: str, node: Def) -> None:
    """Refuse what has nothing to run."""
    if path.suffix == ".pyi":
        raise UsageError(f"{path} is a stub file: it holds signatures, no code")
    body = _body(node)
    last = body[0]
    empty = isinstance(last, ast.Pass) or (isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant))
    raises = isinstance(last, ast.Raise) and last.exc is not None and dotted(last.exc) == "NotImplementedError"
    abstract = any(dotted(d).rpartition(".")[2] == "abstractmethod" for d in node.decorator_list)
    if len(body) == 1 and (empty or raises):
        what = "an abstract method" if abstract else "a stub"
        raise UsageError(f"{path}::{qualname} is {what}: there is no code in it that could be faster")


def _kind(node: Def, qualname: str) -> Kind:
    names = [dotted(decorator) for decorator in node.decorator_list]
    if "." not in qualname:
        return "function"
    if "staticmethod" in names:
        return "staticmethod"
    if "classmethod" in names:
        return "classmethod"
    if any(name in _PROPERTIES for name in names):
        return "property"
    return "method"


def _refuse_decorators(path: Path, qualname: str, node: Def) -> None:
    """Decorators that change what a name stands for, so that calling it is no call of the function."""
    for name in (dotted(decorator) for decorator in node.decorator_list):
        if name.endswith((".setter", ".deleter")):
            raise UsageError(
                f"{path}::{qualname} is a property's {name.rpartition('.')[2]}; only its getter can be named"
            )
        if name.rpartition(".")[2] == "fixture":
            raise UsageError(f"{path}::{qualname} is a pytest fixture; name the function that does the work")
