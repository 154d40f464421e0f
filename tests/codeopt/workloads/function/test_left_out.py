"""What an answer for one function says of the rest of its module is told, where it is not taken."""

from __future__ import annotations

import pytest

from codeopt.core.history import Draft
from codeopt.core.revision import Revision
from codeopt.workloads.function.view import FunctionProposer

MODULE = "LIMIT = 3\n\n\nclass Book:\n    def total(self):\n        return sum(self.rows)\n"
TOTAL = "    def total(self):\n        return {}\n"


@pytest.mark.parametrize(
    ("answer", "ignored"),
    [
        (f"class Book:\n    __slots__ = ('rows',)\n{TOTAL.format('0')}", ("__slots__ = ('rows',)",)),
        (f"LIMIT = 4\n\nclass Book:\n{TOTAL.format('LIMIT')}", ("LIMIT = 4",)),
        (f"TEXT = '''a\n    \nb'''\n\nclass Book:\n{TOTAL.format('TEXT')}", ()),
        (f"FEW = 4\n\nclass Book:\n{TOTAL.format('FEW')}", ()),
        (f"LIMIT = 3\n\nclass Book:\n    'Text.'\n{TOTAL.format('1')}\nif __name__ == '__main__':\n    main()\n", ()),
    ],
)
def test_statements_that_are_not_taken_are_named(answer: str, ignored: tuple[str, ...]) -> None:
    proposer = FunctionProposer(None, "Book.total")  # type: ignore[arg-type]
    draft = proposer.whole(Draft(Revision.of(answer), "less"), Revision.of(MODULE))
    assert draft.problem == ""
    assert draft.notes == tuple(f"not taken from the answer: {line}" for line in ignored)
