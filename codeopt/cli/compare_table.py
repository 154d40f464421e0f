"""One comparison of two programs or functions, for a person."""

from __future__ import annotations

from codeopt.core.diagnostic import Shortfall
from codeopt.engine.compare import PairResult, PairVerdict
from codeopt.report.result import NO_DIFFERENCE, caveat_lines, interval, python_line, sandbox_line
from codeopt_sandbox.compare import Comparison


def table(found: PairResult) -> str:
    """The verdict, the figures by case, what was checked."""
    lines = [f"{in_words(found.verdict)}{': ' + found.reason if found.reason else ''}"]
    lines += [python_line(found.interpreter), sandbox_line(found.backend, found.description)]
    if ratio := ratio_of(found):
        verb = "is" if ratio >= 1 else "takes"
        lines.append(f"NEW {verb} {takes(found)} as OLD{certain(found)}")
    for case in found.comparison.cases if found.comparison and found.bound is None else ():
        if case.original:
            lines.append(f"  case {case.case:<20} {case.ratio:>8.3f}x")
    if found.growth.text:
        lines.append(f"growth: {found.growth.text}")
    tests = found.facts.get("tests", {})
    if "changed_inputs" in tests:
        cases, changed = tests["total"], tests["changed_inputs"]
        lines.append(f"checked on {cases} case{'s' * (cases != 1)} and {changed} changed input{'s' * (changed != 1)}")
    shortfalls = [Shortfall(**row) for row in found.facts.get("shortfalls", ())]
    if found.verdict is not PairVerdict.NOT_VERIFIED:  # whose reason has them
        lines += [shortfall.words for shortfall in shortfalls]
    said = {shortfall.what for shortfall in shortfalls}
    caveats = [caveat for caveat in found.caveats if caveat.got not in said]
    return "\n".join([*lines, *found.notes, *caveat_lines(caveats)])


def in_words(verdict: PairVerdict) -> str:
    """A verdict for a person; JSON says `same` of what differs by less than is worth having, or not surely."""
    return NO_DIFFERENCE if verdict is PairVerdict.SAME else str(verdict)


def ratio_of(found: PairResult) -> float:
    """How many times as fast NEW is, at most where it was given up; 0 where that is not known."""
    return found.bound or (found.comparison.ratio if found.comparison else 0.0)


def takes(found: PairResult) -> str:
    """`1.25x as fast`, or `8.00x as long` of what is slower; of what was given up only a bound is known."""
    ratio = ratio_of(found)
    if ratio >= 1:
        return f"{ratio:.2f}x as fast"
    return f"{'at least ' if found.bound else ''}{1 / ratio:.2f}x as long"


def certain(found: PairResult) -> str:
    """How sure that is, in brackets; nothing of a bound."""
    comparison = found.comparison
    if comparison is None or found.bound is not None or not comparison.pairs:
        return ""
    span = interval(comparison) if comparison.ratio >= 1 else _inverse(comparison)
    return f" (95% interval {span}, {comparison.pairs} pairs, {comparison.clock} time)"


def _inverse(found: Comparison) -> str:
    """The interval of how many times as long it takes."""
    low = f"{1 / found.ci_high:.2f}" if found.ci_high != float("inf") else "?"
    high = f"{1 / found.ci_low:.2f}" if found.ci_low > 0 else "?"
    return f"{low} - {high}"
