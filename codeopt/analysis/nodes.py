"""What the nodes of a module tell: lines and names, its functions and classes, and what a change touches."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

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


def is_text(node: ast.stmt) -> bool:
    """Return True if a statement is only a string, as docstrings are."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


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


def mentioned(tree: ast.AST) -> Iterator[str]:
    """Names and attributes of code, without its texts and comments."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def names_in(nodes: Iterable[ast.AST]) -> set[str]:
    """Every name that occurs in the nodes."""
    return {part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)}


def is_simple(node: ast.expr) -> bool:
    """Return whether a node is a name or a number: as cheap to read twice as once."""
    match node:
        case ast.Name() | ast.Constant() | ast.UnaryOp(ast.USub(), ast.Constant()):
            return True
    return False


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


# Positions in a module: its functions and classes, and where a new import goes.

Def = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Def | ast.ClassDef
_LATER: Mapping[type[ast.AST], frozenset[str]] = {
    ast.FunctionDef: frozenset({"body", "returns"}),
    ast.AsyncFunctionDef: frozenset({"body", "returns"}),
    ast.Lambda: frozenset({"body"}),
    ast.AnnAssign: frozenset({"annotation"}),
    ast.arg: frozenset({"annotation"}),
}
"""Kind of node -> the fields that are not evaluated at its place."""


def definitions(body: Iterable[ast.stmt], prefix: str = "", *, inner: bool = False) -> Iterator[tuple[str, Definition]]:
    """Functions and classes with their qualified names, in order; a block such as `if` or `try` is looked into.

    inner: those that are defined inside of a function also.
    """
    for node in body:
        if isinstance(node, Definition):
            yield prefix + node.name, node
            if inner or isinstance(node, ast.ClassDef):
                yield from definitions(node.body, f"{prefix}{node.name}.", inner=inner)
        else:
            blocks_in = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
            for block in [*blocks_in, *(handler.body for handler in getattr(node, "handlers", []))]:
                yield from definitions(block, prefix, inner=inner)


def functions(body: Iterable[ast.stmt], *, inner: bool = False) -> Iterator[tuple[str, Def]]:
    """The functions among the definitions."""
    for name, node in definitions(body, inner=inner):
        if isinstance(node, Def):
            yield name, node


def functions_by_name(body: Iterable[ast.stmt]) -> dict[str, Def]:
    """Functions by their qualified names, the last of several; a property by its getter."""
    defs: dict[str, Def] = {}
    for name, node in functions(body):
        if name not in defs or not kind_beside(node):
            defs[name] = node
    return defs


def find_definition(body: Iterable[ast.stmt], qualname: str, like: Definition | None = None) -> Definition | None:
    """The last definition of that name; the getter of a property, and no @overload, if there is another.

    like: a definition of the same name; if that is a setter, a deleter or an @overload, the last one of its kind.
    """
    found = [node for name, node in definitions(body) if name == qualname]
    kind = kind_beside(like) if like else ""
    same = [node for node in found if kind_beside(node) == kind]
    return next(reversed(same if same or kind else found), None)


def import_index(body: Sequence[ast.stmt], names: Collection[str] | None = None) -> int:
    """Index in `body` at which a new import goes: behind the docstring and the last import above what may need it.

    names: what the import binds; any definition, and any statement that mentions one of them, may need it. None: any
    statement may.
    """
    at = int(bool(body) and is_bare_constant(body[0]))
    for index in range(at, len(body)):
        if isinstance(body[index], ast.Import | ast.ImportFrom):
            at = index + 1
        elif names is None or any(
            isinstance(node, Definition) or (isinstance(node, ast.Name) and node.id in names)
            for node in ast.walk(body[index])
        ):
            break
    return at


def bound_names(node: ast.AST) -> set[str]:
    """Names that a statement binds at its place, those of the blocks inside of it included."""
    if isinstance(node, Definition):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {bound_name(alias) for alias in node.names}
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Store) else set()
    if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return set()
    return {name for child in ast.iter_child_nodes(node) for name in bound_names(child)}


def evaluated_names(node: ast.AST) -> set[str]:
    """Names that a statement looks up as soon as it runs: decorators and defaults of a function, and not its body;
    annotations are left out, which need not be evaluated."""
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Load) else set()
    later = _LATER.get(type(node), frozenset())
    parts = (part for field, part in ast.iter_fields(node) if field not in later)
    children = (each for part in parts for each in (part if isinstance(part, list) else [part]))
    return {name for child in children if isinstance(child, ast.AST) for name in evaluated_names(child)}


def kind_beside(node: Definition) -> str:
    """`overload`, `setter` or `deleter` of a definition next to the one that its name means; else empty."""
    kinds = (ast.unparse(each).rpartition(".")[2] for each in node.decorator_list)
    return next((kind for kind in kinds if kind in {"overload", "setter", "deleter"}), "")


# The lines that a change of one function touches: the function, and the definitions that are new or differ.

Lines = tuple[tuple[int, int], ...]
"""First and last line of each part, in order."""


def changed_part(original: str, changed: str, qualname: str) -> tuple[Lines, Lines]:
    """The changed lines of both texts. Raises SyntaxError where a text does not parse."""
    old, new = (dict(definitions(ast.parse(text).body)) for text in (original, changed))
    wanted = {qualname}
    wanted |= {name for name, node in new.items() if name not in old or ast.dump(node) != ast.dump(old[name])}
    inner = {name for name in wanted if isinstance(new.get(name), ast.ClassDef) and name in old}
    wanted -= inner  # of a class that was there, what differs in it
    return tuple(_spans(old, wanted)), tuple(_spans(new, wanted))


def _spans(found: Mapping[str, ast.stmt], wanted: set[str]) -> Iterator[tuple[int, int]]:
    """The lines of the wanted definitions, without those that are within another one."""
    last = 0
    spans = sorted((first_line(found[name]), last_line(found[name])) for name in wanted if name in found)
    for first, end in spans:
        if first > last:
            yield first, end
            last = end
