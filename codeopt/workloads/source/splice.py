"""A draft -> the module with that function changed: new helpers and imports go in with it, everything else stays as
it is."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import libcst as cst

from codeopt.analysis.nodes import bound_names, evaluated_names, import_index
from codeopt.workloads.source.functions import SpliceError, at_margin


def with_own_helpers(module: cst.Module, draft: cst.Module, qualname: str) -> cst.Module:
    """The draft, in which functions of the module that it changes have names of their own."""
    short = qualname.rpartition(".")[2]
    old, new = _functions(module), _functions(draft)
    changed = {name for name in new.keys() & old.keys() if name != short and _differs(old[name], new[name])}
    taken = {node.value for node in _all_names(module)} | {node.value for node in _all_names(draft)}
    names = {name: _free(f"_{name.lstrip('_')}_of_{short}", taken) for name in sorted(changed)}
    found = draft.visit(_Rename(names)) if names else draft
    assert isinstance(found, cst.Module)
    return found


def _functions(module: cst.Module) -> dict[str, cst.FunctionDef]:
    return {node.name.value: node for node in module.body if isinstance(node, cst.FunctionDef)}


def _differs(old: cst.FunctionDef, new: cst.FunctionDef) -> bool:
    """Return True if the new function differs and has a body. A model may give a helper's head only."""
    was, now = (ast.parse(code(node).strip()).body[0] for node in (old, new))
    assert isinstance(was, ast.FunctionDef | ast.AsyncFunctionDef)
    assert isinstance(now, ast.FunctionDef | ast.AsyncFunctionDef)
    for node in (was, now):
        body = [each for each in node.body if not isinstance(each, ast.Pass)]
        node.body = [e for e in body if not (isinstance(e, ast.Expr) and isinstance(e.value, ast.Constant))]
    return bool(now.body) and ast.dump(was) != ast.dump(now)


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _all_names(module: cst.Module) -> list[cst.Name]:
    found: list[cst.Name] = []

    class Names(cst.CSTVisitor):
        def visit_Name(self, node: cst.Name) -> None:  # noqa: N802
            found.append(node)

    module.visit(Names())
    return found


class _Rename(cst.CSTTransformer):
    """Renames names, but not attributes and keywords with the same spelling."""

    def __init__(self, names: dict[str, str]) -> None:
        super().__init__()
        self.names = names

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> Any:  # noqa: N802
        """Another name for what is changed."""
        return updated_node.with_changes(value=self.names.get(updated_node.value, updated_node.value))

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> Any:  # noqa: N802
        """An attribute is of something else."""
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> Any:  # noqa: N802
        """A keyword is the callee's."""
        return updated_node.with_changes(keyword=original_node.keyword)


_KINDS = frozenset({"staticmethod", "classmethod", "property", "cached_property"})


