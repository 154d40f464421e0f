"""Search of a program's text for its standard input and its arguments."""

from __future__ import annotations

import re

_STDIN = re.compile(r"\binput\s*\(|\bstdin\b|\bopen\(\s*0|\bfileinput\b|\bos\.read\(\s*0")


def reads_stdin(source: str) -> bool:
    """Return True if a program's text mentions its standard input."""
    return bool(_STDIN.search(source))
