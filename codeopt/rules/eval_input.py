"""eval(input()) to int(input()): a left-over of Python 2 that compiles a program for each line of input."""

from __future__ import annotations

import ast

from codeopt.rules import Context, Edit, Variable, as_diff, reads_line, rule

EXAMPLE = as_diff("""\
- n = int(eval(input()))
- values = [eval(input()) for _ in range(n)]
+ n = int(input())
+ values = [int(input()) for _ in range(n)]
  print(sum(values))
""")


@rule(ast.Call, priority=40, safety="unsafe", scripts_only=True, example=EXAMPLE)
def eval_input(call: ast.Call, ctx: Context) -> list[Edit]:
    """eval() compiles a program for every line that it reads; int() only reads a number.

    Only the same when each such line holds a plain whole number (a plain number inside float()); the test cases
    decide. Lines unpacked into several names are left alone.
    """
    program = ctx.program
    evaluates = isinstance(call.func, ast.Name) and program.scopes.variable(call.func) == Variable(None, "eval")
    if not evaluates or len(call.args) != 1 or not reads_line(call.args[0]):
        return []
    parent = program.scopes.parent[call]
    match parent:
        case ast.Call(func=func, args=[argument], keywords=[]) if argument is call:
            if program.scopes.is_builtin(func, "int", "float", "str"):
                text = program.source(func) == "str"
                return [] if text else [program.replace(call, program.source(call.args[0]))]
        case ast.Expr():
            return [program.replace(call, program.source(call.args[0]))]
        case ast.Assign(targets=[ast.Tuple() | ast.List()]) | ast.For():
            return []  # several values in one line
    return [program.replace(call.func, "int")] if not program.scopes.uses.get(Variable(program.tree, "int")) else []
