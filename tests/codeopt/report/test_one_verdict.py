"""One judgement in each form: the screen, JSON, an agent's tool, a review, the cache and an editor tell the same.

`python -m tests.codeopt.report.test_one_verdict` writes the golden files.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codeopt.cli.comparison_table import table
from codeopt.core.errors import Diagnostic
from codeopt.core.evidence import AtSize, BySize, CallEvidence, WorkloadEvidence
from codeopt.core.history import Candidate, History, Step, TestsRun
from codeopt.core.revision import Revision
from codeopt.core.words import Speedup
from codeopt.engine.compare import PairResult
from codeopt.report.verdict import About, Verdict, candidate_in_words, so_far
from codeopt.review.findings.finding import FindingKey, StoredFinding
from codeopt.review.reporters import markdown
from codeopt.review.suggestion import Suggestion
from codeopt.serving.mcp_server import answer_text
from codeopt.serving.slow_functions import SlowFunction
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.outcome import Case, Caveat, CaveatKind
from tests.support.candidates import comparison, original, outcome, profile, right, wrong
from tests.support.reviews import review

GOLDEN = Path(__file__).parent / "one_verdict"
OLD, NEW = "def f(xs):\n    return sorted(xs)[0]\n", "def f(xs):\n    return min(xs)\n"
COMPARISON = comparison(ratio=4.0)
CAVEAT = Caveat(
    CaveatKind.INPUT, "f([])", "IndexError", "ValueError", "no known call has an empty list", "python again.py"
)
EVIDENCE = WorkloadEvidence(
    CallEvidence(
        42, {"tests": 12, "generated": 30}, 1.0, {"too slow": 2}, 3, contract="xs: 1 or more numbers",
        environments={"usual": 42, "shifted": 40}, ignored=("output",),
    ),
    gaps=(Diagnostic("2 calls are not compared", "the order of a set", "--calls FILE"),),
)  # fmt: skip
VERDICT = Verdict(
    Decision.FASTER, speedup=Speedup.of(COMPARISON), caveats=(CAVEAT,), evidence=EVIDENCE,
    by_size=BySize("items", (AtSize(5, 0.9, 9e-7, 1e-6), AtSize(120, 2.5, 5e-5, 2e-5), AtSize(3000, 4.0, 2.4, 1.2))),
)  # fmt: skip
JUDGED = PairResult(VERDICT, "bubblewrap", "namespaces")
SUGGESTION = Suggestion("m.py", "f", OLD, NEW, "runtime", VERDICT)
FINDING = StoredFinding(FindingKey("m.py::f", "a", "b", "c", "d", "e"), SUGGESTION, command="check")


def _json() -> dict[str, Any]:
    return {name: value for name, value in JUDGED.to_json().items() if name != "machine"}


def _editor() -> str:
    shown = SlowFunction(replace(SUGGESTION, share=0.5))
    return f"{shown.words}\n{shown.told}\n"


def _as_text(value: Any) -> str:
    return json.dumps(value, indent=1, default=dict) + "\n"


RENDERED: dict[str, Callable[[], str]] = {
    "screen.txt": lambda: table(JUDGED, verbose=True) + "\n",
    "compare.json": lambda: _as_text(_json()),
    "tool.json": lambda: _as_text(json.loads(answer_text({**_json(), "diff": "", "target": "m.py::f"}))),
    "review.md": lambda: markdown.render(review({"m.py": ("", OLD)}, SUGGESTION)),
    "cache.json": lambda: _as_text(FINDING.to_json()),
    "editor.txt": _editor,
}


@pytest.mark.parametrize("name", RENDERED)
def test_each_form_tells_the_same_judgement(name: str) -> None:
    assert RENDERED[name]() == (GOLDEN / name).read_text("utf-8")


if __name__ == "__main__":
    for each, render in RENDERED.items():
        (GOLDEN / each).write_text(render(), "utf-8")


@pytest.mark.parametrize(("slower", "word"), [(False, "no measurable difference"), (True, "NEW is slower: ")])
def test_a_gain_that_a_guard_did_not_find_is_told_with_its_reason(slower: bool, word: str) -> None:
    """The figures of the pairs alone would say the opposite."""
    timed = comparison(Decision.FASTER, ratio=9.0).without_gain("9.0x faster on a part, 0.6x in full", slower=slower)
    candidate = Candidate(1, Revision.of("def f(): pass\n"), "a change", comparison=timed)
    line = table(PairResult(Verdict.of(candidate, WorkloadEvidence()))).splitlines()[0]
    assert line.startswith(word)
    assert line.endswith(": 9.0x faster on a part, 0.6x in full")
    assert "faster" not in candidate_in_words(candidate)


def test_a_version_that_is_accepted_for_its_text_is_not_called_faster() -> None:
    """Its pairs could not decide; it was `no measurable difference` on the screen and `1.02x faster` in a review."""
    timed = comparison(Decision.INCONCLUSIVE, ratio=1.02, reason="20 pairs do not decide")
    found = Verdict.of(Candidate(1, Revision.of(NEW), "names", comparison=timed), WorkloadEvidence())
    assert (found.outcome, found.about) == (Decision.INCONCLUSIVE, About.SPEED)
    assert found.gain.startswith("inconclusive   2.4 s -> 1.2 s CPU time, about 1.02x faster   (")
    shown = Suggestion("m.py", "f", OLD, NEW, "readability", found)
    assert (shown.gain, shown.words) == ("better by readability", "better by readability")


UNSURE = right(1, decision=Decision.INCONCLUSIVE, ratio=1.3)
CONFIRMED = replace(right(2), confirmed=True)


@pytest.mark.parametrize(
    ("tried", "best", "outcome", "about", "ratio", "confirming"),
    [
        ([], None, "same", None, None, 0),
        ([wrong(1)], None, "same", None, None, 0),
        ([UNSURE], None, "inconclusive", "speed", 1.3, 0),
        ([right(1, decision=Decision.INCONCLUSIVE, ratio=0.9)], None, "same", None, None, 0),
        ([UNSURE, right(2)], None, "same", None, None, 0),  # a faster one was not confirmed
        ([replace(right(1, ratio=3.0), step=Step.TESTS)], None, "inconclusive", "result", 3.0, 0),
        ([replace(wrong(1), step=Step.CASES, comparison=comparison())], None, "inconclusive", "result", None, 0),
        ([UNSURE, CONFIRMED], CONFIRMED, "faster", None, 2.0, 2),
        ([UNSURE, right(2)], right(2), "faster", None, 2.0, 0),
    ],
)
def test_the_verdict_on_a_run(
    tried: list[Candidate],
    best: Candidate | None,
    outcome: str,
    about: str | None,
    ratio: float | None,
    confirming: int,
) -> None:
    """Whatever it is, with the reason and with all that was checked."""
    found = Verdict.of_run(History((original(), *tried)), best, "why", EVIDENCE, held_out=1)
    assert (found.outcome, found.about, found.reason) == (outcome, about, "why")
    assert (found.speedup.ratio if found.speedup else None) == ratio
    assert (found.evidence.checked, found.evidence.gaps) == (EVIDENCE.checked, EVIDENCE.gaps)
    cases = found.evidence.cases
    assert cases is not None
    assert (cases.total, cases.held_out, cases.confirmation_runs) == (2, 1, confirming)


def test_an_original_without_hot_lines_is_a_gap() -> None:
    slow = replace(original(), profile=replace(profile(notes=("it is short", "too short")), lines=()))
    gap = Verdict.of_run(History((slow,)), None, "", EVIDENCE).evidence.gaps[-1]
    assert (gap.message, gap.cause) == ("the hot lines of the original are not known", "it is short; too short")


RAN = (outcome(Case("command", b"")),)


@pytest.mark.parametrize(
    ("candidate", "said"),
    [
        (wrong(1), "case small: token 1 differs"),
        (replace(right(1), outcomes=()), "interrupted before its results were known"),
        (replace(right(1), step=Step.TESTS), "right on all that was tried, about 2.0x faster (screened, 21 pairs)"),
        (replace(right(1, pairs=1), step=Step.TIMING),
         "right on all that was tried, about 2.0x faster (screened, 1 pair)"),
        (replace(right(1), comparison=None, step=Step.CHECKS), "right on all that was tried"),
        (replace(right(1, pairs=0), step=Step.TIMING), "right on all that was tried, not timed"),
        (replace(right(1), comparison=None, outcomes=RAN, step=Step.TESTS, tests=TestsRun(14, 121, 380)),
         "right on the command, not timed, tests 14 of 121 files, 380 passed"),
    ],
)  # fmt: skip
def test_what_is_known_of_a_draft_that_was_interrupted(candidate: Candidate, said: str) -> None:
    assert so_far(candidate) == said
