"""A recipe gives what it says, the same in every process and with every Python, however the call is made."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt_sandbox import open_sandbox
from codeopt_sandbox.calls import CallBatch, CallRunner, FunctionRef
from codeopt_sandbox.guest.calls import recipes
from codeopt_sandbox.guest.calls.answering import is_plain
from codeopt_sandbox.guest.calls.recipes import SORTED, built, with_packed_recipes
from tests.conftest import require_sandbox
from tests.support.pythons import python_of

INTS = st.tuples(st.integers(-(2**70), 2**70), st.integers(0, 2**70)).map(lambda pair: ("int", pair[0], sum(pair)))
FLOATS = st.tuples(st.floats(-1e9, 0), st.floats(0, 1e9)).map(lambda pair: ("float", *pair))
WORDS = st.tuples(st.text(min_size=1, max_size=5), st.integers(0, 3), st.integers(0, 3)).map(
    lambda parts: ("str", parts[0], parts[1], sum(parts[1:]))
)
KINDS = INTS | FLOATS | WORDS
SEEDS = st.integers(0, 1000)
SIZES = st.integers(0, 50)
EVERY_KIND = (
    "record",
    (
        ("int", -5, 2**60), ("float", 0.0, 2.5), ("str", "abc", 1, 4), ("one of", (None, True, "x")),
        ("either", (("int", 1, 2), ("str", "z", 1, 1))), ("list", ("int", 0, 9), 0, 3), ("tuple", ("int", 0, 9), 2, 2),
        ("dict", ("id", "name"), (("int", 1, 99), ("str", "ab", 2, 2))),
    ),
)  # fmt: skip


def holds(kind: Any, value: Any) -> bool:
    """Whether an item is of a kind."""
    name, *rest = kind
    if name == "str":
        return isinstance(value, str) and set(value) <= set(rest[0]) and rest[1] <= len(value) <= rest[2]
    return type(value).__name__ == name and rest[0] <= value <= rest[1]


@given(KINDS, SIZES, SEEDS, st.sampled_from(("list", "tuple")), st.sampled_from(("", SORTED)))
def test_items_are_of_their_kind_and_in_order(kind: Any, size: int, seed: int, container: str, order: str) -> None:
    found = built(container, size, seed, kind, order)
    assert type(found).__name__ == container
    assert len(found) == size
    assert all(holds(kind, item) for item in found)
    assert not order or list(found) == sorted(found)
    assert found == built(container, size, seed, kind, order)


@given(st.integers(1, 50), SEEDS, st.sampled_from(("list", "tuple", "set", "frozenset", "dict")))
def test_distinct_items(size: int, seed: int, container: str) -> None:
    kind = ("int", 1, 4 * size)
    found = built(container, size, seed, (kind, kind) if container == "dict" else kind, distinct=True)
    assert len(found) == len(set(found)) == size


@given(st.integers(0, 200), SEEDS, st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=3))
def test_a_text_is_of_whole_pieces(size: int, seed: int, pieces: list[str]) -> None:
    text = built("str", size, seed, ("one of", tuple(pieces)))
    assert size <= len(text)
    assert (
        built("bytes", size, seed, ("one of", tuple(piece.encode() for piece in pieces)))[:1] == text[:1].encode()[:1]
    )
    if len(set(pieces)) == 1:
        assert text == pieces[0] * -(-size // len(pieces[0]))


def test_no_two_items_are_one_object() -> None:
    rows = built("list", 500, 1, ("list", ("int", 0, 1), 0, 1))
    assert len({id(row) for row in rows}) == 500


@pytest.mark.parametrize("version", ["3.8", "3.13"])
def test_another_python_builds_the_same(version: str) -> None:
    program = f"import sys; sys.path.insert(0, {str(Path(recipes.__file__).parent)!r})\n"
    program += f"from recipes import built\nprint(repr(built('list', 300, 7, {EVERY_KIND!r})))"
    python = python_of(version)
    if python is None:
        pytest.skip(f"there is no Python {version} here")
    found = subprocess.run([python, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == repr(built("list", 300, 7, EVERY_KIND))


@pytest.mark.parametrize(
    "call",
    [
        f"f(recipe('list', 300, 7, {EVERY_KIND!r}, '', False))",
        "f(1, key=recipe('dict', 30, 7, (('str', 'abc', 3, 9), ('int', 1, 9)), '', False))",
        "f(recipe('bytes', 30, 7, ('one of', (b'abc',)), '', False))",
        "f(load('fractions', 'Fraction')(2), [recipe('str', 30, 7, ('one of', ('recipe(', )), '', False)])",
    ],
)
def test_a_packed_call_is_the_call(call: str) -> None:
    """Whether the process that calls builds the argument, or reads it packed, it is the same."""
    require_sandbox()
    source = "def f(*args, **kwargs):\n    return repr((args, kwargs))\n"
    with open_sandbox("bubblewrap") as sandbox:
        runner = CallRunner(sandbox, FunctionRef("m", "/nowhere/m.py", "f"))
        batches = [CallBatch((call,)), CallBatch((call.replace("recipe(", "[recipe][0](", 1),))]
        answers = [runner.ask(source, batch).answer for batch in batches]
    texts = [answer.outcomes[0].text for answer in answers if answer]
    assert len(texts) == 2
    assert texts[0].startswith("returns ")
    assert hashlib.sha256(texts[0].encode()).digest() == hashlib.sha256(texts[1].encode()).digest()


@pytest.mark.parametrize(
    ("call", "plain"),
    [
        ("f(recipe('list', 3, 1, ('int', 0, 9), '', False), 'a')", True),
        ("f(recipe('list', 3, 1, ('int', 0, 9), '', False), load('m', 'C')(1))", False),
        ("f(recipe('bytes', 3, 1, ('one of', (b'a',)), '', False))", False),
    ],
)
def test_arguments_are_plain_where_all_are(call: str, plain: bool) -> None:
    assert is_plain(compile(with_packed_recipes(call), "call", "eval")) is plain
