"""Work that was moved out of the timed calls: before or after them, or into an earlier process."""

from __future__ import annotations

import ast
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from codeopt.core.revision import Revision
from codeopt.core.words import duration
from codeopt.workloads import Consequence, Finding, guard
from codeopt.workloads.function.harness import TimedRuns, side_by_side
from codeopt.workloads.function.timing import Timed
from codeopt.workloads.function.workload import CallGain
from codeopt_sandbox.calls import CallTiming
from codeopt_sandbox.outcome import Caveat, CaveatKind

RUNS = 3
"""Largest number of whole runs of each side."""
SAVED_S = 0.05
"""Seconds that the repeated calls must save in a run. Whole runs are noisy, so calls are repeated until it shows."""
ENOUGH_S = 0.15
"""Time of the calls within a run, seconds, with which a smaller saving will do."""
MIN_GAIN = 1.2
"""Smallest ratio that is looked for: a few runs do not show a smaller one."""
MIN_LEFT_SHARE = 0.5
"""Share of the gain that must be left."""
IMPORT_S = 0.002
"""Noise floor of the import, seconds; plus 5 % of the import."""


@guard(order=60)
def check_gain(gain: CallGain) -> Finding | None:
    """Time that is gone from the calls must be gone from whole runs, not spent before or after them.

    Whatever disturbs whole runs can only make a gain look shifted, so that is looked at twice.
    """
    gain.notify("timing whole runs")
    by_time = gain.comparison.ratio if gain.comparison.metric != "memory" else 1.0
    sides = (
        gain.workload.runner,
        gain.original,
        gain.draft,
        gain.plan.timed,
        gain.comparison.metric == "wall",
        by_time,
    )
    return _looks_shifted(*sides) and _looks_shifted(*sides)


@dataclass(frozen=True)
class OutsideTime:
    """Seconds that a run takes outside of its calls, and of these in the module's import; the least of some runs."""

    outside_s: float
    import_s: float


@dataclass(frozen=True)
class WholeRuns:
    """A run of the original and the draft's next to it, seconds: what slows the machine down mostly slows both."""

    took: float
    """In the calls; so is the next, of the draft."""
    takes: float
    before: float
    """Outside of the calls; so is the next, of the draft."""
    after: float

    @property
    def ratio(self) -> float:
        """Factor by which the calls of the draft take less."""
        return self.took / self.takes

    @property
    def left(self) -> float:
        """Share of the original's whole run that the draft's takes."""
        return (self.takes + self.after) / (self.took + self.before)

    @property
    def saved_s(self) -> float:
        """Time that the calls save."""
        return self.took - self.takes


def _looks_shifted(
    runner: TimedRuns, original: Revision, draft: Revision, timed: Timed, wall: bool, ratio: float
) -> Finding | None:
    # time of the original's calls within a run: the larger the gain, the less of it shows
    needed_s = min(ENOUGH_S, SAVED_S / (1 - 1 / ratio)) if ratio > 1 else ENOUGH_S
    # largest number of passes of a run
    # The least time that the original took for a pass in any run: on a processor with two speeds the plan may know the
    # slower one alone, and passes that were counted by it save too little at the other.
    runs = runner.timings(original, timed.batch.stdin())
    seconds = min((min(each.wall if wall else each.cpu) for each in runs), default=timed.seconds)
    around = min(((each.outside_s - each.import_s) / len(each.cpu) for each in runs), default=timed.around)
    passes = replace(timed, seconds=seconds, around=around).passes(needed_s, 60)
    stdin = timed.batch.replace(passes=passes).stdin()
    pairs: list[WholeRuns] = []
    # one is enough where the original runs as fast as ever: half as fast, its whole run would hide what is moved
    while len(pairs) < RUNS and not (
        pairs and _is_clear(pairs, passes, ratio) and (len(pairs) > 1 or pairs[0].took <= 1.25 * seconds * passes)
    ):
        old, new = runner.run(original, stdin), runner.run(draft, stdin)
        if old.call_timing is None or new.call_timing is None:
            return Finding(Consequence.NO_GAIN, "it fails when its calls are repeated")
        inside = (old.wall_s, new.wall_s) if wall else (old.cpu_s, new.cpu_s)
        # whether there are objects is not the draft's to say: an audit hook may work while its objects are looked at
        looks = old.call_timing.looked_s > 0
        outside = [each.outside_s - each.looked_s * looks for each in (old.call_timing, new.call_timing)]
        pairs.append(WholeRuns(*inside, *outside))
    if _is_gone([pair.ratio for pair in pairs], ratio):
        return Finding(Consequence.NO_GAIN, "its calls are not faster when they are made in more passes, or in fewer")
    whole = _middle(pairs)
    saved_s = whole.saved_s / passes
    if saved_s <= 0:
        return None
    was, now = _imports_of(runner, original, draft, timed)
    own = min(timing.import_s for timing in runner.timings(original))
    before, after = OutsideTime(whole.before + max(0.0, was - own), was), OutsideTime(whole.after, now)
    moved = _moved(saved_s, passes, before, after)
    sides = [_passes(runner.timings(side, stdin), wall) for side in (original, draft)]
    if passes > 1 and _remembers(*sides):
        again = "its calls are not faster the first time, only when they are made again: it remembers their answers"
        return Finding(Consequence.NO_GAIN, moved or again)
    if not moved:
        return _object_setup_cost(runner, (original, draft), timed, saved_s) if timed.asked else None
    longer = (_import_there(runner, original, draft, stdin) or was) - was
    there = OutsideTime(before.outside_s + longer, before.import_s + longer)
    if longer < IMPORT_S or _moved(saved_s, passes, there, after):
        return Finding(Consequence.NO_GAIN, moved)
    because = "its package is another; the module's own text does not take longer there"
    caveat = Caveat(CaveatKind.SPEED, "the import of its module", duration(was), duration(now), because)
    return Finding(Consequence.CAVEAT, caveat.words, caveats=(caveat,))


