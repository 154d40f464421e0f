"""Which inputs of a program are like the known ones, and what the others break."""

from __future__ import annotations

import pytest

from codeopt.workloads.contract.inputs import KnownInputs, look_at
from tests.support.known_inputs import why_beyond

COUNTED = [b"3\n5 1 4\n", b"6\n10 20 30 20 10 7\n", b"4\n9 2 2 8\n"]
INDICES = [b"3 4\n0 2 1 1\n", b"5 3\n4 0 3\n", b"2 5\n1 1 0 1 0\n", b"7 2\n6 3\n"]
"""N and M, then M numbers below N."""
NODES = [
    b"4 3\n1 2\n2 3\n3 4\n", b"5 4\n1 2\n2 3\n3 4\n4 5\n", b"3 2\n3 1\n1 2\n", b"6 5\n2 1\n6 1\n3 6\n4 6\n5 3\n",
    b"4 3\n4 1\n4 2\n3 4\n",
]  # fmt: skip
"""N and M, then M edges between nodes from 1 to N: a tree."""
SORTED = [b"4\n1 3 7 9\n", b"5\n2 3 5 8 9\n", b"6\n1 2 4 6 8 9\n"]
TWO = [b"2 2\n1 2\n", b"3 2\n3 1\n", b"2 2\n2 1\n", b"4 2\n2 3\n", b"5 2\n4 5\n"]
"""N, and two different numbers from 1 to N."""
WORDS = [b"abc abd\n", b"bca cab\n", b"dab bad\n"]
TIMES = [
    b"09:00 up\n09:04 down\n09:05 up\n09:11 up\n09:12 down\n09:20 up\n09:21 up\n",
    b"10:02 up\n10:07 down\n10:09 up\n10:10 down\n10:15 up\n10:18 down\n10:40 up\n10:41 up\n",
]
"""Lines by time."""
GRIDS = [
    b"2\n4 3\n.*.\n*.*\n...\n***\n3 4\n.**.\n....\n*..*\n", b"1\n5 2\n.*\n*.\n..\n**\n*.\n",
    b"3\n3 5\n*....\n.....\n..*..\n4 2\n.*\n**\n..\n.*\n3 3\n*..\n.*.\n..*\n",
    b"1\n6 4\n.*..\n....\n*...\n...*\n.*.*\n****\n",
]  # fmt: skip
"""Several grids, each below its height and width."""
PAIRS = [
    b"2\n3\n010\n110\n2\n01\n11\n", b"1\n4\n0011\n0110\n", b"3\n1\n0\n0\n5\n00000\n01011\n2\n01\n01\n",
]  # fmt: skip
"""Several pairs of texts of digits, each below the length of both."""
LISTS = [b"2\n2 5 6\n1 4\n", b"3\n1 1\n3 2 2 9\n0\n", b"1\n2 7 7\n"]
"""Lists of numbers, each behind its length."""
SHAPES = [b"1\n5\n3 4\n1 2 3\n", b"2 7 1 1\n4 4\n9\n8\n", b"3\n6 2\n1 1 1 1 1\n2\n2 2\n"]
"""Rows of numbers whose lengths nothing says."""
CASES = [
    (LISTS, b"2\n1 8\n2 8 8\n", ""),
    (LISTS, b"2\n1 8\n2 8\n", "says how many follow"),
    (SHAPES, b"1\n5\n3 9\n4 2 6\n", ""),
    (SHAPES, b"1\n5\n3\n4 2 6\n", "has one of the known shapes"),
    (SHAPES, b"1\n5\n4 9\n4 2 6\n", "has one of the known shapes"),
    (GRIDS, b"1\n3 4\n.*.*\n....\n*..*\n", ""),
    (GRIDS, b"1\n3 3\n.*.*\n....\n*..*\n", "how long the words are that follow it"),
    (GRIDS, b"1\n5 3\n.*.\n...\n*.*\n", "how many words follow it"),
    (GRIDS, b"1\n3 3\n.*.\n...\n*.*\n..*\n", "how many words follow it"),
    (GRIDS, b"1\n1 1\n1\n1 *\n* 1\n1\n1 1 1\n", "how many words follow it"),
    (PAIRS, b"1\n4\n0101\n0111\n", ""),
    (PAIRS, b"1\n3\n0101\n0111\n", "the length of `word 2` is `word 1`"),
    (COUNTED, b"5\n9 1 4 4 6\n", ""),
    (COUNTED, b"5\n9 1 4 4\n", "the length of `line 2` is `line 1`"),
    (COUNTED, b"3\n5 1 -4\n", "below zero"),
    (COUNTED, b"3\n5 1 400\n", "`line 2` is from 1 to 30"),
    (COUNTED, b"3\n5 1 4", "end with a line end"),
    (COUNTED, b"3\n5  1 4\n", "more than one space"),
    (COUNTED, b"3\n5 1 4 \n", "spaces at the ends"),
    (COUNTED, b"3\n\n5 1 4\n", "empty line"),
    (COUNTED, b"3\n5\t1 4\n", "tabs"),
    (COUNTED, b"3\r\n5 1 4\n", "carriage returns"),
    (COUNTED, b"3\n5 1 0x4\n", "a text among the items"),
    (COUNTED, b"3\n", "laid out like that"),
    (COUNTED, b"3\n5 1 4\n7\n", "laid out like that"),
    (TIMES, b"09:01 up\n09:02 down\n09:05 up\n09:07 up\n09:08 up\n09:20 down\n09:21 up\n", ""),
    (TIMES, b"09:01 up\n09:02 down\n09:05 up\n09:07 up\n09:20 up\n09:08 down\n09:21 up\n", "is sorted"),
    (WORDS, "ab\u00e9 abd\n".encode(), "characters beyond ASCII"),
    (WORDS, b"cab dab\n", ""),
    (WORDS, b"abca bcab\n", "a text of another length"),
    ([b"abc abd\n", b"abcd bcab\n"], b"ababc bcabd\n", ""),
    (WORDS, b"", "no known input is empty"),
    (COUNTED, b"3\n5 1 9007199254740993\n", "2**53 or more"),
    (COUNTED, b"3\n5 1 4.5\n", "a text among the items"),
    (COUNTED, b"0\n\n", "an empty line"),
    (INDICES, b"4 3\n3 0 2\n", ""),
    (INDICES, b"4 3\n4 0 2\n", "holds indices below"),
    (NODES, b"5 4\n1 5\n5 2\n2 3\n3 4\n", ""),
    (NODES, b"4 3\n1 2\n2 3\n3 5\n", "is at most"),
    (NODES, b"4 3\n1 2\n2 3\n0 4\n", "zero among the items"),
    (NODES, b"4 3\n1 2\n2 3\n3 1\n", "edges of a tree"),
    (SORTED, b"5\n2 5 7 8 9\n", ""),
    (SORTED, b"5\n5 2 7 8 9\n", "sorted"),
    (SORTED, b"5\n2 2 5 8 9\n", "no number of"),
    (SORTED, b"5\n2 2 5 8 9\n", "comes twice"),
    (TWO, b"4 2\n1 3\n", ""),
    (TWO, b"4 2\n2 2\n", "no number of"),
]


