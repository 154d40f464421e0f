"""A call of a function that only returns an expression: the expression in its place."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from codeopt.rules import AnalyzedProgram, Context, Edit, Example, first_line, is_simple, last_line, rule

BUILTINS = ("abs", "len", "int", "ord", "chr", "pow", "divmod", "min", "max", "float", "bool", "str", "round")
OPERATIONS = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Subscript, ast.Call)
PARTS = (*OPERATIONS, ast.Name, ast.Constant, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)
ATOMS = (ast.Name, ast.Subscript, ast.Call, ast.Attribute)
LONGEST = 80
"""Characters of an expression that can still be read in place of a name."""


@dataclass(frozen=True, eq=False)
class Short:
    """`def name(parameters): return result`, or `name = lambda parameters: result`."""

    statement: ast.FunctionDef | ast.Assign
    name: str
    parameters: tuple[str, ...]
    result: ast.expr


EXAMPLE = Example(
    before="""\
modulus = 1009


def add(a, b):
    return (a + b) % modulus


square = lambda x: x * x
total = 0
for i in range(9):
    total = add(total, i)
    total += square(i) - square(3)
print(total)
""",
    after="""\
modulus = 1009


total = 0
for i in range(9):
    total = (total + i) % modulus
    total += (i * i) - (3 * 3)
print(total)
""",
)


@rule(ast.FunctionDef, ast.Assign, example=EXAMPLE, where="anywhere")
def inline_function(node: ast.FunctionDef | ast.Assign, ctx: Context) -> list[Edit]:
    """Calling a function costs more than what this one does: write its expression where it is called.

    Functions that only return an expression of names, numbers, arithmetic, comparisons, subscripts and builtins, are
    only ever called, and always with plain arguments; an argument that is not a name or a number has to be evaluated
    once, in the same order. Names have to mean the same in both places; classes that redefine operators are in
    nobody's way.
    """
    program = ctx.program
    short = _short(program, node) if not program.purity.redefines_operators else None
    calls = _calls(program, short) if short is not None else []
    if short is None or not any(program.loops.run_again(call) and ctx.is_hot(call) for call in calls):
        return []
    texts = [_inlined(program, short, call) for call in calls]
    edits = [program.replace(call, text) for call, text in zip(calls, texts, strict=True) if text is not None]
    return [*edits, _without(program, short.statement)] if len(edits) == len(calls) else []


def _short(program: AnalyzedProgram, node: ast.AST) -> Short | None:
    match node:
        case ast.FunctionDef(name, given, [ast.Return(ast.expr() as result) as last], []) if program.alone(last):
            short = Short(node, name, tuple(arg.arg for arg in given.args), result)
        case ast.Assign([ast.Name(name)], ast.Lambda(given, result)):
            short = Short(node, name, tuple(arg.arg for arg in given.args), result)
        case _:
            return None
    odd = given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs or given.defaults
    parts = list(program.walk(result))
    quiet = all(_is_quiet(program, part) for part in parts if isinstance(part, ast.Call))
    fits = len(program.source(result)) <= LONGEST and result.lineno == last_line(result)
    return short if not odd and quiet and fits and all(isinstance(part, PARTS) for part in parts) else None


def _is_quiet(program: AnalyzedProgram, call: ast.Call) -> bool:
    """A call of a builtin, or of a function of math: no code of the program runs."""
    if call.keywords or not isinstance(call.func, ast.Name):
        return False
    known = program.types.of(call.func)
    math = bool(known) and all(str(value).startswith("@math.") for value in known)
    return math or program.scopes.is_builtin(call.func, *BUILTINS)


def _calls(program: AnalyzedProgram, short: Short) -> list[ast.Call]:
    """All uses of the function, when each is a call with as many plain arguments; else none."""
    variable = program.scopes.owner(short.name, program.scopes.scope[short.statement])
    made = short.statement.targets[0] if isinstance(short.statement, ast.Assign) else short.statement
    found: list[ast.Call] = []
    for use in program.scopes.all_uses(variable):
        match program.scopes.parent.get(use.node):
            case ast.Call(func, arguments, []) as call if func is use.node and call.lineno == last_line(call):
                odd = any(isinstance(p, ast.JoinedStr | ast.ClassDef) for p in program.scopes.parents(call))
                plain = all(program.purity.is_plain(argument) for argument in arguments)
                if odd or len(arguments) != len(short.parameters) or not plain:
                    return []
                found.append(call)
            case _ if use.node is not made:
                return []
    return found if program.alone(short.statement) else []


def _inlined(program: AnalyzedProgram, short: Short, call: ast.Call) -> str | None:
    """The expression with the arguments in it; None when a name means something else there, or work would double."""
    given = dict(zip(short.parameters, call.args, strict=True))
    names = sorted(program.names(short.result), key=lambda name: program.span(name)[0])
    if not _evaluated_alike(given, short.result, [name.id for name in names if name.id in given]):
        return None
    start, text, done = program.span(short.result)[0], program.source(short.result), 0
    parts: list[str] = []
    for name in names:
        if name.id in given:
            at = program.span(name)[0] - start
            parts += [text[done:at], _bracketed(program, given[name.id])]
            done = at + len(name.id)
        elif program.scopes.owner(name.id, program.scopes.scope[call]) != program.scopes.variable(name):
            return None
    inlined = "".join([*parts, text[done:]])
    bare = isinstance(program.scopes.parent[call], ast.Assign | ast.Return) or isinstance(short.result, ATOMS)
    return inlined if bare else f"({inlined})"


def _bracketed(program: AnalyzedProgram, value: ast.expr) -> str:
    source = program.source(value)
    return source if isinstance(value, (*ATOMS, ast.Constant)) else f"({source})"


def _evaluated_alike(given: dict[str, ast.expr], result: ast.expr, used: list[str]) -> bool:
    """Each argument is a name or a number; or all are evaluated once, always, and in the order of the call."""
    if all(is_simple(value) for value in given.values()):
        return True
    lazy = any(isinstance(p, ast.BoolOp | ast.IfExp) for p in ast.walk(result))
    chained = any(isinstance(p, ast.Compare) and len(p.ops) > 1 for p in ast.walk(result))
    return used == list(given) and not lazy and not chained


def _without(program: AnalyzedProgram, statement: ast.stmt) -> Edit:
    """The edit that takes away the function and the blank lines below it."""
    start, end = program.offset(first_line(statement), 0), program.span(statement)[1]
    lines = program.text[end:].split("\n")
    blank = next((i for i, line in enumerate(lines[1:]) if line.strip()), len(lines) - 1)
    end = min(len(program.text), end + sum(len(line) + 1 for line in lines[: blank + 1]))
    alone = len(program.block_of(statement)) == 1
    return Edit(start, end, f"{program.margin(statement)}pass{program.newline}" if alone else "")
