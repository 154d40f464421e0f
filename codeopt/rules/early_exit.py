"""A loop that only sets a flag: leave it when the flag is set."""

from __future__ import annotations

import ast

from codeopt.rules import Hot, Rule
from codeopt.rules._bounds import loops_around
from codeopt.rules._hot import hot_nodes
from codeopt.rules._module import Edit, Module, parse
from codeopt.rules._never import cannot_fail
from codeopt.rules._plain import names_in
from codeopt.rules._scopes import Variable
from codeopt.rules._types import Types, types_of

KINDS = ("list", "tuple", "set", "dict", "deque")


def rewrite(text: str, hot: Hot) -> str | None:
    """Add a break after the constants are set."""
    module = parse(text)
    if module is None:
        return None
    types = types_of(module)
    edits = [edit for loop in hot_nodes(module, hot, ast.For) for edit in _edits(module, types, loop)]
    return module.edited(edits)


def _edits(module: Module, types: Types, loop: ast.For) -> list[Edit]:
    match loop.body:
        case [ast.If(test, [*settings], [])] if not loop.orelse and all(_sets_constant(module, s) for s in settings):
            flags = names_in(settings)
            last = settings[-1]
            if flags & names_in([test, loop.target, loop.iter]):
                return []
            if not all(_not_read_after(module, loop, name) for name in names_in([loop.target])):
                return []
            if not _whole(module, types, loop.iter) or not cannot_fail(module, types, test, loop):
                return []
            at = module.text.find("\n", module.span(last)[1])
            at = at + 1 if at >= 0 else len(module.text)
            start = "" if module.text[:at].endswith("\n") else module.newline
            return [Edit(at, at, f"{start}{module.margin(last)}break{module.newline}")]
    return []


def _sets_constant(module: Module, statement: ast.stmt) -> bool:
    match statement:
        case ast.Assign([ast.Name()], ast.Constant()):
            return module.alone(statement)
    return False


def _whole(module: Module, types: Types, source: ast.expr) -> bool:
    """Iterating over a part of it only leaves no trace: no file, generator or iterator."""
    if isinstance(source, ast.Call) and module.scopes.is_builtin(source.func, "range"):
        return True
    return types.is_text(source) or bool(types.containers(source, *KINDS))


def _not_read_after(module: Module, loop: ast.For, name: str) -> bool:
    """Every use of the loop's variable elsewhere is in another loop that binds it."""
    variable = Variable(module.scopes.scope[loop], name)
    for use in module.scopes.all_uses(variable):
        if use.kind != "load" or module.holds(loop, use.node):
            continue
        others = [o for o in loops_around(module, use.node) if isinstance(o, ast.For) and not module.holds(o, loop)]
        if use.scope is not variable.scope or not any(name in names_in([other.target]) for other in others):
            return False
    return True


RULE = Rule(
    name="early_exit",
    reason="Once the flag is set nothing else can happen in this loop: leave it.",
    before="""\
found = False
for number in [3, 8, 5]:
    if number % 2 == 0:
        found = True  # even
print(found)
""",
    after="""\
found = False
for number in [3, 8, 5]:
    if number % 2 == 0:
        found = True  # even
        break
print(found)
""",
    limits=(
        "Loops over ranges, text and containers whose whole body sets names to constants under one condition without "
        "effects that does not read them and cannot fail, on no element: comparisons and arithmetic of known types, "
        "elements of a sequence by the counter of range(len(sequence)). The loop's variable is not read afterwards."
    ),
    rewrite=rewrite,
)
