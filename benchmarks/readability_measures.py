"""What the measures of readability make of drafts that only look readable, beside two measures of complexity.

    python -m benchmarks.readability_measures

For each: how far comments over lines, the number of functions and the share of meaningful names go up as Self-Refine
counts them; the gain of `--task readability`, of which 0.03 is asked; McCabe's number, all functions together, as
here; and cognitive complexity by complexipy, where that is installed. The last rows are a clear draft, and one in
which a sentence that is true of nothing was put on each line: no count sees that, which is why a reader is asked. The
command fails where one that only looks readable gains enough.
"""

from __future__ import annotations

import importlib
import importlib.util
import re

from codeopt.tasks._readability_examples import _GRADES_CLEAR, _GRADES_TERSE
from codeopt.tasks._readability_measures import measure
from codeopt.tasks.readability import TASK, gain

PLAIN = """\
def total_price(prices, limit):
    total = 0
    for price in prices:
        if price > limit:
            total += limit
        else:
            total += price
    return total


amounts = [int(part) for part in input().split()]
print(total_price(amounts, 100))
"""


def commented(line: str) -> str:
    """Each line of the program with a comment behind it."""
    return "".join(f"{each}  {line}\n" if each.strip() else "\n" for each in PLAIN.splitlines())


FOOLING = {
    "empty comments": commented("#"),
    "rules": commented("# ----------"),
    "the same comment everywhere": commented("# this is a line of the program"),
    "the code in other words": PLAIN.replace("total = 0", "total = 0  # total 0").replace(
        "total += limit", "total += limit  # total limit"
    ),
    "a function a line": PLAIN.replace("total += limit", "total = add_limit(total, limit)").replace(
        "def total_price", "def add_limit(total, limit):\n    return total + limit\n\n\ndef total_price"
    ),
    "long nonsense": re.sub(r"\btotal\b", "the_total_value_of_all_the_prices_until_now", PLAIN),
    "letters": re.sub(r"\btotal\b", "qzxvaejrb", PLAIN),
    "a part of it in a function of its own": PLAIN.replace("    return total\n", "    return same(total)\n").replace(
        "def total_price", "def same(total):\n    result = total\n    return result\n\n\ndef total_price"
    ),
    "nothing but shorter lines": PLAIN.replace("price > limit", "(\n            price\n            > limit\n        )"),
    "a docstring that repeats the name": PLAIN.replace(
        "limit):\n", 'limit):\n    """Total price.\n' + "    Total price for the prices.\n" * 3 + '    """\n', 1
    ),
}

WORDS = ("river", "winter", "candle", "forest", "garden", "harbour", "island", "kitchen", "ladder", "mirror", "needle")
LYING = "".join(
    f"{line}  # the {word} of every {other} was painted\n"
    for line, word, other in zip([row for row in PLAIN.splitlines() if row], WORDS, WORDS[::-1], strict=False)
)
"""Comments that say something, and nothing of the program."""


def cognitive(source: str) -> str:
    """Return the figure of complexipy. A dash if it is not installed."""
    if importlib.util.find_spec("complexipy") is None:
        return "-"
    return str(importlib.import_module("complexipy").code_complexity(source).complexity)


def row(name: str, draft: str, original: str = PLAIN) -> str:
    """One line of the table."""
    old, new = measure(original), measure(draft)
    counted = [(old.comment_share, new.comment_share), (old.functions, new.functions)]
    counted += [(old.meaningful_share, new.meaningful_share)]
    shown = "".join(f"{after - before:>+10.2f}" for before, after in counted)
    branches = "->".join(str(sum(each.branches for each in found.complexity)) for found in (old, new))
    by_others = f"{cognitive(original)}->{cognitive(draft)}"
    return f"{name:<40}{shown}{gain(draft, original) or 0.0:>+8.3f}{branches:>9}{by_others:>11}"


def main() -> int:
    """The table."""
    heads = ("comments", "functions", "names")
    print(f"{'':<40}{''.join(f'{head:>10}' for head in heads)}{'gain':>8}{'McCabe':>9}{'cognitive':>11}")
    for name, draft in FOOLING.items():
        print(row(name, draft))
    print(row("a clear draft", _GRADES_CLEAR, _GRADES_TERSE))
    print(row("comments that are true of nothing", LYING))
    gains = {name: gain(draft, PLAIN) or 0.0 for name, draft in FOOLING.items()}
    return 1 if any(found >= TASK.min_gain for found in gains.values()) else 0


if __name__ == "__main__":
    raise SystemExit(main())
