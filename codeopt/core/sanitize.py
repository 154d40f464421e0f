"""Text that untrusted programs wrote, made safe for a prompt or a log: cut, escaped and fenced."""

from __future__ import annotations

import re
import unicodedata

HEAD = 400
"""Characters kept at the start of a long text."""
TAIL = 200
"""Characters kept at the end of a long text."""

_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories that steer a terminal, hide text or reorder it: controls, bidi and zero-width marks, tags."""

_UNUSUAL = re.compile(r"[^\n\t -~]")
_COLON_COMMAND = re.compile(r"((?:^|[\r\n])[^\S\n]*)::(?=.*::)", re.MULTILINE)
_BRACKET_COMMAND = re.compile(r"##([a-z]*)\[", re.IGNORECASE)


def decoded(data: bytes) -> str:
    """A program's output as text; bytes that are not UTF-8 become `\\xNN`."""
    return data.decode("utf-8", "backslashreplace")


def encodable(text: str) -> str:
    """`text` in a form that can be encoded: surrogate pairs become their character, a lone surrogate U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def printable(text: str) -> str:
    """Return `text` with every character that is not plainly visible escaped. New lines and tabs stay."""
    return _UNUSUAL.sub(_escaped, text)


def steering(text: str) -> set[str]:
    """Return the characters that steer a terminal, hide text or reorder it. A lone carriage return ends a line of
    Python's."""
    found = set(_UNUSUAL.findall(text.replace("\r\n", "\n")))
    return {char for char in found if unicodedata.category(char) in _UNSAFE}


def _escaped(match: re.Match[str]) -> str:
    char = match.group()
    if unicodedata.category(char) not in _UNSAFE:
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def cut(text: str, head: int = HEAD, tail: int = TAIL) -> str:
    """`text`, with its middle replaced by a mark when it is longer than `head + tail` characters."""
    gone = len(text) - head - tail
    if gone <= 0:
        return text
    return f"{text[:head]}\n[... {gone:,} characters left out ...]\n{text[len(text) - tail :] if tail else ''}"


def inline(text: str, limit: int = 200) -> str:
    """Return `text` on one line, short and without back quotes, for use in a sentence."""
    line = printable(" ".join(text.split())).replace("`", "'")
    return line if len(line) <= limit else f"{line[:limit]}..."


def fenced(text: str, label: str = "") -> str:
    """`text` in a block that nothing in it can close: the fence is longer than any run of back quotes inside."""
    safe = printable(text).removesuffix("\n")
    longest = max((len(run) for run in re.findall("`+", safe)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{label}\n{safe}\n{fence}"


def log_line(text: str, limit: int = 300) -> str:
    """Return `text` on one line for a terminal or a log.

    Every control character is escaped, and no part acts as a command of the CI system that shows the log.
    """
    escaped = printable(text.replace("\n", "\\n").replace("\t", "\\t"))
    line = harmless(escaped)
    return line if len(line) <= limit else f"{line[:limit]}..."


def harmless(text: str) -> str:
    """Lines of a log without commands for GitHub (`::name::`, `##[name]`), Azure (`##vso[`), TeamCity
    (`##teamcity[`): they are shown, and do nothing."""
    return _BRACKET_COMMAND.sub(r"# #\1[", _COLON_COMMAND.sub(r"\1: :", text))


def acts_in_a_log(text: str) -> bool:
    """Return whether a CI system would take some line of the text for a command."""
    return harmless(text) != text
