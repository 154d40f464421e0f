"""What a user names as a target, and its text: source, path, atomic replacement of its file. A target is one file or
several.
"""

from __future__ import annotations

import ast
import os
import shutil
import tempfile
import tokenize
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from io import BytesIO
from pathlib import Path
from typing import Protocol

from codeopt.core.errors import Diagnostic, UsageError, hint_of, names_near
from codeopt.core.git import GitError, find_git
from codeopt.core.interpreter import reading_advice
from codeopt.core.ownership import read_given
from codeopt.core.revision import OWN, Revision
from codeopt_sandbox.plain_files import TooLarge, is_plain, read_bytes

_BOM = "\ufeff"
_LONGEST = 1 << 20
"""Maximum size of a program, bytes. Longer files are data, and /dev/zero has no end."""


class TargetFiles(Protocol):
    """The target of an improvement: a program's file, or files of a project."""

    @property
    def path(self) -> Path:
        """The file, or the project's folder."""

    @property
    def source(self) -> str:
        """Text of a subject that is one file. Raises ValueError for one of several."""

    @property
    def revision(self) -> Revision:
        """All of its files as they are."""

    @property
    def files(self) -> Mapping[str, Program]:
        """The files by their path in a revision."""

    @property
    def open_files(self) -> Collection[str]:
        """Paths of the files that a draft may edit."""


class FileAround(Protocol):
    """A file that holds a program and other things, such as a notebook."""

    @property
    def text(self) -> str:
        """The file's text."""

    def replaced(self, source: str) -> str:
        """The file's text with another program in it. Raises UsageError."""

    def line_name(self, line: int) -> str:
        """Place of a line of the program as a reader of the file counts: `cell 2, line 3`."""


@dataclass(frozen=True)
class Program:
    """A program that reads standard input. All code works on `source`. Only a file knows its line ends."""

    path: Path
    source: str
    """Text with plain line ends, as Python itself reads it, and without a byte order mark."""
    text: str
    """Text of the file, to the character."""
    place: str = ""
    """Path in a diff. Empty: the path from the current folder."""
    left_out: tuple[str, ...] = ()
    """Lines of the file that are not run."""
    around: FileAround | None = None
    """The file, where it holds more than the program."""

    @cached_property
    def revision(self) -> Revision:
        """The source as a revision of one file."""
        return Revision.of(self.source)

    @property
    def files(self) -> Mapping[str, Program]:
        """Itself alone."""
        return {OWN: self}

    @property
    def open_files(self) -> Collection[str]:
        """Itself."""
        return (OWN,)


@dataclass(frozen=True)
class FileChange:
    """A file with another text."""

    path: str
    program: Program
    text: str
    """The new text to the character, with the file's own byte order mark and line ends."""


def changes_of(subject: TargetFiles, revision: Revision) -> tuple[FileChange, ...]:
    """The files that a revision changes, as they are to be written; a target that is one file in any case."""
    changed = tuple(revision) if revision.is_one_file else revision.changed_files(subject.revision)
    found = []
    for path in (path for path in changed if path in subject.open_files):
        program, text = subject.files[path], revision[path]
        if subject.revision[path] != program.source:  # it ends with a line end there, and the file does not
            text = text.removesuffix("\n")
        found.append(FileChange(path, program, file_text(text, program.text)))
    return tuple(found)


def file_text(source: str, before: str) -> str:
    """A source text as the file would hold it whose text was `before`: its byte order mark, its kind of line ends."""
    ends = "\r\n" if before.count("\r\n") * 2 > before.count("\n") else "\n"
    return _BOM * before.startswith(_BOM) + source.replace("\n", ends)


def as_source(text: str) -> str:
    """Text as Python reads it: plain line ends, no byte order mark."""
    return text.removeprefix(_BOM).replace("\r\n", "\n").replace("\r", "\n")


def read_program(path: Path) -> Program:
    """Read the program at `path`. Raises UsageError if Python could not run it."""
    try:
        if path.is_dir():
            raise UsageError(f"{path} is a directory", hint="name the Python file in it")
        return _parsed(path, _read(path))
    except OSError as error:
        near = names_near(path, "*.py") if isinstance(error, FileNotFoundError) else ""
        raise UsageError(f"cannot read {path}: {error.strerror}", hint=near) from error


