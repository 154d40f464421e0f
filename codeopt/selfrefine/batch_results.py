"""A batch of texts: scores by round, readers' preferences, and the task's own metric, for first drafts and results.

Definitions, as in Self-Refine's evaluation (Madaan et al. 2023, tables 1 and 3):

score       mean share of the full score, of the best draft of the first k rounds. Round 0 is the first draft.
win rate    share of the inputs with a refined draft whose refined one a reader prefers in both orders. Ties are shown
            separately, and count for neither side.
checked     mean share of the checks by code, such as the coverage of concepts
solved      share of the inputs with a key whose program prints it
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TextIO, cast

from codeopt.batch.batch_folder import BatchFolder
from codeopt.batch.results.statistics import Estimate, estimate, mean, share
from codeopt.batch.results.table import metric_lines, percent
from codeopt.core.history import Candidate, Preferred
from codeopt.core.screen import open_terminal, write_lines
from codeopt.core.words import counted, money
from codeopt.selfrefine.text_task import CHECKED, TextTask
from codeopt.tasks import open_task


@dataclass(frozen=True)
class TextMetrics:
    """Figures in the report of a batch of texts."""

    task: str
    inputs: int
    judged: int
    by_round: tuple[Estimate, ...]
    """Mean best score after k rounds, from k = 0 on."""
    refined: int
    """Inputs whose first draft was replaced."""
    wins: Estimate | None
    """Win rate. None if no reader was asked."""
    ties: int
    losses: int
    checked: tuple[Estimate, Estimate] | None
    """First drafts, results. None for a task that checks nothing by code."""
    solved: tuple[Estimate, Estimate] | None
    """Solved inputs. Only inputs with a key count."""
    tokens: int
    cost_usd: float | None


@dataclass(frozen=True)
class _Answered:
    """One input with its drafts, each scored."""

    key: str
    drafts: tuple[Candidate, ...]
    best: Candidate
    """The result: the first draft, or what was accepted."""


def measure_texts(batch: BatchFolder, task: TextTask) -> TextMetrics:
    """The metrics of a batch, also of one that has not ended."""
    found = list(_answered(batch))
    scores = [[task.total(draft) or 0.0 for draft in each.drafts] for each in found]
    rounds = max(map(len, scores), default=0)
    read = [each.best.preference.winner for each in found if each.best.preference]
    checks = [(_checked(each.drafts[0]), _checked(each.best)) for each in found] if task.check else []
    keyed = [each for each in found if each.key] if task.solves else []
    spent = batch.spent()
    return TextMetrics(
        task.name, len(batch.ids()), len(found),
        tuple(estimate([max(one[: k + 1]) for one in scores], mean) for k in range(rounds)),
        sum(each.best.round > 0 for each in found),
        share([winner is Preferred.SECOND for winner in read]) if read else None,
        read.count(Preferred.NEITHER), read.count(Preferred.FIRST),
        (estimate([a for a, _ in checks], mean), estimate([b for _, b in checks], mean)) if checks else None,
        (_solve_rate(task, keyed, first=True), _solve_rate(task, keyed, first=False)) if keyed else None,
        spent.tokens, spent.cost_usd,
    )  # fmt: skip


def _answered(batch: BatchFolder) -> Iterator[_Answered]:
    for problem in batch.problems():
        run = batch.load(problem.id)
        if run and batch.status(problem.id).status == "done":
            drafts = run.history.candidates
            yield _Answered(problem.target or "", drafts, [drafts[0], *batch.measured(problem.id, "confirm")][-1])


def _checked(candidate: Candidate) -> float:
    return dict(candidate.scores).get(CHECKED, 0.0)


def _solve_rate(task: TextTask, keyed: Sequence[_Answered], *, first: bool) -> Estimate:
    assert task.solves is not None
    solved = []
    for each in keyed:
        candidate = each.drafts[0] if first else each.best
        printed = candidate.outcomes[0].run.stdout if candidate.outcomes else b""
        solved.append(task.solves(each.key, printed.decode("utf-8", "replace") if task.runs else candidate.source))
    return share(solved)


def _task(batch: BatchFolder) -> TextTask:
    return cast(TextTask, open_task(batch.facts.settings["task"]))


def render(batch: BatchFolder, file: TextIO) -> None:
    """Write the figures as a table."""
    write_lines("\n".join(_table(measure_texts(batch, _task(batch)))), open_terminal(file))


def _table(found: TextMetrics) -> list[str]:
    names = (
        "score of the first drafts",
        *(f"score after {counted(k, 'round')}" for k in range(1, len(found.by_round))),
    )
    rows = [(name, percent(value)) for name, value in zip(names, found.by_round, strict=True)]
    if found.wins:
        ends = f"{found.ties} ties, {found.losses} for the first draft"
        rows.append((f"refined one preferred ({ends})", percent(found.wins)))
    for name, both in (("checked by code", found.checked), ("solved", found.solved)):
        if both:
            rows += [(f"{name}, first drafts", percent(both[0])), (f"{name}, results", percent(both[1]))]
    rows += [("tokens", (f"{found.tokens:,}", "")), ("cost", (money(found.cost_usd), ""))]
    return [
        f"{found.task}: {found.inputs} inputs, {found.judged} answered, {found.refined} refined",
        *metric_lines(rows),
    ]


def as_json(batch: BatchFolder) -> dict[str, Any]:
    """The object that --json prints; fields may be added, these stay."""
    found = measure_texts(batch, _task(batch))
    return {
        "schema": "codeopt.report.texts/1",
        "task": found.task,
        "problems": found.inputs,
        "judged": found.judged,
        "refined": found.refined,
        "score_by_round": [_figure(each) for each in found.by_round],
        "preferred": {**_figure(found.wins), "ties": found.ties, "losses": found.losses} if found.wins else None,
        "checked": {"first": _figure(found.checked[0]), "refined": _figure(found.checked[1])}
        if found.checked
        else None,
        "solved": {"first": _figure(found.solved[0]), "refined": _figure(found.solved[1])} if found.solved else None,
        "tokens": found.tokens,
        "cost_usd": found.cost_usd,
    }


def _figure(value: Estimate) -> dict[str, float | None]:
    return {"value": round(value.value, 4), "ci_low": value.low, "ci_high": value.high}
