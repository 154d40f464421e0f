"""A long program's input, cut to a share on which it still behaves the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from codeopt.workloads import AnyGain, Consequence, Finding, guard
from codeopt.workloads._sizes import LONG_S, find_part, finding_on_whole, part_words
from codeopt.workloads.program.mutated_cases import shorter_cases
from codeopt_sandbox.compare import Plan
from codeopt_sandbox.outcome import Case, CaseVerdict, Run, run_on
from codeopt_sandbox.verdict import TRACEBACK, judge


@dataclass(frozen=True)
class InputCut:
    """A part of a case's input, and what the original takes on it and on the whole."""

    case: Case
    """The part, with what the original prints on it."""
    whole: Case
    share: float
    """Length of the part in relation to the whole."""
    of: str
    """Name of the cut input: `standard input`, `readings.csv`."""
    seconds: float
    """Time of the original on the part, seconds."""
    whole_s: float
    """Time of the original on the whole, seconds."""

    @property
    def words(self) -> str:
        """`the first 5 % of readings.csv (1.2 s of 61 s), in full once`."""
        return part_words(self.share, self.of, self.seconds, self.whole_s)


@dataclass(frozen=True)
class CutPlan(Plan):
    """Plan of timing a program on a part of its input."""

    cut: InputCut = field(kw_only=True)

    @property
    def longest(self) -> Case:
        return self.cut.whole


def cut_input(case: Case, whole: Run, run: Callable[[Case], Run]) -> InputCut | None:
    """Return the part of a case on which the original takes about WANTED_S.

    None if the case is short, cannot be cut, or behaves differently on less input.

    Args:
        case: The whole case.
        whole: The original's run on it.
        run: Runs the original.
    """
    if whole.active_s < LONG_S:
        return None

    def run_part(share: float) -> tuple[float, InputCut] | None:
        part = first_part(case, share)
        found = None if part is None else run(part)
        if part is None or found is None:
            return None
        # It ends like that on the whole, and prints and writes if that does.
        same_end = (found.exit, found.signal, found.stop) == (whole.exit, whole.signal, whole.stop)
        same_files = {each.path for each in found.written} == {each.path for each in whole.written}
        fails = TRACEBACK in found.stderr and TRACEBACK not in whole.stderr
        if not same_end or not same_files or bool(found.stdout) != bool(whole.stdout) or fails:
            return None
        kept = replace(part, expected=found.stdout, written=found.written)
        return found.active_s, InputCut(kept, case, share, _cut_of(case, part), found.active_s, whole.active_s)

    return find_part(whole.active_s, run_part)


def first_part(case: Case, share: float) -> Case | None:
    """The case with the first share of its largest input; of a text that says no count of its lines so many of
    these."""
    part = next(shorter_cases(case, (share,)), None)
    if part is None and case.stdin and not case.has_arguments:
        lines = case.stdin.splitlines(keepends=True)
        part = replace(case, stdin=b"".join(lines[: max(1, round(len(lines) * share))]))
    if part is None or (part.stdin, part.files, part.args) == (case.stdin, case.files, case.args):
        return None
    name = f"{case.name}, first {100 * share:.2g} %"
    return replace(part, name=name, title=f"{name} of {_cut_of(case, part)}", expected=None, written=None)


def _cut_of(case: Case, part: Case) -> str:
    """The input that is shorter in the part."""
    if part.stdin != case.stdin:
        return "standard input"
    files = zip(case.files or (), part.files or (), strict=False)
    return next((path for (path, content), (_, less) in files if content != less), "the arguments")


@guard(order=40, applies_to="comparisons")
def check_gain(gain: AnyGain) -> Finding | None:
    """A note with the figures of one run on the whole input; no gain where that does not show it."""
    if not isinstance(gain.plan, CutPlan) or gain.comparison.metric == "memory":
        return None
    cut = gain.plan.cut
    gain.notify(f"running it on the whole of {cut.of} once")
    run = run_on(gain.workload.runner, gain.draft, cut.whole)
    outcome = judge(cut.whole, run, gain.workload.suite.check)
    if outcome.verdict is not CaseVerdict.AC:
        return Finding(Consequence.REJECT, f"on the whole of {cut.of}: {outcome.words}", outcome)

    def again() -> float:
        return run_on(gain.workload.runner, gain.original, cut.whole).active_s

    return finding_on_whole(gain, cut.of, run.active_s, cut.whole_s, again)