def splice(original: str, qualname: str, draft: str) -> str:
    """The module `original` with the function `qualname` taken from `draft`: a whole module, or the function with
    what it needs.

    Of the draft only that function, and imports and new definitions that it uses, are taken; a helper of the module
    that it changes becomes one of its own. Raises SpliceError.
    """
    module = cst.parse_module(original)
    new = with_own_helpers(module, _parse(draft), qualname)
    *classes, name = qualname.split(".")
    old_def = find(module.body, [*classes, name])
    if old_def is None:
        raise SpliceError(f"the module defines no {qualname}")
    new_class = find_class(new.body, classes)
    new_def = find(new.body, [*classes, name]) or find(new.body, [name])
    if new_def is None:
        raise SpliceError(f"the draft does not define {qualname}")
    if (old_def.asynchronous is None) != (new_def.asynchronous is None):
        raise SpliceError(f"{qualname} must stay {'a plain' if old_def.asynchronous is None else 'an async'} function")
    before, after = _signature(old_def), _signature(new_def)
    if before != after:
        raise SpliceError(f"it changes the parameters of {qualname} from ({', '.join(before)}) to ({', '.join(after)})")
    decorators = new_def.decorators or old_def.decorators
    if _KINDS & _names(old_def.decorators) != _KINDS & _names(decorators):
        raise SpliceError(f"it changes what kind of method {qualname} is")
    body = new_def.body
    if isinstance(body, cst.IndentedBlock):
        body = _with_docstring(old_def, body)
        body = body.with_changes(indent=None)
        if isinstance(old_def.body, cst.IndentedBlock):
            body = body.with_changes(footer=old_def.body.footer)
    replacement = new_def.with_changes(
        leading_lines=old_def.leading_lines,
        lines_after_decorators=old_def.lines_after_decorators,
        decorators=decorators,
        params=old_def.params,
        returns=old_def.returns,
        body=body,
    )
    methods = new_methods(find_class(module.body, classes), new_class, replacement) if classes else []
    imports, helpers = additions(module, new, classes[0] if classes else name, [replacement, *methods])
    changed = module.visit(_Replace(old_def, [*methods, replacement]))
    assert isinstance(changed, cst.Module)
    result = insert(changed, imports, helpers, classes[0] if classes else name).code
    try:
        ast.parse(result)
    except SyntaxError as error:
        raise SpliceError(f"put back into the module, line {error.lineno} is no Python: {error.msg}") from error
    return result


def _parse(draft: str) -> cst.Module:
    try:
        module = cst.parse_module(at_margin(draft))
        if not module.header or not module.body:
            return module
        # comments at its top belong to its first statement, which may be a helper
        first: Any = module.body[0]
        lines = [line for line in module.header if line.comment is not None]
        first = first.with_changes(leading_lines=[*lines, *first.leading_lines])
        return module.with_changes(header=(), body=[first, *module.body[1:]])
    except cst.ParserSyntaxError as error:
        raise SpliceError(f"line {error.raw_line}: {error.message}") from error
    except RecursionError as error:
        raise SpliceError("it is nested too deeply to be read") from error


def _names(decorators: Sequence[cst.Decorator]) -> set[str]:
    return {code(decorator.decorator).partition("(")[0].rpartition(".")[2] for decorator in decorators}


