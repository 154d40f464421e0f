"""Changed inputs: the same for a seed, never a known one, counts kept true, longer than what is known, any bytes."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeopt.workloads.program.fuzzing import shrunk
from codeopt.workloads.program.fuzzing._inputs import LONG_ENOUGH, mutated_inputs

N_NUMBERS = [b"3\n5 1 4\n", b"6\n10 20 30 20 10 7\n"]
N_LINES = [b"3\n5\n1\n4\n", b"5\n10\n20\n30\n20\n11\n"]
N_M_EDGES = [b"4 3\n1 2\n2 3\n3 4\n", b"5 4\n1 2\n2 3\n3 4\n4 5\n"]
N_K_NUMBERS = [b"3 7\n5 1 4\n", b"5 7\n10 20 30 20 10\n"]
WORDS = [b"red green red\n", b"blue red blue green\n"]
ONE_WORD = [b"abcab\n", b"aab\n"]
ONE_NUMBER = [b"12\n", b"100\n"]
GRID = [b"2 3\n.#.\n##.\n", b"3 4\n.#..\n##..\n....\n"]
LAYOUTS = {
    "N, then N numbers": N_NUMBERS, "N lines": N_LINES, "N M and M edges": N_M_EDGES, "N K": N_K_NUMBERS,
    "words": WORDS, "a word": ONE_WORD, "a number": ONE_NUMBER, "a grid": GRID,
}  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize("inputs", LAYOUTS.values(), ids=LAYOUTS)
def test_a_seed_gives_the_same_another_gives_others(inputs: list[bytes]) -> None:
    first = list(mutated_inputs("", inputs, seed=1))
    assert first == list(mutated_inputs("", inputs, seed=1))
    assert {m.stdin for m in first} != {m.stdin for m in mutated_inputs("", inputs, seed=2)}


@pytest.mark.full
@pytest.mark.parametrize("inputs", LAYOUTS.values(), ids=LAYOUTS)
def test_each_is_new_and_named_once(inputs: list[bytes]) -> None:
    found = list(mutated_inputs("", inputs, seed=3))
    assert len(found) >= 10
    assert not {mutated.stdin for mutated in found} & set(inputs)
    assert len({mutated.stdin for mutated in found}) == len({mutated.name for mutated in found}) == len(found)


def similar(inputs: list[bytes], seed: int = 1, *kinds: str) -> list[bytes]:
    """Those like the known ones, of some kinds."""
    return [
        each.stdin
        for each in mutated_inputs("", inputs, seed=seed)
        if not each.beyond and (not kinds or each.name.partition(".")[0] in kinds)
    ]


@pytest.mark.parametrize("inputs", [N_NUMBERS, N_K_NUMBERS], ids=["n", "n k"])
def test_the_count_of_numbers_stays_true(inputs: list[bytes]) -> None:
    for data in similar(inputs):
        first, numbers = data.splitlines()
        assert int(first.split()[0]) == len(numbers.split()), data


def test_the_count_of_lines_stays_true() -> None:
    for data in similar(N_LINES):
        count, *lines = data.splitlines()
        assert int(count) == len(lines), data


def test_counts_of_nodes_and_edges_stay() -> None:
    for data in similar(N_M_EDGES):
        lines = data.splitlines()
        assert int(lines[0].split()[1]) == len(lines) - 1
        assert {len(line.split()) for line in lines} == {2}


def test_a_grid_keeps_its_size() -> None:
    made = similar(GRID)
    assert len({data.split()[0] for data in made}) > 2
    for data in made:
        height, width, *rows = data.split()
        assert (int(height), {int(width)}) == (len(rows), set(map(len, rows)))


@pytest.mark.parametrize("inputs", [N_NUMBERS, N_LINES, N_K_NUMBERS, WORDS, ONE_WORD])
def test_some_are_longer_than_the_longest_known(inputs: list[bytes]) -> None:
    """Also than those that are held out: their length is known, nothing else of them is used."""
    (longer, *_) = similar(inputs, 1, "longer")
    assert len(longer) > max(map(len, inputs))
    long = similar(inputs, 1, "long")
    assert [len(data) > 2 * 65536 for data in long] == [True]
    assert LONG_ENOUGH > 2 * 65536


def test_what_goes_beyond_is_marked() -> None:
    values = {int(token) for data in N_NUMBERS for token in data.split()[1:]}
    for data in similar(N_NUMBERS):
        assert {int(t) for t in data.split()[1:]} <= set(range(min(values), max(values) + 1)), data
    reasons = " ".join(each.because for each in mutated_inputs("", N_NUMBERS, seed=12))
    assert "is from" in reasons


@pytest.mark.full
def test_most_of_what_is_made_keeps_the_contract() -> None:
    """Each way of changing an input repairs it, so that few of a hundred are for nothing."""
    for inputs in (N_NUMBERS, N_LINES, N_K_NUMBERS, WORDS, GRID):
        assert len(similar(inputs)) >= 36


@pytest.mark.parametrize(
    ("data", "kept"),
    [
        (b"4\n1\n2\n3\n4\n", b"2\n1\n2\n"),
        (b"x 4\n1\n2\n3\n4\n", b"x 2\n1\n2\n"),
        (b"6\n1 2 3 4 5 6\n", b"3\n1 2 3\n"),
        (b"6 9\n1 2 3 4 5 6\n", b"3 9\n1 2 3\n"),
        (b"a b c d e f\n", b"a b c\n"),
        (b"100\n", b"50\n"),
        (b"", None),
        (b"\n \n", None),
        (b"word\n", None),
        (b"0\n", None),
        (b"7 7\n1 2 3 4 5 6\n", None),
    ],
)
def test_shrunk_by_half(data: bytes, kept: bytes | None) -> None:
    assert shrunk(data, 0.5) == kept


@given(st.integers(5, 200), st.floats(0.05, 0.95))
def test_shrunk_keeps_the_count_true(n: int, share: float) -> None:
    numbers = [b"%d" % (1000 + i) for i in range(n)]
    for data in (b"%d\n" % n + b" ".join(numbers), b"%d\n" % n + b"\n".join(numbers), b"%d " % n + b" ".join(numbers)):
        shorter = shrunk(data, share)
        assert shorter is not None
        count, *rest = shorter.split()
        assert int(count) == len(rest) <= n


TOKENS = st.sampled_from(
    [b"0", b"3", b"-7", b"+5", b"1e5", b"2.5", b".", b"a", b"1/2", b"\xff", b"9" * 45, b"\x00", b"NaN"]
)
TEXTS = st.lists(st.tuples(TOKENS, st.sampled_from([b" ", b"\n", b"\r\n", b"\t", b"  ", b""])), max_size=30).map(
    lambda pairs: b"".join(part for pair in pairs for part in pair)
)


@pytest.mark.full
@settings(max_examples=30, deadline=None)
@given(st.lists(st.one_of(st.binary(max_size=80), TEXTS), max_size=4), st.integers(0, 5))
def test_any_bytes_will_do(inputs: list[bytes], seed: int) -> None:
    found = list(mutated_inputs("", inputs, seed=seed))
    assert not {mutated.stdin for mutated in found} & set(inputs)
    assert all(len(mutated.stdin) < 2_000_000 for mutated in found)


@given(st.binary(max_size=200), st.floats(0.01, 1))
def test_shrunk_takes_any_bytes(data: bytes, share: float) -> None:
    shorter = shrunk(data, share)
    assert shorter is None or len(shorter) <= len(data) + 50


@pytest.mark.full
def test_large_inputs_give_inputs_that_are_not_much_larger() -> None:
    draw = random.Random(1)
    large = b"30000\n" + b" ".join(b"%d" % draw.randrange(1000) for _ in range(30_000))
    huge = b"%d\n" % 10**6 + b" ".join([b"12345"] * 10**6)
    found = list(mutated_inputs("", [large, huge, b"3\n1 2 3\n"], seed=1))
    assert found
    assert all(len(mutated.stdin) < 2_000_000 for mutated in found)


def test_a_table_of_words_grows_by_its_lines() -> None:
    """Not by its words: a column of a thousand words, each as long as a whole input, would be of gigabytes."""
    table = b"\n".join(b"name%d,%d" % (n % 97, n * 7 % 1000) for n in range(800)) + b"\n"
    made = list(mutated_inputs("", [table], seed=5))
    assert made
    assert max(len(mutated.stdin) for mutated in made) < 400_000
