"""A language model on a project: it sees the hot path with its figures, and answers with functions of several files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile

from codeopt.analysis import nodes
from codeopt.core.history import Draft, Excerpted, History
from codeopt.core.revision import Revision, pack
from codeopt.rules import HotFiles, Rule
from codeopt.workloads.function.view import FunctionRule
from codeopt.workloads.project.excerpts import ROOM, SourcePage, round_views
from codeopt.workloads.project.impact import surface_of
from codeopt.workloads.project.profile import ProjectProfile
from codeopt.workloads.project.project_program import NOTHING_FIXED, ProtectedFiles, unpack
from codeopt.workloads.source import edits
from codeopt.workloads.source.functions import SpliceError
from codeopt.workloads.source.module_graph import read_module


@dataclass(frozen=True)
class ProjectProposer(Excerpted):
    """A proposer that sees the hot path, and whose answers are put into the project."""

    profile: ProjectProfile
    ground: ProtectedFiles = ProtectedFiles()

    def whole(self, draft: Draft, original: Revision) -> Draft:
        if not draft.source.strip() or (draft.problem and "SEARCH" not in draft.source):
            return draft
        try:
            after = apply_answer(original, draft.source, self.ground)
        except SpliceError as error:
            return replace(draft, problem=f"it cannot be put into the project: {error}")
        changed = tuple(map(str, edits.edits_of(original, after)))
        notes = tuple(f"now unused: `{name}`" for name in now_unused(original, after))
        return replace(draft, revision=after, problem="", changes=draft.changes or changed, notes=notes)

    def excerpts(self, history: History) -> History:
        """Return the original's hot functions, and each candidate as a diff with its profile and an earlier one.

        What a candidate's profile or a critique names and no round before shows is next to that round.
        """
        files = history.original.revision
        page = SourcePage(files, self.ground, self.profile)
        source = page.original()
        if not source:  # no function is slow: everything that may be edited
            source = pack({path: text for path, text in files.items() if not self.ground.why(path)})
            none = "# No function that may be edited takes a share of the time."
            source = source if len(source) <= ROOM else none
        views = round_views(history, page)
        candidates = [replace(history.original, revision=Revision.of(source), profile=None)]
        for each in history.candidates[1:]:
            changes = views[each.round].changes
            candidates.append(replace(each, revision=Revision.of(changes[0]), profile=None) if changes else each)
        return replace(history, candidates=tuple(candidates), views=views)


# Put a proposer's answer into a project: each part in its place, everything else untouched.

_BLOCK = re.compile(
    r"^<{5,} ?SEARCH[^\n]*\n(?P<old>.*?)^={5,}[^\n]*\n(?P<new>.*?)^>{5,} ?REPLACE[^\n]*$", re.MULTILINE | re.DOTALL
)
_DEFINITION = re.compile(r"^(?:async def|def|class) \w+.*:\s*$", re.MULTILINE)


def apply_answer(project: Revision, answer: str, ground: ProtectedFiles = NOTHING_FIXED) -> Revision:
    """Return the project with an answer applied: search/replace blocks, or whole functions below a file's line.

    Args:
        project: The project before the change.
        answer: Text of a model.
        ground: Files that an answer may repeat but not change.

    Raises:
        SpliceError: The answer does not fit the project, or edits one of these files.
    """
    files = dict(project)
    for path, part in (unpack(answer) or {_meant(files, answer): answer}).items():
        if path not in files and (reason := ground.why(path)):
            raise SpliceError(f"{path} is fixed ground ({reason}): it may not be edited; leave it as it is")
        if path not in files:
            known = ", ".join(each for each in files if not ground.why(each))
            raise SpliceError(f"the project has no file {path} that could be changed; there are {known}")
        _tree(files[path], path)
        blocks = list(_BLOCK.finditer(part))
        for block in blocks:
            count = files[path].count(block["old"])
            if count != 1:
                raise SpliceError(f"{path}: a SEARCH block occurs {count} times in it, and not once")
            files[path] = files[path].replace(block["old"], block["new"])
        _tree(files[path], path)
        rest = _BLOCK.sub("", part)
        # Around blocks there may be prose, of which a line may be read: `Done`, `Notes: faster`.
        is_code = any(
            not (isinstance(node, ast.Expr) or (isinstance(node, ast.AnnAssign) and node.value is None))
            for node in read_module(rest).body
        )
        if not blocks or is_code:
            files[path] = _with_functions(files[path], path, rest)
        elif _DEFINITION.search(rest):
            raise SpliceError(f"{path}: the code beside its SEARCH blocks is mixed with prose and cannot be read")
    if touched := ground.touched(project, files):
        raise SpliceError(touched)
    _require_contracts(project, files)
    return Revision(files)


def _meant(files: Mapping[str, str], answer: str) -> str:
    """The only file that has what an answer changes, where it names none. Raises SpliceError."""
    blocks = [block["old"] for block in _BLOCK.finditer(answer)]
    names = _defined(_tree("" if blocks else answer, "the answer"))
    found = [
        path
        for path, text in files.items()
        if all(block in text for block in blocks) and names <= _defined(read_module(text))
    ]
    if len(found) != 1:
        raise SpliceError("the answer does not say which file it changes: `# === file: PATH ===` above each part")
    return found[0]


def _defined(tree: ast.Module) -> set[str]:
    return {node.name for node in tree.body if isinstance(node, nodes.Definition)}


def _with_functions(text: str, path: str, part: str) -> str:
    """Replace functions by those of the answer with the same names, and add new imports, helpers and constants."""
    new, old = _tree(part, path), _tree(text, path)
    head = _Heads(text, old.body, part)
    for node in sorted(new.body, key=_order):
        lines = head.lines(node, getattr(node, "name", ""))
        if isinstance(node, ast.ClassDef) and _class_of(text, node.name):
            text = _with_members(text, head, node, node.name)
        elif isinstance(node, nodes.Definition):
            span = edits.span_of(text, node.name, node)
            text = edits.replaced(text, span, lines) if span else edits.with_definition(text, lines, node)
        elif isinstance(node, ast.Delete):
            text = _without(text, path, node)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            same = edits.bound_in(text, node)
            text = edits.replaced(text, same, lines) if same else edits.with_constant(text, lines, node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            same = edits.bound_in(text, node)
            text = edits.replaced(text, same, lines) if same else edits.with_import(text, lines, node)
        elif not _is_known(node, old.body):
            if clash := nodes.bound_names(node) & {name for each in old.body for name in nodes.bound_names(each)}:
                raise SpliceError(
                    f"{path}: {min(clash)} is bound in a block outside of functions; change that with a SEARCH block"
                )
            text = edits.with_constant(text, lines, node)
    _tree(text, path)
    return text


def _without(text: str, path: str, node: ast.Delete) -> str:
    """Return the text without the functions and classes of a `del NAME` or `del Class.method`. Raises SpliceError."""
    for target in node.targets:
        span = edits.span_of(text, ast.unparse(target))
        if span is None:
            raise SpliceError(f"{path}: `del {ast.unparse(target)}` names no function or class of it")
        lines = text.splitlines(keepends=True)
        after = dropwhile(lambda line: not line.strip(), lines[span[1] :])
        text = "".join([*lines[: span[0] - 1], *after])
    return text


def now_unused(before: Revision, after: Revision) -> tuple[str, ...]:
    """Private functions that the original uses and a draft leaves without a use."""
    changed = list(after.changed_files(before))
    names = {name for path in changed for name in nodes.functions_by_name(ast.parse(after[path]).body)}
    private = sorted(name for name in names if re.search(r"(?:^|\.)_(?!_)\w+$", name))

    def uses(name: str, files: Revision, paths: Iterable[str]) -> int:
        word = re.compile(rf"\b{name.rpartition('.')[2]}\b")
        return sum(len(word.findall(files[path])) for path in paths)

    # Most names are used as often as before: all files of a large project are read for the others alone.
    lost = [name for name in private if uses(name, before, changed) > uses(name, after, changed)]
    return tuple(name for name in lost if uses(name, after, after) == 1)


def _order(node: ast.stmt) -> int:
    """Constants after the functions that make them, and imports at last: only then it can be seen what needs them."""
    return 2 if isinstance(node, ast.Import | ast.ImportFrom) else int(not isinstance(node, nodes.Definition))


@dataclass(frozen=True)
class _Heads:
    """Parts of a function that an answer need not repeat: decorators, annotations and docstring."""

    old: str
    """Text of the file."""
    known: Sequence[ast.stmt]
    """Statements of the file."""
    part: str
    """Text of the answer."""

    def lines(self, node: ast.stmt, qualname: str) -> str:
        """Lines of a statement of the answer; those of a function begin as the old one does."""
        was = nodes.find_definition(self.known, qualname, node) if isinstance(node, nodes.Def) else None
        if not isinstance(node, nodes.Def) or not isinstance(was, nodes.Def):
            return edits.lines_of(self.part, node)
        return edits.merged_function(self.old, was, self.part, node)


def _with_members(text: str, head: _Heads, node: ast.ClassDef, qualname: str) -> str:
    """Replace the members of a class by those of the answer with the same names, and add new ones."""
    text = _with_class_line(text, head.part, node, qualname)
    for member in node.body:
        name = f"{qualname}.{getattr(member, 'name', '')}"
        lines = head.lines(member, name)
        if isinstance(member, ast.ClassDef) and _class_of(text, name):
            text = _with_members(text, head, member, name)
        elif isinstance(member, nodes.Definition):
            span = edits.span_of(text, name, member)
            text = edits.replaced(text, span, lines) if span else edits.added(text, name, lines)
        elif (owner := _class_of(text, qualname)) and not _is_known(member, owner.body):
            text = _with_field(text, owner, member, lines)
    return text


def _with_class_line(text: str, part: str, node: ast.ClassDef, qualname: str) -> str:
    """Return the text with the answer's bases and decorators of a class. What it leaves out stays."""
    was = _class_of(text, qualname)
    mine, theirs = text.splitlines(keepends=True), part.splitlines(keepends=True)
    if was is None or was.body[0].lineno == was.lineno or node.body[0].lineno == node.lineno:
        return text
    above, line = (
        mine[nodes.first_line(was) - 1 : was.lineno - 1],
        mine[was.lineno - 1 : edits.begin_of_body(mine, was)],
    )
    if node.decorator_list:
        above = theirs[nodes.first_line(node) - 1 : node.lineno - 1]
    if node.bases or node.keywords:
        line = theirs[node.lineno - 1 : edits.begin_of_body(theirs, node)]
    return edits.replaced(text, (nodes.first_line(was), edits.begin_of_body(mine, was)), "".join([*above, *line]))


