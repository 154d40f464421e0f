"""A notebook: its code cells are a program; their places in the file, and the lines that only Jupyter runs."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from codeopt.core.errors import UsageError
from codeopt.core.program import Program, as_source
from codeopt.workloads._protocol import workload
from codeopt.workloads.program import open_workload as open_program
from codeopt_sandbox.plain_files import read_bytes

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from codeopt.core.options import ImproveOptions
    from codeopt.core.program import Target
    from codeopt.workloads import OpenTarget, WorkloadRequest


def matches(target: Target, options: ImproveOptions) -> bool:
    """Return True if the file's name is that of a notebook."""
    return target.path.suffix == ".ipynb"


def read(target: Target) -> Program:
    """The code cells as one program. Raises UsageError, with the first line that is no Python."""

    if target.name:
        raise UsageError(f"{target}: a function of a notebook cannot be named", hint="put it in a .py file")
    notebook = read_notebook(target.path)
    text = notebook.program
    if not text:
        raise UsageError(f"{target.path} has no code")
    left_out = tuple(line for cell in notebook.cells for line in cell.plain.left_out)
    return Program(target.path, text, text, left_out=left_out, around=notebook)


@workload(matches, read=read, priority=10)
def open_workload(request: WorkloadRequest) -> AbstractContextManager[OpenTarget]:
    """Open the cells as a program."""
    return open_program(request)


# A notebook's file: its code cells with their places in the text, and the text with other cells, all else to the
# byte.

LARGEST = 64 << 20
"""Maximum size of a notebook, bytes; most of a large one are pictures."""
_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True)
class CodeCell:
    """A code cell that holds something."""

    number: int
    """Place among the code cells, from 1."""
    source: str
    plain: PlainCell
    start: int
    """Place of its source's value in the file's text."""
    end: int

    @property
    def text(self) -> str:
        """Part of the program, with a line end."""
        return self.plain.text.rstrip("\n") + "\n"


@dataclass(frozen=True)
class NotebookFile:
    """The text of a notebook."""

    path: Path
    text: str

    @cached_property
    def cells(self) -> tuple[CodeCell, ...]:
        """Code cells. Raises UsageError."""
        try:
            start, _ = dict(_members(self.text, _skip(self.text, 0)))["cells"]
            if self.text[start] != "[":
                raise ValueError
            starts = [at for at, _ in _items(self.text, start) if self.text[at] == "{"]
        except (ValueError, KeyError, IndexError, RecursionError) as error:
            raise UsageError(f"{self.path} is no notebook of format 4, which has a list of cells") from error
        number, found = 0, list[CodeCell]()
        for places in (dict(_members(self.text, at)) for at in starts):
            if "cell_type" not in places or self._value(places["cell_type"]) != "code":
                continue
            number += 1
            value = self._value(places["source"]) if "source" in places else ""
            source = as_source("".join(map(str, value)) if isinstance(value, list) else str(value))
            if source.strip():
                plain = plain_cell(source, f"{self.path}, code cell {number}")
                found.append(CodeCell(number, source, plain, *places["source"]))
        return tuple(found)

    @property
    def program(self) -> str:
        """The cells, one after the other. Raises UsageError."""
        return "".join(cell.text for cell in self.cells)

    def replaced(self, source: str) -> str:
        """The file's text with a program in place of its cells'. Raises UsageError where that is not known to belong
        into which."""
        parts = [cell.text.split("\n")[:-1] for cell in self.cells]
        # Lines of the program by cell. What is added between two cells belongs to the one that follows.
        old = [line for lines in parts for line in lines]
        owner = [at for at, lines in enumerate(parts) for _ in lines]
        new = source.rstrip("\n").split("\n")
        parts = [[] for _ in parts]
        for kind, first, last, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if kind == "equal":
                for at, line in zip(owner[first:last], new[start:end], strict=True):
                    parts[at].append(line)
                continue
            cells = set(owner[first:last]) or {owner[min(first, len(owner) - 1)]}
            if len(cells) > 1:  # lines that replace some of several cells
                raise UsageError(self._misfit, hint="-o FILE.py writes it next to the notebook")
            parts[cells.pop()] += new[start:end]
        if "".join(f"{line}\n" for lines in parts for line in lines) != source.rstrip("\n") + "\n":
            raise UsageError(self._misfit, hint="-o FILE.py writes it next to the notebook")
        out, done = [], 0
        for cell, lines in zip(self.cells, parts, strict=True):
            if lines != cell.text.split("\n")[:-1]:
                out += [self.text[done : cell.start], self._written(cell, lines)]
                done = cell.end
        return "".join([*out, self.text[done:]])

    def line_name(self, line: int) -> str:
        """Return the place of a line of the program as a reader of the notebook counts: `cell 2, line 3`."""
        for cell in self.cells:
            lines = cell.text.count("\n")
            if line <= lines:
                return f"cell {cell.number}, line {line}"
            line -= lines
        return f"line {line} below the last cell"

    @property
    def _misfit(self) -> str:
        return f"the change does not fit into the cells of {self.path}"

    def _written(self, cell: CodeCell, lines: list[str]) -> str:
        """A cell's source as JSON, in the form that the notebook has it. Raises UsageError where a magic was lost."""
        before = cell.plain.text.split("\n")
        marked = {line: was for line, was in zip(before, cell.source.split("\n"), strict=True) if line != was}
        if any(lines.count(line) != 1 for line in marked):
            raise UsageError(self._misfit, hint="-o FILE.py writes it next to the notebook")
        text = "\n".join(marked.get(line, line) for line in lines) + "\n" * cell.source.endswith("\n")
        span = self.text[cell.start : cell.end]
        as_is = "\\u" in span
        if not span.startswith("["):
            return json.dumps(text, ensure_ascii=as_is)
        places = list(_items(span, 0))
        (first, end), (_, last) = places[0], places[-1]
        between = span[end : places[1][0]] if len(places) > 1 else f",{span[1:first] or ' '}"
        rows = [json.dumps(line, ensure_ascii=as_is) for line in text.splitlines(keepends=True)]
        return span[:first] + between.join(rows) + span[last:]

    def _value(self, place: tuple[int, int]) -> object:
        return json.loads(self.text[slice(*place)])


