"""Two improvements that were run for this file: how a good critique and a good draft look.

Measured in November 2026 on a 2-core machine under CPython 3.11 without interpreter start-up: 21 interleaved pairs of
forked runs, CPU time. The large inputs (60,000 scores of 9,000 names; 40 ranges of about 14,000 numbers) are not
kept.
"""

from __future__ import annotations

from codeopt.core.history import Candidate, History
from codeopt.core.revision import Revision
from codeopt.tasks import WorkedExample
from codeopt.tasks._worked import compared, passed
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.outcome import Case

_GRADES = (
    Case("small", b"4\nmia 90\nben 50\nmia 75\nada 61\n", b"ada B\nben C\nmia A\n"),
    Case("large", b"", held_out=True),
)

_GRADES_TERSE = """\
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

_GRADES_CLEAR = '''\
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

_GRADES_CRITIQUE = """\
1. Lines 1 to 17 do three jobs in one piece: reading, averaging, grading. Take out `read_scores()` (lines 1 to 8) and
`grade_of(average)` (lines 14 to 16); the main path then reads as "for each name print its grade".
2. Lines 2, 4, 9 and 11: `d`, `s`, `l` and `t` say nothing. Use `scores` for the lists by name, unpack `name, score`,
and let `sum(...) / len(...)` take the place of the loop over `t`; a `defaultdict(list)` takes the place of lines 5 to
8.
3. Lines 14 to 16: the limits 80 and 60 have no name and the statements stand behind colons. Put limits and grades
into one table with a comment that says that it holds lowest averages, best grade first.
READABILITY: SAME
VERDICT: IMPROVE"""

_GRADES_DONE = """\
The main path is a sentence, reading and grading are functions with one job each, the table of grades says what its
numbers mean, and nothing is slower. More comments would repeat the code.
READABILITY: BETTER
VERDICT: DONE"""

_POINTS = (Case("small", b"2\n1 5\n10 15\n", b"8\n23\n"), Case("large", b"", held_out=True))

_POINTS_TERSE = """\
def f(p, q):
    c = 0
    for i in range(p, q + 1):
        if i % 3 == 0:
            if i % 5 == 0:
                c += 15
            else:
                c += 3
        else:
            if i % 5 == 0:
                c += 5
    return c
t = int(input())
for z in range(t):
    p, q = map(int, input().split())
    print(f(p, q))
"""

_POINTS_SLOW = '''\
def points(number):
    """Points of one number: 3 for a multiple of three, 5 for a multiple of five, 15 for both."""
    divisors = [divisor for divisor in (3, 5) if number % divisor == 0]
    if len(divisors) == 2:
        return 15
    return sum(divisors)


def total_points(first, last):
    # Both ends of the range count.
    return sum(points(number) for number in range(first, last + 1))


for _ in range(int(input())):
    first, last = map(int, input().split())
    print(total_points(first, last))
'''

_POINTS_CLEAR = '''\
def total_points(first, last):
    """Points of all numbers from `first` to `last`, both included."""
    total = 0
    for number in range(first, last + 1):
        if number % 3 == 0:
            # A multiple of both earns the product of 3 and 5, not the sum.
            total += 15 if number % 5 == 0 else 3
        elif number % 5 == 0:
            total += 5
    return total


def main():
    for _ in range(int(input())):
        first, last = map(int, input().split())
        print(total_points(first, last))


main()
'''

_POINTS_CRITIQUE = """\
1. Line 1: `f`, `p`, `q` and `c` say nothing. Call them `total_points(first, last)` and `total`, with a docstring that
says that both ends count.
2. Lines 4 to 11 nest three levels deep. Say in a comment what a multiple of both is worth, and use `elif` for line 9
and 10.
3. Lines 13 to 16 run on behind the function without a blank line. Put them into `main()`.
READABILITY: SAME
VERDICT: IMPROVE"""

_POINTS_TOO_SLOW = """\
1. Too slow, 5 times the original's time: line 11 calls `points` for every single number, and line 3 builds a list in
each call. Take the call and the list out of the hot loop: one loop in `total_points` with `if` and `elif` on the two
remainders.
2. Lines 14 to 16 are still outside of a function; put them into `main()`.
Keep the names and the docstring, they read well.
READABILITY: BETTER
VERDICT: IMPROVE"""


def _grades() -> WorkedExample:
    _, large = _GRADES
    terse = Candidate(
        round=0,
        revision=Revision.of(_GRADES_TERSE),
        summary="the original",
        outcomes=passed(_GRADES, (0.0024, 0.0946), 11.4),
        critique=_GRADES_CRITIQUE,
    )
    clear = Candidate(
        round=1,
        revision=Revision.of(_GRADES_CLEAR),
        summary="Read and grade in functions with one job each, give the values names, put the limits into a table.",
        outcomes=passed(_GRADES, (0.0023, 0.0833), 11.4),
        comparison=compared(Decision.FASTER, (1.17, 1.14, 1.21), large, 0.1022, 0.0862),
        critique=_GRADES_DONE,
    )
    return WorkedExample(History((terse, clear)), _GRADES)


def _points() -> WorkedExample:
    _, large = _POINTS
    terse = Candidate(
        round=0,
        revision=Revision.of(_POINTS_TERSE),
        summary="the original",
        outcomes=passed(_POINTS, (0.0023, 0.0318)),
        critique=_POINTS_CRITIQUE,
    )
    slow = Candidate(
        round=1,
        revision=Revision.of(_POINTS_SLOW),
        summary="Give the points of one number a function of their own, with names that say what is counted.",
        outcomes=passed(_POINTS, (0.0026, 0.1734)),
        comparison=compared(Decision.SLOWER, (0.18, 0.18, 0.21), large, 0.0318, 0.1757),
        critique=_POINTS_TOO_SLOW,
    )
    clear = Candidate(
        round=2,
        revision=Revision.of(_POINTS_CLEAR),
        summary="One loop again, with the good names, one level of nesting less and a reason for the 15.",
        outcomes=passed(_POINTS, (0.0026, 0.0328)),
        comparison=compared(Decision.SAME, (0.96, 0.94, 0.98), large, 0.0315, 0.0327),
    )
    return WorkedExample(History((terse, slow, clear)), _POINTS)


EXAMPLES = (_grades(), _points())
