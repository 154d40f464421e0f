"""Modules of a project that may be changed, and the text form of several files for a language model.

Questions and answers have this form: a line that names each file, and the file below it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from codeopt.core.errors import UsageError
from codeopt.core.program import Program, as_source
from codeopt.core.project_python import reading_advice
from codeopt.core.revision import Revision
from codeopt.workloads.project.files import ProjectFiles
from codeopt.workloads.project.protected_files import ProtectedFiles

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
    texts = {path: _decoded(content) for path, content in project.files if path.endswith(".py") and own(path)}
    files = {
        path: Program(project.root / path, as_source(text), text, path)
        for path, text in texts.items()
        if text is not None and not _HEAD.search(text)
    }
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


def _decoded(content: bytes) -> str | None:
    try:
        return content.decode()
    except ValueError:
        return None


def _ended(text: str) -> str:
    return text if text.endswith("\n") or not text else text + "\n"


def is_own(path: str) -> bool:
    """Return True if a file belongs to the project and is not a test or a benchmark."""
    parts = PurePosixPath(path)
    if BESIDE & set(parts.parts[:-1]):
        return False
    return not _TEST.fullmatch(parts.name) and not _BENCH.fullmatch(parts.name)
