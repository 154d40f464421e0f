"""Less memory: right on every case, a lower peak with statistical confidence, and not more than 5 % slower.

Of a program the peak is that of its process, the interpreter's own 9 MiB included; of a function that of its calls, by
tracemalloc.
"""

from __future__ import annotations

from dataclasses import dataclass

from codeopt.core.history import Candidate, TaskMeasure, TaskScore
from codeopt.core.words import Speedup, directions, factor, gain
from codeopt.tasks import Aim, Metric, Prompts, common_rejection, too_slow
from codeopt_sandbox.compare import Comparison

KIB, MIB = 1 << 10, 1 << 20

SYSTEM = """\
You make Python programs use less memory. Each one is run on test cases and its peak memory compared with the
original's; it is accepted when it is right on every case, its peak is lower beyond the noise, and it is not more than
5% slower. What brings most:
$guidance

$rules"""

LOOK = """\
what is alive at the peak: which container, how many elements, how many bytes each by what the measurements show, and
  how the program could do without it or keep less of it."""

GUIDANCE = """\
1. Do not keep what is read once: a line at a time, running totals, generators instead of lists.
2. Keep less of what must be kept: only what later steps ask for, in the order in which they ask.
3. A denser container: array, bytearray or bytes for numbers; tuples for lists; a class with __slots__ for dicts.
4. Share equal values: sys.intern for texts, one object for each.
5. Let go early: end the life of a large container before the next one is made."""


@dataclass(frozen=True)
class Memory(Aim):
    """The peak memory, compared with the original's; time may not get worse."""

    name: str = "memory"
    metric: Metric = "memory"
    second_metric: Metric | None = "time"
    """Compared too, so that memory is not paid for with time."""
    min_gain: float = 0.05
    """Least gain of the peak's ratio: 0.05 asks for 1.05 times less."""
    prompts: Prompts = Prompts.usual(
        SYSTEM, "with the lowest peak of memory that you can reach, and no slower", LOOK, "wrong or too slow"
    )
    guidance: str = GUIDANCE
    needs_time: bool = False
    score_column: str = "memory"

    def why_not(self, candidate: Candidate, original: Candidate) -> str:
        """Empty when it is right, takes less with confidence by at least `min_gain`, and is not slower."""
        found = candidate.by("memory")
        if (reason := common_rejection(candidate) or too_slow(candidate)) or found is None:
            return reason or "its memory was not compared"
        if found.decision != "faster":  # `decision` covers time and memory
            return f"its peak is not lower with statistical confidence ({factor(found.ratio)})"
        if found.ratio < 1 + self.min_gain:
            return f"it uses {gain(found.ratio, 'memory', 3)}: a gain below {self.min_gain:.0%} is not worth a change"
        return ""

    def score(self, candidate: Candidate, original: Candidate) -> float | None:
        found = candidate.by("memory")
        return None if found is None or self.why_not(candidate, original) else found.ci_low

    def worse(self, candidate: Candidate, original: Candidate) -> str:
        """Return the reason if its peak is higher than another aim allows. Empty if it is not."""
        found = candidate.by("memory")
        if found is None or found.decision != "slower" or found.ratio >= 1 / (1 + self.min_gain):
            return ""
        return f"it {Speedup.of(found).is_gain}"

    def task_score(self, candidate: Candidate, original: Candidate) -> TaskScore | None:
        found = candidate.by("memory")
        if found is None or not found.pairs:
            return None
        before, after, unit = peaks(found)
        refused = self.why_not(candidate, original)
        verdict = "no less" if found.decision != "faster" else "not accepted"
        verdict = verdict if refused else directions("memory")[0]
        time = candidate.by("time")
        pace = gain(time.ratio) if time and time.pairs else ""
        measures = (TaskMeasure("peak", before, after, unit),)
        remark = refused if verdict == "not accepted" else found.reason or pace
        return TaskScore("less memory", 1.0, found.ratio, verdict, measures, remark)


def peaks(comparison: Comparison) -> tuple[float, float, str]:
    """Highest of all cases, original and candidate, and the unit."""
    old = max((value for case in comparison.cases for value in case.original), default=0.0)
    new = max((value for case in comparison.cases for value in case.candidate), default=0.0)
    return (old / MIB, new / MIB, " MiB") if min(old, new) >= MIB / 10 else (old / KIB, new / KIB, " KiB")


TASK = Memory()
