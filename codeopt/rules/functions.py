"""Functions that are replaced: by their own expression, or by one that does less."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from codeopt.rules import AnalyzedProgram, Context, Edit, Edits, as_diff, first_line, is_simple, rule, spans_lines

BUILTINS = ("abs", "len", "int", "ord", "chr", "pow", "divmod", "min", "max", "float", "bool", "str", "round")
OPERATIONS = (ast.Attribute, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Subscript, ast.Call)
PARTS = (*OPERATIONS, ast.Name, ast.Constant, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)
ATOMS = (ast.Name, ast.Subscript, ast.Call, ast.Attribute, ast.Constant)
MAX_CHARS = 100
"""Most characters of an expression that replaces a call."""


@dataclass(frozen=True, eq=False)
class Short:
    """`def name(parameters): return result`, or `name = lambda parameters: result`; the result has pieces of text."""

    statement: ast.FunctionDef | ast.Assign
    name: str
    parameters: tuple[str, ...]
    pieces: tuple[ast.expr | str, ...]

    @property
    def results(self) -> list[ast.expr]:
        """The pieces that are expressions of the function."""
        return [piece for piece in self.pieces if isinstance(piece, ast.expr)]


INLINE_FUNCTION = as_diff("""\
  modulus = 1009


- def add(a, b):
-     return (a + b) % modulus
-
-
- square = lambda x: x * x
  total = 0
  for i in range(9):
-     total = add(total, i)
-     total += square(i) - square(3)
+     total = (total + i) % modulus
+     total += i * i - 3 * 3
  print(total)
