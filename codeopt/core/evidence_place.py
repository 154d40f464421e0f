"""The place of the evidence of a project: a file below its `.codeopt`, else one in the user's cache folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from secrets import token_bytes

from codeopt.core.errors import UsageError
from codeopt.core.evidence_store import SUFFIXES, EvidenceStore
from codeopt.core.ownership import STORE, foreign, require_own_way
from codeopt.core.run_store import keep_out_of_git

FILE = "evidence.sqlite"
SECRET = "evidence.key"
"""File in the user's cache folder with the secret that marks values as the user's own."""
SECRET_BYTES = 32
PACKAGES = ("site-packages", "dist-packages")
"""Folders of installed packages, into which nothing is written."""


def cache_folder() -> Path:
    """The user's own cache folder. Raises RuntimeError where the user has no home."""
    named = Path(os.environ.get("XDG_CACHE_HOME") or "")
    return (named if named.is_absolute() else Path.home() / ".cache") / "codeopt"


def open_evidence(project: Path, notify: Callable[[str], None] = lambda line: None) -> EvidenceStore | None:
    """The store for a project's folder; None where nothing of the user's own can be written.

    notify: told in one line of a store that is not the user's own.
    """
    secret = _secret()
    places = [project / STORE] * (not _is_installed(project)) + _cache(project)
    for folder in places if secret else []:
        if why := _unfit(folder):
            if why != CLOSED:
                notify(f"{folder / FILE} is not yours: {why}; it is left alone")
            continue
        return EvidenceStore(folder / FILE, secret, notify)
    return None


def stores_of(project: Path, below: Path | None = None) -> list[EvidenceStore]:
    """The stores that evidence of a project may be in, as far as they are there and the user's own.

    below: a folder whose projects count, too: without a project file each folder of modules is one.
    """
    secret = _secret()
    folders = dict.fromkeys([project / STORE, *_cache(project), *(_below(below) if below else ())])
    found = [folder for folder in folders if (folder / FILE).exists() and not _unfit(folder)]
    return [EvidenceStore(folder / FILE, secret) for folder in found]


def _below(folder: Path) -> Iterator[Path]:
    """Folders of stores of what is below a folder; what is hidden and what is installed is not looked into."""
    for place, folders, _ in os.walk(folder):
        if STORE in folders:
            yield Path(place, STORE)
        yield from _cache(Path(place))
        folders[:] = [name for name in folders if not name.startswith(".") and name not in PACKAGES]


CLOSED = "closed"
"""The reason why a folder is unfit that cannot be written to."""


def _cache(project: Path) -> list[Path]:
    """The folder for a project's store in the user's cache: two projects may have files of the same name."""
    place = project.resolve()
    name = f"{place.name[:40]}-{sha256(os.fsencode(place)).hexdigest()[:16]}"
    try:
        return [cache_folder() / "projects" / name]
    except RuntimeError:
        return []


def _is_installed(project: Path) -> bool:
    return any(part in PACKAGES for part in project.parts)


def _unfit(folder: Path) -> str:
    """Why a folder cannot hold the store; empty where it can. It is made where it is missing."""
    files = [folder, *(folder / f"{FILE}{suffix}" for suffix in SUFFIXES)]
    try:
        require_own_way(folder, str(folder))
        if not folder.exists():
            folder.mkdir(parents=True)
            keep_out_of_git(folder)
    except OSError:
        return CLOSED
    except UsageError as error:
        return str(error)
    if found := foreign(files):
        return next(iter(found.values()))
    if any(not stat.S_ISREG(file.lstat().st_mode) for file in files[1:] if os.path.lexists(file)):
        return "it is no plain file"
    return "" if os.access(folder, os.W_OK) else CLOSED


def _secret() -> bytes:
    """The user's secret, made where it is missing; empty where there can be none that is the user's alone."""
    try:
        folder = cache_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return _read_secret(folder / SECRET) or _made_secret(folder / SECRET)
    except (OSError, RuntimeError):
        return b""


def _read_secret(path: Path) -> bytes:
    """The secret in a file; empty where there is none. Raises OSError for one that others may know."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return b""
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(file.fileno())
        if status.st_uid != os.geteuid() or status.st_mode & 0o077 or not stat.S_ISREG(status.st_mode):
            raise PermissionError(f"{path} is not the user's alone")
        found = file.read(SECRET_BYTES + 1)
    return found if len(found) == SECRET_BYTES else b""


def _made_secret(path: Path) -> bytes:
    """A new secret, in one step; that of another process where it was quicker. Raises OSError."""
    secret, temporary = token_bytes(SECRET_BYTES), path.with_name(f".{SECRET}.{os.getpid()}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secret)
        if path.exists():  # too short: it was cut off, and is of no use
            temporary.replace(path)
        else:
            os.link(temporary, path)
    except FileExistsError:
        return _read_secret(path)
    finally:
        temporary.unlink(missing_ok=True)
    return secret
