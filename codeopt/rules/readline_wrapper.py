"""`input = lambda: sys.stdin.readline().rstrip()` to `input = sys.stdin.readline`, without a function around it."""

from __future__ import annotations

import ast

from codeopt.rules import AnalyzedProgram, Context, Edits, as_diff, bare_calls, ignores_line_end, rule

EXAMPLE = as_diff("""\
  import sys

- input = lambda: sys.stdin.readline().rstrip()
+ input = sys.stdin.readline
  n = int(input())
  rows = [input().split() for _ in range(n)]
- print(rows, input())
+ print(rows, input().rstrip())
""")


@rule(ast.Assign, ast.FunctionDef, example=EXAMPLE, where="anywhere", scripts_only=True)
def readline_wrapper(node: ast.Assign | ast.FunctionDef, ctx: Context) -> Edits:
    """A function around readline() costs a call for each line: call readline() itself.

    Functions of one expression, readline() with the line end cut off, that are only ever called. Where what is done
    with the line does not ignore its end, the end is cut off there. Refused when sys.stdin is replaced.
    """
    program = ctx.program
    match node:
        case ast.Assign([ast.Name(name)], ast.Lambda(given, line) as function):
            binding = ""
        case ast.FunctionDef(name, given, [ast.Return(ast.expr() as line) as function], [], None):
            binding = f"{name} = "
        case _:
            return []
    read, cut = _read_and_cut(program, line)
    calls = bare_calls(program, program.scopes.owner(name, program.scopes.scope[node]))
    if not read or calls is None or any(vars(given).values()):
        return []
    if not program.alone(node) or program.stores_attribute("stdin"):
        return []
    if not any(program.loops.run_again(call) and ctx.is_hot(call) for call in calls):
        return []
    cuts = [program.behind(call, cut) for call in calls if not _ignores(program, call, cut)]
    return [program.replace(node if binding else function, binding + read), *cuts]


def _read_and_cut(program: AnalyzedProgram, line: ast.expr) -> tuple[str, str]:
    """The call that reads a line, and the text behind it that cuts the end off; empty for other expressions."""
    match line:
        case ast.Call(ast.Attribute(ast.Call(read, [], []) as whole, "rstrip" | "strip"), ends, []):
            white = all(isinstance(end, ast.Constant) and not str(end.value).strip() for end in ends)
            if white and program.types.of(read) == {"@sys.stdin.readline"}:
                return program.source(read), program.text[program.span(whole)[1] : program.span(line)[1]]
    return "", ""


def _ignores(program: AnalyzedProgram, call: ast.Call, cut: str) -> bool:
    """Whether the program does the same with the line whether or not strip() or rstrip() cuts it."""
    only_right = program.text.startswith(".rstrip", program.span(call)[1])
    return ignores_line_end(program, call) and not (only_right and "rstrip" not in cut)
