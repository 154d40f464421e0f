"""A change that is faster for long inputs and slower for short ones: both are shown, of functions and of programs."""
# looks at codeopt/workloads/function/timed_again, codeopt/workloads/_sizes

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codeopt.command import codeopt
from tests.conftest import rest_in_full
from tests.support.files import write_files

SLOW = """\
def repeated(words: list[str]) -> list[str]:
    found = []
    for word in words:
        if words.count(word) > 1 and word not in found:
            found.append(word)
    return found
"""
FAST = """\
from collections import Counter


def repeated(words: list[str]) -> list[str]:
    return [word for word, count in Counter(words).items() if count > 1]
"""
CALLS = """\
CALLS = [((["a"],), {}), ((["a", "b", "a"],), {}), (([str(n % 20) for n in range(40)],), {})]
BIG = [(([str(n % 900) for n in range(1500)],), {})]
"""
READ = "words = open(0).read().split()\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, size in enumerate((3, 60, 4000)):
        words = " ".join(f"w{n % (size * 2 // 3)}" for n in range(size))
        write_files(tmp_path, {f"cases/input.{number}.txt": words})
    files = {
        "slow.py": SLOW,
        "fast.py": FAST,
        "calls.py": CALLS,
        "slow_program.py": f"{SLOW}{READ}print(*repeated(words))\n",
        # these imports take longer than a short input
        "fast_program.py": f"import asyncio, pydoc, unittest\n{FAST}{READ}print(*repeated(words))\n",
    }
    return write_files(tmp_path, files)


COMPARED = (
    (("slow_program.py", "fast_program.py"), ("--cases", "cases"), "tokens", [3, 60, 4000]),
    (("slow.py::repeated", "fast.py::repeated"), ("--calls", "calls.py"), "items", [1, 40, 1500]),
)


@pytest.mark.parametrize(("targets", "flags", "unit", "sizes"), rest_in_full(COMPARED))
def test_it_is_slower_for_short_inputs(
    folder: Path, targets: tuple[str, str], flags: tuple[str, ...], unit: str, sizes: list[int]
) -> None:
    quick = ("--mutated-inputs", "off", "--no-cache", "-q", "--json")
    found = codeopt("compare", *targets, *flags, *quick, cwd=folder).json
    assert found["verdict"] == "faster", found["reason"]
    rows = found["by_size"]["rows"]
    assert (found["by_size"]["unit"], [row["size"] for row in rows]) == (unit, sizes)
    assert rows[0]["ratio"] < 0.95
    assert rows[-1]["ratio"] == found["ratio"] > 1
