"""Variants of a module's text that separate the cost of its own import from the cost of importing others."""

from __future__ import annotations

import ast
from collections.abc import Iterator

COMPUTED = (
    ast.Call, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.BinOp, ast.JoinedStr, ast.Await, ast.Lambda
)  # fmt: skip
"""Nodes that may take any time."""
KEPT = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)


def with_imports(original: str, draft: str) -> str:
    """The original with the modules that the draft newly imports: what they take to load is no work of the draft's."""
    known = {ast.unparse(node) for node in _imports(original)}
    new = [text for node in _imports(draft) if (text := ast.unparse(node)) not in known]
    return "\n".join([original, *new, ""]) if new else original


def _imports(source: str) -> list[ast.stmt]:
    found = [node for node in ast.parse(source).body if isinstance(node, ast.Import | ast.ImportFrom)]
    return [node for node in found if not (isinstance(node, ast.ImportFrom) and node.module == "__future__")]


def without_computing(source: str) -> str:
    """A module's imports, definitions and constants; gone is all that computes while it is imported."""
    tree = ast.parse(source)
    return ast.unparse(ast.Module(list(_plain(tree.body)), []))


def _plain(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        if not isinstance(node, KEPT) or any(
            isinstance(part, COMPUTED) for each in _run_at_once(node) for part in each
        ):
            continue
        if isinstance(node, ast.ClassDef):
            inner = list(_plain(node.body)) or [ast.Pass()]
            yield ast.ClassDef(node.name, node.bases, node.keywords, inner, node.decorator_list)
        else:
            yield node


def _run_at_once(node: ast.stmt) -> Iterator[Iterator[ast.AST]]:
    """Yield the parts of a statement that run at its place: of a definition the parts around its body."""
    if isinstance(node, ast.ClassDef):
        parts: list[ast.AST] = [*node.bases, *node.keywords, *node.decorator_list]
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        parts = [node.args, *filter(None, [node.returns]), *node.decorator_list]
    else:
        parts = [node]
    return map(ast.walk, parts)
