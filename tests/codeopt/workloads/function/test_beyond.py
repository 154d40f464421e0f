"""Drafts that differ from their originals only where no known call goes, or where nobody else can tell: believed, with
a caveat that can be seen again; and their likes that are wrong."""
# looks at codeopt/workloads/function/judging

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt.core.program import Target
from codeopt.core.revision import Revision
from codeopt.report.verdict import why
from codeopt.workloads.function.corpus.cases import without_unsteady
from codeopt.workloads.function.counterexample import Importable, paste
from codeopt.workloads.source.functions import read_function
from codeopt_sandbox.calls import CallRun
from codeopt_sandbox.comparing import AnsweredCase
from codeopt_sandbox.outcome import CaseVerdict, CaveatKind
from tests.codeopt.workloads.conftest import Compare
from tests.sandbox.answered import returning, told
from tests.support.judges import ENOUGH_EXAMPLES, function_judge, write_project

CALLS = """\
CALLS = [(([3, 1, 2, 5][:n], n // 2), {}) for n in range(1, 5)]
CALLS += [((list(range(40)), 39), {}), (([7] * 9, 0), {})]
"""

STACK = """\
class Stack:
    def __init__(self, items=()):
        self._items = list(items)

    def push(self, item):
        if item not in [known for known in self._items]:
            self._items = [*self._items, item]

    def top(self):
        return self._items[-1]

    def __len__(self):
        return len(self._items)
"""
INDEXED = STACK.replace("list(items)\n", "list(items)\n        self._known = set(self._items)\n").replace(
    "if item not in [known for known in self._items]:\n            self._items = [*self._items, item]",
    "if item not in self._known:\n            self._known.add(item)\n            self._items.append(item)",
)
FORGETS = INDEXED.replace("            self._items.append(item)\n", "")
TESTS = """\
import stack

class Word:
    def __init__(self, text):
        self.text = text
    def __eq__(self, other):
        return isinstance(other, Word) and self.text == other.text
    def __hash__(self):
        return hash(self.text)

def test_push():
    for items in ([], [1], ["a"], [1, 2], list(range(30)), list(range(90))):
        for item in (0, 1, "a", 999, Word("a")):
            found = stack.Stack(items)
            found.push(item)
            assert len(found) >= len(items)
"""


TAGGER = """\
import re

class Tagger:
    def __init__(self, rules: list[tuple[str, str]]):
        self.rules = rules

    def tag(self, words: list[str]) -> list[str | None]:
        return [next((label for rule, label in self.rules if re.match(rule, word)), None) for word in words]
"""
COMPILED = TAGGER.replace(
    "self.rules = rules",
    "self.rules = rules\n        self._matches = [(re.compile(r).match, label) for r, label in rules]",
).replace("rule, label in self.rules if re.match(rule, word)", "match, label in self._matches if match(word)")
PRINTS = COMPILED.replace("self.rules = rules", "self.rules = rules\n        print(len(rules))")
TAGS = """\
import tagger

RULES = [("-?[0-9]+(.[0-9]+)?$", "number"), (".*ing$", "verb"), (".*ly$", "adverb"), (".*", "noun")]

def test_tag():
    for rules in (RULES, RULES[1:], RULES[:2]):
        for words in (["running", "12", "cats", "kindly"], ["a", "3.5"], ["dog"]):
            assert len(tagger.Tagger(rules).tag(words)) == len(words)
"""


@pytest.mark.full
def test_a_constructor_may_raise_what_the_original_raises_later(tmp_path: Path) -> None:
    target = Target(write_project(tmp_path / "old", "tagger.py", TAGGER, TAGS) / "tagger.py", "Tagger.tag")
    with function_judge(target, timed=False, max_examples=ENOUGH_EXAMPLES) as judge:
        right, wrong = (judge.check(Revision.of(text), "a person's") for text in (COMPILED, PRINTS))
    assert right.correct, why(right)
    assert any("constructor" in each.cause for each in right.caveats), right.caveats
    assert "prints" in why(wrong)


