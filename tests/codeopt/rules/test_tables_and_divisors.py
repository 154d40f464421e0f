"""only_divisors, prefix_extremes, index_to_dict and letters counted by counter: the same, and what is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codeopt.rules.programs import output, rewritten, same

DIVISORS = "n = 12\nfor i in range(1, n):\n    if n % i == 0:\n        {}\n"


@settings(deadline=None, max_examples=30)  # machines are busy
@given(n=st.integers(-40, 400), start=st.integers(1, 5), stop=st.sampled_from(["n", "n + 1", "n // 2 + 1", "n * 2"]))
def test_the_divisors_are_the_same(n: int, start: int, stop: str) -> None:
    source = f"n = {n}\nprint([i for i in range({start}, {stop}) if n % i == 0])\n"
    new = rewritten("only_divisors", source)
    assert new is not None
    assert output(new) == output(source)


@pytest.mark.parametrize(
    "source",
    [
        DIVISORS.format("print(i)\n        if i > 3: break\nelse:\n    print('all')"),
        DIVISORS.format("print(i)").replace("== 0", "== 0 and i > 2"),
        DIVISORS.format("print(i)").replace("n % i == 0", "not n % i"),
        "def f(n):\n    for i in range(2, n):\n        if n % i:\n            continue\n        print(i)\nf(9)\n",
        "for n in range(9):\n    print(sum(i for i in range(1, n) if n % i == 0) == n)\n",
    ],
)
def test_loops_over_divisors(source: str) -> None:
    assert "in divisors(" in same("only_divisors", source)


@pytest.mark.parametrize(
    "source",
    [
        DIVISORS.format("n -= 1"),
        DIVISORS.format("f()") + "def f():\n    global n\n    n = 3\n",
        DIVISORS.format("pass") + "print(i)\n",
        DIVISORS.format("pass") + "    else:\n        print(i)\n",
        DIVISORS.format("pass") + "else:\n    print(i)\n",
        DIVISORS.format("pass").replace("12", "12.0"),
        DIVISORS.format("pass").replace("12", "some()"),
        DIVISORS.format("pass").replace("(1,", "(0,"),
        DIVISORS.format("pass").replace("== 0", "== 1"),
        DIVISORS.format("pass").replace("== 0", "== 0 or i == 5"),
        DIVISORS.format("pass").replace("n % i", "i % n"),
        DIVISORS.format("pass").replace(", n)", ", 5)"),
        DIVISORS.format("pass").replace("    if", "    print(i)\n    if"),
        "abs = 3\n" + DIVISORS.format("pass"),
        "math = 3\n" + DIVISORS.format("pass"),
        "n = 12\nlate = (i for i in range(1, n) if n % i == 0)\nn = 8\nprint(list(late))\n",
    ],
)
def test_loops_that_do_more(source: str) -> None:
    assert rewritten("only_divisors", source) is None


EXTREMES = "def f(a):\n    n = len(a)\n    for i in range({}):\n        print({})\nf([3, 1, 2])\nf([2])\n"


@pytest.mark.parametrize(
    ("rounds", "asked", "expected"),
    [
        ("len(a)", "max(a[:i + 1])", "a_max_to[i])"),
        ("1, n", "min(a[:i])", "a_min_to[i - 1])"),
        ("n", "min(a[i:])", "a_min_from[i])"),
        ("n - 1", "max(a[i + 1:])", "a_max_from[i + 1])"),
        ("n - 1", "max(a[:i + 2])", "a_max_to[i + 1])"),
        ("n", "max(a[:i] or [0])", ""),
        ("n", "max(a[:i]) if i else 0", "(a_max_to[i - 1] if 0 <= i - 1 < len(a) else max(a[:i])) if i else 0"),
        ("-2, 0", "max(a[i:])", "a_max_from[i] if 0 <= i < len(a) else max(a[i:])"),
    ],
)
def test_extremes_of_slices(rounds: str, asked: str, expected: str) -> None:
    source = EXTREMES.format(rounds, asked)
    if not expected:
        assert rewritten("prefix_extremes", source) is None
        return
    new = same("prefix_extremes", source)
    assert expected in new
    assert rewritten("prefix_extremes", new) is None


@pytest.mark.parametrize(
    "source",
    [
        "a = [1.5, 2]\nfor i in range(2):\n    print(max(a[i:]))\n",
        "a = [True, 1]\nfor i in range(2):\n    print(max(a[i:]))\n",
        "a = [3, 1]\nfor i in range(1, 2):\n    a.append(i)\n    print(max(a[:i]))\n",
        "a = [3, 1]\nfor i in range(1, 2):\n    a[0] = 0\n    print(max(a[:i]))\n",
        "a = [[3], [1]]\nfor i in range(1, 2):\n    print(max(a[:i]))\n",
        "a = [3, 1]\nfor i in range(1, 2):\n    print(max(a[:i], key=str), max(a[i:0]), max(a[::i]), max(a[:-i]))\n",
        "a = [3, 1]\nprint(max(a[:1]))\n",
    ],
)
def test_extremes_left_alone(source: str) -> None:
    assert rewritten("prefix_extremes", source) is None


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a = [3, 1, 3]\nfor x in a:\n    print(a.index(x))\n", "print(a_index[x])"),
        ("a = [3, 1]\nb = list(set(a))\nprint([b.index(x) == 0 for x in a])\n", "[b_index[x] == 0 for"),
        (
            "a = [3, 1]\nfor x in [1, 2]:\n    try: print(-a.index(x))\n    except ValueError as e: print(e)\n",
            "-(a_index[x] if x in a_index else a.index(x))",
        ),
        ("a = [float('nan'), 1, True]\nfor x in [a[0], 1.0]:\n    print(a.index(x))\n", "else a.index(x)"),
        ("a = [3, 1]\nb = sorted(a)\na += [1]\nfor x in a:\n    print(b.index(x))\n", "else b.index(x)"),
    ],
)
def test_first_places(source: str, expected: str) -> None:
    new = same("index_to_dict", source)
    assert expected in new
    assert rewritten("index_to_dict", new) is None


@pytest.mark.parametrize(
    "source",
    [
        "a = [[3], [1]]\nfor x in a:\n    print(a.index(x))\n",
        "a = [3, 1]\nfor x in a:\n    print(a.index(x, 1), a.index([x][0]))\n",
        "a = [3, 1]\nfor x in range(3):\n    a.insert(0, x)\n    print(a.index(x))\n",
        "a = 'abc'\nfor x in a:\n    print(a.index(x))\n",
        "a = [3, 1]\nprint(a.index(1))\n",
        "a = [3]\nfor x in [object()]:\n    print(a.index(x))\n",
    ],
)
def test_places_left_alone(source: str) -> None:
    assert rewritten("index_to_dict", source) is None


@pytest.mark.parametrize(
    "loop", ["for c in s:", "for c in set(s):", "for i, c in enumerate(s):", "for c in sorted(list(s)):"]
)
def test_letters_are_counted_once(loop: str) -> None:
    source = f"s = input()\nt = 0\n{loop}\n    t += s.count(c)\nprint(t)\n"
    assert "s_counts[c]" in same("counter", source, "abca\n", "\n")


@pytest.mark.parametrize(
    "body",
    [
        "for c in s.split('b'):\n    print(s.count(c))\n",
        "for c in s:\n    c = 'an'\n    print(s.count(c))\n",
        "for c in s:\n    s += 'a'\n    print(s.count(c))\n    if len(s) > 9: break\n",
        "for c in s:\n    print(s.count('an'), s.count(c + c), s.count(c, 1))\n",
        "for c, i in enumerate(s):\n    print(s.count(str(c)))\n",
    ],
)
def test_text_that_is_counted_otherwise(body: str) -> None:
    assert rewritten("counter", "s = 'banana'\n" + body) is None
