"""`path.py::qualified.name` -> the function that is meant, or one clear line that says why it cannot be improved."""

from __future__ import annotations

import ast
import difflib
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal

from codeopt.analysis.nodes import Def, first_line, functions, is_text, kind_beside
from codeopt.analysis.syntax import physical_lines
from codeopt.core.errors import UsageError
from codeopt.core.program import TargetFiles, read_program

Kind = Literal["function", "method", "staticmethod", "classmethod", "property"]


@dataclass(frozen=True)
class Function:
    """One function of a module, with its place and kind."""

    path: Path
    source: str
    """Text of the whole module."""
    text: str
    """The function's own lines."""
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
    """Names of the parameters that a call may give by position, `self` included."""
    others: tuple[int, ...] = ()
    """First lines of others of its name: earlier ones, and those of another branch."""

    @cached_property
    def node(self) -> Def:
        """The definition in the source; of several of that name the one at the function's line."""
        found = [node for name, node in definitions(ast.parse(self.source)) if name == self.qualname]
        return next((node for node in found if first_line(node) == self.first_line), found[0])

    @property
    def name(self) -> str:
        """The last part of the qualified name."""
        return self.qualname.rpartition(".")[2]


@dataclass(frozen=True)
class ModuleFunctions:
    """The functions of a module that is parsed once: looking one up takes no longer in a large module."""

    path: Path
    source: str
    tree: ast.Module

    @cached_property
    def named(self) -> Mapping[str, list[Def]]:
        """Definitions by qualified name, in order; those inside other functions too."""
        found: dict[str, list[Def]] = {}
        for name, node in definitions(self.tree):
            found.setdefault(name, []).append(node)
        return found

    def usable(self, names: Iterable[str] | None = None) -> Iterator[Function]:
        """The functions of these names that can be improved, None: of all; not stubs, setters and functions inside
        functions."""
        for name in self.named if names is None else names:
            try:
                yield self.find(name)
            except UsageError:
                continue

    def find(self, qualname: str) -> Function:
        """Return the function with this name.

        Raises:
            UsageError: There is no such function, or it cannot be improved.
        """
        node, others = self._meant(qualname)
        # after such a decorator a call by name is no call of the function
        for name in (dotted(decorator) for decorator in node.decorator_list):
            if name.endswith((".setter", ".deleter")):
                raise UsageError(
                    f"{self.path}::{qualname} is a property's {name.rpartition('.')[2]}", hint="name its getter"
                )
            if name.rpartition(".")[2] == "fixture":
                raise UsageError(
                    f"{self.path}::{qualname} is a pytest fixture", hint="name the function that does the work"
                )
        start, last, kind = first_line(node), node.end_lineno or node.lineno, _kind(node, qualname)
        parameters = tuple(argument.arg for argument in [*node.args.posonlyargs, *node.args.args])
        return Function(
            path=self.path,
            source=self.source,
            text="".join(self._lines[start - 1 : last]),
            qualname=qualname,
            kind=kind,
            asynchronous=isinstance(node, ast.AsyncFunctionDef),
            generator=any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in own_nodes(node)),
            first_line=start,
            body_line=_body(node)[0].lineno,
            last_line=last,
            parameters=parameters[kind == "classmethod" :],
            others=tuple(map(first_line, others)),
        )

    def _meant(self, qualname: str) -> tuple[Def, list[Def]]:
        """The definition that a name means, and the others of that name. Raises UsageError."""
        found = self.named.get(qualname, [])
        if not found:
            raise UsageError(f"{self.path} has no function {qualname}", hint=_hint(self.tree, qualname))
        real = [node for node in found if kind_beside(node) != "overload"]
        if not real:
            raise UsageError(f"{self.path}::{qualname} has only @overload signatures, no body to improve")
        node = ([node for node in real if not kind_beside(node)] or real)[-1]
        if self.path.suffix == ".pyi":
            raise UsageError(f"{self.path} is a stub file: it has no code")
        body = _body(node)
        last = body[0]
        empty = isinstance(last, ast.Pass) or (isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant))
        raises = isinstance(last, ast.Raise) and last.exc is not None and dotted(last.exc) == "NotImplementedError"
        abstract = any(dotted(d).rpartition(".")[2] == "abstractmethod" for d in node.decorator_list)
        if len(body) == 1 and (empty or raises):
            what = "an abstract method" if abstract else "a stub"
            raise UsageError(f"{self.path}::{qualname} is {what}: it has no code")
        parent = qualname.rpartition(".")[0]
        if parent in self.named:
            raise UsageError(
                f"{self.path}::{qualname} is defined inside another function", hint=f"name that one: {parent}"
            )
        return node, [other for other in real if other is not node]

    @cached_property
    def _lines(self) -> list[str]:
        return physical_lines(self.source)


def read_functions(path: Path, program: TargetFiles | None = None) -> ModuleFunctions:
    """The functions of the module at `path`. Raises UsageError where it cannot be read.

    program: what the file is taken to hold; None: what it holds.
    """
    return _of_text(path, (program or read_program(path)).source)


@lru_cache(maxsize=16)
def _of_text(path: Path, source: str) -> ModuleFunctions:
    """Each of a module's functions asks for all of them."""
    return ModuleFunctions(path, source, ast.parse(source))


def read_function(path: Path, qualname: str, program: TargetFiles | None = None) -> Function:
    """Return the function `qualname` of the module at `path`. `program` replaces the content of the file.

    Raises:
        UsageError: There is no such function, or it cannot be improved.
    """
    return read_functions(path, program).find(qualname)


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
    """`a.b.c` of a name, an attribute, or a call of one. Empty for anything else."""
    if isinstance(node, ast.Call):
        return dotted(node.func)
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _hint(tree: ast.Module, qualname: str) -> str:
    names = sorted({name for name, _ in definitions(tree)})
    if any(isinstance(node, ast.ClassDef) and node.name == qualname for node in tree.body):
        methods = [name for name in names if name.startswith(f"{qualname}.")]
        return f"that is a class: name one of its methods ({', '.join(methods[:5])})" if methods else "that is a class"
    last = qualname.rpartition(".")[2]
    near = [name for name in names if name.rpartition(".")[2] == last] or difflib.get_close_matches(qualname, names, 3)
    if not names:
        return "it defines no function at all"
    return f"did you mean {' or '.join(near)}?" if near else f"it has {', '.join(names[:6])}"


def _body(node: Def) -> list[ast.stmt]:
    """The statements after the docstring; the docstring itself when there is nothing else."""
    return node.body[1:] or node.body if is_text(node.body[0]) else node.body


def _kind(node: Def, qualname: str) -> Kind:
    names = [dotted(decorator) for decorator in node.decorator_list]
    if "." not in qualname:
        return "function"
    if "staticmethod" in names:
        return "staticmethod"
    if "classmethod" in names:
        return "classmethod"
    if any(name in ("property", "cached_property", "functools.cached_property") for name in names):
        return "property"
    return "method"


class SpliceError(ValueError):
    """Error: the draft cannot replace the function. The message explains it to the draft's author."""


def at_margin(draft: str) -> str:
    """A draft's text without the margin that its first line has."""
    return draft if not draft[:1].isspace() else textwrap.dedent(draft)
