"""Lines of a change that no input runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from codeopt.core.revision import Revision
from codeopt.workloads.function.corpus.corpus import CallCorpus, Covered, lines_run
from codeopt.workloads.function.timed_runs import TimedRuns
from codeopt_sandbox.calls import CallBatch
from codeopt_sandbox.caveat import Caveat, CaveatKind

MOST = 8
"""Number of lines that a caveat names in its text."""


def unrun_lines(runner: TimedRuns, corpus: CallCorpus, original: Revision, draft: Revision) -> Iterator[Caveat]:
    """Yield a caveat for each side on which the change has lines of the function that no known or generated call runs.
    Lines that the change does not touch are the original's own matter."""
    old, new = changed_lines(original.text, draft.text)
    if missing := old.intersection(corpus.lines).difference(corpus.lines_run):
        yield _caveat("the original, which the change touches,", missing)

    def covered(calls: tuple[str, ...]) -> Covered | None:
        batch = CallBatch(calls, lines=True, seconds=20.0, lost=0)
        answer = runner.ask(draft, batch).answer
        return answer.covered if answer else None

    run, lines = lines_run(covered, corpus.known) if new else (set(), ())
    if missing := new.intersection(lines).difference(run):
        yield _caveat("the change", missing)


def changed_lines(old: str, new: str) -> tuple[set[int], set[int]]:
    """Numbers of the lines that only one of two texts has."""
    sides = old.splitlines(), new.splitlines()
    found: tuple[set[int], set[int]] = set(), set()
    for name, *places in SequenceMatcher(None, *sides, autojunk=False).get_opcodes():
        if name != "equal":
            found[0].update(range(places[0] + 1, places[1] + 1))
            found[1].update(range(places[2] + 1, places[3] + 1))
    return found


def _caveat(where: str, missing: Iterable[int]) -> Caveat:
    lines = tuple(sorted(missing))
    named = ", ".join(map(str, lines[:MOST])) + ", ..." * (len(lines) > MOST)
    words = f"line{'s' * (len(lines) > 1)} {named} of {where} {'is' if len(lines) == 1 else 'are'} run by no input"
    return Caveat(CaveatKind.EVIDENCE, "", "", words, lines=lines)