def _with_field(text: str, owner: ast.ClassDef, node: ast.stmt, lines: str) -> str:
    """Return the text with a statement of a class: in place of the one that binds the same names, else above the
    methods, or at the end where it needs one of them."""
    binds = nodes.bound_names(node)
    same = next(
        (each for each in owner.body if binds and not isinstance(each, nodes.Def) and nodes.bound_names(each) == binds),
        None,
    )
    if same:
        return edits.replaced(text, (same.lineno, nodes.last_line(same)), lines)
    index = next((at for at, each in enumerate(owner.body) if isinstance(each, nodes.Definition)), len(owner.body))
    needed = nodes.evaluated_names(node) & {name for each in owner.body[index:] for name in nodes.bound_names(each)}
    at = nodes.last_line(owner) if needed or index == len(owner.body) else nodes.first_line(owner.body[index]) - 1
    before = text.splitlines(keepends=True)
    return "".join([*before[:at], lines.rstrip("\n") + "\n", "\n" * (at < nodes.last_line(owner)), *before[at:]])


def _class_of(text: str, qualname: str) -> ast.ClassDef | None:
    node = nodes.find_definition(ast.parse(text).body, qualname)
    return node if isinstance(node, ast.ClassDef) else None


def _is_known(node: ast.stmt, body: Sequence[ast.stmt]) -> bool:
    """Return True if a statement need not be added: it is there, says nothing, or is for a module run as a script."""
    empty = isinstance(node, ast.Pass) or nodes.is_bare_constant(node)
    return empty or "__name__" in nodes.evaluated_names(node) or ast.dump(node) in map(ast.dump, body)


