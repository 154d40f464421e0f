"""Rewrites that are wrong only where an input lacks what all known ones keep, by the real command: each is told with
the relation; the right ones are accepted."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.codeopt.command import ALL_EXAMPLES, codeopt

pytestmark = pytest.mark.full

BUSY = "sum(range(200_000))  # long enough to time\n"
FLAGS = ("--cases", "cases", "--json", "-q", "--sandbox", "bubblewrap", "--max-pairs", "7")
TABLE = tomllib.loads(Path(__file__).with_name("broken_relations.toml").read_text())
REWRITES = {each["name"]: each for each in TABLE["rewrite"]}


def write(rewrite: dict[str, Any], folder: Path) -> None:
    """The three programs and their cases."""
    for name in ("old", "right", "wrong"):
        (folder / f"{name}.py").write_text(BUSY + rewrite[name])
    cases, file = folder / "cases", rewrite.get("file", "")
    cases.mkdir()
    for number, text in enumerate(rewrite["inputs"]):
        (cases / f"{number}.in").write_text("" if file else text)
        if file:
            (cases / f"{number}.args").write_text(f"{file}\n")
            (cases / f"{number}.files").mkdir()
            (cases / f"{number}.files" / file).write_text(text)


def compared(folder: Path, new: str, *more: str) -> dict[str, Any]:
    """The answer of `codeopt compare` on a rewrite, with as many inputs as a user has."""
    done = codeopt("compare", "old.py", new, *FLAGS, *more, cwd=folder, env=ALL_EXAMPLES)
    assert done.status in (0, 1), done.err
    found: dict[str, Any] = done.json
    return found


@pytest.mark.parametrize("name", list(REWRITES))
def test_a_wrong_rewrite_is_told_with_its_relation_and_a_right_one_accepted(name: str, tmp_path: Path) -> None:
    rewrite = REWRITES[name]
    write(rewrite, tmp_path)
    wrong = compared(tmp_path, "wrong.py")
    if rewrite["relation"]:
        assert wrong["verdict"] != "wrong", wrong["reason"]
    if wrong["verdict"] != "wrong":  # what no relation describes, an input like the known ones may lack, too
        beyond = [broken for each in wrong["caveats"] for broken in each["domain"]]
        assert any(rewrite["relation"] in because for because in beyond), beyond
        assert wrong["tests"]["pattern_breaking_inputs"] > 0
    right = compared(tmp_path, "right.py", "--strict")
    assert right["verdict"] != "wrong", right["reason"]


def test_strict_rejects_for_a_broken_relation_and_shows_the_input(tmp_path: Path) -> None:
    write(REWRITES["one record a key"], tmp_path)
    found = compared(tmp_path, "wrong.py", "--strict")
    assert found["verdict"] == "wrong"
    assert "stock.csv" in found["reason"]


def test_no_relation_that_could_be_broken_is_missing_evidence(tmp_path: Path) -> None:
    """Of a program that takes its known inputs alone."""
    known = "5 1 4\n", "10 20 30\n"
    rewrite = {
        "inputs": known,
        **dict.fromkeys(("old", "right", "wrong"), f"import sys\nprint({known!r}.index(sys.stdin.read()))\n"),
    }
    write(rewrite, tmp_path)
    found = compared(tmp_path, "right.py")
    assert found["tests"]["pattern_breaking_inputs"] == 0
    assert any("breaks a pattern of the known ones" in each["message"] for each in found["diagnostics"]), found[
        "diagnostics"
    ]
