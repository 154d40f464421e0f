"""What is compared beside the answers: views of objects, the state of the process, lines that no call ran."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from difflib import SequenceMatcher

from codeopt.core.revision import Revision
from codeopt.workloads.function.corpus.corpus import CallCorpus, Covered, lines_run
from codeopt.workloads.function.harness import TimedRuns
from codeopt_sandbox.call_answer import CallRun, LeftSetting, ProcessChanges
from codeopt_sandbox.calls import Answer, CallBatch
from codeopt_sandbox.comparing import AnswerComparison, AnsweredCase
from codeopt_sandbox.guest.calls.process_state import IMPORT
from codeopt_sandbox.guest.request import batch_of
from codeopt_sandbox.outcome import CaseVerdict, Caveat, CaveatKind, ChangedSetting, Mode, Outcome

FIRST = 60
"""First calls, the objects of all of which are asked; each takes a process of its own."""
EVERY = 8
"""Number of later calls of which one is asked."""


def judge_views(
    runner: TimedRuns, original: Revision, draft: Revision, case: AnsweredCase, outcome: Outcome,
    comparison: AnswerComparison, mode: Mode,
) -> Outcome:  # fmt: skip
    """A right outcome as a wrong one, where objects of the draft's answer their callers otherwise."""
    run = outcome.run
    if outcome.verdict is not CaseVerdict.AC or draft == original or not isinstance(run, CallRun):
        return outcome
    batch = _asked(case, run)
    if batch is None:
        return outcome
    environment, stdin = case.environment, batch.stdin()
    old, new = (runner.run(side, stdin, mode=mode, environment=environment).answer for side in (original, draft))
    if old is None:
        return outcome
    if new is None:
        return replace(outcome, verdict=CaseVerdict.WA, detail="there is no answer when its objects are asked")
    for call, was, now in zip(old.calls, old.outcomes, new.outcomes, strict=False):
        if found := comparison.seen_by_callers(was, now, timed=batch.program == "time"):
            return replace(outcome, verdict=CaseVerdict.WA, detail=replace(found, call=call).words)
    return outcome


def _asked(case: AnsweredCase, run: CallRun) -> CallBatch | None:
    """Return the calls whose objects have a hidden part. None if nothing is hidden."""
    if case.answer is None or run.answer is None:
        return None
    pairs = zip(case.answer.outcomes, run.answer.outcomes, strict=False)
    keeping = [at for at, pair in enumerate(pairs) if any(map(_is_asked, pair))]
    if not keeping:
        return None
    batch = batch_of(case.stdin)
    if batch.program == "time":
        return batch.replace(views=True, whole=False, passes=1)
    chosen = [at for number, at in enumerate(keeping) if number < FIRST or number % EVERY == 0]
    return batch.replace(views=True, calls=tuple(batch.calls[at] for at in chosen))


def _is_asked(answer: Answer) -> bool:
    """Return True if a part of an answer is visible only through a question."""
    hidden = answer.private or answer.private_arguments or answer.overrides
    return bool(hidden) or any(map(_is_asked, answer.steps))


# Process settings that a candidate's import or calls change, unlike the original's.
#
# Changes by an imported library are not the candidate's. To find them, the original runs once more and then imports the
# libraries that only the candidate loads. Settings that this run leaves are excused.

IMPORT_S = 60.0
"""Time limit of importing the libraries, seconds."""
NAMED = 3
"""Number of settings named in a line; `--json` has all."""


def check_process_state(runner: TimedRuns, original: Revision, draft: Revision, outcome: Outcome) -> Outcome:
    """A right run as a wrong one, where it leaves what the original does not."""
    run = outcome.run
    left = run.answer.left if isinstance(run, CallRun) and run.answer else None
    if outcome.verdict is not CaseVerdict.AC or draft == original or left is None:
        return outcome
    new = new_process_state(runner, original, left)
    told = tuple(ChangedSetting(e.name, e.before, e.after, "import" if e.when == IMPORT else "calls") for e in new)
    return replace(outcome, verdict=CaseVerdict.WA, detail=_sentence(new), settings=told) if new else outcome


def new_process_state(runner: TimedRuns, original: Revision, left: ProcessChanges) -> tuple[LeftSetting, ...]:
    """Return the settings that neither the original nor the additional libraries change."""
    known = runner.left.get((original, ()), [])
    found = left.beyond(known)
    have = {name for each in known for name in each.libraries}
    libraries = tuple(name for name in left.libraries if name not in have)
    if not found.settings or not libraries:
        return found.settings
    key = original, libraries
    if key not in runner.left:
        run = runner.ask(original, CallBatch(libraries, "inspect", "libraries", seconds=IMPORT_S))
        runner.left[key] = [run.answer.left] if run.answer and run.answer.left else []
    return found.beyond(runner.left[key]).settings


def _sentence(settings: tuple[LeftSetting, ...]) -> str:
    """`its import leaves the switch interval at 5.0 (0.005 before), the original's does not`."""
    who = "import leaves" if settings[0].when == IMPORT else "calls leave"
    shown = [each for each in settings if each.when == settings[0].when][:NAMED]
    words = "; ".join(f"{each.name}: {each.after or 'nothing'} ({each.before or 'nothing'} before)" for each in shown)
    more = f", and {len(settings) - len(shown)} more" if len(settings) > len(shown) else ""
    return f"its {who} settings of the whole process changed, which the original's does not: {words}{more}"


# Lines of a change that no input runs.

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
