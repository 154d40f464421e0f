"""Easier to read: the same behaviour, not more than 5 % slower, and better by measures that a machine takes.

The score compares five levels of the program's text with the original's, each from 0 (poor) to 1 (enough), so that
more of a good thing stops counting where it stops helping:

- comments: lines of docstrings, and of comments that say what the code does not, over lines that are not blank, 1 at
  20 %;
- functions: functions with a reason for each 12 lines that are not blank, 1 at one function for each 12;
- names: share of meaningful names, of a few words that can be read;
- branches: 1 for at most 5 in the most complex function, 0 from 20 on;
- findings: 1 for none from the linter, 0 from one in each third line on (left out when ruff is absent).

The score is the mean of the gains, where a loss counts twice: a program that wins comments by giving up names is not
better.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from codeopt import tasks
from codeopt.analysis.nodes import changed_part
from codeopt.core import words
from codeopt.core.history import Candidate, Critique, History, Preferred, TaskMeasure, TaskScore
from codeopt.core.program import Target
from codeopt.tasks._readability_measures import WHOLE, Focus, Readability, measure, measure_both, parts
from codeopt_sandbox.compare import Decision

SYSTEM = """\
You make Python programs easy to read without changing what they do. Each one is run on test cases, timed against the
original, and its text measured: comment lines, functions, meaningful names, complexity, a linter's findings. One that
is wrong or more than 5% slower is refused; up to that a loss of speed costs nothing. A reader needs, in this order:
$guidance

$rules"""

LOOK = """\
what stops a reader: which line, why, and what to write instead (the name, the function to take out and its job, the
  comment that is missing: one that gives a reason and does not repeat its line)."""

RATING = """\
- Before the last line write one of `READABILITY: BETTER`, `READABILITY: SAME`, `READABILITY: WORSE`: the newest
  program, read by somebody who sees it for the first time, against the original.
"""

GUIDANCE = """\
1. Names that say what a value is or what a function does; one-letter names only for the index of a short loop.
2. Functions with one job each, so that the main path reads as a summary; no function for its own sake, none in the
hottest loop.
3. Comments and docstrings that give reasons, units and formats; none that repeat the code.
4. Fewer branches and less nesting: leave early, use tables, conditions that read as sentences.
5. One statement a line, constants with names, no dead code, the usual layout and naming (PEP 8)."""

QUESTION = """\
Two programs that do the same. Which one is easier to read for a programmer who sees it for the first time and has to
change it tomorrow? Names that say what things are, functions with one job, comments that give reasons make reading
easier; comments that repeat the code, functions without a reason and names longer than what they say make it harder."""

OF_EXCERPTS = frozenset({"F401", "F821", "F811"})
"""Codes of what a linter finds in an excerpt of a module because the rest is not there."""

_CRITIC = re.compile(r"^\W*READABILITY\W+(BETTER|SAME|WORSE)\b", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class ReadabilityTask(tasks.Aim):
    """The readability of the program's text."""

    name: str = "readability"
    metric: tasks.Metric = "time"
    min_gain: float = 0.03
    """Least score: a mean gain of 3 % of the scale, such as one of five levels up by 15 %."""
    prompts: tasks.Prompts = tasks.Prompts.usual(
        SYSTEM, "as easy to read as you can make it, and no slower", LOOK, "wrong or too slow", RATING
    )
    guidance: str = GUIDANCE
    tolerated_slowdown: float | None = tasks.MAX_SLOWDOWN
    needs_model: bool = True
    judge_question: str = QUESTION
    needs_time: bool = False
    score_column: str = "readability"
    focus: Focus = WHOLE
    """The function that is measured, without the module around it; the whole text where none is named."""

    def for_target(self, target: Target) -> ReadabilityTask:
        """The task for one function of a project, which is measured alone and by the project's linter settings."""
        return replace(self, focus=Focus(target.name, str(target.path.resolve()))) if target.name else self

    def why_not(self, candidate: Candidate, original: Candidate) -> str:
        """Return the reason against the candidate.

        Empty if it is right, not too slow, better by the measures, and the critic, if asked, agrees.
        """
        if reason := tasks.common_rejection(candidate) or tasks.too_slow(candidate):
            return reason
        gained = gain(_text(candidate), _text(original), self.focus)
        if gained is None:
            return "its text cannot be parsed"
        if gained < self.min_gain:
            figure = f"gain {gained:+.3f}, at least {self.min_gain} is asked for"
            return f"its readability measures are not better ({figure})"
        if candidate.preference and candidate.preference.winner is not Preferred.SECOND:
            who = "the original" if candidate.preference.winner is Preferred.FIRST else "neither"
            return f"a reader prefers {who}: {candidate.preference.reason}"
        opinions = _CRITIC.findall(candidate.critique)
        if opinions and opinions[-1].upper() != "BETTER":
            return f"the critic finds it {opinions[-1].lower()}, not better"
        return ""

    def score(self, candidate: Candidate, original: Candidate) -> float | None:
        """The mean gain of the five levels, losses counted twice."""
        return None if self.why_not(candidate, original) else gain(_text(candidate), _text(original), self.focus)

    def worse(self, candidate: Candidate, original: Candidate) -> str:
        """Return the reason if it is too unreadable for another aim's change. Empty if it is not."""
        if candidate.preference and candidate.preference.winner is Preferred.FIRST:
            return f"a reader prefers the original: {candidate.preference.reason}"
        gained = gain(_text(candidate), _text(original), self.focus)
        return "" if gained is not None and gained >= 0 else "it is less readable than the original"

    def task_score(self, candidate: Candidate, original: Candidate) -> TaskScore | None:
        """Return the mean of the levels and what they are made of. None for a text that cannot be parsed."""
        try:
            old, new = measure_both(_text(original), _text(candidate), self.focus)
        except SyntaxError:
            return None
        before, after = (sum(found.values()) / len(found) for found in (levels(old), levels(new)))
        refused = self.why_not(candidate, original)
        verdict = "not accepted" if refused else "more readable"
        remark = refused or _pace(candidate) + "; preferred by a reader" * (candidate.preference is not None)
        return TaskScore(self.name, before, after, verdict, figures(old, new), remark)

    def judge_view(self, original: str, changed: str) -> tuple[str, str]:
        """Return the changed part if one function of a module is improved, else all of both texts."""
        return parts(original, changed, self.focus)

    def is_sufficient(self, critique: Critique, history: History) -> bool:
        """The critic finds nothing left to improve in a draft that is right and not too slow."""
        return tasks.critic_is_done(critique, history) and not tasks.too_slow(history.last)

    def measure(self, source: str) -> str:
        """The paper's three measures, complexity and findings by line."""
        return self.measure_change(source, source)

    def measure_change(self, source: str, original: str) -> str:
        """The measures of `measure`; of a function, with what is new or others than in the original."""
        try:
            if not self.focus.qualname:
                return report(measure(source))
            _, part = changed_part(original, source, self.focus.qualname)
            found = measure(source, part, self.focus.file)
            known = found.findings and tuple(finding for finding in found.findings if finding.code not in OF_EXCERPTS)
            return report(replace(found, findings=known))
        except SyntaxError as error:
            return f"not measured: syntax error in line {error.lineno or '?'}"


