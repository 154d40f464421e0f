"""What only looks readable scores no gain, and a reader is asked in both orders."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest

from codeopt.batch.results.statistics import wilson
from codeopt.core.errors import ModelError
from codeopt.core.history import Candidate, Preferred
from codeopt.core.model import NOTHING_USED, Message, Usage
from codeopt.core.revision import Revision
from codeopt.engine.llm_judge import LlmJudge, read_by
from codeopt.models.scripted import Scripted
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

TERSE_GRADES = """\
n=int(input())
d={}
for i in range(n):
    s=input().split()
    if s[0] in d:
        d[s[0]].append(int(s[1]))
    else:
        d[s[0]]=[int(s[1])]
l=sorted(d)
for x in l:
    t=0
    for v in d[x]:
        t=t+v
    if t/len(d[x])>=80: g='A'
    elif t/len(d[x])>=60: g='B'
    else: g='C'
    print(x,g)
"""
CLEAR_GRADES = '''\
from collections import defaultdict

# The lowest average that still earns the grade, best grade first.
GRADES = ((80, "A"), (60, "B"))
LOWEST_GRADE = "C"


def read_scores():
    """Scores of every pupil, from lines of the form `name score`."""
    scores = defaultdict(list)
    for _ in range(int(input())):
        name, score = input().split()
        scores[name].append(int(score))
    return scores


def grade_of(average):
    for lowest, grade in GRADES:
        if average >= lowest:
            return grade
    return LOWEST_GRADE


def main():
    scores = read_scores()
    # Names are printed in alphabetical order.
    for name in sorted(scores):
        print(name, grade_of(sum(scores[name]) / len(scores[name])))


main()
'''


@pytest.mark.parametrize("how", FOOLING)
def test_what_only_looks_readable_gains_nothing(how: str) -> None:
    found = gain(FOOLING[how], PLAIN)
    assert found is not None
    assert found < TASK.min_gain, how


def test_an_honest_one_still_gains() -> None:
    found = gain(CLEAR_GRADES, TERSE_GRADES)
    assert found is not None
    assert found > 0.2


def mangled(number: int) -> str:
    """A worse copy of the plain program, each in another way."""
    names = ["total", "price", "prices", "amounts", "limit"]
    worse = PLAIN
    for name in names[: 1 + number % 5]:
        worse = re.sub(rf"\b{name}\b", f"{name[0]}{number}", worse)
    return worse.replace("\n\n\n", "\n") if number % 2 else worse + "# x\n" * number


def by_rule(messages: Sequence[Message]) -> str:
    """A reader by rule: the program with the more meaningful names is better."""
    a, b = re.findall(r"## [AB]\n`+\n(.*?)`+", messages[-1].content, re.DOTALL)
    found = gain(a, b)
    assert found is not None
    return f"Names decide.\nBETTER: {'A' if found > 0 else 'B' if found < 0 else 'SAME'}"


def test_a_reader_finds_the_better_of_twenty_pairs_in_either_order() -> None:
    reader = LlmJudge(Scripted(by_rule), "Which is easier to read?")
    found = [reader.prefer(mangled(number), PLAIN)[0].winner for number in range(20)]
    turned = [reader.prefer(PLAIN, mangled(number))[0].winner for number in range(20)]
    opposite = {Preferred.FIRST: Preferred.SECOND, Preferred.SECOND: Preferred.FIRST}
    assert turned == [opposite.get(each, each) for each in found]
    assert Preferred.FIRST not in found
    assert wilson(found.count(Preferred.SECOND), 20).low > 0.5


def test_a_reader_who_always_takes_the_first_has_no_preference() -> None:
    found, usage = LlmJudge(Scripted(lambda messages: "BETTER: A"), "Which?").prefer(PLAIN, mangled(3))
    assert found.winner is Preferred.NEITHER
    assert usage.replies == 2


def test_the_reader_is_not_told_which_is_the_original() -> None:
    asked: list[str] = []

    def answer(messages: Sequence[Message]) -> str:
        asked.append(" ".join(message.content for message in messages).lower())
        return "BETTER: SAME"

    LlmJudge(Scripted(answer), "Which is easier to read?").prefer(PLAIN, mangled(1))
    assert not any("original" in text or "draft" in text for text in asked)


def read_once(answer: Callable[[Sequence[Message]], str]) -> Candidate:
    """A draft whose round has cost 900 tokens, after a reader was asked about it and the original."""
    draft = Candidate(1, Revision.of(PLAIN), "a draft", usage=Usage(replies=1, tokens_in=900))
    ask = read_by(LlmJudge(Scripted(answer), "Which?"), lambda line: None)
    return ask(draft, Candidate(0, Revision.of(mangled(1)), "o"))


def test_a_reader_who_fails_costs_nothing_that_was_spent_before() -> None:
    """What the candidate cost in its round is not counted again."""

    def fail(messages: Sequence[Message]) -> str:
        raise ModelError("gone")

    found = read_once(fail)
    assert found.usage == NOTHING_USED
    assert found.preference is None
    assert "no reader was asked" in found.notes[0]


def test_what_a_reader_cost_who_fails_the_second_time_is_counted() -> None:
    def once(messages: Sequence[Message]) -> str:
        asked.append(messages)
        if len(asked) == 2:
            raise ModelError("gone")
        return "Names.\nBETTER: A"

    asked: list[Sequence[Message]] = []
    found = read_once(once)
    assert found.usage.replies == 1
    assert 0 < found.usage.tokens_in != 900
    assert found.preference is None
    assert "answered once" in found.notes[0]


def test_the_same_text_is_not_asked_about() -> None:
    found, usage = LlmJudge(Scripted([]), "Which?").prefer(PLAIN, PLAIN + "\n")
    assert (found.winner, usage.replies) == (Preferred.NEITHER, 0)
