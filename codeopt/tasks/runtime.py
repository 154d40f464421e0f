"""Less running time: right on every case, and faster with statistical confidence by at least `min_gain`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from string import Template

from codeopt.core.history import Candidate
from codeopt.core.words import factor, gain
from codeopt.tasks import EXAMPLES, Aim, Metric, Prompts, common_rejection, too_slow
from codeopt_sandbox.compare import Decision

SYSTEM = Template("""\
You make Python programs faster. A judge runs each program you write: first on test cases, then against the original in
interleaved timed runs, and it accepts a program only when it is right on every case and faster beyond the noise. What
counts is the time on inputs at least as large as those you are shown, without the start of the interpreter.

What usually brings most, in this order:
$guidance

$rules""")

CRITIQUE = Template("""\
Write a critique of the newest program above.

- If it is wrong, say first which line causes the wrong output, and what that line must do instead.
- Else say where the time goes, by line and by what the measurements show, why it goes there, and what to do instead:
  name the algorithm, the container or the call. Give the order of growth before and after where it changes.
- Use what earlier rounds taught: do not ask again for what was tried and did not help.
- Give at most three points, the one that brings most first. No general advice.
$hints
$answer""")

REFINE = Template("""\
Write the next program: as fast as you can make it, with the same behaviour as the original (round 0). Follow the
critique of the newest program where there is one, mend what is wrong first, and do not repeat what was tried above
and failed or brought nothing.
$hints
$answer""")

GUIDANCE = """\
1. A better algorithm or a closed form: fewer steps for the same answer.
2. The right container: set or dict for membership, deque for queues, heapq for minima, bisect in sorted lists, prefix
sums for ranges.
3. Not doing the same work twice: hoist it out of loops, remember results within the run, stop as soon as the answer
is known.
4. Input and output at once: sys.stdin.buffer.read, one join and one write at the end.
5. Work in C instead of in Python loops: built-ins, slices, str and bytes methods, itertools, sorting with a key.
6. Code in a function, so that names are local; less indirection in the hottest loop."""


FUNCTION_GUIDANCE = """\
1. A better algorithm or a closed form: fewer steps for the same answer.
2. The right container: set or dict for membership, deque for queues, heapq for minima, bisect in sorted lists, prefix
sums for ranges.
3. Not doing the same work twice: hoist it out of loops, remember results within the call, stop as soon as the answer
is known; a quick way for what is common, the old one for the rest.
4. Work in C instead of in Python loops: built-ins, slices, str and bytes methods, itertools, sorting with a key.
5. What is called in the hottest loop written out there, attributes and globals in local names."""


@dataclass(frozen=True)
class Runtime(Aim):
    """The running time of the program, compared with the original's."""

    name: str = "runtime"
    metric: Metric = "time"
    min_gain: float = 0.05
    """Least gain of the measured ratio: 0.05 asks for 1.05x. Self-Refine's own evaluation used the same 5 %."""
    prompts: Prompts = Prompts(system=SYSTEM, critique=CRITIQUE, refine=REFINE)
    guidance: str = GUIDANCE
    examples: tuple[Path, ...] = (EXAMPLES / "runtime_words.txt", EXAMPLES / "runtime_sums.txt")
    function_guidance: str = FUNCTION_GUIDANCE
    function_examples: tuple[Path, ...] = (EXAMPLES / "function_repeated.txt",)

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
