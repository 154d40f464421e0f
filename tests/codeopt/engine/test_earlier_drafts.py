"""What earlier runs of a target tried is told to the next one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from codeopt.core.cache import Cache
from codeopt.core.history import Candidate, History
from codeopt.engine.improve import MOST, EarlierDrafts
from tests.support.candidates import original, right, wrong


def history_of(*candidates: Candidate) -> History:
    return History((original(), *(replace(each, model="m") for each in candidates)))


def test_drafts_of_earlier_runs_are_told_with_their_verdicts_and_rejections(tmp_path: Path) -> None:
    earlier = EarlierDrafts(Cache(tmp_path), "a")
    first = history_of(right(1, ratio=2.0), wrong(2), replace(right(3), rejection="a test fails"))
    earlier.add(first)
    lines = ("2.0x faster: try 1", "wrong result: try 2", "rejected: try 3 (a test fails)")
    assert earlier.before(history_of()) == lines
    assert earlier.before(first) == (), "a run that is resumed has its drafts in its history"
    earlier.add(first)
    earlier.add(history_of(right(4, ratio=2.0)))
    assert earlier.before(history_of()) == (*lines, "2.0x faster: try 4")
    assert EarlierDrafts(Cache(tmp_path), "b").before(history_of()) == ()


def test_only_the_newest_drafts_are_kept_and_rules_leave_none(tmp_path: Path) -> None:
    earlier = EarlierDrafts(Cache(tmp_path), "a")
    earlier.add(History((original(), right(1))))
    assert earlier.before(history_of()) == ()
    for number in range(MOST + 3):
        earlier.add(history_of(wrong(number)))
    assert earlier.before(history_of()) == tuple(f"wrong result: try {number}" for number in range(3, MOST + 3))
