"""`codeopt import`: what is kept of a foreign data set, and the reason for what is not."""
# looks at codeopt/cli/commands/import

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from codeopt.batch.datasets import SetRequest, read_set
from codeopt.cli.main import main
from tests.support.files import write_files

DOUBLE = "print(2 * int(input()))\n"
FLAGS = ("--sandbox", "process", "-q")

PAIRS = {
    "good": (DOUBLE, "n = int(input())\nprint(n + n)\n", ""),
    "python2": ("print input()", None, "not Python 3"),
    "wrong": ("print(int(input()))\n", DOUBLE, "fails its own case 0: wrong result"),
    "crash": ("print(1 / 0)\n", DOUBLE, "fails its own case 0: error"),
    "moody": (DOUBLE.replace("2", "(2 + (hash('a') % 97 != BASE))"), DOUBLE, "something else each time"),
    "two-answers": (DOUBLE, "print(7)\n", "not unique"),
    "bad-target": (DOUBLE, "print(1 / 0)\n", ""),
    "no-cases": (DOUBLE, DOUBLE, "no cases"),
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    import subprocess
    import sys

    seed_0 = subprocess.run(
        [sys.executable, "-c", "print(hash('a') % 97)"],
        env={"PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    home = tmp_path / "data"
    home.mkdir()
    with (home / "pairs.jsonl").open("w") as file:
        for id, (slow, fast, _) in PAIRS.items():
            slow = slow.replace("BASE", seed_0.stdout.strip())
            file.write(json.dumps({"problem_id": id, "input": slow, "target": fast}) + "\n")
        file.write("no json\n")
    for id in PAIRS.keys() - {"no-cases"}:
        write_files(home / "cases" / id, {"input.0.txt": "3\n", "output.0.txt": "6\n"})
    return home


def test_every_pair_is_kept_or_has_its_reason(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["import", "pie", str(data), "-o", str(out), *FLAGS]) == 0
    found = {row["problem"]: row for row in csv.DictReader((out / "import.csv").read_text().splitlines())}
    assert found.keys() == {*PAIRS, "line-9"}
    for id, (_, _, reason) in PAIRS.items():
        assert (found[id]["kept"] == "1") == (not reason), found[id]
        assert reason in found[id]["reason"]
    assert "the target fails" in found["bad-target"]["reason"]
    good, bad_target = read_set(SetRequest(out / "pairs.jsonl"))
    assert (good.id, good.skipped, bad_target.target) == ("good", "", None)
