"""One comparison of two programs or functions, for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codeopt.core.sanitize import inline
from codeopt.core.words import NO_DIFFERENCE, Speedup, counted, directions, factor, gain, is_gain
from codeopt.engine.compare import PairResult, PairVerdict
from codeopt.report.patch_table import THE_COMMAND
from codeopt.report.result import caveat_lines, contract_lines, python_line, sandbox_line
from codeopt_sandbox.compare import Decision


def table(found: PairResult) -> str:
    """The verdict, the figures by case, what was checked."""
    lines = [f"{in_words(found)}{': ' + found.reason if found.reason else ''}"]
    lines += [python_line(found.interpreter), sandbox_line(found.backend, found.description)]
    lines += contract_lines(found.facts)
    lines += _by_command(found.facts)
    if ratio_of(found):
        lines.append(_sentence(found))
    if found.limit is not None and found.comparison is not None:
        lines.append(found.limit.words)
    for case in found.comparison.cases if found.comparison and found.bound is None else ():
        if case.original:
            lines.append(f"  case {case.case:<20} {factor(case.ratio, 3):>9}")
    if found.facts.get("timed"):
        lines.append(f"timed: {found.facts['timed']}")
    if found.growth.text:
        lines.append(f"growth: {found.growth.text}")
    tests = found.facts.get("tests", {})
    if "changed_inputs" in tests:
        cases, changed = tests["total"], tests["changed_inputs"]
        broken = tests.get("relations_broken", 0)
        purpose = f", {counted(broken, 'relation')} of the known inputs broken on purpose" if broken else ""
        lines.append(f"checked on {counted(cases, 'case')} and {counted(changed, 'changed input')}{purpose}")
    shortfalls = found.facts.get("shortfalls", ())
    if found.verdict is not PairVerdict.NOT_VERIFIED:  # whose reason has them
        lines += [shortfall.words for shortfall in shortfalls]
    said = {shortfall.what for shortfall in shortfalls}
    caveats = [caveat for caveat in found.caveats if caveat.got not in said]
    return "\n".join([*lines, *found.notes, *caveat_lines(caveats)])


def _by_command(facts: Mapping[str, Any]) -> list[str]:
    """The command by which two versions of a project were judged, and what else; nothing for other comparisons."""
    if not facts.get("command"):
        return []
    lines = [f"command    {inline(facts['command'], 200)}"]
    seen = facts.get("evidence")
    if seen:
        parts = ["the command's output and files" if seen["output"] else "not the output, another one in each run"]
        for name, what in (("changed_commands", "changed command"), ("tests", "test"), ("calls", "call")):
            parts += [counted(seen[name], what)] if seen[name] else []
        parts[-1] += f" of {counted(seen['functions'], 'public function')}" if seen["calls"] else ""
        failing = f"; {counted(seen['tests_failed_before'], 'test')} failed before" * bool(seen["tests_failed_before"])
        lines.append(f"judged by  {', '.join(parts)}{failing}")
    if facts.get("timed_by", THE_COMMAND) != THE_COMMAND:
        lines.append(f"timed      {inline(facts['timed_by'])}, as the command itself is too short")
    return lines


def in_words(found: PairResult) -> str:
    """A verdict for a person: JSON says `same` for no significant difference and for none that could be found in the
    pairs there were, and `faster` for less memory."""
    if found.verdict is PairVerdict.SAME and found.comparison and found.comparison.decision is Decision.UNDECIDED:
        return Decision.UNDECIDED.value
    better, worse = directions(clock_of(found))
    words = {PairVerdict.SAME: NO_DIFFERENCE, PairVerdict.FASTER: better, PairVerdict.SLOWER: worse}
    return words.get(found.verdict, str(found.verdict))


def ratio_of(found: PairResult) -> float:
    """OLD over NEW; an upper bound where NEW was given up, 0 where it is not known."""
    return found.bound or (found.comparison.ratio if found.comparison else 0.0)


def clock_of(found: PairResult) -> str:
    """The clock that decided; the wall clock where NEW was given up."""
    return found.comparison.clock if found.comparison and found.bound is None else "wall"


def gain_of(found: PairResult) -> str:
    """`1.25x faster (95% interval ...)`; where NEW was given up, `at least 8.00x slower`."""
    if found.comparison is None or found.bound is not None:
        return f"at least {gain(ratio_of(found))}"
    figures = Speedup.of(found.comparison)
    return figures.words if figures.pairs else figures.gain


def _sentence(found: PairResult) -> str:
    """`NEW is 1.25x faster than OLD (95% interval ...)`; the bare ratio where neither is better with confidence."""
    if found.comparison is None or found.bound is not None:
        return f"NEW is {gain_of(found)} than OLD"
    figures = Speedup.of(found.comparison)
    if found.verdict is PairVerdict.SAME:
        return f"OLD / NEW: {factor(figures.ratio)} ({figures.ratio_certainty})"
    certain = f" ({figures.certainty})" if figures.pairs else ""
    return f"NEW {is_gain(figures.ratio, figures.clock)} than OLD{certain}"
