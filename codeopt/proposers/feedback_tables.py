"""Times, memory and profiles as small tables for a prompt."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median

from codeopt.core.history import AgainstBest, Candidate, TimedCalls
from codeopt.core.sanitize import fenced, inline
from codeopt.core.words import clock, counted, directions, duration, factor, interval, mib
from codeopt.core.words import memory as memory_of
from codeopt_sandbox.compare import Comparison, Decision
from codeopt_sandbox.outcome import Case, CaseVerdict
from codeopt_sandbox.profile import Callee, Profile

NOT_SHOWN = "a case that is not shown"

MIN_LINE_SHARE = 0.02
"""Least share of the time that is worth a row for a line."""


SLOW, SLOW_ROWS = 0.1, 3
"""Least share of the longest run's time that is worth a row for another case, and most such rows."""

MAX_ROWS = 10
"""Most rows of any table: the hottest lines hold nearly all of the time, and a prompt is not a report."""


@dataclass(frozen=True)
class Shown:
    """The cases that a proposer may know, by name."""

    cases: Mapping[str, Case]
    names: Mapping[str, str] = field(default_factory=dict)
    """Readable names of cases whose own name says nothing."""
    timed: TimedCalls | None = None
    start_s: float = 0.0
    """Start-up time of the interpreter in each whole run, seconds; 0 where it is not known."""

    def label(self, name: str) -> str:
        """The name of a case in a prompt; a case that is not shown keeps its name to itself."""
        if name in self.names:
            return self.names[name]
        return f"case {inline(name, 60)!r}" if name in self.cases else NOT_SHOWN

    def may_quote(self, candidate: Candidate) -> bool:
        """Return True if no free text about `candidate` (a detail, a reason) can come from a held-out case."""
        failed = [o.case for o in candidate.outcomes if o.verdict is not CaseVerdict.AC]
        if candidate.comparison and candidate.comparison.decision is Decision.WRONG:
            failed += [times.case for times in candidate.comparison.cases] or [""]
        return all(name in self.cases for name in failed)


_DECISIONS = {
    Decision.FASTER: "{less} than the original, with statistical confidence",
    Decision.SLOWER: "{more} than the original, with statistical confidence",
    Decision.SAME: "no difference to the original worth having",
    Decision.INCONCLUSIVE: "not decided: too much noise or too small a difference for the pairs that were run",
    Decision.WRONG: "REJECTED: a timed run gave a wrong answer or failed",
}


def in_mib(size: float) -> str:
    """Bytes as MiB."""
    return mib(size / 2**20)


def _decided(found: Comparison) -> str:
    """The decision in words; a loss in capitals, for it is easily read over."""
    less, more = directions(found.metric)
    return _DECISIONS[found.decision].format(less=less, more=more.upper())


def _certainty(found: Comparison) -> str:
    """`95% interval 3.90 - 4.50, 21 pairs, CPU time`."""
    span = interval(found.ci_low, found.ci_high)
    return f"{found.confidence:.0%} interval {span}, {counted(found.pairs, 'pair')}, {clock(found.metric)}"


def comparison(found: Comparison, reason: str, shown: Shown) -> str:
    """The decision in words, the speedup with its interval, and each case's times."""
    lines = [f"Compared: {_decided(found)}."]
    if found.decision is not Decision.WRONG:
        lines.append(f"original / this = {factor(found.ratio)} ({_certainty(found)})")
    if reason:
        lines.append(f"Judge's reason: {inline(reason)}")
    timed = [times for times in found.cases if times.original and times.candidate]
    if timed and shown.timed is not None and found.metric != "memory":
        # each of them made once, and of one call
        old, new = (median(each) / shown.timed.passes for each in (timed[0].original, timed[0].candidate))
        text, count = f"The timed calls: original {duration(old)}, this {duration(new)}", shown.timed.calls
        one = f" together; a call {duration(old / count)} and {duration(new / count)}." if count != 1 else "."
        lines.append(text + one)
    elif timed:
        # Medians of each case, the largest first.
        unit = in_mib if found.metric == "memory" else duration
        medians = [(median(t.original), median(t.candidate), shown.label(t.case)) for t in timed]
        rows = [
            f"{unit(old):>10}  {unit(new):>10}  {factor(old / new) if new else '-':>8}  {name}"
            for old, new, name in sorted(medians, reverse=True)[:MAX_ROWS]
        ]
        table = fenced("\n".join([f"{'original':>10}  {'this':>10}  {'ratio':>8}  case", *rows]))
        (old, new, _), *others = medians
        lines.append(table if others else f"Medians: original {unit(old)}, this {unit(new)}.")
    return "\n".join(lines)


def against_best(found: AgainstBest) -> str:
    """The newest against the best draft before it."""
    versus = found.comparison
    words = _decided(versus).replace("the original", f"round {found.round}")
    return (
        f"Against the best draft so far (round {found.round}), in pairs of their own: {words}; "
        f"round {found.round} / this = {factor(versus.ratio)} ({_certainty(versus)})."
    )


