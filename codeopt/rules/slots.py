"""A class whose objects have a fixed set of attributes gets __slots__: no dict for each object."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from codeopt.rules import QUIET_MODULES, AnalyzedProgram, Context, Edit, Example, rule

EXAMPLE = Example(
    before="""\
class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y


points = [Point(k, -k) for k in range(9)]
print(sum(p.x * p.y for p in points))
""",
    after="""\
class Point:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y


points = [Point(k, -k) for k in range(9)]
print(sum(p.x * p.y for p in points))
""",
)

IMPORTS = (QUIET_MODULES - {"copy"}) | {"__future__", "dataclasses", "json", "os", "pathlib"}
"""What sets no attributes of objects that it is given; pickle, weakref and copy are not among them."""
TELLING = frozenset(
    {"__class__", "type", "getattr", "setattr", "delattr", "hasattr", "super", "getsizeof", "__exit__", "__del__"}
    | {"excepthook", "exc_info", "displayhook", "cached_property", "update_wrapper", "wraps", "singledispatchmethod"}
    | {"asdict", "astuple", "make_dataclass", "ClassVar", "InitVar", "KW_ONLY", "copyreg", "methodcaller"}
    | {"__getstate__", "__reduce_ex__", "__reduce__", "__setattr__", "__getattribute__", "__getattr__", "__new__"}
    | {"__dict__", "__slots__", "__weakref__", "__subclasses__", "__func__", "__delattr__", "__init_subclass__"}
    | {"__context__", "__cause__", "last_value", "exception", "no_type_check", "__call__", "__class_getitem__"}
)
"""A program with one of these words can tell, may set any attribute, or gets at the class behind an object."""
OPTIONS = frozenset({"eq", "order", "frozen", "unsafe_hash", "repr", "init"})
"""Of @dataclass."""
NOT_ATTRIBUTE = frozenset(
    {"ValueError", "KeyError", "IndexError", "ZeroDivisionError", "EOFError", "TypeError", "StopIteration"}
    | {"OverflowError", "RecursionError", "OSError", "NameError", "ArithmeticError", "LookupError", "RuntimeError"}
)
"""Exceptions that may be looked at: the text of an AttributeError differs in Python 3.8 to 3.10."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@rule(ast.ClassDef, example=EXAMPLE, aim="memory", scripts_only=True, where="hot")
def slots(node: ast.ClassDef, ctx: Context) -> Iterator[Edit]:
    """Each object of a class keeps a dict of its attributes: __slots__ keeps them in the object itself.

    A plain class, or a plain dataclass without defaults, that nothing derives from and whose attributes are set as
    `self.NAME` in its own methods. Refused where the program sets other attributes of any object, gives one of the
    names a meaning in the class, passes the class around, or could see the difference: getattr, type(), pickle, copy.
    """
    program = ctx.program
    if not _plain(program, node) or not _blind(program):
        return
    named = {part.name for part in node.body if isinstance(part, Function)} | _assigned(node)
    fields = [ast.unparse(part.target) for part in node.body if isinstance(part, ast.AnnAssign)]
    names = [*fields, *(name for name in _set_on_self(node) if name not in fields)]
    if not names or named & set(names) or any(name.startswith("__") for name in names):
        return
    if _only_made(program, node, named) and _no_other_stores(program, node, set(names)):
        yield _line(program, node, names)


def _plain(program: AnalyzedProgram, node: ast.ClassDef) -> bool:
    """No base, no keyword, at most @dataclass; a body of methods, constants and fields on lines of its own."""
    if any(isinstance(around, ast.ClassDef) for around in program.scopes.parents(node)):
        return False  # reached as an attribute, too
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
    imported = any(
        isinstance(part, ast.ImportFrom)
        and part.module == "dataclasses"
        and any(alias.name == "dataclass" and alias.asname is None for alias in part.names)
        for part in program.tree.body
    )
    return imported and isinstance(called, ast.Name) and called.id == "dataclass" and _bound(program, "dataclass") == 1


def _member(part: ast.stmt) -> bool:
    match part:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return all(isinstance(d, ast.Name) and d.id in ("staticmethod", "property") for d in part.decorator_list)
        case ast.Assign(targets=[ast.Name()], value=ast.Constant()) | ast.Pass() | ast.Expr(ast.Constant()):
            return True
        case ast.AnnAssign(target=ast.Name(), value=None):
            return True
    return False


def _assigned(node: ast.ClassDef) -> set[str]:
    return {ast.unparse(part.targets[0]) for part in node.body if isinstance(part, ast.Assign)}


