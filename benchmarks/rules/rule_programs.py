"""Random small programs around the patterns of the built-in rules, with everything beside them that could go wrong.

A template is Python text with choices, «one¦other¦», which may nest; $NAME$ stands for a choice below. What is chosen
makes the rule right, or wrong: lists that are changed through another name, empty and huge values, nan, shadowed
builtins, exceptions, early returns. A line of which nothing is left is dropped.
"""

from __future__ import annotations

import random
import re

WORDS = {
    "SMALL": "«0¦1¦2¦3¦5¦8¦n¦n + 1»",
    "NUMBER": "«0¦1¦2¦7¦-1¦-3¦n¦10**20¦True»",
    "SCALAR": "«1¦-2¦2.5¦-0.0¦float('nan')¦'é'¦'a'¦None¦True¦(1, 2)¦10**30¦[1]»",
    "INTS": "«[]¦[3]¦[3, 1, 2]¦[2, 2, 1, 2]¦[-1, 0, 5, 5]¦[10**20, 1, 10**20]¦list(range(7))"
    "¦[i * i % 5 for i in range(9)]¦list(map(int, '3 1 2 1'.split()))¦sorted([4, 2, 9])»",
    "MIXED": "«[1, 'a', None]¦['é', 'a', 'é']¦[(1, 2), (3,)]¦[1.0, 1, True]¦[float('nan'), 1.5]¦[[1], [2]]¦'abca'»",
    "LIST": "«$INTS$¦$INTS$¦$INTS$¦$MIXED$»",
    "RANGE": "range(«$SMALL$¦$SMALL$, $SMALL$¦1, $SMALL$¦len(xs)»)",
    "CHANGE": "«¦¦¦¦¦¦¦¦xs.append(1)¦xs.pop()¦xs = xs + [4]¦xs[0] = 9¦xs.sort()¦del xs[:]¦ys = xs; ys.append(2)¦touch(xs)"
    "¦xs.clear()¦xs += [n]¦xs[:] = [1]¦n = 2¦n += 1¦if n > 3: break¦if n == 2: continue¦1 // n¦holder[0].append(5)»",
    "HOLD": "«¦¦¦holder[0] = xs¦holder = [xs]»",
    "LOOP": "«for i in $RANGE$:¦for i in $RANGE$:¦for i in xs:¦for i in list(xs):¦for i, _ in enumerate(xs):»",
    "OUT": "«print¦print¦out.append¦seen.add»",
}

START = """
«¦¦¦¦¦¦¦¦¦import sys¦from math import *¦from collections import Counter¦import math, bisect»
n = «0¦1¦2¦3¦6¦-2¦int('4')¦int(input())»
xs = $LIST$
«¦¦¦¦¦¦¦¦¦len = lambda v: 3¦sum = lambda v: 4¦max = lambda *v: v[0]¦sorted = list»
out = []
seen = set()
holder = [[]]
def touch(v):
    «¦¦v.append(0)¦v.reverse()¦global n; n = 3¦print(len(v))»
    return «v¦None¦len(v)»
"""

END = """
print(n, out, holder)
print(«xs¦len(xs)¦xs[:3]»)
"""

