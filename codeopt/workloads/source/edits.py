"""Edits of a project: which functions differ between two revisions, by text or by behavior, and revisions with and
without edits."""

from __future__ import annotations

import ast
import re
import tokenize
from collections import defaultdict
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass

from codeopt.analysis import nodes
from codeopt.analysis.syntax import physical_lines
from codeopt.core.revision import Revision

OUTSIDE = "<module>"
"""Stands for what is in no function, in place of a qualified name."""
COMMENT = "# noted\n"


@dataclass(frozen=True)
class CodeEdit:
    """A function whose lines changed."""

    file: str
    qualname: str
    """Name of the function; `<module>` for a change outside of functions."""

    def __str__(self) -> str:
        return f"{self.file}::{self.qualname}"


def edits_of(old: Revision, new: Revision) -> tuple[CodeEdit, ...]:
    """The edits that make `new` of `old`, by file and in the order of the old functions."""
    found: list[CodeEdit] = []
    for path in new.changed_files(old):
        was, now = functions_of(old[path]), functions_of(new[path])
        changed = [name for name, lines in was.items() if now.get(name) != lines]
        found += [CodeEdit(path, name) for name in changed or [OUTSIDE]]
    return tuple(found)


def without(old: Revision, new: Revision, edit: CodeEdit) -> Revision:
    """The new revision with one edit taken back; helpers and imports that no edit needs any more go with it."""
    before, text = old[edit.file], new[edit.file]
    owner = edit.qualname.rpartition(".")[0]
    if edit.qualname == OUTSIDE or (owner and span_of(text, owner) is None):  # a method of a class that is gone
        return new.with_file(edit.file, before)
    was, now = functions_of(before)[edit.qualname], span_of(text, edit.qualname)
    rest = new.with_file(edit.file, replaced(text, now, was) if now else added(text, edit.qualname, was))
    edits = edits_of(old, rest)
    needed = any(each.file == edit.file and each.qualname != OUTSIDE for each in edits)
    return rest if needed else rest.with_file(edit.file, before)


def commented(original: Revision, edits: Sequence[CodeEdit]) -> Revision:
    """Return a project with the same behavior: a comment is added above each function and above its first statement."""
    found = original
    for path in dict.fromkeys(edit.file for edit in edits):
        names = [edit.qualname for edit in edits if edit.file == path and edit.qualname != OUTSIDE]
        text = original[path]
        body, lines = ast.parse(text).body, physical_lines(text)
        places: set[int] = set()
        for name in names:
            node = nodes.find_definition(body, name)
            if node is not None:
                places |= {nodes.first_line(node), node.body[0].lineno}
        for number in sorted(places, reverse=True):
            line = lines[number - 1]
            lines.insert(number - 1, line[: len(line) - len(line.lstrip())] + COMMENT)
        found = found.with_file(path, "".join(lines))
    return found


def by_name(body: Sequence[ast.stmt]) -> dict[str, list[nodes.Def]]:
    """Functions by qualified name, of which a property and its setter have one."""
    found: dict[str, list[nodes.Def]] = defaultdict(list)
    for name, node in nodes.functions(body):
        found[name].append(node)
    return dict(found)


def head_of(node: nodes.Def) -> list[str]:
    """Decorators and parameters with their defaults, which are evaluated without a call."""
    return [type(node).__name__, *map(ast.dump, (node.args, *node.decorator_list))]


def body_of(node: nodes.Def) -> list[str]:
    """Statements without the docstring."""
    return [ast.dump(each) for each in node.body[nodes.is_text(node.body[0]) :]]


def keeps_statements(was: Sequence[ast.stmt], now: Sequence[ast.stmt]) -> bool:
    """Return True if all statements except functions are kept in order. Classes are compared by their content."""
    plain, new = ([each for each in body if not isinstance(each, nodes.Def)] for body in (was, now))
    rest = iter(new)
    return all(any(_same(each, other) for other in rest) for each in plain)


