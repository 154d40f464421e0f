"""One comparison of two programs or functions, for a person."""

from __future__ import annotations

from codeopt.core.evidence import VersionEvidence, WorkloadEvidence
from codeopt.core.sanitize import inline, log_line
from codeopt.core.words import Speedup, counted, factor
from codeopt.engine.compare import PairResult
from codeopt.report.brief import caveat_lines
from codeopt.report.evidence_words import evidence_line
from codeopt.report.outcomes import LIMITS, words_of
from codeopt.report.patch_table import THE_COMMAND
from codeopt.report.result import contract_lines, python_line, sandbox_line
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.limit_test import LimitAnswer


def table(found: PairResult, new: str = "NEW", *, verbose: bool = False) -> str:
    """The verdict with its figures, the evidence, caveats, the limit, the next step. new: name of the new version."""
    limit = _limit(found)
    is_open = found.limit is not None and found.limit.answer is LimitAnswer.INCONCLUSIVE
    lines = [*limit * is_open, _first_line(found, new)]
    if found.judged and found.verdict is not Decision.WRONG:
        lines += evidence_line(found.to_json())
    missing = found.evidence.gaps if found.judged else ()  # else in the reason
    lines += caveat_lines(found.caveats, missing, verbose=verbose)
    lines += _details(found) if verbose else []
    return "\n".join([*lines, *limit * (not is_open), *[f"Next: {found.next_step}"] * bool(found.next_step)])


def _limit(found: PairResult) -> list[str]:
    """The verdict on the limit of time."""
    if found.limit is None or found.comparison is None:
        return []
    verdict = "" if found.limit.answer is LimitAnswer.INCONCLUSIVE else f"{LIMITS[found.limit.answer].words}: "
    return [verdict + found.limit.words]


def _first_line(found: PairResult, new: str) -> str:
    reason = f": {with_name(inline(found.reason, 500), new)}" if found.reason else ""
    if found.verdict is Decision.WRONG or not found.judged:
        return in_words(found) + reason
    if found.comparison is None or found.bound is not None:
        return f"{new} is {gain_of(found)}{reason}"
    if found.verdict is Decision.SAME:  # a gain that a guard did not find elsewhere needs its reason
        return gain_of(found) + reason * (found.comparison.ci_low > 1)
    if found.verdict is Decision.INCONCLUSIVE:
        return f"{gain_of(found)}{reason}"
    return f"{new} {'uses' if metric_of(found) == 'memory' else 'is'} {gain_of(found)}"


def cells_of(found: PairResult, new: str) -> tuple[str, ...]:
    """The outcome as cells of a table: times and result, or one text if nothing was timed."""
    timed = found.comparison if found.judged and found.bound is None else None
    reason = f": {with_name(found.reason, new)}" * bool(found.reason)
    if timed is None or found.verdict is Decision.WRONG or (found.verdict is Decision.SLOWER and timed.ratio > 1):
        return (log_line(f"{gain_of(found) if found.bound else in_words(found)}{reason}"),)
    figures = Speedup.of(timed)
    if found.verdict in (Decision.FASTER, Decision.SLOWER):
        return figures.change, f"{figures.gain} ({figures.span})"
    needs_reason = found.verdict is Decision.INCONCLUSIVE or timed.ci_low > 1
    return figures.change, log_line(f"{in_words(found)}{reason * needs_reason}")


def with_name(reason: str, new: str) -> str:
    """A reason that begins with a call, `f(1): ...`, with the function's own name. new: `mod.py::double`."""
    name = new.rpartition("::")[2] if "::" in new else ""
    return f"{name}{reason[1:]}" if name and reason.startswith("f(") else reason


def _details(found: PairResult) -> list[str]:
    """All else that is known, for -v."""
    lines = [python_line(found.interpreter), sandbox_line(found.backend, found.description)]
    lines += [*contract_lines(found.evidence), *_by_command(found.evidence)]
    timed = found.comparison.cases if found.comparison and found.bound is None else ()
    lines += [f"  case {case.case:<20} {factor(case.ratio, 3):>9}" for case in timed if case.original]
    lines += [f"timed: {what}" for what in [found.evidence.timed] if what]
    lines += [f"growth: {found.growth.text}"] * bool(found.growth.text)
    return [*lines, *found.notes]


def _by_command(evidence: WorkloadEvidence) -> list[str]:
    """The command by which two versions of a project were judged, and what else; nothing for other comparisons."""
    known, seen = evidence.command, evidence.checked
    if known is None:
        return []
    lines = [f"command    {inline(known.command, 200)}"]
    if isinstance(seen, VersionEvidence):
        lines.append(f"judged by  {_checks(seen)}")
    if known.timed_command != THE_COMMAND:
        lines.append(f"timed      {inline(known.timed_command)}, as the command itself is too short")
    return lines


def _checks(seen: VersionEvidence) -> str:
    parts = ["the command's output and files" if seen.output else "not the output, another one in each run"]
    counts = ((seen.mutated_commands, "changed command"), (seen.tests, "test"), (seen.calls, "call"))
    parts += [counted(count, what) for count, what in counts if count]
    parts[-1] += f" of {counted(seen.functions, 'public function')}" if seen.calls else ""
    failing = f"; {counted(seen.tests_failed_before, 'test')} failed before" * bool(seen.tests_failed_before)
    return f"{', '.join(parts)}{failing}"


def in_words(found: PairResult) -> str:
    """The verdict for people, who read `less memory` where JSON says `faster`."""
    return words_of(found.verdict, found.inconclusive_about, metric_of(found))


def ratio_of(found: PairResult) -> float:
    """OLD over NEW; an upper bound where NEW was given up, 0 where it is not known."""
    return found.bound or (found.comparison.ratio if found.comparison else 0.0)


def metric_of(found: PairResult) -> str:
    """The metric that decided; wall time where NEW was given up."""
    return found.comparison.metric if found.comparison and found.bound is None else "wall"


def gain_of(found: PairResult) -> str:
    """`1.25x faster   45 ms -> 36 ms CPU time   (95% CI ...)`; where NEW was given up, `at least 8.0x slower`.

    The reason in place of figures that contradict it: what is faster in pairs can be slower on a whole input.
    """
    if found.comparison is None or found.bound is not None:
        return f"at least {Speedup(ratio_of(found), None, None, 0).gain}"
    if found.verdict is Decision.SLOWER and found.comparison.ratio > 1:
        return f"{in_words(found)}: {inline(found.reason, 500)}"
    return Speedup.of(found.comparison).by(found.comparison.decision)
