"""Better algorithms and better use of the standard library, as people write them."""

from benchmarks.errors.honest import Honest

INTS = """
CALLS = [((ints(n),), {}) for n in range(14)]
BIG = [((ints(700, 10 ** 6),), {}) for _ in range(2)]
"""
WORDS = """
CALLS = [(([word(2) for _ in range(n)],), {}) for n in range(14)]
BIG = [(([word(3) for _ in range(700)],), {}) for _ in range(2)]
"""
PAIRS = """
CALLS = [((ints(n), n), {}) for n in range(14)]
BIG = [((ints(500, 10 ** 6), 999), {}) for _ in range(2)]
"""
NUMBERS = """
CALLS = [((n,), {}) for n in range(14)]
BIG = [((n,), {}) for n in (1500, 1600)]
"""


def _body(signature: str, lines: str) -> str:
    """A function of one name in both texts."""
    return f"def {signature}:\n" + "".join(f"    {line}\n" for line in lines.strip("\n").split("\n"))


def _draft(signature: str, calls: str, old: str, new: str, head: str = "") -> Honest:
    return Honest(signature.partition("(")[0], _body(signature, old), head + _body(signature, new), calls)


DRAFTS = [
    _draft(
        "pairs_with_sum(numbers, wanted)", PAIRS,
        """
return sum(1 for i in range(len(numbers)) for j in range(i) if numbers[i] + numbers[j] == wanted)
""",
        """
seen, found = {}, 0
for number in numbers:
    found += seen.get(wanted - number, 0)
    seen[number] = seen.get(number, 0) + 1
return found
""",
    ),
    _draft(
        "without_repeats(items)", WORDS,
        """
found = []
for item in items:
    if item not in found:
        found.append(item)
return found
""",
        "return list(dict.fromkeys(items))",
    ),
    _draft(
        "inversions(numbers)", INTS,
        "return sum(a > b for at, a in enumerate(numbers) for b in numbers[at + 1 :])",
        """
ordered, found = [], 0
for number in numbers:
    at = bisect_right(ordered, number)
    found += len(ordered) - at
    ordered.insert(at, number)
return found
""",
        "from bisect import bisect_right\n\n\n",
    ),
    _draft(
        "longest_rise(numbers)", INTS,
        """
best = [1] * len(numbers)
for at in range(len(numbers)):
    for before in range(at):
        if numbers[before] < numbers[at]:
            best[at] = max(best[at], best[before] + 1)
return max(best, default=0)
""",
        """
ends = []
for number in numbers:
    at = bisect_left(ends, number)
    ends[at : at + 1] = [number]
return len(ends)
""",
        "from bisect import bisect_left\n\n\n",
    ),
    _draft(
        "anagrams(words)", WORDS,
        """
groups = []
for word in words:
    for group in groups:
        if sorted(group[0]) == sorted(word):
            group.append(word)
            break
    else:
        groups.append([word])
return groups
""",
        """
groups = {}
for word in words:
    groups.setdefault("".join(sorted(word)), []).append(word)
return list(groups.values())
""",
    ),
    _draft(
        "commonest(words)", WORDS,
        "return sorted(set(words), key=lambda word: (-words.count(word), word))[:5]",
        """
counts = Counter(words)
return sorted(counts, key=lambda word: (-counts[word], word))[:5]
""",
        "from collections import Counter\n\n\n",
    ),
    _draft(
        "running_totals(numbers)", INTS,
        "return [sum(numbers[: at + 1]) for at in range(len(numbers))]",
        "return list(accumulate(numbers))",
        "from itertools import accumulate\n\n\n",
    ),
    _draft(
        "primes_below(limit)", NUMBERS,
        "return [n for n in range(2, limit) if all(n % d for d in range(2, n))]",
        """
marks = bytearray([1]) * max(limit, 2)
marks[:2] = b"\\0\\0"
for n in range(2, int(max(limit, 0) ** 0.5) + 1):
    if marks[n]:
        marks[n * n :: n] = bytes(len(range(n * n, len(marks), n)))
return [n for n in range(2, limit) if marks[n]]
""",
    ),
    _draft(
        "joined(words)", WORDS,
        """
text = ""
for word in words:
    text = word + "," + text
return text
""",
        'return "".join([word + "," for word in reversed(words)])',
    ),
    _draft(
        "best_stretch(numbers)", INTS,
        """
best = 0
for start in range(len(numbers)):
    total = 0
    for number in numbers[start:]:
        total += number - 25
        best = max(best, total)
return best
""",
        """
best = total = 0
for number in numbers:
    total = max(0, total + number - 25)
    best = max(best, total)
return best
""",
    ),
    _draft(
        "encoded(text)",
        """
CALLS = [((word(n, "ab"),), {}) for n in range(14)]
BIG = [((word(4000, "ab"),), {}) for _ in range(2)]
""",
        """
found = []
while text:
    length = len(text) - len(text.lstrip(text[0]))
    found.append((text[0], length))
    text = text[length:]
return found
""",
        "return [(letter, len(list(run))) for letter, run in groupby(text)]",
        "from itertools import groupby\n\n\n",
    ),
    _draft(
        "merged(intervals)",
        """
def spans(n, top): return [(a, a + draw.randrange(9)) for a in ints(n, top)]
CALLS = [((spans(n, 40),), {}) for n in range(14)]
BIG = [((spans(300, 9000),), {}) for _ in range(2)]
""",
        """
found = sorted(intervals)
at = 0
while at + 1 < len(found):
    if found[at + 1][0] <= found[at][1]:
        found[at : at + 2] = [(found[at][0], max(found[at][1], found[at + 1][1]))]
        found = list(found)
    else:
        at += 1
        found = sorted(found)
return found
""",
        """
found = []
for start, end in sorted(intervals):
    if found and start <= found[-1][1]:
        found[-1] = (found[-1][0], max(found[-1][1], end))
    else:
        found.append((start, end))
return found
""",
    ),
    _draft(
        "transposed(rows)",
        """
CALLS = [(([ints(4) for _ in range(n)],), {}) for n in range(12)]
BIG = [(([ints(60) for _ in range(60)],), {}) for _ in range(2)]
""",
        """
if not rows:
    return []
return [[row[at] for row in rows] for at in range(min(len(row) for row in rows))]
""",
        "return [list(column) for column in zip(*rows)]",
    ),
    _draft(
        "common_start(words)",
        """
CALLS = [(([("abc" * 3)[: draw.randrange(9)] + word(2) for _ in range(n)],), {}) for n in range(12)]
BIG = [((["abc" * 300 + word(20) for _ in range(40)],), {}) for _ in range(2)]
""",
        """
found = ""
while words and all(word.startswith(words[0][: len(found) + 1]) for word in words) and len(found) < len(words[0]):
    found = words[0][: len(found) + 1]
return found
""",
        """
low, high = min(words, default=""), max(words, default="")
for at, letter in enumerate(low):
    if letter != high[at : at + 1]:
        return low[:at]
return low
""",
    ),
    _draft(
        "steps(n)",
        """
CALLS = [((n,), {}) for n in range(14)]
BIG = [((n,), {}) for n in (17, 18)]
""",
        "return 1 if n < 2 else steps(n - 1) + steps(n - 2)",
        """
a, b = 1, 1
for _ in range(n - 1):
    a, b = b, a + b
return b
""",
    ),
]  # fmt: skip
