"""Tables of what a row of a test gave when it was last written down: a line a row, with the number of values and the
digest of all. `python -m TEST_MODULE` rewrites them; the change is part of the commit that means it."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing
from itertools import zip_longest
from pathlib import Path

import pytest

from tests.conftest import require_sandbox

Row = Callable[[], Iterable[object]]
"""Values in a fixed order; each is compared by its text."""


def numbers_of(text: str) -> str:
    """Figures, names and places of a text, without its words."""
    return " ".join(re.findall(r"[\w./]*(?:\d|::|\.py)[\w.:%,/]*", text))


def data_of(text: str) -> list[str]:
    """What stands in the fences of a text, without its words."""
    return re.findall(r"^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def digest(values: Iterable[object]) -> str:
    """`12 3f0c2b7a91d4`: how many there are, and what they are."""
    lines = [str(value) for value in values]
    return f"{len(lines)} {hashlib.sha256(chr(0).join(lines).encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def recorded(path: Path) -> dict[str, str]:
    """The table of a file, by row."""
    rows = (line.rpartition(": ") for line in path.read_text("utf-8").splitlines())
    return {name: found for name, _, found in rows}


def write_down(path: Path, rows: Mapping[str, Row]) -> None:
    """Put what the rows give now in the place of the table."""
    path.write_text("".join(f"{name}: {digest(make())}\n" for name, make in rows.items()), "utf-8")


def compared_with(path: Path, rows: Mapping[str, Row]) -> tuple[Callable[[str], None], Callable[[], None]]:
    """The tests of a table: that each row gives what it gave, and that the file has these rows."""

    @pytest.mark.parametrize("name", rows)
    def same(name: str) -> None:
        assert digest(rows[name]()) == recorded(path).get(name), "\n".join(map(str, rows[name]()))

    def complete() -> None:
        assert list(recorded(path)) == list(rows)

    return same, complete


def told_by(folder: Path, rows: Mapping[str, Row]) -> Callable[[str], None]:
    """The test of a folder of texts: that each row says what it said, a line each; a row goes no further than to the
    first line that differs. Where a row needs a sandbox it is skipped without one."""

    @pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the texts of values are those of Python 3.11")
    @pytest.mark.parametrize("name", rows)
    def same(name: str) -> None:
        require_sandbox()
        told = (folder / f"{name}.txt").read_text("utf-8").splitlines()
        with closing(lines_of(rows[name])) as lines:
            for now, before in zip_longest(lines, told):
                assert now == before

    return same


def lines_of(row: Row) -> Generator[str, None, None]:
    """What a row says, without places in memory and temporary folders."""
    for value in row():
        line = re.sub(r"\b0x[0-9a-f]{6,}", "0x", str(value).replace("\n", "\\n"))
        yield re.sub(r"/tmp/[\w-]+", "@", line)


def tell(folder: Path, rows: Mapping[str, Row]) -> None:
    """Put what the rows say now in the place of the texts."""
    folder.mkdir(exist_ok=True)
    for name, row in rows.items():
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines_of(row)), "utf-8")
