"""A checker of the user's own: which other answers of a call are right, too.

In its process calls are made anew, and answers are read from their texts as literals and arrays.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import decode_source

from codeopt.core.errors import UsageError
from codeopt.core.options import ImproveOptions
from codeopt.workloads._checker_answers import CheckerAnswers
from codeopt.workloads.function.corpus.observe import KnownCall
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.source.functions import definition
from codeopt_sandbox.answers import AnswerDifference, differences
from codeopt_sandbox.calls import accept_program
from codeopt_sandbox.guest.accept.request import NO_LITERAL, AcceptRequest
from codeopt_sandbox.guest.calls.repr.plain import BYTES
from codeopt_sandbox.guest.calls.repr.private import segments
from codeopt_sandbox.verdict import Checker

RETURNS = "returns "
OWN = 200
"""Most answers of the original, to calls that somebody vouches for, that the checker must accept."""
DIGEST = "sha256 "
"""Beginning of what stands for a part of an answer that is too long to show."""
TOO_LONG = "the original's own answer is too long to be handed to the checker"
Question = tuple[str, str, str]
"""A call, what it returns, and what else is returned."""


@dataclass(frozen=True)
class Refused:
    """Answer of the original's own that the user's checker does not accept."""

    expected: str
    reason: str

    @property
    def is_judged(self) -> bool:
        """The checker itself refuses it: it was handed the answer."""
        return self.reason != NO_LITERAL

    @property
    def is_too_long(self) -> bool:
        """A digest alone stands for the answer, or for a part of it: there is nothing that the checker could get."""
        return not self.is_judged and self.expected.count(DIGEST) > self.expected.count(BYTES)


@dataclass(frozen=True)
class SpecialChecker:
    """Compares answers as other checkers do, and asks the user's function about those that differ."""

    bench: FunctionHarness
    answers: CheckerAnswers[Question]
    exact: bool
    may_change: bool

    def __call__(self, expected: bytes, got: bytes) -> str:
        """Describe the first answer that is not accepted; empty when there is none."""
        told = differences(expected, got, may_change=self.may_change)
        found = [each for each in told if self.exact or each.subject is None]
        questions = {at: asked for at, each in enumerate(found) if (asked := self._question(each))}
        reasons = dict(zip(questions, self.answers.reasons(list(questions.values())), strict=True))
        for at, each in enumerate(found):
            if reason := reasons.get(at, "it is no other value returned"):
                return f"{each.words}: {reason}"
        return ""

    def refused_of_original(self, known: Sequence[KnownCall]) -> dict[str, Refused]:
        """Answers of the original's own that the checker does not accept, by call."""
        own = {each.text: text for each in known if (text := _returned(each.outcome.text)) is not None}
        reasons = self.answers.reasons([(call, text, text) for call, text in own.items()])
        return {call: Refused(text, reason) for (call, text), reason in zip(own.items(), reasons, strict=True)
                if reason}  # fmt: skip

    def _question(self, found: AnswerDifference) -> Question | None:
        """Question about a difference; None where more differs than the value returned."""
        old, new = _returned(found.expected), _returned(found.got)
        alike = segments(found.expected)[1:] == segments(found.got)[1:]
        if not found.call or not alike or old is None or new is None:
            return None
        return self.bench.names.written(found.call), old, new


def special_checker(
    bench: FunctionHarness, options: ImproveOptions, known: Sequence[KnownCall]
) -> SpecialChecker | None:
    """The checker that is asked for, if any. Raises UsageError where it does not accept the original's own answers to
    calls that somebody vouches for."""
    if options.special_checker is None:
        return None
    file, accept = options.special_checker
    node = definition(ast.parse(bench.function.source), bench.function.qualname)
    names = tuple(each.arg for each in (*node.args.posonlyargs, *node.args.args)) if node else ()
    source = decode_source(file.read_bytes())
    answers = CheckerAnswers[Question](
        bench.sandbox,
        lambda asked: accept_program(bench.target, AcceptRequest(source, str(file), accept, names, asked)),
    )
    found = SpecialChecker(bench, answers, options.strict, options.may_change_arguments)
    vouched = [each for each in known if each.vouched][:OWN]
    told = found.refused_of_original(vouched).items()
    refused = next(((call, each) for call, each in told if each.is_judged), None)
    if refused is not None:
        said = f"{refused[0][:160]} returns {refused[1].expected[:160]}: {refused[1].reason}"
        raise UsageError(f"--check {options.check} does not accept the original's own answer: {said}")
    return found


def undecided(check: Checker, known: Sequence[KnownCall]) -> dict[str, str]:
    """Why a difference on a call that nobody vouches for says nothing: the user's checker, if that is what compares,
    does not accept the original's own answer there either, or cannot be handed it. By call."""
    if not isinstance(check, SpecialChecker):
        return {}
    refused = check.refused_of_original([each for each in known if not each.vouched])
    unaccepted = {call: f"the checker does not accept the original's own answer: {each.reason}"
                  for call, each in refused.items() if each.is_judged}  # fmt: skip
    return unaccepted | {call: TOO_LONG for call, each in refused.items() if each.is_too_long}


def _returned(outcome: str) -> str | None:
    """Text of the value that a call returns; None where it does something else."""
    first = segments(outcome)[0]
    return first[len(RETURNS) :] if first.startswith(RETURNS) else None
