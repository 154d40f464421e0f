"""One draft on a page: its verdicts, pairs of runs, difference, lines with times, critique, caveats."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from codeopt.core.history import Candidate
from codeopt.core.revision import Revision
from codeopt.core.sanitize import cut
from codeopt.core.words import Speedup
from codeopt.report.html.charts import pairs_chart
from codeopt.report.html.templating import Child, Markup, folded, scrolls, table, tag
from codeopt.report.verdict import SCREENED, is_screened, so_far, verdict_of, word_of
from codeopt_sandbox.outcome import CaseVerdict, Caveat
from codeopt_sandbox.profile import Profile

DIFF_LINES = 400
CONTEXT = 3
HOT_LINES = 5
CAVEATS = 20
CRITIQUE = 6000
"""Characters; the saved run has all of it."""


def draft(before: Candidate, candidate: Candidate, file: str = "", *, best: bool, shown: bool = False) -> Markup:
    """Format a round: the change, its measurements, its difference to the one before.

    Args:
        before: The candidate that it is compared with.
        candidate: The one of the round.
        file: Name of the target's only file. Empty: a difference names its files.
        best: Whether it is the accepted one.
        shown: Whether the page has this difference already.
    """
    before_name = f"round {before.round}" if before.round else "original"
    of = f"/{file}" if file and candidate.revision.is_one_file else ""
    parts = [
        tag("h3", f"Round {candidate.round}", heading(candidate, candidate.summary)),
        verdicts(candidate),
        tag("p", f"Not judged to its end: {so_far(candidate)}.", class_="verdicts") if candidate.step else None,
        beside(candidate),
        told(candidate.caveats),
        tag("p", "The diff to the original is above.", class_="verdicts") if shown else folded(
            f"Diff to {before_name}",
            diff(before.revision, candidate.revision, f"{before_name}{of}", f"round {candidate.round}{of}"),
        ),
        pairs_chart(candidate.comparison),
        hot_lines(candidate),
        critique(candidate),
    ]  # fmt: skip
    return tag("div", parts, class_="round best" if best else "round")


def confirmed(original: Candidate, candidate: Candidate) -> Markup:
    """The last comparison of the best draft."""
    what = f"round {candidate.round} again, with fresh timings and held-out inputs"
    return tag(
        "div", tag("h3", "Confirmed", heading(candidate, what)),
        verdicts(candidate), pairs_chart(candidate.comparison),
        folded("The whole change", diff(original.revision, candidate.revision, "original", "result")),
        class_="round best",
    )  # fmt: skip


def heading(candidate: Candidate, what: str) -> list[Child]:
    """Line of a verdict and its figures."""
    word, task_score = SCREENED if is_screened(candidate) else verdict_of(candidate)[0], candidate.task_score
    shown = task_score.verdict if task_score and candidate.correct else word_of(candidate)
    found = candidate.comparison
    figures = f"{Speedup.of(found).gain}, {Speedup.of(found).times}" if found and found.pairs else ""
    return [
        tag("span", shown, class_=f"badge {word}"),
        tag("span", figures),
        tag("span", task_score.words if task_score else "", class_="measures"),
        tag("span", cut(what, 300, 0), class_="what"),
    ]


def verdicts(candidate: Candidate) -> Markup:
    """Format the number of cases with each outcome, and the first failures."""
    counts = Counter(outcome.verdict.words for outcome in candidate.outcomes)
    text = ", ".join(f"{count} {name}" for name, count in counts.most_common()) or "not run"
    slowest = max((o.run.wall_s for o in candidate.outcomes), default=0.0)
    wrong = [outcome for outcome in candidate.outcomes if outcome.verdict is not CaseVerdict.AC]
    failed = "".join(f"; case {o.case}: {o.verdict.words} {cut(o.detail, 200, 0)}" for o in wrong[:3])
    refused = f"; {candidate.rejection}" if candidate.rejection else ""
    return tag("p", f"Cases: {text}, longest {slowest:.3f} s{failed}{refused}", class_="verdicts")


def beside(candidate: Candidate) -> Child:
    """Format relative times: the draft without one of its changes."""
    took = []
    for name, ratio in candidate.ablation:
        took.append(f"{'' if name == 'original' else 'without '}{name} {Speedup(ratio, None, None, 0).factor}")
    return tag("p", f"Time relative to this candidate: {', '.join(took)}", class_="verdicts") if took else None


def hot_lines(candidate: Candidate) -> Child:
    """Return the table of hot lines. None if they are not known."""
    profile = candidate.profile
    if profile is None or not profile.lines:
        return None
    rows = []
    for hot in (line for line in profile.lines[:HOT_LINES] if line.share >= LEAST):
        source = candidate.revision.get(hot.file, "").splitlines()
        text = source[hot.line - 1].rstrip()[:120] if 0 < hot.line <= len(source) else ""
        length = tag("span", class_="bar", style=f"width:{max(1, round(hot.share * 120))}px")
        rows.append([hot.named, f"{hot.share:.0%}", length, tag("code", text)])
    return table("Slow lines", ("line", "share of the time", "", "source"), rows, class_="hot")


def told(caveats: Sequence[Caveat]) -> Child:
    """Format differences on unusual inputs, each with the line that reproduces it. None without differences."""
    if not caveats:
        return None
    rows = []
    for each in caveats[:CAVEATS]:
        rows.append(tag("li", each.words, tag("pre", each.reproduce, class_="text") if each.reproduce else None))
    more = len(caveats) - CAVEATS
    rows += [tag("li", f"and {more} more, in the saved run")] if more > 0 else []
    return tag("ul", rows, class_="caveats")


def critique(candidate: Candidate) -> Child:
    """The proposer's critique after seeing it, folded."""
    if not candidate.critique.strip():
        return None
    return folded("Feedback", tag("pre", cut(candidate.critique, CRITIQUE, 500), class_="text"))