def _signature(node: cst.FunctionDef) -> list[str]:
    """The parameters without their annotations."""
    tree = ast.parse(f"def f({code(node.params)}): ...").body[0]
    assert isinstance(tree, ast.FunctionDef)
    for argument in ast.walk(tree.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    return ast.unparse(tree.args).split(", ") if ast.unparse(tree.args) else []


def _with_docstring(old: cst.FunctionDef, body: cst.IndentedBlock) -> cst.IndentedBlock:
    """The old docstring stays, where the draft left it out or wrote another."""
    was, now = _docstring(old.body), _docstring(body)
    if was is None:
        return body
    rest = body.body[1:] if now is not None else body.body
    return body.with_changes(body=[was, *rest]) if rest else body


def _docstring(body: cst.BaseSuite) -> cst.BaseStatement | None:
    first = body.body[0] if isinstance(body, cst.IndentedBlock) and body.body else None
    if isinstance(first, cst.SimpleStatementLine) and isinstance(first.body[0], cst.Expr):
        value = first.body[0].value
        if isinstance(value, cst.SimpleString | cst.ConcatenatedString):
            return first
    return None


class _Replace(cst.CSTTransformer):
    """One definition by others."""

    def __init__(self, old: cst.FunctionDef, new: Sequence[cst.FunctionDef]) -> None:
        super().__init__()
        self.old, self.new = old, new

    def leave_FunctionDef(  # noqa: N802
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> Any:
        """The new ones in place of the old one."""
        return cst.FlattenSentinel(self.new) if original_node is self.old else updated_node


# Methods, helpers and imports that a draft's function needs and the module has not, and where they go.


def new_methods(
    old: cst.ClassDef | None, new: cst.ClassDef | None, replacement: cst.FunctionDef
) -> list[cst.FunctionDef]:
    """Methods of the draft's class that the original has not and the function uses."""
    if old is None or new is None:
        return []
    known = {node.name.value for node in old.body.body if isinstance(node, cst.FunctionDef)}
    fresh = {n.name.value: n for n in new.body.body if isinstance(n, cst.FunctionDef) and n.name.value not in known}
    return [fresh[name] for name in _used(code(replacement), {name: code(node) for name, node in fresh.items()})]


def additions(
    module: cst.Module, new: cst.Module, anchor: str, roots: Sequence[cst.CSTNode]
) -> tuple[list[Any], list[Any]]:
    """Imports and top-level definitions of the draft that are new and used by what is put back."""
    tree = ast.parse(module.code)
    known = bound_names(tree)
    at_hand = known - _bound_too_late(tree, anchor, roots)
    imports: dict[str, cst.BaseStatement] = {}
    helpers: dict[str, cst.BaseStatement] = {}
    for node in new.body:
        names = bound_names(ast.parse(code(node)))
        assigns = isinstance(node, cst.SimpleStatementLine) and isinstance(node.body[0], cst.Assign | cst.AnnAssign)
        defines = assigns or isinstance(node, cst.FunctionDef | cst.ClassDef)
        if is_import(node):
            imports |= {name: statement for name, statement in _imports(node) if name not in at_hand}
        elif names and not names & known and anchor not in names and defines:
            helpers |= dict.fromkeys(names, node)
    candidates = {name: code(node) for name, node in {**imports, **helpers}.items()}
    used = _used("\n".join(code(root) for root in roots), candidates)
    wanted_imports = _once([imports[name] for name in imports if name in used])
    order = list(new.body)
    wanted = _once([helpers[name] for name in helpers if name in used])
    return wanted_imports, sorted(wanted, key=order.index)


def _bound_too_late(tree: ast.Module, anchor: str, roots: Iterable[cst.CSTNode]) -> set[str]:
    """Names that the module binds below the function alone, though that needs them as soon as it is defined."""
    needed = {name for root in roots for name in evaluated_names(ast.parse(textwrap.dedent(code(root)).strip()))}
    for node in tree.body:
        if anchor in (bound := bound_names(node)):
            return needed
        needed -= bound
    return set()


def _once(nodes: Iterable[Any]) -> list[Any]:
    found: dict[int | str, Any] = {}
    for node in nodes:
        found.setdefault(code(node), node)
    return list(found.values())


def is_import(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.SimpleStatementLine) and isinstance(node.body[0], cst.Import | cst.ImportFrom)


def _imports(node: cst.CSTNode) -> Iterable[tuple[str, cst.BaseStatement]]:
    """(bound name, a statement that imports it alone) of an import statement."""
    tree = ast.parse(code(node).strip()).body
    for statement in tree:
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            continue
        if not isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        for alias in statement.names:
            if alias.name == "*":
                raise SpliceError("it imports *: name what is needed")
            one: ast.stmt = ast.Import([alias])
            if isinstance(statement, ast.ImportFrom):
                one = ast.ImportFrom(statement.module, [alias], statement.level)
            yield (alias.asname or alias.name).partition(".")[0], cst.parse_statement(ast.unparse(one))


def _used(text: str, candidates: dict[str, str]) -> list[str]:
    """The part of `candidates` that a text uses, and what those use, in the order of `candidates`."""
    found: set[str] = set()
    todo = [text]
    while todo:
        tree = [*ast.walk(ast.parse(textwrap.dedent(todo.pop())))]
        names = {n.id for n in tree if isinstance(n, ast.Name)} | {n.attr for n in tree if isinstance(n, ast.Attribute)}
        fresh = [name for name in candidates if name in names and name not in found]
        found.update(fresh)
        todo += [candidates[name] for name in fresh]
    return [name for name in candidates if name in found]


def insert(module: cst.Module, imports: Sequence[Any], helpers: Sequence[Any], anchor: str) -> cst.Module:
    """Imports below the last import at the top, helpers above the statement that holds the function."""
    body = list(module.body)
    if helpers:
        at = next(
            at
            for at, node in enumerate(body)
            if anchor in {n.name.value for n in flat([node]) if isinstance(n, cst.FunctionDef | cst.ClassDef)}
        )
        first = at == 0 and not module.header
        spaced = [_spaced(node, first and number == 0) for number, node in enumerate(helpers)]
        if at == 0:  # the module's header is kept above; the function needs its own blank lines now
            body[0] = _spaced(body[0], False)
        body[at:at] = spaced
    if imports:
        at = _import_place(module.with_changes(body=body), imports)
        body[at:at] = imports
        below = at + len(imports)
        documented = isinstance(body[0], cst.SimpleStatementLine) and isinstance(body[0].body[0], cst.Expr)
        if below < len(body) and at == 1 and documented:
            body[below] = _spaced(body[below], False)
    return module.with_changes(body=body)


def _spaced(node: Any, first: bool) -> Any:
    """Set the blank lines above a statement that are usual for its kind."""
    lines = [line for line in node.leading_lines if line.comment is not None]
    blank = 0 if first else 2 if isinstance(node, cst.FunctionDef | cst.ClassDef) else 1
    return node.with_changes(leading_lines=[*[cst.EmptyLine(indent=False)] * blank, *lines])


def _import_place(module: cst.Module, imports: Sequence[cst.CSTNode]) -> int:
    """The index in the module's body at which new imports go: a line of several statements is one of it."""
    names = set().union(*(bound_names(ast.parse(code(node))) for node in imports))
    wanted, above = import_index(ast.parse(module.code).body, names), 0
    for at, node in enumerate(module.body):
        if above >= wanted:
            return at
        above += len(node.body) if isinstance(node, cst.SimpleStatementLine) else 1
    return len(module.body)


# Definitions in a libcst module by name, in any surrounding statements.


def find(body: Iterable[cst.CSTNode], path: Sequence[str]) -> cst.FunctionDef | None:
    """The last definition of that name that is no overload and no property's setter; `if`, `try` and `with` at the
    same level are looked into."""
    found: cst.FunctionDef | None = None
    for node in flat(body):
        if len(path) == 1 and isinstance(node, cst.FunctionDef) and node.name.value == path[0] and not _beside(node):
            found = node
        elif len(path) > 1 and isinstance(node, cst.ClassDef) and node.name.value == path[0]:
            found = find(node.body.body, path[1:]) or found
    return found


def flat(body: Iterable[cst.CSTNode]) -> Iterable[cst.CSTNode]:
    """Statements, and those inside of `if`, `try` and `with`."""
    for node in body:
        yield node
        if isinstance(node, cst.If | cst.Try | cst.With | cst.Else | cst.Finally | cst.ExceptHandler):
            yield from flat(node.body.body)
            for part in ("orelse", "finalbody"):
                if (other := getattr(node, part, None)) is not None:
                    yield from flat([other])
            yield from flat(getattr(node, "handlers", ()))


def find_class(body: Iterable[cst.CSTNode], path: Sequence[str]) -> cst.ClassDef | None:
    """The class of that name, in the classes named before it."""
    found = None
    for name in path:
        found = next((n for n in flat(body) if isinstance(n, cst.ClassDef) and n.name.value == name), None)
        if found is None:
            return None
        body = found.body.body
    return found


def _beside(node: cst.FunctionDef) -> bool:
    kinds = {code(d.decorator).rpartition(".")[2] for d in node.decorators}
    return not kinds.isdisjoint(("overload", "setter", "deleter"))


def code(node: cst.CSTNode) -> str:
    return cst.Module(body=[]).code_for_node(node)
