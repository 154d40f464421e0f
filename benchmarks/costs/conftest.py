"""Flags of the benchmarks that pytest runs."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Fewer rounds, to see that they run at all."""
    parser.addoption("--rounds", type=int, default=150, help="runs of each benchmark (%(default)s; 10 of slow ones)")


@pytest.fixture(scope="module")
def rounds(request: pytest.FixtureRequest) -> int:
    """Return the number of runs of each."""
    return int(request.config.getoption("--rounds"))