Shares = Mapping[tuple[str, int], float]
"""Share of the time of each line, by path (empty where there is one file) and line."""
NO_SHARES: Shares = {}
HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


def line_shares(candidate: Candidate) -> Shares:
    """Shares of the time by file and line. Empty if they are not known."""
    return {(line.file, line.line): line.share for line in candidate.profile.lines} if candidate.profile else {}


def diff(
    old: Revision, new: Revision, old_name: str, new_name: str, shares: tuple[Shares, Shares] = (NO_SHARES, NO_SHARES)
) -> Markup:
    """A unified diff, coloured; cut when it is long.

    shares: of the time by line, in the old and in the new; a line that is taken away shows the old, others the new.
    """
    lines: list[tuple[str, float]] = []
    for path in new if new.is_one_file else new.changed_files(old):
        sides = (old.get(path, "").splitlines(), new[path].splitlines())
        before, after = (f"{name}/{path}" if path else name for name in (old_name, new_name))
        lines += _with_shares(difflib.unified_diff(*sides, before, after, n=CONTEXT, lineterm=""), path, shares)
    spans = []
    for line, share in lines[:DIFF_LINES]:
        figure = tag("i", f"{share:.0%}" if share >= LEAST else "") if any(shares) else None
        spans.append(tag("span", figure, line, class_=_class(line)))
    if len(lines) > DIFF_LINES:
        spans.append(tag("span", f"... {len(lines) - DIFF_LINES} more lines in the saved run", class_="h"))
    body = tag("pre", spans or tag("span", f"no difference to {old_name}", class_="h"))
    return scrolls(f"difference of {new_name} to {old_name}", body)


def patch(text: str) -> Markup:
    """A saved unified diff, coloured."""
    return tag("pre", [tag("span", line, class_=_class(line)) for line in text.splitlines()])


def _with_shares(lines: Iterable[str], path: str, shares: tuple[Shares, Shares]) -> Iterator[tuple[str, float]]:
    """Each line with its share of the time; 0.0 for headings."""
    old = new = 0
    for line in lines:
        hunk = HUNK.match(line)
        if hunk or not (old or new):  # the names of the files come before the first hunk
            old, new = map(int, hunk.groups()) if hunk else (0, 0)
            yield line, 0.0
            continue
        yield line, shares[0].get((path, old), 0.0) if line[:1] == "-" else shares[1].get((path, new), 0.0)
        old, new = old + (line[:1] != "+"), new + (line[:1] != "-")


def _class(line: str) -> str | None:
    if line.startswith(("+++", "---", "@@", "diff ")):
        return "h"
    return {"+": "a", "-": "d"}.get(line[:1])


# A source text with the time that its lines take, as a table.

SOURCE_LINES = 400
"""Longer programs are shown by their beginning."""
HOT = 0.25
WARM = 0.05
"""Shares of the time from which a line is marked, as `codeopt profile` marks them."""
LEAST = 0.005
"""Smaller shares are not shown."""


@dataclass(frozen=True)
class LineColumn:
    """Figures for a column, by line."""

    name: str
    figures: Mapping[int, str]
    """Texts by line; none where there is nothing to tell."""


def shares_of(profile: Profile | None) -> dict[int, float]:
    """Shares by line. Empty if they are not known."""
    return {line.line: line.share for line in profile.lines} if profile else {}


def percents(shares: Mapping[int, float]) -> dict[int, str]:
    """Shares in words, without those that are too small to tell."""
    return {line: f"{share:.0%}" for line, share in shares.items() if share >= LEAST}


def annotated(
    name: str, source: str, shares: Mapping[int, float], first: int = 1, more: Sequence[LineColumn] = (), why: str = ""
) -> Markup:
    """Format a source text, each line with its share of the time. Slow lines are marked.

    first: number of the first line. more: further columns, of which empty ones are left out. why: reason why no line
    has a share.
    """
    lines, columns = source.splitlines(), [each for each in more if each.figures]
    rows = []
    for number, text in enumerate(lines[:SOURCE_LINES], first):
        share = shares.get(number, 0.0)
        mark = "hot" if share >= HOT else "warm" if share >= WARM else None
        figures = [f"{share:.0%}" if share >= LEAST else "", *(each.figures.get(number, "") for each in columns)]
        cells = [("n", str(number)), *(("s", text) for text in figures), ("t", tag("code", text))]
        heat = f"--heat:{min(100, round(share * 100))}%" if share >= LEAST else None
        rows.append(tag("tr", [tag("td", cell, class_=kind) for kind, cell in cells], class_=mark, style=heat))
    heads = ("line", "share", *(each.name for each in columns), "source")
    names = [tag("th", text, scope="col") for text in heads]
    found = tag("table", tag("caption", name), tag("thead", tag("tr", names)), tag("tbody", rows), class_="code")
    cut = f"{len(lines) - SOURCE_LINES} more lines are not shown" if len(lines) > SOURCE_LINES else ""
    why = "" if shares else why or "no profile: which lines are hot is not known"
    notes = [tag("p", text, class_="how") for text in (cut, why) if text]
    return tag("div", scrolls(f"{name} with its hot lines", found), notes)


def both_listings(original: Candidate, result: Candidate) -> Markup:
    """Two programs with their hot lines, side by side where there is room."""
    both = (("original", original), ("result", result))
    return tag("div", [annotated(name, each.source, shares_of(each.profile)) for name, each in both], class_="pair")
