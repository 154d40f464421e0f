"""The prompts of a function against a golden file, in shape and in size.

After a change of what a model is told: `python -m tests.support.prompts`, and read the difference.
"""

from __future__ import annotations

import pytest

from codeopt.core.model import estimate_tokens
from tests.support.prompts import TARGETS, record_prompts, require_golden

pytestmark = pytest.mark.full

GOAL = 6000
"""Tokens of the request for the draft of round 3, by our own estimate, for a function of 60 lines."""
HOTTEST = {"trees": "candidate"}
SAID = {"trees": ["lookups: int 0", "Against the best draft so far (round 1)"]}
"""What must be told of each: state, what decides."""
UNSAID = {"trees": ["colours_of", "def depth"]}
"""What is neither called nor named."""
NOTHING = [" 0 us", "0.0 MiB", "CPU time of one run", "token by token", "a case that is not shown"]


@pytest.mark.parametrize("name", TARGETS)
def test_prompts_are_as_the_golden_files_say(name: str) -> None:
    prompts = record_prompts(name)
    last = require_golden(name, prompts)
    assert estimate_tokens("".join(message.content for message in prompts.drafts[-1])) <= GOAL
    assert [part for part in SAID[name] if part not in last] == []
    assert [part for part in UNSAID[name] if part in last] == []
    assert [part for part in NOTHING if part in last] == []
    hot = last[last.index("Hot lines:") :].split("\n")[3]
    assert HOTTEST[name] in hot
