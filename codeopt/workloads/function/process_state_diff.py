"""Process settings that a candidate's import or calls change, unlike the original's.

Changes by an imported library are not the candidate's. To find them, the original runs once more and then imports the
libraries that only the candidate loads. Settings that this run leaves are excused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from codeopt.core.revision import Revision
from codeopt.workloads.function.timed_runs import TimedRuns
from codeopt_sandbox.call_answer import LeftSetting, ProcessChanges
from codeopt_sandbox.calls import CallBatch, CallRun
from codeopt_sandbox.guest.calls.outcome import COUNTED, IMPORT
from codeopt_sandbox.outcome import CaseVerdict, ChangedSetting, Outcome

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
    return replace(outcome, verdict=CaseVerdict.WA, detail=sentence(new), settings=told(new)) if new else outcome


def new_process_state(runner: TimedRuns, original: Revision, left: ProcessChanges) -> tuple[LeftSetting, ...]:
    """Return the settings that neither the original nor the additional libraries change."""
    known = runner.left.get((original, ()), [])
    found = beyond(left.settings, known)
    have = {name for each in known for name in each.libraries}
    libraries = tuple(name for name in left.libraries if name not in have)
    if not found or not libraries:
        return found
    return beyond(found, [*known, *imported(runner, original, libraries)])


def imported(runner: TimedRuns, original: Revision, libraries: tuple[str, ...]) -> list[ProcessChanges]:
    """Settings that the original leaves, with libraries imported after it: asked once."""
    key = original, libraries
    if key not in runner.left:
        run = runner.ask(original, CallBatch(libraries, "inspect", "libraries", seconds=IMPORT_S))
        left = run.answer.left if run.answer else None
        runner.left[key] = [left] if left else []
    return runner.left[key]


def beyond(settings: Iterable[LeftSetting], known: list[ProcessChanges]) -> tuple[LeftSetting, ...]:
    """Settings that none of the known leaves; of what is counted, any number."""
    texts = {(each.name, each.after) for left in known for each in left.settings}
    names = {each.name for left in known for each in left.settings if each.name.startswith(COUNTED)}
    return tuple(each for each in settings if each.name not in names and (each.name, each.after) not in texts)


def told(settings: tuple[LeftSetting, ...]) -> tuple[ChangedSetting, ...]:
    """Settings in the form that a history keeps."""
    return tuple(
        ChangedSetting(each.name, each.before, each.after, "import" if each.when == IMPORT else "calls")
        for each in settings
    )


def sentence(settings: tuple[LeftSetting, ...]) -> str:
    """`its import leaves the switch interval at 5.0 (0.005 before), the original's does not`."""
    who = "import leaves" if settings[0].when == IMPORT else "calls leave"
    alike = [each for each in settings if each.when == settings[0].when]
    shown = "; ".join(
        f"{each.name}: {each.after or 'nothing'} ({each.before or 'nothing'} before)" for each in alike[:NAMED]
    )
    more = len(settings) - len(alike[:NAMED])
    rest = f", and {more} more" * bool(more)
    return f"its {who} settings of the whole process changed, which the original's does not: {shown}{rest}"
