"""The source from which CI installs codeopt: that of `--source`, else that of this very installation."""

from __future__ import annotations

import json
import re
from importlib.metadata import PackageNotFoundError, distribution

from codeopt.core.errors import UsageError
from codeopt.core.version import __version__

PINNED = re.compile(r"git\+(https|ssh|file)://[\w.~:/@%+-]+@[0-9a-f]{40}")
RELEASE = re.compile(r"codeopt==\d[\w.+!-]*")
WHEEL = re.compile(r"(https://)?[\w.~:/%+-]+\.whl")


def source_of(given: str | None) -> str:
    """The requirement for pip: nothing that moves, and nothing that a shell would read. Raises UsageError."""
    if given is None:
        return _installed_from() or f"codeopt=={__version__}"
    if not any(kind.fullmatch(given) for kind in (PINNED, RELEASE, WHEEL)):
        raise UsageError(
            f"--source {given}: give git+URL@COMMIT with all 40 digits of a commit, a wheel, or codeopt==VERSION"
        )
    return given


def is_release(source: str) -> bool:
    """It must be found on a package index."""
    return RELEASE.fullmatch(source) is not None


def _installed_from() -> str:
    """`git+URL@COMMIT` where pip noted that; empty for a release, a checkout, an archive."""
    try:
        noted = distribution("codeopt").read_text("direct_url.json")
    except PackageNotFoundError:
        return ""
    found = json.loads(noted or "{}")
    source = f"git+{found.get('url')}@{found.get('vcs_info', {}).get('commit_id')}"
    return source if PINNED.fullmatch(source) else ""
