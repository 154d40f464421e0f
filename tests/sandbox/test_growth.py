"""How cost grows: every class found from its own points and from counted steps, nothing said where two fit alike."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import cmp_to_key

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
    assert model([(n, 1e-3 * 2**n) for n in (2, 6, 10, 16, 24, 32)]) == "2^n"


WIDE = tuple(500 * 2**step for step in range(8))


@pytest.mark.parametrize("name", COSTS)
@pytest.mark.parametrize("noise", [0.02, 0.05, 0.1])
def test_noise_and_a_fixed_cost_make_no_other_class_of_it(name: str, noise: float) -> None:
    """Nothing is said rather than another class: of 60 tries one at most."""
    draw, others = random.Random(1), 0
    for _ in range(60):
        points = [(n, COSTS[name](n) * math.exp(draw.gauss(0, noise)) + 0.001) for n in WIDE]
        others += model(points) not in (name, "", "constant" if name == "sqrt n" else "")
    assert others <= 1


@pytest.mark.parametrize("name", ["sqrt n", "n^1.5", "n^2", "n^3"])
def test_five_percent_of_noise_hide_no_class_that_stands_apart(name: str) -> None:
    draw = random.Random(2)
    found = [model([(n, 10 * COSTS[name](n) * math.exp(draw.gauss(0, 0.05))) for n in WIDE]) for _ in range(60)]
    assert found.count(name) >= 54


def comparisons(size: int, algorithm: str) -> int:
    """Steps of an algorithm on so many numbers, counted."""
    numbers = list(range(size))
    random.Random(size).shuffle(numbers)
    if algorithm == "insertion sort":
        return sum(1 for at, one in enumerate(numbers) for other in numbers[:at] if other > one) + size
    if algorithm == "merge sort":
        counted = 0

        def compared(a: int, b: int) -> int:
            nonlocal counted
            counted += 1
            return a - b

        sorted(numbers, key=cmp_to_key(compared))
        return counted
    if algorithm == "trial division":
        return sum(1 for divisor in range(1, math.isqrt(size) + 1) if divisor)
    return sum(3 for _ in numbers) + (40_000 if algorithm == "sum after a long start" else 0)


@pytest.mark.parametrize(
    ("algorithm", "sizes", "classes"),
    [
        ("insertion sort", [40 * 2**step for step in range(6)], {"n^2"}),
        ("merge sort", [500 * 2**step for step in range(7)], {"n log n"}),
        ("trial division", [1000 * 4**step for step in range(6)], {"sqrt n"}),
        ("sum", [500 * 2**step for step in range(6)], {"n"}),
        ("sum after a long start", [500 * 2**step for step in range(10)], {"n"}),
        ("sum after a long start", [50 * 2**step for step in range(6)], {"constant"}),
    ],
)
def test_counted_steps(algorithm: str, sizes: list[int], classes: set[str]) -> None:
    assert model([(size, 1e-5 * comparisons(size, algorithm)) for size in sizes]) in classes


MIXED: dict[str, Callable[[float], float]] = {
    "half linear, half quadratic": lambda n: n / 4000 + (n / 4000) ** 2,
    "two levels": lambda n: 0.01 if n < 4000 else 0.1,
    "nearest to a cube, and far from it": lambda n: (n / 1000) ** 3 * (1.2 if n in WIDE[::2] else 0.8),
    "up and down": lambda n: n * (1.5 if n in WIDE[::2] else 0.7) / 1000,
}


@pytest.mark.parametrize("name", MIXED)
def test_what_is_of_no_class_is_not_told(name: str) -> None:
    assert model([(n, MIXED[name](n)) for n in WIDE]) == ""


def test_sizes_have_to_span_sixteen_fold() -> None:
    assert model([(n, 1e-8 * n * n) for n in (1000, 2000, 4000, 8000, 15_000)]) == ""
    assert model([(n, 1e-8 * n * n) for n in (1000, 2000, 4000, 8000, 16_000)]) == "n^2"


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
        ([b"1 2", b"1 " * 32], "tokens", [2, 32]),
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
    assert describe(slow, None) == "about n^2 -> not clear"
    assert describe(None, None) == ""


QUADRATIC = "a = list(map(int, input().split()))\nprint(sum(x > y for x in a for y in a))\n"
SORTING = "a = list(map(int, input().split()))\nfor _ in range(9):\n    b = sorted(a)\nprint(b[0])\n"


@pytest.mark.parametrize(
    ("source", "counts", "models"),
    [
        (QUADRATIC, (150, 300, 600, 1200, 2400), {"n^2", ""}),
        (SORTING, (2000, 4000, 8000, 16_000, 32_000), {"n", "n log n", ""}),
    ],
    ids=["quadratic", "sorting"],
)
def test_real_programs(source: str, counts: tuple[int, ...], models: set[str]) -> None:
    """The least of five runs each, as whatever disturbs a run makes it longer; a machine that is too busy for a class
    has none told, and never another."""
    draw = random.Random(2)
    with open_or_skip("bubblewrap") as sandbox:
        points = [(n, least(sandbox, source, [draw.randrange(10**9) for _ in range(n)])) for n in counts]
    assert model(points) in models, points


def least(sandbox: Sandbox, source: str, numbers: list[int]) -> float:
    stdin = " ".join(map(str, numbers)).encode()
    return min(sandbox.run(source, stdin).cpu_s for _ in range(5))
