"""Hypothesis strategies for types that are known by their name: plain ones, containers, values of the standard
library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from codeopt.workloads.source.literals import Constructed, Opaque

MOST = 12
"""Items of a container; half as many at each level below."""
_LISTS = ("list", "List", "Sequence", "Iterable", "Collection", "MutableSequence", "Container", "Reversible")
_ITERATORS = ("Iterator", "Generator")
_DICTS = ("dict", "Dict", "Mapping", "MutableMapping")
_TUPLES = ("tuple", "Tuple")
_SETS = ("set", "Set", "AbstractSet", "MutableSet", "frozenset", "FrozenSet")
_OTHERS = {"deque": "deque", "Counter": "load('collections', 'Counter')", **dict.fromkeys(_ITERATORS, "iter")}
_HOLDERS = frozenset((*_LISTS, *_DICTS, *_TUPLES, *_SETS, *_OTHERS))
_FUNCTIONS = ("str", "repr", "len", "bool", "abs")
_PATTERNS = (r"\d+", "a+b", "[a-c]", r"\s*,\s*", "(x)(y)?")
_FLOATS = (0.0, 0.5, 1.0, 2.5, -1.0, 100.0)


@dataclass(frozen=True)
class Kinds:
    """st: hypothesis.strategies; text: what makes texts; keys: those that the function takes items of rows by."""

    st: Any
    text: Any
    keys: Sequence[str] = ()

    def plain(self, name: str, depth: int) -> Any:
        """A type without what it holds; None for one that is not known."""
        st = self.st
        simple: dict[str, Callable[[], Any]] = {
            "int": lambda: st.integers(-9, 9) | st.integers(-100, 100) | st.integers(),
            "float": lambda: st.sampled_from(_FLOATS) | st.floats(-100, 100) | st.floats(),
            "bool": st.booleans,
            "str": lambda: self.text,
            "bytes": lambda: st.binary(max_size=20),
            "bytearray": lambda: st.binary(max_size=20).map(bytearray),
            "memoryview": lambda: st.binary(max_size=20).map(lambda v: Constructed("memoryview", (v,))),
            "complex": lambda: st.complex_numbers(allow_nan=False),
            "Any": lambda: st.integers(-9, 9) | self.text,
            "object": lambda: st.integers(-9, 9) | self.text,
        }
        if name in simple:
            return simple[name]()
        if name in _HOLDERS:
            inner = self.text if name in _DICTS else st.integers(-9, 99)
            return self.container(name, [inner, st.integers(-9, 99)], depth)
        return self.standard(name)

    def standard(self, name: str) -> Any:
        """Values of the standard library, and functions of one argument."""
        st = self.st
        near = st.tuples(st.just(2024), st.sampled_from((2, 3)), st.sampled_from((1, 2, 3, 28, 29)))
        day = near | st.tuples(st.integers(1999, 2030), st.integers(1, 12), st.integers(1, 28))
        moment = st.tuples(st.integers(0, 23), st.integers(0, 59), st.integers(0, 59))
        span = st.tuples(st.integers(-2, 31)) | st.tuples(st.integers(-40, 400), st.integers(0, 90_000))
        money = st.decimals(-1000, 1000, places=2).map(lambda value: (str(value),))
        path = self.text.map(lambda value: (value.replace("\0", "0"),))
        makers = {
            "date": ("datetime.date", day),
            "datetime": ("datetime.datetime", st.tuples(day, moment).map(lambda pair: (*pair[0], *pair[1]))),
            "time": ("datetime.time", moment),
            "timedelta": ("datetime.timedelta", span),
            "Decimal": ("Decimal", money),
            "Fraction": ("Fraction", st.tuples(st.integers(-20, 20), st.integers(1, 12))),
            "Path": ("load('pathlib', 'Path')", path),
            "PurePath": ("load('pathlib', 'PurePath')", path),
            "Pattern": ("load('re', 'compile')", st.tuples(st.sampled_from(_PATTERNS))),
        }
        if name == "Callable":
            return st.sampled_from([Opaque(f"load('builtins', {function!r})") for function in _FUNCTIONS])
        if name not in makers:
            return None
        maker, arguments = makers[name]
        return arguments.map(lambda values: Constructed(maker, values))

    def container(self, name: str, inner: list[Any], depth: int) -> Any:
        """Items of the types that were found; None for a container that is not known."""
        st, most = self.st, 0 if inner[0].is_empty else max(2, MOST >> depth)
        if name in _DICTS:
            if len(inner) < 2:
                return None
            some = st.dictionaries(inner[0].filter(_is_key), inner[1], max_size=most)
            rows = st.fixed_dictionaries(dict.fromkeys(self.keys, inner[1]))
            return rows | some if self.keys and inner[0] is self.text else some
        if name in _SETS:
            kind = frozenset if name.lower() == "frozenset" else set
            return st.sets(inner[0].filter(_is_key), max_size=most).map(kind)
        if name not in _HOLDERS:
            return None
        items = st.lists(inner[0], max_size=most)
        if name in _OTHERS:
            return items.map(lambda value: Constructed(_OTHERS[name], (value,)))
        return items.map(tuple) if name in _TUPLES else items


def _is_key(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
