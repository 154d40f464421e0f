"""The files of a user's project that a run of its command is given: what git tracks, without secrets, and what `--with`
names; the modules among them that may be changed, of one version or two; and several files as a text for a model.

Questions and answers have this form: a line that names each file, and the file below it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any

from codeopt.core.errors import UsageError
from codeopt.core.git import tracked_files, unadded_files, work_trees
from codeopt.core.interpreter import reading_advice
from codeopt.core.program import Program, as_source, python_below
from codeopt.core.revision import Revision
from codeopt.core.run_inputs import is_secret, read_or_fail
from codeopt.core.words import listed
from codeopt.workloads.project.command import EntryKind, ProjectCommand
from codeopt.workloads.sandbox_view.linked import NO_LINKS, Linked, imported_beside, place_beside, project_top
from codeopt.workloads.sandbox_view.view import BUILT, COMPILED_FROM, built_files
from codeopt.workloads.source.module_graph import ModuleGraph
from codeopt.workloads.source.test_files import RECIPE_FILES, USUAL, find_test_files, matches, pytest_settings
from codeopt_sandbox.outcome import Files
from codeopt_sandbox.plain_files import read_bytes

MOST_FILES = 20_000
"""Maximum number of files. All runs share them, and each guest has one working copy in memory."""
LARGEST_MIB = 500
"""Maximum size of all files, MiB."""


@dataclass(frozen=True)
class ProjectFiles:
    """A copy of the project, read once: what the user changes meanwhile counts for nothing."""

    root: Path
    """Resolved; the command runs there."""
    files: Files
    notes: tuple[str, ...] = ()
    """Remarks on what a user may not expect, a line each."""
    linked: tuple[str, ...] = ()
    """Folders that its environment imports from in place, relative to the root."""

    @property
    def room_mib(self) -> int:
        """Room for what a run writes, MiB."""
        # Room for what a run writes is as much as the files take, and no more than this, MiB
        return min(64, (sum(len(content) for _, content in self.files) >> 20) + 1)

    @cached_property
    def contents(self) -> Mapping[str, bytes]:
        return dict(self.files)

    @cached_property
    def import_roots(self) -> tuple[str, ...]:
        """Folders for sys.path, relative to the root."""
        own = ("src", ".") if any(path.startswith("src/") for path, _ in self.files) else (".",)
        return tuple(dict.fromkeys((*own, *self.linked)))


def read_project(folder: Path, with_paths: Sequence[Path] = (), linked: Linked = NO_LINKS) -> ProjectFiles:
    """Read what may be shown. linked: what the environment imports in place, which is shown too where it is imported.
    Raises UsageError."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder of a project")
    root = folder.resolve()
    names, notes = _tracked(root)
    sources = {name.as_posix(): root / name for name in names if not is_secret(name)}
    built = {place: path for place, path in built_files(root, names).items() if place.as_posix() not in sources}
    if built:
        notes += (f"built in place and shown too: {listed([*built], 3)}",)
    sources |= {place.as_posix(): root / path for place, path in built.items()}
    for path in with_paths:
        sources |= named_files(path, root)
    files = {name: path for name, path in sources.items() if path.is_file() and not path.is_symlink()}
    if len(files) > MOST_FILES:
        raise UsageError(
            f"{folder} has {len(files):,} files that git tracks, and a run takes at most {MOST_FILES:,}",
            hint="name the folder in it that the command needs",
        )
    if not any(name.endswith(".py") for name in files):
        raise UsageError(f"{folder} has no Python file that git tracks", hint="`git add` it, or name it with --with")
    beside, roots = _linked(root, linked, files)
    found, size = list[tuple[str, bytes]](), 0
    for name, path in (files | beside).items():
        size += path.stat().st_size
        if size > LARGEST_MIB << 20:
            raise UsageError(
                f"{folder} has more than {LARGEST_MIB} MiB of files, which a run cannot be shown",
                hint="name the folder in it that the command needs",
            )
        found.append((name, read_or_fail(path)))
    return ProjectFiles(root, tuple(found), notes, roots)


def _linked(root: Path, linked: Linked, files: Mapping[str, Path]) -> tuple[dict[str, Path], tuple[str, ...]]:
    """Return the files outside of the folder that the environment imports in place, by their place in a run.

    The second value is the folders to import from. Files of the same repository have the same place for each checkout.
    """
    top = project_top(root)
    inside, outside = linked.divided(root / "any.py", top)
    beside = (*(each for each in inside if not each.is_relative_to(root)), *outside)
    places = {each: place_beside(each, top) for each in beside}
    texts = (read_bytes(path) for name, path in files.items() if name.endswith(".py"))
    shown = {(places[folder] / name).as_posix(): folder / name for folder, name in imported_beside(beside, texts)}
    roots = [each.relative_to(root).as_posix() for each in inside if each.is_relative_to(root)]
    roots += [place.as_posix() for place in places.values() if any(Path(name).is_relative_to(place) for name in shown)]
    return shown, tuple(roots)


