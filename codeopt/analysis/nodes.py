"""Properties of a single node of the tree: its lines, its names, how simple it is."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable

READS = frozenset({"input", "raw_input", "readline"})


def first_line(node: ast.AST) -> int:
    """The line on which a statement starts, its decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    line: int = getattr(node, "lineno", 1)
    return min([line, *(d.lineno for d in decorators)])


def last_line(node: ast.AST) -> int:
    """The line on which a node ends."""
    end: int | None = getattr(node, "end_lineno", None)
    assert end is not None
    return end


def spans_lines(node: ast.expr | ast.stmt) -> bool:
    """Return whether a node goes over more than one line."""
    return node.lineno != last_line(node)


def bound_name(alias: ast.alias) -> str:
    """The name that an import binds."""
    return alias.asname or alias.name.partition(".")[0]


def is_bare_constant(statement: ast.stmt) -> bool:
    """Return whether a statement is a docstring, or another value that nobody uses."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def sets_constant(statement: ast.stmt) -> bool:
    """Return whether a statement is `name = constant`."""
    match statement:
        case ast.Assign([ast.Name()], ast.Constant()):
            return True
    return False


def blocks(node: ast.AST) -> list[list[ast.stmt]]:
    """The lists of statements that are directly in a node."""
    found = (getattr(node, name, None) for name in ("body", "orelse", "finalbody"))
    return [block for block in found if isinstance(block, list) and block]


def names_in(nodes: Iterable[ast.AST]) -> set[str]:
    """Every name that occurs in the nodes."""
    return {part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)}


def is_simple(node: ast.expr) -> bool:
    """Return whether a node is a name or a number: as cheap to read twice as once."""
    match node:
        case ast.Name() | ast.Constant() | ast.UnaryOp(ast.USub(), ast.Constant()):
            return True
    return False


SUM = (ast.Name, ast.Constant, ast.BinOp, ast.Add, ast.Sub, ast.expr_context)


def is_sum(node: ast.expr) -> bool:
    """Whether a node is a sum or difference of names and numbers: no effects, and monotonic in each of its names."""
    return all(isinstance(part, SUM) for part in ast.walk(node))


def reads_line(node: ast.expr) -> bool:
    """Return whether an expression reads one line: input(), readline(), sys.stdin.readline()."""
    match node:
        case ast.Call(func=ast.Name(name) | ast.Attribute(attr=name), args=[], keywords=[]):
            return name in READS
    return False


def divides(test: ast.expr) -> tuple[str, str, bool] | None:
    """The names n and i of a test such as `n % i == 0`, and whether the test is true where i divides n. None for any
    other."""
    match test:
        case ast.BinOp(ast.Name(number), ast.Mod(), ast.Name(by)):
            return number, by, False
        case ast.UnaryOp(ast.Not(), ast.BinOp(ast.Name(number), ast.Mod(), ast.Name(by))):
            return number, by, True
        case ast.Compare(ast.BinOp(ast.Name(number), ast.Mod(), ast.Name(by)), [sign], [ast.Constant(0)]):
            return (number, by, isinstance(sign, ast.Eq)) if isinstance(sign, ast.Eq | ast.NotEq) else None
    return None


ADDED = ast.Add | ast.Sub
MULTIPLIED = ast.Mult | ast.Div | ast.FloorDiv | ast.Mod
# Binding strength of expressions, weakest first.
CHOSEN = 1
"""`a if b else c`."""
ASKED = 2
"""`a and b`, `a or b`, `not a`."""
COMPARED = 3
"""`a < b`."""
SUM_OF = 4
"""`a + b`, `a - b`."""
PRODUCT_OF = 5
"""`a * b`, `a / b`, `a // b`, `a % b`."""
SIGNED = 6
"""`-a`, `a ** b`, a constant."""
WHOLE_OF = 7
"""A name, an attribute, an element or a call."""


def binding(node: ast.expr) -> int:
    """The binding strength of an expression; 0 for kinds that are not known."""
    match node:
        case ast.BinOp(op=ast.Pow()) | ast.UnaryOp(ast.USub()) | ast.Constant():
            return SIGNED
        case ast.BinOp(op=operator):
            return SUM_OF if isinstance(operator, ADDED) else PRODUCT_OF if isinstance(operator, MULTIPLIED) else 0
        case ast.Compare():
            return COMPARED
        case ast.BoolOp() | ast.UnaryOp(ast.Not()):
            return ASKED
        case ast.IfExp():
            return CHOSEN
    return WHOLE_OF if isinstance(node, ast.Name | ast.Subscript | ast.Call | ast.Attribute) else 0


def binding_needed(parent: ast.AST | None, child: ast.expr) -> int:
    """The binding strength that an expression needs to be below its parent without parentheses; 0: any."""
    match parent:
        case ast.BinOp(left, operator) if isinstance(operator, ADDED | MULTIPLIED):
            return (SUM_OF if isinstance(operator, ADDED) else PRODUCT_OF) + (left is not child)
        case ast.Compare():
            return SUM_OF
        case ast.BoolOp() | ast.UnaryOp(ast.Not()):
            return COMPARED
        case ast.IfExp() | ast.comprehension():
            return ASKED
        case ast.Attribute(owner) | ast.Subscript(owner) | ast.Call(owner) if owner is child:
            return WHOLE_OF
    operation = isinstance(parent, ast.BinOp | ast.UnaryOp | ast.Starred | ast.Await)
    return WHOLE_OF if operation else 0


def parse(source: str) -> ast.Module:
    """The syntax tree of a text.

    Raises SyntaxError for every way in which a text can fail to be a program.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a wrong escape in a string is no concern of ours
            return ast.parse(source)
    except (ValueError, RecursionError, MemoryError) as error:  # a null byte; nesting beyond the parser's stack
        raise SyntaxError(f"cannot be parsed: {error or 'nested too deeply'}") from error
