"""Tables for a person: one comparison of two versions, and the functions that were tried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from codeopt.core.evidence import VersionEvidence
from codeopt.core.sanitize import inline, log_line
from codeopt.core.screen import columns
from codeopt.core.words import clock, counted, factor
from codeopt.engine.compare import PairResult
from codeopt.report.brief import caveat_lines, evidence_line
from codeopt.report.result import contract_lines, python_line, sandbox_line
from codeopt.report.verdict import LIMITS, THE_COMMAND, Verdict
from codeopt.review.suggestion import with_name
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.sequential_test import LimitAnswer

if TYPE_CHECKING:
    from codeopt.review.suggestion import FunctionRow


def table(pair_result: PairResult, new: str = "NEW", *, verbose: bool = False) -> str:
    """The verdict with its figures, the evidence, caveats, the limit, the next step. new: name of the new version."""
    verdict = pair_result.verdict
    is_open = verdict.limit is not None and verdict.limit.answer is LimitAnswer.INCONCLUSIVE
    lines = [*_limit(verdict) * is_open, _first_line(verdict, new)]
    if verdict.is_judged and verdict.outcome is not Decision.WRONG:
        lines += evidence_line(verdict.evidence)
    missing = verdict.evidence.gaps if verdict.is_judged else ()  # else in the reason
    lines += caveat_lines(verdict.caveats, missing, verbose=verbose)
    if verdict.by_size.disagreement:
        lines.append(verdict.by_size.disagreement)
    if verbose:
        lines += _details(pair_result)
    if not is_open:
        lines += _limit(verdict)
    if pair_result.next_step:
        lines.append(f"Next: {pair_result.next_step}")
    return "\n".join(lines)


def _limit(verdict: Verdict) -> list[str]:
    """The verdict on the limit of time."""
    if verdict.limit is None or verdict.speedup is None:
        return []
    answer = verdict.limit.answer
    return [f"{LIMITS[answer].words}: " * (answer is not LimitAnswer.INCONCLUSIVE) + verdict.limit.words]


def _first_line(verdict: Verdict, new: str) -> str:
    reason = f": {with_name(inline(verdict.reason, 500), new)}" if verdict.reason else ""
    if verdict.outcome is Decision.WRONG or not verdict.is_judged:
        return verdict.words + reason
    if verdict.speedup is None or verdict.is_bound:
        return f"NEW is {verdict.gain}{reason}"
    if verdict.outcome is Decision.SAME:  # a gain that a guard did not find elsewhere needs its reason
        return verdict.gain + reason * ((verdict.speedup.ci_low or 0) > 1)
    if verdict.outcome is Decision.INCONCLUSIVE:
        return f"{verdict.gain}{reason}"
    return f"NEW {'uses' if verdict.speedup.metric == 'memory' else 'is'} {verdict.gain}"


def cells_of(verdict: Verdict, new: str) -> tuple[str, ...]:
    """The outcome as cells of a table: times and result, or one text if nothing was timed."""
    timed, outcome = verdict.speedup if verdict.is_judged else None, verdict.outcome
    reason = f": {with_name(verdict.reason, new)}" * bool(verdict.reason)
    if timed is None or verdict.is_bound or (outcome is Decision.SLOWER and timed.ratio > 1):
        return (log_line(f"{verdict.gain if verdict.is_bound else verdict.words}{reason}"),)
    if outcome in (Decision.FASTER, Decision.SLOWER):
        return timed.change, f"{timed.gain} ({timed.span})"
    needs_reason = outcome is Decision.INCONCLUSIVE or (timed.ci_low or 0) > 1
    return timed.change, log_line(f"{verdict.words}{reason * needs_reason}")


def _details(pair_result: PairResult) -> list[str]:
    """All else that is known, for -v."""
    verdict, evidence = pair_result.verdict, pair_result.verdict.evidence
    lines = [python_line(pair_result.interpreter), sandbox_line(pair_result.backend, pair_result.description)]
    lines += contract_lines(evidence)
    if (known := evidence.command) is not None:  # of two versions of a project
        lines.append(f"command    {inline(known.command, 200)}")
        if isinstance(evidence.checked, VersionEvidence):
            lines.append(f"judged by  {_checks(evidence.checked)}")
        if known.timed_command != THE_COMMAND:
            lines.append(f"timed      {inline(known.timed_command)}, as the command itself is too short")
    timed = verdict.speedup.cases if verdict.speedup else ()
    lines += [f"  case {case.case:<20} {factor(case.ratio, 3):>9}" for case in timed]
    lines += [f"timed: {evidence.timed}"] * bool(evidence.timed)
    if verdict.by_size.rows:
        lines.append(f"by size: {verdict.by_size.words}")
    interval = [verdict.speedup.meaning_of_interval] if verdict.speedup and verdict.speedup.ci_low else []
    return [*lines, *verdict.notes, *interval]


def _checks(seen: VersionEvidence) -> str:
    parts = ["the command's output and files" if seen.output else "not the output, another one in each run"]
    counts = ((seen.mutated_commands, "mutated command"), (seen.tests, "test"), (seen.calls, "call"))
    parts += [counted(count, what) for count, what in counts if count]
    parts[-1] += f" of {counted(seen.functions, 'public function')}" if seen.calls else ""
    failing = f"; {counted(seen.tests_failed_before, 'test')} failed before" * bool(seen.tests_failed_before)
    return f"{', '.join(parts)}{failing}"


# Table of functions that were tried, and a line about those that were not.


def function_lines(rows: Sequence[FunctionRow], ranked_by: str = "test time") -> list[str]:
    """One row for each tried function with its share of the time, and one line for each reason not to try.

    ranked_by: the source of the shares, `test time` or `profile`.
    """
    tried = [row for row in rows if row.judged]
    timed = [row.suggestion.speedup for row in tried if row.suggestion and row.suggestion.speedup]
    title = (clock(timed[0].metric), "speedup (95% CI)") if timed else ("result",)
    untried = Counter(row.reason for row in rows if not row.judged)
    shared = any(row.target.share is not None for row in tried)
    titles = ("", *[f"of {ranked_by}"] * shared, *title)
    table = [titles, *(line for row in tried for line in _row(row, shared=shared))]
    lines = columns(table, {1} if shared else ()) if tried else []
    return lines + [f"Not tried: {number} more ({reason})" for reason, number in untried.items()]


def _row(row: FunctionRow, *, shared: bool) -> Iterator[Sequence[str] | str]:
    share = "" if row.target.share is None else f"{row.target.share:.0%}"
    named = log_line(row.target.name), *[share] * shared
    if row.suggestion is None:
        yield *named, log_line(row.reason)
        return
    found = row.suggestion.speedup
    yield *named, *((found.change, f"{found.factor} ({found.span})") if found else (log_line(row.suggestion.gain),))
    yield from map(log_line, row.suggestion.told)
