"""`x in [1, 2, 3, 4]` in a loop: a set of constants is made once, and asked at once."""

from __future__ import annotations

import ast

from codeopt.rules import Context, Edits, as_diff, rule

MIN_ELEMENTS = 4
"""Fewest elements; with fewer a tuple is as fast."""

EXAMPLE = as_diff("""\
  vowels = 0
  for letter in "mississippi":
-     if letter in ["a", "e", "i", "o", "u"]:
+     if letter in {"a", "e", "i", "o", "u"}:
          vowels += 1
  print(vowels)
""")


@rule(ast.Compare, example=EXAMPLE, where="hot loop")
def literal_membership(node: ast.Compare, ctx: Context) -> Edits:
    """`in` compares with one element of a list after the other; a set of constants answers at once.

    Four or more constants, asked for numbers, text, None and tuples of them; nothing else could be hashed.
    """
    program = ctx.program
    match node:
        case ast.Compare(left, [ast.In() | ast.NotIn()], [ast.List(elts) | ast.Tuple(elts) as values]):
            constants = all(isinstance(e, ast.Constant) and isinstance(e.value, int | str | bytes | None) for e in elts)
            if constants and len(elts) >= MIN_ELEMENTS and program.types.is_hashable(left):
                yield program.replace(values, "{" + program.source(values)[1:-1] + "}")
