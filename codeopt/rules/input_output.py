"""Rules for programs that read standard input and print: eval(input()), input() and print() in loops."""

from __future__ import annotations

import ast
import re

from codeopt import rules

EVAL_INPUT = rules.as_diff("""\
- n = int(eval(input()))
- values = [eval(input()) for _ in range(n)]
+ n = int(input())
+ values = [int(input()) for _ in range(n)]
  print(sum(values))
""")


@rules.rule(ast.Call, priority=40, safety="unsafe", scripts_only=True, example=EVAL_INPUT)
def eval_input(call: ast.Call, ctx: rules.Context) -> list[rules.Edit]:
    """eval() compiles a program for every line that it reads; int() only reads a number.

    Only the same when each such line holds a plain whole number (a plain number inside float()); the test cases
    decide. Lines unpacked into several names are left alone.
    """
    program = ctx.program
    evaluates = isinstance(call.func, ast.Name) and program.scopes.variable(call.func) == rules.Variable(None, "eval")
    if not evaluates or len(call.args) != 1 or not rules.reads_line(call.args[0]):
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
    rebound = program.scopes.uses.get(rules.Variable(program.tree, "int"))
    return [] if rebound else [program.replace(call.func, "int")]


# input() in a loop to sys.stdin.readline: the same lines without the flushes and checks of input().


CATCHES = frozenset({"EOFError", "Exception", "BaseException", "ValueError"})
"""Exceptions that would show the end of the input: readline returns '' where input() raises EOFError, and int('')
ValueError."""

FLUSHED = frozenset({"flush", "_exit", "abort", "kill", "fork", "system", "popen", "spawn", "posix_spawn"})
"""A program with one of these words may need what input() flushes: for somebody who waits, or as it ends suddenly."""

