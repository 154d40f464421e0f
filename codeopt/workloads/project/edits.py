"""Edits of a project: what an answer changes, put into the files with everything else untouched; and each taken out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass

from codeopt.workloads.function.definitions import PutBackError
from codeopt.workloads.function.function_def import Def, definitions, first_line
from codeopt.workloads.project.text import joined, parted

_BLOCK = re.compile(
    r"^<{5,} ?SEARCH[^\n]*\n(?P<old>.*?)^={5,}[^\n]*\n(?P<new>.*?)^>{5,} ?REPLACE[^\n]*$", re.MULTILINE | re.DOTALL
)
_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class CodeEdit:
    """One function that is other than it was."""

    file: str
    qualname: str
    """`<module>` where no function changes, but what stands outside of them."""

    def __str__(self) -> str:
        return f"{self.file}::{self.qualname}"


def edits_of(old: str, new: str) -> tuple[CodeEdit, ...]:
    """What differs between two texts of a project."""
    before, found = parted(old), []
    for path, text in parted(new).items():
        if path in before and text != before[path]:
            was, now = _functions(before[path]), _functions(text)
            changed = [name for name, lines in was.items() if now.get(name) != lines]
            found += [CodeEdit(path, name) for name in changed or ["<module>"]]
    return tuple(found)


def without(old: str, new: str, edit: CodeEdit) -> str:
    """The new text with one edit taken back."""
    before, files = parted(old), parted(new)
    if edit.qualname == "<module>":
        files[edit.file] = before[edit.file]
        return joined(files)
    text = files[edit.file]
    was = _functions(before[edit.file])[edit.qualname]
    now = _span(text, edit.qualname)
    if now is not None:
        files[edit.file] = _replaced(text, now, was)
    else:
        files[edit.file] = _added(text, edit.qualname, was)
    if not any(each.file == edit.file for each in edits_of(old, joined(files)) if each.qualname != "<module>"):
        files[edit.file] = before[edit.file]  # what is left are helpers and imports that nobody needs
    return joined(files)


def answered(source: str, answer: str) -> str:
    """The project with an answer put in: search/replace blocks, or whole functions below a file's line.

    Raises PutBackError.
    """
    files = parted(source)
    for path, part in (parted(answer) or {_meant(files, answer): answer}).items():
        if path not in files:
            raise PutBackError(f"the project has no file {path} that could be changed; there are {', '.join(files)}")
        blocks = list(_BLOCK.finditer(part))
        files[path] = _by_blocks(files[path], path, blocks) if blocks else _with_functions(files[path], path, part)
    return joined(files)


def _meant(files: Mapping[str, str], answer: str) -> str:
    """The only file that has what an answer changes, where it names none. Raises PutBackError."""
    blocks = [block["old"] for block in _BLOCK.finditer(answer)]
    names = {node.name for node in _tree("" if blocks else answer, "the answer").body if isinstance(node, _NAMED)}
    found = [
        path for path, text in files.items()
        if all(block in text for block in blocks) and names <= _defined(text)
    ]  # fmt: skip
    if len(found) != 1:
        raise PutBackError("the answer does not say which file it changes: `# === file: PATH ===` above each part")
    return found[0]


def _defined(text: str) -> set[str]:
    return {node.name for node in ast.parse(text).body if isinstance(node, _NAMED)}


def _by_blocks(text: str, path: str, blocks: list[re.Match[str]]) -> str:
    for block in blocks:
        if text.count(block["old"]) != 1:
            raise PutBackError(f"{path}: a SEARCH block stands {text.count(block['old'])} times in it, and not once")
        text = text.replace(block["old"], block["new"])
    _tree(text, path)
    return text


def _with_functions(text: str, path: str, part: str) -> str:
    """Each function of the answer in place of the one of its name; new imports, helpers and constants beside it."""
    new, old = _tree(part, path), _tree(text, path)
    _same_parameters(old, new, path)
    head = _Heads(text, dict(_outer(old.body, "")), part)
    for node in new.body:
        lines = head.lines(node, getattr(node, "name", ""))
        if isinstance(node, ast.ClassDef) and _span(text, node.name) is not None:
            text = _with_methods(text, head, node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            span = _span(text, node.name)
            text = _replaced(text, span, lines) if span else _before_functions(text, lines)
        elif isinstance(node, ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign):
            same = _bound(text, node)
            if same is None or "".join(text.splitlines(keepends=True)[same[0] - 1 : same[1]]) != lines:
                text = _replaced(text, same, lines) if same else _as_head(text, lines, node)
    _tree(text, path)
    return text


@dataclass(frozen=True)
class _Heads:
    """What an answer need not repeat of a function: decorators, annotations and docstring."""

    old: str
    """The file's text."""
    known: Mapping[str, Def]
    """Its functions."""
    part: str
    """The answer's."""

    def lines(self, node: ast.stmt, qualname: str) -> str:
        """Those of a statement of the answer; of a function with what the old one has at its begin."""
        was = self.known.get(qualname)
        if not isinstance(node, Def) or was is None:
            return _lines_of(self.part, node)
        head = self._head(was, node)
        theirs = self.part.splitlines(keepends=True)
        if head is None or node.lineno == node.body[0].lineno:
            return _lines_of(self.part, node)
        return "".join([*head, *theirs[_begin(theirs, node) : node.end_lineno]])

    def _head(self, was: Def, now: Def) -> list[str] | None:
        """All above the first statement; None where the old one and its first statement share a line."""
        mine, theirs = (text.splitlines(keepends=True) for text in (self.old, self.part))
        above = mine[_first(was) - 1 : was.lineno - 1]
        if now.decorator_list or not above:
            above = theirs[_first(now) - 1 : now.lineno - 1]
        body = was.body[0]
        if was.lineno == body.lineno or body.col_offset != now.body[0].col_offset:
            return None
        bare = _is_annotated(was) and not _is_annotated(now) and type(was) is type(now)
        head = mine[was.lineno - 1 : _begin(mine, was)] if bare else theirs[now.lineno - 1 : _begin(theirs, now)]
        texts = ast.get_docstring(was) is not None and ast.get_docstring(now) is None
        return [*above, *head, *(mine[body.lineno - 1 : body.end_lineno] if texts else ())]