def read_notebook(path: Path) -> NotebookFile:
    """The notebook at a path. Raises UsageError."""
    try:
        if path.stat().st_size > LARGEST:
            raise UsageError(f"{path} is larger than {LARGEST >> 20} MiB", hint="clear its outputs first")
        return NotebookFile(path, read_bytes(path).decode())
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"{path} is no notebook of format 4, which is UTF-8 text") from error


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _items(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Places of the values of the array that begins at a place. Raises ValueError."""
    at = _skip(text, at + 1)
    while text[at] != "]":
        _, end = _DECODER.raw_decode(text, at)
        yield at, end
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at


def _members(text: str, at: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """Names of the object that begins at a place, with the places of their values. Raises ValueError."""
    if text[at] != "{":
        raise ValueError("no object")
    at = _skip(text, at + 1)
    while text[at] != "}":
        name, end = _DECODER.raw_decode(text, at)
        at = _skip(text, _skip(text, end) + 1)
        _, end = _DECODER.raw_decode(text, at)
        yield str(name), (at, end)
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at


# Lines of a notebook's cells that only Jupyter runs.
#
# Lines that compute nothing become comments. `%time` and `%%time` are replaced by the code that they time. Lines that
# may change a result are an error.

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
        head = lines[first].strip()
        found = _MAGIC.match(head)
        name = found[2] if found else ""
        if name not in TIMED | SHOWN:
            raise UsageError(f"{place}: `{head[:80]}`, which only Jupyter runs", hint="remove it from the notebook")
        whole = name in SHOWN
        left_out.append(head)
        end = len(lines) if whole else first + 1
        lines[first:end] = [f"{MARK}{line}" if line.strip() or not whole else line for line in lines[first:end]]
    for _ in range(len(lines) + 1):
        at = _broken(lines)
        if at is None:
            return PlainCell("\n".join(lines), tuple(left_out))
        line = lines[at]
        kept = _of_line(line.strip(), place)
        indent = line[: len(line) - len(line.lstrip())]
        end = at + 1
        while kept is None and lines[end - 1].rstrip().endswith("\\") and end < len(lines):
            end += 1  # which a backslash joins to it
        for each in range(at, end):
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