""")


@rule(ast.FunctionDef, ast.Assign, example=INLINE_FUNCTION, where="anywhere")
def inline_function(node: ast.FunctionDef | ast.Assign, ctx: Context) -> list[Edit]:
    """Calling a function costs more than what this one does: write its expression where it is called.

    Functions that only return an expression of names, numbers, arithmetic, comparisons, subscripts and builtins, or
    one of several by if and else, are only ever called, and always with plain arguments; an argument that is not a
    name or a number has to be evaluated once, in the same order. Names have to mean the same in both places; classes
    that redefine operators are in nobody's way.
    """
    program = ctx.program
    short = _short(program, node) if not program.purity.redefines_operators else None
    calls = _calls(program, short) if short is not None else []
    if short is None or not any(program.loops.run_again(call) and ctx.is_hot(call) for call in calls):
        return []
    texts = [_inlined(program, short, call) for call in calls]
    edits = [program.put(call, text) for call, text in zip(calls, texts, strict=True) if text is not None]
    return [*edits, _without(program, short.statement)] if len(edits) == len(calls) else []


def _short(program: AnalyzedProgram, node: ast.AST) -> Short | None:
    match node:
        case ast.FunctionDef(name, given, body, []):
            pieces = _pieces(program, body)
        case ast.Assign([ast.Name(name)], ast.Lambda(given, result)):
            pieces = (result,)
        case _:
            return None
    odd = given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs or given.defaults
    short = Short(node, name, tuple(arg.arg for arg in given.args), pieces)
    parts = [part for result in short.results for part in program.walk(result)]
    quiet = all(_is_quiet(program, part) for part in parts if isinstance(part, ast.Call | ast.Attribute))
    lines = all(not spans_lines(result) for result in short.results)
    fits = pieces and lines and sum(len(_filled(program, piece, {})) for piece in pieces) <= MAX_CHARS
    return short if not odd and quiet and fits and all(isinstance(part, PARTS) for part in parts) else None


def _pieces(program: AnalyzedProgram, body: list[ast.stmt]) -> tuple[ast.expr | str, ...]:
    """The result of a block as pieces of text and expressions of the program; empty for other blocks."""
    match body:
        case [ast.Return(ast.expr() as result) as last] if program.alone(last):
            return (result,)
        case [ast.If(test, chosen, other), *rest]:
            left, right = _pieces(program, chosen), _pieces(program, [*other, *rest])
            if len(left) == 1 and right and not isinstance(left[0], ast.IfExp) and not isinstance(test, ast.IfExp):
                return (*left, " if ", test, " else ", *right)
    return ()


def _is_quiet(program: AnalyzedProgram, part: ast.Call | ast.Attribute) -> bool:
    """Whether a call is one of a builtin or of math: no code of the program runs."""
    if isinstance(part, ast.Attribute):
        return isinstance(part.value, ast.Name) and program.types.of(part.value) == {"@math"}
    known = program.types.of(part.func)
    math = bool(known) and all(str(value).startswith("@math.") for value in known)
    return not part.keywords and (math or program.scopes.is_builtin(part.func, *BUILTINS))


def _calls(program: AnalyzedProgram, short: Short) -> list[ast.Call]:
    """All uses of the function, when each is a call with as many plain arguments; else none."""
    made = short.statement.targets[0] if isinstance(short.statement, ast.Assign) else short.statement
    calls = program.calls_of(program.scopes.variable(made)) or []
    for call in calls:
        odd = any(isinstance(p, ast.JoinedStr | ast.ClassDef) for p in program.scopes.parents(call))
        plain = not call.keywords and all(program.purity.is_plain(argument) for argument in call.args)
        if odd or not plain or spans_lines(call) or len(call.args) != len(short.parameters):
            return []
    return calls if program.alone(short.statement) else []


def _inlined(program: AnalyzedProgram, short: Short, call: ast.Call) -> str | None:
    """The expression with the arguments in it; None when a name means something else there, or work would double."""
    given = dict(zip(short.parameters, call.args, strict=True))
    names = sorted((n for r in short.results for n in program.names(r)), key=lambda name: program.span(name)[0])
    if not _evaluated_alike(given, short, [name.id for name in names if name.id in given]):
        return None
    scope = program.scopes.scope[call]
    free = [name for name in names if name.id not in given]
    if any(program.scopes.owner(name.id, scope) != program.scopes.variable(name) for name in free):
        return None
    return "".join(_filled(program, piece, given) for piece in short.pieces)


def _filled(program: AnalyzedProgram, piece: ast.expr | str, given: dict[str, ast.expr]) -> str:
    """The text of a piece with the arguments in the place of the parameters."""
    if isinstance(piece, str):
        return piece
    start, text = program.span(piece)[0], program.source(piece)
    for name in sorted(program.names(piece), key=lambda name: -program.span(name)[0]):
        if name.id in given:
            at, value = program.span(name)[0] - start, program.source(given[name.id])
            value = value if isinstance(given[name.id], ATOMS) else f"({value})"
            text = text[:at] + value + text[at + len(name.id) :]
    return text


def _evaluated_alike(given: dict[str, ast.expr], short: Short, used: list[str]) -> bool:
    """Whether each argument is a name or a number, or all are evaluated once, always, and in the order of the call."""
    if all(is_simple(value) for value in given.values()):
        return True
    parts = [part for result in short.results for part in ast.walk(result)]
    lazy = len(short.results) > 1 or any(isinstance(p, ast.BoolOp | ast.IfExp) for p in parts)
    chained = any(isinstance(p, ast.Compare) and len(p.ops) > 1 for p in parts)
    return used == list(given) and not lazy and not chained


def _without(program: AnalyzedProgram, statement: ast.stmt) -> Edit:
    """The edit that takes away the function and the blank lines below it."""
    start, end = program.offset(first_line(statement), 0), program.span(statement)[1]
    lines = program.text[end:].split("\n")
    blank = next((i for i, line in enumerate(lines[1:]) if line.strip()), len(lines) - 1)
    end = min(len(program.text), end + sum(len(line) + 1 for line in lines[: blank + 1]))
    alone = len(program.block_of(statement)) == 1
    return Edit(start, end, f"{program.margin(statement)}pass{program.newline}" if alone else "")


# factorial(n) % m without the huge number.


HELPER = """\
def {name}(n, modulus):
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    result = 1 % modulus
    for factor in range(2, n + 1):
        result = result * factor % modulus
    return result"""


MODULAR_FACTORIAL = as_diff(
    """\
  from math import factorial
+
+
+ ...
+

  mod = 10**9 + 7
  n = int("20")
- print(factorial(n) % mod)
+ print(factorial_mod(n, mod))
""",
    HELPER.format(name="factorial_mod"),
)


@rule(ast.BinOp, priority=70, example=MODULAR_FACTORIAL)
def modular_factorial(node: ast.BinOp, ctx: Context) -> Edits:
    """n! has millions of digits: reduce modulo m after every multiplication instead of once at the end.

    Only math.factorial of a whole number, directly reduced modulo a whole number. Slower for small n.
    """
    program = ctx.program
    match node:
        case ast.BinOp(ast.Call(func, [argument], []), ast.Mod(), modulus) if program.types.is_int(argument, modulus):
            if program.types.of(func) == {"@math.factorial"} and not isinstance(argument, ast.Starred):
                name = ctx.define(HELPER, "factorial_mod", "modular_factorial")
                yield program.replace(node, f"{name}({program.source(argument)}, {program.source(modulus)})")
