"""No reply of the corpus that holds an answer is lost."""

from __future__ import annotations

import pytest

from benchmarks.replies import CORPUS, Written, mistake, read_corpus

REPLIES = list(read_corpus(CORPUS.read_text("utf-8")))


def test_it_is_large_enough_to_say_something() -> None:
    assert sum(each.holds != "nothing" for each in REPLIES) >= 80
    assert len({each.name for each in REPLIES}) == len(REPLIES)


@pytest.mark.parametrize("written", REPLIES, ids=lambda written: written.name)
def test_what_a_reply_holds_is_found(written: Written) -> None:
    assert mistake(written) == ""
