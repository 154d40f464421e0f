"""isqrt_trial_division: what is the same and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codeopt.rules.programs import output, rewritten


@settings(deadline=None)  # machines are busy
@given(
    stop=st.sampled_from(["n", "n // 2 + 1"]),
    test=st.sampled_from(["n % d == 0", "not n % d"]),
    n=st.integers(-5, 60),
)
def test_divisors(stop: str, test: str, n: int) -> None:
    source = (
        f"n = int(input())\nfor d in range(2, {stop}):\n    if {test}:\n        x = 'composite'\n        break\n"
        "else:\n    x = 'prime'\n"
        f"print(x, any(n % d == 0 for d in range(2, {stop})), all(n % d != 0 for d in range(2, {stop})))\n"
    )
    new = rewritten("isqrt_trial_division", source)
    assert new is not None
    assert new.count("isqrt(") == 3
    assert output(new, str(n)) == output(source, str(n))


@pytest.mark.parametrize(
    "loop",
    [
        "for d in range(2, n):\n    if n % d == 0:\n        print(d)\n        break\n",
        "for d in range(2, n):\n    if n % d == 0:\n        x = d\n        break\n",
        "for d in range(2, n):\n    if n % d == 0:\n        break\nprint(d)\n",
        "for d in range(2, n):\n    if n % d == 0:\n        x = 1\n",
        "for d in range(2, n):\n    if n % d == 0:\n        x = 1\n        break\nelse:\n    print(d)\n",
        "for d in range(3, n, 2):\n    if n % d == 0:\n        x = 1\n        break\n",
        "for d in range(2, n // 2):\n    if n % d == 0:\n        x = 1\n        break\n",
        "for d in range(2, n + 1):\n    if n % d == 0:\n        x = 1\n        break\n",
        "for d in range(2, n):\n    if m % d == 0:\n        x = 1\n        break\n",
        "for d in range(2, n):\n    if n % d == 1:\n        x = 1\n        break\n",
        "print(sum(n % d == 0 for d in range(2, n)), [n % d == 0 for d in range(2, n)])\n",
        "print(any(n % d != 0 for d in range(2, n)), all(n % d == 0 for d in range(2, n)))\n",
    ],
)
def test_divisors_refused(loop: str) -> None:
    assert rewritten("isqrt_trial_division", "n = int(input())\nm = 9\nx = 0\n" + loop) is None