def known_to_be(inputs: list[bytes]) -> KnownInputs:
    """Contract of inputs that are not all empty."""
    found = look_at("", inputs)
    assert found
    return found


@pytest.mark.parametrize(("known", "data", "why"), CASES)
def test_what_an_input_breaks(known: list[bytes], data: bytes, why: str) -> None:
    found = known_to_be(known)
    first = why_beyond(found, data)
    assert bool(first) is bool(why)
    if why and why not in first:
        assert any(why in each.words for each in found.contract.broken(found.format.read(data)))


ALL = {"n": COUNTED, "indices": INDICES, "tree": NODES, "sorted": SORTED, "w": WORDS, "grids": GRIDS, "pairs": PAIRS,
       "lists": LISTS, "shapes": SHAPES}  # fmt: skip


@pytest.mark.parametrize("known", ALL.values(), ids=ALL)
def test_known_inputs_break_nothing_and_are_written_as_they_are(known: list[bytes]) -> None:
    found = known_to_be(known)
    assert [why_beyond(found, data) for data in known] == [""] * len(known)
    assert [found.text(found.format.read(data)) for data in known] == known


SQUARES = [b"2 2\n.#\n..\n", b"3 3\n.#.\n...\n#..\n", b"4 4\n....\n.##.\n.#..\n....\n"]


def test_a_large_number_asks_for_no_table_of_its_size() -> None:
    found = known_to_be(SQUARES)
    huge = found.format.read(SQUARES[0]).with_value(0, 1000)
    for each in found.contract.broken(huge):
        assert len(found.text(found.contract.repaired(huge, {each.what}))) < 10**5