PATTERNS: dict[str, tuple[str, ...]] = {
    "any_all_loop": (
        "def f(xs):\n    return «not ¦»«any¦all»(x «==¦<» «n¦1» for x in xs«¦ if x is not None»)\n"
        "print(f(xs), f([]), f([n]))",
        "def g(xs, k):\n    «x = 7¦»\n    if «all¦not any»(«x¦y» == k for «x¦y» in xs):\n        k += 1\n"
        "    «return k, x¦return k»\nfor i in range(3):\n    print(g(xs, i))",
    ),
    "seen_set": (
        "def f(hits: list, known: list[int]):\n    seen = []\n    for hit in hits:\n        if hit not in «seen¦known»:\n"
        "            seen.append(hit)\n            «¦seen.pop()¦known.append(hit)¦touch(seen)»\n"
        "    return seen\nprint(f(xs, [n]))",
    ),
    "main_function": (
        "total = 0\nfor i in range($SMALL$):\n    total += i * n\n    «def f(a):\n        return a + total¦»\n"
        "    «out.append(f(i)) if 'f' in dir else None¦print(total)»\nprint(total)",
        "for i in range($SMALL$):\n    for j in range(n):\n        «if i * j > 4: raise SystemExit(2)¦if j == 3: exit()¦»"
        "\n        n «+=¦-=» 1\nprint(i)",
        "class Box:\n    size = n\ndef grow(k):\n    «global n¦»\n    n = k\n    return n\nfor i in range(4):\n    grow(i)\nprint(n)",
        "def area(w, h=n):\n    return w * h + len(xs)\nfor i in range(5):\n    out.append(area(i))\n    xs = xs + [i]",
        "«sum¦max¦len¦min» = «sum¦max¦len¦min»(«xs¦[n, 2]»)\ndef g(a):\n    return «sum¦max¦len(xs)¦a»\nfor i in range(3):\n"
        "    print(«sum¦max¦len¦min¦i», g(i))\n    «sum += 1¦del n; n = 2¦max = i¦»",
        "class Box:\n    size = «2¦n»\n    def grow(self, k):\n        self.size += k + n\n        return len(xs) + Box.size\n"
        "box = Box()\nfor i in range(3):\n    print(box.grow(i), «box.size¦isinstance(box, Box)¦Box.__name__¦type(box)»)",
        "print([i * n for i in range(4)], {k: n for k in 'ab'})\nfor i in range(3):\n    try:\n        print(1 // (n - i))\n"
        "    except ZeroDivisionError as error:\n        print('zero')\n    «else: n = 9¦»",
    ),
    "stdin_readline": (
        "a = «int(input())¦float(input())¦input().split()¦input().strip()¦input()¦list(map(int, input().split()))»\nprint(a)\n"
        "for i in range(2):\n    «print(input())¦b = int(input())¦row = input().split()¦row = [c for c in input()]»",
        "rows = [input() for _ in range(2)]\nprint(rows, [len(r) for r in rows])\nprint(int(input()))",
        "while n < 3:\n    line = input()\n    n += 1\n    print(line«[0]¦[-1]¦.split()¦.rstrip()¦ + '!'¦»)",
    ),
    "stdout_write": (
        "for i in range(4):\n    print(«i¦i, n¦'é', i¦i / 3¦str(i) + 'x'¦xs¦xs[0]¦n, sep=''¦i, end=' '¦i, n, sep=', '¦¦*xs¦i, None¦f'{i}:{n}'»)\n"
        "    «if i == 2: print()¦1 // (i - 2)¦»",
        "def tell(k):\n    for i in range(k):\n        print(i«, k¦» «, sep='-'¦, end=''¦»)\n    return k\n"
        "«print(tell(3))¦tell(n)¦tell(2); tell('a')»",
        "for name in ['a', 'é', '']:\n    print(name«, len(name)¦ * 2¦»)\n    «print = print¦»",
    ),
    "eval_input": (
        "a = «int(eval(input()))¦eval(input())¦float(eval(input()))»\nfor i in range(2):\n    print(a + eval(input()))",
    ),
    "numpy_to_list": (
        "import numpy as np\nk = «3¦5¦n»\nt = np.«zeros(k + 1, int)¦zeros(k + 1, dtype=np.int64)¦ones(k + 1, dtype=int)¦full(k + 1, 2)»\n"
        "t[0] = 1\nfor i in range(1, k + 1):\n    t[i] = t[i - 1] * «2¦3¦t[0]»\n    «print(t[i])¦»\nprint(t[k], len(t))\n«print(t.sum())¦print(t[1:])¦»",
        "import numpy\ng = numpy.zeros((4, 3), dtype=int)\nfor i in range(4):\n    for j in range(3):\n        g[i, j] = i * j\nprint(g[3][2], g[1, 1])",
    ),
    "modular_factorial": (
        "from math import factorial\nm = «7¦10**9 + 7¦n¦-5¦1¦0»\nprint(factorial(«n¦5¦0¦-1¦len(xs)») % m)\n«print(factorial(3))¦»",
        "import math\nm = 10**9 + 7\nfor i in range(5):\n    print(math.factorial(i * 3) % m«, (math.factorial(i) + 1) % m¦»)",
    ),
    "loop_invariant": (
        "k = 0\nwhile k < len(xs)« - 1¦ + n¦»:\n    $CHANGE$\n    out.append(«k * abs(n)¦max(n, 3)¦min(n, 2) + pow(n, 3, 7)¦sum(xs)¦len(out)»)\n    k += 1\n    if k > 20: break",
        "def work(vs, d):\n    t = 0\n    for i in range(5):\n        t += «len(vs)¦sum(vs)¦min(d, 4)¦pow(d, 5, 11) * abs(d)»\n        «vs.append(i)¦¦¦d += 1¦touch(vs)»\n    return t\n"
        "print(work(«xs¦[1, 2]¦[]¦[1.5]», n))",
        "$HOLD$\n$LOOP$\n    $CHANGE$\n    print(len(xs) - 1«, sum(xs)¦»)",
        "$HOLD$\nfor «v in xs¦i in range(len(xs))¦i in range(«0¦2»)¦v in list(xs)»:\n    print(«max(xs)¦min(xs) + 1¦max(xs) - min(xs)¦max(xs, default=3)»)\n    $CHANGE$\nprint([«max(xs)¦v - min(xs)¦len(xs)» for v in xs«¦ if v¦ if max(xs) > v¦ for w in xs»])",
    ),
    "row_hoist": (
        "size = «3¦4¦1»\ng = «[[0] * size for _ in range(size)]¦[[0] * size] * size¦[list(range(size)) for _ in range(size)]»\n"
        "for i in range(«size¦1, size¦size - 1¦size + 1»):\n    for j in range(«size¦1, size¦0»):\n        g[i][j] = g[i«¦ - 1¦»][j] + g[i][j«¦ - 1»] + j\n"
        "        «¦¦¦g[i] = [1] * size¦g = [row[:] for row in g]¦i = 0¦g.reverse()¦g[0], g[1] = g[1], g[0]¦g.pop()»\nprint(g)",
        "def spread(a, b):\n    for i in range(len(a)):\n        for j in range(b):\n            a[i][j] «=¦+=» i + j\n        «a = a[:]¦a.append([0] * b)¦¦»\n    return a\n"
        "print(spread([[1] * 3 for _ in range(«2¦3»)], «3¦2¦0»))",
    ),
    "literal_sum": (
        "for a in «range(4)¦xs¦[1.5, 0.1]»:\n    for b in range(a«¦ + 1» if type(a) is int else 2, 5):\n        print(sum([a, b«, 1¦, a * b¦»]), max([a, b]), min([b, a«, 3¦»]))",
        "a, b, c = «0.1, 0.2, 0.3¦1, 2, 3¦-0.0, -0.0, -0.0¦n, True, 2»\nfor _ in range(2):\n    print(sum([a, b, c]), sum([«a¦-0.0»]), max([b, a]))",
    ),
    "min_max_conditional": (
        "best = «0¦-0.0¦float('nan')¦1¦'b'¦n»\nfor x in «xs¦[1, 1.0, True]¦[float('nan'), 0]¦['a', 'c']¦range(4)»:\n    best = «max(best, x)¦max(x, best)¦min(best, x)¦min(x, best)¦max(best, x * 2)¦min(best, x + n)¦max(best, x, 3)»\n    $CHANGE$\nprint(best, str(best))",
        "dp = [0] * 6\nfor i in range(6):\n    for j in range(1, i):\n        dp[i] = «max¦min»(dp[i], «dp[j] + j¦dp[i - j] * 2 + 1¦touch(dp) or 0¦dp[-1]»)\nprint(dp)",
        "def low(a, b):\n    return min(a, b)\nfor i in range(3):\n    print(low(i, n), max(i«¦ - 1», «n¦2¦i * 2¦len(xs)»))",
    ),
    "deepcopy_list": (
        "import copy\ng = «[[0] * 3 for _ in range(3)]¦[[0] * 3] * 3¦[list(r) for r in ['ab', 'cd', 'ef']]¦[[1, 2], [3], []]¦[xs, xs]¦[xs, [1], [2]]¦[(1, 2), (3,)]¦[[1], 2, 'a']¦[sorted(xs) for _ in range(3)]»\nfor i in range(3):\n    h = copy.deepcopy(g)\n    «h[0].append(i)¦h[i] = [i]¦h[0] = h[1]¦g[1] = g[0]¦g.append(h[0])¦g.append([i])¦g = h¦h[0] += [1]¦g[i], g[0] = g[0], g[i]¦g[:] = h¦h.sort()¦h[-1][0] = 5¦g.insert(0, h[1][:])¦g.extend(h)¦touch(g)»\n    «h[0].append(7)¦g[0].append(8)¦¦print(h is g, h[0] is g[0])»\n    if len(g) > 12: break\nprint(g, h)",
        "from copy import deepcopy\n«¦class Box:\n    size = 1\n    def __deepcopy__(self, memo):\n        out.append('copied')\n        return self\nxs.append(Box().size)¦xs = [xs]¦d = {1: xs}»\nd = «{1: 'a', (2, 3): None}¦{'k': [1]}¦{n: xs}¦set(xs)¦{v: v for v in range(3)}»\ne = deepcopy(«d¦xs¦d¦xs»)\n«xs.append(9)¦d.clear()¦¦e.clear()¦touch(xs)»\nprint(len(e), len(d), e if type(e) is not set else 0)",
        "from copy import deepcopy\ndef grow(p, k):\n    if k == 0:\n        out.append(deepcopy(p))\n        return\n    for v in «range(2)¦xs[:2]»:\n        p.append(v)\n        grow(p, k - 1)\n        p.pop()\ngrow([], «2¦3»)\nout[0].append(4)",
    ),
    "counter": (
        "s = «'abca'¦'é'¦''¦input()¦'aa' * n»\nfor «c in s¦c in set(s)¦i, c in enumerate(s)¦c in ['a', 'bc', '']¦c in sorted(set(s))¦c in s.split('b')¦c in 'xab'»:\n    out.append((c, s.count(«c¦c¦'a'¦'ab'¦c + 'a'¦c.upper()»)))\n    «¦¦¦¦s += 'b'\n    if len(s) > 9: break¦c = 'ab'\n    print(s.count(c))¦s = s[1:]»\nout.sort()",
        "$HOLD$\nfor x in «xs¦list(xs)¦[1, 2, 3]¦['a', 1.0, True]»:\n    if xs.count(x) > 1:\n        out.append(x)\n    $CHANGE$",
        "print([x for x in «xs¦range(4)» if xs.count(x) == «1¦2¦n»])\nprint(sorted(xs, key=lambda v: xs.count(v)))",
        "def often(vs):\n    return max(vs.count(v) for v in vs)\nprint(often(«xs¦[1, 1]¦'abca'¦(1, 2, 1)¦[[1], [1]]»))",
    ),
    "deque_popleft": (
        "q = «[0]¦[n, 1]¦[]¦[i for i in range(4)]»\nwhile q«¦ and len(out) < 9»:\n    v = q.pop(0)\n    out.append(v)\n"
        "    if len(out) < 8:\n        «q.append(v + 1)¦q.insert(0, v * 2)¦q.extend([v, 1])¦q += [2]¦q.sort()¦q.insert(1, v)»\n    «print(q[0])¦print(q[-1] if q else 0)¦print(len(q))¦print(q)¦for w in q: print(w)¦»\n«print(q)¦q.pop(0)¦»",
        "def walk(start):\n    q = [start]\n    while q:\n        v = q.pop(0)\n        if v > 5 : return v\n        q.append(v + 1)\n        «q.append(v + 2)¦yield_me = q[:1]¦»\n    return «q¦0»\nprint(walk(n))",
        "class Line:\n    «¦¦q = [5]»\n    def __init__(self«, q=3¦»):\n        self.q«¦: list[int]» = «[]¦[n, 2]¦[]¦xs»\n    def put(self, v):\n        self.q.«append(v)¦insert(0, v)¦insert(1, v)»\n    def get(«self¦me»):\n        «¦¦self = self»\n        return «self.q.pop(0)¦self.q.pop(0) if self.q else None¦self.q.pop()»\n    def __len__(self):\n        return «len(self.q)¦len(self.q) + sum(self.q)»\n"
        "«¦¦¦class Short(Line): pass¦»\nline = «Line¦Line¦Short»()\nfor i in range(5):\n    line.put(i)\n    «¦¦¦print(line.q)¦out.append(line)¦getattr(line, 'q')»\n    if i % 2: print(line.get(), len(line))\ntry:\n    for i in range(7): line.get()\nexcept IndexError«¦ as e»: print(«'empty'¦e»)\n",
    ),
    "isqrt_trial_division": (
        "def prime(k):\n    if k < «2¦0¦-5»:\n        return False\n    for d in range(2, k« // 2 + 1¦»):\n        if k % d == 0:\n            return False\n    return True\nprint([k for k in range(«-3, 30¦50») if prime(k)])",
        "for k in «range(-2, 20)¦[10**6 + 3, 4]¦xs¦[4.0, 9]»:\n    p = True\n    for d in range(2, k):\n        if k % d == 0:\n            p = False\n            break\n    «else:\n        out.append(k)¦»\n    print(k, p«, d¦»)",
        "print([k for k in range(30) if k > 1 and «all(k % d != 0¦not any(k % d == 0» for d in range(2, k))])",
    ),
    "list_membership_to_set": (
        "$HOLD$\nfor v in «xs¦range(5)¦['é', 1.0, True, None]¦[float('nan'), (1, 2)]¦[[1]]»:\n    if v «in¦not in» xs:\n        out.append(v)\n    $CHANGE$",
        "got = []\nfor v in «xs¦[1, 1, 2]¦range(3)»:\n    if v not in got:\n        got.append(«v¦v + 1¦n»)\n    «¦¦¦got.pop()¦got = got + [1]¦other = got; other.append(9)¦touch(got)¦got[0] = 4¦got.remove(v)»\nprint(got)",
        "def common(a, b):\n    return [v for v in a if v in b]\nprint(common(«xs¦[1, 2]¦range(3)», «xs¦[2, 3, 2]¦'ab'¦(1,)»))",
    ),
    "keys_membership": (
        "d = «{}¦{1: 2, 'a': 3}¦{n: n, 2: 5}¦dict.fromkeys(xs, 0)¦{v: 1 for v in range(3)}»\nfor v in «xs¦range(4)¦['a', 1.0, True, float('nan')]¦[[1], (2,)]»:\n    if v «in¦not in» «list¦tuple¦set¦sorted»(d«.keys()¦.keys()¦¦.values()»):\n"
        "        out.append(v)\n    «d[v] = 1¦d['k'] = v¦¦d.pop(v, 0)¦d = {}»\nprint(len(d))",
        "d = «{}¦{1: 2, 'a': 3}¦dict.fromkeys(xs, 0)¦xs»\nfor v in «xs¦range(4)¦['a', 1.0, [2]]»:\n    print(v «in¦not in» d.keys()«¦ and v != 3»)\n    $CHANGE$",
        "s = «set(xs)¦{1, 2, 'a'}¦{(1, 2), None}»\nfor v in xs:\n    print(v in list(s), v not in list(range(«n¦5»«, 9¦, 9, 2¦, -5, -1¦»)), v in tuple(«s¦xs»))\n    $CHANGE$",
    ),
    "inline_function": (
        "def f(a, b):\n    return «(a + b) % 7¦a * b + n¦a if a > b else b¦a and b¦abs(a - b)¦xs[a] + b¦-a ** 2 + b¦a < b < n¦f(a, b)¦[a, b]¦len(xs) + a - b¦b - a¦a»\n"
        "for i in range(«4¦n»):\n    for j in xs[:4]:\n        print(f(«i¦i + 1¦-i¦xs[0]¦touch(xs)», «j¦i * 2¦3¦-1¦n», ), «f(i, f(i, 1))¦f(i, i) ** 2¦not f(1, i)¦f(b=1, a=i)¦»)\n        $CHANGE$",
        "g = lambda v: «v * v¦v + n¦-v¦xs[v] if v < len(xs) else 0¦v % 3 == 1¦str(v) + 'x'»\ndef run(n, v):\n    t = []\n    for k in range(3):\n        t.append(g(«k¦v¦k - v¦n»))\n        «n += 1¦¦g = abs»\n    return t\nprint(run(5, 2))\n«print(g)¦print([g(k) for k in xs])¦¦g = abs¦n = 9\nprint(run(1, 0))»",
        "import math\ndef f(a, b):\n    if a «> b¦== 0¦in xs¦% 2»:\n        return «a¦-b¦math.inf¦a if b else 2»\n    «elif b > 2:\n        return n¦¦»\n    «else:\n        return a + b¦return «max(math.ceil(a / 2) - 1, 0)¦math.gcd(a, b)¦b, a»¦return»\n"
        "for i in range(4):\n    out.append(«1 + f(i, 2) * 3¦f(i, n)¦-f(i, i)¦f(i + 1, 2)¦[f(i, k) for k in range(3)]»)\n    «¦¦n += 1¦math = n¦f = max»",
        "MOD = 7\ndef mul(a, b): return a * b % MOD\nr = 1\nfor k in range(9):\n    r = mul(r, «k + 1¦2¦r¦k or 1»)\n    «MOD = 5¦global_mod = mul(1, MOD)¦¦»\n    out.append(-mul(k, 3) + 2 * mul(r, k))\nprint(r, mul(2, 4))",
    ),
}


