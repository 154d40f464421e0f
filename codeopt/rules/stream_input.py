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
    lines = _reads(node, "readlines")
    match node:
        case ast.Call(ast.Attribute(ast.Call() as inner, "split"), [], []) if _reads(inner, "read"):
            lines = False
        case _ if not lines:
            return []
    if not _only_reader(program) or not program.loops.runs_once(node) or not _gone_through(program, node):
        return []
    if lines:
        return [program.replace(node, "sys.stdin")]
    word, line = ctx.new_name("word"), ctx.new_name("line")
    return [program.replace(node, f"({word} for {line} in sys.stdin for {word} in {line}.split())")]


def _reads(node: ast.expr, how: str) -> bool:
    """`sys.stdin.readlines()`."""
    match node:
        case ast.Call(ast.Attribute(ast.Attribute(ast.Name("sys"), "stdin"), name), [], []):
            return name == how
    return False


def _only_reader(program: AnalyzedProgram) -> bool:
    """`sys` is the module, its stdin is asked for in this one place, and nobody sees how the program fails."""
    if OTHER_WAYS & program.words or program.scopes.star_hides("sys") or program.nodes(ast.Try, ast.With):
        return False
    uses = program.scopes.all_uses(Variable(None, "input"))
    stdin = [node for node in program.of_kind(ast.Attribute) if node.attr == "stdin"]
    bound = [use for use in program.scopes.all_uses(Variable(program.tree, "sys")) if use.kind != "load"]
    return not uses and len(stdin) == 1 and len(bound) == 1 and _imports_sys(program) and "getattr" not in program.words


def _imports_sys(program: AnalyzedProgram) -> bool:
    plain = [n for n in program.tree.body if isinstance(n, ast.Import) and any(a.name == "sys" for a in n.names)]
    named = [alias for node in program.of_kind(ast.Import) for alias in node.names if alias.name == "sys"]
    others = [node for node in program.of_kind(ast.ImportFrom) if node.module == "sys"]
    return len(plain) == 1 and len(named) == 1 and named[0].asname is None and not others


def _gone_through(program: AnalyzedProgram, node: ast.expr) -> bool:
    """A loop that nothing leaves, a comprehension or a reduction goes through it, perhaps by map() or enumerate()."""
    parents = list(program.scopes.parents(node))
    child: ast.AST = node
    while parents and isinstance(parents[0], ast.Call) and program.calls_builtin(parents[0], *WRAPS):
        if parents[0].keywords or len(parents[0].args) > 2 or parents[0].args[-1] is not child:
            return False
        child = parents.pop(0)
    match parents[0]:
        case ast.For(iter=iterated, orelse=[]) as loop if iterated is child:
            return not program.has(loop, *LEAVES)
        case ast.comprehension(iter=iterated):
            made = parents[1]
            first = isinstance(made, ast.ListComp | ast.SetComp | ast.DictComp) and made.generators[0].iter is child
            return iterated is child and first
        case ast.Call(args=[argument], keywords=[]) as call if argument is child:
            return program.calls_builtin(call, *REDUCES)
    return False