def make_program(path: Path, text: str) -> Program:
    """Return the program at `path` with another text. Raises UsageError if Python could not run it."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > _LONGEST:
        raise UsageError(f"the text for {path} is longer than {_LONGEST >> 20} MiB")
    return _parsed(path, data)


@lru_cache(maxsize=16)
def _parsed(path: Path, data: bytes) -> Program:
    """The program; each function of a module asks for the same one. Raises UsageError."""
    try:
        _require_utf8(path, data)
        text = data.decode()
        source = as_source(text)
        tree = ast.parse(source, str(path))
    except SyntaxError as error:
        where = f"{path}:{error.lineno}" if error.lineno else f"{path}"
        hint = reading_advice(path) or "Python cannot run it either: correct that line first"
        raise UsageError(f"{where}: {error.msg}", hint=hint) from error
    except ValueError as error:  # bytes beyond the first two lines that are not UTF-8, or a null byte
        raise UsageError(f"{path} is not UTF-8 text, which Python source is: {error}") from error
    except (RecursionError, MemoryError) as error:
        raise UsageError(f"{path} is nested too deeply for Python to read") from error
    if not tree.body:
        raise UsageError(f"{path} is empty")
    return Program(path, source, text)


def _read(path: Path) -> bytes:
    try:
        return read_given(path, _LONGEST)
    except TooLarge as error:
        raise UsageError(f"{path} is longer than {_LONGEST >> 20} MiB") from error


def _require_utf8(path: Path, data: bytes) -> None:
    """Raise UsageError for another encoding than UTF-8, in which a draft's text would have another meaning."""
    try:
        encoding, _ = tokenize.detect_encoding(BytesIO(data).readline)
    except SyntaxError as error:
        raise UsageError(f"{path} is not UTF-8 text, which Python source is") from error
    if encoding not in ("utf-8", "utf-8-sig"):
        raise UsageError(f"{path} is encoded in {encoding}", hint="save it as UTF-8")


def write_whole(path: Path, text: str) -> None:
    """Write `text` to `path` atomically, keeping the file mode.

    A reader sees the old text or the new one, never a part. Symbolic links are followed. Devices and pipes, such as
    /dev/null, are written to and not replaced. Raises UsageError if it cannot be written: a file is unchanged then.
    """
    temporary = None
    is_stream = path.exists() and not path.is_file()
    path = path if is_stream else path.resolve()
    try:
        if is_stream:
            with path.open("w", encoding="utf-8", newline="") as stream:
                stream.write(text)
            return
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        if path.exists():
            shutil.copymode(path, temporary)
        else:
            mask = os.umask(0o022)  # it can only be read by setting it
            os.umask(mask)
            Path(temporary).chmod(0o666 & ~mask)
        Path(temporary).replace(path)
    except OSError as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        hint = "" if is_stream else hint_of(error) or "the file is unchanged; -o FILE writes to another place"
        raise UsageError(f"cannot write {path}: {error.strerror}", hint=hint) from error


@dataclass(frozen=True)
class Replacement:
    """A file and the text that takes the place of its own, both to the character."""

    path: Path
    before: str
    after: str
    kept: Path | None
    """File to keep the original in. None if git holds it."""

    @property
    def words(self) -> str:
        """The line that tells of it."""
        return f"wrote {self.path}, " + (
            f"the original is kept as {self.kept}" if self.kept else "git holds the original"
        )

    def write(self) -> None:
        """Keep the original, and write the file in one step. Raises UsageError if that fails."""
        if self.kept:
            write_whole(self.kept, self.before)
        write_whole(self.path, self.after)


def replacement(program: Program, text: str) -> Replacement:
    """Plan to put a new text in the place of a program's, to the character. Nothing is written.

    Raises UsageError if the file has changed since it was read, or the place of the original is a link.
    """
    require_unchanged(program)
    before = program.around.text if program.around else program.text
    after = program.around.replaced(as_source(text)) if program.around else text
    kept: Path | None = kept_beside(program.path)
    with suppress(GitError):  # git may hold this very text
        path = Path(os.path.realpath(program.path))
        if git := find_git(path.parent):
            flags = ("--porcelain", "--ignored", "--untracked-files=normal")
            changed = git.ask("status", *flags, "--", path.relative_to(git.root).as_posix()).strip()
            kept = kept if changed else None
    if kept and kept.is_symlink():
        raise UsageError(f"{kept}, the place for the original, is a link: nothing was written", hint="remove the link")
    return Replacement(program.path, before, after, kept)


def kept_beside(path: Path) -> Path:
    """Place of the original of a file that is written."""
    return path.with_name(path.name + ".orig")


