"""A project as one text, as proposers, judge and history know it: its files, each below a line that names it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePosixPath

from codeopt.core.errors import UsageError
from codeopt.core.program import Program, as_source
from codeopt.workloads.project.files import ProjectFiles
from codeopt.workloads.project.fixed_ground import FixedGround

HEAD = "# === file: {path} ===\n"
_HEAD = re.compile(r"^# === file: (.+) ===\n", re.MULTILINE)
_TEST = re.compile(r"(test_.*|.*_test|conftest|setup)\.py")
_BENCH = re.compile(r"(bench|perf|profile|time)(mark)?s?(_.*)?\.py|.*_(bench|benchmark|perf)s?\.py")
BESIDE = frozenset({"tests", "test", "testing", "benchmarks", "benchmark", "bench", "docs", "examples"})
"""Folders whose files measure or check the project, and are not it."""


def joined(files: Mapping[str, str]) -> str:
    """One text of several."""
    return "".join(f"{HEAD.format(path=path)}{text}" for path, text in files.items())


@lru_cache(maxsize=64)
def _parted(text: str) -> tuple[tuple[str, str], ...]:
    heads = list(_HEAD.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)][: len(heads)]
    return tuple((head[1], text[head.end() : end]) for head, end in zip(heads, ends, strict=True))


def parted(text: str) -> dict[str, str]:
    """The files of such a text."""
    return dict(_parted(text))


def first_lines(text: str) -> dict[str, int]:
    """By file: the number of the line above its first one, in the whole text."""
    return {head[1]: text.count("\n", 0, head.end()) for head in _HEAD.finditer(text)}


@dataclass(frozen=True)
class ProjectProgram(Program):
    """What may be changed of a project. `source` and `text` are its files in one."""

    files: Mapping[str, Program] = field(default_factory=dict)
    """As they are; by their path in the project."""
    ground: FixedGround = FixedGround()
    """What of them stays as it is."""

    @property
    def open_files(self) -> tuple[str, ...]:
        """Paths of those that a draft may edit."""
        return tuple(path for path in self.files if not self.ground.why(path))

    def require_open(self) -> ProjectProgram:
        """The same. Raises UsageError where a draft may edit none of them."""
        if self.open_files:
            return self
        path = next(iter(self.files))
        raise UsageError(
            f"{self.path}: every module of its own is fixed ground, as {path} is ({self.ground.why(path)}); "
            f"to improve a script itself, name it: codeopt improve {path} -- ARGUMENTS"
        )

    def as_file(self, source: str) -> str:
        """As it is: there is no such file."""
        return source

    def parts(self, source: str) -> Iterator[tuple[Program, str]]:
        """The files that are other than they were, with their new text."""
        for path, text in parted(source).items():
            known = self.files.get(path)
            if known is not None and not self.ground.why(path) and text != parted(self.source)[path]:
                yield known, text if known.source.endswith("\n") else text.removesuffix("\n")

    def edited(self, source: str) -> dict[str, bytes]:
        """The same by their path in the project, as the files would hold it."""
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
    ended = {
        path: p.source if p.source.endswith("\n") or not p.source else p.source + "\n" for path, p in files.items()
    }
    source = joined(ended)
    return ProjectProgram(folder, source, source, files=files)


def is_own(path: str) -> bool:
    """Whether a file is the project's, and none that tests or measures it."""
    parts = PurePosixPath(path)
    if BESIDE & set(parts.parts[:-1]):
        return False
    return not _TEST.fullmatch(parts.name) and not _BENCH.fullmatch(parts.name)


def is_test(path: str) -> bool:
    """Whether pytest would look for tests in it."""
    return bool(re.fullmatch(r"test_.*\.py|.*_test\.py", PurePosixPath(path).name))
