"""Drafts that move work, and with it an exception, into a constructor."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.revision import Revision
from codeopt.core.target import Target
from codeopt.report.outcomes import why
from tests.support.judges import ENOUGH_EXAMPLES, function_judge

pytestmark = pytest.mark.full

OLD = '''\
import re

class Tagger:
    """
    >>> Tagger([("[0-9]+$", "number"), (".*s$", "plural")]).tag(["12", "cats", "cat"])
    ['number', 'plural', None]
    """

    def __init__(self, rules: list[tuple[str, str]]):
        self.rules = rules

    def tag(self, words: list[str]) -> list[str | None]:
        return [next((tag for pattern, tag in self.rules if re.match(pattern, word)), None) for word in words]
'''
COMPILED = OLD.replace(
    "self.rules = rules\n",
    "self.rules = rules\n        self._rules = [(re.compile(pattern).match, tag) for pattern, tag in rules]\n",
).replace("for pattern, tag in self.rules if re.match(pattern, word)", "for match, tag in self._rules if match(word)")
REFUSES = COMPILED.replace("self.rules = rules\n", "self.rules = rules\n        min(rules)\n")


@pytest.mark.parametrize(
    ("method", "new", "right"),
    [("Tagger.tag", COMPILED, True), ("Tagger.tag", REFUSES, False), ("Tagger.__init__", REFUSES, False)],
)
def test_a_constructor_that_raises_what_the_method_raised(tmp_path: Path, method: str, new: str, right: bool) -> None:
    (tmp_path / "tags.py").write_text(OLD)
    with function_judge(Target(tmp_path / "tags.py", method), timed=False, max_examples=ENOUGH_EXAMPLES) as judge:
        found = judge.check(Revision.of(new), "a person's")
    assert found.correct is right, why(found)
    assert not right or any("raises" in each.words for each in found.caveats)