def _same(was: ast.stmt, now: ast.stmt) -> bool:
    if not isinstance(was, ast.ClassDef) or not isinstance(now, ast.ClassDef):
        return ast.dump(was) == ast.dump(now)
    heads = [[node.name, *map(ast.dump, (*node.bases, *node.keywords, *node.decorator_list))] for node in (was, now)]
    return heads[0] == heads[1] and keeps_statements(was.body, now.body)


# Lines of a module's text: replacement of a function's lines, and insertion of new code.

_FIXED_COMMENT = re.compile(r"#!|#.*coding[:=]")
"""A comment that has to stay on the first two lines of a file."""


def functions_of(text: str) -> dict[str, str]:
    """The lines of each function by its qualified name; those inside of functions belong to these."""
    return {name: lines_of(text, node) for name, node in nodes.functions(ast.parse(text).body)}


def lines_of(text: str, node: ast.stmt) -> str:
    """A statement's lines, decorators included."""
    return "".join(physical_lines(text)[nodes.first_line(node) - 1 : node.end_lineno])


def span_of(text: str, qualname: str, like: nodes.Definition | None = None) -> tuple[int, int] | None:
    """Return the first and last line of a function or class, 1-based.

    None if the text has no definition with this name and the kind of `like`.
    """
    node = nodes.find_definition(ast.parse(text).body, qualname, like)
    return (nodes.first_line(node), nodes.last_line(node)) if node else None


def replaced(text: str, span: tuple[int, int], new: str) -> str:
    """The text with other lines in place of those from the first to the last of a span."""
    lines = physical_lines(text)
    return "".join([*lines[: span[0] - 1], _ended(new), *lines[span[1] :]])


def added(text: str, qualname: str, new: str) -> str:
    """The text with a method more at the end of its class, or a function more at its end."""
    owner = qualname.rpartition(".")[0]
    span = span_of(text, owner) if owner else None
    lines = physical_lines(text)
    at = span[1] if span else len(lines)
    return "".join([*lines[:at], "\n" if owner else "\n\n", _ended(new), *lines[at:]])


def with_definition(text: str, new: str, node: nodes.Definition) -> str:
    """The text with a new function or class: above its first definition, and below what the new one evaluates."""
    body, lines = ast.parse(text).body, physical_lines(text)
    first = next((at for at, each in enumerate(body) if isinstance(each, nodes.Definition)), len(body))
    index = _below_needed(body, first, node)
    if index > first:
        return _put(text, _end(lines, body, index), new, node, above=2)
    at = nodes.first_line(body[first]) - 1 if first < len(body) else len(lines)
    while at and lines[at - 1].startswith("#"):
        at -= 1
    return "".join([*lines[:at], _ended(new), "\n\n", *lines[at:]])


def with_helper(text: str, new: str, node: ast.stmt, anchor: str) -> str:
    """The text with a new function, class or constant right above the statement that defines a name."""
    body, lines = ast.parse(text).body, physical_lines(text)
    index = next(at for at, each in enumerate(body) if any(name == anchor for name, _ in nodes.definitions([each])))
    at = _end(lines, body, index)
    return _put(text, at, new, node, above=(2 if isinstance(node, nodes.Definition) else 1) if at else 0)


def with_constant(text: str, new: str, node: ast.stmt) -> str:
    """The text with a new constant: below the imports at its top, and below what it evaluates."""
    body, lines = ast.parse(text).body, physical_lines(text)
    top = nodes.import_index(body, nodes.bound_names(node))
    index = _below_needed(body, top, node)
    at = _end(lines, body, index)
    after_block = index > top and isinstance(body[index - 1], nodes.Definition)
    return _put(text, at, new, node, above=2 if after_block else int(at > 0))


