"""`x in [1, 2, 3, 4]` in a loop: a set of constants is made once, and asked at once."""

from __future__ import annotations

import ast

from codeopt.rules import Hot, Rule
from codeopt.rules._hoist import hashable
from codeopt.rules._module import Edit, parse
from codeopt.rules._plain import in_loop
from codeopt.rules._types import Types, types_of

LEAST = 4
"""Elements; with fewer a tuple is as fast."""


def rewrite(text: str, hot: Hot) -> str | None:
    """Write a set where only `in` looks at a list or tuple of constants."""
    module = parse(text)
    if module is None:
        return None
    types = types_of(module)
    edits: list[Edit] = []
    for node in module.walk():
        match node:
            case ast.Compare(left, [ast.In() | ast.NotIn()], [ast.List() | ast.Tuple() as values]):
                if hot.touches(node.lineno, node.lineno) and in_loop(module, node) and _fits(types, left, values):
                    edits.append(module.replace(values, "{" + module.source(values)[1:-1] + "}"))
    return module.edited(edits)


def _fits(types: Types, left: ast.expr, values: ast.List | ast.Tuple) -> bool:
    constants = all(isinstance(v, ast.Constant) and isinstance(v.value, int | str | bytes | None) for v in values.elts)
    return constants and len(values.elts) >= LEAST and hashable(types.of(left))


RULE = Rule(
    name="literal_membership",
    reason="`in` compares with one element of a list after the other; a set of constants answers at once.",
    before="""\
vowels = 0
for letter in "mississippi":
    if letter in ["a", "e", "i", "o", "u"]:
        vowels += 1
print(vowels)
""",
    after="""\
vowels = 0
for letter in "mississippi":
    if letter in {"a", "e", "i", "o", "u"}:
        vowels += 1
print(vowels)
""",
    limits="Four or more constants, asked for numbers, text, None and tuples of them; nothing else could be hashed.",
    rewrite=rewrite,
)
