"""Letters of a text that are counted once: what is the same, and what is left alone."""

from __future__ import annotations

import pytest

from tests.codeopt.rules.programs import rewritten, same


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