STDIN_READLINE = rules.as_diff("""\
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


@rules.rule(ast.Module, priority=20, scripts_only=True, example=STDIN_READLINE)
def stdin_readline(_: ast.Module, ctx: rules.Context) -> rules.Edits:
    """input() checks for a terminal and flushes the output on each call: read lines with sys.stdin.readline.

    Refused when `input` is rebound, passed on or given a prompt, when the end of the input could be caught (EOFError,
    ValueError, Exception, a bare except), when sys.stdin is replaced, with flush (an interactive program) or a sudden
    end like os._exit, and in `while True` unless the line has to be a number. A program that reads past the end of
    its input gets '' instead of EOFError.
    """
    program = ctx.program
    calls = rules.bare_calls(program, rules.Variable(None, "input"))
    hidden = program.scopes.star_hides("input") or program.scopes.star_hides("sys")
    if FLUSHED & program.words or calls is None or hidden:
        return []
    names = {node.id for node in program.of_kind(ast.Name)} | {node.attr for node in program.of_kind(ast.Attribute)}
    notices_the_end = program.catches(*CATCHES) or bool(names & {"suppress", "subprocess", "iter_except"})
    if notices_the_end or program.stores_attribute("stdin") or any(_endless(program, call) for call in calls):
        return []
    if not any(not program.loops.runs_once(call) and ctx.is_hot(call) for call in calls):
        return []
    cuts = [program.behind(call, '.rstrip("\\n")') for call in calls if not rules.ignores_line_end(program, call)]
    return [rules.bind_stream(program, "input", "stdin.readline"), *cuts]


def _endless(program: rules.AnalyzedProgram, call: ast.Call) -> bool:
    """Whether a `while True` loop might never end: behind the end of the input readline gives empty lines, which only
    a conversion to a number refuses."""
    parents = list(program.scopes.parents(call))
    loop = next((p for p in parents if isinstance(p, ast.While | ast.FunctionDef | ast.Lambda)), None)
    if not isinstance(loop, ast.While) or not isinstance(loop.test, ast.Constant):
        return False
    inside = parents[: parents.index(loop)]
    unpacked = any(isinstance(p, ast.Assign) and isinstance(p.targets[0], ast.Tuple | ast.List) for p in inside)
    return not unpacked and not program.calls_builtin(parents[0], *rules.PARSERS)


# print() in a loop to sys.stdout.write: the same text in one call instead of two, without looking up options.


REPLACED = frozenset({"redirect_stdout", "StringIO", "fdopen", "reconfigure", "detach"})
"""A program that uses one of these may print to something else than the stdout it started with."""


TIGHT = ast.Name | ast.Constant | ast.Call | ast.Subscript | ast.Attribute | ast.JoinedStr
"""Nodes that need no parentheses in front of `+ "text"`."""
_LITERAL = re.compile(r"""(?P<f>[fF]?)(?P<quote>['"])(?:(?!(?P=quote))[^\\\n]|\\.)*(?P=quote)""")

STDOUT_WRITE = rules.as_diff("""\
+ import sys
+
+ write = sys.stdout.write
+
  total = 0
  for i in range(4):
      total += i
-     print(total)
-     print(i, total / 2, sep=",")
+     write(f"{total}\\n")
+     write(f"{i},{total / 2}\\n")
""")


@rules.rule(ast.Module, priority=30, scripts_only=True, example=STDOUT_WRITE)
def stdout_write(_: ast.Module, ctx: rules.Context) -> list[rules.Edit]:
    """print() handles options and writes the line end separately on each call: write whole lines to sys.stdout.

    Statements in loops that print numbers, text or None, with no option but a constant end or sep. Refused when print
    is rebound or sys.stdout may be replaced.
    """
    program = ctx.program
    name = program.fresh("write", "write_out")
    hidden = any(program.scopes.star_hides(needed) for needed in ("print", "sys", name))
    if hidden or REPLACED & program.words or program.stores_attribute("stdout"):
        return []
    edits: list[rules.Edit] = []
    worth = False
    for use in program.scopes.all_uses(rules.Variable(None, "print")):
        call = program.scopes.parent[use.node]
        if isinstance(call, ast.Call) and call.func is use.node and program.loops.run_again(call, functions=False):
            written = _written(program, call)
            if written is not None:
                edits.append(program.replace(call, f"{name}({written})"))
                worth = worth or ctx.is_hot(call)
    return [rules.bind_stream(program, name, "stdout.write"), *edits] if worth else []


def _written(program: rules.AnalyzedProgram, call: ast.Call) -> str | None:
    """The text that the call writes, as an expression; None when it is not known, or not a statement of its own."""
    if not isinstance(program.scopes.parent[call], ast.Expr) or rules.spans_lines(call):
        return None
    options = {keyword.arg: getattr(keyword.value, "value", None) for keyword in call.keywords}
    end, sep = options.get("end", "\n"), options.get("sep", " ")
    constant = all(isinstance(keyword.value, ast.Constant) for keyword in call.keywords)
    if not constant or not options.keys() <= {"end", "sep"} or not isinstance(end, str) or not isinstance(sep, str):
        return None
    if len(call.args) == 1 and program.types.is_text(call.args[0]):
        value = program.source(call.args[0])
        if not end or (longer := _literal_with(value, end)):
            return longer if end else value
        return f"{value} + {_quoted(end)}" if isinstance(call.args[0], TIGHT) else None
    if not call.args or not program.types.is_scalar(*call.args):
        return None
    known = [_known_text(argument) for argument in call.args]
    if None not in known:
        return _quoted(sep.join(map(str, known)) + end)
    if not all(_fits(program, a) for a, text in zip(call.args, known, strict=True) if text is None):
        return None
    pairs = zip(call.args, known, strict=True)
    parts = ["{" + program.source(a) + "}" if text is None else _escaped(text) for a, text in pairs]
    return 'f"' + _escaped(sep).join(parts) + _escaped(end) + '"'


def _known_text(node: ast.expr) -> str | None:
    """The text that print() makes of a constant."""
    match node:
        case ast.Constant() | ast.UnaryOp(ast.USub(), ast.Constant(int() | float())):
            return str(ast.literal_eval(node))
    return None


def _literal_with(literal: str, end: str) -> str:
    """The source of a string in one pair of quotes, with a text at its end; empty when it is something else."""
    found = _LITERAL.fullmatch(literal)
    if not found or found["quote"] in end:
        return ""
    inside = _escaped(end) if found["f"] else _quoted(end)[1:-1]
    return literal[:-1] + inside + found["quote"]


def _fits(program: rules.AnalyzedProgram, node: ast.expr) -> bool:
    """Whether a node can be in an f-string of Python 3.11: no quotes, backslashes, braces, lambdas or walruses."""
    source = program.source(node)
    return not set("\"\\{}!:=#'") & set(source) and not isinstance(node, ast.Starred)


def _escaped(text: str) -> str:
    return _quoted(text)[1:-1].replace("{", "{{").replace("}", "}}")


def _quoted(text: str) -> str:
    written = repr(text)
    inner = written[1:-1]
    return f'"{inner}"' if written[0] == '"' else '"' + inner.replace("\\'", "'").replace('"', '\\"') + '"'
