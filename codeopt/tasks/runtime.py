"""Less running time: right on every case, and faster with statistical confidence by at least `min_gain`."""

from __future__ import annotations

from dataclasses import dataclass

from codeopt.core.history import Candidate
from codeopt.core.words import factor, gain
from codeopt.tasks import Aim, Metric, Prompts, common_rejection, too_slow
from codeopt_sandbox.compare import Decision

SYSTEM = """\
You make Python programs faster. Each one is run on test cases and timed in turn with the original, on inputs at least
as large as those shown; it is accepted when it is right on every case and faster beyond the noise. What brings most:
$guidance

$rules"""

LOOK = """\
where the time goes and why, and what to do instead: the algorithm, the container or the call, with the order of
  growth before and after."""

GUIDANCE = """\
1. Fewer steps: a better algorithm, a closed form, the right container, nothing done twice.
2. Work in C instead of in Python loops: built-ins, slices, itertools, sorting with a key; input and output at once.
3. Calls in the hottest loop written out, local names."""


@dataclass(frozen=True)
class Runtime(Aim):
    """The running time of the program, compared with the original's."""

    name: str = "runtime"
    metric: Metric = "time"
    min_gain: float = 0.05
    """Least gain of the measured ratio: 0.05 asks for 1.05x. Self-Refine's own evaluation used the same 5 %."""
    prompts: Prompts = Prompts.usual(SYSTEM, "as fast as you can make it", LOOK)
    guidance: str = GUIDANCE

    def why_not(self, candidate: Candidate, original: Candidate) -> str:
        """Empty when it is right, and faster with confidence by at least `min_gain`."""
        if reason := common_rejection(candidate):
            return reason
        found = candidate.by("time")
        if found is None:
            return "its time was not compared"
        if found.decision is not Decision.FASTER:
            why = f"; {found.reason}" if found.reason else ""
            return f"it is not faster with statistical confidence ({found.decision.value}, {factor(found.ratio)}{why})"
        if found.ratio < 1 + self.min_gain:
            return f"it is {gain(found.ratio, digits=3)}: a gain below {self.min_gain:.0%} is not worth a change"
        return ""

    def score(self, candidate: Candidate, original: Candidate) -> float | None:
        """Return the lower end of the speedup's interval, as ranking by the point estimate would favour the luckiest.

        The measurement against the best candidate before it has precedence.
        """
        found = candidate.by("time")
        if found is None or self.why_not(candidate, original):
            return None
        return candidate.lead if found is candidate.comparison else found.ci_low

    def worse(self, candidate: Candidate, original: Candidate) -> str:
        """Return the reason if it is slower than another aim allows. Empty if it is not."""
        return too_slow(candidate)


TASK = Runtime()
