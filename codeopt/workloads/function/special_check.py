"""A checker of the user's own: which other answers of a call are right, too.

It runs in the sandbox, in a process where no draft ever runs: calls are made anew there, answers are read from their
texts as literals and arrays.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import decode_source

from codeopt.core.errors import UsageError
from codeopt.core.options import ImproveOptions
from codeopt.workloads.function.corpus.observe import KnownCall
from codeopt.workloads.function.harness import FunctionHarness, why
from codeopt.workloads.source.functions import definition
from codeopt_sandbox.answers import AnswerDifference, differences
from codeopt_sandbox.calls import accept_program
from codeopt_sandbox.guest.accept.request import NO_LITERAL, AcceptRequest
from codeopt_sandbox.guest.calls.repr.private import segments
from codeopt_sandbox.verdict import Checker

RETURNS = "returns "
OWN = 200
"""Most answers of the original, to calls that somebody vouches for, that the checker must accept."""
Question = tuple[str, str, str]
"""A call, what it returns, and what else is returned."""


@dataclass(frozen=True)
class Refused:
    """Answer of the original's own that the user's checker does not accept."""

    expected: str
    reason: str


@dataclass(frozen=True)
class SpecialChecker:
    """Compares answers as other checkers do, and asks the user's function about those that differ."""

    bench: FunctionHarness
    file: str
    source: str
    accept: str
    names: tuple[str, ...]
    """Positional parameters of the function under test."""
    exact: bool
    may_change: bool
    known: dict[Question, str] = field(default_factory=dict)
    """Reasons of refusal so far, empty where accepted: each is asked once."""

    def __call__(self, expected: bytes, got: bytes) -> str:
        """Describe the first answer that is not accepted; empty when there is none."""
        told = differences(expected, got, may_change=self.may_change)
        found = [each for each in told if self.exact or each.subject is None]
        questions = {at: asked for at, each in enumerate(found) if (asked := self._question(each))}
        self.ask(list(questions.values()))
        for at, each in enumerate(found):
            reason = self.known[questions[at]] if at in questions else "it is no other value returned"
            if reason:
                return f"{each.words}: {reason}"
        return ""

    def ask(self, questions: Sequence[Question]) -> None:
        """Find out about new questions, all in one run."""
        new = [each for each in dict.fromkeys(questions) if each not in self.known]
        if not new:
            return
        request = AcceptRequest(self.source, self.file, self.accept, self.names, tuple(new))
        run = self.bench.sandbox.run(accept_program(self.bench.target, request), mode="exec")
        try:
            self.known.update(zip(new, map(str, json.loads(run.stdout)), strict=True))
        except (ValueError, TypeError):  # it ended, or wrote something else in its place
            self.known.update(dict.fromkeys(new, f"the checker gives no answer: {why(run)}"))

    def refused_of_original(self, known: Sequence[KnownCall]) -> dict[str, Refused]:
        """Answers of the original's own that the checker does not accept, by call."""
        own = {
            each.text: (each.text, text, text) for each in known if (text := _returned(each.outcome.text)) is not None
        }
        self.ask(list(own.values()))
        return {call: Refused(asked[1], self.known[asked]) for call, asked in own.items()
                if self.known[asked] not in ("", NO_LITERAL)}  # fmt: skip

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
    found = SpecialChecker(
        bench, str(file), decode_source(file.read_bytes()), accept, names, options.strict, options.may_change_arguments
    )
    vouched = [each for each in known if each.vouched][:OWN]
    refused = next(iter(found.refused_of_original(vouched).items()), None)
    if refused is not None:
        said = f"{refused[0][:160]} returns {refused[1].expected[:160]}: {refused[1].reason}"
        raise UsageError(f"--check {options.check} does not accept the original's own answer: {said}")
    return found


def undecided(check: Checker, known: Sequence[KnownCall]) -> dict[str, str]:
    """Why a difference on a call says nothing: the user's checker, if that is what compares, does not accept the
    original's own answer there either. By call."""
    if not isinstance(check, SpecialChecker):
        return {}
    made_up = [each for each in known if not each.vouched]
    return {call: f"the checker does not accept the original's own answer: {each.reason}"
            for call, each in check.refused_of_original(made_up).items()}  # fmt: skip


def _returned(outcome: str) -> str | None:
    """Text of the value that a call returns; None where it does something else."""
    first = segments(outcome)[0]
    return first[len(RETURNS) :] if first.startswith(RETURNS) else None
