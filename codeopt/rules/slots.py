"""A class whose objects have a fixed set of attributes gets __slots__: no dict for each object."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection

from codeopt.rules import QUIET_MODULES, AnalyzedProgram, Context, Edits, Variable, as_diff, is_bare_constant, rule

EXAMPLE = as_diff("""\
  class Point:
+     __slots__ = ("x", "y")
+
      def __init__(self, x, y):
          self.x = x
          self.y = y


  points = [Point(k, -k) for k in range(9)]
  print(sum(p.x * p.y for p in points))
""")

IMPORTS = (QUIET_MODULES - {"copy"}) | {"__future__", "dataclasses", "json", "os", "pathlib"}
"""Modules that set no attributes of objects that they are given; pickle, weakref and copy are left out."""
SPECIAL = frozenset(
    {"__future__", "__name__", "__main__", "__init__", "__post_init__", "__hash__", "__str__", "__repr__", "__bool__"}
    | {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__len__", "__iter__", "__next__", "__contains__"}
    | {"__getitem__", "__setitem__", "__delitem__", "__add__", "__radd__", "__iadd__", "__sub__", "__rsub__"}
    | {"__isub__", "__mul__", "__rmul__", "__imul__", "__truediv__", "__floordiv__", "__mod__", "__pow__", "__neg__"}
    | {"__abs__", "__int__", "__float__", "__and__", "__or__", "__xor__", "__matmul__"}
)
"""Names with two underscores that do not concern the attributes of an object. Any other may, and is refused."""
TELLING = frozenset(
    {"type", "getattr", "setattr", "delattr", "hasattr", "super"}  # builtins
    | {"getsizeof", "excepthook", "displayhook", "exc_info", "exception", "last_value"}  # of sys
    | {"asdict", "astuple", "make_dataclass", "ClassVar", "InitVar", "KW_ONLY", "no_type_check"}  # of fields
    | {"cached_property", "update_wrapper", "wraps", "singledispatchmethod", "methodcaller"}
)
"""Names, from these modules and the builtins, that reach an object's attributes by name, or tell its size."""
OPTIONS = frozenset({"eq", "order", "frozen", "unsafe_hash", "repr", "init"})
"""Options of @dataclass that the rule understands."""
PLAIN_DECORATORS = frozenset({"staticmethod", "property"})

Function = ast.FunctionDef | ast.AsyncFunctionDef


@rule(ast.ClassDef, example=EXAMPLE, aim="memory", scripts_only=True, where="hot")
def slots(node: ast.ClassDef, ctx: Context) -> Edits:
    """Each object of a class keeps a dict of its attributes: __slots__ keeps them in the object itself.

    A plain class, or a plain dataclass without defaults, that nothing derives from and whose attributes are set as
    `self.NAME` in its own methods. Refused where the program sets other attributes of any object, gives one of the
    names a meaning in the class, passes the class around, or could see the difference: getattr, type(), pickle, copy.
    """
    program = ctx.program
    if not _plain(program, node) or not _blind(program):
        return
    constants = {ast.unparse(part.targets[0]) for part in node.body if isinstance(part, ast.Assign)}
    named = {part.name for part in node.body if isinstance(part, Function)} | constants
    fields = [ast.unparse(part.target) for part in node.body if isinstance(part, ast.AnnAssign)]
    names = list(dict.fromkeys([*fields, *(store.attr for store in _own_stores(program, node))]))
    if not names or named & set(names) or any(name.startswith("__") for name in names):
        return
    if _only_made(program, node, named) and _no_other_stores(program, node, names):
        yield from _line(program, node, names)


def _plain(program: AnalyzedProgram, node: ast.ClassDef) -> bool:
    """Whether a class has no base, no keyword, at most @dataclass, and a body of methods, constants and fields on lines
    of its own."""
    if node.bases or node.keywords or getattr(node, "type_params", None) or node.body[0].lineno == node.lineno:
        return False
    if not all(_dataclass(program, each) for each in node.decorator_list) or len(node.decorator_list) > 1:
        return False
    return all(map(_member, node.body))