def _blind(program: AnalyzedProgram) -> bool:
    """The program has no way to tell whether an object has a dict."""
    if program.scopes.stars or any(word in program.text for word in ("__dict__", "__slots__", "__class__")):
        return False
    if program.words & TELLING:
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
    """What is caught is no AttributeError."""
    each = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return all(isinstance(one, ast.Name) and one.id in NOT_ATTRIBUTE and not program.rebinds(one.id) for one in each)


def _first(method: Function) -> str:
    """What a method calls its object; empty for one that has none, or gives the name another meaning."""
    arguments = [*method.args.posonlyargs, *method.args.args]
    if not arguments or any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in method.decorator_list):
        return ""
    name = arguments[0].arg
    for part in ast.walk(method):
        match part:
            case ast.Name(id, ast.Store() | ast.Del()) if id == name:
                return ""
            case ast.arg(arg) if arg == name and part is not arguments[0]:
                return ""
            case ast.ClassDef() | ast.Global() | ast.Nonlocal() | ast.Import() | ast.ImportFrom():
                return ""
            case ast.FunctionDef(inner) | ast.AsyncFunctionDef(inner) | ast.ExceptHandler(name=inner) if inner == name:
                return ""
            case ast.MatchAs(name=inner) | ast.MatchStar(name=inner) | ast.MatchMapping(rest=inner) if inner == name:
                return ""
    return name


def _own_stores(node: ast.ClassDef) -> list[ast.Attribute]:
    """Attributes that methods set of their own object, in order."""
    found = []
    for method in node.body:
        if isinstance(method, Function) and (own := _first(method)):
            for part in ast.walk(method):
                match part:
                    case ast.Attribute(ast.Name(id), _, ast.Store()) if id == own:
                        found.append(part)
    return sorted(found, key=lambda part: (part.lineno, part.col_offset))


def _set_on_self(node: ast.ClassDef) -> dict[str, None]:
    return dict.fromkeys(part.attr for part in _own_stores(node))


def _bound(program: AnalyzedProgram, name: str) -> int:
    """How often any scope of the program binds the name."""
    scopes = program.scopes
    return sum(len(scopes.stores(each)) for each in scopes.uses if each.name == name and each.scope is not None)


def _only_made(program: AnalyzedProgram, node: ast.ClassDef, named: set[str]) -> bool:
    """The class is called, asked for one of its methods or constants, or a type: nothing else has hold of it."""
    if _bound(program, node.name) != 1:
        return False
    uses = (part for part in program.names(program.tree) if part.id == node.name)
    return all(_harmless(program, use, named) for use in uses)


def _harmless(program: AnalyzedProgram, use: ast.Name, named: set[str]) -> bool:
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
            case ast.Subscript() | ast.BinOp(op=ast.BitOr()) | ast.Tuple() | ast.List():
                child = parent
            case _:
                return False
    return False


def _no_other_stores(program: AnalyzedProgram, node: ast.ClassDef, names: set[str]) -> bool:
    """Whatever else is set is set by another class's methods of their own objects, or is one of these names."""
    own = set()
    for other in program.of_kind(ast.ClassDef):
        if other is node or _methods_stay(program, other):
            own.update(_own_stores(other))
    for part in program.walk():
        match part:
            case ast.Attribute(ctx=ast.Del()):
                return False
            case ast.Attribute(attr=name, ctx=ast.Store()) if part not in own and name not in names:
                return False
    return True


def _methods_stay(program: AnalyzedProgram, other: ast.ClassDef) -> bool:
    """Nobody can call a method of it with an object of another class."""
    around = program.scopes.parents(other)
    if _bound(program, other.name) != 1 or any(isinstance(each, ast.ClassDef) for each in around):
        return False
    for use in program.names(program.tree):
        match program.scopes.parent[use]:
            case ast.Call(func=func) if func is use:
                continue
            case ast.ClassDef() | ast.ExceptHandler() | ast.Raise():
                continue
        if use.id == other.name:
            return False
    return True


def _line(program: AnalyzedProgram, node: ast.ClassDef, names: list[str]) -> Edit:
    """Below the docstring, else on top of the body, with an empty line where a method follows."""
    listed = ", ".join(f'"{name}"' for name in names)
    text = f"__slots__ = ({listed},)" if len(names) == 1 else f"__slots__ = ({listed})"
    first, follows = node.body[0], node.body[1:2]
    if not (isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)):
        gap = program.newline if isinstance(first, Function) else ""
        edit = program.before(first, text)
    else:
        edit = program.below(first, text)
        after = program.text[edit.start :].partition("\n")[0].strip()
        gap = program.newline if after and isinstance(follows[0] if follows else None, Function) else ""
    return edit._replace(text=edit.text + gap)
