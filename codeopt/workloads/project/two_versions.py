"""Two versions of a project, checked by one command: OLD and NEW, unchanged, with the same ruler on both sides.

The ruler consists of the files that measure and check:
- tests, and modules that only tests import
- a benchmark that is the command's program
- the data of the command

- pytest's settings

Both sides have OLD's ruler. Test files that only NEW has are run on both sides as a row of their own, with their
helpers and data, and without NEW's `conftest.py` and settings of pytest. A benchmark and its data that only NEW has are
on both sides if the command needs them.
The rest of NEW is under test: its modules, the program that the command runs, and configuration.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path, PurePosixPath

from codeopt.core.errors import UsageError
from codeopt.core.git import unadded_files
from codeopt.core.revision import Revision
from codeopt.core.run_inputs import read_or_fail
from codeopt.workloads.project.command import EntryKind, ProjectCommand
from codeopt.workloads.project.files import ProjectFiles, named_files, read_project
from codeopt.workloads.project.project_program import (
    ProjectProgram,
    ProtectedFiles,
    ProtectedReason,
    can_be_read,
    entry_files,
    find_protected_files,
    is_own,
    read_text,
)
from codeopt.workloads.sandbox_view.linked import NO_LINKS, Linked
from codeopt.workloads.sandbox_view.view import BUILT, COMPILED_FROM, built_files
from codeopt.workloads.source.module_graph import ModuleGraph
from codeopt.workloads.tests import find_test_files, pytest_settings
from codeopt_sandbox.outcome import Files

CHECKS = frozenset({"tests", "test", "benchmarks", "benchmark", "bench"})
"""Folders of which everything is the ruler."""
MOST_NAMED = 5
"""Maximum number of files that a note names."""


@dataclass(frozen=True)
class OtherVersion:
    """NEW, ready to run."""

    revision: Revision
    """Texts of its own modules. Every other differing file appears as its digest, so each difference changes the
    revision."""
    project: ProjectFiles
    """Files that its runs get."""
    differing: frozenset[str]
    """Paths of the files that are not the same on both sides."""
    notes: tuple[str, ...] = ()
    """Notes on what was not taken from NEW, and on what a reader would not expect."""
    tests: Files = ()
    """Test files that OLD does not have."""
    test_helpers: Files = ()
    """Other files of tests that OLD does not have. Only the tests above see them, as an `__init__.py` among them can
    stop the collection of OLD's."""

    @property
    def room_mib(self) -> int:
        """Room for the files that are not OLD's, MiB."""
        return (sum(len(content) for path, content in self.project.files if path in self.differing) >> 20) + 1


@dataclass(frozen=True)
class TwoVersions:
    """The two sides of a comparison."""

    old: ProjectFiles
    program: ProjectProgram
    """OLD's own modules, the ruler as its fixed ground."""
    new: OtherVersion


def read_versions(old: ProjectFiles, new: ProjectFiles, command: ProjectCommand, tests: Sequence[str]) -> TwoVersions:
    """Make the two sides of a comparison. tests: files and folders that the user names as tests. Raises UsageError."""
    old, new, notes = _same_built(old, new)
    before, after = dict(old.files), dict(new.files)
    settings = {
        path
        for path in {*before, *after}
        if pytest_settings(path, before.get(path)) != pytest_settings(path, after.get(path))
    }
    ground = _ruler(before, command, tests).also(settings, ProtectedReason.CONFIGURATION)
    new_ruler = {path: why for path, why in _ruler(after, command, tests).files.items() if path not in before}
    new_tests = {path for path, why in new_ruler.items() if why is ProtectedReason.TEST} & {*find_test_files(after)}
    added = set(_needed(after, new_ruler, entry_files(command, after)))
    unseen = (new_ruler.keys() | settings) - before.keys() - added
    ground = ground.also(added, ProtectedReason.TEST)
    kept = {path for path in ground.files if path in before and before[path] != after.get(path)}
    new_tests -= added
    helpers = {path for path in unseen - new_tests - settings if PurePosixPath(path).name != "conftest.py"}
    of_new, beside = (tuple((path, after[path]) for path in sorted(paths)) for paths in (new_tests, helpers))
    before |= {path: after[path] for path in added}
    after = {path: content for path, content in after.items() if path not in unseen}
    after |= {path: before[path] for path in kept}
    folders = {str(each) for path in {*before, *after} for each in PurePosixPath(path).parents}
    if both := sorted(folders & {*before, *after}):
        raise UsageError(f"{both[0]} is a file in one version and a folder in the other: a run cannot be shown both")
    old, new = _with_files(old, before), _with_files(new, after)
    differing = frozenset(path for path in {*before, *after} if before.get(path) != after.get(path))
    unread = {path for each in (before, after) for path in differing if not _can_be_read(path, each.get(path))}
    program, other = (
        replace(read_text(each.root, each, lambda path: not ground.why(path) and path not in unread), ground=ground)
        for each in (old, new)
    )
    entries = differing & set(entry_files(command, before))
    said = [
        *notes,
        *_note(
            # Python files that git neither tracks nor ignores.
            (
                each.as_posix()
                for each in unadded_files(new.root) or ()
                if each.suffix == ".py" and each.as_posix() not in after
            ),
            "are not known to git and not shown: `git add` them, or --with",
        ),
        *_note(kept, "differ, and measure or check: both sides have OLD's"),
        *_note(added, "are new, and measure or check: both sides have them"),
        *_note(unseen - new_tests, "are new, and belong to the tests: neither side has them"),
        *_note(
            entries,
            "is run by the command and differs: it is judged too"
            if len(entries) == 1
            else "are run by the command and differ: they are judged too",
        ),
    ]
    # A comment stands for a file other than a module: another one for each content.
    contents = {path: after.get(path) for path in differing if path not in other.files}
    digests = {path: "removed" if text is None else sha256(text).hexdigest() for path, text in contents.items()}
    revision = Revision({**other.revision, **{path: f"# {digest}\n" for path, digest in digests.items()}})
    return TwoVersions(old, program, OtherVersion(revision, new, differing, tuple(said), of_new, beside))


