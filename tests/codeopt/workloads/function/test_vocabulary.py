"""What a function's text speaks of, and texts that are made of it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt.workloads.generated.vocabulary import samples, tokens, vocabulary

MODULE = '''
import re
LIMIT = 640
_marks = re.compile(r"[;|]")
_other = "never spoken of"
def helper(text):
    return text + "tail"
class Reader:
    width = 81
    def first(self, text):
        """Prose is no value."""
        if text.startswith("-"):
            return helper(_marks.split(text)[0])[: self.width + LIMIT]
'''


def test_the_own_constants_and_those_of_the_names_that_are_used() -> None:
    own = MODULE[MODULE.index("    def first") :]
    found = vocabulary(MODULE, own)
    assert set(found.own) == {"-", 0}
    assert {640, 81, "tail"} <= set(found.reached)
    assert {";", "|"} & set(found.reached)
    assert "never spoken of" not in found.reached


@pytest.mark.parametrize("broken", ["def f(:", "", "\0"])
def test_what_cannot_be_read_speaks_of_nothing(broken: str) -> None:
    assert vocabulary(broken, broken).own == ()


PATTERNS = [r"a[bc]{2,3}\d+", r"(?:x|yy)?z", r"^#!\s*(\w+)$", r"[^a-c]q", r"(?P<n>k)-\S"]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_samples_match(pattern: str) -> None:
    found = samples(pattern)
    assert found
    assert all(re.search(pattern, text) for text in found)


@given(st.text(max_size=30))
def test_tokens_are_the_whole_text(text: str) -> None:
    assert "".join(tokens(text)) == text
