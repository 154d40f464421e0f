"""Hidden behaviour of drafts, which no result shows: parts that are shared, what is changed later, side effects, state
that is left, iterators read too early or not to their ends, exceptions without what they hold.

Each pair of texts is one function, first as it was, then as a draft has it: what is said of them must differ; of the
honest pairs it must not.
"""
# looks at sandbox/codeopt_sandbox/guest/calls/checking, sandbox/codeopt_sandbox/guest/calls/mutation
# looks at sandbox/codeopt_sandbox/guest/calls

from __future__ import annotations

import pytest

from codeopt_sandbox import Sandbox
from codeopt_sandbox.calls import CallBatch, CallRunner, FunctionRef
from codeopt_sandbox.guest.calls.scenarios import RENEWED, SCENARIO
from codeopt_sandbox.guest.request import SHIFTED, USUAL
from tests.sandbox.said import observed, runner_of

SLOTS = """
from collections import OrderedDict, deque
class Box:
    __slots__ = ("items",)
    def __init__(self, items):
        self.items = items
"""
LOGS = "import logging, sys, warnings, random, gc, decimal, signal, locale\nlog = logging.getLogger(__name__)\n"
ITERATOR = "f(iter([0] * 5000))"

DIFFERENT: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "a later call changes an earlier argument": (
        "_last = []\n",
        "def f(a):\n    return len(a)\n",
        "def f(a):\n    for old in _last:\n        old.clear()\n    _last[:] = [a]\n    return len(a)\n",
        ("f([1, 2])", "f([3])"),
    ),
    "a warning is gone": (
        LOGS,
        "def f(n):\n    warnings.warn('old', DeprecationWarning, stacklevel=2)\n    return n\n",
        "def f(n):\n    return n\n",
        ("f(1)",),
    ),
    "a log record is gone": (
        LOGS,
        "def f(n):\n    log.warning('odd %s', n)\n    return n\n",
        "def f(n):\n    return n\n",
        ("f(1)",),
    ),
    "standard error is silent": (
        LOGS,
        "def f(n):\n    print('odd', file=sys.stderr)\n    return n\n",
        "def f(n):\n    return n\n",
        ("f(1)",),
    ),
    "left changed: the decimal context": (
        LOGS,
        "def f(n):\n    return n\n",
        "def f(n):\n    decimal.getcontext().prec = 5\n    return n\n",
        ("f(1)",),
    ),
    "left changed: random numbers": (
        LOGS,
        "def f(n):\n    return n\n",
        "def f(n):\n    random.random()\n    return n\n",
        ("f(1)",),
    ),
    "an iterator that ends too early": (
        "import itertools\n",
        "def f(n):\n    return iter(range(n))\n",
        "def f(n):\n    return itertools.islice(range(n), 15000)\n",
        ("f(20000)",),
    ),
    "an iterator that errs late": (
        "",
        "def f(n):\n    for i in range(n):\n        yield i\n",
        "def f(n):\n    for i in range(n):\n        yield i if i != 12345 else 0\n",
        ("f(20000)",),
    ),
    "reads all of its argument before the first item": (
        "",
        "def f(a):\n    for x in a:\n        yield x + 1\n",
        "def f(a):\n    return iter([x + 1 for x in a])\n",
        (ITERATOR,),
    ),
    "what is sent to a generator is not taken": (
        "",
        "def f(n):\n    for i in range(n):\n        got = yield i\n        if got:\n            yield got\n",
        "def f(n):\n    return iter(range(n))\n",
        ("f(3)",),
    ),
    "what an exception holds": (
        "class Bad(ValueError):\n    def __init__(self, message, at):\n        super().__init__(message, at)\n"
        "        self.at = at\n",
        "def f(n):\n    raise Bad('no good', n)\n",
        "def f(n):\n    raise Bad('no good', 0)\n",
        ("f(1)",),
    ),
}
HONEST: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "a generator as another iterator": (
        "",
        "def f(a):\n    for x in a:\n        yield abs(x)\n",
        "def f(a):\n    return map(abs, a)\n",
        ("f([1, -2])", ITERATOR),
    ),
    "an iterator that reads in pieces": (
        "from itertools import islice\n",
        "def f(a):\n    for x in a:\n        yield x + 1\n",
        "def f(a):\n    while part := list(islice(a, 256)):\n        yield from [x + 1 for x in part]\n",
        (ITERATOR,),
    ),
    "what nobody can see of warnings and log records": (
        LOGS,
        "def f(n):\n    warnings.warn(f'{n} is old', DeprecationWarning)\n    log.info('see %s', n)\n    return n\n",
        "def f(n):\n    log.info(f'see {n}')\n    warnings.warn(f'{n} is old', DeprecationWarning, 2)\n    return n\n",
        ("f(1)",),
    ),
    "what a handler writes": (
        LOGS + "logging.basicConfig(handlers=map(logging.StreamHandler, (sys.stdout, sys.stderr)))\n",
        "def f(n):\n    log.warning('see %s', n)\n    print('seen', file=sys.stderr)\n    return n\n",
        "def f(n):\n    log.warning('%s it is', n)\n    print('seen', file=sys.stderr)\n    return n\n",
        ("f(1)",),
    ),
}


def both(sandbox: Sandbox, head: str, old: str, new: str, calls: tuple[str, ...]) -> list[list[object]]:
    """What is observed of the calls of either text; iterators are read far."""
    ref = FunctionRef(
        "mod", "/nowhere/mod.py", "f", globals=("TABLE",) * ("TABLE" in head), attributes=("f.calls",),
        generator="got = yield" in old,
    )  # fmt: skip
    runner = CallRunner(sandbox, ref)
    alone = CallBatch(calls, items=100_000)
    renewed = CallBatch(tuple(f"{SCENARIO}({RENEWED!r}, {call})" for call in calls), "combine")
    texts = [f"{head}{text}" for text in (old, new)]
    return [[*observed(runner.ask(text, alone)), *observed(runner.ask(text, renewed))] for text in texts]


def test_a_log_record_of_a_low_level_shows_where_the_level_is(guest: Sandbox) -> None:
    runner = runner_of(guest)
    texts = [f"{LOGS}def f(n):\n    {line}return n\n" for line in ("log.debug('odd %s', n)\n    ", "")]
    for environment, alike in ((USUAL, True), (SHIFTED, False)):
        old, new = (observed(runner.ask(text, CallBatch(("f(1)",)), environment)) for text in texts)
        assert (old == new) is alike


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_no_result_shows(guest: Sandbox, name: str) -> None:
    old, new = both(guest, *DIFFERENT[name])
    assert old != new, old


@pytest.mark.parametrize("name", HONEST)
def test_what_makes_no_difference(guest: Sandbox, name: str) -> None:
    old, new = both(guest, *HONEST[name])
    assert old == new
    assert not any("'files'" in str(each) for each in old)