def single_runs(candidate: Candidate, shown: Shown) -> str:
    """CPU time of one run of the slowest cases; the others take little more than the interpreter's start."""
    slowest = sorted(candidate.outcomes, key=lambda o: o.run.cpu_s, reverse=True)
    worth = [o for o in slowest if o.run.cpu_s >= SLOW * slowest[0].run.cpu_s][:SLOW_ROWS]
    rows = [f"{duration(o.run.cpu_s):>10}  {shown.label(o.case)}" for o in worth]
    start = f", of which {duration(shown.start_s)} are the interpreter's start" if shown.start_s else ""
    return f"{clock('cpu')} of one run of the slowest cases{start}:\n" + fenced("\n".join(rows))


def memory(candidate: Candidate, original: Candidate) -> str:
    """Return the peak memory of all cases, for a candidate also the original's."""
    if not candidate.correct:
        return ""
    peak = max(o.run.peak_bytes for o in candidate.outcomes)
    if not peak:
        return ""
    text = f"Peak memory of a run: {in_mib(peak)}"
    was = max((o.run.peak_bytes for o in original.outcomes), default=0)
    return f"{text}." if candidate is original or not was else f"{text}; original {in_mib(was)}."


def memory_lines(candidate: Candidate) -> str:
    """The lines that hold most memory, with their source; empty where it was not measured."""
    most = candidate.profile.memory[:MAX_ROWS] if candidate.profile else ()
    if not most:
        return ""
    source = re.split("\r\n|\r|\n", candidate.source)
    rows = [f"{'line':>5}  {'peak':>10}  {'held':>10}  source"]
    for line in most:
        text = source[line.line - 1].rstrip()[:100] if 0 < line.line <= len(source) else ""
        rows.append(f"{line.line:>5}  {memory_of(line.peak_mib):>10}  {memory_of(line.growth_mib):>10}  {text}")
    head = "Lines by memory (peak: most that the line took at one moment; held: what it had kept at the height):"
    return head + "\n" + fenced("\n".join(rows))


def profile(candidate: Candidate, original: Candidate, shown: Shown) -> str:
    """Hot lines with their source, hot functions, and where the time went."""
    found = candidate.profile
    if found is None:
        return ""
    what = "the timed calls"
    how = "; a line's share is its own time, without what it calls in this module"
    if shown.timed is None:
        what = f"one run ({shown.label(found.case)})"
        how = "; profiling slows a run down, so read shares, not seconds"
    parts = [f"Profile of {what}{how if candidate is original else ''}."]
    source = re.split("\r\n|\r|\n", candidate.source)  # as Python counts lines: not at form feeds
    lines = [line for line in found.lines[:MAX_ROWS] if line.share >= MIN_LINE_SHARE]
    lines = lines or [line for line in found.lines[:1] if line.share]
    if lines:
        rows = ["share  hits  line: source"]
        for hot in lines:
            # of the source, as a profile may come from a held-back case; cut, as the program is above it
            text = source[hot.line - 1].strip()[:50] if 0 < hot.line <= len(source) else ""
            rows.append(f"{hot.share:.1%}  {hot.count}  {hot.line}: {text}")
        parts.append("Hot lines:\n" + fenced("\n".join(rows)))
    functions = [f for f in found.functions[:5] if f.share >= MIN_LINE_SHARE]
    if len(functions) > 1:
        rows = [f"{f.share:.1%}  {f.count} calls  {f.name} (line {f.line})" for f in functions]
        parts.append("Hot functions:\n" + fenced("\n".join(rows)))
    # Shares that were not measured are left out.
    named = (("Python", found.python_share), ("native code", found.native_share), ("system", found.system_share))
    split = ", ".join(f"{share:.0%} {name}" for name, share in named if share is not None)
    parts += [f"Time split: {split}."] if split else []
    parts += filter(None, [_callees(found)])
    known = original.profile.notes if original.profile and candidate is not original else ()
    if found.case in {*shown.cases, *shown.names}:  # of a held-out case, a note could quote what the run printed
        parts += [f"Note: {inline(note)}" for note in found.notes if note not in known]
    return "\n".join(parts)


def _callees(found: Profile) -> str:
    """Code outside of the module that takes time, with as much Python source as its share justifies."""
    # least share of the time that is worth a row for a function outside of the module
    worth = [callee for callee in found.callees if callee.share >= 0.05]
    if not worth:
        return ""
    rows = [f"{c.share:.1%}  {c.calls:,} calls  {_callee(c)}" for c in worth]
    parts = ["Called outside of the module (share of all time):\n" + fenced("\n".join(rows))]
    # most lines of source shown in all parts of a profile outside of the module together
    left = 90
    for callee in worth:
        lines = callee.source.rstrip().split("\n")
        if callee.source and len(lines) <= left:
            parts.append(f"Source of {_callee(callee)}, for reading:\n" + fenced(callee.source, "python"))
            left -= len(lines)
    return "\n".join(parts)


def _callee(callee: Callee) -> str:
    name = inline(callee.name.removeprefix("<").removesuffix(">"), 80)
    return f"{inline(callee.module, 80)}.{name}" if callee.module else name
