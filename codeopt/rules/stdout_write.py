"""print() in a loop to sys.stdout.write: the same text in one call instead of two, without looking up options."""

from __future__ import annotations

import ast
import re

from codeopt.rules import AnalyzedProgram, Context, Edit, Variable, as_diff, bind_stream, rule, spans_lines

REPLACED = frozenset({"redirect_stdout", "StringIO", "fdopen", "reconfigure", "detach"})
"""A program that uses one of these may print to something else than the stdout it started with."""


TIGHT = ast.Name | ast.Constant | ast.Call | ast.Subscript | ast.Attribute | ast.JoinedStr
"""Nodes that need no parentheses in front of `+ "text"`."""
_LITERAL = re.compile(r"""(?P<f>[fF]?)(?P<quote>['"])(?:(?!(?P=quote))[^\\\n]|\\.)*(?P=quote)""")

EXAMPLE = as_diff("""\
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


@rule(ast.Module, priority=30, scripts_only=True, example=EXAMPLE)
def stdout_write(_: ast.Module, ctx: Context) -> list[Edit]:
    """print() handles options and writes the line end separately on each call: write whole lines to sys.stdout.

    Statements in loops that print numbers, text or None, with no option but a constant end or sep. Refused when print
    is rebound or sys.stdout may be replaced.
    """
    program = ctx.program
    name = program.fresh("write", "write_out")
    hidden = any(program.scopes.star_hides(needed) for needed in ("print", "sys", name))
    if hidden or REPLACED & program.words or program.stores_attribute("stdout"):
        return []
    edits: list[Edit] = []
    worth = False
    for use in program.scopes.all_uses(Variable(None, "print")):
        call = program.scopes.parent[use.node]
        if isinstance(call, ast.Call) and call.func is use.node and program.loops.run_again(call, functions=False):
            written = _written(program, call)
            if written is not None:
                edits.append(program.replace(call, f"{name}({written})"))
                worth = worth or ctx.is_hot(call)
    return [bind_stream(program, name, "stdout.write"), *edits] if worth else []


def _written(program: AnalyzedProgram, call: ast.Call) -> str | None:
    """The text that the call writes, as an expression; None when it is not known, or not a statement of its own."""
    if not isinstance(program.scopes.parent[call], ast.Expr) or spans_lines(call):
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


def _fits(program: AnalyzedProgram, node: ast.expr) -> bool:
    """Whether a node can be in an f-string of Python 3.11: no quotes, backslashes, braces, lambdas or walruses."""
    source = program.source(node)
    return not set("\"\\{}!:=#'") & set(source) and not isinstance(node, ast.Starred)


def _escaped(text: str) -> str:
    return _quoted(text)[1:-1].replace("{", "{{").replace("}", "}}")


def _quoted(text: str) -> str:
    written = repr(text)
    inner = written[1:-1]
    return f'"{inner}"' if written[0] == '"' else '"' + inner.replace("\\'", "'").replace('"', '\\"') + '"'