def _tracked(root: Path) -> tuple[list[Path], tuple[str, ...]]:
    """Return relative paths of the project's files, and notes about skipped ones. Raises UsageError if git fails."""
    tracked = tracked_files(root)
    if tracked:
        found = tracked
        modules = [path for path in found if (root / path).is_dir()]
        return found, (f"submodules are not shown ({listed(modules, 3)}); --with shows one",) * bool(modules)
    found = [path.relative_to(root) for path in python_below(root)]
    git_is_missing = tracked is None and next(work_trees(root), None)
    without = "there is no git program here" if git_is_missing else "not a git repository"
    why = without if tracked is None else "git tracks none of its files"
    return found, (f"{why}: its {len(found)} Python files are shown, others by --with",)


def named_files(path: Path, root: Path) -> dict[str, Path]:
    """Files that --with names, by their place in the run's folder. Raises UsageError."""
    if not path.exists():
        raise UsageError(f"--with {path}: there is no such file or folder")
    whole = path.resolve()
    place = whole.relative_to(root) if root in whole.parents else Path(whole.name)
    if whole.is_file():
        return {place.as_posix(): whole}
    below = (each for each in sorted(whole.rglob("*")) if not is_secret(each.relative_to(whole)))
    return {(place / each.relative_to(whole)).as_posix(): each for each in below if each.is_file()}


# Which of these files a draft may change.


MARK = "# --- line {line} ---"
"""Above lines of a file that do not follow those above them in a prompt."""
_HEAD = re.compile(r"# === file: (?<![^\n]# === file: )(.+) ===\n")
"""Line that names a file. The literal text comes first, as that is six times as fast to find as `^`."""
_MARK = re.compile(r"^[ \t]*# --- line \d+ ---\n", re.MULTILINE)
_BENCH = re.compile(r"(bench|perf|profile|time)(mark)?s?(_.*)?\.py|.*_(bench|benchmark|perf)s?\.py")
BESIDE = frozenset({"tests", "test", "testing", "benchmarks", "benchmark", "bench", "docs", "examples"})
"""Folders whose files measure or check the project, and are not it."""


def unpack(text: str) -> Revision:
    """Return the files of an answer. Text above the first file and marks of lines are dropped."""
    text = _MARK.sub("", text)
    heads = list(_HEAD.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)][: len(heads)]
    return Revision({head[1]: text[head.end() : end] for head, end in zip(heads, ends, strict=True)})


BUILD = frozenset({"setup.py", "noxfile.py", "hatch_build.py", "sitecustomize.py", "usercustomize.py", "dodo.py"})
CONFIGURATION = (".toml", ".cfg", ".ini", ".conf", ".yaml", ".yml", ".json", ".pth", ".env", ".lock", ".mk")


class ProtectedReason(StrEnum):
    """Reason why a file is protected."""

    COMMAND = "the command runs it"
    GIVEN = "the command is given it"
    NAMED = "what the command runs names it"
    WRITTEN = "the command writes it"
    TEST = "a test file"
    HELPER = "only tests import it"
    CONFIGURATION = "configuration"
    BUILD = "a build file"


@dataclass(frozen=True)
class ProtectedFiles:
    """Files that no draft may edit, each with the reason; what is no Python file never is edited either."""

    files: Mapping[str, ProtectedReason] = field(default_factory=dict)
    others: int = 0
    """Files of other kinds: data and texts."""

    def why(self, path: str) -> ProtectedReason | None:
        """Reason why a draft may not edit the file; None where it may."""
        return self.files.get(posixpath.normpath(path))

    def touched(self, before: Mapping[str, str], after: Mapping[str, str]) -> str:
        """The first file of the fixed ground that is other than it was, with the reason; empty when none is."""
        for path in dict.fromkeys([*before, *after]):
            if before.get(path) != after.get(path) and (reason := self.why(path)):
                return f"{path} is fixed ground ({reason}): it may not be edited; leave it as it is"
        return ""

    def also(self, paths: Iterable[str], reason: ProtectedReason) -> ProtectedFiles:
        """Return the protected files with more of them. A file keeps its first reason."""
        return ProtectedFiles({**dict.fromkeys(paths, reason), **self.files}, self.others)

    def to_json(self) -> dict[str, Any]:
        """Return the field `protected_files` of a result."""
        rows = [{"file": path, "why": str(reason)} for path, reason in sorted(self.files.items())]
        return {"files": rows, "others": self.others}