def _middle(pairs: Sequence[WholeRuns]) -> WholeRuns:
    """The pair in the middle by what is left of a whole run; of two the one with more."""
    return sorted(pairs, key=lambda pair: pair.left)[len(pairs) // 2]


def _is_clear(pairs: Sequence[WholeRuns], passes: int, ratio: float) -> bool:
    """Return whether a few runs show the gain and no work moved out of the calls."""
    whole = _middle(pairs)
    if whole.saved_s <= 0 or _is_gone([pair.ratio for pair in pairs], ratio):
        return False
    return not _moved(whole.saved_s / passes, passes, OutsideTime(whole.before, 0.0), OutsideTime(whole.after, 0.0))


def _is_gone(ratios: Sequence[float], ratio: float) -> bool:
    """Return whether no run shows the gain. The root of the ratio suffices: a draft may count its passes.

    ratio: of the comparison. A ratio below MIN_GAIN is not checked.
    """
    # share of the logarithm of the ratio that at least one run must show
    return ratio >= MIN_GAIN and max(ratios) < ratio ** (1 / 3)


def _moved(saved_s: float, passes: int, before: OutsideTime, after: OutsideTime) -> str:
    """Return the reason if the work was moved before the calls, after them or into the import. Every
    process pays for these. saved_s: time that the calls of one pass save.
    """
    longer = after.import_s - before.import_s
    if longer > MIN_LEFT_SHARE * saved_s + IMPORT_S + 0.05 * before.import_s:
        return (
            f"its calls take {duration(saved_s)} less, but the import of its module {duration(longer)} more: the "
            "work was moved there"
        )
    outside = after.outside_s - before.outside_s
    # noise floor of a whole run, seconds; plus 5 % of the run
    if outside > MIN_LEFT_SHARE * saved_s * passes + 0.01 + 0.05 * before.outside_s:
        return "its calls take less time, but the whole run does not: the work was moved before or after the calls"
    return ""


def _object_setup_cost(
    runner: TimedRuns, sides: tuple[Revision, Revision], timed: Timed, saved_s: float
) -> Finding | None:
    """A finding where the objects of the calls take longer to make: a caller who asks one a few times only pays for it.

    Measured where each call has an object of its own.
    """
    made = calls = len(timed.batch.calls) - timed.batch.warm
    stdin = timed.batch.replace(shared=False, passes=RUNS).stdin()
    runs = [runner.run(side, stdin).call_timing for side in sides]
    if None in runs:
        return None
    was, now = (each.given_s for each in runs if each is not None)
    longer = (now - was) / made
    needed = longer / (saved_s / calls)
    # noise floor of making the arguments, seconds; plus 10 % of that time
    if now - was <= 0.001 + 0.1 * was or needed <= timed.asked:
        return None
    because = f"{needed:.0f} calls of it make up for that; the known ones ask an object {timed.asked:.0f} times"
    caveat = Caveat(CaveatKind.SPEED, "", "", f"an object takes {duration(longer)} more to make", because)
    # Factor by which known calls may use an object fewer times than real callers do. Larger factors are rare.
    if needed > 10 * timed.asked:
        return Finding(Consequence.NO_GAIN, f"its calls take less time, but {caveat.words}")
    return Finding(Consequence.CAVEAT, caveat.words, caveats=(caveat,))


@dataclass(frozen=True)
class PassSeconds:
    """Seconds of the passes of one run."""

    first: float
    later: float
    """The mean of the others."""


def _passes(timings: Sequence[CallTiming], wall: bool) -> list[PassSeconds]:
    """The passes of the runs that have more than one, oldest first."""
    each = [timing.wall if wall else timing.cpu for timing in timings]
    return [PassSeconds(first, max(statistics.fmean(later), 1e-9)) for first, *later in each if later]


def _remembers(old: Sequence[PassSeconds], new: Sequence[PassSeconds]) -> bool:
    """Return whether only the later passes show the gain.

    The first pass has no earlier one to learn from, by a file, a pipe or shared memory. Each first pass is divided by
    the later ones of its own run, and these are compared with the run next to it. A shared processor may have two
    speeds: a few first passes of the original may get one speed, and those of the draft the other.
    """
    pairs = side_by_side(old, new)
    later = statistics.median(passes.later for passes in new)
    ratio = max(1.0, statistics.median(before.later / after.later for before, after in pairs))
    was, now = (statistics.median(passes.first / passes.later for passes in runs) for runs in (old, new))
    # noise floor of a single pass, seconds
    return was * ratio - now < MIN_LEFT_SHARE * (ratio - 1) - 20e-6 / later


def _imports_of(runner: TimedRuns, original: Revision, draft: Revision, timed: Timed) -> tuple[float, float]:
    """Seconds of the import of the original, with what the draft newly imports, and of the draft."""
    base = Revision.of(with_imports(original.text, draft.text))
    for _ in range(RUNS if base != original else 0):
        runner.run(base, timed.batch.replace(passes=1).stdin())
    before = [timing.import_s for timing in runner.timings(base) or runner.timings(original)]
    after = [timing.import_s for timing in runner.timings(draft)]
    pairs = side_by_side(before, after)  # of more runs the shortest is shorter
    return min(was for was, _ in pairs), min(now for _, now in pairs)


def _import_there(runner: TimedRuns, original: Revision, draft: Revision, stdin: bytes) -> float | None:
    """Return the seconds of the import at the place of a draft that is in another version of its package.

    It imports the original's text there, or if that fails the draft's text without its computations. None if the draft
    is in the same place, or neither text can be imported.
    """
    place = runner.others.get(draft)
    if place is None:
        return None
    for text in (original.text, without_computing(draft.text)):
        side = Revision.of(text)
        moved = replace(runner, others={side: place}, kept=[])
        found = [run.call_timing.import_s for run in (moved.run(side, stdin) for _ in range(RUNS)) if run.call_timing]
        if found:
            return min(found)
    return None


COMPUTED = (
    ast.Call, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.BinOp, ast.JoinedStr, ast.Await, ast.Lambda
)  # fmt: skip
"""Nodes that may take any time."""
KEPT = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)


