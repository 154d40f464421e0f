"""A call as a line for a shell, so that its reader can make it."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from codeopt.workloads.source.functions import Function
from codeopt_sandbox.guest.calls.recipes import RECIPE

LONGEST = 4000
"""Characters of a line."""
_HOMES = {"Decimal": "decimal", "Fraction": "fractions", "deque": "collections"}
_FILES = ("CALLS", "BIG")
_AS_CALL = "(lambda e: e if len(e) == 2 and type(e[0]) in (tuple, list) and type(e[1]) is dict else (e, {}))"
_USED = "(lambda o, *steps: [[step(o) for step in steps], o][1])"


@dataclass(frozen=True)
class Importable:
    """Place that a function can be imported from."""

    root: Path
    module: str
    qualname: str


class NotReproducible(Exception):
    """Error: no shell line can make such a call."""


def paste(call: str, function: Function, places: Sequence[Importable], calls_file: Path | None = None) -> str:
    """Return shell lines, one for each place: `PYTHONPATH=/home/me/project python -c '...'`. Empty if there is no such
    line."""
    try:
        line = _line if _is_call(call) else _program
        lines = [line(call, function, place, calls_file) for place in dict.fromkeys(places)]
    except (NotReproducible, SyntaxError, RecursionError):
        return ""
    text = "; ".join(lines)
    return text if len(text) <= LONGEST else ""


def _line(call: str, function: Function, place: Importable, calls_file: Path | None) -> str:
    owner = place.qualname.partition(".")[0]
    target = place.qualname + (".fget" if function.kind == "property" else "")
    writer = _Writer(target, calls_file)
    expression = writer.call(call)
    imports = sorted({*writer.imports, *(["asyncio"] if function.asynchronous else [])})
    heads = [*(f"import {name}" for name in imports), f"from {place.module} import {owner}"]
    if function.asynchronous and function.generator:  # only within a function can it be read, and this is one line
        reader = f"async def shown(): print(repr([each async for each in {expression}]))"
        return _as_command("; ".join([*heads, f"exec({reader!r})", "asyncio.run(shown())"]), place)
    if function.asynchronous:
        expression = f"asyncio.run({expression})"
    elif function.generator:
        expression = f"list({expression})"
    program = "; ".join([*heads, f"print(repr({expression}))"])
    return _as_command(program, place)


def _is_call(text: str) -> bool:
    """Return True for one call of the function, and False for several statements."""
    body = ast.parse(text).body
    return len(body) == 1 and text.startswith(("f(", *_FILES))


def _program(text: str, function: Function, place: Importable, calls_file: Path | None) -> str:
    """Statements in which `f` is called, of which the last is an expression that is printed."""
    tree = ast.parse(text)
    writer = _Writer("f", calls_file)
    tree = writer.visit(tree)
    if function.asynchronous or not isinstance(tree.body[-1], ast.Expr):
        raise NotReproducible
    shown = ast.Call(ast.Name("print", ast.Load()), [tree.body[-1].value], [])
    *rest, last = [ast.unparse(each) for each in (*tree.body[:-1], shown)]
    owner = place.qualname.partition(".")[0]
    target = place.qualname + (".fget" if function.kind == "property" else "")
    heads = [*(f"import {name}" for name in sorted(writer.imports)), f"from {place.module} import {owner}"]
    heads += [f"f = {target}"] if target != "f" else []
    return _as_command("; ".join([*heads, *rest, last]), place)


def _as_command(program: str, place: Importable) -> str:
    return f"PYTHONPATH={shlex.quote(str(place.root))} python -c {shlex.quote(program)}"


@dataclass
class _Writer(ast.NodeTransformer):
    """An expression of ours as one of plain Python."""

    target: str
    calls_file: Path | None
    imports: set[str] = field(default_factory=set)

    def call(self, text: str) -> str:
        """`f(1)` as a call of the target."""
        node = _read(text)
        if _from_file(node):
            return f"(lambda call: {self.target}(*call[0], **call[1]))({ast.unparse(self.visit(node))})"
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "f":
            raise NotReproducible
        made = self.generic_visit(node)
        assert isinstance(made, ast.Call)
        made.func = _read(self.target)
        return ast.unparse(made)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """`CALLS[3]`, which may have left out what is empty."""
        if not _from_file(node):
            return self.generic_visit(node)
        if self.calls_file is None:
            raise NotReproducible
        self.imports.add("runpy")
        entry = f"runpy.run_path({str(self.calls_file)!r})[{ast.unparse(node.value)!r}][{ast.unparse(node.slice)}]"
        return _read(f"{_AS_CALL}({entry})")

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Names that are there without an import."""
        if node.id in ("inf", "nan"):
            return _read(f"float('{node.id}')")
        if node.id in _HOMES:
            self.imports.add(_HOMES[node.id])
            return _read(f"{_HOMES[node.id]}.{node.id}")
        if node.id in (*_FILES, "replaced", RECIPE):
            raise NotReproducible
        if node.id == "datetime":
            self.imports.add("datetime")
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Replace calls that the sandbox has functions for."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "load":
            module, attribute = (str(part.value) for part in node.args if isinstance(part, ast.Constant))
            self.imports.add(module)
            return _read(f"{module}.{attribute}")
        if name == "unpickle":
            self.imports |= {"pickle", "base64"}
            return _read(f"pickle.loads(base64.b64decode({ast.unparse(node.args[0])}))")
        if name == "used":
            value, *steps = node.args
            shown = [ast.unparse(self.visit(value)), *(self._step(step) for step in steps)]
            return _read(f"{_USED}({', '.join(shown)})")
        return self.generic_visit(node)

    def _step(self, step: ast.expr) -> str:
        """`do.add(1)` as what is done with an object."""
        if not isinstance(step, ast.Call) or not isinstance(step.func, ast.Attribute):
            raise NotReproducible
        made = self.generic_visit(step)
        assert isinstance(made, ast.Call)
        assert isinstance(made.func, ast.Attribute)
        made.func.value = ast.Name("o", ast.Load())
        return f"lambda o: {ast.unparse(made)}"


def _read(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _from_file(node: ast.expr) -> bool:
    """`CALLS[3]`, not a part of it."""
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in _FILES
