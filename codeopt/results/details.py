"""One problem of the page, opened: its rounds with diffs, verdicts, hot lines, critiques and raw pairs."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Sequence

from codeopt.batch.database import BatchStore
from codeopt.escaping import cut
from codeopt.history import Candidate
from codeopt.report import in_words, interval, verdict
from codeopt.results.charts import anchor, strip
from codeopt.results.markup import Child, Markup, tag
from codeopt.results.metrics import Solved
from codeopt.saved_runs import candidate_from_json
from sandbox.compare import Comparison
from sandbox.outcome import Verdict

DIFF_LINES, CONTEXT = 400, 3
HOT_LINES = 5
CRITIQUE = 6000
"""Characters; the database has all of it."""


def kind(each: Solved) -> str:
    """solved, kept, failed or open: how the page filters and colours."""
    if each.accepted:
        return "solved"
    return {"done": "kept", "failed": "failed", "dropped": "failed"}.get(each.status, "open")


def row(store: BatchStore, each: Solved, spent: str) -> Markup:
    """A line that opens to the problem's history."""
    speedup = f"{each.speedup:.2f}x" if each.judged else "-"
    span = f"{each.low:.2f} - {each.high:.2f}" if each.accepted and each.low and each.high else ""
    human = f"{each.human:.2f}x" if each.human is not None else ""
    label = {"solved": "improved", "kept": "not improved"}.get(kind(each), each.status)
    cells = (
        ("id", each.id), ("", tag("span", label, class_=f"badge {kind(each)}")), ("num", speedup), ("num", span),
        ("num", human), ("num", str(len(each.rounds))), ("why", each.reason or spent),
    )  # fmt: skip
    summary = tag("summary", [tag("span", text, class_=name or None) for name, text in cells])
    return tag("details", summary, tag("div", list(_history(store, each, spent)), class_="inside"),
               class_=f"is-{kind(each)}", id=anchor(each.id))  # fmt: skip


def _history(store: BatchStore, each: Solved, spent: str) -> Iterator[Child]:
    problem = store.problem(each.id)
    yield tag("p", f"{(each.reason or each.status).rstrip('.')}. {spent}.", class_="how")
    candidates = _candidates(store, each.id)
    rounds = candidates.get("round", [])
    if rounds:
        yield tag("h3", "Original")
        yield _verdicts(rounds[0])
        yield _hot(rounds[0])
        yield _critique(rounds[0])
    for before, candidate in zip(rounds, rounds[1:], strict=False):
        yield _round(before, candidate, best=candidate.round == each.best_round)
    for confirmed in candidates.get("confirm", []):
        yield _confirmed(rounds[0] if rounds else confirmed, confirmed)
    for target in candidates.get("target", []):
        yield _folded(
            "The human's program", _head(target, "judged by the same judge in this run"), _verdicts(target),
            _pairs(target),
            diff(problem.source, target.source, "original", "human"),
        )  # fmt: skip
    if not rounds and problem.source:
        yield _folded(
            "The original", tag("pre", [tag("span", line) for line in problem.source.splitlines()[:DIFF_LINES]])
        )


def _candidates(store: BatchStore, id: str) -> dict[str, list[Candidate]]:
    found: dict[str, list[Candidate]] = {}
    for row in store.db.execute("SELECT stage, body FROM candidate WHERE problem = ? ORDER BY stage, round", [id]):
        found.setdefault(row["stage"], []).append(candidate_from_json(row["body"]))
    return found


def _round(before: Candidate, candidate: Candidate, *, best: bool) -> Markup:
    before_name = f"round {before.round}" if before.round else "original"
    parts = [
        tag("h3", f"Round {candidate.round}", _head(candidate, candidate.summary)),
        _verdicts(candidate),
        diff(before.source, candidate.source, before_name, f"round {candidate.round}"),
        _pairs(candidate),
        _hot(candidate),
        _critique(candidate),
    ]  # fmt: skip
    return tag("div", parts, class_="round best" if best else "round")