def with_imports(original: str, draft: str) -> str:
    """The original with the modules that the draft newly imports: what they take to load is no work of the draft's."""
    known = {ast.unparse(node) for node in _imports(original)}
    new = [text for node in _imports(draft) if (text := ast.unparse(node)) not in known]
    return "\n".join([original, *new, ""]) if new else original


def _imports(source: str) -> list[ast.stmt]:
    found = [node for node in ast.parse(source).body if isinstance(node, ast.Import | ast.ImportFrom)]
    return [node for node in found if not (isinstance(node, ast.ImportFrom) and node.module == "__future__")]


def without_computing(source: str) -> str:
    """A module's imports, definitions and constants; gone is all that computes while it is imported."""
    tree = ast.parse(source)
    return ast.unparse(ast.Module(list(_plain(tree.body)), []))


def _plain(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        if not isinstance(node, KEPT) or any(
            isinstance(part, COMPUTED) for each in _run_at_once(node) for part in each
        ):
            continue
        if isinstance(node, ast.ClassDef):
            inner = list(_plain(node.body)) or [ast.Pass()]
            yield ast.ClassDef(node.name, node.bases, node.keywords, inner, node.decorator_list)
        else:
            yield node


def _run_at_once(node: ast.stmt) -> Iterator[Iterator[ast.AST]]:
    """Yield the parts of a statement that run at its place: of a definition the parts around its body."""
    if isinstance(node, ast.ClassDef):
        parts: list[ast.AST] = [*node.bases, *node.keywords, *node.decorator_list]
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        parts = [node.args, *filter(None, [node.returns]), *node.decorator_list]
    else:
        parts = [node]
    return map(ast.walk, parts)
