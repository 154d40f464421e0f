"""What a function's text speaks of, and texts that are made of it."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt.workloads.generated.derive import derive
from codeopt.workloads.generated.vocabulary import Texts, samples, tokens, vocabulary
from codeopt.workloads.source.literals import read

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


ROWS = """\
def f(rows, by):
    return [(row["number"], row.get("amount", 0), by["x":]) for row in rows]
"""


def test_rows_have_the_keys_that_the_text_reads() -> None:
    assert vocabulary(ROWS, ROWS).keys == ("number", "amount")
    made = [
        call.values[0]
        for text in derive(["f([{'number': 1}])"], 300, 1, vocabulary(ROWS, ROWS))
        if (call := read(text))
    ]
    assert any({"number", "amount"} <= row.keys() for rows in made for row in rows if isinstance(row, dict))


@pytest.mark.parametrize("broken", ["def f(:", "", "\0"])
def test_what_cannot_be_read_speaks_of_nothing(broken: str) -> None:
    assert vocabulary(broken, broken).own == ()


PATTERNS = [r"a[bc]{2,3}\d+", r"(?:x|yy)?z", r"^#!\s*(\w+)$", r"[^a-c]q", r"(?P<n>k)-\S"]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_samples_match(pattern: str) -> None:
    found = samples(pattern)
    assert found
    assert all(re.search(pattern, text) for text in found)


def test_a_pattern_that_is_none_stands_for_itself() -> None:
    assert samples("a(") == ["a("]


@given(st.text(max_size=30))
def test_tokens_are_the_whole_text(text: str) -> None:
    assert "".join(tokens(text)) == text


@given(st.text(max_size=30), st.integers(0, 9))
def test_changes_come_again(text: str, seed: int) -> None:
    found = [Texts(random.Random(seed), ["--"], ["--", "x"], [text]).change(text, ["other"]) for _ in range(2)]
    assert found[0] == found[1]


FLAGS = """
def is_python(text):
    words = [word for word in text.split(" ") if not word.startswith("-")]
    return words[-1] == "python"
"""


def test_words_of_the_function_come_where_a_texts_structure_is() -> None:
    found = derive(["f('/usr/bin/env python')"], 1000, 1, vocabulary(FLAGS, FLAGS))
    texts = [call.args[0] for text in found if (call := read(text))]
    assert any(re.search(r" python -", text) for text in texts)
    assert any(text.count("python") == 2 for text in texts)


def made_from(call: str) -> list[tuple[Any, ...]]:
    found = (read(text) for text in derive([call], 800, 1, vocabulary("", "n < 1000")))
    return [call.args for call in found if call]


def test_a_number_equal_to_another_of_another_type_where_lists_mix_them() -> None:
    assert any(len({type(i) for i in first if i == 3}) == 2 for first, _ in made_from("f([3, 0.5, 2], 5)"))
    kinds = [{type(item) for item in first} for first, _ in made_from("f([3, 1, 2], 5)") if isinstance(first, list)]
    assert not any(int in found and found & {bool, float} for found in kinds)


def test_numbers_just_before_a_power() -> None:
    made = made_from("f([3, 1, 2], 5)")
    assert {999, 999_999} & {second for _, second in made}
