"""Tricks of code under test to pass for another value, or to hand out one that it keeps; arrays and frames too."""
# looks at sandbox/codeopt_sandbox/guest/calls/mutation, sandbox/codeopt_sandbox/guest/calls/repr
# looks at sandbox/codeopt_sandbox/guest/calls/arguments, sandbox/codeopt_sandbox/guest/calls/answering
# looks at sandbox/codeopt_sandbox/guest/calls/listing, sandbox/codeopt_sandbox/guest/calls

from __future__ import annotations

import base64

import pytest

from codeopt_sandbox import Sandbox
from codeopt_sandbox.calls import CallBatch
from codeopt_sandbox.guest.calls.scenarios import RENEWED, SCENARIO
from tests.sandbox.said import answer_of, runner_of, said

EQUAL = """
class Meta(type):
    __hash__ = lambda cls: hash(KIND)
    __eq__ = lambda cls, other: True
class Lazy(metaclass=Meta):
    __repr__ = lambda self: "1"
def f():
    return Lazy()
"""
KEEPS = """
class Box:
    items = ()
kept = {}
def f(n):
    return WRAPPED
"""
PATCHES = """
class Box:
    items = []
def f(n):
    Box.NAME = VALUE
    return n
"""
SAME = "called again, it gives out "


PICKLED = b"cmod\nBox\n)\x81}S'name'\nS'%b'\nsb."
"""A Box with a name, as pickle writes it: its class, made of nothing, and its attributes."""


def ask(sandbox: Sandbox, module: str, *calls: str) -> list[str]:
    """The outcomes of some calls of a module's function."""
    run = runner_of(sandbox, classes=("Box",)).ask(module, CallBatch(calls))
    return said(run)


def renewed(sandbox: Sandbox, module: str, call: str) -> str:
    """What a call answers twice, the second time after its first result was changed."""
    return said(runner_of(sandbox).ask(module, CallBatch((f"{SCENARIO}({RENEWED!r}, {call})",), "combine")))[0]


@pytest.mark.parametrize("status", [0, 1])
def test_a_call_among_several_that_ends_the_process_has_no_answer(isolated: Sandbox, status: int) -> None:
    """Those after it are made all the same."""
    module = f"import os\ndef f(n):\n    return os._exit({status}) if n else n\n"
    calls = tuple(f"{SCENARIO}({RENEWED!r}, f({n}))" for n in (1, 0))
    ended, whole = said(runner_of(isolated).ask(module, CallBatch(calls, "combine")))[:2]
    assert ended.startswith("ends the process")
    assert "returns 0" in whole


@pytest.mark.parametrize("kind", ["int", "list", "tuple", "dict"])
def test_a_class_that_equals_every_type_is_none_of_them(isolated: Sandbox, kind: str) -> None:
    assert ask(isolated, EQUAL.replace("KIND", kind), "f()")[0].startswith("returns <.Lazy>")


@pytest.mark.parametrize(
    ("result", "same"),
    [
        ("kept.setdefault(n, Box())", True),
        ("[kept.setdefault(n, Box())]", True),
        ("(n, kept.setdefault(n, bytearray(1)))", True),
        ("Box()", False),
        ("kept.setdefault(n, (1, frozenset([2])))", False),
        ("(Box, len)", False),
    ],
)
def test_an_object_that_is_kept_and_given_out_again(isolated: Sandbox, result: str, same: bool) -> None:
    assert (SAME in renewed(isolated, KEEPS.replace("WRAPPED", result), "f(3)")) is same


@pytest.mark.parametrize(
    ("name", "value", "seen"),
    [
        ("__reduce_ex__", "lambda self, p: 0", True),
        ("total", "property(len)", True),
        ("items", "[n]", True),
        ("__doc__", "'text'", False),
    ],
)
def test_a_class_that_a_call_changes(isolated: Sandbox, name: str, value: str, seen: bool) -> None:
    state = ask(isolated, PATCHES.replace("NAME", name).replace("VALUE", value), "f(1)")[-1]
    assert (f"class attribute Box.{name} becomes" in state) is seen, state


BOX = """\
class Box:
    def __init__(self, n):
        self.n = n

def made(n):
    box = Box(n)
    box.more = 1  # no call of its class makes it
    return box

"""


def test_equal_arguments_of_a_calls_file_come_once(isolated: Sandbox) -> None:
    """Else a draft that remembers its answers would be timed on what it remembers."""
    calls = "import mod\nCALLS = [((mod.made(n // 2),), {}) for n in range(4)] + [((lambda: 1,), {})] * 2\n"
    module = BOX + "def f(box):\n    return box.n\n"
    run = runner_of(isolated, calls_file=calls).ask(module, CallBatch((), "inspect", "list"))
    assert said(run)[:5] == ["CALLS[0]", "CALLS[2]", "CALLS[4]", "CALLS[5]", ""], run


