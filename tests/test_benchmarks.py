"""Benchmarks do not rot: CI runs each in a short form, and commands that are written down have flags that exist."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.faults import Fault, Tree, read_faults, run
from tests.support.documents import DOCUMENTS

ROOT = Path(__file__).parents[1]
ALL = sorted((ROOT / "benchmarks").glob("*.py"))
RUN = [path for path in ALL if '__name__ == "__main__"' in path.read_text("utf-8")]
BY_PYTEST = [path for path in ALL if path.stem.startswith("test_")]
COMMAND = re.compile(r"python\s+-m\s+benchmarks\.(\w+)([^`\n]*)")


def test_there_are_benchmarks() -> None:
    assert len(RUN) >= 9
    assert len(BY_PYTEST) >= 2


@pytest.mark.parametrize("path", BY_PYTEST, ids=lambda path: path.stem)
def test_ci_runs_those_of_pytest_too(path: Path) -> None:
    assert f"\nshort pytest benchmarks/{path.name} " in (ROOT / ".ci/benchmarks").read_text("utf-8")
    assert f"\n    python -m pytest benchmarks/{path.name}" in path.read_text("utf-8")


@pytest.mark.parametrize("path", RUN, ids=lambda path: path.stem)
def test_ci_runs_it_in_a_short_form(path: Path) -> None:
    """Of every change or, where that takes a minute and more, of every night."""
    text = (ROOT / ".ci/benchmarks").read_text("utf-8")
    assert re.search(rf"^(short|nightly) benchmarks\.{path.stem} ", text, re.MULTILINE)


@pytest.mark.parametrize("path", RUN, ids=lambda path: path.stem)
def test_its_docstring_says_how_it_is_run(path: Path) -> None:
    assert f"\n    python -m benchmarks.{path.stem}" in path.read_text("utf-8")


@pytest.mark.parametrize("path", [*DOCUMENTS, *RUN], ids=lambda path: path.stem)
def test_the_commands_that_are_named_exist(path: Path) -> None:
    for name, rest in COMMAND.findall(path.read_text("utf-8")):
        source = (ROOT / "benchmarks" / f"{name}.py").read_text("utf-8")
        assert [flag for flag in re.findall(r"--[a-z]+", rest) if f'"{flag}"' not in source] == [], name


@pytest.mark.parametrize("fault", read_faults(), ids=lambda fault: fault.name)
def test_each_fault_still_fits(fault: Fault) -> None:
    """Its old text occurs once, its new one is another program, its tests are there."""
    assert fault.problem(ROOT) == ""


def test_faults_are_named_once_and_in_every_part_that_a_promise_hangs_on() -> None:
    names = [fault.name for fault in read_faults()]
    assert len(set(names)) == len(names) >= 150
    parts = {name.partition(":")[0] for name in names}
    assert {"judge", "compare", "answers", "verdict", "guards", "limits", "monitor", "contract", "store"} <= parts


SUBJECT = "def half(n):\n    return n // 2\n"
SEES = "from subject import half\n\n\ndef test_half():\n    assert half(7) == 3\n"
SEES_NOTHING = "import pytest\nfrom subject import half\n\n\ndef test_even():\n    assert half(8) == 4\n"
SKIPPED = '@pytest.mark.skip(reason="not here")\ndef test_odd():\n    assert half(7) == 3\n'


def test_a_fault_is_seen_survives_or_cannot_be_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Put in, its tests run, taken out."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # each starts in half a second less
    (tmp_path / "subject.py").write_text(SUBJECT)
    (tmp_path / "test_one.py").write_text(SEES)
    (tmp_path / "test_two.py").write_text(f"{SEES_NOTHING}\n\n{SKIPPED}")
    tests = ("test_one.py::test_half", "test_two.py::test_even", "test_two.py::test_odd")
    faults = [Fault(test, "subject.py", "n // 2", "-(-n // 2)", (test,)) for test in tests]
    assert [fault.problem(tmp_path) for fault in faults] == [""] * 3
    assert run(Tree(tmp_path), faults) == 0.5
    *answers, summary = capsys.readouterr().out.splitlines()
    assert [line[:15].strip() for line in answers] == ["seen", "survived", "not applicable"]
    assert summary == "1 seen, 1 survived, 1 not applicable: 50.0% seen"
    assert (tmp_path / "subject.py").read_text() == SUBJECT


def test_tests_that_fail_without_a_fault_say_nothing_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (tmp_path / "subject.py").write_text(SUBJECT.replace("// 2", "// 3"))
    (tmp_path / "test_one.py").write_text(SEES)
    with pytest.raises(SystemExit, match="without a fault these fail: test_half"):
        run(Tree(tmp_path), [Fault("one", "subject.py", "n // 3", "n", ("test_one.py",))])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"old": "m // 2"}, "its old text occurs 0 times in subject.py"),
        ({"old": "n"}, "its old text occurs 3 times in subject.py"),
        ({"new": "n //"}, "with its new text subject.py is no Python"),
        ({"new": "(n // 2)"}, "its new text means the same as its old one"),
        ({"tests": ()}, "it has to name its tests, or say why it is equivalent"),
        ({"equivalent": "nobody asks"}, "it has to name its tests, or say why it is equivalent"),
        ({"tests": ("test_one.py::test_gone",)}, "there is no test test_one.py::test_gone"),
        ({"file": "gone.py"}, "its old text occurs 0 times in gone.py"),
    ],
)
def test_what_no_longer_fits_is_said(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    (tmp_path / "subject.py").write_text(SUBJECT)
    (tmp_path / "test_one.py").write_text(SEES)
    fault = Fault("one", "subject.py", "n // 2", "-(-n // 2)", ("test_one.py::test_half",))
    assert replace(fault, **change).problem(tmp_path).startswith(said)
