"""Process settings that a candidate's import or calls change, unlike the original's.

Changes by an imported library are not the candidate's. To find them, the original runs once more and then imports the
libraries that only the candidate loads. Settings that this run leaves are excused.
"""

from __future__ import annotations

from dataclasses import replace

from codeopt.core.revision import Revision
from codeopt.workloads.function.timed_runs import TimedRuns
from codeopt_sandbox.call_answer import CallRun, LeftSetting, ProcessChanges
from codeopt_sandbox.calls import CallBatch
from codeopt_sandbox.guest.calls.process_state import IMPORT
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
