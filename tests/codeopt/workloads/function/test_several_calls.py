"""Drafts that answer every call right when it is made alone, and otherwise when callers do what they may: change what
they gave or got, read iterators by turns, call from a callback, from two threads, with equal objects; and honest ones.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from codeopt.core.program import Target
from codeopt.core.revision import Revision
from codeopt.engine.judge import Judge
from codeopt.report.verdict import why
from codeopt.workloads.function.corpus.scenarios import CALLBACK, CANCELLED, ONE_OBJECT, OTHER_CONTEXT, OTHER_TYPE
from tests.support.files import write_files
from tests.support.judges import ENOUGH_EXAMPLES, function_judge

pytestmark = pytest.mark.full

Opens = Callable[[str, str, str], Judge]

REPEATED = """\
def f(n, times):
    total = 0
    for _ in range(len(times)):
        total += n
    return total
"""
REPEATEDS = "CALLS = [((n, 'abc'), {}) for n in (1, 2, 5, 7, 12, 0, 44, 31, 3, 4)]\n"
RANKS = """\
def f(xs):
    found = []
    for x in xs:
        n = 0
        for y in xs:
            n += y <= x
        found.append(n)
    return found
"""
FAST_RANKS = """\
import bisect, functools, threading
def ranks(xs):
    ordered = sorted(xs)
    return [bisect.bisect_right(ordered, x) for x in xs]
"""
LISTS = "CALLS = [(([i * k % 17 for i in range(n)],), {}) for n, k in enumerate((3, 5, 7, 2, 9, 4, 11, 6), 2)]\n"
DISTINCT = """\
def f(xs):
    seen = []
    for x in xs:
        if x not in seen:
            seen.append(x)
            yield x
"""
COUNT = """\
def f(words, word):
    n = 0
    for each in words:
        if each == word:
            n += 1
    return n
"""
WORDS = "CALLS = [((['ab', 'ba', 'aab', 'ab'][:n] * n, ['ab', 'aab'][n % 2]), {}) for n in range(1, 9)]\n"
ROWS = "CALLS = [(([(1, 'a'), (2, 'b'), (3, 'c')][:n] * n, (n % 3 + 1, 'abc'[n % 3])), {}) for n in range(1, 9)]\n"
BEST = """\
def f(xs, key):
    best = []
    for x in xs:
        if all(key(x) >= key(y) for y in xs):
            best.append(x)
    return best
"""
KEYS = "CALLS = [(([i * k % 17 - 8 for i in range(1, n)], abs), {}) for n, k in enumerate((3, 5, 7, 2, 9, 4, 6), 3)]\n"
BOX = """\
class Box:
    def __init__(self, sides):
        self.sides = sides

def f(box):
    total = 0
    for side in box.sides:
        for other in box.sides:
            total += side * other
    return total
"""
BOXES = "from old import Box\nCALLS = [((Box([i * k % 13 for i in range(k)]),), {}) for k in range(2, 13)]\n"
ASYNC = """\
import asyncio
async def f(xs):
    found = []
    for x in xs:
        await asyncio.sleep(0)
        if x not in found:
            found.append(x)
    return found
"""
WAITED = """\
import asyncio
async def f(xs, log):
    seen = []
    try:
        for x in xs:
            await asyncio.sleep(0)
            if x not in seen:
                seen.append(x)
        return seen
    finally:
        log.append('end')
"""
YIELDED = WAITED.replace("        return seen\n", "").replace("(x)\n", "(x)\n                yield x\n")
NOTED = """\
def f(xs, log):
    seen = []
    try:
        for x in xs:
            known = x in seen
            seen.append(x)
            try:
                yield x, known
            except ValueError:
                log.append(x)
    finally:
        log.append("end")
"""
LOGS = "CALLS = [(([i * k % 17 for i in range(n)], []), {}) for n, k in enumerate((3, 5, 7, 2, 9, 4, 11, 6), 2)]\n"
LIMITED = """\
LIMIT = 8

def f(xs):
    found = []
    for x in xs:
        if x < LIMIT and x not in found:
            found.append(x)
    return found
"""
PRICES = """\
class Item:
    def __init__(self, price):
        self.price = price

    def cost(self):
        return self.price

class Gift(Item):
    def cost(self):
        return 0

def f(items):
    total = 0
    for each in items:
        for other in items:
            total = total + each.cost() if each is other else total
    return total
"""
ITEMS = "from old import Item\nCALLS = [(([Item(i * k % 13) for i in range(k)],), {}) for k in range(2, 13)]\n"
MERGED = """\
def f(target, source):
    found = []
    for x in source:
        if x not in found:
            found.append(x)
    target[:] = found
    return len(found)
