"""How cost grows: every model found from its own points, nothing claimed from too few, and two real programs."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt_sandbox import Case, Sandbox
from codeopt_sandbox.growth import RUN_FLOOR_S, Growth, describe, fit, sizes
from tests.conftest import open_or_skip

SIZES = (1000, 2000, 4000, 8000, 16000)
COSTS: dict[str, Callable[[float], float]] = {
    "constant": lambda n: 0.05,
    "sqrt n": lambda n: 1e-2 * math.sqrt(n),
    "n": lambda n: 1e-4 * n,
    "n log n": lambda n: 1e-5 * n * math.log(n),
    "n^1.5": lambda n: 1e-6 * n**1.5,
    "n^2": lambda n: 1e-8 * n * n,
    "n^3": lambda n: 1e-11 * n**3,
}


def model(points: list[tuple[float, float]]) -> str:
    found = fit("tokens", points)
    return found.model if found else ""


@pytest.mark.parametrize("name", COSTS)
def test_each_model_is_found_from_its_own_points(name: str) -> None:
    found = fit("tokens", [(n, COSTS[name](n)) for n in SIZES])
    assert found is not None
    assert (found.model, found.size) == (name, "tokens")
    assert found.error < 0.02


def test_log_n_and_2_to_the_n() -> None:
    assert model([(n, 0.05 * math.log(n)) for n in (10, 1000, 10**5, 10**7)]) == "log n"
    assert model([(n, 1e-3 * 2**n) for n in (2, 5, 9, 13, 17)]) == "2^n"


@pytest.mark.parametrize("name", ["n", "n^2", "n^3"])
def test_five_percent_of_noise_and_a_fixed_cost_change_nothing(name: str) -> None:
    draw = random.Random(1)
    for _ in range(50):
        points = [(n, COSTS[name](n) * math.exp(draw.gauss(0, 0.05)) + 0.0002) for n in SIZES]
        found = model(points)
        assert found in ({"n", "n log n"} if name == "n" else {name})


TOO_LITTLE = [
    [],
    [(1000, 0.1)],
    [(1000, 0.1), (2000, 0.2)],
    [(1000, 0.1)] * 5,
    [(1000, 0.1), (1001, 0.1), (1002, 0.1)],
    [(n, RUN_FLOOR_S / 2) for n in SIZES],
    [(1, 0.1), (1.5, 0.2), (0, 0.3)],
]


@pytest.mark.parametrize("points", TOO_LITTLE)
def test_too_few_or_too_much_alike(points: list[tuple[float, float]]) -> None:
    assert fit("tokens", points) is None


@given(st.lists(st.tuples(st.floats(0, 1e9), st.floats(0, 1e6)), max_size=8))
def test_no_points_are_an_error(points: list[tuple[float, float]]) -> None:
    found = fit("tokens", points)
    assert found is None or found.error >= 0


@given(st.floats(1e-3, 1e3), st.sampled_from(list(COSTS)))
def test_a_faster_machine_changes_nothing(factor: float, name: str) -> None:
    points = [(n, max(RUN_FLOOR_S, 10 * COSTS[name](n))) for n in SIZES]
    assert model([(n, s * max(1.0, factor)) for n, s in points]) == model(points)


def case(data: bytes) -> Case:
    return Case("x", data)


@pytest.mark.parametrize(
    ("inputs", "what", "found"),
    [
        ([b"1 2", b"1 " * 30], "tokens", [2, 30]),
        ([b"10\n", b"2000\n"], "first number", [10, 2000]),
        ([b"", b""], "first number", [1, 1]),
        ([b"word", b"-5", b"inf", b"nan"], "first number", [1, 1, 1, 1]),
        ([], "first number", []),
    ],
)
def test_what_counts_as_size(inputs: list[bytes], what: str, found: list[float]) -> None:
    assert sizes([case(data) for data in inputs]) == (what, found)


def test_in_words() -> None:
    slow, fast = Growth("n^2", "tokens", 0.1), Growth("n", "tokens", 0.1)
    assert describe(slow, fast) == "about n^2 -> about n"
    assert describe(slow, slow) == "about n^2"
    assert describe(slow, None) == "about n^2 -> too quick to tell"
    assert describe(None, None) == ""


QUADRATIC = "a = list(map(int, input().split()))\nprint(sum(x > y for x in a for y in a))\n"
SORTING = "a = list(map(int, input().split()))\nfor _ in range(9):\n    b = sorted(a)\nprint(b[0])\n"


@pytest.mark.parametrize(
    ("source", "counts", "models"),
    [
        (QUADRATIC, (300, 600, 1200, 2400), {"n^2"}),
        (SORTING, (4000, 8000, 16_000, 32_000), {"n", "n log n"}),
    ],
    ids=["quadratic", "sorting"],
)
def test_real_programs(source: str, counts: tuple[int, ...], models: set[str]) -> None:
    """The least of five runs each, as whatever disturbs a run makes it longer."""
    draw = random.Random(2)
    with open_or_skip("bubblewrap") as sandbox:
        points = [(n, least(sandbox, source, [draw.randrange(10**9) for _ in range(n)])) for n in counts]
    assert model(points) in models, points


def least(sandbox: Sandbox, source: str, numbers: list[int]) -> float:
    stdin = " ".join(map(str, numbers)).encode()
    return min(sandbox.run(source, stdin).cpu_s for _ in range(5))
