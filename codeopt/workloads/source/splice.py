"""A draft -> the module with that function changed: new helpers and imports go in with it, everything else stays as
it is."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import libcst as cst

from codeopt.workloads.source.definitions import code, find, find_class
from codeopt.workloads.source.functions import SpliceError, at_margin
from codeopt.workloads.source.imports import additions, insert, new_methods


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
        node.body = [each for each in node.body if not isinstance(each, ast.Expr | ast.Pass) or not _says_nothing(each)]
    return bool(now.body) and ast.dump(was) != ast.dump(now)


def _says_nothing(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


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
    replacement = _as_replacement(old_def, new_def, qualname)
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
        return _without_header(cst.parse_module(at_margin(draft)))
    except cst.ParserSyntaxError as error:
        raise SpliceError(f"line {error.raw_line}: {error.message}") from error
    except RecursionError as error:
        raise SpliceError("it is nested too deeply to be read") from error


def _without_header(draft: cst.Module) -> cst.Module:
    """Comments at its top as those of its first statement, which may be a helper."""
    if not draft.header or not draft.body:
        return draft
    first: Any = draft.body[0]
    lines = [line for line in draft.header if line.comment is not None]
    first = first.with_changes(leading_lines=[*lines, *first.leading_lines])
    return draft.with_changes(header=(), body=[first, *draft.body[1:]])


def _as_replacement(old: cst.FunctionDef, new: cst.FunctionDef, qualname: str) -> cst.FunctionDef:
    """Return the new function with the old one's blank lines and comments, and its decorators unless it has its own."""
    if (old.asynchronous is None) != (new.asynchronous is None):
        raise SpliceError(f"{qualname} must stay {'a plain' if old.asynchronous is None else 'an async'} function")
    before, after = _signature(old), _signature(new)
    if before != after:
        raise SpliceError(f"it changes the parameters of {qualname} from ({', '.join(before)}) to ({', '.join(after)})")
    decorators = new.decorators or old.decorators
    if _KINDS & _names(old.decorators) != _KINDS & _names(decorators):
        raise SpliceError(f"it changes what kind of method {qualname} is")
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
