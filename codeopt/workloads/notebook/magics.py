"""Lines of a notebook's cells that only Jupyter runs.

Lines that compute nothing become comments. `%time` and `%%time` are replaced by the code that they time. Lines that may
change a result are an error.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from codeopt.core.errors import UsageError

MARK = "# only Jupyter runs: "
HARMLESS = frozenset(
    {"matplotlib", "config", "load_ext", "reload_ext", "unload_ext", "autoreload", "pip", "conda", "mamba", "uv", "who",
     "whos", "who_ls", "history", "lsmagic", "magic", "quickref", "precision", "xmode", "colors", "timeit", "pinfo",
     "pinfo2", "pdoc", "psource", "page", "automagic", "pprint", "logstop", "logoff"}
)  # fmt: skip
"""Line magics that neither compute nor bind anything a cell uses."""
SHELL = frozenset(
    {"pip", "pip3", "conda", "mamba", "uv", "poetry", "apt", "apt-get", "ls", "pwd", "echo", "date", "nvidia-smi",
     "head", "cat", "which", "whoami", "free", "df", "lscpu"}
)  # fmt: skip
"""Programs of shell lines that install or show something."""
TIMED = frozenset({"time", "prun", "memit", "capture"})
"""Magics that run the code after or below them."""
SHOWN = frozenset({"html", "HTML", "javascript", "js", "latex", "markdown", "svg", "SVG", "timeit"})
"""Cell magics whose whole cell shows something, or is run for its time alone."""
_PYTHON = re.compile(r"python3?\s+-m\s+pip\b")
_CHAINED = re.compile(r"[><|;&`]|\$\(")
"""Marks of a shell line that writes a file or also runs another program."""
_MAGIC = re.compile(r"(%%?)(\w+)\s*(.*)")


@dataclass(frozen=True)
class PlainCell:
    """A cell as Python, line by line as in the notebook."""

    text: str
    left_out: tuple[str, ...] = ()
    """Lines that are not run."""


def plain_cell(source: str, place: str) -> PlainCell:
    """Return the Python of a cell.

    Raises:
        UsageError: A line is not Python and may change a result. The message has the first one.
    """
    lines = source.split("\n")
    left_out: list[str] = []
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        whole = _of_cell(lines[first], place)
        left_out.append(lines[first].strip())
        end = len(lines) if whole else first + 1
        lines[first:end] = [f"{MARK}{line}" if line.strip() or not whole else line for line in lines[first:end]]
    for _ in range(len(lines) + 1):
        at = _broken(lines)
        if at is None:
            return PlainCell("\n".join(lines), tuple(left_out))
        line = lines[at]
        kept = _of_line(line.strip(), place)
        indent = line[: len(line) - len(line.lstrip())]
        for each in _continued(lines, at) if kept is None else (at,):
            lines[each] = f"{indent}{'pass  ' * bool(indent and kept is None)}{MARK}{lines[each].strip()}"
        if kept is not None:
            lines[at] = f"{indent}{kept}"
        left_out.append(line.strip())
    raise UsageError(f"{place}: it is no Python", hint="remove it from the notebook")


def _broken(lines: list[str]) -> int | None:
    """Index of the line at which a cell is no Python; None: it is."""
    try:
        ast.parse("\n".join(lines))
    except SyntaxError as error:
        at = min(max(error.lineno or 1, 1), len(lines)) - 1
        return at if _is_jupyters(lines[at]) else next((n for n, each in enumerate(lines) if _is_jupyters(each)), at)
    except (ValueError, RecursionError, MemoryError):
        return 0
    return None


def _is_jupyters(line: str) -> bool:
    text = line.strip()
    return text[:1] in ("%", "!", "?") or (text.endswith("?") and not text.startswith("#"))


def _continued(lines: list[str], at: int) -> Iterator[int]:
    """The line and those that a backslash at its end joins to it."""
    yield at
    while lines[at].rstrip().endswith("\\") and at + 1 < len(lines):
        at += 1
        yield at


def _of_cell(line: str, place: str) -> bool:
    """Return the Python code for a line, the code that `%time` times, or None.

    Raises UsageError for lines that may change a result.
    """
    found = _MAGIC.match(line.strip())
    name = found[2] if found else ""
    if name not in TIMED | SHOWN:
        raise UsageError(f"{place}: `{line.strip()[:80]}`, which only Jupyter runs", hint="remove it from the notebook")
    return name in SHOWN


def _of_line(text: str, place: str) -> str | None:
    """Return the Python code that replaces a line, the code that `%time` times, or None.

    Raises UsageError for lines that may change a result.
    """
    if text.startswith("?") or (text.endswith("?") and re.fullmatch(r"[\w.]+\?\??", text)):
        return None
    if text.startswith("!"):
        words = text.lstrip("!").split()
        if words and (words[0] in SHELL or _PYTHON.match(" ".join(words))) and not _CHAINED.search(text):
            return None
    elif (found := _MAGIC.fullmatch(text)) and found[1] == "%":
        if found[2] in HARMLESS:
            return None
        if found[2] == "time":
            return found[3]
    kind = "which only Jupyter runs" if text[:1] in ("%", "!", "?") else "which is no Python"
    raise UsageError(f"{place}: `{text[:80]}`, {kind}", hint="remove it from the notebook")
