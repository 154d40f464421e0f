"""What a reader of a draft is told of its text: locks and waits that are gone."""

from __future__ import annotations

import pytest

from codeopt.core.revision import Revision
from codeopt.engine.guards import SourcePair, source_notes
from codeopt.engine.guards.waits_and_locks import check_source

LOCKED = "class C:\n    def f(self):\n        with self._lock:\n            return 1\n"
ACQUIRED = "class C:\n    def f(self):\n        self._lock.acquire()\n        self._lock.release()\n        return 1\n"
ASYNC = "import asyncio\nasync def f(n):\n    await asyncio.sleep(0)\n    return n\n"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (LOCKED, "class C:\n    def f(self):\n        return 1\n", "no longer takes self._lock"),
        (ACQUIRED, "class C:\n    def f(self):\n        return 1\n", "no longer takes self._lock"),
        (ASYNC, "async def f(n):\n    return n\n", "no longer awaits anything"),
        (LOCKED, ACQUIRED, ""),
        (ASYNC, ASYNC.replace("sleep(0)", "sleep(0.0)"), ""),
        (ASYNC, "not python (", ""),
    ],
)
def test_locks_and_waits_that_are_gone(old: str, new: str, words: str) -> None:
    found = check_source(SourcePair(Revision.of(old), Revision.of(new)))
    assert words in found.reason if found and words else found is None and not words
    assert source_notes(SourcePair(Revision.of(old), Revision.of(new))) == ((found.reason,) if found else ())
