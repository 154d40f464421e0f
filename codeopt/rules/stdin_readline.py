"""input() in a loop to sys.stdin.readline: the same lines without the flushes and checks of input()."""

from __future__ import annotations

import ast

from codeopt.rules import Hot, Rule
from codeopt.rules._insert import binding
from codeopt.rules._module import Edit, Module, last_line, parse
from codeopt.rules._scopes import Comprehension, Variable

CATCHES = frozenset({"EOFError", "Exception", "BaseException", "ValueError"})
"""They would see the end of the input: readline returns '' where input() raises EOFError, and int('') ValueError."""

FLUSHED = frozenset({"flush", "_exit", "abort", "kill", "fork", "system", "popen", "spawn", "posix_spawn"})
"""A program with one of these words may need what input() flushes: for somebody who waits, or as it ends suddenly."""

NUMBERS = ("int", "float", "eval")
"""Builtins that ignore white space around their argument, the line end included."""

STRIPS = frozenset({"split", "strip", "rstrip"})
"""Methods that drop the line end when they are called without arguments."""


def rewrite(text: str, hot: Hot) -> str | None:
    """Bind `input` to sys.stdin.readline, cut the line end where it would be seen; None without a repeated input()."""
    module = parse(text)
    if module is None or FLUSHED & module.words:
        return None
    uses = module.scopes.all_uses(Variable(None, "input"))
    calls = [call for use in uses if (call := _plain_call(module, use.node))]
    hidden = module.scopes.star_hides("input") or module.scopes.star_hides("sys")
    if len(calls) < len(uses) or _notices_the_end(module) or _replaces_stdin(module) or hidden:
        return None
    if any(_endless(module, call) for call in calls):
        return None
    if not any(_repeated(module, call) and hot.touches(call.lineno, last_line(call)) for call in calls):
        return None
    cuts = [_cut(module, call) for call in calls if not _ignores_line_end(module, call)]
    return module.edited([binding(module, "input", "stdin.readline"), *cuts])


def _plain_call(module: Module, name: ast.AST) -> ast.Call | None:
    """The call `input()` around a name, if it is nothing but that: a prompt would be printed."""
    match module.scopes.parent[name]:
        case ast.Call(func=func, args=[], keywords=[]) as call if func is name:
            return call
    return None


def _notices_the_end(module: Module) -> bool:
    for node in module.walk():
        if isinstance(node, ast.ExceptHandler):
            caught = {n.id for n in module.walk(node.type) if isinstance(n, ast.Name)} if node.type else CATCHES
            if caught & CATCHES:
                return True
        elif isinstance(node, ast.Name | ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            if name in ("suppress", "subprocess", "iter_except"):
                return True
    return False


def _endless(module: Module, call: ast.Call) -> bool:
    """In a `while` loop that the end of the input, a line like any other now, would not end: it is not a number."""
    parents = list(module.scopes.parents(call))
    loop = next((p for p in parents if isinstance(p, ast.While | ast.FunctionDef | ast.Lambda)), None)
    inside = parents[: parents.index(loop)] if loop is not None else []
    unpacked = any(isinstance(p, ast.Assign) and isinstance(p.targets[0], ast.Tuple | ast.List) for p in inside)
    number = isinstance(inside[0], ast.Call) and module.scopes.is_builtin(inside[0].func, *NUMBERS) if inside else True
    counted = isinstance(loop, ast.While) and not isinstance(loop.test, ast.Constant)
    return isinstance(loop, ast.While) and not (number or unpacked or counted)


def _replaces_stdin(module: Module) -> bool:
    for node in module.walk():
        match node:
            case ast.Attribute(attr="stdin", ctx=ast.Store() | ast.Del()):
                return True
    return False


def _repeated(module: Module, call: ast.Call) -> bool:
    """It runs more than once: in a loop, a comprehension or a function."""
    loops = (ast.For, ast.While, ast.AsyncFunctionDef, ast.Lambda)
    child: ast.AST = call
    for parent in module.scopes.parents(call):
        if isinstance(parent, ast.For) and child is parent.iter:
            child = parent
            continue
        if isinstance(parent, Comprehension) and not module.holds(parent.generators[0].iter, call):
            return True
        if isinstance(parent, loops) or (isinstance(parent, ast.FunctionDef) and not _called_once(module, parent)):
            return True
        child = parent
    return False


def _called_once(module: Module, function: ast.FunctionDef) -> bool:
    uses = module.scopes.all_uses(module.scopes.owner(function.name, module.scopes.scope[function]))
    return sum(use.kind == "load" for use in uses) <= 1


def _ignores_line_end(module: Module, call: ast.Call) -> bool:
    """What is done with the line does not depend on the line end."""
    parent = module.scopes.parent[call]
    match parent:
        case ast.Expr():
            return True
        case ast.Call(func=func, args=[argument], keywords=[]) if argument is call:
            return module.scopes.is_builtin(func, *NUMBERS)
        case ast.Attribute(attr=name):
            match module.scopes.parent[parent]:
                case ast.Call(func=func, args=[], keywords=[]) if func is parent:
                    return name in STRIPS
    return False


def _cut(module: Module, call: ast.Call) -> Edit:
    end = module.span(call)[1]
    return Edit(end, end, '.rstrip("\\n")')


RULE = Rule(
    name="stdin_readline",
    reason="input() checks for a terminal and flushes the output on each call: read lines with sys.stdin.readline.",
    before="""\
n = int(input())
rows = [list(map(int, input().split())) for _ in range(n)]
name = input()
print(sum(map(sum, rows)), name)
""",
    after="""\
import sys

input = sys.stdin.readline

n = int(input())
rows = [list(map(int, input().split())) for _ in range(n)]
name = input().rstrip("\\n")
print(sum(map(sum, rows)), name)
""",
    limits=(
        "Refused when `input` is rebound, passed on or given a prompt, when the end of the input could be caught "
        "(EOFError, ValueError, Exception, a bare except), when sys.stdin is replaced, with flush (an interactive "
        "program) or a sudden end like os._exit, and in `while True` unless the line has to be a number. A program "
        "that reads past the end of its input gets '' instead of EOFError."
    ),
    rewrite=rewrite,
    scripts_only=True,
)