def _require_contracts(before: Mapping[str, str], after: Mapping[str, str]) -> None:
    """A public function is called by others, who know its name and its parameters. Raises SpliceError."""
    for path in (path for path in before if before[path] != after[path]):
        old, new = (nodes.functions_by_name(ast.parse(files[path]).body) for files in (before, after))
        # Names that the module and its classes bind, as by `f = _quick` and `from x import f`.
        tree = ast.parse(after[path])
        owners = [("", tree.body), *((f"{n.name}.", n.body) for n in ast.walk(tree) if isinstance(n, ast.ClassDef))]
        bound = {prefix + name for prefix, body in owners for node in body for name in nodes.bound_names(node)}
        surface = surface_of(path, before)
        for name, node in old.items():
            if not surface.reaches(name):
                continue
            if name not in new and name not in bound:
                raise SpliceError(f"{path}: it removes {name}, which others may call")
            if name in new and edits.bare_parameters(node) != edits.bare_parameters(new[name]):
                raise SpliceError(f"{path}: it changes the parameters of {name}, which others may call")


def _tree(text: str, path: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise SpliceError(f"{path}: {error}") from error


# The built-in rules on a project: each on the hot functions of all files, which others import.


@dataclass(frozen=True)
class ProjectRule(Rule):
    """A rule kept to some functions."""

    places: tuple[tuple[str, str], ...] = ()
    """File and qualified name."""

    def revise(self, revision: Revision, hot: HotFiles) -> Revision | None:
        """The project with those functions rewritten; None where the rule matches in none of them."""
        found = revision
        for path, qualname in self.places:
            fields = {name: value for name, value in vars(self).items() if name != "places"}
            rule = FunctionRule(**fields, qualname=qualname)
            if path in found and (new := rule.rewrite(found[path], hot.at(path))) is not None:
                found = found.with_file(path, new)
        return found if found != revision else None


def project_rules(rules: Sequence[Rule], profile: ProjectProfile, ground: ProtectedFiles) -> tuple[Rule, ...]:
    """The rules that are not for whole programs, each restricted to the functions that take the time and may be
    edited."""
    may_change = [f for f in profile.functions if f.qualname != "<module>" and not ground.why(f.file)]
    # A function with a smaller own share of the command is left as it is
    hot = [f for f in may_change if f.own_share >= 0.03][:12]
    places = tuple((f.file, f.qualname) for f in hot)
    kept = [rule for rule in rules if not rule.scripts_only]
    return tuple(ProjectRule(**vars(rule), places=places) for rule in kept) if places else ()
