"""One saved run as an HTML page: the accepted candidate next to the original, the reason, each candidate, the cost."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from codeopt.core.cache import machine
from codeopt.core.evidence import CallEvidence, WorkloadEvidence
from codeopt.core.history import Candidate, History
from codeopt.core.run_index import StoredRun
from codeopt.core.words import Speedup, money, took
from codeopt.report import verdict as patch_table
from codeopt.report.answers import read_verdict
from codeopt.report.brief import calls_in_words, evidence_line, weighed
from codeopt.report.html import drafts
from codeopt.report.html.charts import pairs_chart, rounds_chart, times_chart
from codeopt.report.html.drafts import annotated
from codeopt.report.html.templating import Markup, code, page, tag
from codeopt.report.verdict import NOT_CONFIRMED, Verdict
from codeopt_sandbox.compare import Decision

LEAST_S = 0.05
"""Seconds of a step from which on it is shown."""
_BEGUN = re.compile(r"(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)\d\d-")
"""Begin of the name of a run's folder: the local time at which it was made."""


def run_page(run: StoredRun) -> Iterator[str]:
    """The page in pieces."""
    result = run.result
    best = run.saved.history.candidates[result["best_round"]] if result.get("accepted") else None
    verdict = read_verdict(result) if run.listing.ended else None
    sides = [*_files("original", run.saved.history.original)]
    if best:
        sides += _files("result", best, result.get("remaining_hot_spots", ()))
    edits = []
    for edit in result.get("edits", ()):
        place = f"{edit['file']}::{edit['qualname']}"
        edits.append((place, patch_table.figures(edit), "; ".join(edit["evidence"])))
    yield from page(
        "run.html",
        run.listing.title,
        _footer(run),
        run=run,
        result=result if run.listing.ended else {},
        verdict=verdict,
        best=best,
        who=_who(run),
        tiles=_tiles(run, verdict),
        next_step=_next(run),
        proof=" ".join(evidence_line(verdict.evidence)) if best and verdict else "",
        caveats=weighed(verdict.caveats, verdict.evidence.gaps) if verdict else [],
        most=drafts.CAVEATS,
        change=_change(run, best),
        gains=_gains(run.saved.history, best),
        rounds=rounds_chart(run.saved.history.candidates[1:], result.get("best_round")),
        pairs=pairs_chart(best.comparison) if best else None,
        times=times_chart(best.comparison) if best else None,
        best_round=best.round if best else None,
        edits=edits,
        sides=sides,
        skipped=[
            (", ".join(each["lines"]) or "all", ", ".join(each["rules"]), each["reason"])
            for each in result.get("rules_skipped") or ()
        ],
        evidence=[*_evidence(verdict.evidence, named=bool(best))] if verdict else [],
        cost=_cost(run),
        drafts=_drafts(run, result.get("best_round")),
    )


def _change(run: StoredRun, best: Candidate | None) -> Markup | str:
    """The difference of the result to the original, each line with its share of the time before and after."""
    if run.best is None:
        return ""
    before, after = drafts.line_shares(run.saved.history.original), drafts.line_shares(best) if best else {}
    told = {(place.get("place", "").rpartition(":")[0], place["line"]): place["share"]
            for place in run.result.get("remaining_hot_spots", ())}  # fmt: skip
    file = f"/{run.result.get('file') or ''}" if run.best.is_one_file else ""  # a project's diff names each file
    return drafts.diff(run.original, run.best, f"a{file}", f"b{file}", (before, after or told))


def _next(run: StoredRun) -> str:
    """Return the command to apply the result, or to continue, or what the run names if it found none."""
    if not run.listing.ended:
        return f"codeopt improve --resume {run.listing.path}"
    if run.result.get("accepted"):
        return f"codeopt apply {run.listing.path.name}"
    return str(run.result.get("next_step") or "")


def _gains(history: History, best: Candidate | None) -> list[tuple[Markup, str]]:
    """Return the gain of each change of the accepted candidate: the time without it, relative to the candidate.

    The figures of a candidate that was timed again are those of the later round.
    """
    if best is None:
        return []
    same = (each for each in (best, *history.candidates) if each.revision == best.revision and each.ablation)
    found = next(same, best)
    texts = {text.partition(":")[0]: text for text in best.changes}
    ratios = [(name, Speedup(ratio, None, None, 0)) for name, ratio in found.ablation if name != "original"]
    return [(code(texts.get(name, name)), f"{slower.factor} as long") for name, slower in ratios]


def _who(run: StoredRun) -> str:
    result = run.result
    python = (result.get("python") or {}).get("version")
    where = [f"sandbox {result['sandbox']}" if "sandbox" in result else "", f"Python {python}" if python else ""]
    if not run.listing.ended:
        return "this run has not ended"
    who = f"task {result.get('task', 'not known')}, changes by {result.get('model', 'not known')}"
    begun = _BEGUN.match(run.listing.path.name)
    return ", ".join([who, *filter(None, where), *(["begun {}-{}-{} {}:{}".format(*begun.groups())] if begun else [])])


