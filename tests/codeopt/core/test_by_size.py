"""Times by size: one line where a smaller size disagrees with the timed one."""

from __future__ import annotations

import pytest

from codeopt.core.evidence import AtSize, BySize


def sizes(unit: str, **ratios: float) -> BySize:
    """Rows by size, such as `n5=0.9`."""
    return BySize(unit, tuple(AtSize(int(name[1:]), ratio, ratio, 1.0) for name, ratio in ratios.items()))


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (BySize(), ""),
        (sizes("items", n5=1.2, n120=3.0, n3000=40.0), ""),
        (sizes("items", n5=0.96, n120=3.0, n3000=40.0), ""),  # less than what counts as a loss
        (sizes("items", n10=0.5, n1000=2.0), "slower below about 100 items (10 items: 0.50x)"),
        (sizes("items", n10=0.5, n100=0.8, n1000=2.0), "slower below about 180 items (10 items: 0.50x)"),
        (sizes("items", n10=1.0, n100=0.5, n10000=2.0), "slower below about 1,000 items (100 items: 0.50x)"),
        (sizes("n", n10=2.0, n1000=0.5), "faster below about n = 100 (n = 10: 2.00x)"),
        (sizes("tokens", n10=0.5, n1000=1.02), ""),  # the timed size itself shows no difference
    ],
)
def test_a_disagreement_is_one_line(found: BySize, said: str) -> None:
    assert found.disagreement == said
