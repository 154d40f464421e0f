"""Benchmarks do not rot: CI runs each in a short form, and commands that are written down have flags that exist."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.fault_results import OWN_LIST, Answer, Results, tree_digest
from benchmarks.faults import Fault, Tree, read_faults, run
from tests.support.documents import DOCUMENTS

ROOT = Path(__file__).parents[1]
ALL = sorted(path for form in ("*.py", "*/*.py") for path in (ROOT / "benchmarks").glob(form))
RUN = [path for path in ALL if '__name__ == "__main__"' in path.read_text("utf-8")]
BY_PYTEST = [path for path in ALL if path.stem.startswith("test_")]
COMMAND = re.compile(r"python\s+-m\s+benchmarks\.([\w.]+)([^`\n]*)")


def _module(path: Path) -> str:
    return path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")


def test_there_are_benchmarks() -> None:
    assert len(RUN) >= 9
    assert len(BY_PYTEST) >= 1


@pytest.mark.parametrize("path", BY_PYTEST, ids=lambda path: path.stem)
def test_ci_runs_those_of_pytest_too(path: Path) -> None:
    place = path.relative_to(ROOT).as_posix()
    assert f"\nshort pytest {place} " in (ROOT / ".ci/benchmarks").read_text("utf-8")
    assert f"\n    python -m pytest {place}" in path.read_text("utf-8")


@pytest.mark.parametrize("path", RUN, ids=lambda path: path.stem)
def test_ci_runs_it_in_a_short_form(path: Path) -> None:
    """Of every change or, where that takes a minute and more, of every night."""
    text = (ROOT / ".ci/benchmarks").read_text("utf-8")
    assert re.search(rf"^(short|nightly) {re.escape(_module(path))} ", text, re.MULTILINE)


@pytest.mark.parametrize("path", RUN, ids=lambda path: path.stem)
def test_its_docstring_says_how_it_is_run(path: Path) -> None:
    assert f"\n    python -m {_module(path)}" in path.read_text("utf-8")


@pytest.mark.parametrize("path", [*DOCUMENTS, *RUN], ids=lambda path: path.stem)
def test_the_commands_that_are_named_exist(path: Path) -> None:
    for name, rest in COMMAND.findall(path.read_text("utf-8")):
        source = (ROOT / "benchmarks" / f"{name.replace('.', '/')}.py").read_text("utf-8")
        assert [flag for flag in re.findall(r"--[a-z]+", rest) if f'"{flag}"' not in source] == [], name


@pytest.mark.parametrize("fault", read_faults(), ids=lambda fault: fault.name)
def test_each_fault_still_fits(fault: Fault) -> None:
    """Its old text occurs once, its new one is another program, its tests are there."""
    assert fault.problem(ROOT) == ""


def test_faults_are_named_once_and_in_every_part_that_a_promise_hangs_on() -> None:
    names = [fault.name for fault in read_faults()]
    assert len(set(names)) == len(names) >= 150
    parts = {name.partition(":")[0] for name in names}
    assert {"judge", "compare", "answers", "verdict", "guards", "limits", "monitor", "contract", "cache"} <= parts


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
    assert run(Tree(tmp_path), faults, Results()) == 0.5
    *answers, summary = capsys.readouterr().out.splitlines()
    assert [line[:15].strip() for line in answers] == ["seen", "survived", "not applicable"]
    assert summary == "1 seen, 1 survived, 1 not applicable, 0 fails without: 50.0% seen"
    assert (tmp_path / "subject.py").read_text() == SUBJECT


def test_tests_that_fail_without_a_fault_say_nothing_of_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (tmp_path / "subject.py").write_text(SUBJECT.replace("// 2", "// 3"))
    (tmp_path / "test_one.py").write_text(SEES)
    assert run(Tree(tmp_path), [Fault("one", "subject.py", "n // 3", "n", ("test_one.py",))], Results()) == 0.0
    one, summary = capsys.readouterr().out.splitlines()
    assert one.startswith("fails without")
    assert one.endswith("one  (test_half)")
    assert summary == "0 seen, 0 survived, 0 not applicable, 1 fails without: 0.0% seen"


def test_a_run_that_was_killed_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No fault of the same tree is run twice, and a line that was cut off is made again."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    root, kept = tmp_path / "tree", tmp_path / "kept.jsonl"
    root.mkdir()
    (root / "subject.py").write_text(SUBJECT)
    (root / "test_one.py").write_text(SEES)
    (root / "test_two.py").write_text(SEES_NOTHING)
    digest = tree_digest(root)
    faults = [Fault(test, "subject.py", "n // 2", "-(-n // 2)", (test,)) for test in ("test_one.py", "test_two.py")]
    assert run(Tree(root), faults[:1], Results.read(kept, digest)) == 1.0
    whole = kept.read_text()
    kept.write_text(f"{whole}{whole.splitlines()[-1][:40]}")  # kill -9 while the second was written
    again = Results.read(kept, digest)
    assert [result.answer for result in again.found.values()] == [Answer.SEEN]
    assert again.passing == {"test_one.py"}
    (root / "test_one.py").write_text("no Python (")  # whoever runs it again sees it
    assert run(Tree(root), faults, again) == 0.5
    assert set(Results.read(kept, digest).found) == {fault.key for fault in faults}
    assert Results.read(kept, "another tree").found == {}


def test_a_tree_s_digest_tells_each_file_but_the_list_of_faults(tmp_path: Path) -> None:
    (tmp_path / OWN_LIST).parent.mkdir()
    (tmp_path / OWN_LIST).write_text("one")
    (tmp_path / "subject.py").write_text(SUBJECT)
    digest = tree_digest(tmp_path)
    (tmp_path / OWN_LIST).write_text("two")
    assert tree_digest(tmp_path) == digest
    (tmp_path / "subject.py").write_text(SEES)
    assert tree_digest(tmp_path) != digest


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
