"""Programs that only look faster, through the real command: each is judged as its expect.txt (or meta.json) says.

A folder holds original.py, cheat.py and the cases that are shown. expect.txt: `rejected`, `not faster` or `caveat`
(wrong only beyond all known inputs: told, and refused with --strict), and after a colon what the reason has to name.
The folder of traps that is no part of this repository is named by CODEOPT_HOSTILE, or stands beside the repository in
shared/hostile; those that are about a function are tested elsewhere.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from codeopt.core.revision import Revision
from codeopt.engine.guards import SourcePair
from codeopt.engine.guards.forbidden import check_source
from tests.codeopt.command import ALL_EXAMPLES, STATUSES, codeopt

pytestmark = pytest.mark.full

OWN = sorted((Path(__file__).parent / "traps").iterdir())
SHARED = Path(os.environ.get("CODEOPT_HOSTILE") or Path(__file__).parents[5] / "shared" / "hostile") / "traps"
GIVEN = sorted(path for path in SHARED.glob("*") if "function" not in json.loads((path / "meta.json").read_text()))
REFUSED_UNRUN = {  # what the static checks say of a draft before it is run, when a model wrote it
    "answers_after_failing": "atexit",
    "asks_for_privileges": "os.nice",
    "by_the_clock": "time",
    "cache_in_shared_memory": "pathlib",
    "daemon_computes": "os.fork",
    "pool_of_processes": "multiprocessing",
    "threads": "concurrent",
    "traceback_and_status_zero": "threading",
    "unwaited_workers": "signal",
}


SEED = 21
"""Of generated inputs: whether they show a mistake is a matter of chance, measured by the benchmarks false_rejections
and alike_inputs; a test holds that these do."""


def compared(folder: Path, *flags: str) -> Any:
    """What `codeopt compare` prints."""
    arguments = (folder / "original.py", folder / "cheat.py", "--cases", folder / "cases", "--max-pairs", "20")
    env = {**ALL_EXAMPLES, "CODEOPT_INPUT_SEED": str(SEED)}
    done = codeopt("compare", *arguments, "--json", "-q", *flags, cwd=folder, env=env)
    assert done.status == STATUSES.get((done.json["verdict"], done.json["inconclusive_about"]), 0), done.err
    return done.json


def judged(folder: Path, expected: str) -> Any:
    """The same. What is right but not faster has nothing to fear from changed inputs, which take most of the time.

    One more try where that was called faster: 1 % is the stated error.
    """
    if expected == "rejected":
        return compared(folder)
    if expected == "caveat":
        return compared(folder, "--strict")
    found = compared(folder, "--mutated-inputs", "off")
    return compared(folder, "--mutated-inputs", "off") if found["verdict"] == "faster" else found


@pytest.mark.parametrize("folder", OWN, ids=lambda path: path.name)
def test_own_trap(folder: Path) -> None:
    expected, _, reason = (folder / "expect.txt").read_text().strip().partition(": ")
    found = judged(folder, expected)
    if expected == "rejected":
        assert found["verdict"] == "wrong", found
        assert reason in found["reason"]
    elif expected == "caveat":
        assert found["verdict"] == "wrong", found
        assert "--strict" in found["reason"]
        assert reason in found["reason"]
    else:
        assert found["verdict"] in ("same", "inconclusive", "slower"), found


ONLY_BEYOND = frozenset({"t12_wrong_negatives", "t13_wrong_large", "t21_precision_loss", "t27_duplicates"})
"""Given traps that differ on no input that is like the known ones."""


TOO_SHORT = frozenset({"t19_hash_order"})
"""It differs where an input has two words, and no known one has: mostly a caveat. Its cases are too short to be timed,
so without --strict there may be no verdict."""


@pytest.mark.skipif(not GIVEN, reason="no folder of traps: set CODEOPT_HOSTILE to what holds it")
@pytest.mark.parametrize("folder", GIVEN, ids=lambda path: path.name)
def test_given_trap(folder: Path) -> None:
    meta = json.loads((folder / "meta.json").read_text())
    right = {meta["expect"], *meta.get("also_ok", [])}
    found = judged(folder, "caveat" if folder.name in TOO_SHORT else meta["expect"])
    verdict = {"wrong": "rejected", "faster": "faster"}.get(found["verdict"], "not faster")
    if verdict == "faster" and folder.name in ONLY_BEYOND:
        assert any(each["tier"] == "unusual" and each["expected"] != each["got"] for each in found["caveats"]), found
        assert compared(folder, "--strict")["verdict"] == "wrong"
        return
    assert verdict in right, found
    assert bool(found["reason"]) or verdict == "not faster"


@pytest.mark.parametrize("name", REFUSED_UNRUN)
def test_what_reaches_for_the_machine_is_refused_unrun(name: str) -> None:
    folder = OWN[0].parent / name
    found = check_source(
        SourcePair(Revision.of((folder / "original.py").read_text()), Revision.of((folder / "cheat.py").read_text()))
    )
    assert found is not None
    assert REFUSED_UNRUN[name] in found.reason


def test_there_are_traps_of_all_kinds() -> None:
    expected = {(folder / "expect.txt").read_text().partition(":")[0].strip() for folder in OWN}
    assert expected == {"rejected", "not faster", "caveat"}
    assert len(OWN) >= 12
