"""A draft of a project as a language model is shown it: the diff of its files, its profile beside an earlier one."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from codeopt.core.history import Candidate, History, RoundView
from codeopt.core.revision import Revision
from codeopt.core.sanitize import cut, fenced
from codeopt_sandbox.profile import HotFunction, Profile

CONTEXT = 2
"""Lines around each change."""
LONGEST_DIFF = (5_000, 500)
"""Characters of a diff that are kept at its start and at its end."""
ROWS = 8
"""Maximum number of functions whose times are told."""
LINES = 6
"""Maximum number of hot lines that are told."""
LEAST = 0.02
"""Minimum share of the command, of a function's time or of what it gained or lost, that is worth a row."""


def round_views(history: History) -> Mapping[int, RoundView]:
    """Views of the drafts that could be put into the project."""
    original = history.original.revision
    return {
        each.round: RoundView(diff(original, each.revision), _profile(each, _before(each, history)))
        for each in history.candidates[1:]
        if not each.revision.is_one_file
    }


def diff(old: Revision, new: Revision) -> str:
    """Unified diff of the files that differ, with the line numbers that they have there."""
    out: list[str] = []
    for path in new.changed_files(old):
        pair = (old[path].splitlines(), new[path].splitlines())
        out += difflib.unified_diff(*pair, f"a/{path}", f"b/{path}", n=CONTEXT, lineterm="")
    return cut("\n".join(out), *LONGEST_DIFF) or "(no file differs)"


def _before(candidate: Candidate, history: History) -> Candidate:
    """The round that a draft's profile is told beside: the one it was made from, or the newest before, that has one."""
    earlier = [each for each in history.candidates if each.round < candidate.round and each.profile and each.outcomes]
    parents = [each for each in earlier if each.round in candidate.parents]
    return (parents or earlier or [history.original])[-1]


def _profile(candidate: Candidate, before: Candidate) -> str:
    """Times of functions in both, and where the time goes now; empty without a profile of both."""
    new, old = candidate.profile, before.profile
    if not new or not old or not candidate.outcomes or not before.outcomes:
        return ""
    which = "the original" if before.round == 0 else f"round {before.round}"
    head = f"Profile of this draft beside that of {which}, each function's own CPU time:"
    rows = [f"{which[-8:]:>9} {'this':>9} {'calls':>18}  function", *_functions(candidate, before, new, old)]
    lines = [f"{line.share:6.1%} {line.named}  {line.text.strip()[:100]}" for line in new.lines if line.share >= LEAST]
    now = [f"Its hot lines, with shares of the command:\n{fenced(chr(10).join(lines[:LINES]))}"] if lines else []
    return "\n".join([head, fenced("\n".join(rows)), *now])


def _functions(candidate: Candidate, before: Candidate, new: Profile, old: Profile) -> Sequence[str]:
    now_s, then_s = (each.outcomes[0].run.cpu_s or 1.0 for each in (candidate, before))
    now, then = ({f.name: f for f in profile.functions} for profile in (new, old))
    took = {name: (_seconds(then.get(name), then_s), _seconds(now.get(name), now_s)) for name in {**then, **now}}
    worth = [name for name, (a, b) in took.items() if max(a / then_s, b / now_s, abs(a - b) / then_s) >= LEAST]
    worth.sort(key=lambda name: -max(took[name]))
    return [
        f"{_ms(took[name][0])} {_ms(took[name][1])} {_calls(then.get(name)):>8} -> {_calls(now.get(name)):<6}  {name}"
        for name in worth[:ROWS]
    ]


def _seconds(function: HotFunction | None, total_s: float) -> float:
    return function.share * total_s if function else 0.0


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:6.1f} ms"


def _calls(function: HotFunction | None) -> str:
    return f"{function.hits:,}" if function else "0"
