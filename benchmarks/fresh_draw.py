"""The programs that the built-in rules are tried on without having been made for them: drawn again from repositories.

    python -m benchmarks.fresh_draw CHECKOUTS --to DIR

CHECKOUTS holds a git checkout of each repository below as OWNER+NAME, at its commit. The draw looks at the text alone:
six programs a repository that read standard input, print, have a loop, and need the standard library only. Half of them
are for looking at (dev), half for the figure (test). The programs are others', so they are not part of this project.
"""

from __future__ import annotations

import argparse
import ast
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks import not_run

SEED = 2211
EACH = 6
REPOSITORIES = {
    "kopok2/CodeforcesSolutionsPython": "35bec0dbcff47765b123b5fe60476014376153df",
    "Nikkuniku/AtcoderProgramming": "635e0761585a4fcf48e13918ea07eeafb39f7d82",
    "coding-armadillo/kattis": "9aa0a6ae5f7b2b97f8cd7ec00af6e793cb86522a",
    "k-harada/AtCoder": "f22d59806257b5e08eaa2851e3610dba6de62923",
    "kamojiro/atcoderall": "973af643c06125f52d302a5bc1d65f07a9414419",
    "Shirohi-git/AtCoder": "a980196599c73aa924924356b9817d523ba6edf5",
    "Hasan-Kalzi/Kattis-Python3": "86848dcecaf46493a1766271dda0536664e6eb2d",
    "c-yan/atcoder": "5bcc5bcace0eac62ae1c47f7267611c260460cfc",
    "to24toro/Atcoder": "b540ee1f465f62b1ee3bb702af05d3f3244423b1",
    "rsprenkels/kattis": "7d51e8afb841c4bd4debaf5aef0c37f6da6f3abd",
    "reo11/AtCoder": "7af6265f47e02547c1e8f8b38b50278a160fa74f",
    "taketakeyyy/atcoder": "d436bcf341013a6ee3a55b48ade3cf72b1e28a10",
}
SMALL = "left out: a handful of numbers, no large input"
LEFT_OUT = {
    **dict.fromkeys(("q11", "q23", "q24", "q38", "q39", "q41", "q57", "q58", "q59"), SMALL),
    "q48": "left out: fails on inputs of its own task",
}
"""The small ones before any rule had seen them; the last one after its first runs, which it did not survive."""
NO_INPUT_ALONE = frozenset({"random", "time", "unittest", "doctest", "os"})
"""Modules of programs whose output depends on more than their input."""


def is_eligible(text: str) -> bool:
    """8 to 80 lines of a program that reads standard input, loops, prints, and imports the standard library only."""
    code = [line for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError):
        return False
    calls = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    loops = any(isinstance(node, ast.For | ast.While) for node in nodes)
    reads = "input(" in text or "stdin" in text
    own = all(name in sys.stdlib_module_names and name not in NO_INPUT_ALONE for name in _imported(nodes))
    return 8 <= len(code) <= 80 and loops and reads and own and "print" in text and "open" not in calls


def _imported(nodes: list[ast.AST]) -> Iterator[str]:
    """The first parts of imported modules; empty for an import relative to a package."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "" if node.level else (node.module or "").partition(".")[0]


def drawn(checkouts: Path) -> Iterator[tuple[str, str, str]]:
    """Repository, path and text of each program, in the order of the draw."""
    for repository, commit in REPOSITORIES.items():
        checkout = checkouts / repository.replace("/", "+")
        listed = _git(checkout, "ls-tree", "-r", "--name-only", "-z", commit).decode(errors="replace").split("\0")
        paths = sorted(path for path in listed if path.endswith(".py"))
        random.Random(f"{SEED} {repository}").shuffle(paths)
        found = 0
        for path in paths:
            raw = _git(checkout, "show", f"{commit}:{path}")
            try:
                text = raw.decode()
            except UnicodeDecodeError:
                continue
            if found < EACH and is_eligible(text):
                found += 1
                yield repository, path, text
            if found == EACH:
                break


def _git(checkout: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", checkout, *arguments], check=True, capture_output=True).stdout


def main() -> None:
    """Write each program to HALF/NAME/slow.py."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("--to", type=Path, required=True)
    arguments = parser.parse_args()
    missing = [name for name in REPOSITORIES if not (arguments.checkouts / name.replace("/", "+")).is_dir()]
    if missing:
        not_run(f"there is no checkout of {', '.join(missing)} in {arguments.checkouts}")
    programs = list(drawn(arguments.checkouts))
    order = list(range(len(programs)))
    random.Random(f"{SEED} halves").shuffle(order)
    for number, (repository, path, text) in enumerate(programs):
        name = f"q{number:02}"
        half = "dev" if order.index(number) < len(programs) // 2 else "test"
        print(name, half, LEFT_OUT.get(name, ""), repository, path)
        if name not in LEFT_OUT:
            folder = arguments.to / half / name
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "slow.py").write_text(text)


if __name__ == "__main__":
    main()