@pytest.mark.full
def test_what_objects_keep_is_judged_by_what_they_show(tmp_path: Path) -> None:
    target = Target(write_project(tmp_path / "old", "stack.py", STACK, TESTS) / "stack.py", "Stack.push")
    with function_judge(target, timed=False) as judge:
        evidence = judge.workload.evidence().checked
        right, wrong = (judge.check(Revision.of(text), "a person's") for text in (INDEXED, FORGETS))
    assert evidence.sources["tests"] >= 10
    assert not evidence.left_out.get("given"), evidence.left_out
    assert right.correct, why(right)
    assert {each.kind for each in right.caveats if not each.domain} == {CaveatKind.PRIVATE}
    # a set holds no list: a stack of lists, which no known call has, is made by the original alone
    assert {each.cause for each in right.caveats if each.domain} <= {"a list among the items for `self`"}
    assert not wrong.correct
    assert CaseVerdict.WA in {each.verdict for each in wrong.outcomes}
    assert not wrong.caveats


@pytest.mark.full
@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ("f(1, [2.5, inf])", "1 3"),
        ("f(Decimal('0.5'), used(load('collections', 'deque')([1]), do.append(2)))", "Decimal('0.5') 3"),
        ("f(1, 'it\\'s $HOME \"x\"')", "1 15"),
    ],
)
def test_a_call_is_made_by_a_shell(call: str, shown: str, tmp_path: Path) -> None:
    path = tmp_path / "subject.py"
    path.write_text("def f(a, b):\n    return f'{a!r} {len(b) + 1}'\n")
    line = paste(call, read_function(path, "f"), [Importable(tmp_path, "subject", "f")])
    done = subprocess.run(
        ["sh", "-c", line.replace("python ", f"{sys.executable} ")], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{shown!r}\n"


def test_what_no_line_can_make_has_none(tmp_path: Path) -> None:
    path = tmp_path / "subject.py"
    path.write_text("def f(a):\n    return a\n")
    function, place = read_function(path, "f"), Importable(tmp_path, "subject", "f")
    assert paste("CALLS[0]", function, [place]) == ""
    assert paste(f"f({'1' * 5000})", function, [place]) == ""
    assert "runpy" in paste("CALLS[0]", function, [place], tmp_path / "calls.py")


@pytest.mark.full
@pytest.mark.parametrize("call", ["CALLS[0]", "CALLS[1]", "f(CALLS[0][0][0], 5)", "f(CALLS[1][0][0], b=[5][0])"])
def test_a_call_of_a_calls_file_is_made_by_a_shell(call: str, tmp_path: Path) -> None:
    path, calls = tmp_path / "subject.py", tmp_path / "calls.py"
    path.write_text("def f(a, b):\n    return a + b\n")
    calls.write_text("CALLS = [((3, 5), {}), (3, 5)]\n")
    line = paste(call, read_function(path, "f"), [Importable(tmp_path, "subject", "f")], calls)
    done = subprocess.run(["sh", "-c", line.replace("python ", f"{sys.executable} ")], capture_output=True, text=True)
    assert done.stdout == "8\n", done.stderr


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("xyz"), st.sampled_from("xyz")), min_size=1))
def test_only_what_the_original_answers_again_counts(lines: list[tuple[str, str, str]]) -> None:
    answers = [told(*map(returning, each)) for each in zip(*lines, strict=True)]
    draft, again = (CallRun(0, None, 0.0, 0.0, 0, b"", b"", answer=answer) for answer in answers[1:])
    found = without_unsteady(AnsweredCase("c", b"", answer=answers[0]), draft, again)
    assert found.answer is not None
    deterministic = [(right, got) for right, got, asked in lines if right == asked]
    assert (found.answer.outcomes == answers[0].outcomes) == all(right == got for right, got in deterministic)


@pytest.mark.full
def test_what_is_ignored_is_told_and_no_reason_to_refuse(compare: Compare) -> None:
    old = "def f(items):\n    print(len(items))\n    return {'n': sum(items), 'max': max(items, default=0)}\n"
    new = "def f(items):\n    print('other')\n    return {'n': sum(items), 'max': max(items, default=0)}\n"
    calls = "CALLS = [((list(range(n)),), {}) for n in range(12)]\nBIG = [((list(range(3000)),), {})]\n"
    assert compare(old, new, calls)["verdict"] == "wrong"
    assert compare(old, new, calls, ignore_difference=["state"])["verdict"] == "wrong"
    found = compare(old, new, calls, ignore_difference=["output"])
    assert found["verdict"] != "wrong", found["reason"]
    assert found["evidence"]["ignored"] == ["output"]
    assert any("--ignore-difference output" in each["cause"] for each in found["diagnostics"])
