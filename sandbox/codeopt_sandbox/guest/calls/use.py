"""Use of results as their caller may make it: what a call puts off until its result is looked at is a cost of the call.

Only objects of the project's own classes are used: their properties, length and items.
"""

from __future__ import annotations

from .repr.plain import is_simple, islice
from .repr.structure import is_librarys, mro_of, vars_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

MAX_OBJECTS = 20
"""Most objects that are used."""
MAX_RESULTS = 100
"""Most results among which they are sought."""
MAX_PARTS = 20
"""Most items of a result among which they are sought."""
MAX_ITEMS = 10_000
"""Most items that are read of one."""


def use(results: Sequence[Any], target: str) -> None:
    """Use the objects among some results, once each. target: the module under test."""
    own: dict[int, bool] = {}
    for value in islice(objects(results, target, own), MAX_OBJECTS):
        for read in (read_properties, len, read_items):
            try:
                read(value)
            except BaseException:  # its users may expect that
                continue


def objects(results: Sequence[Any], target: str, own: dict[int, bool]) -> Iterator[Any]:
    """Objects of the project's own classes: results, and items of those that are lists, tuples or dictionaries."""
    for result in islice(results, MAX_RESULTS):
        kind = type(result)
        items = result.values() if kind is dict else result if kind is list or kind is tuple else (result,)
        for item in islice(items, MAX_PARTS):
            of = type(item)
            if is_simple(of):
                continue
            if id(of) not in own:
                own[id(of)] = not is_librarys(of, target)
            if own[id(of)]:
                yield item


def read_properties(value: Any) -> None:
    """Read each public property, cached ones too."""
    for base in mro_of(type(value)):
        for name, member in list(vars_of(base).items()):
            if not name.startswith("_") and type(member).__name__ in ("property", "cached_property"):
                getattr(value, name)


def read_items(value: Any) -> None:
    for _ in islice(iter(value), MAX_ITEMS):
        pass
