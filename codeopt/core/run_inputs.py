"""The inputs of a program's run that a user gives: arguments, the files that they name, other files, environment
variables.

A run finds copies in its working folder. A path inside the current folder stays as it is; any other is found by its
last name, and the argument is changed to that.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from codeopt.core.errors import UsageError
from codeopt.core.ownership import require_own_way
from codeopt_sandbox.plain_files import read_bytes

MAX_MIB = 64
"""Most MiB of all files together: each run has copies of its own, in memory."""
MAX_FILES = 400
SECRET = """
    .env .env.* *.env *.pem *.key *.p12 *.pfx *.jks *.keystore *.kdbx id_* *.ppk .netrc _netrc .pypirc .npmrc
    .htpasswd .git-credentials .pgpass .my.cnf *credential* *secret*.json *secret*.y*ml *secret*.toml
    *service-account*.json *.tfstate *.tfstate.* *.tfvars
"""
"""Patterns of file names that may hold secrets: never shown in a sandbox unasked."""
_SECRET_NAME = re.compile("|".join(map(fnmatch.translate, SECRET.split())))
"""All of them at once: one by one they took 1.5 ms for 100 files, and a project may have 50,000."""
SECRET_FOLDERS = frozenset(
    {".git", ".hg", ".svn", ".ssh", ".aws", ".gnupg", ".docker", ".kube", ".codeopt", "__pycache__"}
)
"""Names of folders that may hold secrets, or nothing that a run could need."""
Files = tuple[tuple[str, bytes], ...]


@dataclass
class _Copies:
    """Files by their path in the run's folder."""

    sources: dict[str, Path] = field(default_factory=dict)
    size: int = 0

    def add(self, path: Path) -> str:
        """Add a file or folder and return its path in the run's folder. Raises UsageError."""
        require_own_way(path, str(path), "name what it leads to")
        place = self._place(path)
        if path.is_dir():
            if not os.access(path, os.R_OK | os.X_OK):
                raise UsageError(f"cannot read {path}: Permission denied")
            for file in files_below(path):
                self._add_file(f"{place}/{file.relative_to(path).as_posix()}".removeprefix("./"), file)
        else:
            self._add_file(place, path)
        return place

    def _place(self, path: Path) -> str:
        plain = PurePath(os.path.normpath(path))
        if not plain.is_absolute() and ".." not in plain.parts:
            return plain.as_posix()
        name = path.resolve().name or "root"
        while name in self.sources and self.sources[name].resolve() != path.resolve():
            name = f"_{name}"
        return name

    def _add_file(self, place: str, path: Path) -> None:
        if place in self.sources:
            return
        if not os.access(path, os.R_OK):
            raise UsageError(f"cannot read {path}: Permission denied")
        self.sources[place] = path
        self.size += path.stat().st_size
        if self.size > MAX_MIB << 20:
            raise UsageError(
                f"{path} makes {self.size >> 20} MiB of files, and a run takes at most {MAX_MIB} MiB",
                hint="give a smaller file",
            )
        if len(self.sources) > MAX_FILES:
            raise UsageError(f"more than {MAX_FILES} files are given to a run ({path})", hint="name fewer with --with")


def files_below(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder that a sandbox may show. Links are left out, as they may lead anywhere."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and not is_secret(path.relative_to(folder)):
            yield path


def is_secret(path: Path) -> bool:
    """Return whether a file may hold a secret, by its name. A Python module never counts as secret."""
    if SECRET_FOLDERS & set(path.parts):
        return True
    name = path.name.lower()
    return not name.endswith((".py", ".pyi")) and _SECRET_NAME.match(name) is not None


def _planned(args: Sequence[str], with_paths: Sequence[Path]) -> tuple[tuple[str, ...], _Copies]:
    copies = _Copies()
    for path in with_paths:
        if not path.exists():
            raise UsageError(f"--with {path}: there is no such file or folder")
        copies.add(path)
    return tuple(_argument(text, copies) for text in args), copies


def _argument(text: str, copies: _Copies) -> str:
    """The argument as a run sees it: with its path changed, if it is one or ends in one as `--input=data.csv` does."""
    if _exists(text):
        return copies.add(Path(text))
    name, sign, value = text.partition("=")
    if sign and name.startswith("-") and _exists(value):
        return f"{name}={copies.add(Path(value))}"
    return text


def _exists(text: str) -> bool:
    """Return whether a text names a file or folder. Devices and pipes cannot be copied and do not count."""
    if not text or text == "-":
        return False
    try:
        path = Path(text)
        return path.is_file() or path.is_dir()
    except (OSError, ValueError):
        return False


def folder_mib(args: Sequence[str], with_paths: Sequence[Path]) -> int:
    """Size of the files that are given, MiB, rounded up.

    Raises UsageError where one cannot be read, or there are too many.
    """
    return (_planned(args, with_paths)[1].size >> 20) + 1 if args or with_paths else 0


def read_run_inputs(args: Sequence[str], with_paths: Sequence[Path]) -> tuple[tuple[str, ...], Files]:
    """Read all files that are given: a run's arguments, and the files in its working folder.

    Raises UsageError, naming the file that cannot be read, or the limit that is met.
    """
    changed, copies = _planned(args, with_paths)
    return changed, tuple((place, read_or_fail(path)) for place, path in copies.sources.items())


def read_or_fail(path: Path) -> bytes:
    """Contents of a file that a run is given. Raises UsageError."""
    try:
        return read_bytes(path)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error


def environment(wanted: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Environment variables as (name, value) pairs; a plain NAME passes the user's own on.

    Raises UsageError where it is not set, or the text names no variable.
    """
    found = []
    for text in wanted:
        name, sign, value = text.partition("=")
        if not name or "\0" in text:
            raise UsageError(f"--env {text} is no variable", hint="give NAME or NAME=VALUE")
        if not sign and name not in os.environ:
            raise UsageError(f"--env {name}: it is not set here", hint=f"give {name}=VALUE")
        found.append((name, value if sign else os.environ[name]))
    return tuple(found)
