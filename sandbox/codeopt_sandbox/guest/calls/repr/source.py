"""Values as expressions of Python that make equal, fresh ones; for calls that can be written down and made again."""

from __future__ import annotations

from .plain import BY_REPR, NAMED, find, is_simple, islice, modules, number

MAX_CELLS = 2_000
"""Most items of an array, and of a data frame, that are written: calls of more are not changed."""
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

_ITERATED: Any = ([], (), "", b"", {}, range(0), {}.values(), {}.items())
COPIED = frozenset([type(iter(each)) for each in _ITERATED])
"""Iterators whose copy leaves them as they are; that of a `map` shares what it reads."""


def call_to_source(args: Sequence[Any], kwargs: Mapping[str, Any], write: Callable[[Any], str | None]) -> str | None:
    """`f(1, key=2)`, with each argument as `write` has it; None when one has no text."""
    parts = []
    for name, value in [*(("", value) for value in args), *kwargs.items()]:
        text = write(value)
        if text is None or (name and not name.isidentifier()):
            return None
        parts.append(f"{name}={text}" if name else text)
    return f"f({', '.join(parts)})"


def to_source(value: Any, depth: int = 60, other: Callable[[Any, int], str | None] | None = None) -> str | None:
    """A Python expression that makes an equal, fresh value of plain types. None if no expression makes it.

    other: expression of a value of any other type, given the depth that is left; without it such a value has no
    expression.
    """
    kind = type(value)
    if kind is complex:
        return f"complex({value.real!r}, {value.imag!r})"
    if is_simple(kind):
        return number(value) if kind is int else repr(value)
    if depth < 0:
        return None
    if kind in (list, tuple, set, frozenset, dict):
        return items_to_source(kind, value, depth, other)
    plain = kind.__module__ in ("datetime", "decimal", "fractions") and kind.__name__ in BY_REPR[kind.__module__]
    if plain or kind in (bytearray, range):
        return repr(value)
    return other(value, depth) if other is not None else None


def items_to_source(
    kind: type, value: Any, depth: int, other: Callable[[Any, int], str | None] | None = None
) -> str | None:
    """Source text of a container, as in `to_source`."""
    if kind is not dict:
        inner = []
        for item in value:
            part = to_source(item, depth - 1, other)
            if part is None:
                return None
            inner.append(part)
        if kind in (set, frozenset):
            return f"{kind.__name__}([{', '.join(sorted(inner))}])"
        text = ", ".join(inner)
        return "[" + text + "]" if kind is list else "(" + text + ("," if len(inner) == 1 else "") + ")"
    pairs = []
    for key, item in value.items():
        left, right = to_source(key, depth - 1, other), to_source(item, depth - 1, other)
        if left is None or right is None:
            return None
        pairs.append(left + ": " + right)
    return "{" + ", ".join(pairs) + "}"


def name_to_source(value: Any) -> str | None:
    """`load('module', 'name')` for a class or function that can be found by its name; None for others."""
    name, module = getattr(value, "__qualname__", None), getattr(value, "__module__", None)
    if isinstance(value, NAMED) and type(name) is str and type(module) is str and find(module, name) is value:
        return f"load({module!r}, {name!r})"
    return None


def iterator_to_source(value: Any) -> str | None:
    """`iter([1, 2])`, by the items that are left of one of the interpreter's own iterators; None for one with too many.

    A generator has methods that no such iterator has, and cannot be copied.
    """
    if type(value) not in COPIED:
        return None
    import copy

    items = list(islice(copy.copy(value), MAX_CELLS + 1))
    text = to_source(items) if len(items) <= MAX_CELLS else None
    return None if text is None else f"iter({text})"


def array_to_source(value: Any) -> str | None:
    """`load('numpy', 'array')([1.0, 2.0], 'float64')`, and the same of a data frame by its columns; None for a value
    that such a text does not make: a view of something larger, other labels, items that are objects."""
    numpy, pandas = modules.get("numpy"), modules.get("pandas")
    if numpy is not None and type(value) is getattr(numpy, "ndarray", None):
        whole = value.flags.c_contiguous and value.flags.writeable and value.dtype.isnative
        whole = whole and (value.base is None or getattr(value.base, "size", 0) == value.size)
        if not whole or value.dtype.kind not in "biuf" or not 0 < value.size <= MAX_CELLS or not value.ndim:
            return None
        return f"load('numpy', 'array')({to_source(value.tolist())}, {value.dtype.name!r})"
    if pandas is None or type(value) is not getattr(pandas, "DataFrame", None) or not 0 < value.size <= MAX_CELLS:
        return None
    columns = {name: value[name].tolist() for name in value.columns} if value.columns.is_unique else {}
    text = to_source(columns)
    again = pandas.DataFrame(columns)
    same = again.equals(value) and list(again.dtypes) == list(value.dtypes) and not value.attrs
    labels = type(value.index) is type(again.index) and again.index.equals(value.index)
    return f"load('pandas', 'DataFrame')({text})" if text is not None and same and labels else None