def _begin(lines: Sequence[str], node: Def) -> int:
    """How many lines stand above its first statement and the comments on that."""
    at = _first(node.body[0]) - 1
    while lines[at - 1].lstrip().startswith("#"):
        at -= 1
    return at


def _is_annotated(node: Def) -> bool:
    return bool(node.returns) or any(isinstance(each, ast.arg) and each.annotation for each in ast.walk(node.args))


def _with_methods(text: str, head: _Heads, node: ast.ClassDef) -> str:
    for member in node.body:
        if not isinstance(member, Def):
            continue
        lines = head.lines(member, f"{node.name}.{member.name}")
        span = _span(text, f"{node.name}.{member.name}")
        text = _replaced(text, span, lines) if span else _added(text, f"{node.name}.{member.name}", lines)
    return text


def _same_parameters(old: ast.Module, new: ast.Module, path: str) -> None:
    """A public function is called by others, who know its parameters. Raises PutBackError."""
    known = {name: node for name, node in definitions(old)}
    for name, node in definitions(new):
        private = any(part.startswith("_") and not part.startswith("__") for part in name.split("."))
        if name in known and not private and ast.unparse(_bare(node.args)) != ast.unparse(_bare(known[name].args)):
            raise PutBackError(f"{path}: it changes the parameters of {name}, which others may call")


def _bare(arguments: ast.arguments) -> ast.arguments:
    """Without annotations."""
    arguments = deepcopy(arguments)
    for each in ast.walk(arguments):
        if isinstance(each, ast.arg):
            each.annotation = None
    return arguments


