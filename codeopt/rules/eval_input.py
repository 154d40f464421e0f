"""eval(input()) to int(input()): a left-over of Python 2 that compiles a program for each line of input."""

from __future__ import annotations

import ast

from codeopt.rules import Hot, Rule
from codeopt.rules._module import Edit, Module, parse, reads_line
from codeopt.rules._scopes import Variable


def rewrite(text: str, hot: Hot) -> str | None:
    """Take eval() out of int(eval(LINE)) and float(eval(LINE)), and write int for it where it stands alone."""
    module = parse(text)
    if module is None:
        return None
    edits: list[Edit] = []
    for use in module.scopes.all_uses(Variable(None, "eval")):
        call = module.scopes.parent[use.node]
        if isinstance(call, ast.Call) and call.func is use.node and hot.touches(call.lineno, call.lineno):
            edits += _edits(module, call)
    return module.edited(edits)


def _edits(module: Module, call: ast.Call) -> list[Edit]:
    if len(call.args) != 1 or not reads_line(call.args[0]):
        return []
    parent = module.scopes.parent[call]
    match parent:
        case ast.Call(func=func, args=[argument], keywords=[]) if argument is call:
            if module.scopes.is_builtin(func, "int", "float", "str"):
                return [] if module.source(func) == "str" else [module.replace(call, module.source(call.args[0]))]
        case ast.Expr():
            return [module.replace(call, module.source(call.args[0]))]
        case ast.Assign(targets=[ast.Tuple() | ast.List()]) | ast.For():
            return []  # several values in one line
    return [module.replace(call.func, "int")] if not module.scopes.uses.get(Variable(module.tree, "int")) else []


RULE = Rule(
    name="eval_input",
    reason="eval() compiles a program for every line that it reads; int() only reads a number.",
    before="""\
n = int(eval(input()))
values = [eval(input()) for _ in range(n)]
print(sum(values))
""",
    after="""\
n = int(input())
values = [int(input()) for _ in range(n)]
print(sum(values))
""",
    limits=(
        "Only the same when each such line holds a plain whole number (a plain number inside float()); the test "
        "cases decide. Lines unpacked into several names are left alone."
    ),
    rewrite=rewrite,
    scripts_only=True,
    by_tests=True,
)