@pytest.mark.parametrize(
    ("entry", "listed"),
    [
        ("((mod.made(3), b'x'), {'end': [1]})", "f(CALLS[0][0][0], b'x', end=[1])"),
        ("((b'x',), {'box': mod.made(3)})", "f(b'x', box=CALLS[0][1]['box'])"),
        ("(mod.made(3), 2)", "f(CALLS[0][0][0], 2)"),
        ("((mod.made(3),), {})", "CALLS[0]"),
        ("((mod.made(3), mod.made(4)), {})", "CALLS[0]"),
        ("(mod.Box(3), 2)", "f(load('mod', 'Box')(3), 2)"),
        ("((mod.Box(items), items), {})", "CALLS[0]"),
        ("((mod.Box(items), [[items]]), {})", "CALLS[0]"),
        ("((iter(items), 2), {})", "f(iter([5]), 2)"),
        ("(((i for i in items), 2), {})", "CALLS[0]"),
    ],
)  # fmt: skip
def test_only_what_has_no_text_is_taken_from_a_calls_file(isolated: Sandbox, entry: str, listed: str) -> None:
    """The other arguments can be changed then; those that share a part with it come along."""
    module = BOX + "def f(*given, **named):\n    return 1\n"
    runner = runner_of(isolated, calls_file=f"import mod\nitems = [5]\nCALLS = [{entry}]\n")
    assert said(runner.ask(module, CallBatch((), "inspect", "list")))[0] == listed
    outcome = said(runner.ask(module, CallBatch((listed,), "check")))[0]
    assert outcome.startswith("returns 1"), outcome


@pytest.mark.parametrize(("shared", "counted"), [(True, (1, 2, 3, 1)), (False, (1, 1, 1, 1))])
def test_timed_calls_ask_one_object_or_each_its_own(isolated: Sandbox, shared: bool, counted: tuple[int, ...]) -> None:
    """Calls that warm up never ask the one of the others: what they bring it to keep would be for nothing."""
    module = "class Box:\n    n = 0\ndef f(box, _):\n    box.n += 1\n    return box.n\n"
    one, other = (f"unpickle({base64.b64encode(PICKLED % name).decode()!r})" for name in (b"a", b"b"))
    calls = [f"f({one}, 0)", f"f({one}, 1)", f"f({one}, 2)", f"f({one}, 3)", f"f({other}, 1)"]
    run = runner_of(isolated).ask(module, CallBatch(tuple(calls), "time", warm=1, shared=shared))
    assert [each.text.partition(" | ")[0] for each in answer_of(run).outcomes] == [f"returns {n}" for n in counted]