def figures(old: Readability, new: Readability) -> tuple[TaskMeasure, ...]:
    """Figures that the levels are made of, before and after."""
    found = [
        TaskMeasure("comments", old.comment_share, new.comment_share, "%"),
        TaskMeasure("docstring lines", old.docstring_lines, new.docstring_lines),
        TaskMeasure("functions", old.functions, new.functions),
        TaskMeasure("meaningful names", old.meaningful_share, new.meaningful_share, "%"),
        TaskMeasure("branches", old.complexity[0].branches, new.complexity[0].branches),
    ]
    if old.findings is not None and new.findings is not None:
        found.append(TaskMeasure("findings", len(old.findings), len(new.findings)))
    return tuple(found)


def _text(candidate: Candidate) -> str:
    """All files, one after the other: a project is measured as a whole."""
    return "\n".join(candidate.revision.values())


def _pace(candidate: Candidate) -> str:
    """Compare its speed with the original's, in words."""
    compared = candidate.by("time")
    if compared is None or compared.decision is Decision.SAME or not compared.pairs:
        return words.AS_BEFORE
    return words.gain(compared.ratio) if compared.ratio >= 1 else words.more_time(compared.ratio)


def gain(candidate: str, original: str, focus: Focus = WHOLE) -> float | None:
    """Mean gain of the levels from -2 to 1, losses counted twice. None if one of the two cannot be parsed."""
    try:
        old, new = map(levels, measure_both(original, candidate, focus))
    except SyntaxError:
        return None
    gains = [new[name] - old[name] for name in new.keys() & old.keys()]
    return sum(each if each > 0 else 2 * each for each in gains) / len(gains)


def levels(readability: Readability) -> dict[str, float]:
    """Each measure on a scale from 0 to 1; see the top of this file."""
    lines = max(1, readability.code_lines)
    scales = {
        "comments": (readability.telling_comments + readability.telling_docstring_lines) / lines / 0.20,
        "functions": readability.reasonable_functions / (lines / 12),
        "names": readability.meaningful_share,
        "branches": (20 - readability.complexity[0].branches) / 15,
    }
    if readability.findings is not None:
        scales["findings"] = 1 - len(readability.findings) / lines * 3
    return {name: min(1.0, max(0.0, value)) for name, value in scales.items()}


def report(readability: Readability) -> str:
    """The measures as the proposer reads them."""
    named = len(readability.names) - len(readability.meaningless)
    shares = [
        f"comment lines: {readability.comments} of {readability.code_lines} ({readability.comment_share:.0%})",
        f"docstring lines: {readability.docstring_lines}",
        f"functions: {readability.functions}",
        f"meaningful names: {named} of {len(readability.names)} ({readability.meaningful_share:.0%})",
    ]
    if readability.meaningless:
        little = ", ".join(f"{name.text} (line {name.line})" for name in readability.meaningless[:15])
        shares.append(f"names that say little: {little}")
    most = ", ".join(f"{each.name} (line {each.line}) {each.branches}" for each in readability.complexity[:6])
    shares.append(f"complexity: {most}")
    if readability.findings is None:
        return "\n".join([*shares, "linter's findings: not known, ruff is not installed or failed"])
    rows = [f"  line {f.line}: {f.code} {f.message[:120]}" for f in readability.findings[:12]]
    more = [f"  and {len(readability.findings) - 12} more"] if len(readability.findings) > 12 else []
    return "\n".join([*shares, f"linter's findings: {len(readability.findings)}", *rows, *more])


TASK = ReadabilityTask()
