"""Math reasoning: the model writes a program that computes the answer, and feedback is on its run in the sandbox.

As in Self-Refine (GSM8K with programs): if a set has the right answers, the metric is the share of solved problems. No
answer is ever shown to the model.
"""

from __future__ import annotations

import re

from codeopt.selfrefine.text_task import Aspect, TextCheck, TextTask

_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


def number(text: str) -> float | None:
    """Return the last number of a text, as in GSM8K's keys and a program's last line. None without a number."""
    found = _NUMBER.findall(text)
    return float(found[-1].replace(",", "")) if found else None


def is_solved(key: str, printed: str) -> bool:
    """Return whether a program prints the answer, within the rounding of a printed float."""
    right, got = number(key), number(printed)
    return right is not None and got is not None and abs(right - got) <= 1e-6 * max(1.0, abs(right))


def answers(problem: str, printed: str) -> TextCheck:
    """Return whether the program prints one number and no further text."""
    one = len(printed.split()) == 1 and number(printed) is not None
    return TextCheck(float(one), "it prints one number" if one else "it must print one number and nothing else")


TASK = TextTask(
    name="math_reasoning",
    role="You solve word problems by short Python programs. A program holds the numbers of the problem under names "
    "that say what they are, computes the answer a step a line, and prints it as one number.",
    asked="the problem",
    answer="a Python program that prints the answer",
    aspects=(
        Aspect("understanding", "each quantity of the problem is there once, with its unit, and nothing is assumed"),
        Aspect("steps", "each line follows from the problem or from lines before; check every one by its unit"),
        Aspect("answer", "what is printed is what is asked for, in the unit that is asked for, and of a likely size"),
    ),
    check=answers,
    solves=is_solved,
    runs=True,
)