def _confirmed(original: Candidate, candidate: Candidate) -> Markup:
    what = f"round {candidate.round} again, with fresh timings and held-out inputs"
    return tag(
        "div", tag("h3", "Confirmed", _head(candidate, what)),
        _verdicts(candidate), _pairs(candidate),
        _folded("All that changed", diff(original.source, candidate.source, "original", "accepted")),
        class_="round best",
    )  # fmt: skip


def _head(candidate: Candidate, what: str) -> list[Child]:
    word, standing = verdict(candidate), candidate.standing
    shown = standing.verdict if standing and candidate.correct else in_words(word)
    found = candidate.comparison
    figures = (
        f"{found.ratio:.2f}x ({interval(found)}), {found.pairs} pairs, {found.clock}" if found and found.pairs else ""
    )
    return [
        tag("span", shown, class_=f"badge {word}"),
        tag("span", figures),
        tag("span", standing.words if standing else "", class_="measures"),
        tag("span", cut(what, 300, 0), class_="what"),
    ]


def _verdicts(candidate: Candidate) -> Markup:
    """How many cases had each verdict, and where the first failures were."""
    counts = Counter(str(outcome.verdict) for outcome in candidate.outcomes)
    text = ", ".join(f"{count} x {name}" for name, count in counts.most_common()) or "not run"
    slowest = max((o.run.wall_s for o in candidate.outcomes), default=0.0)
    failed = [
        f"; case {o.case}: {o.verdict} {cut(o.detail, 200, 0)}"
        for o in candidate.outcomes
        if o.verdict is not Verdict.AC
    ]
    refused = f"; {candidate.rejection}" if candidate.rejection else ""
    return tag("p", f"Cases: {text}, longest {slowest:.3f} s{''.join(failed[:3])}{refused}", class_="verdicts")


def _pairs(candidate: Candidate) -> Child:
    found = candidate.comparison
    ratios = _ratios(found) if found else []
    return strip(ratios) if ratios else None


def _ratios(found: Comparison) -> list[float]:
    """Original over candidate of each pair, all timed cases together."""
    series = [(times.original, times.candidate) for times in found.cases if times.original]
    if not series:
        return []
    count = min(min(len(a), len(b)) for a, b in series)
    return [sum(a[n] for a, _ in series) / max(sum(b[n] for _, b in series), 1e-12) for n in range(count)]


def _hot(candidate: Candidate) -> Child:
    profile = candidate.profile
    if profile is None or not profile.lines:
        return None
    source = candidate.source.splitlines()
    rows = []
    for hot in profile.lines[:HOT_LINES]:
        text = source[hot.line - 1].rstrip()[:120] if 0 < hot.line <= len(source) else ""
        bar = tag("span", class_="bar", style=f"width:{max(1, round(hot.share * 120))}px")
        rows.append(tag("tr", [tag("td", cell) for cell in (f"line {hot.line}", f"{hot.share:.0%}", bar, text)]))
    return tag("table", rows, class_="hot")


def _critique(candidate: Candidate) -> Child:
    if not candidate.critique.strip():
        return None
    return _folded("Critique", tag("pre", cut(candidate.critique, CRITIQUE, 500), class_="text"))


def _folded(title: str, *children: Child | Sequence[Child]) -> Markup:
    return tag("details", tag("summary", title), *children)


def diff(old: str, new: str, old_name: str, new_name: str) -> Markup:
    """A unified diff, coloured; cut when it is long."""
    lines = list(difflib.unified_diff(old.splitlines(), new.splitlines(), old_name, new_name, n=CONTEXT, lineterm=""))
    spans = [tag("span", line, class_=_class(line)) for line in lines[:DIFF_LINES]]
    if len(lines) > DIFF_LINES:
        spans.append(tag("span", f"... {len(lines) - DIFF_LINES} more lines in the database", class_="h"))
    return tag("pre", spans or tag("span", f"no difference to {old_name}", class_="h"))


def _class(line: str) -> str | None:
    if line.startswith(("+++", "---", "@@")):
        return "h"
    return {"+": "a", "-": "d"}.get(line[:1])
