"""A batch as one HTML page: no script, no network, nothing beside it; every text in it is escaped."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from codeopt.batch.database import BatchStore
from codeopt.batch.results import charts
from codeopt.batch.results.details import kind, row
from codeopt.batch.results.metrics import OPT, Metrics, Solved, Versus
from codeopt.batch.results.statistics import Estimate
from codeopt.batch.results.table import cost_per_solved, own_rows, percent, times
from codeopt.core.words import clock, counted, factor, money
from codeopt.report.html.layout import card, document, folded, table, tile
from codeopt.report.html.markup import Child, Markup, join, tag

FILTERS = (
    ("all", "all"),
    ("solved", "improved"),
    ("kept", "not improved"),
    ("failed", "failed or dropped"),
    ("open", "not ended"),
)


def page(store: BatchStore, found: Metrics, other: Versus | None = None) -> Iterator[str]:
    """The page in pieces, so that a set of any size can be written without holding it."""
    yield from document(_name(found), _body(store, found, other), _footer(found))


def _body(store: BatchStore, found: Metrics, other: Versus | None) -> Iterator[Child]:
    yield from _overview(found, other)
    unit, amounts = spending(found)
    yield tag("h2", "Problems")
    yield tag(
        "p",
        "Each opens to its history: every draft as a diff to the one before, verdicts, pairs, hot lines, critiques.",
        class_="how",
    )
    yield Markup("<div>")
    yield join(_filters(found))
    yield Markup("<div class='rows'>")
    for each, amount in zip(found.solved, amounts, strict=True):
        yield row(store, each, _spent(each, unit, amount))
    yield Markup("</div></div>")


def _name(found: Metrics) -> str:
    return f"{found.settings.get('set', 'batch')} with {found.settings.get('model', '?')}"


def _overview(found: Metrics, other: Versus | None) -> Iterator[Child]:
    machine = found.machine
    python = f"Python {found.python['version']}" if found.python else machine.get("python")
    where = ", ".join(str(each) for each in (machine.get("cpu"), machine.get("system"), python) if each)
    yield tag("h1", _name(found))
    yield tag(
        "p", f"{len(found.solved)} problems, {len(found.judged)} judged, task {found.settings.get('task', '?')}, begun "
        f"{found.created}; {where}", class_="sub",
    )  # fmt: skip
    yield tag("div", list(_tiles(found)), class_="tiles")
    yield card(
        "Speedup of each problem",
        "Confirmed with fresh timings and with held-out inputs; wrong or slower counts as 1.0. Fastest "
        "first, on a logarithmic scale. A name leads to the problem's history.",
        _key(found), *_speedups(found), folded("As a table, with intervals", _figures(found)),
    )  # fmt: skip
    yield tag("div", _by_round(found), _at_least(found), class_="pair")
    unit, amounts = spending(found)
    judged = [(each, amount) for each, amount in zip(found.solved, amounts, strict=True) if each.judged]
    if judged:
        what = "Cost of each problem" if found.replies else "Seconds spent on each problem"
        few = len(judged) <= charts.LABELLED
        yield card(
            what, "In the order of the first chart.", (charts.named_costs if few else charts.costs)(judged, unit)
        )
    yield _table(found)
    if other is not None:
        yield _versus(other)


def _speedups(found: Metrics) -> Iterator[Markup]:
    """The speedups by name where names can be read, else as a cloud of marks with their intervals."""
    if len(found.judged) <= charts.LABELLED:
        yield charts.named_speedups(found.judged)
    else:
        yield charts.speedups(found.judged)


def _figures(found: Metrics) -> Markup:
    """The chart as a table, for who reads rather than looks."""
    rows = [
        (each.id, factor(each.speedup), f"{each.low:.2f} - {each.high:.2f}" if each.low and each.high else "",
         factor(each.human) if each.human is not None else "")
        for each in sorted(found.judged, key=lambda one: (-one.speedup, one.id))
    ]  # fmt: skip
    return table("Speedup of each problem", ("problem", "speedup", "95% interval", "human"), rows)


def _tiles(found: Metrics) -> Iterator[Markup]:
    for name, (value, span) in own_rows(found):
        yield tile(name, value, span)
    yield tile(f"%OPT (right, at least {factor(OPT)})", *percent(found.opt))
    yield tile("%correct", *percent(found.correct))
    yield tile("geometric mean speedup", *times(found.geomean))
    yield tile("mean speedup", *times(found.mean_speedup))
    if found.human_opt and found.human_geomean:
        yield tile(
            f"human, {found.humans} programs", times(found.human_geomean)[0], f"%OPT {percent(found.human_opt)[0]}"
        )
    if found.replies:
        each = cost_per_solved(found)
        per = f"{money(each)} a solved problem" if each is not None else f"{found.tokens:,} tokens"
        yield tile("cost", money(found.cost_usd), per)
    overhead = "" if found.overhead is None else f"{found.overhead:.0%} of it not running programs"
    yield tile(f"{clock('wall')} on {counted(found.cores, 'core')}", _minutes(found.seconds), overhead)


def _key(found: Metrics) -> Markup:
    names = [("solved", "improved"), ("kept", "nothing accepted"), ("failed", "failed")]
    names += [("human", "the human's program")] if found.humans else []
    return tag("div", [tag("span", text, class_=f"k-{name}") for name, text in names], class_="key")


def _by_round(found: Metrics) -> Markup:
    if not found.rounds:
        return card("By round", "No problem had a draft.")
    key = [tag("span", "%OPT, with its 95% interval", class_="k-solved"), tag("span", "%correct", class_="k-correct")]
    if found.human_opt:
        key.append(tag("span", "human %OPT", class_="k-human"))
    human = found.human_opt.value if found.human_opt else None
    return card(
        "%OPT by round",
        "The best of the first k drafts, by the timings of their own rounds (best@k); one that was only screened is "
        "none of them.",
        tag("div", key, class_="key"), charts.by_round(found.rounds, human),
    )  # fmt: skip


def _at_least(found: Metrics) -> Markup:
    key = [tag("span", "drafts", class_="k-solved")] + (
        [tag("span", "humans", class_="k-human")] if found.humans else []
    )
    return card(
        "Speedup of at least x", "The share of the judged problems; what other thresholds than 1.10x would give.",
        tag("div", key, class_="key"), charts.at_least(found.judged) if found.judged else None,
    )  # fmt: skip


def _table(found: Metrics) -> Markup:
    names = (
        "after k drafts",
        "problems with a draft",
        "%correct",
        "%OPT",
        "95% interval",
        "newly solved",
        "geometric mean",
    )
    rows = [
        [str(r.k), str(r.drafts), percent(r.correct)[0], *percent(r.opt), str(r.newly), _both(r.geomean)]
        for r in found.rounds
    ]  # fmt: skip
    return card("What each round added", "", table("What each round added", names, rows))


def _versus(other: Versus) -> Markup:
    rows = [
        ["%OPT, problems", str(other.opt[0]), str(other.opt[1]), f"p = {other.opt_p:.3g} (McNemar, exact)"],
        ["geometric mean, there over here", "1.00x", _both(other.ratio), f"p = {other.ratio_p:.3g} (sign flips)"],
    ]
    how = f"Paired, on the {other.problems} problems that both batches have judged."
    return card("Against the other batch", how, table(how, ("", "here", "there", "test"), rows))


def _filters(found: Metrics) -> Iterator[Markup]:
    """Which problems are shown: radio buttons and style rules, no script."""
    counts = {name: sum(kind(each) == name for each in found.solved) for name, _ in FILTERS} | {
        "all": len(found.solved)
    }
    shown = [(name, text) for name, text in FILTERS if counts[name]]
    for name, _ in shown:
        yield tag("input", type="radio", name="filter", id=f"f-{name}", class_="filter", checked=name == "all")
    yield tag(
        "div", [tag("label", f"{text} {counts[name]}", for_=f"f-{name}") for name, text in shown], class_="filters"
    )
    names = (
        ("", "problem"),
        ("", "result"),
        ("num", "speedup"),
        ("num", "95% interval"),
        ("num", "human"),
        ("num", "drafts"),
        ("", ""),
    )
    yield tag("div", [tag("span", text, class_=name or None) for name, text in names], class_="head")


def spending(found: Metrics) -> tuple[Callable[[float], str], list[float]]:
    """The cost of each problem in the unit that is known: US dollars, tokens, or seconds where no model was asked."""
    if not found.replies:
        return (lambda value: f"{value:.0f} s"), [each.seconds for each in found.solved]
    if found.cost_usd:
        return (lambda value: f"${value:.4g}"), [each.cost_usd or 0.0 for each in found.solved]
    return (lambda value: f"{value / 1000:.3g}k"), [float(each.tokens) for each in found.solved]


def _spent(each: Solved, unit: Callable[[float], str], amount: float) -> str:
    tokens = f", {each.tokens:,} tokens, {money(each.cost_usd)}" if each.tokens else ""
    drafts = counted(len(each.rounds), "draft")
    return f"{drafts}, {each.seconds:.0f} s{tokens}"


def _footer(found: Metrics) -> str:
    settings = ", ".join(
        f"{key} {value}" for key, value in sorted(found.settings.items()) if value not in (None, "", False)
    )
    return (
        f"codeopt {found.machine.get('codeopt', '')}; {settings}; sandbox {found.backend}. "
        "Intervals of means: bootstrap over problems; of one problem: anytime-valid, from paired interleaved runs."
    )


def _both(value: Estimate) -> str:
    return " ".join((times(value)[0], f"({times(value)[1]})" if times(value)[1] else "")).strip()


def _minutes(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
