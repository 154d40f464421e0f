"""Sizes and indices within one argument: learnt of known calls, and a made-up call that breaks them is beyond."""

from __future__ import annotations

import ast
from itertools import accumulate, chain
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt.workloads.contract.layout import find_ties, tied
from codeopt.workloads.contract.relations import find_relations, parts
from codeopt.workloads.contract.seen import Seen, seen
from codeopt.workloads.source.literals import read

GRAPHS = [[[(at + 1) % n, (at + 2) % n][: at % 2 + 1] for at in range(n)] for n in (4, 5, 7)]
EDGES = [{"edges": [(0, n - 1), (1, 2)], "nodes": n} for n in (4, 6, 9)]
WEIGHTED = [{"edges": [[0, n - 1, 0.5], [1, 2, 1.5]], "nodes": n} for n in (4, 4, 4)]
COLUMNS = [{"x": [0.5] * n, "y": [1.5] * n} for n in (3, 3, 3)]
SYSTEM = [{"a": [[1.0] * n for _ in range(n)], "b": [0.5] * n} for n in (3, 4, 5)]


def broken(name: str, known: list[Any], asked: Any) -> str:
    """Words of the first relation that a value breaks, which all known ones keep."""
    found = parts({name: asked})
    relations = find_relations([parts({name: value}) for value in known])
    return next((each.words for each in relations if each.holds(found) is False), "")


def lacking(known: Seen, value: Any) -> str:
    """The first property of the known values that one lacks."""
    return next((each.words for each in known.breaks(value)), "")


def test_a_long_list_is_looked_at_to_its_end() -> None:
    """One number below zero far behind is found, as one of another type is."""
    known = seen([[*range(1, n)] for n in (5, 9, 4000)])
    assert lacking(known, [*range(1, 5000)]) == ""
    assert lacking(known, [*range(1, 5000), -1, 3]) == "a number below zero among the items"
    assert lacking(known, [*range(1, 5000), 0, 3]) == "zero among the items"
    assert known.missing([*range(1, 5000), None, 3]) == "None among the items"


@pytest.mark.parametrize(
    ("value", "words"), [("2", ""), ("[['x', 2.5]]", ""), ("b'x'", "bytes"), ("[[b'x']]", "bytes among the items")]
)
def test_a_new_key_of_a_record_has_the_types_of_a_known_one(value: str, words: str) -> None:
    known = seen([{"a": n, "b": [["x", 2.5]], "c": {"d": n}} for n in range(4)])
    asked = {"a": 1, "b": [["x"]], "c": {"d": 1}, "new": ast.literal_eval(value)}
    assert known.missing(asked).partition(" among the values of ")[0] == words


@pytest.mark.parametrize(
    ("known", "asked", "words"),
    [
        (("0110", "10101", "00", "1111000010"), "0210", "digits other than 0 and 1"),
        (("0110", "10101", "00", "1111000010"), "0010", ""),
        (("01", "10", "11"), "0210", ""),
        (("0110", "10101", "x", "1111000010"), "0210", ""),
        (("0110", "10101", "3", "1111000010"), "0210", ""),
        (("01", "10", "11"), "1\x1b", "control characters"),
        (("01", "10", "1\x1b"), "1\x00", ""),
        (("a", "b", "c"), "1\n", "digits"),
    ],
)
def test_kinds_of_characters(known: tuple[str, ...], asked: str, words: str) -> None:
    assert lacking(seen(known), asked) == words


def drawn(seed: int, nodes: int = 8, share: float = 0.3) -> list[tuple[int, int]]:
    """Edges of a random graph, each once, from the smaller to the larger node."""
    draw = Random(seed)
    return [(one, two) for two in range(nodes) for one in range(two) if draw.random() < share]


