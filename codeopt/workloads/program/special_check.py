"""The user's own checker, which decides what other outputs of a program are also right.

It is asked only about outputs that differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import decode_source
from typing import Any

from codeopt.core.errors import UsageError
from codeopt.core.options import ImproveOptions
from codeopt.core.ownership import read_given
from codeopt.workloads._checker_answers import CheckerAnswers
from codeopt_sandbox import Sandbox
from codeopt_sandbox.calls import outputs_program
from codeopt_sandbox.guest.accept.request import OutputsRequest
from codeopt_sandbox.outcome import Case, Run
from codeopt_sandbox.verdict import Checker, check_nearly, open_checker

OWN_BYTES = 4_000_000
"""Bytes of inputs and outputs of the original that the checker must accept, in one run; the shortest come first."""
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


def answers_of(options: ImproveOptions, sandbox: Sandbox) -> CheckerAnswers[Question] | None:
    """Answers of the user's own checker of outputs; None where none is asked for."""
    if options.special_checker is None:
        return None
    file, accept = options.special_checker
    source = decode_source(read_given(file))
    return CheckerAnswers(sandbox, lambda asked: outputs_program(OutputsRequest(source, str(file), accept, asked)))


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
        if asked and size > OWN_BYTES:
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
