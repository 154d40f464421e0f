"""The same call twice in a row with the same arguments: call once and keep the result."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from codeopt.rules import SCALARS, AnalyzedProgram, Comprehension, Context, Edits, as_diff, blocks, rule, spans_lines

PURE = frozenset({"pow", "str", "int", "float", "bin", "hex", "oct"})
PURE_MATH = frozenset(
    {"sqrt", "factorial", "comb", "perm", "gcd", "lcm", "log", "log2", "log10", "sin", "cos", "tan", "hypot"}
    | {"isqrt", "exp"}
)
"""Functions of math that cost more than storing their result, a number, which cannot change."""

KINDS = ("list", "tuple", "set", "deque")
OF_ELEMENTS = frozenset({"@max", "@min", "@sum"})
NAMES = {
    "str": "text",
    "int": "number",
    "float": "number",
    "max": "largest",
    "min": "smallest",
    "sum": "total",
    "index": "position",
    "count": "count",
}
"""Name for the result, by function."""

SIMPLE = ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Return | ast.Expr
PLACES = (ast.Name, ast.Constant, ast.Subscript, ast.Attribute, ast.Call, ast.expr_context)
OPERATIONS = (*PLACES, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)


@dataclass
class Repetition:
    """Occurrences of one call in statements that follow each other."""

    first: ast.stmt
    nodes: list[ast.Call] = field(default_factory=list)


EXAMPLE = as_diff("""\
  count = 0
  for i in range(200):
-     if str(i) == str(i)[::-1]:  # a palindrome
+     text = str(i)
+     if text == text[::-1]:  # a palindrome
          count += 1
  print(count)