def with_import(text: str, new: str, node: ast.Import | ast.ImportFrom) -> str:
    """Return the text with a new import at `import_index`. One of `__future__` goes above all others."""
    body, lines = ast.parse(text).body, physical_lines(text)
    future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
    index = nodes.import_index(body[:1]) if future else nodes.import_index(body, nodes.bound_names(node))
    at = _end(lines, body, index)
    among = bool(index) and isinstance(body[index - 1], ast.Import | ast.ImportFrom)
    return _put(text, at, new, node, above=int(at > 0 and not among))


def bound_in(text: str, node: ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign) -> tuple[int, int] | None:
    """Return the first and last line of the same import, or of the statement that binds the same name.

    None if there is no such statement, or if it comes too late for the code that needs it.
    """
    names, needed = _targets(node), set[str]()
    for each in ast.parse(text).body:
        if type(each) is type(node) and (ast.dump(each) == ast.dump(node) or (names and names == _targets(each))):
            late = isinstance(node, ast.Import | ast.ImportFrom) and needed & nodes.bound_names(node)
            return None if late else (each.lineno, nodes.last_line(each))
        needed |= nodes.evaluated_names(each)
    return None


def _targets(node: ast.stmt) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [ast.unparse(target) for target in targets]


def _below_needed(body: Sequence[ast.stmt], index: int, node: ast.stmt) -> int:
    """Return the first index from `index` on at which all names that the statement evaluates are bound."""
    missing = nodes.evaluated_names(node) - nodes.bound_names(node)
    for each in body[:index]:
        missing -= nodes.bound_names(each)
    for at in range(index, len(body)):
        if missing & (bound := nodes.bound_names(body[at])):
            missing -= bound
            index = at + 1
    return index


def _end(lines: Sequence[str], body: Sequence[ast.stmt], index: int) -> int:
    """The number of lines above what is put at an index of the body: comments at the top of the file stay there."""
    if index:
        return nodes.last_line(body[index - 1])
    top = next((at for at, line in enumerate(lines) if not line.startswith("#")), len(lines))
    if top < len(lines) and not lines[top].strip():
        return top
    return sum(1 for line in lines[: min(top, 2)] if _FIXED_COMMENT.match(line))


def _put(text: str, at: int, new: str, node: ast.stmt, *, above: int) -> str:
    """The text with new lines below its first `at`, and blank lines around them as usual."""
    lines = physical_lines(text)
    rest = lines[at:]
    following = next((each for each in ast.parse(text).body if nodes.first_line(each) > at), None)
    usual = 2 if isinstance(following, nodes.Definition) or isinstance(node, nodes.Definition) else 1
    there = next((number for number, line in enumerate(rest) if line.strip()), usual)
    return "".join([*lines[:at], "\n" * above, _ended(new), "\n" * (usual - there), *rest])


