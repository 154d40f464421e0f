"""A function in a later text of its module, such as one with several suggestions applied: is it still right?"""

from __future__ import annotations

from collections.abc import Callable

from codeopt.functions.bench import open_bench
from codeopt.functions.compare import prepare, wrong_answer
from codeopt.functions.flags import Chosen
from codeopt.functions.target import Function
from codeopt.functions.tests import failing
from sandbox import Sandbox
from sandbox.compare import StoppingRule


def recheck(
    function: Function,
    source: str,
    options: Chosen,
    open_with: Callable[[tuple[tuple[str, str], ...]], Sandbox],
    notify: Callable[[str], None] = lambda line: None,
) -> str:
    """Why `source` is not right for the function: a call that is answered otherwise, a test that fails. Empty when it
    is. Raises ProgramError."""
    with open_bench(function, open_with, options.tests) as bench:
        bench, evidence, judge = prepare(bench, options, StoppingRule(), notify, timing=False)
        wrong = wrong_answer(judge, source)
        return wrong or (failing(bench, source, evidence.tests) if evidence.tests else "")