@dataclass(frozen=True)
class ProjectProgram:
    """Modules of a project that may be changed."""

    path: Path
    """The project's folder."""
    files: Mapping[str, Program]
    """The files by their path in the project, to the character."""
    ground: ProtectedFiles = ProtectedFiles()
    """Files that no draft may edit."""

    @cached_property
    def revision(self) -> Revision:
        """The project's own text, each file with a line end at its end."""
        texts = {path: program.source for path, program in self.files.items()}
        return Revision({path: text + "\n" if text[-1:] not in ("", "\n") else text for path, text in texts.items()})

    @property
    def source(self) -> str:
        """Text of the only module. Raises ValueError where there are several."""
        return self.revision.text

    @cached_property
    def open_files(self) -> tuple[str, ...]:
        """Paths of the files that a draft may edit."""
        return tuple(path for path in self.files if not self.ground.why(path))

    def require_open(self) -> ProjectProgram:
        """This program. Raises UsageError where a draft may edit none of its files."""
        if self.open_files:
            return self
        path = next(iter(self.files))
        raise UsageError(
            f"{self.path}: each of its modules is a protected file, as {path} is ({self.ground.why(path)})",
            hint=f"to improve a script itself: codeopt improve {path} -- ARGUMENTS",
        )


def read_text(folder: Path, project: ProjectFiles, own: Callable[[str], bool] | None = None) -> ProjectProgram:
    """The project's own modules: no tests, benchmarks, nor what the command alone consists of. own: which these are by
    their paths; None: by their names. Most of a large project is never parsed: a module that cannot be is refused when
    it is edited. Raises UsageError."""
    own = own or is_own
    files = {}
    for path, content in project.files:
        try:
            text = content.decode() if path.endswith(".py") and own(path) else None
        except ValueError:
            continue
        if text is not None and not _HEAD.search(text):
            files[path] = Program(project.root / path, as_source(text), text, path)
    if not any(map(can_be_read, (program.source for program in files.values()))):  # mostly the first one can
        if files and (advice := reading_advice(project.root / next(iter(files)))):
            raise UsageError(f"{next(iter(files))} and the project's other modules cannot be read", hint=advice)
        raise UsageError(f"{folder} has no module that may be changed: tests and benchmarks stay as they are")
    return ProjectProgram(folder, files)


def can_be_read(content: str | bytes) -> bool:
    """Return True if this Python can parse a module."""
    try:
        text = content if isinstance(content, str) else content.decode()
        compile(text, "module", "exec", dont_inherit=True, flags=0x400)  # ast.PyCF_ONLY_AST
    except (ValueError, SyntaxError):
        return False
    return True


def is_own(path: str) -> bool:
    """Return True if a file belongs to the project and is not a test or a benchmark."""
    parts = PurePosixPath(path)
    if BESIDE & set(parts.parts[:-1]):
        return False
    return not matches(parts.name, (*USUAL, "setup.py")) and not _BENCH.fullmatch(parts.name)


# The fixed ground of a project: what its command names, tests, configuration and build files, which a proposer may
# see and no draft may edit. A gain there would be another question, not a faster answer.

RECIPES = frozenset({"tox", "nox", "invoke", "inv", "doit", "hatch", "pdm", "poetry"})
"""Tools that run what a file of the project says."""


NOTHING_FIXED = ProtectedFiles()


def find_protected_files(
    command: ProjectCommand, files: Mapping[str, bytes], tests: Sequence[str] = ()
) -> ProtectedFiles:
    """Protected files of a project's files by path. tests: files and folders that the user names as tests."""
    modules = ModuleGraph(files)
    fixed: dict[str, ProtectedReason] = {}
    entries = entry_files(command, files)

    def fix(paths: Iterable[str], reason: ProtectedReason) -> None:
        for path in paths:
            if path in files:
                fixed.setdefault(path, reason)

    fix(entries, ProtectedReason.COMMAND)
    fix(_given(command, files), ProtectedReason.GIVEN)
    says_what_runs = (*RECIPE_FILES, "pyproject.toml", "setup.cfg")  # of a tool that runs what a file says
    recipes = says_what_runs if PurePosixPath(command.entry.name).name in RECIPES else ()
    fix(modules.named_by([*entries, *(path for path in recipes if path in files)]), ProtectedReason.NAMED)
    named = {path for each in tests for path in files if path == each or path.startswith(f"{each}/")}
    fix(named, ProtectedReason.TEST)
    fix((path for path in files if PurePosixPath(path).name == "conftest.py"), ProtectedReason.TEST)
    fix(find_test_files(files, command.words), ProtectedReason.TEST)
    if ASV_SETTINGS in files:
        bodies = posixpath.normpath(asv_folder(files))
        fix((path for path in files if path.startswith(f"{bodies}/")), ProtectedReason.TEST)
    fix(
        (path for path in files if PurePosixPath(path).name in BUILD | RECIPE_FILES - {"tasks.py"}),
        ProtectedReason.BUILD,
    )
    fix((path for path in files if PurePosixPath(path).suffix in CONFIGURATION), ProtectedReason.CONFIGURATION)
    checked = {path for path, reason in fixed.items() if reason is ProtectedReason.TEST}
    code = command.entry.name if command.entry.kind is EntryKind.CODE else ""
    fix(modules.helpers_of(checked, code), ProtectedReason.HELPER)
    others = sum(not path.endswith(".py") and path not in fixed for path in files)
    return ProtectedFiles(fixed, others)