def _ended(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


# A function of an answer in place of another version of it.


@dataclass(frozen=True)
class Indentation:
    """Indentation of a definition."""

    margin: str
    """Of the definition itself."""
    unit: str
    """What its body has in addition."""

    @classmethod
    def of(cls, text: str, node: nodes.Def) -> Indentation:
        """That of a function of a text."""
        lines, first = physical_lines(text), node.body[0]
        margin = _margin(lines[node.lineno - 1])
        if _shares_line(lines, first):
            return cls(margin, "\t" if "\t" in margin else " " * 4)
        return cls(margin, _margin(lines[first.lineno - 1])[len(margin) :])

    def lines(self, text: str, node: ast.stmt, *, comments: bool = False) -> list[str]:
        """Lines of a statement of any text in this layout; lines inside of its strings stay. comments: with those right
        above it."""
        every, first = physical_lines(text), nodes.first_line(node)
        while comments and first > 1 and every[first - 2].startswith("#"):
            first -= 1
        lines, levels, within = (
            [_ended(each) for each in every[first - 1 : node.end_lineno]],
            dict[int, str](),
            set[int](),
        )
        around = [""]
        for token in tokenize.generate_tokens(iter(lines).__next__):
            if token.type == tokenize.INDENT:
                around.append(token.string)
            elif token.type == tokenize.DEDENT:
                around.pop()
            elif token.type not in (tokenize.NEWLINE, tokenize.NL, tokenize.COMMENT, tokenize.ENDMARKER):
                for number in range(token.start[0], token.end[0] + 1):
                    levels.setdefault(number, around[-1])
                within |= {*range(token.start[0] + 1, token.end[0] + 1)}
        order = sorted(set(levels.values()), key=lambda each: len(each.expandtabs()))
        new = {each: self.margin + self.unit * depth for depth, each in enumerate(order)}
        for number, line in enumerate(lines, 1):
            old = levels.get(number, _margin(line))
            if number not in within and line.strip() and line.startswith(old):
                lines[number - 1] = new.get(old, old) + line[len(old) :]
        return lines


def _margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _shares_line(lines: Sequence[str], first: ast.stmt) -> bool:
    """Return True if a body begins on the line on which the head ends."""
    return first.col_offset > len(_margin(lines[first.lineno - 1]))


def begin_of_body(lines: Sequence[str], node: nodes.Definition) -> int:
    """Number of lines above the first statement and the comments on that."""
    at = nodes.first_line(node.body[0]) - 1
    while lines[at - 1].lstrip().startswith("#"):
        at -= 1
    return at


def bare_parameters(node: nodes.Def) -> str:
    """Parameters without annotations."""
    arguments = deepcopy(node.args)
    for each in ast.walk(arguments):
        if isinstance(each, ast.arg):
            each.annotation = None
    return ast.unparse(arguments)


def _is_annotated(node: nodes.Def) -> bool:
    return bool(node.returns) or any(isinstance(each, ast.arg) and each.annotation for each in ast.walk(node.args))


def merged_function(text: str, was: nodes.Def, part: str, now: nodes.Def, *, keep: bool = False) -> str:
    """The lines of a function that take the place of another version of it, in the layout of that.

    Another version need not repeat decorators, annotations and the docstring. keep: head and docstring stay.
    """
    layout, (mine, written) = Indentation.of(text, was), ([*map(_ended, physical_lines(each))] for each in (text, part))
    theirs = ["\n"] * (nodes.first_line(now) - 1) + layout.lines(part, now)
    (head, doc, _), (new_head, new_doc, rest) = _parts(mine, was, mine), _parts(theirs, now, written)
    one_line = not new_head[-1].endswith("\n")
    same = type(was) is type(now) and bare_parameters(was) == bare_parameters(now)
    if not same or not (keep or (_is_annotated(was) and not _is_annotated(now))):
        head = new_head
    if one_line and head[-1].endswith("\n"):
        rest = [layout.margin + layout.unit + rest[0], *rest[1:]]
    elif not one_line or doc:
        head = [*head[:-1], head[-1].rstrip() + "\n"]
    above = theirs[nodes.first_line(now) - 1 : now.lineno - 1] or mine[nodes.first_line(was) - 1 : was.lineno - 1]
    doc = doc if doc and rest and (keep or not new_doc) else new_doc
    return "".join([*above, *head, *doc, *rest])


def _parts(lines: Sequence[str], node: nodes.Def, written: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Lines of a function from `def` on: its head, its docstring and the rest. A head whose line the body shares ends
    within that. written: the lines with the margin that the node's positions are of."""
    first, begin = node.body[0], begin_of_body(lines, node)
    if _shares_line(written, first):
        tail = written[first.lineno - 1].encode()[first.col_offset :].decode()
        head = [*lines[node.lineno - 1 : first.lineno - 1], lines[first.lineno - 1].removesuffix(tail)]
        return head, [], [tail, *lines[first.lineno : node.end_lineno]]
    end = nodes.last_line(first) if nodes.is_text(first) else begin
    return [*lines[node.lineno - 1 : begin]], [*lines[begin:end]], [*lines[end : node.end_lineno]]
