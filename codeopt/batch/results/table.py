"""A batch's metrics as a table for people, one JSON object, and rows of CSV."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from codeopt.batch.results.metrics import OPT, Metrics, Solved, Versus
from codeopt.batch.results.statistics import Estimate
from codeopt.core import screen
from codeopt.core.sanitize import inline
from codeopt.core.screen import columns
from codeopt.core.words import Speedup, clock, counted, factor, money, took
from codeopt.report.answers import Ends, ReportJson, gather, serialize

COLUMNS = (
    "problem", "status", "fault", "reason", "accepted", "speedup", "ci_low", "ci_high", "best_round", "rounds",
    "correct", "reference_speedup", "tokens", "cost_usd", "seconds",
    "task_before", "task_after",
)  # fmt: skip


def render(metrics: Metrics, file: TextIO, other: Versus | None = None, *, verbose: bool = False) -> None:
    """Write the problems and the sums; with `verbose` all figures as tables."""
    lines = [*_problems(metrics), *_sums(metrics)]
    if verbose:
        lines += ["", *_totals(metrics), ""]
        rows = [("k", "candidates", "%correct", "%OPT", "95% CI", "newly solved", "geo-mean")]
        for each in metrics.rounds:
            right, (better, span) = percent(each.correct)[0], percent(each.opt)
            rows.append((f"{each.k}", f"{each.drafts}", right, better, span, f"{each.newly}", times(each.geomean)[0]))
        if metrics.rounds:
            lines.append("After k candidates (best@k), by the timings of their own rounds")
            lines += columns(rows, range(7))
    lines += _versus(other) if other else []
    screen.write_lines("\n".join(lines), screen.open_terminal(file))


def _sums(metrics: Metrics) -> list[str]:
    value = Speedup(metrics.geomean.value, None, None, 0).factor
    span = times(metrics.geomean)[1]
    # judged problems from which on an interval of their mean is shown without -v
    judged, few = counted(len(metrics.judged), "problem"), len(metrics.judged) < 10
    certain = (
        f"{judged}: too few for an interval" if few or not span else f"95% CI {span.replace(' - ', 'x to ')}x, {judged}"
    )
    spent = f"; {metrics.usage.tokens:,} tokens, {money(metrics.usage.cost_usd)}" if metrics.usage.replies else ""
    mean = [f"Geometric mean speedup {value} ({certain})"] if metrics.judged else []
    return [*mean, f"Time {took(metrics.facts.seconds)}{spent}"]


def metric_lines(rows: Iterable[tuple[str, tuple[str, str]]]) -> list[str]:
    """Format metrics, each with its value and interval."""
    return columns([("metric", "value", "95% CI"), *((name, *figures) for name, figures in rows)])


def _totals(metrics: Metrics) -> list[str]:
    rows = [
        *own_rows(metrics),
        (f"%OPT (right and at least {factor(OPT)})", percent(metrics.opt)),
        ("%correct (some candidate is right)", percent(metrics.correct)),
        ("geometric mean speedup", times(metrics.geomean)),
        ("mean speedup", times(metrics.mean_speedup)),
    ]
    if metrics.human_opt and metrics.human_geomean:
        rows.append((f"reference %OPT ({metrics.humans} programs)", percent(metrics.human_opt)))
        rows.append(("reference geometric mean speedup", times(metrics.human_geomean)))
    plain = [("status", ", ".join(f"{count} {status}" for status, count in sorted(metrics.counts.items())))]
    if metrics.usage.replies:
        cached = f", {metrics.usage.tokens_cached:,} of them read from a cache" if metrics.usage.tokens_cached else ""
        plain.append(("tokens", f"{metrics.usage.tokens:,} in {metrics.usage.replies} replies{cached}"))
        plain.append(("cost", money(metrics.usage.cost_usd)))
        if metrics.optimised:
            plain.append(("tokens for each solved problem", f"{metrics.usage.tokens / metrics.optimised:,.0f}"))
            if (cost := cost_per_solved(metrics)) is not None:
                plain.append(("cost for each solved problem", money(cost)))
    plain.append((clock("wall"), f"{metrics.facts.seconds:.0f} s on {counted(metrics.facts.cores, 'core')}"))
    if any(metrics.effort.values()):
        steps = ", ".join(f"{step} {took:.0f}" for step, took in metrics.effort.items())
        plain.append(("seconds of it by step", steps))
    if metrics.overhead is not None:
        plain.append(("part of it without a running program", f"{metrics.overhead:.0%}"))
    return [*metric_lines(rows), *columns(plain)]


def own_rows(metrics: Metrics) -> list[tuple[str, tuple[str, str]]]:
    """The rows that the task itself measures; none for a task whose measure is the speedup."""
    own = metrics.own
    if own is None:
        return []
    rows = [("accepted by the task", percent(own.improved)), (f"{own.name}, originals", own.before.shown(".2f"))]
    rows += [(f"{own.name}, results", own.after.shown(".2f"))]
    if own.preferred:
        rows.append((f"preferred by a reader, of {own.asked} asked about", percent(own.preferred)))
    return [*rows, *((f"mean {m.name}", (m.words.removeprefix(f"{m.name} "), "")) for m in own.measures)]


def _problems(metrics: Metrics) -> Iterator[str]:
    """Return the number of problems by outcome and a row for each: the fastest first, then those with a reason."""
    faster = sorted((each for each in metrics.judged if each.accepted), key=lambda each: -each.speedup)
    same = [each for each in metrics.judged if not each.accepted and each.status == "done"]
    failed = failures(metrics)
    better = "faster" if metrics.own is None else "improved"
    others = Counter(each.status for each in failed)
    counts = [f"{len(same)} not"] * bool(same) + [f"{count} {status}" for status, count in others.items()]
    yield ", ".join([f"{len(faster)} of {counted(len(metrics.solved), 'problem')} {better}", *counts])
    # problems of each kind that are named
    shown = [row for rows in (faster, same, failed) for row in rows[:30]]
    yield from columns([_row(each) for each in shown])
    if len(shown) < len(metrics.solved):
        yield f"  and {len(metrics.solved) - len(shown)} more (--json and --csv have all)"


def _row(each: Solved) -> tuple[str, ...]:
    """`name`, `4.2x faster`, `(95% CI 3.9x to 4.5x), round 2`; or the reason why there is no faster version."""
    name, reason = inline(each.id), inline(each.reason or "-", 160)
    if each.status != "done":
        return name, f"{each.status}: {reason}"
    if not each.accepted:
        right = "no candidate was right: " if each.rounds and not each.correct else ""
        return name, f"no faster version: {right}{reason}"
    score = f", {each.task_score.words}" if each.task_score else ""
    figures = Speedup(each.speedup, each.low, each.high, 0)
    return name, figures.gain, f"({figures.interval}), round {each.best_round}{score}"


def _versus(other: Versus) -> list[str]:
    ratio, span = times(other.ratio)
    return [
        f"against the other batch, on {other.problems} problems both have judged:",
        f"  %OPT: {other.opt[0]} here, {other.opt[1]} there (McNemar's exact test, p = {other.opt_p:.3g})",
        f"  speedup there over here: {ratio} ({span}; sign-flip test, p = {other.ratio_p:.3g})",
    ]


def failures(metrics: Metrics) -> list[Solved]:
    """Problems that failed, were skipped, or have not ended."""
    return [each for each in metrics.solved if each.status != "done"]


def percent(value: Estimate) -> tuple[str, str]:
    """A share and its interval."""
    return value.shown(".1%")


def times(value: Estimate) -> tuple[str, str]:
    """A ratio and its interval."""
    return factor(value.value), value.shown(".2f")[1]


def as_json(metrics: Metrics, other: Versus | None = None) -> dict[str, Any]:
    usage, facts = metrics.usage, metrics.facts
    estimates = {
        "opt_share": metrics.opt, "correct_share": metrics.correct, "geomean_speedup": metrics.geomean,
        "mean_speedup": metrics.mean_speedup,
    }  # fmt: skip
    compared: dict[str, Any] = {}
    if other:
        compared["compare"] = {
            "problems": other.problems, "opt": list(other.opt), "opt_p": other.opt_p,
            "speedup_ratio": other.ratio.value, "speedup_ratio_interval": _ends(other.ratio),
            "speedup_ratio_p": other.ratio_p,
            "rows": [{"problem": id, "here": here, "there": there} for id, here, there in other.pairs],
        }  # fmt: skip
    values: dict[str, Any] = {name: each.value for name, each in estimates.items()}
    return gather(
        ReportJson,
        usage,
        facts,
        schema="codeopt.report/2",
        problems=len(metrics.solved),
        judged=len(metrics.judged),
        status=metrics.counts,
        opt_threshold=OPT,
        **values,
        intervals={name: _ends(each) for name, each in estimates.items()},
        rounds=[
            {
                "k": each.k, "candidates": each.drafts, "correct_share": each.correct.value,
                "opt_share": each.opt.value, "opt_interval": _ends(each.opt),
                "newly_solved": each.newly, "geomean_speedup": each.geomean.value,
            }
            for each in metrics.rounds
        ],
        failures=[
            {"problem": failure.id, "status": failure.status, "fault": failure.fault, "reason": failure.reason}
            for failure in failures(metrics)
        ],
        reference=_reference(metrics),
        effort={f"{step}_s": took for step, took in metrics.effort.items()},
        solved=metrics.optimised,
        tokens_per_solved=usage.tokens / metrics.optimised if metrics.optimised else None,
        cost_usd_per_solved=cost_per_solved(metrics),
        seconds=round(facts.seconds, 3),
        programs_s=round(metrics.programs_s, 3),
        overhead_share=metrics.overhead,
        sandbox=facts.backend,
        task=metrics.own.to_json() if metrics.own else None,
        rows=[
            {
                **dict(zip(COLUMNS, row(each), strict=True)),
                "task_score": serialize(each.task_score) if each.task_score else None,
            }
            for each in metrics.solved
        ],
        **compared,
    ).to_json()  # fmt: skip


def cost_per_solved(metrics: Metrics) -> float | None:
    """USD; None when the price is not known or nothing was solved."""
    return (
        None if metrics.usage.cost_usd is None or not metrics.optimised else metrics.usage.cost_usd / metrics.optimised
    )


def _reference(metrics: Metrics) -> dict[str, Any] | None:
    if metrics.human_opt is None or metrics.human_geomean is None:
        return None
    return {
        "programs": metrics.humans,
        "opt_share": metrics.human_opt.value,
        "opt_interval": _ends(metrics.human_opt),
        "geomean_speedup": metrics.human_geomean.value,
        "geomean_interval": _ends(metrics.human_geomean),
    }


def _ends(value: Estimate) -> Ends:
    return value.low, value.high


def row(each: Solved) -> list[Any]:
    """One problem, as in COLUMNS."""
    return [
        each.id, each.status, each.fault, each.reason, each.accepted, each.speedup, each.low, each.high,
        each.best_round, len(each.rounds), each.correct, each.human, each.usage.tokens,
        each.usage.cost_usd, round(each.seconds, 3),
        *((round(each.task_score.before, 4), round(each.task_score.after, 4)) if each.task_score else (None, None)),
    ]  # fmt: skip


def write_csv(metrics: Metrics, file: TextIO) -> None:
    """A header and one row a problem."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(map(row, metrics.solved))
