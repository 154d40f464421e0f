"""Calls that give the same in every round of a loop: call once, before it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from codeopt.rules import Hot, Rule
from codeopt.rules._bounds import bound_before, constant, spans_lines
from codeopt.rules._effects import effects_of
from codeopt.rules._hoist import outermost
from codeopt.rules._module import Edit, Module, parse
from codeopt.rules._plain import builtin_call
from codeopt.rules._scopes import Comprehension
from codeopt.rules._types import Types, types_of
from codeopt.rules._values import NUMBERS, STR

SIMPLE = (ast.Name, ast.Constant, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Call, ast.expr_context)
"""What may stand in the call and around it: operations on whole numbers that cannot fail."""


def rewrite(text: str, hot: Hot) -> str | None:
    """Put such calls, with the sum around them, into a name before the outermost loop in which they stay the same."""
    module = parse(text)
    if module is None:
        return None
    types = types_of(module)
    places: dict[tuple[ast.stmt, str], list[ast.expr]] = {}
    for node in module.walk():
        if isinstance(node, ast.Call) and hot.touches(node.lineno, node.lineno):
            found = _hoistable(module, types, node)
            if found:
                places.setdefault((found[0], module.source(found[1])), []).append(found[1])
    return module.edited(_edits(module, places))


def _hoistable(module: Module, types: Types, call: ast.Call) -> tuple[ast.stmt, ast.expr] | None:
    if spans_lines(call) or not _cannot_fail(module, types, call):
        return None
    names = [part for part in module.walk(call) if isinstance(part, ast.Name)]
    best = outermost(module, types, call, names, lambda effects: effects.keeps(module, types, call))
    if best is None or (_of_elements(call) and not _goes_through(module, call, best)):
        return None
    return best, call if _of_elements(call) else _widened(module, types, best, call)


def _of_elements(call: ast.Call) -> bool:
    """min(values) or max(values), which fails when there are none."""
    return isinstance(call.func, ast.Name) and call.func.id in ("min", "max") and len(call.args) == 1


def _goes_through(module: Module, call: ast.Call, place: ast.stmt) -> bool:
    """It only runs in a loop over the same values, of which there are some then."""
    (values,) = call.args
    assert isinstance(values, ast.Name)
    return any(_is_over(module, source, values.id) for source in _sources(module, call, place))


def _sources(module: Module, node: ast.expr, place: ast.stmt) -> Iterator[ast.expr]:
    """What the loops and comprehensions around, up to `place`, go through: the node runs for elements of it only."""
    child: ast.AST = node
    for parent in module.scopes.parents(node):
        if isinstance(parent, ast.For) and child in parent.body:
            yield parent.iter
        elif isinstance(parent, Comprehension) and not module.holds(parent.generators[0].iter, node):
            yield parent.generators[0].iter
        if parent is place:
            return
        child = parent


def _is_over(module: Module, source: ast.expr, name: str) -> bool:
    """The values themselves, or range(len(values))."""
    match source:
        case ast.Name(found):
            return found == name
        case ast.Call(_, [ast.Call(_, [ast.Name(found)]) as length]) as counted:
            return found == name and builtin_call(module, counted, "range") and builtin_call(module, length, "len")
    return False


def _stays(module: Module, types: Types, loop: ast.stmt, node: ast.expr) -> bool:
    """The same before the loop and in each of its rounds."""
    names = [part for part in module.walk(node) if isinstance(part, ast.Name)]
    if not all(bound_before(module, name, loop) for name in names):
        return False
    return effects_of(module, types, [loop]).keeps(module, types, node)


def _widened(module: Module, types: Types, loop: ast.stmt, node: ast.expr) -> ast.expr:
    """The largest sum or product of whole numbers around the call that stays the same too."""
    parent = module.scopes.parent[node]
    while isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add | ast.Sub | ast.Mult):
        plain = all(isinstance(part, SIMPLE) for part in module.walk(parent))
        other = parent.right if parent.left is node else parent.left
        if not plain or spans_lines(parent) or not types.is_int(parent.left, parent.right):
            break
        if any(isinstance(p, ast.Call) for p in module.walk(other)) or not _stays(module, types, loop, parent):
            break
        node, parent = parent, module.scopes.parent[parent]
    return node


def _cannot_fail(module: Module, types: Types, call: ast.Call) -> bool:
    """Calling it once more, or where it was not called before, changes nothing and raises nothing."""
    if not module.scopes.is_builtin(call.func, "len", "abs", "pow", "min", "max", "sum") or call.keywords:
        return False
    assert isinstance(call.func, ast.Name)
    if not all(isinstance(part, SIMPLE) for argument in call.args for part in module.walk(argument)):
        return False
    match call.func.id, call.args:
        case "len", [ast.Name() as value]:
            return types.is_text(value) or bool(types.containers(value, "list", "tuple", "dict", "set", "deque"))
        case "sum", [ast.Name() as value]:
            inside = [v for c in types.containers(value, "list", "tuple") for v in c.elements]
            return bool(inside) and set(inside) <= {"int", "bool"}
        case "abs", [value]:
            return types.is_int(value)
        case (("min" | "max"), [ast.Name() as value]):
            found = {v for c in types.containers(value, "list", "tuple") for v in c.elements}
            return bool(found) and (found <= NUMBERS or found == STR)
        case (("min" | "max"), [_, _, *_]):
            return types.is_int(*call.args)
        case "pow", [base, exponent, modulus]:
            power, modulo = constant(module, exponent), constant(module, modulus)
            return types.is_int(base) and power is not None and power >= 0 and modulo is not None and modulo > 0
    return False


def _edits(module: Module, places: dict[tuple[ast.stmt, str], list[ast.expr]]) -> list[Edit]:
    edits = []
    taken: set[str] = set()
    lines: dict[ast.stmt, list[str]] = {}
    for (loop, source), nodes in places.items():
        name = _name(module, nodes[0], taken)
        bare = isinstance(nodes[0], ast.Call) and _of_elements(nodes[0])
        value = f"{source[:-1].rstrip(', ')}, default=None)" if bare else source
        lines.setdefault(loop, []).append(f"{name} = {value}")
        edits += [module.replace(node, name) for node in nodes]
    return [*edits, *(module.before(loop, *above) for loop, above in lines.items())]


def _name(module: Module, node: ast.expr, taken: set[str]) -> str:
    """len(rows) becomes rows_len, len(rows) - 1 rows_last; the rest gets a general name."""
    words = [part.id for part in module.walk(node) if isinstance(part, ast.Name)]
    arguments = [word for word in words if word not in ("len", "abs", "pow", "min", "max", "sum")]
    function = next(word for word in words if word in ("len", "abs", "pow", "min", "max", "sum"))
    stem = f"{arguments[0]}_{function}" if arguments else function
    if isinstance(node, ast.BinOp):
        last = module.source(node).replace(" ", "") == f"len({arguments[0] if arguments else ''})-1"
        stem = f"{arguments[0]}_last" if last else f"{stem}_end" if function == "len" else f"{stem}_term"
    numbered = (stem, *(f"{stem}_{i}" for i in range(2, 10_000)))
    name = next(n for n in numbered if n not in taken and n not in module.words)
    taken.add(name)
    return name


RULE = Rule(
    name="loop_invariant",
    reason="This call gives the same result in every round of the loop: call it once, before the loop.",
    before="""\
def total(values, steps):
    modulus = 10**9 + 7
    result = 0
    i = 0
    while i < len(values) - 1:
        # weighted
        result += values[i] * pow(steps, modulus - 2, modulus)
        i += 1
    return result


print(total([3, 1, 4], 5))
""",
    after="""\
def total(values, steps):
    modulus = 10**9 + 7
    result = 0
    i = 0
    values_last = len(values) - 1
    steps_pow = pow(steps, modulus - 2, modulus)
    while i < values_last:
        # weighted
        result += values[i] * steps_pow
        i += 1
    return result


print(total([3, 1, 4], 5))
""",
    limits=(
        "len, sum, abs, min, max and pow with a constant modulus, of whole numbers and of containers that the loop "
        "cannot change, directly, through another name or in a function that it calls; only calls that cannot fail, "
        "because the loop may not run at all."
    ),
    rewrite=rewrite,
)