def _tiles(run: StoredRun, verdict: Verdict | None) -> Iterator[tuple[str, ...]]:
    result = run.result
    drafts_made = len(run.saved.history.candidates) - 1
    if verdict and verdict.speedup and verdict.outcome is Decision.FASTER:
        is_screened = any(each.got.startswith(NOT_CONFIRMED) for each in verdict.caveats)
        yield "verdict", verdict.speedup.gain, verdict.speedup.certainty + f", {NOT_CONFIRMED}" * is_screened
    else:
        accepted = result.get("accepted")
        yield "verdict", "accepted" if accepted else "no faster version" if run.listing.ended else "interrupted"
    yield "candidates", str(drafts_made), f"accepted: round {result['best_round']}" if result.get("best_round") else ""
    seconds = run.saved.ledger.seconds if not result else result["seconds"]
    yield "time", took(seconds) if seconds >= 1 else "under 1 s"
    ledger = run.saved.ledger
    if ledger.usage.replies:
        price = money(ledger.usage.cost_usd)
        yield "tokens", f"{ledger.usage.tokens:,}{' (estimated)' * ledger.usage.estimated}", price


def _files(name: str, candidate: Candidate, hot_lines: Sequence[Mapping[str, Any]] = ()) -> Iterator[Markup]:
    """The file of a candidate, or those of a project that have hot lines."""
    known = [(line.file, line.line, line.share) for line in candidate.profile.lines] if candidate.profile else []
    told = [(line.get("place", "").rpartition(":")[0], line["line"], line["share"]) for line in hot_lines]
    rows, files = known or told, candidate.revision
    for path in files if files.is_one_file else dict.fromkeys(path for path, _, _ in rows):
        shares = {line: share for file, line, share in rows if file == path}
        yield annotated(f"{name} {path}".strip(), files.get(path, ""), shares)


def _evidence(found: WorkloadEvidence, *, named: bool) -> Iterator[tuple[str, str]]:
    """Yield name and amount. named: the page has the line of evidence, with the calls and the cases."""
    if isinstance(calls := found.checked, CallEvidence):
        if not named:
            yield "calls", calls_in_words(calls.sources)
        if calls.line_coverage is not None:
            yield "lines of the function that the calls run", f"{calls.line_coverage:.0%}"
        if calls.tests:
            yield "existing tests", f"{calls.tests:,}"
        yield from ((f"left out: {why}", f"{count:,}") for why, count in calls.left_out.items())
    if cases := found.cases:
        if not named:
            yield "test cases", f"{cases.total:,} ({cases.held_out:,} held out)"
        if cases.input_count is not None:
            yield "inputs of each candidate", f"{cases.input_count:,}"
        if cases.confirmation_runs:
            yield "runs in the confirmation", f"{cases.confirmation_runs:,}"


def _cost(run: StoredRun) -> list[tuple[str, str, str]]:
    """Each step with its seconds and its share, then what the model took."""
    result, ledger = run.result, run.saved.ledger
    steps, total = result.get("seconds_by_step") or {}, float(result.get("seconds") or ledger.seconds)
    rows = [(name, *_seconds(seconds, total)) for name, seconds in steps.items() if seconds >= LEAST_S]
    rows.append(("all", *_seconds(total, total)))
    if ledger.usage.replies:
        used = ledger.usage
        rows.append(("tokens in", f"{used.tokens_in:,}", f"{used.tokens_cached:,} of them from a cache"))
        rows.append(("tokens out", f"{used.tokens_out:,}", "estimated" if used.estimated else ""))
        price = money(used.cost_usd) if used.cost_usd is not None else "not known"
        rows.append(("price", price, f"{used.replies} replies"))
    return rows


def _seconds(seconds: float, total: float) -> tuple[str, str]:
    return f"{seconds:.1f} s", f"{seconds / total:.0%}" if total else ""


def _drafts(run: StoredRun, best: int | None) -> Iterator[Markup]:
    history = run.saved.history
    original, file = history.original, run.result.get("file") or ""
    yield tag("div", tag("h3", "Original"), drafts.verdicts(original), drafts.critique(original), class_="round")
    for candidate in history.candidates[1:]:
        before = history.candidates[candidate.parents[-1]] if candidate.parents else original
        before = original if before.revision == candidate.revision else before
        shown = candidate.round == best and before is original
        yield drafts.draft(before, candidate, file, best=candidate.round == best, shown=shown)


def _footer(run: StoredRun) -> str:
    result = run.result
    where = result.get("machine") or vars(machine())
    parts = (str(where.get(key)) for key in ("cpu", "system") if where.get(key))
    method = (result.get("speedup") or {}).get("method")
    version = f"codeopt {result.get('codeopt_version', '')}".strip()
    return "; ".join(filter(None, [version, ", ".join(parts), method, f"saved in {run.listing.path}"]))
