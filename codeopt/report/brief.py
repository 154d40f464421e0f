"""The end of a run for people, from the JSON object of its result, saved or new.

In this order: the verdict with its figure, one line of evidence, caveats, changes; the next step comes below the diff.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from codeopt.core.errors import Diagnostic
from codeopt.core.evidence import CallEvidence, CommandEvidence, PatchEvidence, VersionEvidence, WorkloadEvidence
from codeopt.core.history import TaskScore
from codeopt.core.run_index import apply_command, command_on
from codeopt.core.sanitize import inline
from codeopt.core.screen import COLUMNS, columns
from codeopt.core.words import Speedup, counted, money, plural, took
from codeopt.report.result import End, Result
from codeopt.report.verdict import has_edits, table_of
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.outcome import Caveat, CaveatKind

MAX_CAVEATS = 2
"""Caveats shown at most; -v shows more, --json all."""
_LIGHT = (CaveatKind.FLOATS, CaveatKind.MEMORY, CaveatKind.EVIDENCE)
"""Subjects of caveats that come after all others, in order."""
_ONE_INPUT = "caveat: checked on 1 input only: add others with --cases DIR"


def verdict_lines(found: Mapping[str, Any]) -> list[str]:
    """Return the verdict with its figure, the evidence, and the cost of a model.

    found: object of ImproveJson.
    """
    from codeopt.report.answers import read, read_verdict  # pydantic, which a comparison does not load

    verdict = read_verdict(found)
    if found["accepted"]:
        score = found.get("task_score")
        lines = [*([read(TaskScore, score).words] if score else []), *[verdict.gain] * bool(verdict.speedup)]
    elif verdict.outcome is Decision.INCONCLUSIVE:
        lines = [verdict.gain, f"  {inline(verdict.reason, 300)}"]
    else:
        better = "faster" if found["task"] == "runtime" else "better"
        return [f"no {better} version found: {inline(verdict.reason, 300)}", *_cost(found)]
    of_text = found["accepted"] and verdict.speedup is None  # nothing was run
    return [*lines, *([] if of_text else evidence_line(verdict.evidence)), *_cost(found)]


def caveat_lines(caveats: Sequence[Caveat], missing: Iterable[Diagnostic], *, verbose: bool) -> list[str]:
    """Return the weightiest caveats and the number of others; with verbose all, each with how to reproduce it."""
    shown, lines = weighed(caveats, missing), []
    for words, again in shown if verbose else shown[:MAX_CAVEATS]:
        lines.append(f"caveat: {inline(words, 300)}")
        lines += [f"  again: {again}"] * bool(again and verbose)
    more = 0 if verbose else len(shown) - MAX_CAVEATS
    return [*lines, f"{counted(more, 'more caveat')}: -v"] if more > 0 else lines


def weighed(caveats: Sequence[Caveat], missing: Iterable[Diagnostic]) -> list[tuple[str, str]]:
    """Return the words of each caveat and how to reproduce it, the weightiest first, then the gaps; each once."""
    missing = list(missing)
    known = {each.message for each in missing}
    left = [each for each in caveats if each.got not in known]
    ordered = sorted(left, key=lambda each: _LIGHT.index(each.kind) + 1 if each.kind in _LIGHT else 0)
    return [(each.words, each.reproduce) for each in ordered] + [(each.words, "") for each in missing]


def below_verdict(found: Mapping[str, Any], *, verbose: bool) -> list[str]:
    """Return caveats and changes; with verbose all else that is known of a run. found: object of ImproveJson."""
    from codeopt.report.answers import read_verdict

    verdict = read_verdict(found)
    lines = caveat_lines(verdict.caveats, verdict.evidence.gaps, verbose=verbose)
    cases = verdict.evidence.cases
    lines += [_ONE_INPUT] * (found["accepted"] and cases is not None and cases.input_count == 1)
    if verdict.by_size.disagreement:
        lines.append(verdict.by_size.disagreement)
    if found["accepted"]:
        lines += table_of(found) if has_edits(found) else _changes(found)
    if verbose:
        lines += [f"by size    {verdict.by_size.words}"] if verdict.by_size.rows else []
        lines += _details(found)
    return lines


def next_line(result: Result, *, written: bool) -> list[str]:
    """Return what ended the run early, and the next step. written: the result is in the user's files."""
    early = result.end is not End.SUFFICIENT
    lines = [f"Stopped: {inline(result.stop_reason, 300)}."] * (early and result.stop_reason not in result.reason)
    if result.best:
        return lines + [f"Apply: {apply_command(result.program.path, result.saved)}"] * (not written)
    if not early:
        return [f"Next: {result.outlook.next_step or command_on('codeopt show', result.saved)}"]
    more = "--structured" if result.end is End.UNREADABLE else result.raised_limit
    return [*lines, f"Next: codeopt improve --resume {result.saved} {more}".rstrip()]