def read_both(
    old: Path, new: Path, with_paths: Sequence[Path], linked: tuple[Linked, Linked] = (NO_LINKS, NO_LINKS)
) -> tuple[ProjectFiles, ProjectFiles]:
    """The files of two folders. What --with names of NEW's folder, or elsewhere, is shown on both sides.

    linked: what the environment imports in place, for each of them. Raises UsageError.
    """
    first, second = read_project(old, linked=linked[0]), read_project(new, linked=linked[1])
    beside: dict[str, bytes] = {}
    for path in with_paths:
        beside |= {name: read_or_fail(source) for name, source in named_files(path, second.root).items()}
    return _with_files(first, dict(first.files) | beside), _with_files(second, dict(second.files) | beside)


def _with_files(project: ProjectFiles, files: Mapping[str, bytes]) -> ProjectFiles:
    return replace(project, files=tuple(files.items()))


def _ruler(files: Mapping[str, bytes], command: ProjectCommand, tests: Sequence[str]) -> ProtectedFiles:
    """The files that measure and check, of all that no draft of a model's might edit."""
    ground = find_protected_files(command, files, tests)
    fixed = {path: reason for path, reason in ground.files.items() if _measures(path, reason)}
    beside = (path for path in files if CHECKS & set(PurePosixPath(path).parts[:-1]))
    return ProtectedFiles(fixed).also(_data(files, command), ProtectedReason.NAMED).also(beside, ProtectedReason.TEST)


def _needed(files: Mapping[str, bytes], new: Mapping[str, ProtectedReason], entries: Sequence[str]) -> Iterator[str]:
    """Yield files of a ruler that the command needs: what it runs and is given, and what that imports."""
    graph = ModuleGraph(files)
    todo = [*entries, *(path for path, why in new.items() if why not in (ProtectedReason.TEST, ProtectedReason.HELPER))]
    seen = set(todo)
    while todo:
        path = todo.pop()
        if path in new:
            yield path
        imported = graph.imported(graph.tree(path), path) & new.keys() - seen
        seen |= imported
        todo += imported


def _measures(path: str, reason: ProtectedReason) -> bool:
    if reason in (ProtectedReason.TEST, ProtectedReason.HELPER):
        return True
    runs_or_reads = reason in (ProtectedReason.COMMAND, ProtectedReason.GIVEN, ProtectedReason.NAMED)
    return runs_or_reads and not (path.endswith(".py") and is_own(path))


def _data(files: Mapping[str, bytes], command: ProjectCommand) -> Iterable[str]:
    """Data files that the command's program names."""
    if command.entry.kind is EntryKind.TOOL:
        return
    graph = ModuleGraph(files)
    for path in entry_files(command, files):
        yield from (text for text in graph.named_texts(path) if text in files and not text.endswith(".py"))


def _can_be_read(path: str, content: bytes | None) -> bool:
    """Return True for a module that this Python can parse, and for any other file."""
    if content is None or not path.endswith(".py"):
        return True
    try:
        return can_be_read(content.decode())
    except ValueError:
        return False


def _same_built(old: ProjectFiles, new: ProjectFiles) -> tuple[ProjectFiles, ProjectFiles, list[str]]:
    """Give both sides the extensions that are built in NEW's folder only: a checkout of OLD lacks them."""
    before, after = dict(old.files), dict(new.files)
    places = {place.as_posix() for place in built_files(new.root, map(Path, after))}
    built = (path for path in after if path in places or path.endswith(BUILT))
    lost = {path: after[path] for path in built if path not in before}
    unbuilt = [path for path in before if path.endswith(BUILT) and path not in after]
    said = _note(unbuilt, "are compiled in OLD's folder alone, so NEW runs without them: build NEW also")
    both = [path for path in before if path.endswith(BUILT) and after.get(path, before[path]) != before[path]]
    said += _note(both, "are compiled and differ: NEW's cannot be loaded in a container (--sandbox bubblewrap can)")
    if not lost:
        return old, new, said
    said += _note(lost, "are compiled in NEW's folder alone: both sides have them")
    changed = [path for path, content in before.items() if path.endswith(COMPILED_FROM) and after.get(path) != content]
    said += _note(changed, "differ and are compiled: OLD's build is not there, so that this is not judged")
    return _with_files(old, before | lost), new, said


def _note(paths: Iterable[str], what: str) -> list[str]:
    names = sorted(paths)
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return [f"{', '.join(names[:MOST_NAMED])}{more} {what}"] if names else []
