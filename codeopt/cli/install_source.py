"""The source from which CI installs codeopt: that of `--source`, else that of this very installation."""

from __future__ import annotations

import json
import re
from enum import Enum, auto
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from codeopt.core.errors import UsageError
from codeopt.core.version import __version__

PINNED = re.compile(r"git\+(https|ssh|file)://[\w.~:/@%+-]+@[0-9a-f]{40}")
RELEASE = re.compile(r"codeopt==\d[\w.+!-]*")
WHEEL = re.compile(r"(https://)?[\w.~:/%+-]+\.whl")


class SourceOrigin(Enum):
    """Place of a source, as far as this installation tells."""

    NAMED = auto()
    """The user named it."""
    INDEX = auto()
    """pip took this release from a package index."""
    REPOSITORY = auto()
    """pip took this commit from a repository."""
    LOCAL = auto()
    """This is a checkout, a folder or a file of this machine: nothing says that its release is anywhere else."""


def origin_of(given: str | None) -> SourceOrigin:
    """The place of the source that `source_of` gives."""
    if given is not None:
        return SourceOrigin.NAMED
    if _installed_from():
        return SourceOrigin.REPOSITORY
    return SourceOrigin.LOCAL if _noted() else SourceOrigin.INDEX


def source_of(given: str | None, root: Path) -> str:
    """The requirement for pip: nothing that moves, and nothing that a shell would read. Raises UsageError.

    root: folder that a wheel lies in.
    """
    if given is None:
        return _installed_from() or f"codeopt=={__version__}"
    if not any(kind.fullmatch(given) for kind in (PINNED, RELEASE, WHEEL)):
        raise UsageError(
            f"--source {given} cannot be installed",
            hint="give git+URL@COMMIT with all 40 digits of a commit, a wheel, or codeopt==VERSION",
        )
    if WHEEL.fullmatch(given) and not given.startswith("https://") and not (root / given).is_file():
        raise UsageError(f"--source {given}: this folder has no such wheel", hint="CI installs it from this folder")
    return given


def _noted() -> dict[str, Any]:
    """pip's record of the source of this installation (direct_url.json). Empty for a package index."""
    try:
        noted = distribution("codeopt").read_text("direct_url.json")
    except PackageNotFoundError:
        return {"url": "file:///"}  # it is run from its folder
    found: dict[str, Any] = json.loads(noted or "{}")
    return found


def _installed_from() -> str:
    """`git+URL@COMMIT` where pip noted that. Empty for a release, a checkout, an archive."""
    found = _noted()
    source = f"git+{found.get('url')}@{found.get('vcs_info', {}).get('commit_id')}"
    return source if PINNED.fullmatch(source) else ""
