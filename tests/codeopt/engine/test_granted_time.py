"""Time that a user grants a comparison: its pairs may take it, and what is undecided names the limit that ended it."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.options import ImproveOptions
from codeopt.engine.limit import granted
from codeopt_sandbox.compare import StoppingRule
from tests.codeopt.command import NO_FEEDBACK, codeopt, reply
from tests.support.files import write_files

pytestmark = pytest.mark.full

WAITS = """\
import pathlib, time
counter = pathlib.Path(r"{counter}")
made = int(counter.read_text()) if counter.exists() else 0
counter.write_text(str(made + 1))
time.sleep(0.06 + 0.06 * ({long}))
print(input())
"""
"""Counts its own runs, and takes twice as long in some of them."""
FAST = "print(input())\n"


@pytest.fixture
def waiting(tmp_path: Path) -> Path:
    """OLD takes long in each second run, NEW in two of four: whatever run a pair begins with, of four pairs two are
    equal, one is a gain and one is a loss, and no number of pairs decides."""
    old = WAITS.format(counter=tmp_path / "old", long="made % 2")
    new = WAITS.format(counter=tmp_path / "new", long="made // 2 % 2")
    files = {"old.py": old, "new.py": new, "input.1.txt": "1\n", "output.1.txt": "1\n", "answers.txt": reply(FAST)}
    return write_files(tmp_path, files)


JUDGED = ("--sandbox", "process", "--mutated-inputs", "off")
COMPARED = ("compare", "old.py", "new.py", *JUDGED)
IMPROVED = ("improve", "old.py", "--model", "scripted:answers.txt", "-n", "1", *JUDGED)


@pytest.mark.parametrize(
    ("flags", "more"),
    [
        (("--max-seconds", "0.01"), "--max-seconds 1m"),
        (("--max-pairs", "9"), "--max-pairs 90"),
        (("--max-seconds", "0.01", "--fail-if-slower", "0"), "--max-seconds 1m"),
    ],
    ids=["seconds", "pairs", "the limit's seconds"],
)
def test_what_helps_is_named_in_json_and_in_the_table(flags: tuple[str, ...], more: str, waiting: Path) -> None:
    words = f"run it on an idle machine, or with more {more.split()[0].removeprefix('--max-').rstrip('s')}s: {more}"
    words = words.replace("more seconds", "more time")
    found = codeopt(*COMPARED, *flags, "--json", "-q", cwd=waiting).json
    assert (found["inconclusive_about"], found["pairs"], found["next_step"]) == ("speed", 9, words)
    if "--max-pairs" in flags:
        assert codeopt(*COMPARED, *flags, "-q", cwd=waiting).out.splitlines()[-1] == f"Next: {words}"


def test_what_helps_is_named_where_no_draft_was_decided(waiting: Path) -> None:
    """A draft with fewer pairs than any verdict takes is kept."""
    done = codeopt(*IMPROVED, "--no-profile", "--max-pairs", "3", "--json", cwd=waiting, env=NO_FEEDBACK)
    (draft,) = done.json["rounds"]
    assert (draft["verdict"], draft["speedup"]["pairs"]) == ("inconclusive", 3), done.err
    assert done.json["next_step"] == "run it on an idle machine, or with more pairs: --max-pairs 30"


@pytest.mark.parametrize(
    ("asked", "pairs", "seconds"),
    [({}, 120, 30.0), ({"max_pairs": 5000}, 5000, 30.0), ({"max_seconds": 3600.0}, 120, 3600.0)],
    ids=["nothing", "pairs", "seconds"],
)
def test_a_comparison_may_take_what_is_granted(asked: dict[str, float], pairs: int, seconds: float) -> None:
    """More than is usual also."""
    options = ImproveOptions.of(asked)
    for rule in (granted(StoppingRule(), options), granted(StoppingRule(), options, 0.05).final()):
        assert (rule.max_pairs, rule.max_seconds) == (pairs, seconds)
