"""Modules of a project that may be changed, and the text form of several files for a language model.

Questions and answers have this form: a line that names each file, and the file below it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from codeopt.core.errors import UsageError
from codeopt.core.program import Program, as_source
from codeopt.core.project_python import reading_advice
from codeopt.core.revision import Revision
from codeopt.workloads.project.command import EntryKind, ProjectCommand
from codeopt.workloads.project.files import ProjectFiles
from codeopt.workloads.source.module_graph import ModuleGraph
from codeopt.workloads.tests import RECIPE_FILES, find_test_files

MARK = "# --- line {line} ---"
"""Above lines of a file that do not follow those above them in a prompt."""
_HEAD = re.compile(r"# === file: (?<![^\n]# === file: )(.+) ===\n")
"""Line that names a file. The literal text comes first, as that is six times as fast to find as `^`."""
_MARK = re.compile(r"^[ \t]*# --- line \d+ ---\n", re.MULTILINE)
_TEST = re.compile(r"(test_.*|.*_test|conftest|setup)\.py")
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
        return Revision({path: _ended(program.source) for path, program in self.files.items()})

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


def can_be_read(text: str) -> bool:
    """Return True if this Python can parse a module."""
    try:
        compile(text, "module", "exec", dont_inherit=True, flags=0x400)  # ast.PyCF_ONLY_AST
    except (ValueError, SyntaxError):
        return False
    return True


def _ended(text: str) -> str:
    return text if text.endswith("\n") or not text else text + "\n"


def is_own(path: str) -> bool:
    """Return True if a file belongs to the project and is not a test or a benchmark."""
    parts = PurePosixPath(path)
    if BESIDE & set(parts.parts[:-1]):
        return False
    return not _TEST.fullmatch(parts.name) and not _BENCH.fullmatch(parts.name)


# The fixed ground of a project: what its command names, tests, configuration and build files, which a proposer may
# see and no draft may edit. A gain there would be another question, not a faster answer.

RUNNERS = frozenset({"pytest", "py.test", "unittest", "nose2", "asv", "manage.py"})
"""Tools whose folders say where they look for tests, and are no input."""
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
    looks_for_tests = PurePosixPath(entry.name).name in RUNNERS
    for word in command.arguments:
        for text in {word, word.rpartition("=")[2], word.partition("::")[0]}:
            path = posixpath.normpath(text) if text else ""
            if path in files:
                yield path
            elif path and not looks_for_tests and not ("/" not in path and f"{path}/__init__.py" in files):
                yield from (each for each in files if path != "." and each.startswith(f"{path}/"))
