"""min() and max() of a few values to comparisons: a call costs ten comparisons."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from codeopt.rules import Hot, Rule
from codeopt.rules._module import Edit, Module, last_line, parse
from codeopt.rules._plain import (
    builtin_call,
    in_loop,
    is_cheap,
    is_plain,
    is_simple,
    names_in,
    only_stored_in,
)
from codeopt.rules._types import types_of
from codeopt.rules._values import INT

SIGN = {"min": "<", "max": ">"}
CHANGING = ast.Call | ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom


def rewrite(text: str, hot: Hot) -> str | None:
    """Assignments of a minimum or maximum become ifs, other calls with cheap arguments conditional expressions."""
    module = parse(text)
    if module is None:
        return None
    edits: list[Edit] = []
    for node in module.walk():
        if isinstance(node, ast.Call) and _is_candidate(module, node) and hot.touches(node.lineno, last_line(node)):
            edits += _edits(module, node)
    return module.edited(edits)


def _is_candidate(module: Module, call: ast.Call) -> bool:
    if not builtin_call(module, call, "min", "max") or len(call.args) < 2 or call.lineno != last_line(call):
        return False
    nested = any(builtin_call(module, p, "min", "max") for p in module.scopes.parents(call))
    return not nested and in_loop(module, call)


def _edits(module: Module, call: ast.Call) -> list[Edit]:
    statement = module.scopes.parent[call]
    match statement:
        case ast.Assign(targets=[target]) if module.alone(statement) and not _in_class(module, statement):
            lines = _update(module, target, call) or _build(module, target, call)
            if lines:
                below = (module.newline + module.margin(statement)).join(lines)
                return [module.replace(statement, below)]
    if len(call.args) == 2 and all(is_cheap(module, argument) for argument in call.args):
        bare = isinstance(statement, ast.Assign | ast.Return | ast.Call | ast.AugAssign)
        expression = _conditional(module, call)
        return [module.replace(call, expression if bare else f"({expression})")]
    return []


def _conditional(module: Module, call: ast.Call) -> str:
    a, b = (module.source(argument) for argument in call.args)
    return f"{b} if {b} {_sign(call)} {a} else {a}"


def _update(module: Module, target: ast.expr, call: ast.Call) -> list[str] | None:
    """`x = min(x, ...)`: store only what is smaller. None when it is something else or might see a changed x."""
    place = module.source(target)
    at = [i for i, argument in enumerate(call.args) if module.source(argument) == place]
    others = [argument for i, argument in enumerate(call.args) if i not in at]
    if len(at) != 1 or not others or not is_plain(module, target) or at[0] > 1 or (at[0] == 1 and len(others) > 1):
        return None
    if isinstance(target, ast.Name):
        if _may_change(module, target, others) or target.id in names_in(others[1:]):
            return None
    elif len(others) > 1 or not is_plain(module, others[0]):
        return None
    lines = []
    for other in others:
        value = module.source(other)
        if not is_simple(other):
            lines.append(f"{_temporary(module)} = {value}")
            value = _temporary(module)
        ties_differ = at[0] == 1 and not all(types_of(module).of(one) == INT for one in [target, other])
        test = f"not {place} {_sign(call)} {value}" if ties_differ else f"{value} {_sign(call)} {place}"
        lines += [f"if {test}:", f"{module.indent}{place} = {value}"]
    return lines


def _build(module: Module, target: ast.expr, call: ast.Call) -> list[str] | None:
    """`x = min(a, b, ...)`: the first, then whatever is smaller. None when an argument might see x."""
    first, *others = call.args
    if isinstance(target, ast.Name):
        if target.id in names_in(others) or _may_change(module, target, others):
            return None
        return [f"{target.id} = {module.source(first)}", *_compared(module, target.id, call, others)]
    if len(others) != 1 or not is_plain(module, target) or not all(is_plain(module, a) for a in call.args):
        return None
    if all(is_cheap(module, argument) for argument in call.args):
        return None  # one conditional expression will do
    one, other = _temporary(module), module.fresh("other", "other_value", "rival")
    return [
        f"{one} = {module.source(first)}",
        f"{other} = {module.source(others[0])}",
        f"{module.source(target)} = {other} if {other} {_sign(call)} {one} else {one}",
    ]


def _compared(module: Module, name: str, call: ast.Call, others: Sequence[ast.expr]) -> list[str]:
    lines = []
    for other in others:
        value = module.source(other)
        if not is_simple(other):
            lines.append(f"{_temporary(module)} = {value}")
            value = _temporary(module)
        lines += [f"if {value} {_sign(call)} {name}:", f"{module.indent}{name} = {value}"]
    return lines


def _may_change(module: Module, target: ast.Name, others: Sequence[ast.expr]) -> bool:
    """A call in the other arguments could rebind the target."""
    calls = any(isinstance(part, CHANGING) for other in others for part in module.walk(other))
    return calls and not only_stored_in(module, target)


def _sign(call: ast.Call) -> str:
    assert isinstance(call.func, ast.Name)
    return SIGN[call.func.id]


def _temporary(module: Module) -> str:
    return module.fresh("candidate", "value", "option")


def _in_class(module: Module, statement: ast.stmt) -> bool:
    return isinstance(module.scopes.scope[statement], ast.ClassDef)


RULE = Rule(
    name="min_max_conditional",
    reason="A call of min() or max() costs about ten comparisons: compare directly.",
    before="""\
def best(values, limit):
    high = 0
    for i in range(len(values)):
        high = max(high, values[i] - i)  # the highest
        values[i] = min(values[i], limit)
    return min(high, limit)


print(best([3, 9, 4], 7))
""",
    after="""\
def best(values, limit):
    high = 0
    for i in range(len(values)):
        candidate = values[i] - i
        if candidate > high:
            high = candidate  # the highest
        if limit < values[i]:
            values[i] = limit
    return limit if limit < high else high


print(best([3, 9, 4], 7))
""",
    limits=(
        "Only positional arguments, at least two, without key and default. Arguments that would be evaluated twice "
        "have to be names, numbers or plain arithmetic and subscripts in a program whose classes do not redefine "
        "operators. Ties, NaN and mixed int and float give the same object as before; when both arguments fail, "
        "another one may fail first."
    ),
    rewrite=rewrite,
)
