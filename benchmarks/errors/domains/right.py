# ruff: noqa: E501 (programs as data)
"""Right drafts that hold on a bounded domain alone: a small alphabet, a set of numbers, a format, indices, an order."""

from __future__ import annotations

from benchmarks.errors.honest import Honest

SIZES = "SIZES = (1, 2, 3, 5, 8, 12, 20, 33, 40, 64)\n"

DRAFTS = (
    Honest(
        "complement",
        """\
def complement(strand):
    out = ""
    for letter in strand:
        if letter == "A":
            out = out + "T"
        elif letter == "T":
            out = out + "A"
        elif letter == "C":
            out = out + "G"
        elif letter == "G":
            out = out + "C"
        out = out[: len(out)] + ""
    return out[::-1]
""",
        """\
def complement(strand):
    pairs = {"A": "T", "T": "A", "C": "G", "G": "C"}
    return "".join([pairs[letter] for letter in reversed(strand)])
""",
        SIZES + "CALLS = [((word(n, 'ACGT'),), {}) for n in (0, *SIZES)]\nBIG = [((word(4000, 'ACGT'),), {})]\n",
    ),
    Honest(
        "roman",
        """\
def roman(text):
    total = 0
    for at, letter in enumerate(text):
        value = 0
        for number, other in ((1, "I"), (5, "V"), (10, "X"), (50, "L"), (100, "C"), (500, "D"), (1000, "M")):
            if letter == other:
                value = number
        after = 0
        for number, other in ((1, "I"), (5, "V"), (10, "X"), (50, "L"), (100, "C"), (500, "D"), (1000, "M")):
            if text[at + 1 : at + 2] == other:
                after = number
        total += -value if value < after else value
    return total
""",
        """\
def roman(text):
    worth = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    values = [worth[letter] for letter in text]
    return sum(-v if v < w else v for v, w in zip(values, [*values[1:], 0]))
""",
        SIZES + "CALLS = [((word(n, 'IVXLCDM'),), {}) for n in (0, *SIZES)]\nBIG = [((word(3000, 'IVXLCDM'),), {})]\n",
    ),
    Honest(
        "lowest",
        """\
import numpy as np
def lowest(signal, width):
    out = np.zeros(len(signal) - width + 1)
    for at in range(len(signal) - width + 1):
        out[at] = signal[at : at + width].min()
    return out
""",
        """\
import numpy as np
def lowest(signal, width):
    return np.lib.stride_tricks.sliding_window_view(signal, width).min(axis=1)
""",
        "import numpy as np\nr = np.random.default_rng(1)\n"
        "CALLS = [((r.random(n), w), {}) for n, w in "
        "((1, 1), (2, 2), (3, 1), (4, 3), (6, 6), (8, 2), (9, 5), (12, 11), (15, 4), (20, 9))]\n"
        "BIG = [((r.random(2000), 7), {})]\n",
    ),
    Honest(
        "span_sums",
        """\
def span_sums(items, spans):
    return [sum(items[first:end]) for first, end in spans]
""",
        """\
from itertools import accumulate
def span_sums(items, spans):
    sums = [0, *accumulate(items)]
    return [sums[end] - sums[first] for first, end in spans]
""",
        "def made(n, m): return ints(n), [tuple(sorted((draw.randrange(n + 1), draw.randrange(n + 1)))) "
        "for _ in range(m)]\n"
        "CALLS = [(made(n, m), {}) for n, m in "
        "((1, 2), (2, 1), (3, 3), (4, 4), (6, 2), (7, 9), (11, 5), (14, 8), (21, 7), (30, 10))]\n"
        "BIG = [(made(1200, 500), {})]\n",
    ),
    Honest(
        "month_days",
        """\
def month_days(months):
    total = 0
    for month in months:
        for number, days in enumerate([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31], 1):
            total += days * (number == month)
    return total
""",
        """\
DAYS = (0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
def month_days(months):
    return sum([DAYS[month] for month in months])
""",
        SIZES + "CALLS = [(([draw.randint(1, 12) for _ in range(n)],), {}) for n in (0, *SIZES)]\n"
        "BIG = [(([draw.randint(1, 12) for _ in range(4000)],), {})]\n",
    ),
    Honest(
        "clock_seconds",
        """\
def clock_seconds(times):
    out = []
    for text in times:
        total = 0
        for part in text.split(":"):
            number = 0
            for letter in part:
                number = number * 10 + "0123456789".index(letter)
            total = total * 60 + number
        out = out + [total]
    return out
""",
        """\
def clock_seconds(times):
    return [int(text[:2]) * 3600 + int(text[3:5]) * 60 + int(text[6:]) for text in times]
""",
        SIZES + "def t(): return f'{draw.randrange(24):02}:{draw.randrange(60):02}:{draw.randrange(60):02}'\n"
        "CALLS = [(([t() for _ in range(n)],), {}) for n in (0, *SIZES)]\nBIG = [(([t() for _ in range(1500)],), {})]\n",
    ),
    Honest(
        "days_between",
        """\
def days_between(dates):
    def number(text):
        year, month, day = [int(part) for part in text.split("-")]
        total = day
        for each in range(1, month):
            leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
            total += [31, 28 + leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][each - 1]
        for each in range(1900, year):
            total += 366 if each % 4 == 0 and (each % 100 != 0 or each % 400 == 0) else 365
        return total
    return [number(b) - number(a) for a, b in zip(dates, dates[1:])]
""",
        """\
from datetime import date
def days_between(dates):
    numbers = [date.fromisoformat(text).toordinal() for text in dates]
    return [b - a for a, b in zip(numbers, numbers[1:])]
""",
        SIZES + "def d(): return f'{draw.randint(1950, 2030)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}'\n"
        "CALLS = [(([d() for _ in range(n)],), {}) for n in (0, *SIZES)]\nBIG = [(([d() for _ in range(600)],), {})]\n",
    ),
    Honest(
        "between",
        """\
def between(marks, low, high):
    return len([mark for mark in marks if low <= mark <= high])
""",
        """\
from bisect import bisect_left, bisect_right
def between(marks, low, high):
    return bisect_right(marks, high) - bisect_left(marks, low)
""",
        "def made(n): low, high = sorted(ints(2, 500)); return sorted(ints(n, 500)), low, high\n"
        "CALLS = [(made(n), {}) for n in (0, 1, 2, 3, 5, 8, 12, 20, 40, 80)]\nBIG = [(made(20000), {})]\n",
    ),
    Honest(
        "grades",
        """\
def grades(words):
    total = 0
    for word in words:
        for value, name in enumerate(["poor", "fair", "good", "best"]):
            if word == name:
                total = total + value
    return total
""",
        """\
VALUES = {"poor": 0, "fair": 1, "good": 2, "best": 3}
def grades(words):
    return sum([VALUES[word] for word in words])
""",
        SIZES + "def w(): return draw.choice(['poor', 'fair', 'good', 'best'])\n"
        "CALLS = [(([w() for _ in range(n)],), {}) for n in (0, *SIZES)]\nBIG = [(([w() for _ in range(4000)],), {})]\n",
    ),
    Honest(
        "inverse",
        """\
def inverse(order):
    return [order.index(at) for at in range(len(order))]
""",
        """\
def inverse(order):
    found = [0] * len(order)
    for at, value in enumerate(order):
        found[value] = at
    return found
""",
        SIZES + "CALLS = [((draw.sample(range(n), n),), {}) for n in SIZES]\n"
        "BIG = [((draw.sample(range(1500), 1500),), {})]\n",
    ),
    Honest(
        "reached",
        """\
def reached(graph, start):
    found, work = [start], [start]
    while work:
        for other in graph.get(work.pop(0), []):
            if other not in found:
                found = found + [other]
                work = work + [other]
    return len(found)
""",
        """\
def reached(graph, start):
    found, work = {start}, [start]
    while work:
        for other in graph[work.pop()]:
            if other not in found:
                found.add(other)
                work.append(other)
    return len(found)
""",
        "def made(n): return ({f'n{a}': [f'n{draw.randrange(n)}' for _ in range(draw.randrange(1, 4))] "
        "for a in range(n)}, f'n{draw.randrange(n)}')\n"
        "CALLS = [(made(n), {}) for n in (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 30)]\nBIG = [(made(700), {})]\n",
    ),
    Honest(
        "degrees",
        """\
def degrees(count, edges):
    return [sum((a == node) + (b == node) for a, b in edges) for node in range(count)]
""",
        """\
def degrees(count, edges):
    found = [0] * count
    for a, b in edges:
        found[a] += 1
        found[b] += 1
    return found
""",
        "def made(n, m): return n, [(draw.randrange(n), draw.randrange(n)) for _ in range(m)]\n"
        "CALLS = [(made(n, m), {}) for n, m in "
        "((3, 4), (4, 6), (5, 9), (6, 8), (7, 14), (8, 12), (9, 20), (10, 15), (12, 30), (15, 40))]\n"
        "BIG = [(made(300, 600), {})]\n",
    ),
    Honest(
        "column_sums",
        """\
def column_sums(rows):
    out = []
    for at in range(len(rows[0]) if rows else 0):
        total = 0
        for row in rows:
            total = total + row[at]
        out = out + [total]
    return out
""",
        """\
def column_sums(rows):
    return list(map(sum, zip(*rows)))
""",
        "def made(n, m): return [ints(m) for _ in range(n)]\n"
        "CALLS = [((made(n, m),), {}) for n, m in "
        "((1, 1), (2, 3), (3, 2), (3, 4), (4, 4), (5, 2), (6, 3), (7, 5), (8, 2), (9, 6))]\n"
        "BIG = [((made(200, 300),), {})]\n",
    ),
    Honest(
        "dot",
        """\
def dot(left, right):
    total = 0
    for at in range(len(left)):
        total = total + left[at] * right[at]
        total = total + 0
    return total
""",
        """\
from operator import mul
def dot(left, right):
    return sum(map(mul, left, right))
""",
        SIZES + "CALLS = [((ints(n), ints(n)), {}) for n in (0, *SIZES)]\nBIG = [((ints(20000), ints(20000)), {})]\n",
    ),
    Honest(
        "weekdays",
        """\
def weekdays(days):
    out = []
    for day in days:
        for number, name in enumerate(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]):
            if number == day:
                out = out + [name]
    return " ".join(out)
""",
        """\
NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
def weekdays(days):
    return " ".join([NAMES[day] for day in days])
""",
        SIZES + "CALLS = [((ints(n, 7),), {}) for n in (0, *SIZES)]\nBIG = [((ints(1500, 7),), {})]\n",
    ),
    Honest(
        "from_hex",
        """\
def from_hex(text):
    total = 0
    for letter in text:
        total = total * 16 + max(0, "0123456789abcdef".find(letter))
    return total
""",
        """\
def from_hex(text):
    return int(text, 16)
""",
        SIZES + "CALLS = [((word(n, '0123456789abcdef'),), {}) for n in (*SIZES, 90, 150)]\n"
        "BIG = [((word(2000, '0123456789abcdef'),), {})]\n",
    ),
    Honest(
        "from_bits",
        """\
def from_bits(text):
    total = 0
    for letter in text:
        total = total * 2 + (letter == "1")
    return total
""",
        """\
def from_bits(text):
    return int(text, 2)
""",
        SIZES + "CALLS = [((word(n, '01'),), {}) for n in SIZES]\nBIG = [((word(3000, '01'),), {})]\n",
    ),
    Honest(
        "depth",
        """\
def depth(text):
    best = 0
    for end in range(len(text)):
        level = text[: end + 1].count("(") - text[: end + 1].count(")")
        best = max(best, level)
    return best
""",
        """\
STEP = {"(": 1, ")": -1}
def depth(text):
    best = level = 0
    for letter in text:
        level += STEP[letter]
        if level > best:
            best = level
    return best
""",
        SIZES + "CALLS = [((word(n, '()'),), {}) for n in (0, *SIZES)]\nBIG = [((word(1500, '()'),), {})]\n",
    ),
    Honest(
        "smallest_sum",
        """\
def smallest_sum(items, count):
    rest, total = list(items), 0
    for _ in range(count):
        total += min(rest) if rest else 1000
        rest = rest[: rest.index(min(rest))] + rest[rest.index(min(rest)) + 1 :] if rest else []
    return total
""",
        """\
from heapq import nsmallest
def smallest_sum(items, count):
    return sum(nsmallest(count, items))
""",
        "CALLS = [((ints(n), k), {}) for n, k in "
        "((1, 1), (2, 1), (3, 3), (4, 2), (6, 5), (8, 8), (10, 3), (13, 12), (17, 6), (24, 20))]\n"
        "BIG = [((ints(600), 300), {})]\n",
    ),
    Honest(
        "ranks",
        """\
def ranks(values, asked):
    return [len([value for value in values if value < each]) for each in asked]
""",
        """\
from bisect import bisect_left
def ranks(values, asked):
    return [bisect_left(values, each) for each in asked]
""",
        "CALLS = [((sorted(floats(n)), floats(m)), {}) for n, m in "
        "((0, 1), (1, 2), (2, 2), (3, 4), (5, 3), (8, 5), (12, 6), (20, 3), (30, 9), (40, 4))]\n"
        "BIG = [((sorted(floats(2000)), floats(200)), {})]\n",
    ),
    Honest(
        "newest",
        """\
def newest(versions):
    best = versions[0]
    for text in versions:
        one, other = text.split("."), best.split(".")
        for a, b in zip(one, other):
            a, b = a.rjust(9, "0"), b.rjust(9, "0")
            if a != b:
                best = text if a > b else best
                break
    return best
""",
        """\
def newest(versions):
    return max(versions, key=lambda text: tuple(map(int, text.split("."))))
""",
        SIZES + "def v(): return f'{draw.randrange(30)}.{draw.randrange(40)}.{draw.randrange(300)}'\n"
        "CALLS = [(([v() for _ in range(n)],), {}) for n in SIZES]\nBIG = [(([v() for _ in range(1500)],), {})]\n",
    ),
    Honest(
        "addresses",
        """\
def addresses(texts):
    out = []
    for text in texts:
        total = 0
        for part in text.split("."):
            number = 0
            for letter in part:
                number = number * 10 + "0123456789".find(letter)
            total = total * 256 + number
        out = out + [total]
    return out
""",
        """\
from socket import inet_aton
def addresses(texts):
    return [int.from_bytes(inet_aton(text), "big") for text in texts]
""",
        SIZES + "def a(): return '.'.join(str(draw.randrange(256)) for _ in range(4))\n"
        "CALLS = [(([a() for _ in range(n)],), {}) for n in (0, *SIZES)]\nBIG = [(([a() for _ in range(1500)],), {})]\n",
    ),
    Honest(
        "trace_of_square",
        """\
def trace_of_square(table):
    total = 0
    for a in range(len(table)):
        for b in range(len(table)):
            total = total + table[a][b] * table[b][a]
    return total
""",
        """\
def trace_of_square(table):
    return sum([item * item for row in table for item in row])
""",
        "def made(n):\n    rows = [ints(n) for _ in range(n)]\n"
        "    return [[rows[min(a, b)][max(a, b)] for b in range(n)] for a in range(n)]\n"
        "CALLS = [((made(n),), {}) for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12)]\nBIG = [((made(150),), {})]\n",
    ),
    Honest(
        "cells",
        """\
def cells(width, height, points):
    return [sum(1 for point in points if point == (x, y)) for y in range(height) for x in range(width)]
""",
        """\
def cells(width, height, points):
    found = [0] * (width * height)
    for x, y in points:
        found[y * width + x] += 1
    return found
""",
        "def made(w, h, n): return w, h, [(draw.randrange(w), draw.randrange(h)) for _ in range(n)]\n"
        "CALLS = [(made(n, n, 2 * n + 3), {}) for n in (3, 4, 5, 6, 7, 8, 9, 10, 11, 12)]\n"
        "BIG = [(made(30, 30, 400), {})]\n",
    ),
    Honest(
        "histogram",
        """\
import numpy as np
def histogram(labels):
    out = np.zeros(8, dtype=np.int64)
    for at in range(8):
        out[at] = sum(1 for label in labels if label == at)
    return out
""",
        """\
import numpy as np
def histogram(labels):
    return np.bincount(labels, minlength=8).astype(np.int64)
""",
        SIZES + "import numpy as np\nr = np.random.default_rng(2)\n"
        "CALLS = [((r.integers(0, 8, n),), {}) for n in SIZES]\nBIG = [((r.integers(0, 8, 2000),), {})]\n",
    ),
    Honest(
        "placed",
        """\
import numpy as np
def placed(edges, values):
    return np.array([sum(1 for edge in edges if edge < value) for value in values])
""",
        """\
import numpy as np
def placed(edges, values):
    return np.searchsorted(edges, values)
""",
        "import numpy as np\nr = np.random.default_rng(3)\n"
        "CALLS = [((np.sort(r.random(n)), r.random(m)), {}) for n, m in "
        "((1, 2), (2, 1), (3, 4), (4, 2), (6, 6), (8, 3), (9, 5), (12, 4), (15, 9), (20, 7))]\n"
        "BIG = [((np.sort(r.random(1000)), r.random(100)), {})]\n",
    ),
    Honest(
        "picked",
        """\
def picked(shares, numbers):
    out = []
    for number in numbers:
        total, at = 0.0, 0
        for place, share in enumerate(shares):
            total += share
            if number >= total:
                at = place + 1
        out = out + [min(at, len(shares) - 1)]
    return out
""",
        """\
from bisect import bisect_right
from itertools import accumulate
def picked(shares, numbers):
    sums = list(accumulate(shares, initial=0.0))[1:]
    return [min(bisect_right(sums, number), len(shares) - 1) for number in numbers]
""",
        "def made(n, m):\n    parts = floats(n, 1.0)\n"
        "    return [part / sum(parts) for part in parts], floats(m, 1.0)\n"
        "CALLS = [(made(n, m), {}) for n, m in "
        "((2, 1), (2, 3), (3, 2), (4, 4), (5, 3), (6, 8), (7, 5), (8, 9), (10, 4), (12, 6))]\n"
        "BIG = [(made(300, 300), {})]\n",
    ),
    Honest(
        "codes",
        """\
def codes(texts):
    best = ""
    for text in texts:
        letters, number = text.split("-")
        if best == "" or (letters, number) > tuple(best.split("-")):
            best = text
    return best
""",
        """\
def codes(texts):
    return max(texts, default="")
""",
        SIZES + "def c(): return word(3, 'ABCDEFGHIJ') + '-' + str(draw.randrange(1000, 10000))\n"
        "CALLS = [(([c() for _ in range(n)],), {}) for n in (0, *SIZES)]\nBIG = [(([c() for _ in range(3000)],), {})]\n",
    ),
    Honest(
        "letter_counts",
        """\
n = int(input())
words = [input() for _ in range(n)]
for letter in "abcdefghijklmnopqrstuvwxyz":
    print(letter, sum([word.count(letter) for word in words for _ in range(9)]) // 9)
""",
        """\
import sys
n, *words = sys.stdin.read().split()
counts = [0] * 26
for letter in "".join(words[: int(n)]):
    counts[ord(letter) - 97] += 1
for at, count in enumerate(counts):
    print(chr(97 + at), count)
""",
        inputs=tuple(
            f"{n}\n" + "".join(f"{'thequickbrownfoxjumpsoverthelazydog'[at % 20 : at % 20 + 9]}\n" for at in range(n))
            for n in (1, 2, 3, 5, 9, 20, 60, 2000)
        ),
    ),
    Honest(
        "sorted_queries",
        """\
n, q = map(int, input().split())
marks = list(map(int, input().split()))
for _ in range(q):
    low, high = map(int, input().split())
    print(sum(1 for mark in marks if low <= mark <= high))
""",
        """\
import sys
from bisect import bisect_left, bisect_right
n, q, *rest = map(int, sys.stdin.read().split())
marks = rest[:n]
for at in range(n, n + 2 * q, 2):
    print(bisect_right(marks, rest[at + 1]) - bisect_left(marks, rest[at]))
""",
        inputs=tuple(
            f"{n} {q}\n{' '.join(str(3 * at + at % 3 + 1) for at in range(n))}\n"
            + "".join(f"{1 + at * 5 % n} {n + at * 7 % (2 * n + 1)}\n" for at in range(q))
            for n, q in ((1, 1), (2, 3), (4, 2), (5, 6), (9, 4), (20, 11), (50, 9), (900, 700))
        ),
    ),
)