def either_way(edges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same, every other edge the other way round."""
    return [pair[::-1] if at % 2 else pair for at, pair in enumerate(edges)]


def neighbours(edges: list[tuple[int, int]], nodes: int = 8) -> list[list[int]]:
    """Lists of neighbours."""
    return [sorted({one + two - node for one, two in edges if node in (one, two)}) for node in range(nodes)]


def weights(edges: list[tuple[int, int]], *, both: bool) -> list[list[int]]:
    """A matrix of an edge's weights."""
    table = [[0] * 8 for _ in range(8)]
    for at, (one, two) in enumerate(edges):
        table[one][two] = at + 1
        table[two][one] = (at + 1) * both
    return table


MANY = [drawn(seed) for seed in range(12)]
RISING = [{"edges": edges, "nodes": 8} for edges in MANY]
LINKS = [{"edges": either_way(edges), "nodes": 8} for edges in MANY]
DIRECTED = [{"arcs": [*edges, *(pair[::-1] for pair in edges[:3])]} for edges in MANY]
MUTUAL = [neighbours(edges) for edges in MANY]
BY_NAME = [{"abcdefgh"[at]: ["abcdefgh"[to] for to in row] for at, row in enumerate(rows)} for rows in MUTUAL]


PRICED = [{"edges": [[one, two, 0.5 + at] for at, (one, two) in enumerate(edges)]} for edges in MANY]
FLOWS = [{"edges": [[*pair, 1 + at, 2.5] for at, pair in enumerate(either_way(edges))]} for edges in MANY]
SPARSE = [{"indptr": [0, *accumulate(map(len, rows))], "indices": [*chain.from_iterable(rows)]} for rows in MUTUAL]
"""Matrices as SciPy has them."""
WEIGHED = [{**each, "data": [abs(column - at) + 0.5 for at, row in enumerate(rows) for column in row]}
           for each, rows in zip(SPARSE, MUTUAL, strict=True)]  # fmt: skip
EDGE = {"indptr": [0, 1, 2], "indices": [1, 0]}
BOARDS = [[[at * step % 10 for at in range(row, row + 3)] for row in (1, 4, 7)] for step in (3, 7, 9)]
SPANS = [[[2 * at, 2 * at + 7] for at in range(n)] for n in (5, 6, 7)]


@pytest.mark.parametrize(
    ("known", "asked", "why"),
    [
        (GRAPHS, [[1], [0, 2], [9]], "`p` holds indices below the length of `p`"),
        (GRAPHS, [[1], [0, -1]], "`p` holds indices below the length of `p`"),
        (GRAPHS, [[1], [0]], ""),
        (EDGES, {"edges": [(0, 3)], "nodes": 2}, "`p['edges']` holds indices below `p['nodes']`"),
        (EDGES, {"edges": [(0, 1)], "nodes": 2}, ""),
        (WEIGHTED, {"edges": [[7, 1, 0.5]], "nodes": 4}, "`p['edges']` holds indices below `p['nodes']`"),
        (COLUMNS, {"x": [0.5], "y": []}, "the length of `p['y']` is the length of `p['x']`"),
        (COLUMNS, {"x": [0.5, 1.5], "y": [0.5, 2.5]}, ""),
        (SYSTEM, {"a": [[1.0, 2.0]], "b": [0.5]}, "the length of each row of `p['a']` is the length of `p['a']`"),
        (SYSTEM, {"a": [[1.0]], "b": [0.5, 0.5]}, "the length of `p['b']` is the length of `p['a']`"),
        (
            [[[at for at in range(8) if at != node] for node in range(8)]],
            [[1]],
            "`p` holds indices below the length of `p`",
        ),
        (EDGES[:2], {"edges": [(0, 3)], "nodes": 2}, ""),
        ([*EDGES, {"edges": [(5, 5)], "nodes": 5}], {"edges": [(0, 3)], "nodes": 2}, ""),
        ([[3, 1, 2], [0, 1, 2], [2, 0, 1]], [9], ""),
        (EDGES, {"edges": "no list", "nodes": None}, ""),
        # the kind of a graph is learned from as many edges as would break it by chance
        (LINKS, {"edges": [(3, 3)], "nodes": 8}, "no pair of `p['edges']` has the same number twice"),
        (LINKS, {"edges": [(3, 4), (4, 3)], "nodes": 8}, "no pair of `p['edges']` comes twice, in either order"),
        (LINKS, {"edges": [(4, 3), (3, 5)], "nodes": 8}, ""),
        (RISING, {"edges": [(4, 3)], "nodes": 8}, "the first number of each pair of `p['edges']` is below the second"),
        (DIRECTED, {"arcs": [(3, 4), (3, 4)]}, "no pair of `p['arcs']` comes twice"),
        (DIRECTED, {"arcs": [(3, 4), (4, 3)]}, ""),
        ([[[1], [0]]] * 20, [[1], [1]], ""),  # with so few nodes all that could be learnt is chance
        (MUTUAL, [[1], [0, 1]], "no list of `p` holds its own place"),
        (MUTUAL, [[1, 1], [0]], "no list of `p` holds anything twice"),
        (MUTUAL, [[1, 2], [], []], "each link of `p` has one back"),
        (MUTUAL, [[2, 1], [0], [0]], "each list of `p` is sorted"),
        (MUTUAL, [[1, 2], [0], [0]], ""),
        (BY_NAME, {"a": ["a"]}, "no list of `p` holds its own place"),
        (BY_NAME, {"a": ["b"], "b": []}, "each link of `p` has one back"),
        (BY_NAME, {"a": ["b"], "b": ["a"]}, ""),
        ([weights(e, both=True) for e in MANY], weights([(1, 2)], both=False), "`p` is symmetric"),
        ([weights(e, both=True) for e in MANY], [[1, 0, 0], [0, 0, 0], [0, 0, 0]], "the diagonal of `p` is zero"),
        ([weights(e, both=False) for e in MANY], weights([(1, 2)], both=True), "`p` leads one way only"),
        ([weights(e, both=False) for e in MANY], weights([(1, 2)], both=False), ""),
        ([neighbours(drawn(1, share=1.0))] * 8, [[1, 2], [], []], "the rows of `p` are equally long"),
        (
            [*[neighbours(drawn(1, share=1.0))] * 8, neighbours(drawn(1, 40), 40)],
            [[1, 2], [], []],
            "each link of `p` has one back",
        ),
        (SPARSE, {"indptr": [0, 1, 1], "indices": [1]}, "each link of `p` has one back"),
        (SPARSE, {"indptr": [0, 1, 2], "indices": [1, 1]}, "no list of `p` holds its own place"),
        (SPARSE, {"indptr": [0, 2, 1], "indices": [1, 0]}, "the pointers of `p` are those of a square sparse matrix"),
        (SPARSE, {"indptr": [0, 1, 2], "indices": [1, 0]}, ""),
        (WEIGHED, {**EDGE, "data": [0.5, 1.5]}, "`p` is a symmetric sparse matrix"),
        (WEIGHED, {**EDGE, "data": [0.5, 0.5]}, ""),
        (PRICED, {"edges": [[0, 1, 0.5], [0.5, 1, 2]]}, "each row of `p['edges']` holds int, int, float"),
        (PRICED, {"edges": [[0, 1]]}, "each row of `p['edges']` holds int, int, float"),
        (PRICED, {"edges": [[0, 1, 0.5]]}, ""),
        ([*PRICED, {"edges": [[0, 1, 2]]}], {"edges": [[0.5, 1, 0.5]]}, ""),
        (FLOWS, {"edges": [[3, 3, 1, 2.5]]}, "no pair of `p['edges']` has the same number twice"),
        (FLOWS, {"edges": [[3, 4, 1, 2.5]]}, ""),
        (BOARDS, [[1, 1], [2, 3]], "all numbers in the rows of `p` are a permutation from 1"),
        (BOARDS, [[2, 1], [4, 3]], ""),
        (SPANS, [[4, 3]], "the first number of each pair of `p` is below the second"),
        ([*SPANS, [[3, 3]]], [[4, 3]], "the first number of each pair of `p` is at most the second"),
        ([*SPANS, [[3, 2]]], [[4, 3]], ""),
        (SPANS[:2], [[4, 3]], ""),
        (LINKS[:3], {"edges": [(3, 4), (4, 3)], "nodes": 8}, ""),
        ([*LINKS, {"edges": [(5, 5)], "nodes": 8}], {"edges": [(3, 3)], "nodes": 8}, ""),
    ],
)
def test_what_breaks_what_all_known_values_keep(known: list[Any], asked: Any, why: str) -> None:
    """Any known value takes it back."""
    assert broken("p", known, asked) == why


@pytest.mark.parametrize("shape", ["edges", "lists", "matrix"])
def test_random_graphs_show_nothing(shape: str) -> None:
    """In 100 sets of graphs drawn at random, loops and repeats included, hardly anything is learnt by chance."""
    learnt = 0
    for seed in range(100):
        draw, known = Random(seed), []
        for _ in range(8):
            pairs = [(draw.randrange(6), draw.randrange(6)) for _ in range(4)]
            rows = [[two for one, two in pairs if one == node] for node in range(6)]
            matrix = [[int((one, two) in pairs) for two in range(6)] for one in range(6)]
            known.append({"edges": pairs, "lists": rows, "matrix": matrix}[shape])
        found = (each.words for each in find_relations([parts({"p": value}) for value in known]))
        learnt += any(word in words for words in found for word in ("pair", "twice", "link", "symmetric", "one way"))
    assert learnt <= 3


VALUES = st.recursive(
    st.none() | st.integers(-2, 6) | st.floats() | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
)


@given(st.lists(VALUES, min_size=1, max_size=6))
def test_known_values_break_nothing(known: list[Any]) -> None:
    assert [broken("p", known, each) for each in known] == [""] * len(known)


STACK = "load('m', 'Stack')({}, size={})"


def test_a_number_that_an_object_is_made_with_may_be_the_length_of_its_list() -> None:
    known = [f"f({STACK.format([*range(size)], size)})" for size in (3, 4, 6, 9)]
    values = [argument(text) for text in known]
    for text in (STACK, f"used({STACK}, do.push(3))"):
        assert broken("self", values, argument(f"f({text.format([1, 2, 3], 3)})")) == ""
        because = "`self.size` is the length of `self(argument 1)`"
        assert broken("self", values, argument(f"f({text.format([1, 2, 3], 7)})")) == because


def argument(text: str) -> object:
    call = read(text)
    assert call is not None
    return call.values[0]


@pytest.mark.parametrize("size", range(3))
def test_a_row_that_was_cut_breaks_what_it_lacks(size: int) -> None:
    rows = [(n, "w" * n) for n in (1, 3, 4)]
    (tie,) = find_ties(rows)
    assert tie.holds(rows[1][:size]) is (size == 2)
    assert tied(rows[1][:size], [tie]) == list(rows[1][:size])
