"""input() in a loop to sys.stdin.readline: the same lines without the flushes and checks of input()."""

from __future__ import annotations

import ast

from codeopt.rules import (
    PARSERS,
    AnalyzedProgram,
    Context,
    Edits,
    Variable,
    as_diff,
    bare_calls,
    bind_stream,
    ignores_line_end,
    rule,
)

CATCHES = frozenset({"EOFError", "Exception", "BaseException", "ValueError"})
"""Exceptions that would show the end of the input: readline returns '' where input() raises EOFError, and int('')
ValueError."""

FLUSHED = frozenset({"flush", "_exit", "abort", "kill", "fork", "system", "popen", "spawn", "posix_spawn"})
"""A program with one of these words may need what input() flushes: for somebody who waits, or as it ends suddenly."""

EXAMPLE = as_diff("""\
+ import sys
+
+ input = sys.stdin.readline
+
  n = int(input())
  rows = [list(map(int, input().split())) for _ in range(n)]
- name = input()
+ name = input().rstrip("\\n")
  print(sum(map(sum, rows)), name)
""")


@rule(ast.Module, priority=20, scripts_only=True, example=EXAMPLE)
def stdin_readline(_: ast.Module, ctx: Context) -> Edits:
    """input() checks for a terminal and flushes the output on each call: read lines with sys.stdin.readline.

    Refused when `input` is rebound, passed on or given a prompt, when the end of the input could be caught (EOFError,
    ValueError, Exception, a bare except), when sys.stdin is replaced, with flush (an interactive program) or a sudden
    end like os._exit, and in `while True` unless the line has to be a number. A program that reads past the end of
    its input gets '' instead of EOFError.
    """
    program = ctx.program
    calls = bare_calls(program, Variable(None, "input"))
    hidden = program.scopes.star_hides("input") or program.scopes.star_hides("sys")
    if FLUSHED & program.words or calls is None or hidden:
        return []
    if _notices_the_end(program) or program.stores_attribute("stdin") or any(_endless(program, call) for call in calls):
        return []
    if not any(not program.loops.runs_once(call) and ctx.is_hot(call) for call in calls):
        return []
    cuts = [program.behind(call, '.rstrip("\\n")') for call in calls if not ignores_line_end(program, call)]
    return [bind_stream(program, "input", "stdin.readline"), *cuts]


def _notices_the_end(program: AnalyzedProgram) -> bool:
    names = {node.id for node in program.of_kind(ast.Name)} | {node.attr for node in program.of_kind(ast.Attribute)}
    return program.catches(*CATCHES) or bool(names & {"suppress", "subprocess", "iter_except"})


def _endless(program: AnalyzedProgram, call: ast.Call) -> bool:
    """Whether a `while True` loop might never end: behind the end of the input readline gives empty lines, which only
    a conversion to a number refuses."""
    parents = list(program.scopes.parents(call))
    loop = next((p for p in parents if isinstance(p, ast.While | ast.FunctionDef | ast.Lambda)), None)
    if not isinstance(loop, ast.While) or not isinstance(loop.test, ast.Constant):
        return False
    inside = parents[: parents.index(loop)]
    unpacked = any(isinstance(p, ast.Assign) and isinstance(p.targets[0], ast.Tuple | ast.List) for p in inside)
    return not unpacked and not program.calls_builtin(parents[0], *PARSERS)
