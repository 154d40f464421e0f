"""A draft -> the module with that function changed: new helpers and imports go in with it, everything else stays as
it is."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import libcst as cst

_KINDS = frozenset({"staticmethod", "classmethod", "property", "cached_property"})


class PutBackError(ValueError):
    """The draft cannot replace the function; the message says why, for whoever wrote it."""


def put_back(original: str, qualname: str, draft: str) -> str:
    """The module `original` with the function `qualname` taken from `draft`: a whole module, or the function with
    what it needs.

    Of the draft only that function, and imports and new definitions that it uses, are taken. Raises PutBackError.
    """
    module = cst.parse_module(original)
    new = _parse(draft)
    *classes, name = qualname.split(".")
    old_def = find(module.body, [*classes, name])
    if old_def is None:
        raise PutBackError(f"the module defines no {qualname}")
    new_class = _find_class(new.body, classes)
    new_def = find(new.body, [*classes, name]) or find(new.body, [name])
    if new_def is None:
        raise PutBackError(f"the draft does not define {qualname}")
    replacement = _as_replacement(old_def, new_def, qualname)
    methods = _new_methods(_find_class(module.body, classes), new_class, replacement) if classes else []
    imports, helpers = _additions(module, new, classes[0] if classes else name, [replacement, *methods])
    changed = module.visit(_Replace(old_def, [*methods, replacement]))
    assert isinstance(changed, cst.Module)
    result = _insert(changed, imports, helpers, classes[0] if classes else name).code
    try:
        ast.parse(result)
    except SyntaxError as error:
        raise PutBackError(f"put back into the module, line {error.lineno} is no Python: {error.msg}") from error
    return result


def _parse(draft: str) -> cst.Module:
    text = draft if not draft[:1].isspace() else textwrap.dedent(draft)
    try:
        return cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        raise PutBackError(f"line {error.raw_line}: {error.message}") from error
    except RecursionError as error:
        raise PutBackError("it is nested too deeply to be read") from error


# --- finding -------------------------------------------------------------------------------------------------------


def find(body: Iterable[cst.CSTNode], path: Sequence[str]) -> cst.FunctionDef | None:
    """The last definition of that name that is no overload and no property's setter; `if`, `try` and `with` at the
    same level are looked into."""
    found: cst.FunctionDef | None = None
    for node in _flat(body):
        if len(path) == 1 and isinstance(node, cst.FunctionDef) and node.name.value == path[0] and not _beside(node):
            found = node
        elif len(path) > 1 and isinstance(node, cst.ClassDef) and node.name.value == path[0]:
            found = find(node.body.body, path[1:]) or found
    return found


def _flat(body: Iterable[cst.CSTNode]) -> Iterable[cst.CSTNode]:
    for node in body:
        yield node
        if isinstance(node, cst.If | cst.Try | cst.With | cst.Else | cst.Finally | cst.ExceptHandler):
            yield from _flat(node.body.body)
            for part in ("orelse", "finalbody"):
                if (other := getattr(node, part, None)) is not None:
                    yield from _flat([other])
            yield from _flat(getattr(node, "handlers", ()))


def _find_class(body: Iterable[cst.CSTNode], path: Sequence[str]) -> cst.ClassDef | None:
    found = None
    for name in path:
        found = next((n for n in _flat(body) if isinstance(n, cst.ClassDef) and n.name.value == name), None)
        if found is None:
            return None
        body = found.body.body
    return found


def _beside(node: cst.FunctionDef) -> bool:
    kinds = {_code(d.decorator).rpartition(".")[2] for d in node.decorators}
    return not kinds.isdisjoint(("overload", "setter", "deleter"))


def _code(node: cst.CSTNode) -> str:
    return cst.Module(body=[]).code_for_node(node)


# --- the function --------------------------------------------------------------------------------------------------


def _as_replacement(old: cst.FunctionDef, new: cst.FunctionDef, qualname: str) -> cst.FunctionDef:
    """The new function where the old one stood: its blank lines and comments above, its decorators if none are
    given."""
    if (old.asynchronous is None) != (new.asynchronous is None):
        raise PutBackError(f"{qualname} must stay {'a plain' if old.asynchronous is None else 'an async'} function")
    before, after = _signature(old), _signature(new)
    if before != after:
        raise PutBackError(
            f"it changes the parameters of {qualname} from ({', '.join(before)}) to ({', '.join(after)})"
        )
    decorators = new.decorators or old.decorators
    if _KINDS & _names(old.decorators) != _KINDS & _names(decorators):
        raise PutBackError(f"it changes what kind of method {qualname} is")
    body = new.body
    if isinstance(body, cst.IndentedBlock):
        body = _with_docstring(old, body)
        body = body.with_changes(indent=None)
        if isinstance(old.body, cst.IndentedBlock):
            body = body.with_changes(footer=old.body.footer)
    return new.with_changes(
        leading_lines=old.leading_lines,
        lines_after_decorators=old.lines_after_decorators,
        decorators=decorators,
        params=old.params,
        returns=old.returns,
        body=body,
    )


def _names(decorators: Sequence[cst.Decorator]) -> set[str]:
    return {_code(decorator.decorator).partition("(")[0].rpartition(".")[2] for decorator in decorators}


def _signature(node: cst.FunctionDef) -> list[str]:
    """The parameters without their annotations."""
    tree = ast.parse(f"def f({_code(node.params)}): ...").body[0]
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


# --- what it needs -------------------------------------------------------------------------------------------------


def _new_methods(
    old: cst.ClassDef | None, new: cst.ClassDef | None, replacement: cst.FunctionDef
) -> list[cst.FunctionDef]:
    """Methods of the draft's class that the original has not and the function uses."""
    if old is None or new is None:
        return []
    known = {node.name.value for node in old.body.body if isinstance(node, cst.FunctionDef)}
    fresh = {n.name.value: n for n in new.body.body if isinstance(n, cst.FunctionDef) and n.name.value not in known}
    return [fresh[name] for name in _used(_code(replacement), {name: _code(node) for name, node in fresh.items()})]


