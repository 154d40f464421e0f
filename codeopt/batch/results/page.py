"""A batch as one HTML page: no script, no network, nothing next to it; every text in it is escaped."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator

from codeopt.batch.batch_folder import BatchFolder
from codeopt.batch.results.metrics import OPT, AfterRounds, Metrics, Solved, Versus
from codeopt.batch.results.statistics import Estimate
from codeopt.batch.results.table import cost_per_solved, own_rows, percent, times
from codeopt.core.revision import Revision
from codeopt.core.words import Speedup, clock, counted, factor, money
from codeopt.report.html import charts, drafts
from codeopt.report.html.charts import anchor
from codeopt.report.html.drafts import both_listings
from codeopt.report.html.templating import Child, Markup, code, folded, scrolls, tag
from codeopt.report.html.templating import page as filled

FILTERS = (
    ("all", "all"),
    ("solved", "improved"),
    ("kept", "no faster version"),
    ("failed", "failed or skipped"),
    ("open", "not ended"),
)


def page(batch: BatchFolder, metrics: Metrics, other: Versus | None = None) -> Iterator[str]:
    """The page in pieces, so that a set of any size can be written without holding it."""
    machine, human = metrics.facts.machine, metrics.human_opt
    python = f"Python {metrics.facts.python['version']}" if metrics.facts.python else machine.get("python")
    unit, amounts = spending(metrics)
    marks = []
    for each, amount in zip(metrics.solved, amounts, strict=True):
        low, high = (each.low, each.high) if each.accepted else (None, None)
        if each.judged:
            marks.append(charts.Mark(each.id, kind(each), each.speedup, low, high, each.human, amount))
    count = Counter(map(kind, metrics.solved)) + Counter(all=len(metrics.solved))
    return filled(
        "batch.html",
        f"{metrics.facts.settings.get('set', 'batch')}, changes by {metrics.facts.settings.get('model', '?')}",
        _footer(metrics),
        found=metrics,
        folder=shlex.quote(str(batch.folder)),
        task=metrics.facts.settings.get("task", "?"),
        begun=metrics.facts.created.replace("T", " ").replace("Z", " UTC"),
        where=", ".join(str(each) for each in (machine.get("cpu"), machine.get("system"), python) if each),
        tiles=_tiles(metrics),
        speedups=charts.speedups(marks, OPT),
        figures=_figures(metrics),
        by_round=charts.by_round([*map(_shares, metrics.rounds)], human.value if human else None)
        if metrics.rounds
        else "",
        costs=charts.costs(marks, unit) if marks else "",
        rounds=[
            (r.k, r.drafts, percent(r.correct)[0], *percent(r.opt), r.newly, _both(r.geomean)) for r in metrics.rounds
        ],
        other=other,
        versus=_versus(other) if other else (),
        filters=[(name, text, count[name]) for name, text in FILTERS if count[name]],
        rows=(row(batch, each, _spent(each)) for each in metrics.solved),
    )


def _shares(each: AfterRounds) -> charts.RoundShares:
    return charts.RoundShares(each.k, each.correct.value, each.opt.value, each.opt.low or 0, each.opt.high or 0)


def _figures(metrics: Metrics) -> list[tuple[str, ...]]:
    """The chart as a table, for who reads rather than looks."""
    rows: list[tuple[str, ...]] = []
    for one in sorted(metrics.judged, key=lambda solved: (-solved.speedup, solved.id)):
        figures = Speedup(one.speedup, one.low, one.high, 0)
        span = figures.span if one.low and one.high else ""
        rows.append((one.id, figures.factor, span, factor(one.human) if one.human is not None else ""))
    return rows


def _tiles(metrics: Metrics) -> Iterator[tuple[str, ...]]:
    for name, (value, span) in own_rows(metrics):
        yield name, value, span
    for name, (value, span) in (
        (f"at least {factor(OPT)} faster (%OPT)", percent(metrics.opt)),
        ("with a right candidate (%correct)", percent(metrics.correct)),
        ("geometric mean speedup", times(metrics.geomean)),
    ):
        yield name, value, f"95% CI {span.replace(' - ', ' to ')}" if span else ""
    if metrics.human_opt and metrics.human_geomean:
        yield (
            f"references, {metrics.humans} programs",
            times(metrics.human_geomean)[0],
            f"%OPT {percent(metrics.human_opt)[0]}",
        )
    if metrics.usage.replies:
        each = cost_per_solved(metrics)
        per = f"{money(each)} a solved problem" if each is not None else f"{metrics.usage.tokens:,} tokens"
        yield "cost", money(metrics.usage.cost_usd), per
    overhead = "" if metrics.overhead is None else f"{metrics.overhead:.0%} of it outside of programs"
    seconds = metrics.facts.seconds
    took = f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
    took = f"{seconds:.0f} s" if seconds < 120 else took
    yield f"{clock('wall')} on {counted(metrics.facts.cores, 'core')}", took, overhead


def _versus(other: Versus) -> list[tuple[str, ...]]:
    return [
        ("%OPT, problems", str(other.opt[0]), str(other.opt[1]), f"p = {other.opt_p:.3g} (McNemar, exact)"),
        ("geometric mean, there over here", "1.00x", _both(other.ratio), f"p = {other.ratio_p:.3g} (sign flips)"),
    ]


def spending(metrics: Metrics) -> tuple[Callable[[float], str], list[float]]:
    """The cost of each problem in the unit that is known: US dollars, tokens, or seconds where no model was asked."""
    if not metrics.usage.replies:
        return (lambda value: f"{value:.0f} s"), [each.seconds for each in metrics.solved]
    if metrics.usage.cost_usd:
        return (lambda value: f"${value:.4g}"), [each.usage.cost_usd or 0.0 for each in metrics.solved]
    return (lambda value: f"{value / 1000:.3g}k"), [float(each.usage.tokens) for each in metrics.solved]


def _spent(each: Solved) -> str:
    tokens = f", {each.usage.tokens:,} tokens, {money(each.usage.cost_usd)}" if each.usage.tokens else ""
    return f"{each.seconds:.0f} s{tokens}"


def _footer(metrics: Metrics) -> str:
    settings = ", ".join(
        f"{key} {value}" for key, value in sorted(metrics.facts.settings.items()) if value not in (None, "", False)
    )
    return (
        f"codeopt {metrics.facts.machine.get('codeopt', '')}; {settings}; sandbox {metrics.facts.backend}. "
        "Intervals of means: bootstrap over problems; of one problem: anytime-valid, from paired interleaved runs."
    )


def _both(value: Estimate) -> str:
    ratio, span = times(value)
    return f"{ratio} ({span})" if span else ratio


# One problem of the page, opened: its rounds with diffs, verdicts, hot lines, critiques and raw pairs.


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
    cells = (
        ("id", each.id),
        ("", badge),
        *columns,
        (
            "why",
            code((f"{each.task_score.words}: " if each.task_score and each.accepted else "") + each.reason or spent),
        ),
    )
    summary = tag(
        "summary",
        [
            # For who hears the line without the heads above it, a cell has its name.
            tag(
                "span", tag("span", f"{name}: ", class_="unseen") if name and text else None, text, class_=kind_ or None
            )
            for name, (kind_, text) in zip(names, cells, strict=True)
        ],
    )
    inside = tag("div", list(_history(batch, each, spent)), class_="inside")
    return tag("details", summary, inside, class_=f"is-{kind(each)}", id=anchor(each.id))


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
        yield both_listings(rounds[0], best)
    for before, candidate in zip(rounds, rounds[1:], strict=False):
        yield drafts.draft(before, candidate, each.id, best=candidate.round == each.best_round)
    for confirmed in batch.measured(each.id, "confirm"):
        yield drafts.confirmed(rounds[0] if rounds else confirmed, confirmed)
    for target in batch.measured(each.id, "target"):
        yield folded(
            "The reference",
            drafts.heading(target, "judged by the same judge in this run"),
            drafts.verdicts(target),
            charts.pairs_chart(target.comparison),
            drafts.diff(Revision.of(problem.source), target.revision, "original", "reference"),
        )
    if not rounds and problem.source:
        shown = problem.source.splitlines()[: drafts.DIFF_LINES]
        yield folded("The original", scrolls("the original", tag("pre", [tag("span", line) for line in shown])))
