"""Rules that change how loops count and what they call: what is taken, what is refused, and that it prints the same."""

from __future__ import annotations

import pytest

from tests.codeopt.rules.programs import rewritten, same

COMPARE = "xs = [3, 1, 2]\nfor w in [2, 9]:\n    print({})\n"
INLINE = "def f(a, b):\n    return {}\nfor i in range(3):\n    print(f({}))\n"


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("print(xs[i])", "for value in xs:"),
        ("if xs[i] == 1: break", "for value in xs:"),
        ("print([xs[i] for _ in range(2)])", "[value for _"),
        ("print(i, xs[i])", None),
        ("xs[i] = 0", None),
        ("xs.append(xs[i]) if len(xs) < 9 else None", None),
        ("ys = xs\n    ys[0] = 7\n    print(xs[i])", None),
        ("f = lambda: xs[i]\n    print(f())", None),
        ("i = 0\n    print(xs[i])", None),
        ("xs = xs + [xs[i]]", None),
    ],
)
def test_elements_for_indices(loop: str, expected: str | None) -> None:
    source = f"xs = [3, 1, 2]\nfor i in range(len(xs)):\n    {loop}\nprint(xs)\n"
    if expected is None:
        assert rewritten("index_to_element", source) is None
        assert rewritten("index_to_element", source + "print(i)\n") is None
    else:
        assert expected in same("index_to_element", source)


@pytest.mark.parametrize(
    ("body", "arguments", "expected"),
    [
        ("a + b", "i, 2", "print(i + 2)"),
        ("a * b", "i + 1, -i", "print((i + 1) * (-i))"),
        ("b - a", "i, 2", "print(2 - i)"),
        ("b - a", "i * 2, i * 3", None),
        ("a + a * b", "i * 2, 1", None),
        ("a if a > b else b", "i, 1", "print(i if i > 1 else 1)"),
        ("a and b", "i, 1 // i", None),
        ("print(a, b)", "i, 2", None),
        ("[a, b]", "i, 2", None),
        ("f(a, b) if a < 0 else b", "i, 2", None),
        ("a + b", "i", None),
        ("a + b", "b=1, a=i", None),
        ("a + b", "*[i, 1]", None),
        ("a + b", "print(), 1", None),
    ],
)
def test_expressions_for_calls(body: str, arguments: str, expected: str | None) -> None:
    source = INLINE.format(body, arguments)
    if expected is None:
        assert rewritten("inline_function", source) is None
    else:
        assert same("inline_function", source) == f"for i in range(3):\n    {expected}\n"


@pytest.mark.parametrize(
    "source",
    [
        "k = 2\ndef f(a):\n    return a + k\ndef g(k):\n    for i in range(3):\n        print(f(i))\ng(7)\n",
        INLINE.format("a + b", "i, 2") + "print(f)\n",
        INLINE.format("a + b", "i, 2") + "f = max\n",
        "class A:\n    def __add__(self, other):\n        return 1\n" + INLINE.format("a + b", "i, 2"),
        "def f(a, b=1):\n    return a + b\nfor i in range(3):\n    print(f(i, 1))\n",
        "from functools import cache\n@cache\n" + INLINE.format("a + b", "i, 2"),
    ],
)
def test_functions_that_stay(source: str) -> None:
    assert rewritten("inline_function", source) is None


@pytest.mark.parametrize(
    ("rule", "expression", "expected"),
    [
        ("keys_membership", "w in list({2: 1})", None),
        ("keys_membership", "w in list(range(w))", "w in range(w)"),
        ("keys_membership", "2.0 in list(range(w))", None),
        ("keys_membership", "w in list(xs)", None),
    ],
)
def test_containers_asked_in_a_loop(rule: str, expression: str, expected: str | None) -> None:
    source = COMPARE.format(expression)
    if expected is None:
        assert rewritten(rule, source) is None
    else:
        assert expected in same(rule, source)


@pytest.mark.parametrize(
    ("call", "taken"),
    [
        ("re.sub('a', lambda m: 'b', w, count=1)", True),
        ("re.split(r'\\d', w, maxsplit=1)", True),
        ("re.sub('a', 'b', w, 1, re.I)", True),
        ("re.sub('a', 'b', w, flags=re.I | re.M, count=1)", True),
        ("re.sub('a', 'b', w, count=1, flags=re.I)", True),
        ("re.findall('a', w, re.I)", True),
        ("re.findall('a', w, flags=re.I)", True),
        ("re.compile('a', re.I).findall(w)", True),
        ("re.findall('a', w, re.L)", False),
        ("re.findall('a', w, 2)", False),
        ("re.findall(b'a', w.encode(), re.U)", False),
        ("[(re.findall('a', w, f)) for f in [re.I]]", False),
        ("re.findall(w, 'a')", False),
        ("re.findall('a{2', *[w])", False),
    ],
)
def test_patterns(call: str, taken: bool) -> None:
    source = f"import re\nfor w in ['a1a', 'A']:\n    print({call})\n"
    assert (rewritten("regex_hoist", source) is not None) == taken
    if taken:
        assert "PATTERN = re.compile(" in same("regex_hoist", source)


def test_patterns_that_do_not_compile_fail_where_they_did() -> None:
    assert rewritten("regex_hoist", "import re\nfor w in []:\n    re.findall('(', w)\n") is None