CHANGES = {
    "a text of a class of its own": ("a[0] = type('S', (str,), {})('x')", "['x']", "S"),
    "one part twice": ("a[1] = a[0]", "[[1], [1]]", "[[1], <the same object as"),
    "parts no longer shared": ("a[1] = list(a[0])", "(lambda b: [b, b])([1])", "[[1], [1]]"),
    "the sign of nothing": ("a[0] = -0.0", "[0.0]", "[-0.0]"),
    "an equal one": ("a[0] = list(a[0])", "[[1], [1]]", ""),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_a_call_does_to_its_arguments(isolated: Sandbox, name: str) -> None:
    """Plain values are looked at in a quicker way than others; it must see the same."""
    body, given, becomes = CHANGES[name]
    line = ask(isolated, f"def f(a):\n    {body}\n    return [a, 5]\n", f"f({given})")[0]
    assert ("arguments become " in line) is bool(becomes), line
    assert becomes in line.partition("arguments become ")[2], line


@pytest.mark.parametrize(
    ("calls", "why"),
    [
        ("\nimport nothere\n", "line 2: ModuleNotFoundError: No module named 'nothere'"),
        ("CALLS = [\n", "SyntaxError: '[' was never closed (calls.py, line 1)"),
        ("CALLS = [5]\n", "TypeError: an entry of CALLS must be (args, kwargs), not int"),
    ],
)
def test_a_calls_file_that_fails_says_why(isolated: Sandbox, calls: str, why: str) -> None:
    run = runner_of(isolated, calls_file=calls).ask("def f():\n    pass\n", CallBatch((), "inspect", "list"))
    assert run.stderr.decode().strip() == f"the calls file fails: {why}"


ARRAYS = {
    "dtype": ("numpy.zeros(2)", "numpy.zeros(2, 'f4')"),
    "byte order": ("numpy.zeros(2)", "numpy.zeros(2, '>f8')"),
    "minus zero": ("numpy.zeros(2)", "-numpy.zeros(2)"),
    "shape": ("numpy.zeros(2)", "numpy.zeros((2, 1))"),
    "fields": ("numpy.zeros(2, 'i4,i4')", "numpy.zeros(2, [('a', 'i4'), ('b', 'i4')])"),
    "objects": ("numpy.array([1, None])", "numpy.array([1, False])"),
    "a view": ("a[1:].copy()", "a[1:]"),
    "large": ("numpy.zeros(9000)", "numpy.zeros(9000, 'i8')"),
}
FRAMES = {
    "dtype": ("df", "df.astype({'a': 'float32'})"),
    "index labels": ("df", "df.reset_index(drop=True)"),
    "index dtype": ("df", "df.set_axis(df.index.astype('int32'))"),
    "index name": ("df", "df.rename_axis('x')"),
    "column order": ("df", "df[['b', 'a']]"),
    "column names": ("df", "df.rename_axis('x', axis=1)"),
    "NaN": ("df", "df.fillna(0.0)"),
    "None for NaN": ("df", "df.astype({'a': object})"),
    "categories": ("df", "df.astype({'b': 'category'})"),
    "series": ("df['a']", "df[['a']]"),
    "name of a series": ("df['a']", "df['a'].rename('c')"),
    "index": ("df.index", "df.index.astype(float)"),
    "dates": ("pandas.date_range('2020', periods=2)", "pandas.date_range('2020', periods=2, tz='UTC')"),
}


def differing(
    sandbox: Sandbox, head: str, pairs: dict[str, tuple[str, str]], argument: str, change: str, becomes: str
) -> list[str]:
    """The names of pairs of expressions whose values have the same text, or not the same text twice; at the end the
    argument is changed, in a process that has imported the library already."""
    texts = [text for pair in pairs.values() for text in pair]
    tuples = ", ".join(f"lambda a, df: {text}" for text in (*texts, change))
    module = f"{head}\ndef f(a, n):\n    df = frame()\n    return [{tuples}][n](a, df)\n"
    *calls, last = (f"f({argument}, {n})" for n in range(len(texts) + 1))
    lines = ask(sandbox, module, *calls, *calls, last)
    assert f"arguments become ({becomes}" in lines[2 * len(calls)]
    old, new, again = lines[0 : len(calls) : 2], lines[1 : len(calls) : 2], lines[len(calls) : 2 * len(calls) : 2]
    assert all(line.startswith("returns ") for line in [*old, *new]), lines
    return [name for name, was, now, then in zip(pairs, old, new, again, strict=True) if was == now or was != then]


def test_arrays_that_differ(isolated: Sandbox) -> None:
    pytest.importorskip("numpy")
    argument = "load('numpy', 'arange')(3.0)"
    assert differing(isolated, "import numpy\nframe = int", ARRAYS, argument, "a.fill(7)", "array(") == []


def test_a_nan_is_a_nan_in_a_large_array_too(isolated: Sandbox) -> None:
    pytest.importorskip("numpy")
    module = "import numpy\ndef f(sign):\n    return numpy.copysign(numpy.full(9000, numpy.nan), sign)\n"
    lines = ask(isolated, module, "f(1)", "f(-1)")
    assert lines[0] == lines[1]


def test_an_array_that_is_changed_or_kept(isolated: Sandbox) -> None:
    pytest.importorskip("numpy")
    module = "import numpy\nkept = numpy.zeros(1)\ndef f(a):\n    a[0] += 1\n    return kept\n"
    call = "f(load('numpy', 'zeros')(2))"
    assert "arguments become (array('<f8', (2,), [1.0, 0.0]); )" in ask(isolated, module, call)[0]
    assert "array('<f8', (1,), [1.0])" in renewed(isolated, module, call), "what its owner made of the first result"


def test_frames_that_differ_or_are_changed(isolated: Sandbox) -> None:
    """Cases that need pandas; the test extra leaves it out, as it takes 17 s to install."""
    pytest.importorskip("pandas")
    head = "import pandas\nframe = lambda: pandas.DataFrame({'a': [1.5, float('nan')], 'b': ['x', 'y']}, index=[2, 4])"
    argument = "load('pandas', 'DataFrame')({'a': [1]})"
    assert differing(isolated, head, FRAMES, argument, "a.insert(1, 'c', 1)", "DataFrame(") == []


def test_what_an_object_says_when_it_is_looked_at_is_no_calls(isolated: Sandbox) -> None:
    """It is asked what it shows in a process of its own; the next call has not printed it."""
    module = (
        "import os, warnings\n"
        "class Loud:\n    def __init__(self):\n        self._kept = 1\n"
        "    def ask(self):\n        os.write(1, b'out')\n        os.write(2, b'err')\n        warnings.warn('old')\n"
        "        print('more', flush=True)\n        return 5\n"
        "def f():\n    return Loud()\n"
    )
    first, second = said(runner_of(isolated).ask(module, CallBatch(("f()", "f()"), views=True)))[:2]
    assert first == second
    assert "ask 5" in first
    assert "prints" not in first
    assert "standard error" not in first