def program(rng: random.Random, rule: str) -> str:
    """A program around a pattern of the rule, with line ends and an end of the file as files have them."""
    pattern = expand(rng.choice(PATTERNS[rule]), rng)
    if rng.random() < 0.3:
        names = "xs, n" if rng.random() < 0.7 else "xs, n=2"
        given = "xs, n" if rng.random() < 0.8 else "xs[:], n"
        body = "\n".join("    " + line for line in pattern.split("\n"))
        pattern = f"def solve({names}):\n{body}\n    return n\nprint(solve({given}))"
        if rng.random() < 0.3:
            pattern += "\nprint(solve([2, 1], 3))"
    imports = "import re\n" if re.search(r"\bre\.", pattern) else ""
    text = imports + expand(START, rng) + pattern + "\n" + expand(END, rng)
    text = "\n".join(line for line in text.split("\n") if line.strip())
    if rng.random() < 0.1:
        text = text.replace("xs", "größe").replace("    ", "\t")
    if rng.random() < 0.1:
        text = text.replace("\n", "\r\n")
    return text + rng.choice(["\n", "\n", "", "\n\n# the end é\n"])


def expand(template: str, rng: random.Random) -> str:
    """Choose until nothing is left to choose."""
    while True:
        text = re.sub(r"\$(\w+)\$", lambda found: WORDS[found[1]], template)
        text = re.sub(r"«([^«»]*)»", lambda found: rng.choice(found[1].split("¦")), text)
        if text == template:
            return text
        template = text


def stdin(rng: random.Random) -> str:
    """Lines that most programs can read, with an end as files have it."""
    first = rng.choice(["3", "0", "5", " 4 "])
    lines = [
        first,
        *rng.choices(["1", "2 3", "-7", "10", "é", "", "4 4 1", "007", "1.5"], (8, 2, 2, 2, 1, 1, 1, 1, 1), k=30),
    ]
    return "\n".join(lines) + rng.choice(["\n", "\n", ""])