def _cost(found: Mapping[str, Any]) -> list[str]:
    """Tokens, price and time; empty if no model was asked."""
    tokens = found["tokens"]["in"] + found["tokens"]["out"]
    if not tokens:
        return []
    count = f"{tokens:,} tokens{' (estimated)' * found['tokens']['estimated']}, {money(found['cost_usd'])}"
    return [f"{inline(found['model'])}: {count}. Total time {took(found['seconds'])}."]


def _changes(found: Mapping[str, Any]) -> list[str]:
    """The changes of an accepted candidate, if it has several, with the loss without each if that was timed."""
    best = [each["changes"] for each in found["rounds"] if each["round"] == found["best_round"]]
    changes: Sequence[str] = best[0] if best else ()
    if len(changes) < 2:
        return []
    holding = [each["ablations"] for each in found["rounds"] if set(changes) <= set(each["changes"])]
    without = {name: ratio for ablations in holding for name, ratio in ablations.items()}
    timed = [(without.get(each.partition(":")[0]), each) for each in changes]
    if not any(ratio for ratio, _ in timed):
        return columns([(each,) for each in changes])
    timed.sort(key=lambda row: -(row[0] or 0.0))
    rows = [(Speedup(ratio, None, None, 0).factor if ratio else "not timed", each) for ratio, each in timed]
    return columns([("slower without", "change"), *rows])


def _details(found: Mapping[str, Any]) -> list[str]:
    places = [(each.get("place") or f"line {each['line']}", each["share"]) for each in found["remaining_hot_spots"]]
    hot = [f"{place} {share:.0%}" for place, share in places]
    steps = [f"{name} {seconds:.1f} s" for name, seconds in found["seconds_by_step"].items() if seconds >= 0.05]
    return [
        *([Speedup.from_json(found["speedup"]).meaning_of_interval] if found["speedup"] else []),
        *found["notes"],
        *[f"slow lines {', '.join(hot)}"] * bool(hot),
        f"time       {took(found['seconds'])}: {', '.join(steps)}",
        f"ended      {found['stop_reason']}",
        f"saved in {found['run']}",
    ]


# The evidence of a result in words, one place for every screen and report: its parts add up to the number of calls.

_KINDS = {
    "calls_file": "of yours",
    "tests": "from tests",
    "doctests": "from doctests",
    "recorded": "recorded",
    "type_hints": "from type hints",
    "model": "written by a model",
    "generated": "generated",
}


def evidence_line(found: WorkloadEvidence) -> list[str]:
    """`Same results on 1,084 calls: 4 of yours, 74 from type hints, 1,006 generated.`; empty if nothing is known."""
    return textwrap.wrap(_of_command(found, found.command) if found.command else _of_one(found), COLUMNS)


def calls_in_words(sources: Mapping[str, int]) -> str:
    """`1,084 calls: 4 of yours, 74 from type hints, 1,006 generated`."""
    order = sorted(sources, key=lambda kind: list(_KINDS).index(kind) if kind in _KINDS else len(_KINDS))
    parts = [f"{sources[kind]:,} {_KINDS.get(kind, 'others')}" for kind in order if sources[kind]]
    return f"{thousands(sum(sources.values()), 'call')}: {', '.join(parts)}"


def thousands(count: int, what: str) -> str:
    """`1 call`, `1,084 calls`."""
    return f"{count:,} {plural(count, what)}"


def _of_one(found: WorkloadEvidence) -> str:
    calls, cases = found.checked, found.cases
    if isinstance(calls, CallEvidence) and calls.calls:
        passed = f"; {_passing(calls.tests)}" if calls.tests else ""
        return f"Same results on {calls_in_words(calls.sources)}{passed}."
    if cases is None or not cases.total:
        return ""
    held_out = f" ({cases.held_out:,} held out)" if cases.held_out else ""
    mutated = f" and {thousands(cases.mutated_inputs, 'mutated input')}" if cases.mutated_inputs else ""
    return f"Same output on {thousands(cases.total, 'test case')}{held_out}{mutated}."


def _of_command(found: WorkloadEvidence, command: CommandEvidence) -> str:
    """Return the evidence on two versions of a project."""
    output = "Same output and files" if command.output == "compared" else f"Output: {command.output}"
    edits = command.edits if isinstance(command, PatchEvidence) else ()
    versions = found.checked if isinstance(found.checked, VersionEvidence) else None
    calls = [each["calls"] for each in edits if each.get("calls")] or [versions.calls if versions else 0]
    functions = versions.functions if versions else len(calls)
    agree = f"{thousands(sum(calls), 'call')} of {counted(functions, 'public function')} agree"
    passed = command.project_tests.get("passed", 0)
    parts = [output, *[agree] * any(calls), _passing(passed) if passed else "no test of the project was run"]
    return "; ".join(parts) + "."


def _passing(count: int) -> str:
    return f"{thousands(count, 'test')} {'passes' if count == 1 else 'pass'}"
