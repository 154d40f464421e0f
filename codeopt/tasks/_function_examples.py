"""One improvement of a function that was run for this file: how a good critique and a good draft look.

Measured in November 2026 on a busy 2-core machine under CPython 3.11, by the judge as it is.
"""

from __future__ import annotations

from dataclasses import replace

from codeopt.core.briefing import TimedCalls
from codeopt.core.history import Candidate, History
from codeopt.core.revision import Revision
from codeopt.tasks import WorkedExample
from codeopt.tasks._worked import compared, passed, wrong
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.guest.calls.batch import CallBatch
from codeopt_sandbox.outcome import Case
from codeopt_sandbox.profile import Callee, HotLine, Profile

_CALLS = Case("calls", CallBatch(("f([])",) * 1015).stdin(), title="1,015 calls of the function")
_TIMED = Case("timed", b"", held_out=True)

_SLOW = """\
def repeated(words):
    found = []
    for word in words:
        if words.count(word) > 1 and word not in found:
            found.append(word)
    return found
"""

_WRONG = """\
def repeated(words):
    seen, found = set(), []
    for word in words:
        if word in seen:
            found.append(word)
        seen.add(word)
    return found
"""

_FAST = """\
from collections import Counter

def repeated(words):
    return [word for word, count in Counter(words).items() if count > 1]
"""

_ABOUT = """\
`repeated` of the module `words`, a function, is to be improved. Python 3.11.7.

Some of the calls, and what comes of them (data):
```
f(['w0', 'w2', 'w1', 'w0']) -> returns ['w0']
f(['w0']) -> returns []
```"""

_MEASURED = """\
What is timed: one call (the BIG calls) takes 75.1 ms of CPU time; import and the making of arguments are not counted.
Their arguments and results (kinds and sizes only):
```
words: list of 3,000 str of 2 to 5 characters, 2,000 distinct
result: list of 1,000 str of 2 to 5 characters, 1,000 distinct
```
Growth, measured: about n^2 in the size of a call (416: 1.37 ms, 832: 5.04 ms, 1,664: 20.2 ms, 3,328: 78.3 ms)."""

_CRITIQUE = """\
1. Line 4 (99.9%): `words.count(word)` reads the whole list for each of 3,000 words, 95% of the time, and `not in
found` reads up to 1,000 more: O(n^2). Count all words once in a dictionary: O(n). The words are hashable.
VERDICT: IMPROVE"""

_MEND = """\
Wrong: line 5 adds a word when it is met for the second time, so that the order is that of the second places (`a`
before `b` in `b a a b`), and a third one adds it again. The order must be that of the first places: count first, then
go through the counts, which a dictionary keeps in the order in which the words came.
VERDICT: IMPROVE"""


def _profiled(hot: tuple[HotLine, ...], callees: tuple[Callee, ...] = ()) -> Profile:
    return Profile("timed", hot, (), None, None, None, None, None, (), (), callees)


def _repeated() -> WorkedExample:
    slow = Candidate(
        round=0,
        revision=Revision.of(_SLOW),
        summary="the original",
        outcomes=passed((_CALLS,), (0.0,)),
        profile=_profiled(
            (HotLine(4, 0.999, 3000, 0.08, ""),),
            (Callee("<method 'count' of 'list' objects>", "", 0, 3000, 0.946, ""),),
        ),
        critique=_CRITIQUE,
    )
    mistaken = Candidate(
        round=1,
        revision=Revision.of(_WRONG),
        summary="Remember the words that came before in a set: O(n) instead of O(n^2).",
        outcomes=(
            wrong(_CALLS, b"", "f(['b', 'a', 'a', 'b']): expected returns ['b', 'a'], got returns ['a', 'b']", 0.0),
        ),
        critique=_MEND,
    )
    found = compared(Decision.FASTER, (303.22, 252.95, 381.61), _TIMED, 0.0674, 0.000236)
    fast = Candidate(
        round=2,
        revision=Revision.of(_FAST),
        summary="Count all words once; a dictionary keeps the order of their first places: O(n).",
        outcomes=passed((_CALLS,), (0.0,)),
        comparison=replace(found, pairs=6, confidence=0.9),
        profile=_profiled((HotLine(4, 1.0, 2001, 0.0003, ""),)),
    )
    return WorkedExample(History((slow, mistaken, fast)), (_CALLS,), _ABOUT, _MEASURED, TimedCalls(1, 1))


EXAMPLES = (_repeated(),)