"""
TWO_LISTS = """\
CALLS = [(([i * k % 7 for i in range(k % 4 + 1)], [i * k % 13 for i in range(k % 5 + 1)]), {}) for k in range(2, 40)]
"""
RAISED = """\
def f(rows):
    rows = [list(row) for row in rows]
    rows[0] = [x + 1 for x in rows[0]]
    return [sum(y for y in row if y <= x) for row in rows for x in row]
"""
TABLES = "CALLS = [(([[i * k % 13 + j for i in range(3)] for j in range(k)],), {}) for k in range(2, 13)]\n"
PREFIX = """\
def f(xs):
    for n in range(len(xs)):
        if xs[n] in xs[:n]:
            return xs[:n]
    return xs[:]
"""
THIRDS = """\
from decimal import Decimal, getcontext

def f(numbers):
    found = []
    for each in numbers:
        for _ in range(9):
            third = Decimal(each) / 3
        found.append(str(third))
    return found
"""
FAST_THIRDS = """\
from decimal import Decimal, getcontext
kept = getcontext()

def f(numbers):
    return [str(kept.divide(Decimal(each), Decimal(3))) for each in numbers]
"""

WRONG = {
    "is for ==, of texts": (COUNT, WORDS, COUNT.replace("==", "is"), "''.join("),
    "is for ==, of tuples": (COUNT, ROWS, COUNT.replace("==", "is"), "tuple("),
    "places in memory": (
        RANKS, LISTS, "def f(xs):\n    ids = {id(x): x for x in xs}\n    every = list(ids.values())\n"
        "    return [sum(ids[id(y)] <= x for y in xs) for x in xs] if len(every) == len(set(xs)) else []\n", "",
    ),
    "the last argument by identity": (
        RANKS, LISTS, FAST_RANKS + "last = answer = None\ndef f(xs):\n    global last, answer\n"
        "    if xs is not last:\n        last, answer = xs, ranks(xs)\n    return list(answer)\n", "x[:] = ",
    ),
    "arguments by place and length": (
        RANKS, LISTS, FAST_RANKS + "known = {}\ndef f(xs):\n    key = id(xs), len(xs)\n"
        "    if key not in known:\n        known[key] = xs, ranks(xs)\n    return list(known[key][1])\n", "x[:] = ",
    ),
    "the last result, given out again": (
        RANKS, LISTS, FAST_RANKS + "last = [None, None]\ndef f(xs):\n    if last[0] is not xs or last[2] != xs:\n"
        "        last[:] = xs, ranks(xs), list(xs)\n    return last[1]\n", "clear",
    ),
    "the third equal call": (
        RANKS, LISTS, FAST_RANKS + "asked = {}\ndef f(xs):\n    asked[tuple(xs)] = n = asked.get(tuple(xs), 0) + 1\n"
        "    return ranks(xs) if n < 3 else ranks(xs)[::-1]\n", "for _ in range(",
    ),
    "an object by its place": (
        BOX, BOXES, BOX.replace("def f(", "known = {}\ndef slow(")
        + "def f(box):\n    if id(box) not in known:\n        known[id(box)] = box, slow(box)\n"
        "    return known[id(box)][1]\n", "changed into those of",
    ),
    "a shared set of a generator": (
        DISTINCT, LISTS, "seen = set()\ndef f(xs):\n    seen.clear()\n    for x in xs:\n"
        "        if x not in seen:\n            seen.add(x)\n            yield x\n", "zip_longest",
    ),
    "a shared set that is empty only at the end": (
        DISTINCT, LISTS, "seen = set()\ndef f(xs):\n    for x in xs:\n        if x not in seen:\n"
        "            seen.add(x)\n            yield x\n    seen.clear()\n", "",
    ),
    "a shared list, of two threads": (
        RANKS, LISTS, FAST_RANKS + "found = []\ndef f(xs):\n    found.clear()\n    ordered = sorted(xs)\n"
        "    for x in xs:\n        found.append(bisect.bisect_right(ordered, x))\n    return list(found)\n",
        "threading.Thread",
    ),
    "a question that is kept before its answer": (
        RANKS, LISTS, FAST_RANKS + "last = answer = None\ndef f(xs):\n    global last, answer\n"
        "    if xs != last:\n        last = list(xs)\n        answer = ranks(xs)\n    return list(answer)\n",
        "threading.Thread",
    ),
    "shared keys, under a lock that may be taken again": (
        BEST, KEYS, FAST_RANKS + "lock, keys = threading.RLock(), []\ndef f(xs, key):\n    with lock:\n"
        "        keys.clear()\n        for x in xs:\n            keys.append(key(x))\n"
        "        return [x for x, k in zip(xs, keys) if k == max(keys)]\n", "lambda *v",
    ),
    "a lock that may not": (
        BEST, KEYS, FAST_RANKS + "lock = threading.Lock()\ndef f(xs, key):\n    with lock:\n"
        "        keys = [key(x) for x in xs]\n        return [x for x, k in zip(xs, keys) if k == max(keys)]\n",
        "lambda *v",
    ),
    "a list that two coroutines share": (
        ASYNC, LISTS, "import asyncio\nfound = {}\nasync def f(xs):\n    found.clear()\n    for x in xs:\n"
        "        await asyncio.sleep(0)\n        found[x] = 1\n    return list(found)\n", "",
    ),
    "an exception that is thrown into it": (
        NOTED, LOGS, "def f(xs, log):\n    seen = set()\n    try:\n        for x in xs:\n"
        "            yield x, x in seen\n            seen.add(x)\n    finally:\n        log.append('end')\n",
        "r.throw(",
    ),
    "a generator that is closed": (
        NOTED, LOGS, "def f(xs, log):\n    seen = set()\n    for x in xs:\n        try:\n"
        "            yield x, x in seen\n        except ValueError:\n            log.append(x)\n        seen.add(x)\n"
        "    log.append('end')\n", "r.close()",
    ),
}  # fmt: skip

HONEST = {
    "answers of one call": (
        RANKS, LISTS, FAST_RANKS + "def f(xs):\n    known = {}\n    for x in set(xs):\n"
        "        known[x] = sum(y <= x for y in xs)\n    return [known[x] for x in xs]\n",
    ),
    "cached by value": (
        RANKS, LISTS, FAST_RANKS + "@functools.cache\ndef kept(xs):\n    return tuple(ranks(xs))\n"
        "def f(xs):\n    return list(kept(tuple(xs)))\n",
    ),
    "kept by value, under a lock": (
        RANKS, LISTS, FAST_RANKS + "lock, known = threading.Lock(), {}\ndef f(xs):\n    with lock:\n"
        "        key = tuple(xs)\n        if key not in known:\n            known[key] = ranks(xs)\n"
        "        return list(known[key])\n",
    ),
    "a list of each thread": (
        RANKS, LISTS, FAST_RANKS + "own = threading.local()\ndef f(xs):\n    own.found = ranks(xs)\n"
        "    return list(own.found)\n",
    ),
    "asks by identity first": (COUNT, WORDS, COUNT.replace("each == word", "each is word or each == word")),
    "interned": (COUNT, WORDS, "import sys\n" + COUNT.replace("each == word", "sys.intern(each) is sys.intern(word)")),
    "an iterator that is no generator": (DISTINCT, LISTS, "def f(xs):\n    return iter([*dict.fromkeys(xs)])\n"),
    "a coroutine that ends as before": (
        WAITED, LOGS, WAITED.replace("seen = []", "seen = {}").replace("seen.append(x)", "seen[x] = 1").replace(
            "return seen", "return list(seen)"
        ),
    ),
    "a dictionary of its own, with waits": (
        ASYNC, LISTS, "import asyncio\nasync def f(xs):\n    await asyncio.sleep(0)\n"
        "    return list(dict.fromkeys(xs))\n",
    ),
    "a generator that takes what is thrown": (
        NOTED, LOGS, NOTED.replace("seen = []", "seen = set()").replace("seen.append", "seen.add"),
    ),
    "a constant that is read in each call": (
        LIMITED, LISTS, "LIMIT = 8\ndef f(xs):\n    return list(dict.fromkeys(x for x in xs if x < LIMIT))\n",
    ),
    "methods of a subclass": (
        PRICES, ITEMS,
        PRICES.partition("def f")[0] + "def f(items):\n    return sum([each.cost() for each in items])\n",
    ),
    "two arguments that may be one object": (
        MERGED, TWO_LISTS, "def f(target, source):\n    target[:] = dict.fromkeys(source)\n    return len(target)\n",
    ),
    "a number that it takes alone otherwise": (
        REPEATED, REPEATEDS, "def f(n, times):\n    return int(n) * len(times)\n",
    ),
    "a slice of any sequence": (
        PREFIX, LISTS, "def f(xs):\n    seen = set()\n    for n, x in enumerate(xs):\n        if x in seen:\n"
        "            return xs[:n]\n        seen.add(x)\n    return xs[:]\n",
    ),
}  # fmt: skip


BY_DOCKER = (
    "is for ==, of texts",
    "the last argument by identity",
    "a shared set of a generator",
    "a shared list, of two threads",
    "a lock that may not",
    "a list that two coroutines share",
    "cached by value",
    "answers kept by equality",
)


@pytest.fixture(scope="module")
def opens(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opens]:
    """opens(backend, old, calls): a judge that says what is right; what the original does is learnt once."""
    with ExitStack() as stack:

        @cache
        def judge(backend: str, old: str, calls: str) -> Judge:
            folder = tmp_path_factory.mktemp("several")
            write_files(folder, {"old.py": old, "calls.py": calls})
            options = {"timed": False, "calls": folder / "calls.py", "max_examples": ENOUGH_EXAMPLES}
            opened = function_judge(Target(folder / "old.py", "f"), sandbox=backend, **options)
            return stack.enter_context(opened)

        yield judge


def on_backends(names: Iterable[str]) -> list[ParameterSet]:
    """All by bubblewrap; by Docker one of each way of playing."""
    docker = pytest.mark.docker
    return [
        *(pytest.param("bubblewrap", name, id=name) for name in names),
        *(pytest.param("docker", name, id=f"{name}, docker", marks=docker) for name in names if name in BY_DOCKER),
    ]


@pytest.mark.parametrize(("backend", "name"), on_backends(WRONG))
def test_refused_with_what_to_paste(opens: Opens, backend: str, name: str) -> None:
    old, calls, draft, shown = WRONG[name]
    found = opens(backend, old, calls).check(Revision.of(draft), "a person's")
    assert not found.correct
    assert shown in why(found), why(found)


@pytest.mark.parametrize(("backend", "name"), on_backends(HONEST))
def test_nothing_is_said_of_an_honest_draft(opens: Opens, backend: str, name: str) -> None:
    old, calls, draft = HONEST[name]
    found = opens(backend, old, calls).check(Revision.of(draft), "a person's")
    assert found.correct, why(found)
    assert not {each.cause for each in found.caveats} & {OF_SUBCLASS, *(because for *_, because, _ in TOLD.values())}


REPORT = """\
class Report:
    def __init__(self, rows):
        self.rows = rows
        self.title = "names"

    def names(self):
        seen = []
        for row in self.rows:
            for name in row:
                if name not in seen:
                    seen.append(name)
        return seen