def require_unchanged(program: Program) -> None:
    """Raise UsageError if the file has changed since it was read."""
    held = program.around
    if (read_text(program.path) if held else read_program(program.path).text) != (held or program).text:
        raise UsageError(f"{program.path} has changed since it was read", hint="-o FILE writes to another place")


def read_text(path: Path) -> str:
    """Text of a file that is no program itself. Raises UsageError."""
    try:
        return read_bytes(path).decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error


def replace_files(subject: TargetFiles, new: Revision) -> tuple[Replacement, ...]:
    """Put each file that a result changes in place; none is written where one has changed since it was read. Raises
    UsageError."""
    replacements = tuple(replacement(each.program, each.text) for each in changes_of(subject, new))
    for each in replacements:
        each.write()
    return replacements


def python_below(top: Path, closed: Callable[[OSError], None] | None = None) -> Iterator[Path]:
    """Yield the user's own Python files below a folder where git does not list them: no links, hidden folders or
    environments. `top` may be a file.

    closed: called for each folder that cannot be read.
    """
    if top.is_file():
        yield top
    for place, folders, names in () if top.is_file() else os.walk(top, onerror=closed):
        here = Path(place)
        folders[:] = [name for name in sorted(folders) if not _is_others(here / name)]
        for path in (here / name for name in sorted(names)):
            if path.suffix == ".py" and not path.name.startswith(".") and not path.is_symlink():
                yield path


def _is_others(folder: Path) -> bool:
    """Return whether a folder is hidden, an environment, or ignores itself: runs, caches and environments do that."""
    ignored = folder / ".gitignore"
    return (
        folder.name.startswith(".")
        or folder.name in ("__pycache__", "node_modules")
        or (folder / "pyvenv.cfg").exists()
        or (is_plain(ignored) and read_bytes(ignored).strip() == b"*")
    )


# The target that a user names: a file, or something in it.


@dataclass(frozen=True)
class Target:
    """`FILE`, or `FILE::NAME`."""

    path: Path
    name: str = ""
    """Qualified name of the function inside the file. Empty for the whole file."""
    module: str = ""
    """The file is run as `python -m MODULE`. Empty: as a script."""

    @property
    def package(self) -> str:
        """The package from which the module's relative imports count."""
        return self.module if self.path.name == "__main__.py" else self.module.rpartition(".")[0]

    def __str__(self) -> str:
        return f"{self.path}::{self.name}" if self.name else str(self.path)


def as_target(given: str | os.PathLike[str] | Target) -> Target:
    """A target as it was written: `slow.py`, `mod.py::f`, `mod.py::Class.method`. Raises UsageError for half of one, as
    of a shell's variable that is not set: an empty path would be the current folder."""
    if isinstance(given, Target):
        return given
    path, mark, name = os.fspath(given).partition("::")
    if not path or (mark and not name):
        raise UsageError(f"'{given}' names no {'function' if path else 'file'}", hint="write FILE or FILE::FUNCTION")
    return Target(Path(path), name.replace("::", "."))


def as_module(name: str, folder: Path) -> Target:
    """The file that `python -m NAME` runs, below a folder or its `src`. Raises UsageError."""
    parts = name.split(".")
    if not all(part.isidentifier() for part in parts):
        raise UsageError(
            f"-m {name}: that is no module's name", hint="give it as `python -m` takes it, such as package.tool"
        )
    for root in (folder, folder / "src"):
        base = root.joinpath(*parts)
        for path in (base / "__main__.py", base.with_suffix(".py")):
            if path.is_file():
                return Target(Path(os.path.relpath(path, folder)), module=name)
        if base.is_dir():
            raise UsageError(
                f"-m {name}: {os.path.relpath(base, folder)} has no __main__.py, so `python -m` cannot run it"
            )
    raise UsageError(f"-m {name}: there is no such module here or in src/")


# Facts about a function from one run of a project's tests, for later verification.


@dataclass(frozen=True)
class TracedCalls:
    """Calls of a function that tests make."""

    calls: Mapping[str, str] = field(default_factory=dict)
    """Test that made a call first, by call."""
    lost: Mapping[str, int] = field(default_factory=dict)
    """Cause why calls cannot be written down -> number of such calls."""
    tests: tuple[str, ...] = ()
    """Ids of the tests that call it and pass."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Tests that could not be run, where nobody else tells of them."""


Traces = Mapping[tuple[Path, str], TracedCalls]
"""Findings by resolved file and qualified name."""
