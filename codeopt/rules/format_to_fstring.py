"""`"{} of {}".format(a, b)` to an f-string, which is put together without a call."""

from __future__ import annotations

import ast
import string

from codeopt.rules import AnalyzedProgram, Context, Edit, as_diff, rule, spans_lines

EXAMPLE = as_diff("""\
  for size in range(3):
-     print("{} of {:>4}".format(size, size * 2), "<{name}>".format(name=size))
+     print(f"{size} of {size * 2:>4}", f"<{size}>")
""")
PARTS = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.BinOp, ast.operator, ast.expr_context, ast.Call)


@rule(ast.Call, example=EXAMPLE, where="hot loop", safety="unsafe")
def format_to_fstring(node: ast.Call, ctx: Context) -> list[Edit]:
    """format() parses its text in each call: an f-string is taken apart once, when the module is compiled.

    A text that is written down, whose fields are plain names or numbers, each argument used once and in its order,
    without quotes, backslashes or braces of its own.
    """
    program = ctx.program
    match node:
        case ast.Call(ast.Attribute(ast.Constant(str(text)) as literal, "format"), arguments, keywords):
            written = program.source(literal)
            plain = written == f'"{text}"' or written == f"'{text}'"
            starred = any(isinstance(each, ast.Starred) for each in arguments) or any(k.arg is None for k in keywords)
            if not plain or starred or spans_lines(node) or program.in_f_string(node):
                return []
            given: dict[str, ast.expr] = {str(i): each for i, each in enumerate(arguments)}
            given |= {str(each.arg): each.value for each in keywords}
            new = _f_string(program, text, given)
            return [program.replace(node, f"f{written[0]}{new}{written[0]}")] if new else []
    return []


def _f_string(program: AnalyzedProgram, text: str, given: dict[str, ast.expr]) -> str:
    """The inside of the f-string; empty where the fields are not that plain."""
    parts: list[str] = []
    used: list[str] = []
    try:
        fields = list(string.Formatter().parse(text))
    except ValueError:
        return ""
    for before, name, spec, conversion in fields:
        parts.append(before.replace("{", "{{").replace("}", "}}"))
        if name is None:
            continue
        key = name or str(len(used))
        if key not in given or "{" in (spec or ""):
            return ""
        value = program.source(given[key])
        if any(letter in value for letter in "\"'\\{}!:#\n") or not program.is_made_of(given[key], PARTS):
            return ""
        used.append(key)
        parts.append("{" + value + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "") + "}")
    return "".join(parts) if used == list(given) else ""