def _additions(
    module: cst.Module, new: cst.Module, anchor: str, roots: Sequence[cst.CSTNode]
) -> tuple[list[Any], list[Any]]:
    """Imports and top-level definitions of the draft that are new and used by what is put back."""
    known = _bound(ast.parse(module.code))
    imports: dict[str, cst.BaseStatement] = {}
    helpers: dict[str, cst.BaseStatement] = {}
    for node in new.body:
        names = _bound(ast.parse(_code(node)))
        if _is_import(node):
            imports |= {name: statement for name, statement in _imports(node, known) if name not in known}
        elif names and not names & known and anchor not in names and _is_definition(node):
            helpers |= dict.fromkeys(names, node)
    candidates = {name: _code(node) for name, node in {**imports, **helpers}.items()}
    used = _used("\n".join(_code(root) for root in roots), candidates)
    wanted_imports = _once([imports[name] for name in imports if name in used])
    order = list(new.body)
    wanted = _once([helpers[name] for name in helpers if name in used])
    return wanted_imports, sorted(wanted, key=order.index)


def _once(nodes: Iterable[Any]) -> list[Any]:
    found: dict[int | str, Any] = {}
    for node in nodes:
        found.setdefault(_code(node), node)
    return list(found.values())


def _bound(tree: ast.Module) -> set[str]:
    """Names that module-level code binds."""
    found: set[str] = set()
    todo: list[ast.AST] = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif not isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            todo.extend(ast.iter_child_nodes(node))
    return found


def _is_import(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.SimpleStatementLine) and isinstance(node.body[0], cst.Import | cst.ImportFrom)


def _is_definition(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.FunctionDef | cst.ClassDef):
        return True
    return isinstance(node, cst.SimpleStatementLine) and isinstance(node.body[0], cst.Assign | cst.AnnAssign)


def _imports(node: cst.CSTNode, known: set[str]) -> Iterable[tuple[str, cst.BaseStatement]]:
    """(bound name, a statement that imports it alone) of an import statement."""
    tree = ast.parse(_code(node).strip()).body
    for statement in tree:
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            continue
        if not isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        for alias in statement.names:
            if alias.name == "*":
                raise PutBackError("it imports *: name what is needed")
            one: ast.stmt = ast.Import([alias])
            if isinstance(statement, ast.ImportFrom):
                one = ast.ImportFrom(statement.module, [alias], statement.level)
            yield (alias.asname or alias.name).partition(".")[0], cst.parse_statement(ast.unparse(one))


def _used(text: str, candidates: dict[str, str]) -> list[str]:
    """Those of `candidates` that a text uses, and what those use, in the order of `candidates`."""
    found: set[str] = set()
    todo = [text]
    while todo:
        names = _mentioned(todo.pop())
        fresh = [name for name in candidates if name in names and name not in found]
        found.update(fresh)
        todo += [candidates[name] for name in fresh]
    return [name for name in candidates if name in found]


def _mentioned(text: str) -> set[str]:
    tree = ast.parse(textwrap.dedent(text))
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} | {
        n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)
    }


# --- putting it in -------------------------------------------------------------------------------------------------


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


def _insert(module: cst.Module, imports: Sequence[Any], helpers: Sequence[Any], anchor: str) -> cst.Module:
    """Imports below the last import at the top, helpers above the statement that holds the function."""
    body = list(module.body)
    if helpers:
        at = next(
            at
            for at, node in enumerate(body)
            if anchor in {n.name.value for n in _flat([node]) if isinstance(n, cst.FunctionDef | cst.ClassDef)}
        )
        first = at == 0 and not module.header
        spaced = [_spaced(node, first and number == 0) for number, node in enumerate(helpers)]
        if at == 0:  # the module's header is kept above; the function needs its own blank lines now
            body[0] = _spaced(body[0], False)
        body[at:at] = spaced
    if imports:
        at = _after_imports(body)
        if at == len(body) or at == 0:
            body[at:at] = imports
        else:
            body[at:at] = imports
            if at == _after_docstring(body) and at < len(body):
                body[at + len(imports)] = _spaced(body[at + len(imports)], False)
    return module.with_changes(body=body)


def _spaced(node: Any, first: bool) -> Any:
    """With the blank lines above that its kind has."""
    lines = [line for line in node.leading_lines if line.comment is not None]
    blank = 0 if first else 2 if isinstance(node, cst.FunctionDef | cst.ClassDef) else 1
    return node.with_changes(leading_lines=[*[cst.EmptyLine(indent=False)] * blank, *lines])


def _after_docstring(body: Sequence[Any]) -> int:
    first = body[0] if body else None
    documented = isinstance(first, cst.SimpleStatementLine) and isinstance(first.body[0], cst.Expr)
    return int(documented)


def _after_imports(body: Sequence[Any]) -> int:
    """Below the first block of imports; below the docstring when there is none."""
    at = _after_docstring(body)
    found = [number for number, node in enumerate(body) if _is_import(node)]
    for number in found:
        between = body[at:number]
        if all(_is_import(node) or isinstance(node, cst.If | cst.Try) for node in between):
            at = number + 1
    return at