def _tree(text: str, path: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise PutBackError(f"{path}: {error}") from error


def _functions(text: str) -> dict[str, str]:
    """By qualified name, those inside of functions left out: they belong to them."""
    tree = ast.parse(text)
    return {name: _lines_of(text, node) for name, node in _outer(tree.body, "")}


def _outer(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, Def]]:
    for node in body:
        if isinstance(node, Def):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _outer(node.body, f"{prefix}{node.name}.")
        else:
            for name in ("body", "orelse", "finalbody"):
                yield from _outer(getattr(node, name, []), prefix)


def _lines_of(text: str, node: ast.stmt) -> str:
    return "".join(text.splitlines(keepends=True)[_first(node) - 1 : node.end_lineno])


def _first(node: ast.stmt) -> int:
    """With decorators."""
    return first_line(node) if isinstance(node, Def | ast.ClassDef) else node.lineno


def _span(text: str, qualname: str) -> tuple[int, int] | None:
    """First and last line of a function or class."""
    body: list[ast.stmt] = ast.parse(text).body
    node: ast.stmt | None = None
    for name in qualname.split("."):
        node = next(
            (n for n in reversed(list(_flat(body))) if isinstance(n, Def | ast.ClassDef) and n.name == name), None
        )
        if node is None:
            return None
        body = node.body
    assert isinstance(node, Def | ast.ClassDef)
    return first_line(node), node.end_lineno or node.lineno


def _flat(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try | ast.With):
            for name in ("body", "orelse", "finalbody"):
                yield from _flat(getattr(node, name, []))


def _replaced(text: str, span: tuple[int, int], new: str) -> str:
    lines = text.splitlines(keepends=True)
    return "".join([*lines[: span[0] - 1], _ended(new), *lines[span[1] :]])


def _added(text: str, qualname: str, new: str) -> str:
    """A method at the end of its class, a function at the end of the module."""
    owner = qualname.rpartition(".")[0]
    span = _span(text, owner) if owner else None
    lines = text.splitlines(keepends=True)
    at = span[1] if span else len(lines)
    return "".join([*lines[:at], "\n" if owner else "\n\n", _ended(new), *lines[at:]])


def _before_functions(text: str, new: str) -> str:
    """Above the first definition: what it needs of the module is only looked up when it is called."""
    tree, lines = ast.parse(text), text.splitlines(keepends=True)
    first = next((node for node in tree.body if isinstance(node, Def | ast.ClassDef)), None)
    at = first_line(first) - 1 if first else len(lines)
    while at and lines[at - 1].startswith("#"):
        at -= 1
    return "".join([*lines[:at], _ended(new), "\n\n", *lines[at:]])


def _as_head(text: str, new: str, node: ast.stmt) -> str:
    """Behind the last import: an import right there, a constant below it; blank lines as is usual."""
    tree, lines = ast.parse(text), text.splitlines(keepends=True)
    imports = [each for each in tree.body if isinstance(each, ast.Import | ast.ImportFrom)]
    first = tree.body[0] if tree.body else None
    text_first = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    at = (imports[-1].end_lineno or 0) if imports else (first.end_lineno or 0) if first and text_first else 0
    above = "" if not at or (isinstance(node, ast.Import | ast.ImportFrom) and imports) else "\n"
    following = next((each for each in tree.body if _first(each) > at), None)
    usual = 2 if isinstance(following, Def | ast.ClassDef) else 1
    rest = lines[at:]
    there = next((number for number, line in enumerate(rest) if line.strip()), usual)
    return "".join([*lines[:at], above, _ended(new), "\n" * (usual - there), *rest])


def _bound(text: str, node: ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign) -> tuple[int, int] | None:
    """Where the module has the same import, or binds the same name."""
    names = _names(node)
    for each in ast.parse(text).body:
        if type(each) is type(node) and (ast.dump(each) == ast.dump(node) or (names and names == _names(each))):
            return each.lineno, each.end_lineno or each.lineno
    return None


def _names(node: ast.stmt) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [ast.unparse(target) for target in targets]


def _ended(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"
