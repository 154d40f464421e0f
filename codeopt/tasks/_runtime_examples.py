"""Two improvements that were run for this file: how a good critique and a good draft look.

Measured in November 2026 on a 2-core machine under CPython 3.11 without interpreter start-up: 21 interleaved pairs of
forked runs, CPU time; lines by line_profiler. The large inputs (6,000 words of 4,000 kinds; 3,000 numbers with 600
queries) are not kept.
"""

from __future__ import annotations

from codeopt.core.history import Candidate, History
from codeopt.core.revision import Revision
from codeopt.tasks import WorkedExample
from codeopt.tasks._worked import compared, passed, profiled, wrong
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.outcome import Case

_WORDS = (Case("small", b"5\nred\nblue\nred\nred\ngreen\n", b"2 3\n"), Case("large", b"", held_out=True))

_WORDS_SLOW = """\
n = int(input())
seen = []
repeated = 0
for _ in range(n):
    word = input()
    if word in seen:
        repeated += 1
    else:
        seen.append(word)
print(repeated, len(seen))
"""

_WORDS_FAST = """\
import sys


def main():
    words = sys.stdin.read().split("\\n")
    n = int(words[0])
    distinct = len(set(words[1 : n + 1]))
    print(n - distinct, distinct)


main()
"""

_WORDS_CRITIQUE = """\
1. Line 6 (93% of the time): `word in seen` compares `word` with every word in a list, up to 3,128 of them for each of
6,000 words, so the loop takes O(n * d) steps for d distinct words. A set makes it O(n); and no loop is needed at all:
the number of distinct words is `len(set(words))` and the number of repeated ones is `n` minus that.
2. Line 5 (5%): one `input()` call a word. Read everything with `sys.stdin.read().split("\\n")`; split at new lines
only, for a line may hold spaces or be empty.
VERDICT: IMPROVE"""

_WORDS_DONE = """\
The program is right on every case and 24x faster. It reads its input once and puts each word into a set once: both
must be done whatever the method, both run in C, and they take all of the time (lines 5 and 7). Nothing that is left
would be measurable.
VERDICT: DONE"""

_SUMS = (Case("small", b"5 3\n4 -1 7 2 9\n1 3\n2 2\n4 5\n", b"10\n-1\n11\n"), Case("large", b"", held_out=True))

_SUMS_SLOW = """\
n, q = map(int, input().split())
a = list(map(int, input().split()))
for _ in range(q):
    left, right = map(int, input().split())
    total = 0
    for i in range(left - 1, right):
        total += a[i]
    print(total)
"""

_SUMS_WRONG = """\
import sys
from itertools import accumulate


def main():
    data = list(map(int, sys.stdin.buffer.read().split()))
    n, q = data[0], data[1]
    prefix = list(accumulate(data[2 : n + 2]))
    out = []
    for at in range(n + 2, n + 2 + 2 * q, 2):
        left, right = data[at], data[at + 1]
        out.append(prefix[right - 1] - prefix[left - 1])
    print("\\n".join(map(str, out)))


main()
"""

_SUMS_FAST = _SUMS_WRONG.replace("data[2 : n + 2])", "data[2 : n + 2], initial=0)").replace(
    "prefix[right - 1]", "prefix[right]"
)

_SUMS_CRITIQUE = """\
1. Lines 6 and 7 (98% of the time): each query adds up its range again, about 1,000 numbers for each of 600 queries,
O(n * q) in all. Build prefix sums once with `itertools.accumulate` and answer each query with one subtraction:
O(n + q).
2. Line 4 and line 8: read all input at once with `sys.stdin.buffer.read().split()` and print one joined string.
VERDICT: IMPROVE"""

_SUMS_MEND = """\
Wrong: line 12 subtracts `prefix[left - 1]`, and since `prefix` starts with the first number itself (line 8), that
takes the number at `left` away as well: for the query `2 2` it prints 0 instead of -1. Let the sums start with 0,
`accumulate(..., initial=0)`, so that `prefix[k]` is the sum of the first k numbers, and answer with `prefix[right] -
prefix[left - 1]`.
Keep the rest: prefix sums and reading and printing at once are right.
VERDICT: IMPROVE"""


def _words() -> WorkedExample:
    small, large = _WORDS
    slow = Candidate(
        round=0,
        revision=Revision.of(_WORDS_SLOW),
        summary="the original",
        outcomes=passed(_WORDS, (0.0026, 0.0848)),
        profile=profiled(
            _WORDS_SLOW, large, 0.0841, ((6, 0.931, 6000), (5, 0.047, 6000), (9, 0.009, 3128), (4, 0.008, 6001))
        ),
        critique=_WORDS_CRITIQUE,
    )
    fast = Candidate(
        round=1,
        revision=Revision.of(_WORDS_FAST),
        summary="Count distinct words with one set and read all input at once: O(n) instead of O(n * d).",
        outcomes=passed(_WORDS, (0.0023, 0.0035), 9.8),
        comparison=compared(Decision.FASTER, (24.48, 23.49, 24.98), large, 0.0841, 0.0035),
        profile=profiled(_WORDS_FAST, large, 0.0035, ((5, 0.598, 1), (7, 0.386, 1), (8, 0.014, 1))),
        critique=_WORDS_DONE,
    )
    return WorkedExample(History((slow, fast)), (small, large))


def _sums() -> WorkedExample:
    small, large = _SUMS
    slow = Candidate(
        round=0,
        revision=Revision.of(_SUMS_SLOW),
        summary="the original",
        outcomes=passed(_SUMS, (0.0025, 0.0494)),
        profile=profiled(
            _SUMS_SLOW, large, 0.0494, ((7, 0.598, 606_982), (6, 0.380, 607_582), (4, 0.013, 600), (8, 0.005, 600))
        ),
        critique=_SUMS_CRITIQUE,
    )
    mistaken = Candidate(
        round=1,
        revision=Revision.of(_SUMS_WRONG),
        summary="Answer each query from prefix sums, O(n + q) instead of O(n * q); read and print at once.",
        outcomes=(wrong(small, b"6\n0\n9\n", "token 1: expected 10, printed 6"),),
        critique=_SUMS_MEND,
    )
    fast = Candidate(
        round=2,
        revision=Revision.of(_SUMS_FAST),
        summary="Start the prefix sums with 0, so that the left end of a query counts; the rest as before.",
        outcomes=passed(_SUMS, (0.0027, 0.0034), 9.5),
        comparison=compared(Decision.FASTER, (14.61, 14.35, 15.49), large, 0.0494, 0.0034),
    )
    return WorkedExample(History((slow, mistaken, fast)), (small, large))


EXAMPLES = (_words(), _sums())