"""
TEST_REPORTS = """\
from old import Report

def test_names():
    for k in range(2, 13):
        assert len(Report([[f"n{i * k % 13}" for i in range(k)] for _ in range(k % 3)]).names()) < 13
"""
SHARED = REPORT.replace("class", "seen = []\nclass").replace("        seen = []", "        seen.clear()")
SHARED = SHARED.replace("return seen", "return list(seen)")


def test_lines_of_a_constructor_are_no_steps_of_the_call(tmp_path: Path) -> None:
    write_files(tmp_path, {"old.py": REPORT, "test_old.py": TEST_REPORTS})
    longer = REPORT.replace("seen = []\n", "seen = []\n        seen.clear()\n")
    with function_judge(Target(tmp_path / "old.py", "Report.names"), timed=False) as judge:
        honest, wrong = [judge.check(Revision.of(draft), "a person's") for draft in (longer, SHARED)]
    assert honest.correct, why(honest)
    assert not wrong.correct
    assert "threading.Thread" in why(wrong), why(wrong)


CACHED = "import functools\n@functools.lru_cache{}\ndef f(n, times):\n    return n * len(times)\n"
BACKWARDS = """\
def f(xs, key):
    keys = [key(x) for x in reversed(xs)][::-1]
    most = max(keys, default=0)
    return [x for x, k in zip(xs, keys) if k == most]
