"""One run of a project's tests as evidence of all functions: their calls, the tests that make them, their time."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.review.change import whole_files
from codeopt.review.changed_functions import find_targets
from codeopt.review.ranking import Ranking, ranked
from codeopt_sandbox import Options, Sandbox, open_sandbox
from codeopt_sandbox.guest.tests.trace import PausedClock
from tests.codeopt.review.pull_request import propose
from tests.conftest import require_sandbox

pytestmark = pytest.mark.full

SHOP = """\
class Basket:
    def __init__(self, items):
        self.items = items

    def add(self, item):
        self.items.append(item)


def outer(values):
    return [inner(value) for value in values]


def inner(value):
    return sum(range(value))


def held(basket):
    return len(basket.items)


def shown(stream):
    return stream.name


def untested(value: int) -> int:
    return value
"""
TESTS = """\
import shop


def test_outer():
    assert shop.outer([1, 2, 3]) == [0, 1, 3]


def test_inner():
    assert shop.inner(20_000) > 0
    assert shop.inner(2) == 1


def test_held():
    basket = shop.Basket([1])
    basket.add(2)
    assert shop.held(basket) == 2


def test_shown():
    with open(__file__) as stream:
        assert shop.shown(stream) == __file__


def test_fails():
    assert shop.inner(4) == 5
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ranking]:
    require_sandbox()
    files = {"shop.py": SHOP, "test_shop.py": TESTS, "test_other.py": "import shop\n\n\ndef test_it():\n    pass\n"}
    folder = propose(tmp_path_factory.mktemp("traced") / "r", files, {})
    targets, _ = find_targets(whole_files([folder])[1], None)

    def open_with(mounts: tuple[tuple[str, str], ...]) -> Sandbox:
        return open_sandbox("bubblewrap", options=Options(mounts=mounts))

    return (folder / "shop.py").resolve(), ranked(targets, open_with)


def test_each_function_has_its_calls_with_the_test_that_made_them(found: tuple[Path, Ranking]) -> None:
    path, ranking = found
    traced = {name: each for (file, name), each in ranking.traces.items() if file == path}
    assert traced.keys() == {"outer", "inner", "held", "shown"}  # methods are recorded one by one, later
    outer, inner = (  # without what each gave
        {call.partition("\t")[0]: test for call, test in dict(traced[name].calls).items()}
        for name in ("outer", "inner")
    )
    assert outer == {"f([1, 2, 3])": "test_shop.py::test_outer"}
    assert {call: inner[call].rpartition("::")[2] for call in inner} == {
        **dict.fromkeys(("f(1)", "f(2)", "f(3)"), "test_outer"), "f(20000)": "test_inner", "f(4)": "test_fails",
    }  # fmt: skip
    (held,) = traced["held"].calls
    assert held.startswith("f(unpickle(")  # with what its object was made with and asked since
    assert (list(traced["shown"].calls), sum(traced["shown"].lost.values())) == ([], 1)


def test_no_time_passes_while_the_clock_is_paused() -> None:
    clock = PausedClock()
    seen: list[float] = []

    def look(deeper: bool) -> None:
        seen.append(clock())
        if deeper:
            paused(False)
        seen.append(clock())

    paused = clock.pausing(look)
    before = clock()
    paused(True)
    after = clock()
    assert len(set(seen)) == 1
    assert before <= seen[0] <= after