ASV_SETTINGS = "asv.conf.json"


def asv_folder(files: Mapping[str, bytes]) -> str:
    """The folder of benchmarks that the settings of ASV name, which are JSON with comments."""
    found = re.search(rb'"benchmark_dir"\s*:\s*"([^"]+)"', files[ASV_SETTINGS])
    return found[1].decode("utf-8", "replace") if found else "benchmarks"


def entry_files(command: ProjectCommand, files: Mapping[str, bytes]) -> tuple[str, ...]:
    """The project's files that a command runs as its program."""
    entry = command.entry
    if entry.kind is EntryKind.SCRIPT:
        found = [entry.name, posixpath.normpath(f"{entry.name}/__main__.py")]
    elif entry.kind is EntryKind.MODULE:
        found = [*_places(f"{entry.name}.__main__"), *_places(entry.name)]
    elif entry.kind is EntryKind.TOOL:
        text = next((word for word in command.words if "sys.argv[0] = " in word), "")
        found = [place for name in re.findall(r"from ([\w.]+) import", text) for place in _places(name)]
    else:
        found = []
    return tuple(path for path in found if path in files)


def _places(module: str) -> list[str]:
    """Return the paths at which a module with this name can be."""
    path = module.replace(".", "/")
    return [f"{root}{path}{end}" for root in ("", "src/") for end in (".py", "/__init__.py")]


def _given(command: ProjectCommand, files: Mapping[str, bytes]) -> Iterator[str]:
    """Files that are arguments, and those of folders that are: a draft would change the input. The name of a package is
    more often a name than a folder."""
    entry = command.entry
    # tools whose folders say where they look for tests, and are no input
    looks_for_tests = PurePosixPath(entry.name).name in {"pytest", "py.test", "unittest", "nose2", "asv", "manage.py"}
    for word in command.arguments:
        for text in {word, word.rpartition("=")[2], word.partition("::")[0]}:
            path = posixpath.normpath(text) if text else ""
            if path in files:
                yield path
            elif path and not looks_for_tests and not ("/" not in path and f"{path}/__init__.py" in files):
                yield from (each for each in files if path != "." and each.startswith(f"{path}/"))


# Two versions of a project, checked by one command: OLD and NEW, unchanged, with the same ruler on both sides.
#
# The ruler consists of the files that measure and check: tests, and modules that only tests import; a benchmark that is
# the command's program; the data of the command; pytest's settings.
#
# Both sides have OLD's ruler. Test files that only NEW has are run on both sides as a row of their own, with their
# helpers and data, and without NEW's `conftest.py` and settings of pytest. A benchmark and its data that only NEW has
# are on both sides if the command needs them. The rest of NEW is under test: its modules, the program that the command
# runs, and configuration.

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
    # what the command needs: what it runs and is given, and what that imports
    unlike_tests = (
        path for path, why in new_ruler.items() if why not in (ProtectedReason.TEST, ProtectedReason.HELPER)
    )
    begin = (*entry_files(command, after), *unlike_tests)
    added = ModuleGraph(after).with_imported(begin, new_ruler.keys()) & new_ruler.keys()
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
    modules = [path for path in differing if path.endswith(".py")]
    unread = {path for each in (before, after) for path in modules if not can_be_read(each.get(path, b""))}
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
    graph, data = ModuleGraph(files), list[str]()
    for path in entry_files(command, files) if command.entry.kind is not EntryKind.TOOL else ():
        data += (text for text in graph.named_texts(path) if text in files and not text.endswith(".py"))
    return ProtectedFiles(fixed).also(data, ProtectedReason.NAMED).also(beside, ProtectedReason.TEST)


def _measures(path: str, reason: ProtectedReason) -> bool:
    if reason in (ProtectedReason.TEST, ProtectedReason.HELPER):
        return True
    runs_or_reads = reason in (ProtectedReason.COMMAND, ProtectedReason.GIVEN, ProtectedReason.NAMED)
    return runs_or_reads and not (path.endswith(".py") and is_own(path))


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
    return [f"{listed(names, MOST_NAMED)} {what}"] if names else []
