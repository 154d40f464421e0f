"""for line in sys.stdin.readlines() to for line in sys.stdin: one line at a time, never all of the input."""

from __future__ import annotations

import ast

from codeopt.rules import AnalyzedProgram, Context, Edit, Variable, as_diff, rule

OTHER_WAYS = frozenset(
    {"open", "fileinput", "os", "io", "subprocess", "eval", "exec", "__stdin__", "StopIteration", "signal", "flush"}
)
"""A program with one of these words may read its input elsewhere, or talk with somebody who waits for an answer."""
LEAVES = (ast.Break, ast.Return, ast.Yield, ast.YieldFrom, ast.Await)
REDUCES = ("sum", "min", "max")
WRAPS = ("map", "enumerate")

EXAMPLE = as_diff("""\
  import sys

  total = 0
- for number in map(int, sys.stdin.read().split()):
+ for number in map(int, (word for line in sys.stdin for word in line.split())):
      total += number
  print(total)
""")


@rule(ast.Call, example=EXAMPLE, aim="memory", scripts_only=True)
def stream_input(node: ast.Call, ctx: Context) -> list[Edit]:
    """All of the input is kept although it is gone through once: read a line at a time.

    `sys.stdin.readlines()` and `sys.stdin.read().split()` that a loop or a reduction goes through once and to its end,
    in a program that reads its input nowhere else and catches nothing. Input that is no text makes it fail later.
    """
    program = ctx.program
    lines = _reads(program, node, "readlines")
    match node:
        case ast.Call(ast.Attribute(ast.Call() as inner, "split"), [], []) if _reads(program, inner, "read"):
            lines = False
        case _ if not lines:
            return []
    if not _only_reader(program) or not program.loops.runs_once(node) or not _gone_through(program, node):
        return []
    if lines:
        return [program.replace(node, "sys.stdin")]
    word, line = ctx.new_name("word"), ctx.new_name("line")
    return [program.replace(node, f"({word} for {line} in sys.stdin for {word} in {line}.split())")]


def _reads(program: AnalyzedProgram, node: ast.Call, how: str) -> bool:
    """`sys.stdin.readlines()`, where `sys` is the module."""
    match node:
        case ast.Call(ast.Attribute(ast.Attribute(ast.Name("sys"), "stdin")) as method, [], []):
            return program.types.of(method) == {f"@sys.stdin.{how}"}
    return False


def _only_reader(program: AnalyzedProgram) -> bool:
    """Whether the program asks for the stdin of `sys` in this one place, and nobody sees how it fails."""
    if OTHER_WAYS & program.words or program.scopes.star_hides("sys") or program.nodes(ast.Try, ast.With):
        return False
    uses = program.scopes.all_uses(Variable(None, "input"))
    stdin = [node for node in program.of_kind(ast.Attribute) if node.attr == "stdin"]
    others = [node for node in program.of_kind(ast.ImportFrom) if node.module == "sys"]
    return not uses and len(stdin) == 1 and not others and "getattr" not in program.words


def _gone_through(program: AnalyzedProgram, node: ast.expr) -> bool:
    """Whether a loop that nothing leaves, a comprehension or a reduction goes through the lines, perhaps by map() or
    enumerate()."""
    parent = program.scopes.parent[node]
    match parent:
        case ast.Call(args=[*_, argument]) if argument is node and program.calls_builtin(parent, *WRAPS):
            return len(parent.args) <= 2 and _gone_through(program, parent)
        case ast.For(iter=iterated, orelse=[]) if iterated is node:
            return not program.has(parent, *LEAVES)
        case ast.comprehension(iter=iterated):
            made = program.scopes.parent[parent]
            first = isinstance(made, ast.ListComp | ast.SetComp | ast.DictComp) and made.generators[0] is parent
            return iterated is node and first
        case ast.Call(args=[argument]) if argument is node:
            return program.calls_builtin(parent, *REDUCES)
    return False
