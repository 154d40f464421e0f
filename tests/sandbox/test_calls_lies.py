"""Objects whose classes answer for them: what they hold is shown by the interpreter's own access.

Each pair of texts is one function with its class, first as it was, then as a draft has it.
"""
# looks at sandbox/codeopt_sandbox/guest/calls/repr
# looks at sandbox/codeopt_sandbox/guest/calls

from __future__ import annotations

import pytest

from codeopt_sandbox import Sandbox
from codeopt_sandbox.calls import CallBatch
from tests.sandbox.said import observed, runner_of, said

CALLS = ("f([3, 1, 3, 2])", "f([])", "f([5, 5])")
REPORT = "class Report:\n    def __init__(self, total, items):\n        self.total, self.items = total, items\n"
RIGHT = "def f(xs):\n    items = sorted(set(xs))\n    return Report(sum(items), items)\n"
LATE = "def f(xs):\n    return Report(0, list(xs))\n"
NOW = "{'total': sum(set(self.__dict__['items'])), 'items': sorted(set(self.__dict__['items']))}"
BAG = "class Bag(list):\n    pass\n"
BAGGED = "def f(xs):\n    return Bag(sorted(set(xs)))\n"
COUNTS = "class Counts(dict):\n    pass\ndef f(xs):\n    return Counts((x, xs.count(x)) for x in xs)\n"
INDEX = "class Index:\n    def __init__(self, xs):\n        self._xs = xs\n    def most(self):\n        return "
MADE = "def f(xs):\n    return Index(list(xs))\n"

LIES: dict[str, tuple[str, str]] = {
    "__reduce_ex__": (
        REPORT + RIGHT,
        f"{REPORT}    def __reduce_ex__(self, protocol):\n        return __import__('copyreg').__newobj__, "
        f"(type(self),), {NOW}\n{LATE}",
    ),
    "__getstate__": (REPORT + RIGHT, f"{REPORT}    def __getstate__(self):\n        return {NOW}\n{LATE}"),
    "a module that calls itself a library": (
        REPORT + RIGHT,
        "import sys, types\nlib = sys.modules['lib'] = types.ModuleType('lib')\n"
        "lib.__spec__ = types.SimpleNamespace(origin='built-in')\n"
        f"{REPORT}    def __getstate__(self):\n        return {NOW}\nlib.Report = Report\n"
        f"Report.__module__ = 'lib'\n{LATE}",
    ),
    "__dict__": (
        REPORT + RIGHT,
        "class Report:\n    __slots__ = ('_kept',)\n    def __init__(self, total, items):\n        self._kept = items\n"
        "    @property\n    def __dict__(self):\n        items = sorted(set(self._kept))\n"
        "        return {'total': sum(items), 'items': items}\n    __slotnames__ = []\n" + LATE,
    ),
    "a metaclass": (
        REPORT + RIGHT,
        "class Meta(type):\n    def __getattribute__(cls, name):\n        if name == '__reduce_ex__':\n"
        "            def reduce(self, protocol):\n                items = sorted(set(self.items))\n"
        "                made = type.__call__(cls, sum(items), items)\n"
        "                return object.__reduce_ex__(made, 2)\n            return reduce\n"
        "        return type.__getattribute__(cls, name)\n" + REPORT.replace("Report", "Report(metaclass=Meta)") + LATE,
    ),
    "__iter__ of a list": (
        BAG + BAGGED,
        "class Bag(list):\n    def __iter__(self):\n        return iter(sorted(set(list.__iter__(self))))\n"
        "def f(xs):\n    return Bag(xs)\n",
    ),
    "items of a dictionary": (
        COUNTS,
        "class Counts(dict):\n    def items(self):\n        xs = self['xs']\n"
        "        return {x: xs.count(x) for x in xs}.items()\ndef f(xs):\n    return Counts(xs=list(xs))\n",
    ),
    "__len__ of a list": (BAG + BAGGED, "class Bag(list):\n    def __len__(self):\n        return 0\n" + BAGGED),
    "__contains__ of a list": (
        BAG + BAGGED, "class Bag(list):\n    def __contains__(self, x):\n        return False\n" + BAGGED
    ),
    "__eq__ of a list": (
        BAG + BAGGED, "class Bag(list):\n    def __eq__(self, x):\n        return x is self\n" + BAGGED
    ),
    "get of a dictionary": (
        COUNTS, COUNTS.replace("    pass\n", "    def get(self, key, default=None):\n        return default\n")
    ),
    "__deepcopy__": (
        f"{INDEX}max(map(self._xs.count, self._xs), default=0)\n{MADE}",
        f"{INDEX}self.table\n    def __deepcopy__(self, memo):\n        other = Index(self._xs)\n"
        f"        other.table = max(map(self._xs.count, self._xs), default=0)\n        return other\n{MADE}",
    ),
    "__class__": (
        "import enum\nclass Size(enum.Enum):\n    BIG = 1\ndef f(xs):\n    return Size.BIG\n",
        "import enum\nclass Size:\n    _value_ = 1\n    __class__ = enum.Enum\ndef f(xs):\n    return Size()\n",
    ),
}  # fmt: skip
HONEST: dict[str, tuple[str, str]] = {
    "slots": (REPORT + RIGHT, REPORT.replace("    def", "    __slots__ = ('total', 'items')\n    def", 1) + RIGHT),
    "a state that leaves out a lock": (
        "import threading\n" + REPORT + "        self._lock = threading.Lock()\n    def __getstate__(self):\n"
        "        return {'total': self.total, 'items': self.items}\n" + RIGHT,
        "import threading\n" + REPORT + "        self._lock = threading.Lock()\n    def __getstate__(self):\n"
        "        return dict(total=self.total, items=self.items)\n" + RIGHT.replace("sum(items)", "sum(set(xs))"),
    ),
    "a reduction that is new and true": (
        REPORT + RIGHT,
        f"{REPORT}    def __reduce__(self):\n        return Report, (self.total, self.items)\n{RIGHT}",
    ),
}  # fmt: skip


def both(sandbox: Sandbox, pair: tuple[str, str]) -> list[list[object]]:
    """What is observed of the calls of either text."""
    runner = runner_of(sandbox)
    return [observed(runner.ask(text, CallBatch(CALLS, views=True))) for text in pair]


@pytest.mark.full
@pytest.mark.parametrize("name", LIES)
def test_an_object_that_lies(isolated: Sandbox, name: str) -> None:
    old, new = both(isolated, LIES[name])
    assert not any("not_comparable" in str(each) for each in old), old
    assert old != new


@pytest.mark.parametrize("result", ["{1: xs}.keys()", "__import__('re').match('a', 'a')"])
def test_what_is_written_in_c_and_cannot_be_taken_apart(isolated: Sandbox, result: str) -> None:
    runner = runner_of(isolated)
    assert "<not comparable: " in said(runner.ask(f"def f(xs):\n    return {result}\n", CallBatch(CALLS)))[0]


@pytest.mark.parametrize("name", HONEST)
def test_an_object_that_only_looks_otherwise(isolated: Sandbox, name: str) -> None:
    old, new = both(isolated, HONEST[name])
    assert old == new
