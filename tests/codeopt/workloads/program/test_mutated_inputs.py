"""Changed inputs: the same for a seed, never a known one, counts kept true, longer than what is known, any bytes."""

from __future__ import annotations

import pytest

from codeopt.workloads.program.mutated_cases import shrunk
from codeopt.workloads.program.mutated_inputs import LONG_ENOUGH, mutated_inputs

N_NUMBERS = [b"3\n5 1 4\n", b"6\n10 20 30 20 10 7\n"]
N_LINES = [b"3\n5\n1\n4\n", b"5\n10\n20\n30\n20\n11\n"]
N_M_EDGES = [b"4 3\n1 2\n2 3\n3 4\n", b"5 4\n1 2\n2 3\n3 4\n4 5\n"]
N_K_NUMBERS = [b"3 7\n5 1 4\n", b"5 7\n10 20 30 20 10\n"]
WORDS = [b"red green red\n", b"blue red blue green\n"]
ONE_WORD = [b"abcab\n", b"aab\n"]
GRID = [b"2 3\n.#.\n##.\n", b"3 4\n.#..\n##..\n....\n"]


def similar(inputs: list[bytes], seed: int = 1, *kinds: str) -> list[bytes]:
    """Those like the known ones, of some kinds."""
    return [
        each.stdin
        for each in mutated_inputs("", inputs, seed=seed)
        if not each.because and (not kinds or each.name.partition(".")[0] in kinds)
    ]


@pytest.mark.parametrize(("inputs", "place"), [(N_NUMBERS, 0), (N_K_NUMBERS, 0), (N_LINES, 0), (N_M_EDGES, 1)])
def test_counts_stay_true(inputs: list[bytes], place: int) -> None:
    for data in similar(inputs):
        first, *lines = data.splitlines()
        counted = lines if len(inputs[0].splitlines()) > 2 else lines[0].split()
        assert int(first.split()[place]) == len(counted), data
        assert inputs is not N_M_EDGES or {len(line.split()) for line in lines} == {2}


def test_a_grid_keeps_its_size() -> None:
    made = similar(GRID)
    assert len({data.split()[0] for data in made}) > 2
    for data in made:
        height, width, *rows = data.split()
        assert (int(height), {int(width)}) == (len(rows), set(map(len, rows)))
    assert {"3 4\n....\n....\n....\n", "3 4\n####\n####\n####\n"} <= {data.decode() for data in made}


@pytest.mark.parametrize("inputs", [N_NUMBERS, N_LINES, N_K_NUMBERS, WORDS, ONE_WORD])
def test_some_are_longer_than_the_longest_known(inputs: list[bytes]) -> None:
    """Also than those that are held out: their length is known, nothing else of them is used."""
    (longer, *_) = similar(inputs, 1, "longer")
    assert len(longer) > max(map(len, inputs))
    long = similar(inputs, 1, "long")
    assert [len(data) > 2 * 65536 for data in long] == [True]
    assert LONG_ENOUGH > 2 * 65536


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


def test_a_table_of_words_grows_by_its_lines() -> None:
    """Not by its words: a column of a thousand words, each as long as a whole input, would be of gigabytes."""
    table = b"\n".join(b"name%d,%d" % (n % 97, n * 7 % 1000) for n in range(800)) + b"\n"
    made = list(mutated_inputs("", [table], seed=5))
    assert made
    assert max(len(mutated.stdin) for mutated in made) < 400_000
