"""One problem of the page, opened: its rounds with diffs, verdicts, hot lines, critiques and raw pairs."""

from __future__ import annotations

from collections.abc import Iterator

from codeopt.batch.batch_folder import BatchFolder
from codeopt.batch.results.metrics import Solved
from codeopt.core.revision import Revision
from codeopt.core.words import Speedup, factor
from codeopt.report.html import drafts
from codeopt.report.html.annotated import beside
from codeopt.report.html.charts import anchor
from codeopt.report.html.markup import Child, Markup, tag
from codeopt.report.html.templating import code, folded, scrolls


def kind(each: Solved) -> str:
    """solved, kept, failed or open: how the page filters and colours."""
    if each.accepted:
        return "solved"
    return {"done": "kept", "failed": "failed", "skipped": "failed"}.get(each.status, "open")


def row(batch: BatchFolder, each: Solved, spent: str) -> Markup:
    """A line that opens to the problem's history."""
    figures = Speedup(each.speedup, each.low, each.high, 0)
    speedup = figures.factor if each.judged else "-"
    span = figures.span if each.accepted and each.low and each.high else ""
    human = factor(each.human) if each.human is not None else ""
    label = {"solved": "improved", "kept": "no faster version"}.get(kind(each), each.status)
    names = ("", "", "speedup", "95% interval", "reference", "candidates", "")
    badge = tag("span", label, class_=f"badge {kind(each)}")
    columns = [("num", text) for text in (speedup, span, human, str(len(each.rounds)))]
    cells = (("id", each.id), ("", badge), *columns, ("why", code(_why(each) or spent)))
    summary = tag(
        "summary",
        [
            tag("span", _heard(name) if text else None, text, class_=class_ or None)
            for name, (class_, text) in zip(names, cells, strict=True)
        ],
    )
    inside = tag("div", list(_history(batch, each, spent)), class_="inside")
    return tag("details", summary, inside, class_=f"is-{kind(each)}", id=anchor(each.id))


def _heard(name: str) -> Markup | None:
    """The name of a cell, for who hears the line without the heads above it."""
    return tag("span", f"{name}: ", class_="unseen") if name else None


def _why(each: Solved) -> str:
    """The accepted change, or why nothing was accepted; before it, what the task itself measured of a result."""
    return f"{each.task_score.words}: {each.reason}" if each.task_score and each.accepted else each.reason


def _history(batch: BatchFolder, each: Solved, spent: str) -> Iterator[Child]:
    problem = batch.problem(each.id)
    yield tag("p", code(f"{(each.reason or each.status).rstrip('.')}. {spent}."), class_="how")
    run = batch.load(each.id)
    rounds = run.history.candidates if run else ()
    if rounds:
        yield tag("h3", "Original")
        yield drafts.verdicts(rounds[0])
        yield drafts.hot_lines(rounds[0])
        yield drafts.critique(rounds[0])
    best = next((one for one in rounds if each.accepted and one.round == each.best_round), None)
    if best:
        yield tag("h3", "What changed")
        yield drafts.diff(rounds[0].revision, best.revision, "original", "result")
        yield tag("h3", "Where the time goes")
        yield beside(rounds[0], best)
    for before, candidate in zip(rounds, rounds[1:], strict=False):
        yield drafts.draft(before, candidate, each.id, best=candidate.round == each.best_round)
    for confirmed in batch.measured(each.id, "confirm"):
        yield drafts.confirmed(rounds[0] if rounds else confirmed, confirmed)
    for target in batch.measured(each.id, "target"):
        yield folded(
            "The reference",
            drafts.heading(target, "judged by the same judge in this run"),
            drafts.verdicts(target),
            drafts.pairs(target),
            drafts.diff(Revision.of(problem.source), target.revision, "original", "reference"),
        )
    if not rounds and problem.source:
        shown = problem.source.splitlines()[: drafts.DIFF_LINES]
        yield folded("The original", scrolls("the original", tag("pre", [tag("span", line) for line in shown])))
