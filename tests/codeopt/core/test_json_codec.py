"""Dataclasses survive JSON, and JSON of another shape is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt.core.json_codec import JsonCodec


class Kind(StrEnum):
    ONE = "one"
    TWO = "two"


@dataclass(frozen=True)
class Part:
    name: str
    share: float = 0.0


@dataclass(frozen=True)
class Whole:
    parts: tuple[Part, ...]
    path: Path
    kind: Kind
    order: Literal["up", "down"]
    pair: tuple[int, str]
    flag: bool = False
    by_part: Mapping[Part, tuple[int, ...]] = field(default_factory=dict)
    more: Part | None = None


CODEC = JsonCodec({Path: (str, Path)})
TEXT = st.text(max_size=5)
PART = st.builds(Part, TEXT, st.floats(0, 1))
WHOLE = st.builds(
    Whole, st.lists(PART, max_size=3).map(tuple), TEXT.map(Path), st.sampled_from(Kind),
    st.sampled_from(["up", "down"]), st.tuples(st.integers(), TEXT), st.booleans(),
    st.dictionaries(PART, st.lists(st.integers(), max_size=2).map(tuple), max_size=2), st.none() | PART,
)  # fmt: skip
GOOD: dict[str, Any] = {"parts": [["a", 1]], "path": "p", "kind": "one", "order": "up", "pair": [1, "x"]}


@given(WHOLE)
def test_a_value_survives(whole: Whole) -> None:
    assert CODEC.read(Whole, json.loads(json.dumps(CODEC.write(whole)))) == whole


def test_a_part_may_be_a_list_or_an_object_and_a_mapping_an_object() -> None:
    expected = Whole((Part("a", 1.0),), Path("p"), Kind.ONE, "up", (1, "x"))
    assert CODEC.read(Whole, {**GOOD, "unknown": 3}) == expected
    assert CODEC.read(Whole, {**GOOD, "parts": [{"name": "a", "share": 1}]}) == expected
    assert JsonCodec().read(Mapping[str, int], {"a": 1}) == {"a": 1}  # type: ignore[type-abstract]


@pytest.mark.parametrize(
    "wrong",
    [
        {"parts": [["a", "1"]]}, {"parts": [[]]}, {"parts": "ab"}, {"kind": "three"}, {"order": "sideways"},
        {"pair": [1, "x", 2]}, {"pair": [True, "x"]}, {"flag": 1}, {"by_part": [[["a"], 1]]}, {"more": 3},
    ],
    ids=str,
)  # fmt: skip
def test_json_of_another_shape_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="."):
        CODEC.read(Whole, GOOD | wrong)
