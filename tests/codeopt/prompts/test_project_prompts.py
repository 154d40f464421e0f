"""Prompts of a project against a golden file, and parts that must be in them.

After a change of what a model is told: `python -m tests.support.prompts`, and read the difference.
"""

from __future__ import annotations

import pytest

from codeopt.core.model import estimate_tokens
from tests.support.prompts import PROJECTS, record_prompts, require_golden

pytestmark = pytest.mark.full

GOAL = 8000
"""Tokens of the request for the draft of round 3, by our own estimate."""
SAID = {
    "orders": [
        "def add(self, customer, price):",  # neither hot nor called by what is: the class around is small
        "def monthly(size):",  # calls both
        "orders/book.py::Book.total  by monthly (2,400)", "Book.total(customer: str of ",
        "  if customer not in found:",  # a hot line's text
        "test_rows_that_were_added_otherwise:\ndef test_rows",  # the first failing test, its text
        "E   AssertionError: assert 0 == 4",  # its assertion
        "--- a/orders/book.py", "@@ -12,10 +12,6 @@",  # numbers as in the file
        "beside that of the original", "2,400 -> 2,400",  # the draft's own profile
    ],
}  # fmt: skip
UNSAID = {"orders": ["long docstring", "book = <"]}


@pytest.mark.parametrize("name", PROJECTS)
def test_prompts_are_as_the_golden_files_say(name: str) -> None:
    prompts = record_prompts(name)
    last = require_golden(name, prompts)
    assert estimate_tokens("".join(message.content for message in prompts.drafts[-1])) <= GOAL
    assert [part for part in SAID[name] if part not in last] == []
    assert [part for part in UNSAID[name] if part in last] == []
