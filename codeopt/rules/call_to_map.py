"""`int(c) for c in digits` to `map(int, digits)`: the loop runs in C."""

from __future__ import annotations

import ast

from codeopt.rules import Hot, Rule
from codeopt.rules._module import Edit, Module, last_line, parse
from codeopt.rules._plain import builtin_call, rebound
from codeopt.rules._types import Types, types_of

FUNCTIONS = ("int", "float", "str", "abs", "len", "ord", "chr", "bool", "bin", "hex", "oct", "repr", "bytes")
LAZY = ("sum", "max", "min", "sorted", "list", "tuple", "set", "frozenset", "any", "all")
"""Builtins that take what comes and forget how it was made."""
EAGER = tuple(name for name in LAZY if name not in ("any", "all"))
"""Those that go through all of it, so that a list made before and a map fail alike."""
UNPACKED = ("map(int,", "map(float,")
"""Too many values to unpack and no number at all are both a ValueError."""


def rewrite(text: str, hot: Hot) -> str | None:
    """Replace such generators and lists."""
    module = parse(text)
    if module is None:
        return None
    types = types_of(module)
    edits: list[Edit] = []
    for node in module.walk():
        if isinstance(node, ast.GeneratorExp | ast.ListComp) and hot.touches(node.lineno, last_line(node)):
            inside = edits and module.span(node)[0] < edits[-1].end  # of one that is replaced already
            edits += _edits(module, types, node) if not inside else []
    return module.edited(edits)


def _edits(module: Module, types: Types, node: ast.GeneratorExp | ast.ListComp) -> list[Edit]:
    mapped = _mapped(module, node)
    if mapped is None or any(isinstance(p, ast.JoinedStr) for p in module.scopes.parents(node)):
        return []
    call = module.scopes.parent[node]
    takes = EAGER if isinstance(node, ast.ListComp) else LAZY
    if isinstance(call, ast.Call) and call.args == [node] and not call.keywords:
        joins = isinstance(call.func, ast.Attribute) and call.func.attr == "join" and types.is_text(call.func.value)
        if builtin_call(module, call, *takes) or (joins and isinstance(node, ast.GeneratorExp)):
            return [module.replace(call, f"{module.source(call.func)}({mapped})")]
    if (
        isinstance(call, ast.Assign)
        and isinstance(call.targets[0], ast.Tuple | ast.List)
        and mapped.startswith(UNPACKED)
    ):
        return [module.replace(node, mapped)] if isinstance(node, ast.ListComp) and len(call.targets) == 1 else []
    if isinstance(node, ast.ListComp) and not rebound(module, "list"):
        return [module.replace(node, f"list({mapped})")]
    return []


def _mapped(module: Module, node: ast.GeneratorExp | ast.ListComp) -> str | None:
    """`map(f, values)` for `f(x) for x in values`, when f, map and list are Python's own."""
    match node.elt, node.generators:
        case (
            ast.Call(ast.Name(function) as name, [ast.Name(argument)], []),
            [ast.comprehension(ast.Name(target), source, [], 0)],
        ) if argument == target and node.lineno == last_line(node):
            own = module.scopes.is_builtin(name, *FUNCTIONS) and not rebound(module, "map")
            if own and not isinstance(source, ast.NamedExpr | ast.Starred):
                return f"map({function}, {module.source(source)})"
    return None


RULE = Rule(
    name="call_to_map",
    reason="A comprehension that only calls a builtin runs Python code for each element: map() does it in C.",
    before="""\
total = 0
for number in range(30):
    digits = [int(c) for c in str(number)]
    total += max(digits) + sum(int(c) for c in str(number * 7))
print(total)
""",
    after="""\
total = 0
for number in range(30):
    digits = list(map(int, str(number)))
    total += max(digits) + sum(map(int, str(number * 7)))
print(total)
""",
    limits=(
        "int, float, str, abs, len, ord, chr, bool, bin, hex, oct, repr and bytes of the loop's variable alone, "
        "without a condition; generators only where a builtin or join uses them up at once. Refused where map is "
        "rebound, and list for lists."
    ),
    rewrite=rewrite,
)