"""
OF_SUBCLASS = "an object is of Gift, a subclass of Item"
TOLD = {
    "a constant that is frozen": (
        LIMITED,
        LISTS,
        "LIMIT = 8\ndef f(xs):\n    return list(dict.fromkeys(x for x in xs if x < 8))\n",
        "LIMIT of the module is set to 4",
        ".LIMIT = 4; ",
    ),
    "an argument that is emptied before the other is read": (
        MERGED,
        TWO_LISTS,
        "def f(target, source):\n    target.clear()\n    target.extend(dict.fromkeys(source))\n"
        "    return len(target)\n",
        ONE_OBJECT,
        "y = x; ",
    ),
    "rows that are changed in place": (
        RAISED,
        TABLES,
        "def f(rows):\n    rows[0][:] = [x + 1 for x in rows[0]]\n    try:\n"
        "        return [sum(y for y in row if y <= x) for row in rows for x in row]\n    finally:\n"
        "        rows[0][:] = [x - 1 for x in rows[0]]\n",
        ONE_OBJECT,
        "x[:] = x[:1] * len(x); ",
    ),
    "the context of another thread": (
        THIRDS,
        LISTS,
        FAST_THIRDS,
        OTHER_CONTEXT,
        "decimal.setcontext(",
    ),
    "answers kept by equality": (REPEATED, REPEATEDS, CACHED.format(""), OTHER_TYPE, ".0, '"),
    "a callback asked in another order": (BEST, KEYS, BACKWARDS, CALLBACK, "lambda *v: (print(v)"),
}  # fmt: skip


@pytest.mark.parametrize(("backend", "name"), on_backends(TOLD))
def test_told_in_every_run(opens: Opens, backend: str, name: str) -> None:
    old, calls, draft, because, shown = TOLD[name]
    for _ in range(2):
        found = opens(backend, old, calls).check(Revision.of(draft), "a person's")
        assert found.correct, why(found)
        caveat = next((each for each in found.caveats if because in (each.cause, *each.domain)), None)
        assert caveat, found.caveats
        assert shown in caveat.input
        assert shown in caveat.reproduce


UNTIL_THE_END = (
    "import asyncio\nasync def f(xs, log):\n    for x in xs:\n        await asyncio.sleep(0)\n"
    "    log.append('end')\n    return list(dict.fromkeys(xs))\n"
)
PRINTED = [text.replace("log.append(", "print(") for text in (WAITED, UNTIL_THE_END)]
KEPT = [f"OPEN = []\n{text.replace('log.append(', 'OPEN.append(')}" for text in (WAITED, UNTIL_THE_END)]
CANCELLED_ONES = {
    "a coroutine": (WAITED, UNTIL_THE_END),
    "what a coroutine prints": PRINTED,
    "what a coroutine leaves in its module": KEPT,
    "an asynchronous generator": (
        YIELDED, "import asyncio\nasync def f(xs, log):\n    for x in dict.fromkeys(xs):\n"
        "        await asyncio.sleep(0)\n        yield x\n    log.append('end')\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CANCELLED_ONES)
def test_what_is_cancelled_before_its_end(opens: Opens, name: str) -> None:
    old, draft = CANCELLED_ONES[name]
    found = opens("bubblewrap", old, LOGS).check(Revision.of(draft), "a person's")
    assert found.correct, why(found)
    caveat = next(each for each in found.caveats if each.cause == CANCELLED)
    assert "cancelled where it first waits" in caveat.input
    assert ("'end" in caveat.expected, "'end" in caveat.got) == (True, False)


def test_a_method_that_a_subclass_overrides(opens: Opens) -> None:
    draft = PRICES.partition("def f")[0] + "def f(items):\n    return sum([each.price for each in items])\n"
    found = opens("bubblewrap", PRICES, ITEMS).check(Revision.of(draft), "a person's")
    assert found.correct, why(found)
    caveat = next(each for each in found.caveats if each.cause == OF_SUBCLASS)
    assert caveat.input.count("'Gift')(") == 5, "every other one"
    assert {caveat.expected, caveat.got} <= {f"returns {n}" for n in range(200)}


def test_nothing_is_told_of_answers_that_are_kept_by_type(opens: Opens) -> None:
    found = opens("bubblewrap", REPEATED, REPEATEDS).check(Revision.of(CACHED.format("(typed=True)")), "a person's")
    assert found.correct
    assert OTHER_TYPE not in {each.cause for each in found.caveats}


PASTED = (
    "a generator that is closed",
    "is for ==, of texts", "the last argument by identity", "the third equal call", "a shared set of a generator",
    "a shared list, of two threads", "shared keys, under a lock that may be taken again",
)  # fmt: skip


@pytest.mark.parametrize("name", PASTED)
def test_what_is_pasted_shows_it(opens: Opens, tmp_path: Path, name: str) -> None:
    old, calls, draft, _ = WRONG[name]
    said = why(opens("bubblewrap", old, calls).check(Revision.of(draft), "a person's"))
    head, _, tail = said.partition("; to see it: ")
    statements = tail.partition(" (the smallest")[0] or head.partition(": expected")[0]
    answers = [answer(tmp_path / side, text, statements) for side, text in (("old", old), ("new", draft))]
    assert answers[0] != answers[1], statements


def answer(folder: Path, module: str, statements: str) -> str:
    """What the last of some statements gives, with `f` of a module."""
    write_files(folder, {"m.py": module})
    *rest, last = statements.split("; ")
    shown = last if last.startswith("print(") else f"print({last})"
    program = "; ".join(["from m import f", *rest, shown])
    run = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True)
    return run.stdout
