"""What a difference means: by how well its input is known, and by the user's own checker."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib.util import decode_source
from typing import Any, Generic, TypeVar

from codeopt.core.errors import UsageError
from codeopt.core.options import FuzzPolicy, ImproveOptions
from codeopt.core.ownership import read_given
from codeopt.core.words import end_of_run
from codeopt_sandbox import Sandbox
from codeopt_sandbox.calls import FunctionRef, accept_program
from codeopt_sandbox.guest.request import CheckerRequest
from codeopt_sandbox.guest_bundle import GuestProgram
from codeopt_sandbox.outcome import Case, Run, Tier
from codeopt_sandbox.verdict import Checker, check_nearly, open_checker

MOST = 0.6
"""Share of the similar inputs above which a lenient policy rejects a difference: the draft is fitted to known ones."""
HANGS = 20
"""A draft that does not end within this multiple of the original's time is wrong, and not slower: nothing shows that
it ends at all. The original's time includes the start of an interpreter where it is a program's."""

_AUTO, _STRICT, _LENIENT, _OFF = FuzzPolicy
_REJECTING: Mapping[Tier, tuple[FuzzPolicy, ...]] = {
    Tier.KNOWN: (_AUTO, _STRICT, _LENIENT, _OFF),
    Tier.SIMILAR: (_AUTO, _STRICT),
    Tier.UNUSUAL: (_STRICT,),
    Tier.EXCLUDED: (),
}


@dataclass(frozen=True)
class InputPolicy:
    """Weight of differences on inputs that nobody has seen."""

    how: FuzzPolicy = _AUTO

    @classmethod
    def of(cls, how: FuzzPolicy, *, generated: bool) -> InputPolicy:
        """Return the policy where inputs may come from a generator of the user's: it knows the valid ones."""
        return cls(_OFF if generated and how is _AUTO else how)

    @property
    def generates(self) -> bool:
        """Return True if inputs are made from known ones."""
        return self.how is not _OFF

    @property
    def by_share(self) -> bool:
        """Return True if the share of differences on similar inputs decides."""
        return self.how is _LENIENT

    def rejects(self, tier: Tier, share: float = 0.0) -> bool:
        """Return True if a difference rejects a draft. Otherwise it is a caveat.

        Args:
            tier: Confidence that the input is one that the code is for.
            share: Part of the similar inputs compared that differ.
        """
        return self.how in _REJECTING[tier] or (tier is Tier.SIMILAR and self.by_share and share > MOST)


USUAL_POLICY = InputPolicy()
NOTHING_CHANGED = InputPolicy(_OFF)
"""Policy by which no inputs are made."""


# The user's own checker, which decides what other outputs of a program are also right.
#
# It is asked only about outputs that differ.

Question = tuple[Any, str, str]
"""An input, what is expected, and what is printed."""


@dataclass(frozen=True)
class OutputChecker:
    """Compares outputs by tokens, and asks the user's function about those that differ."""

    answers: CheckerAnswers[Question]
    compare: Checker = check_nearly
    """Outputs that it calls equal are not asked about."""
    command: Callable[[Case], tuple[str, ...]] | None = None
    """Arguments that a case gives to a project's command; None for a program, which has those of the case alone."""

    def __call__(self, expected: bytes, got: bytes) -> str:
        return self.compare(expected, got)

    def of_case(self, case: Case, expected: bytes, got: bytes) -> str:
        """Describe the first difference and why it is refused; empty where the output is right for this input."""
        difference = self.compare(expected, got)
        reason = self.answers.reasons([self.question(case, expected, got)])[0] if difference else ""
        return f"{difference}: {reason}" if reason else ""

    def question(self, case: Case, expected: bytes, got: bytes) -> Question:
        """Question about the output of a case."""
        given: Any = _text(case.stdin)
        args = self.command(case) if self.command is not None else case.args
        if self.command is not None or args or case.files:
            files = {path: _text(data) for path, data in case.files or ()}
            given = {"stdin": given, "args": [*args], "files": files}
        return given, _text(expected), _text(got)


