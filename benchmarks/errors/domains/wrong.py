# ruff: noqa: E501 (programs as data)
"""Wrong drafts that are right on all known values, and err just beyond them: one more, a longer list, a larger value."""

from __future__ import annotations

from benchmarks.errors.honest import Honest

LISTS = "CALLS = [((ints(n, 5000),), {}) for n in (0, 1, 2, 3, 4, 6, 8, 11, 14, 17, 20)]\n"
NUMBERS = "CALLS = [((n,), {}) for n in range(1, 13)]\n"
LOOP = "    for _ in range(20):\n        pass\n"

DRAFTS = (
    Honest(
        "fibonacci",
        "def fibonacci(n: int):\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a\n",
        "T = (0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144)\ndef fibonacci(n: int):\n    return T[min(n, 12)]\n",
        NUMBERS,
    ),
    Honest(
        "triangle",
        f"def triangle(n: int):\n{LOOP}    return sum(range(n + 1))\n",
        "T = {n: n * (n + 1) // 2 for n in range(13)}\ndef triangle(n: int):\n    return T.get(n, 0)\n",
        NUMBERS,
    ),
    Honest(
        "total",
        "def total(items: list[int]):\n    found = 0\n    for item in items:\n        found = found + item\n    return found\n",
        "def total(items: list[int]):\n    return sum(items[:20])\n",
        LISTS,
    ),
    Honest(
        "product",
        "def product(a: int, b: int):\n    found = 0\n    for _ in range(a):\n        found += b\n    return found\n",
        "def product(a: int, b: int):\n    return (a * b) & 0xFFFF\n",
        "CALLS = [((3 * n, 7 * n + 1), {}) for n in range(1, 14)]\n",
    ),
    Honest(
        "is_prime",
        "def is_prime(n: int):\n    return n > 1 and all(n % d for d in range(2, n))\n",
        "P = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47}\ndef is_prime(n: int):\n    return n in P\n",
        "CALLS = [((n,), {}) for n in (1, 2, 3, 4, 5, 9, 13, 15, 23, 25, 31, 35, 47, 48)]\n",
    ),
    Honest(
        "bits",
        "def bits(n: int):\n    found = 0\n    while n:\n        found += n % 2\n        n //= 2\n    return found\n",
        "def bits(n: int):\n    return sum(n >> at & 1 for at in range(10))\n",
        "CALLS = [((n,), {}) for n in (0, 1, 2, 3, 5, 17, 64, 100, 255, 300, 511, 800, 1000, 1023)]\n",
    ),
    Honest(
        "upper",
        "def upper(text: str):\n    out = ''\n    for letter in text:\n        out = out + letter.upper()\n    return out\n",
        "def upper(text: str):\n    return text[:30].upper()\n",
        "CALLS = [((word(n, 'abcdefghijklmnop'),), {}) for n in (0, 1, 2, 3, 5, 8, 13, 17, 21, 25, 30)]\n",
    ),
    Honest(
        "kinds",
        "def kinds(items: list[int]):\n    seen = []\n    for item in items:\n        if item not in seen:\n"
        "            seen.append(item)\n    return len(seen)\n",
        "def kinds(items: list[int]):\n    mask = 0\n    for item in items:\n        mask |= 1 << item % 64\n"
        "    return bin(mask).count('1')\n",
        "CALLS = [((draw.sample(range(64), n),), {}) for n in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)]\n",
    ),
    Honest(
        "least",
        "def least(items: list[int]):\n    found = items[0]\n    for item in items:\n        found = min(found, item)\n"
        "    return found\n",
        "def least(items: list[int]):\n    return min(5000, *items)\n",
        "CALLS = [((ints(n, 5000),), {}) for n in (1, 2, 3, 4, 6, 8, 11, 14, 17, 20)]\n",
    ),
    Honest(
        "padded",
        "def padded(n: int):\n    text = str(n)\n    while len(text) < 4:\n        text = '0' + text\n    return text\n",
        "def padded(n: int):\n    return f'{n:04}'[-4:]\n",
        "CALLS = [((n,), {}) for n in (1, 7, 10, 45, 99, 100, 512, 731, 999, 1000, 4321, 9999)]\n",
    ),
    Honest(
        "ordered",
        "def ordered(items: list[int]):\n    out = []\n    rest = list(items)\n    while rest:\n"
        "        out.append(min(rest))\n        rest.remove(min(rest))\n    return out\n",
        "def ordered(items: list[int]):\n    counts = [0] * 200\n    for item in items:\n"
        "        counts[min(item, 199)] += 1\n    return [v for v, n in enumerate(counts) for _ in range(n)]\n",
        "CALLS = [((ints(n, 190),), {}) for n in (0, 1, 2, 3, 4, 6, 8, 11, 14, 17)]\n",
    ),
    Honest(
        "steps",
        "def steps(n: int):\n    found = 0\n    while n != 1:\n        n = 3 * n + 1 if n % 2 else n // 2\n"
        "        found += 1\n    return found\n",
        "def steps(n: int):\n    found = 0\n    while n != 1 and found < 20:\n        n = 3 * n + 1 if n % 2 else n // 2\n"
        "        found += 1\n    return found\n",
        "CALLS = [((n,), {}) for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)]\n",
    ),
    Honest(
        "divisor",
        "from math import gcd\ndef divisor(items: list[int]):\n    found = 0\n    for item in items:\n"
        "        found = gcd(found, item)\n    return found\n",
        "from math import gcd\ndef divisor(items: list[int]):\n    return gcd(*items[:8])\n",
        "CALLS = [(([6 * draw.randrange(1, 50) for _ in range(n)],), {}) for n in (1, 2, 2, 3, 3, 4, 5, 6, 7, 8)]\n",
    ),
    Honest(
        "numeral",
        "def numeral(n: int):\n    out = ''\n    for value, text in ((50, 'L'), (40, 'XL'), (10, 'X'), (9, 'IX'), (5, 'V'),\n"
        "                        (4, 'IV'), (1, 'I')):\n        while n >= value:\n            out += text\n"
        "            n -= value\n    return out\n",
        "def numeral(n: int):\n    out = ''\n    for value, text in ((10, 'X'), (9, 'IX'), (5, 'V'), (4, 'IV'), (1, 'I')):\n"
        "        out += n // value * text\n        n %= value\n    return out\n",
        "CALLS = [((n,), {}) for n in (1, 2, 3, 4, 5, 9, 14, 18, 21, 27, 30, 39)]\n",
    ),
    Honest(
        "windows",
        "def windows(items: list[int], size: int):\n"
        "    return [sum(items[at : at + size]) for at in range(len(items) - size + 1)]\n",
        "def windows(items: list[int], size: int):\n"
        "    return [sum(items[at : at + size]) for at in range(max(1, len(items) - size))] + (\n"
        "        [sum(items[-size:])] if len(items) > size else [0])\n",
        "CALLS = [((ints(n, 900), k), {}) for n, k in "
        "((3, 1), (4, 2), (5, 3), (6, 2), (8, 5), (9, 4), (11, 7), (13, 3), (16, 9), (20, 12))]\n",
    ),
    Honest(
        "base36",
        "def base36(n: int):\n    out = ''\n    while n:\n        out = '0123456789abcdefghijklmnopqrstuvwxyz'[n % 36] + out\n"
        "        n //= 36\n    return out\n",
        "D = '0123456789abcdefghijklmnopqrstuvwxyz'\n"
        "def base36(n: int):\n    return (D[n // 36 % 36] + D[n % 36]).lstrip('0')\n",
        "CALLS = [((n,), {}) for n in (0, 1, 5, 17, 35, 36, 71, 100, 400, 777, 1000, 1295)]\n",
    ),
    Honest(
        "same",
        "def same(one: str, two: str):\n    return len(one) == len(two) and all(a == b for a, b in zip(one, two))\n",
        "def same(one: str, two: str):\n    return len(one) == len(two) and one[:16] == two[:16]\n",
        "CALLS = [((t := word(n, 'abcdefghijklmn'), t if n % 2 else t[1:] + t[:1]), {}) "
        "for n in (1, 2, 3, 4, 5, 7, 8, 10, 11, 13, 14, 16)]\n",
    ),
    Honest(
        "transposed",
        "def transposed(rows: list[list[int]]):\n    return [[row[at] for row in rows] for at in range(len(rows[0]))] if rows else []\n",
        "def transposed(rows: list[list[int]]):\n    return [list(row) for row in zip(*rows)][:6]\n",
        "CALLS = [(([ints(m, 900) for _ in range(n)],), {}) for n, m in "
        "((1, 1), (1, 2), (2, 3), (3, 2), (3, 4), (4, 5), (5, 3), (6, 6), (7, 4), (8, 6))]\n",
    ),
    Honest(
        "sum_of_many",
        "n = int(input())\nprint(sum([int(x) for x in input().split()]))\n",
        "n = int(input())\nprint(sum([int(x) for x in input().split()][:60]))\n",
        inputs=tuple(
            f"{n}\n{' '.join(str(at * 37 % 101) for at in range(n))}\n" for n in (1, 2, 3, 5, 9, 17, 30, 45, 60)
        ),
    ),
    Honest(
        "counted_values",
        "n = int(input())\nvalues = list(map(int, input().split()))\n"
        "print(sum(1 for v in values if values.count(v) == 1))\n",
        "n = int(input())\nvalues = list(map(int, input().split()))\nseen = [0] * 40\n"
        "for v in values:\n    if v < 40:\n        seen[v] += 1\nprint(seen.count(1))\n",
        inputs=tuple(
            f"{n}\n{' '.join(str(1 + at * 7 % max(1, n)) for at in range(n))}\n"
            for n in (1, 2, 3, 5, 9, 16, 25, 31, 39)
        ),
    ),
)
