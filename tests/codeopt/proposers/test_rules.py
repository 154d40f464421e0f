"""The rules as a proposer: which draft follows from which history."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from codeopt.core.history import Candidate, Draft, History
from codeopt.core.revision import OWN, Revision
from codeopt.proposers.rules import Rules
from codeopt.rules import select_rules
from codeopt.workloads.function.view import function_rules
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.outcome import CaseVerdict
from tests.support.candidates import comparison, outcome

SOURCE = "n = int(eval(input()))\nfor _ in range(n):\n    print(input())\n"
FAST = 1.5


def measured(round_: int, source: str, summary: str, ratio: float | None, screening_only: bool = False) -> Candidate:
    """A candidate as the loop records it; ratio None: wrong on a case."""
    if ratio is None:
        return Candidate(round_, Revision.of(source), summary, (outcome(verdict=CaseVerdict.WA),))
    decision = Decision.FASTER if ratio > 1.02 else Decision.SAME
    found = comparison(decision, ratio, ci_low=ratio * 0.98, ci_high=ratio * 1.02)
    timed = None if screening_only or not round_ else found
    return Candidate(round_, Revision.of(source), summary, (outcome(),), timed)


def play(judge: Callable[[str], float | None], **options: tuple[str, ...]) -> tuple[Rules, History]:
    """The loop with a judge that is a function of the summary; a new proposer each round, as after a crash."""
    options = options or {"select": THREE}
    history = History((measured(0, SOURCE, "", 1.0),))
    for round_ in range(1, 30):
        proposer = Rules(select_rules(**options))
        critique = proposer.critique(history)
        history = history.with_critique(critique.text)
        if critique.sufficient:
            return proposer, history
        draft = proposer.refine(history)
        assert not draft.problem
        ratio = judge(draft.summary)
        candidate = measured(round_, draft.source, draft.summary, ratio, screening_only=draft.screening_only)
        ablation = timed_ablations(draft, ratio, judge) if ratio else ()
        history = history.add(replace(candidate, ablation=ablation))
    raise AssertionError("the search does not end")


def timed_ablations(draft: Draft, ratio: float, judge: Callable[[str], float | None]) -> tuple[tuple[str, float], ...]:
    """What a judge would say of the draft's ablations."""
    names = draft.summary.partition(":")[0].split(" + ")
    found: dict[str, float | None] = {"original": 1.0, "with all rules": judge(ALL)}
    found |= {name: judge(" + ".join(other for other in names if other != name)) for name in names}
    return tuple((name, ratio / other) for name, _ in draft.ablations if (other := found[name]))


def tried(history: History) -> list[str]:
    return [candidate.summary.partition(":")[0] for candidate in history.candidates[1:]]


THREE = ("main_function", "stdin_readline", "eval_input")
ALL = "main_function + stdin_readline + eval_input"


def test_everything_is_tried_at_once_and_what_pays_is_compared() -> None:
    proposer, history = play(lambda s: 2.0 if "main" in s else 1.0)
    assert tried(history) == [ALL, "main_function"]
    assert history.candidates[1].screening_only
    assert proposer.preferred(history) is history.last
    assert not history.last.screening_only


def test_where_all_pay_all_are_compared() -> None:
    proposer, history = play(lambda s: 2.0 ** len(s.partition(":")[0].split(" + ")))
    assert tried(history) == [ALL, ALL]
    assert proposer.preferred(history) is history.last


def test_two_that_do_the_same_work_are_not_both_taken_out() -> None:
    proposer, history = play(lambda s: 2.0 if "stdin" in s or "eval" in s else 1.5)
    assert tried(history) == [ALL, "main_function", ALL]
    assert proposer.preferred(history) is history.last


def test_what_makes_it_slower_is_taken_out() -> None:
    proposer, history = play(lambda s: (1.5 if "main" in s else 1.0) / (1.6 if "eval" in s else 1.0))
    assert tried(history) == [ALL, "main_function"]


def test_a_wrong_stack_falls_back_to_what_needs_no_tests() -> None:
    proposer, history = play(lambda s: None if "eval_input" in s else FAST)
    assert tried(history)[:2] == [ALL, "main_function + stdin_readline"]
    best = proposer.preferred(history)
    assert best is not None
    assert best.correct
    assert "eval_input" not in best.summary


def test_one_by_one_when_nothing_else_is_right() -> None:
    proposer, history = play(lambda s: 1.2 if s.startswith("stdin_readline:") else None)
    assert tried(history)[2:] == ["main_function", "stdin_readline", "stdin_readline + eval_input", "stdin_readline"]
    assert proposer.preferred(history) is history.last


def test_nothing_is_preferred_when_nothing_helps() -> None:
    proposer, history = play(lambda s: 1.0)
    assert tried(history) == [ALL]
    assert proposer.preferred(history) is None


def test_the_draft_that_ends_the_search_if_it_is_right_says_so() -> None:
    """That of one rule; of several those that were chosen by what each adds; of a project none."""
    for select, ends in ((("stdin_readline",), True), (THREE, False)):
        rules = Rules(select_rules(select))
        assert rules.refine(History((measured(0, SOURCE, "", 1.0),))).last is ends
    screened = measured(1, "", "", 4.0, screening_only=True)
    for at, ends in ((OWN, True), ("shop/store.py", False)):
        first = replace(measured(0, "", "", 1.0), revision=Revision.of(SOURCE, at))
        rules = Rules(select_rules(THREE))
        trial = rules.refine(History((first,)))
        pay = replace(screened, revision=trial.revision, ablation=timed_ablations(trial, 4.0, lambda names: 1.0))
        whole = rules.refine(History((first, pay)))
        assert (whole.revision == trial.revision, whole.last) == (True, ends)


def test_each_draft_once() -> None:
    _, history = play(lambda s: 1.0 + len(s) / 100)
    sources = [(candidate.source, candidate.screening_only) for candidate in history.candidates]
    assert len(set(sources)) == len(sources)


def test_drafts_of_others_do_not_disturb() -> None:
    history = History((measured(0, SOURCE, "", 1.0), measured(1, "print(1)\n", "a model's idea", 9.0)))
    assert Rules(select_rules(THREE)).refine(history).summary == ALL


def test_critique_names_rules_and_lines() -> None:
    critique = Rules(select_rules()).critique(History((measured(0, SOURCE, "", 1.0),)))
    assert "eval_input, line 1: " in critique.text
    assert not critique.sufficient


def test_nothing_to_do() -> None:
    history = History((measured(0, "print(1)\n", "", 1.0),))
    assert Rules(select_rules()).critique(history).sufficient
    assert Rules(select_rules()).refine(history).problem


@pytest.mark.parametrize(
    ("options", "first"), [({"select": ("eval_input",)}, "eval_input"), ({"ignore": ("main_function",)}, "stdin")]
)
def test_selection(options: dict[str, tuple[str, ...]], first: str) -> None:
    _, history = play(lambda s: FAST, **options)
    assert tried(history)[0].startswith(first)


def test_functions_of_modules_get_no_rules_for_scripts() -> None:
    names = {rule.name for rule in function_rules(select_rules(), "f")}
    assert "min_max_conditional" in names
    assert not names & set(THREE)