""")


@rule(ast.Module, priority=110, example=EXAMPLE)
def repeated_call(_: ast.Module, ctx: Context) -> Edits:
    """The same call with the same arguments runs more than once: keep its result.

    Calls of pow, str, int, float, bin and of math functions on numbers and text, and of max, min, sum, index and
    count on lists of them, in statements that follow each other and cannot change an argument in between.
    """
    program = ctx.program
    again = _written_twice(program)
    for block in _blocks(program):
        for run in _outermost(program, _runs(program, block, again)):
            if any(ctx.is_hot(node) for node in run.nodes):
                name = ctx.new_name(_wanted(program, run.nodes[0]))
                yield program.before(run.first, f"{name} = {program.source(run.nodes[0])}")
                yield from (program.replace(node, name) for node in run.nodes)


def _outermost(program: AnalyzedProgram, runs: list[Repetition]) -> Iterator[Repetition]:
    """The repetitions of two calls or more, without the calls inside of another repeated one."""
    for run in (run for run in runs if len(run.nodes) > 1):
        others = [node for other in runs if other is not run and len(other.nodes) > 1 for node in other.nodes]
        inside = {part for node in others for part in program.walk(node) if part is not node}
        outside = [node for node in run.nodes if node not in inside]
        if len(outside) > 1:
            yield Repetition(run.first, outside)


def _written_twice(program: AnalyzedProgram) -> set[ast.Call]:
    """Calls whose text occurs more than once."""
    calls = [(program.source(call), call) for call in program.of_kind(ast.Call) if call.args and not spans_lines(call)]
    count = Counter(text for text, _ in calls)
    return {call for text, call in calls if count[text] > 1}


def _blocks(program: AnalyzedProgram) -> Iterator[list[ast.stmt]]:
    for node in program.walk():
        for block in blocks(node) if not isinstance(node, ast.ClassDef) else ():
            chained = isinstance(node, ast.If) and block is node.orelse and isinstance(block[0], ast.If)
            if not (chained and len(block) == 1) and program.loops.run_again(block[0]):
                yield block


def _runs(program: AnalyzedProgram, block: list[ast.stmt], again: set[ast.Call]) -> list[Repetition]:
    open_: dict[str, Repetition] = {}
    done: list[Repetition] = []
    for statement in block:
        head = _head(statement)
        calls = list(_calls(program, head, again)) if head is not None else []
        if not calls and not open_:
            continue
        starts = program.alone(statement) and not _speaks(program, statement)
        for call, always in calls:
            key = ast.dump(call)
            if not _safe_inside(program, statement, call):
                continue
            if key not in open_ and starts and always:
                open_[key] = Repetition(statement)
            if key in open_:
                open_[key].nodes.append(call)
        changed = program.effects.of(statement)
        for key, run in list(open_.items()):
            if not isinstance(statement, SIMPLE) or not changed.keeps(run.nodes[0]):
                done.append(open_.pop(key))
    return [*done, *open_.values()]


def _head(statement: ast.stmt) -> ast.AST | None:
    """The part of a statement that always runs first, without effects in between: all of it, or the test of an if."""
    if isinstance(statement, ast.If):
        return statement.test
    return statement if isinstance(statement, SIMPLE) else None


def _safe_inside(program: AnalyzedProgram, statement: ast.stmt, call: ast.Call) -> bool:
    """Whether the code that runs earlier in the statement changes no argument of the call."""
    if program.has(statement, ast.NamedExpr):
        return False
    return program.effects.of(*_evaluated(program, statement)).keeps(call)


def _evaluated(program: AnalyzedProgram, statement: ast.stmt) -> list[ast.expr]:
    """The part of a statement that runs before its own effect: of print(...) and values.append(...), only the
    arguments."""
    containers = program.types.containers
    match statement:
        case ast.If(test=test):
            return [test]
        case ast.Expr(ast.Call(func, arguments, [])) if program.scopes.is_builtin(func, "print"):
            return list(arguments)
        case ast.Expr(ast.Call(ast.Attribute(ast.Name() as owner), arguments, [])) if containers(owner, *KINDS):
            return list(arguments)
        case ast.Expr(value) | ast.Return(ast.expr() as value) | ast.Assign(value=value) | ast.AugAssign(value=value):
            return [value]
    return [node for node in program.walk(statement) if isinstance(node, ast.expr)]


def _speaks(program: AnalyzedProgram, statement: ast.stmt) -> bool:
    """Whether a statement has effects: a call moved before it could fail before them, and somebody catch the
    failure."""
    effects = program.effects.of(*_evaluated(program, statement))
    own = frozenset() if "nonlocal" in program.words else effects.called  # each call has variables of its own
    stored = any(v.scope not in own and not isinstance(v.scope, Comprehension) for v in effects.stored)
    return effects.unknown or effects.io or bool(effects.changed) or stored or program.has(statement, ast.NamedExpr)


def _calls(program: AnalyzedProgram, head: ast.AST, again: set[ast.Call]) -> Iterator[tuple[ast.Call, bool]]:
    """Calls that only depend on their arguments, outermost first, and whether they run on every path."""
    stack: list[tuple[ast.AST, bool]] = [(head, True)]
    while stack:
        node, always = stack.pop()
        if isinstance(node, ast.Call) and node in again and _is_pure(program, node):
            yield node, always
        if isinstance(node, ast.Lambda | Comprehension):
            continue
        children = list(ast.iter_child_nodes(node))
        first = 1 if isinstance(node, ast.BoolOp) else 0
        lazy = isinstance(node, ast.BoolOp | ast.IfExp) or (isinstance(node, ast.Compare) and len(node.ops) > 1)
        for place, child in reversed(list(enumerate(children))):
            sure = not lazy or place <= first or (isinstance(node, ast.IfExp) and child is node.test)
            stack.append((child, always and sure and not (isinstance(node, ast.IfExp) and child is not node.test)))


def _is_pure(program: AnalyzedProgram, call: ast.Call) -> bool:
    if call.keywords or not call.args or spans_lines(call):
        return False
    if not program.is_made_of(call, OPERATIONS):
        return False
    inner = [part for part in program.walk(call) if isinstance(part, ast.Call) and part is not call]
    return (_of_scalars(program, call) or _of_elements(program, call)) and all(_is_pure(program, p) for p in inner)


def _of_scalars(program: AnalyzedProgram, call: ast.Call) -> bool:
    """Whether a call is one on scalars: str(x), math.sqrt(x)."""
    functions = program.types.of(call.func)
    known = {f"@{name}" for name in PURE} | {f"@math.{name}" for name in PURE_MATH}
    return bool(functions) and functions <= known and program.types.is_scalar(*call.args)


def _of_elements(program: AnalyzedProgram, call: ast.Call) -> bool:
    """Whether a call goes through a list of numbers or text: max(values), values.index(x)."""
    match call:
        case ast.Call(ast.Attribute(values, "index" | "count"), [sought]):
            plain = program.types.is_text(values) or _plain_elements(program, values)
            return plain and program.types.is_scalar(sought)
        case ast.Call(ast.Name() as function, [values]):
            functions = program.types.of(function)
            return bool(functions) and functions <= OF_ELEMENTS and _plain_elements(program, values)
    return False


def _plain_elements(program: AnalyzedProgram, node: ast.expr) -> bool:
    return bool(program.types.containers(node, *KINDS)) and program.types.elements(node, *KINDS) <= SCALARS


def _wanted(program: AnalyzedProgram, call: ast.Call) -> str:
    function = call.func.attr if isinstance(call.func, ast.Attribute) else program.source(call.func)
    return NAMES.get(function, f"{function}_value")
