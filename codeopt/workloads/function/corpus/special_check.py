"""The user's own checker, which decides what other answers of a call are also right.

Calls are made again in its process. Answers are literals and arrays, read from JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import decode_source
from typing import Any

from codeopt.core.call import Call
from codeopt.core.errors import UsageError
from codeopt.core.options import ImproveOptions
from codeopt.core.ownership import read_given
from codeopt.workloads._judging import CheckerAnswers
from codeopt.workloads.function.corpus.observe import KnownCall
from codeopt.workloads.function.harness import FunctionHarness
from codeopt_sandbox.calls import Answer, CallAnswer, CallRun, accept_program
from codeopt_sandbox.comparing import AnswerComparison, AnswerDifference, AnsweredCase
from codeopt_sandbox.guest.answer import NOTHING
from codeopt_sandbox.guest.calls.outcome import MAX_VALUE_BYTES
from codeopt_sandbox.guest.request import NO_LITERAL, CheckerRequest
from codeopt_sandbox.outcome import Case, Run
from codeopt_sandbox.verdict import Checker

TOO_LONG = "the original's own answer is too long to be handed to the checker"
Question = tuple[str, Any, Any]
"""A call, what it returns, and what else is returned, as JSON of values."""


@dataclass(frozen=True)
class Refused:
    """Answer of the original's own that the user's checker does not accept."""

    answer: Answer
    reason: str

    @property
    def is_judged(self) -> bool:
        """The checker itself refuses it: it was handed the answer."""
        return self.reason != NO_LITERAL

    @property
    def is_too_long(self) -> bool:
        """There is nothing that the checker could get."""
        return not self.is_judged and self.answer.value.size > MAX_VALUE_BYTES


@dataclass(frozen=True)
class SpecialChecker:
    """Compares answers as other checkers do, and asks the user's function about those that differ."""

    harness: FunctionHarness
    answers: CheckerAnswers[Question]
    comparison: AnswerComparison

    def __call__(self, expected: bytes, got: bytes) -> str:
        """Outputs of programs are another checker's."""
        return self.comparison(expected, got)

    def of_run(self, case: Case, run: Run) -> str:
        """Describe the first answer that is not accepted. Empty if all are accepted."""
        wanted = case.answer if isinstance(case, AnsweredCase) else None
        got = run.answer if isinstance(run, CallRun) else None
        return self.of_answers(wanted, got) if wanted and got else self.comparison.of_run(case, run)

    def of_answers(self, expected: CallAnswer, got: CallAnswer) -> str:
        """Describe the first difference of two answers that is not accepted. Empty if all are accepted."""
        told = self.comparison.differences(expected, got)
        found = [each for each in told if self.comparison.exact or each.subject is None]
        questions = {at: asked for at, each in enumerate(found) if (asked := self._question(each))}
        reasons = dict(zip(questions, self.answers.reasons(list(questions.values())), strict=True))
        for at, each in enumerate(found):
            if reason := reasons.get(at, "it is not another returned value"):
                return f"{each.words}: {reason}"
        return ""

    def accepts(self, found: AnswerDifference) -> bool:
        """Return True if the different answer is also right."""
        asked = self._question(found)
        return asked is not None and not self.answers.reasons([asked])[0]

    def refused_of_original(self, known: Sequence[KnownCall]) -> dict[Call, Refused]:
        """Answers of the original's own that the checker does not accept, by call."""
        own = {each.call: each.outcome for each in known if each.outcome.value}
        values = ((call.text, answer.value.value) for call, answer in own.items())
        reasons = self.answers.reasons([(call, value, value) for call, value in values])
        return {
            call: Refused(answer, reason) for (call, answer), reason in zip(own.items(), reasons, strict=True) if reason
        }

    def _question(self, found: AnswerDifference) -> Question | None:
        """Question about a difference; None where more differs than the value returned."""
        if found.answers is None:
            return None
        old, new = found.answers
        same = {"value": NOTHING, "private": NOTHING, "private_arguments": NOTHING, "kind": old.kind}
        alone = old.replace(**same).observed() == new.replace(**same).observed()
        if not (old.value and new.value and alone):
            return None
        return self.harness.names.written(found.call), old.value.value, new.value.value


def special_checker(
    harness: FunctionHarness, options: ImproveOptions, known: Sequence[KnownCall]
) -> SpecialChecker | None:
    """The checker that is asked for, if any. Raises UsageError where it does not accept the original's own answers to
    calls that somebody vouches for."""
    if options.special_checker is None:
        return None
    file, accept = options.special_checker
    names, source = harness.function.parameters, decode_source(read_given(file))
    answers = CheckerAnswers[Question](
        harness.sandbox,
        lambda asked: accept_program(CheckerRequest(source, str(file), accept, asked, names), harness.target),
    )
    comparison = AnswerComparison(exact=options.strict, ignored=frozenset(options.ignore_difference))
    found = SpecialChecker(harness, answers, comparison)
    # most answers of the original, to calls that somebody vouches for, that the checker must accept
    vouched = [each for each in known if each.vouched][:200]
    told = found.refused_of_original(vouched).items()
    refused = next(((call, each) for call, each in told if each.is_judged), None)
    if refused is not None:
        said = f"{refused[0].text[:160]} {refused[1].answer.text[:168]}: {refused[1].reason}"
        raise UsageError(f"--check {options.check} does not accept the original's own answer: {said}")
    return found


def undecided(check: Checker, known: Sequence[KnownCall]) -> dict[Call, str]:
    """Return by call why a difference on a call without a guarantee by the user is no evidence.

    The user's checker rejects the original's own answer there, or cannot receive it.
    """
    if not isinstance(check, SpecialChecker):
        return {}
    refused = check.refused_of_original([each for each in known if not each.vouched])
    unaccepted = {call: f"the checker does not accept the original's own answer: {each.reason}"
                  for call, each in refused.items() if each.is_judged}  # fmt: skip
    return unaccepted | {call: TOO_LONG for call, each in refused.items() if each.is_too_long}