def answers_of(
    options: ImproveOptions, sandbox: Sandbox, target: FunctionRef | None = None, names: tuple[str, ...] = ()
) -> CheckerAnswers[Any] | None:
    """Answers of the user's own checker; None where none is asked for. target, names: the function whose results are
    checked, and its parameters; of outputs there is none."""
    if options.special_checker is None:
        return None
    file, accept = options.special_checker
    source = decode_source(read_given(file))

    def program(asked: tuple[Any, ...]) -> GuestProgram:
        return accept_program(CheckerRequest(source, str(file), accept, asked, names), target)

    return CheckerAnswers(sandbox, program)


def checker_of(options: ImproveOptions, sandbox: Sandbox) -> Checker:
    """The checker that is asked for; last bits of floats are a caveat where white space does not matter either."""
    answers = answers_of(options, sandbox)
    if answers is not None:
        return OutputChecker(answers)
    return check_nearly if options.check == "tokens" else open_checker(options.check)


def require_own(check: Checker, cases: Sequence[Case], runs: Sequence[Run], name: str) -> None:
    """Raise UsageError where a special checker does not accept the original's own outputs."""
    if not isinstance(check, OutputChecker):
        return
    asked: list[tuple[Case, Run]] = []
    size = 0
    for case, run in sorted(zip(cases, runs, strict=True), key=lambda pair: _size(*pair)):
        size += _size(case, run)
        # Bytes of inputs and outputs of the original that the checker must accept, in one run; the shortest come first.
        if asked and size > 4_000_000:
            break
        asked.append((case, run))
    reasons = check.answers.reasons([check.question(case, run.stdout, run.stdout) for case, run in asked])
    for (case, _), reason in zip(asked, reasons, strict=True):
        if reason:
            raise UsageError(f"--check {name} does not accept the original's own output on case {case.name}: {reason}")


def refuses_own(check: Checker, case: Case) -> str:
    """Return why a difference on a mutated input is only a caveat: the checker rejects the original's own output there.

    Empty if the checker accepts it.
    """
    if not isinstance(check, OutputChecker) or case.expected is None:
        return ""
    reason = check.answers.reasons([check.question(case, case.expected, case.expected)])[0]
    return f"the checker does not accept the original's own output there: {reason}" if reason else ""


def _size(case: Case, run: Run) -> int:
    return len(case.stdin) + sum(len(data) for _, data in case.files or ()) + 2 * len(run.stdout)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


# Answers of a user's own checker. It runs in the sandbox, in a process where no draft ever runs.

PATIENCE = 6
"""Most times of the limit of a run that the checker has for several questions, which it answers one after another."""
Q = TypeVar("Q")
"""A question: what was given, what is expected, and what is there in its place."""


@dataclass
class CheckerAnswers(Generic[Q]):
    """Reasons of refusal; each question is asked once."""

    sandbox: Sandbox
    program: Callable[[tuple[Q, ...]], GuestProgram]
    """Makes the program that asks the checker."""
    known: dict[bytes, str] = field(default_factory=dict)
    """Reasons so far, empty where accepted, by digest of the question: its texts may be long."""

    def reasons(self, questions: Sequence[Q]) -> list[str]:
        """The reason of refusal for each, empty where accepted; new ones are asked in one run."""
        keys = [sha256(repr(each).encode("utf-8", "surrogatepass")).digest() for each in questions]
        new = {key: each for key, each in zip(keys, questions, strict=True) if key not in self.known}
        if new:
            limits = self.sandbox.limits
            patience = replace(limits, seconds=limits.seconds * min(len(new), PATIENCE))
            run = self.sandbox.run(self.program(tuple(new.values())), mode="exec", limits=patience)
            try:
                self.known.update(zip(new, map(str, json.loads(run.stdout)), strict=True))
            except (ValueError, TypeError):  # it ended, or wrote something else in its place
                self.known.update(dict.fromkeys(new, f"the checker gives no answer: {end_of_run(run)}"))
        return [self.known[key] for key in keys]
