"""Parts of answers that the user leaves out of the comparison."""

from __future__ import annotations

from collections.abc import Iterator

from codeopt.core.diagnostic import Diagnostic
from codeopt.core.options import ImproveOptions
from codeopt_sandbox.comparing import AnswerComparison, Observable

_WORDS = {
    Observable.ARGUMENTS: "arguments after a call are not compared",
    Observable.OUTPUT: "what is printed, warned of or logged is not compared",
    Observable.STATE: "the state of modules and of the process is not compared",
}


def comparison_of(options: ImproveOptions) -> AnswerComparison:
    """Comparison of answers, before a checker of the user's own is asked."""
    return AnswerComparison(options.tolerance, options.strict, frozenset(options.ignore_difference))


def not_compared(options: ImproveOptions) -> Iterator[Diagnostic]:
    """Diagnostics of what is left out."""
    for each in options.ignore_difference:
        yield Diagnostic(_WORDS[each], f"--ignore-difference {each}")
