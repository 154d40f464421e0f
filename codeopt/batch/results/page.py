"""A batch as one HTML page: no script, no network, nothing next to it; every text in it is escaped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from codeopt.batch.batch_folder import BatchFolder
from codeopt.batch.results.details import kind, row
from codeopt.batch.results.metrics import OPT, AfterRounds, Metrics, Solved, Versus
from codeopt.batch.results.statistics import Estimate
from codeopt.batch.results.table import cost_per_solved, own_rows, percent, times
from codeopt.core.words import clock, counted, factor, money
from codeopt.report.html import charts
from codeopt.report.html.templating import page as filled

FILTERS = (
    ("all", "all"),
    ("solved", "improved"),
    ("kept", "not improved"),
    ("failed", "failed or skipped"),
    ("open", "not ended"),
)


def page(batch: BatchFolder, found: Metrics, other: Versus | None = None) -> Iterator[str]:
    """The page in pieces, so that a set of any size can be written without holding it."""
    machine, human = found.facts.machine, found.human_opt
    python = f"Python {found.facts.python['version']}" if found.facts.python else machine.get("python")
    unit, amounts = spending(found)
    marks = [_mark(each, amount) for each, amount in zip(found.solved, amounts, strict=True) if each.judged]
    return filled(
        "batch.html",
        _name(found),
        _footer(found),
        found=found,
        task=found.facts.settings.get("task", "?"),
        where=", ".join(str(each) for each in (machine.get("cpu"), machine.get("system"), python) if each),
        tiles=_tiles(found),
        speedups=charts.speedups(marks, OPT),
        figures=_figures(found),
        by_round=charts.by_round([*map(_shares, found.rounds)], human.value if human else None) if found.rounds else "",
        at_least=charts.at_least(marks) if marks else "",
        costs=charts.costs(marks, unit) if marks else "",
        rounds=[
            (r.k, r.drafts, percent(r.correct)[0], *percent(r.opt), r.newly, _both(r.geomean)) for r in found.rounds
        ],
        other=other,
        versus=_versus(other) if other else (),
        filters=_filters(found),
        rows=(row(batch, each, _spent(each)) for each in found.solved),
    )


def _mark(each: Solved, cost: float) -> charts.Mark:
    low, high = (each.low, each.high) if each.accepted else (None, None)
    return charts.Mark(each.id, kind(each), each.speedup, low, high, each.human, cost)


def _shares(each: AfterRounds) -> charts.RoundShares:
    return charts.RoundShares(each.k, each.correct.value, each.opt.value, each.opt.low or 0, each.opt.high or 0)


def _name(found: Metrics) -> str:
    return f"{found.facts.settings.get('set', 'batch')} with {found.facts.settings.get('model', '?')}"


def _figures(found: Metrics) -> list[tuple[str, ...]]:
    """The chart as a table, for who reads rather than looks."""
    rows: list[tuple[str, ...]] = []
    for one in sorted(found.judged, key=lambda solved: (-solved.speedup, solved.id)):
        span = f"{one.low:.2f} - {one.high:.2f}" if one.low and one.high else ""
        rows.append((one.id, factor(one.speedup), span, factor(one.human) if one.human is not None else ""))
    return rows


def _tiles(found: Metrics) -> Iterator[tuple[str, ...]]:
    for name, (value, span) in own_rows(found):
        yield name, value, span
    yield f"%OPT (right, at least {factor(OPT)})", *percent(found.opt)
    yield "%correct", *percent(found.correct)
    yield "geometric mean speedup", *times(found.geomean)
    yield "mean speedup", *times(found.mean_speedup)
    if found.human_opt and found.human_geomean:
        yield (
            f"references, {found.humans} programs",
            times(found.human_geomean)[0],
            f"%OPT {percent(found.human_opt)[0]}",
        )
    if found.usage.replies:
        each = cost_per_solved(found)
        per = f"{money(each)} a solved problem" if each is not None else f"{found.usage.tokens:,} tokens"
        yield "cost", money(found.usage.cost_usd), per
    overhead = "" if found.overhead is None else f"{found.overhead:.0%} of it not running programs"
    yield f"{clock('wall')} on {counted(found.facts.cores, 'core')}", _minutes(found.facts.seconds), overhead


def _versus(other: Versus) -> list[tuple[str, ...]]:
    return [
        ("%OPT, problems", str(other.opt[0]), str(other.opt[1]), f"p = {other.opt_p:.3g} (McNemar, exact)"),
        ("geometric mean, there over here", "1.00x", _both(other.ratio), f"p = {other.ratio_p:.3g} (sign flips)"),
    ]


def _filters(found: Metrics) -> list[tuple[str, str, int]]:
    """Name, text and number of problems of each filter that shows some."""
    count = Counter(kind(each) for each in found.solved) + Counter(all=len(found.solved))
    return [(name, text, count[name]) for name, text in FILTERS if count[name]]


def spending(found: Metrics) -> tuple[Callable[[float], str], list[float]]:
    """The cost of each problem in the unit that is known: US dollars, tokens, or seconds where no model was asked."""
    if not found.usage.replies:
        return (lambda value: f"{value:.0f} s"), [each.seconds for each in found.solved]
    if found.usage.cost_usd:
        return (lambda value: f"${value:.4g}"), [each.usage.cost_usd or 0.0 for each in found.solved]
    return (lambda value: f"{value / 1000:.3g}k"), [float(each.usage.tokens) for each in found.solved]


def _spent(each: Solved) -> str:
    tokens = f", {each.usage.tokens:,} tokens, {money(each.usage.cost_usd)}" if each.usage.tokens else ""
    drafts = counted(len(each.rounds), "draft")
    return f"{drafts}, {each.seconds:.0f} s{tokens}"


def _footer(found: Metrics) -> str:
    settings = ", ".join(
        f"{key} {value}" for key, value in sorted(found.facts.settings.items()) if value not in (None, "", False)
    )
    return (
        f"codeopt {found.facts.machine.get('codeopt', '')}; {settings}; sandbox {found.facts.backend}. "
        "Intervals of means: bootstrap over problems; of one problem: anytime-valid, from paired interleaved runs."
    )


def _both(value: Estimate) -> str:
    return " ".join((times(value)[0], f"({times(value)[1]})" if times(value)[1] else "")).strip()


def _minutes(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
