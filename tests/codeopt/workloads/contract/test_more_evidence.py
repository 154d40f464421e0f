"""More known calls only widen the contract: a difference that rejects a draft with few of them rejects it with more."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from codeopt.core.call import Call
from codeopt.workloads.contract.function import Contract, contract_of
from codeopt.workloads.contract.properties import FEW
from codeopt.workloads.contract.seen import Seen
from codeopt.workloads.source.functions import Function

TEXTS = (
    "def f(a, b=None):\n    return a\n",
    "def f(a, b=None):\n    return a[b] if b else a[0]\n",
    "def f(a: list[int], b: 'str | None' = None):\n    return [x for x, y in zip(a, b)]\n",
    "import bisect\ndef f(a, b=None):\n    return bisect.bisect(a, b)\n",
    "def f(a, b=None):\n    return sum(a[y][x] for y in range(b) for x in range(b))\n",
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 5)
    | st.sampled_from([2**53, -(2**60), 0.5, -0.0, float("nan"), float("inf")])
    | st.text("aB1 /\u00e9", max_size=4)
    | st.binary(max_size=2)
)
KEYS = st.sampled_from(["n", "edges", "rows"]) | st.integers(0, 3)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(KEYS, inner, max_size=3)
        | st.frozensets(st.integers(-1, 3), max_size=3)
    ),
    max_leaves=8,
)
SIMPLE = (
    st.integers(-1, 4) | st.lists(st.integers(0, 4), max_size=5) | st.lists(st.lists(st.integers(0, 3)), max_size=4)
)
RECORDS = st.fixed_dictionaries(
    {"n": st.integers(0, 5), "edges": st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)))}
)
ARGUMENTS = VALUES | SIMPLE | RECORDS
CALLS = st.builds(lambda a, b: Call((a, b)), ARGUMENTS, ARGUMENTS) | st.builds(lambda a: Call((a,)), ARGUMENTS)


def contract(text: str, calls: list[Call]) -> Contract:
    """What is learnt of calls."""
    function = Function(Path("m.py"), text, text, "f", "function", False, False, 1, 2, 2, ("a", "b"))
    return contract_of(function, calls)


def places(shown: Mapping[str, Seen], at: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """Parts of values of which something is known."""
    found = {(*at, name) for name, seen in shown.items() if seen.kinds}
    for name, seen in shown.items():
        for kind, parts in seen.kinds.items():
            found |= places(parts, (*at, name, kind))
    return found


def relations(found: Contract) -> set[str]:
    """Relations that are learnt."""
    return {each.words for each in found.relations}


@pytest.mark.full
@settings(max_examples=400, suppress_health_check=[HealthCheck.filter_too_much])
@given(st.sampled_from(TEXTS), st.lists(CALLS, min_size=1, max_size=5), st.lists(CALLS, max_size=6), CALLS)
def test_what_is_inside_stays_inside(text: str, few: list[Call], more: list[Call], asked: Any) -> None:
    """Each of the first is known so often that all is claimed that can be. Of a place that no call shows (the items of
    a list that is always empty, an argument that is never given) nothing is claimed until one does, and no
    relation until chance would hardly have kept it."""
    known = few * FEW
    before, after = contract(text, known), contract(text, [*known, *more])
    assume(places(after.shown) <= places(before.shown) and relations(after) <= relations(before))
    assert before.beyond(asked) or not after.beyond(asked), after.beyond(asked)


@given(st.sampled_from(TEXTS), st.lists(CALLS, min_size=1, max_size=8))
@example(TEXTS[0], [Call(([0, 1, 2],)), Call(([math.inf],))])
@example(TEXTS[0], [Call(([0, 1, 2],)), Call(([-math.inf],))])
def test_known_calls_are_inside(text: str, known: list[Call]) -> None:
    found = contract(text, known)
    assert [found.beyond(call) for call in known] == [""] * len(known)