def _dataclass(program: AnalyzedProgram, decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    if isinstance(decorator, ast.Call):
        constant = all(k.arg in OPTIONS and isinstance(k.value, ast.Constant) for k in decorator.keywords)
        if decorator.args or not constant:
            return False
    return isinstance(called, ast.Name) and program.types.of(called) == {"@dataclasses.dataclass"}


def _member(part: ast.stmt) -> bool:
    match part:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return all(isinstance(d, ast.Name) and d.id in PLAIN_DECORATORS for d in part.decorator_list)
        case ast.Assign(targets=[ast.Name()], value=ast.Constant()) | ast.Pass() | ast.Expr(ast.Constant()):
            return True
        case ast.AnnAssign(target=ast.Name(), value=None):
            return True
    return False


def _blind(program: AnalyzedProgram) -> bool:
    """Whether the program has no way to tell if an object has a dict."""
    special = {word for word in program.words if "__" in word}
    if program.scopes.stars or program.words & TELLING or not special <= SPECIAL:
        return False
    if any(map(program.rebinds, PLAIN_DECORATORS)):
        return False
    for part in program.walk():
        match part:
            case ast.Import(names=names) if not all(alias.name.split(".")[0] in IMPORTS for alias in names):
                return False
            case ast.ImportFrom(module=module) if (module or ".").split(".")[0] not in IMPORTS:
                return False
            case ast.ExceptHandler(name=str(), type=caught) if not _never_of_attributes(program, caught):
                return False
            case ast.MatchClass():
                return False
    return True


def _never_of_attributes(program: AnalyzedProgram, caught: ast.expr | None) -> bool:
    """Whether the program catches no AttributeError, whose text differs in Python 3.8 to 3.10."""
    each = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    names = [one.id for one in each if isinstance(one, ast.Name) and program.scopes.is_builtin(one)]
    kinds = [kind for name in names if isinstance(kind := getattr(builtins, name), type)]
    return len(kinds) == len(each) and not any(issubclass(AttributeError, kind) for kind in kinds)


def _own_stores(program: AnalyzedProgram, node: ast.ClassDef) -> list[ast.Attribute]:
    """Attributes that methods set of their own object, in order."""
    found, scopes = [], program.scopes
    for method in node.body:
        if isinstance(method, Function) and _is_method(program, node, method):
            own = Variable(method, [*method.args.posonlyargs, *method.args.args][0].arg)
            if len(scopes.stores(own)) == 1:
                found += [scopes.parent[use.node] for use in scopes.all_uses(own)]
    stores = [part for part in found if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)]
    return sorted(stores, key=lambda part: (part.lineno, part.col_offset))


def _is_method(program: AnalyzedProgram, node: ast.ClassDef, function: Function) -> bool:
    """Whether a function is only called with an object of its class."""
    static = any(ast.unparse(each) == "staticmethod" for each in function.decorator_list)
    alone = len(program.scopes.all_uses(Variable(node, function.name))) == 1
    return _member(function) and not static and alone and bool(function.args.posonlyargs or function.args.args)


def _bound(program: AnalyzedProgram, name: str) -> int:
    """Number of bindings of a name in all scopes of the program."""
    scopes = program.scopes
    return sum(len(scopes.stores(each)) for each in scopes.uses if each.name == name and each.scope is not None)


def _only_made(
    program: AnalyzedProgram, node: ast.ClassDef, named: Collection[str] = (), *, derived: bool = False
) -> bool:
    """Whether the class is only called, asked for one of its methods or constants, or used as a type, so that no code
    has hold of it or of its methods' results. derived: others may derive from it."""
    nested = any(isinstance(around, ast.ClassDef) for around in program.scopes.parents(node))
    if nested or _bound(program, node.name) != 1:
        return False
    uses = [part for part in program.names(program.tree) if part.id == node.name]
    bases = [use for use in uses if isinstance(program.scopes.parent[use], ast.ClassDef)]
    return (derived or not bases) and all(use in bases or _harmless(program, use, named) for use in uses)


def _harmless(program: AnalyzedProgram, use: ast.Name, named: Collection[str]) -> bool:
    child: ast.AST = use
    for parent in program.scopes.parents(use):
        match parent:
            case ast.Call(func=func) if func is child:
                return child is use
            case ast.Call(args=[_, kind]) if kind is child and program.calls_builtin(parent, "isinstance"):
                return True
            case ast.Call(args=[made, *_]) if made is child and program.calls_builtin(parent, "map"):
                return True
            case ast.Attribute(attr=name, ctx=ast.Load()) if child is use:
                return name in named
            case ast.arg() | ast.AnnAssign() if parent.annotation is child:
                return True
            case ast.FunctionDef(returns=given) | ast.AsyncFunctionDef(returns=given) if given is child:
                return True
            case ast.ExceptHandler() | ast.Raise():
                return True
            case ast.Subscript() | ast.BinOp(op=ast.BitOr()) | ast.Tuple() | ast.List():
                child = parent
            case _:
                return False
    return False


def _no_other_stores(program: AnalyzedProgram, node: ast.ClassDef, names: Collection[str]) -> bool:
    """Whether each other attribute that the program sets has one of these names, or is set by another class's methods
    on their own objects, which nobody can call with an object of this one."""
    others = [each for each in program.of_kind(ast.ClassDef) if each is not node]
    trusted = others if all(_only_made(program, each, derived=True) for each in others) else []
    own = {store for each in trusted for store in _own_stores(program, each)}
    changed = [part for part in program.of_kind(ast.Attribute) if not isinstance(part.ctx, ast.Load)]
    return all(isinstance(part.ctx, ast.Store) and (part in own or part.attr in names) for part in changed)


def _line(program: AnalyzedProgram, node: ast.ClassDef, names: list[str]) -> Edits:
    """The edit that puts `__slots__` below the docstring, else on top of the body, with an empty line where a method
    follows."""
    listed = ", ".join(f'"{name}"' for name in names)
    text = f"__slots__ = ({listed},)" if len(names) == 1 else f"__slots__ = ({listed})"
    first, follows = node.body[0], node.body[1:2]
    if not is_bare_constant(first):
        gap = program.newline if isinstance(first, Function) else ""
        edit = program.before(first, text)
    else:
        edit = program.below(first, text)
        after = program.text[edit.start :].partition("\n")[0].strip()
        gap = program.newline if after and isinstance(follows[0] if follows else None, Function) else ""
    return [edit._replace(text=edit.text + gap)]
