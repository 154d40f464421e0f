"""The extras of codeopt: the packages of each, and the command that installs them."""

from __future__ import annotations

import re
import shlex
import sys
from importlib.metadata import requires

DEVELOPERS = ("test", "docs")
"""Extras that only the work on codeopt needs."""
_OF_AN_EXTRA = re.compile(r"(?P<requirement>[^;]+);.*extra == ['\"](?P<extra>[\w-]+)['\"]")


def extras() -> dict[str, list[str]]:
    """The requirements of each extra that users may want, as this installation declares them."""
    found: dict[str, list[str]] = {}
    for line in requires("codeopt") or ():
        if (named := _OF_AN_EXTRA.match(line)) and named["extra"] not in DEVELOPERS:
            found.setdefault(named["extra"], []).append(named["requirement"].strip())
    return found


def install_command(extra: str) -> str:
    """Return the command that adds an extra to this installation, which may be a copy."""
    return shlex.join([sys.executable, "-m", "pip", "install", *extras().get(extra, [f"codeopt[{extra}]"])])
