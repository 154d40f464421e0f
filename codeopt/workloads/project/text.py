"""Modules of a project that may be changed, and the one text that stands for them where a draft is a text: in prompts,
answers and saved runs each file stands below a line that names it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath

from codeopt.core.errors import UsageError
from codeopt.core.program import Program, as_source
from codeopt.core.revision import Revision
from codeopt.workloads.project.files import ProjectFiles
from codeopt.workloads.project.fixed_ground import FixedGround

HEAD = "# === file: {path} ===\n"
_HEAD = re.compile(r"# === file: (?<![^\n]# === file: )(.+) ===\n")
"""At the start of a line; the literal text stands first, which is found six times as fast as `^`."""
_TEST = re.compile(r"(test_.*|.*_test|conftest|setup)\.py")
_BENCH = re.compile(r"(bench|perf|profile|time)(mark)?s?(_.*)?\.py|.*_(bench|benchmark|perf)s?\.py")
BESIDE = frozenset({"tests", "test", "testing", "benchmarks", "benchmark", "bench", "docs", "examples"})
"""Folders whose files measure or check the project, and are not it."""


def pack(revision: Mapping[str, str]) -> str:
    """The files as one text, each below its line `# === file: PATH ===`."""
    return "".join(f"{HEAD.format(path=path)}{text}" for path, text in revision.items())


def unpack(text: str) -> Revision:
    """The files of such a text; what stands above the first of them is left out."""
    heads = list(_HEAD.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)][: len(heads)]
    return Revision({head[1]: text[head.end() : end] for head, end in zip(heads, ends, strict=True)})


def line_offsets(revision: Mapping[str, str]) -> dict[str, int]:
    """Number of lines above the first line of each file, in the text that `pack` makes."""
    found, above = {}, 0
    for path, text in revision.items():
        found[path] = above + 1
        above += 1 + text.count("\n")
    return found


@dataclass(frozen=True)
class ProjectProgram(Program):
    """Modules of a project that may be changed. `source` and `text` are these files packed in one."""

    files: Mapping[str, Program] = field(default_factory=dict)
    """The files by their path in the project, to the character."""
    ground: FixedGround = FixedGround()
    """Files that no draft may edit."""

    @cached_property
    def revision(self) -> Revision:
        """The project's own text, each file with a line end at its end."""
        return Revision({path: _ended(program.source) for path, program in self.files.items()})

    @property
    def open_files(self) -> tuple[str, ...]:
        """Paths of the files that a draft may edit."""
        return tuple(path for path in self.files if not self.ground.why(path))

    def require_open(self) -> ProjectProgram:
        """This program. Raises UsageError where a draft may edit none of its files."""
        if self.open_files:
            return self
        path = next(iter(self.files))
        raise UsageError(
            f"{self.path}: every module of its own is fixed ground, as {path} is ({self.ground.why(path)}); "
            f"to improve a script itself, name it: codeopt improve {path} -- ARGUMENTS"
        )

    def as_file(self, source: str) -> str:
        """The packed text unchanged: no file of that kind exists."""
        return source

    def parts(self, source: str) -> Iterator[tuple[Program, str]]:
        """The files that a packed text changes, with their new text."""
        found = unpack(source)
        for path in found.changed_files(self.revision):
            known, text = self.files[path], found[path]
            if not self.ground.why(path):
                yield known, text if known.source.endswith("\n") else text.removesuffix("\n")

    def edited(self, source: str) -> dict[str, bytes]:
        """Contents of the changed files, by their path in the project."""
        places = {id(program): path for path, program in self.files.items()}
        return {places[id(program)]: program.as_file(text).encode() for program, text in self.parts(source)}


def read_text(folder: Path, project: ProjectFiles) -> ProjectProgram:
    """The project's own modules: no tests, benchmarks, nor what the command alone consists of. Raises UsageError."""
    files: dict[str, Program] = {}
    for path, content in project.files:
        if path.endswith(".py") and is_own(path):
            try:
                text = content.decode()
                compile(text, path, "exec", dont_inherit=True, flags=0x400)  # ast.PyCF_ONLY_AST
            except (ValueError, SyntaxError):
                continue
            if not _HEAD.search(text):
                files[path] = Program(project.root / path, as_source(text), text, path)
    if not files:
        raise UsageError(
            f"{folder} has no module of its own that could be improved: tests and benchmarks are left as they are"
        )
    source = pack({path: _ended(program.source) for path, program in files.items()})
    return ProjectProgram(folder, source, source, files=files)


def _ended(text: str) -> str:
    return text if text.endswith("\n") or not text else text + "\n"


def is_own(path: str) -> bool:
    """Whether a file is the project's, and none that tests or measures it."""
    parts = PurePosixPath(path)
    if BESIDE & set(parts.parts[:-1]):
        return False
    return not _TEST.fullmatch(parts.name) and not _BENCH.fullmatch(parts.name)


def is_test(path: str) -> bool:
    """Whether pytest would look for tests in it."""
    return bool(re.fullmatch(r"test_.*\.py|.*_test\.py", PurePosixPath(path).name))
