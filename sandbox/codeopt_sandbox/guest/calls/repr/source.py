"""Values and calls as text: expressions that make equal, fresh ones, words for people, and shapes."""

from __future__ import annotations

from .structure import BY_REPR, NAMED, find, held, is_iterator, is_simple, islice, modules, number

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any


MAX_CELLS = 2_000
"""Most items of an array, and of a data frame, that are written: calls of more are not changed."""

_ITERATED: Any = ([], (), "", b"", {}, range(0), {}.values(), {}.items())
COPIED = frozenset([type(iter(each)) for each in _ITERATED])
"""Iterators whose copy leaves them as they are; that of a `map` shares what it reads."""


def call_to_source(
    args: Sequence[Any], kwargs: Mapping[str, Any], write: Callable[[Any], str | None], maker: str = "f"
) -> str | None:
    """`f(1, key=2)`, a call of the maker, with each argument as `write` has it; None when one has no text."""
    parts = []
    for name, value in [*(("", value) for value in args), *kwargs.items()]:
        text = write(value)
        if text is None or (name and not name.isidentifier()):
            return None
        parts.append(f"{name}={text}" if name else text)
    return f"{maker}({', '.join(parts)})"


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


# Calls as people read them, if their arguments have no literal.
#
# What an object's own __repr__ says is data of the code under test; the host cuts and escapes it.

MAX_CHARS = 100
"""Most characters of a text."""
MAX_ITEMS = 20
"""Most items of a container that are shown."""


def in_words(value: Any, depth: int = 3) -> str:
    """Repr of a value on one line, cut; attributes for an object without a repr, and never an address. A value that
    only looks like a number is marked: `Integer(4)`."""
    kind: Any = type(value)
    text = items_in_words(value, depth) if depth else ""
    if not text and kind.__repr__ is not object.__repr__:
        try:
            text = repr(value)
        except Exception:
            text = ""
    if not text:
        state = getattr(value, "__dict__", None)
        parts = [f" {name}={in_words(part)}" for name, part in state.items()] if type(state) is dict else []
        text = f"<{kind.__qualname__}{','.join(parts[:8])}>"
    elif not is_simple(kind) and kind.__name__ not in text and kind.__module__ != "builtins":
        literal = len(text) < 40 and (text[0] in "'\"-" or text[0].isdigit()) and " " not in text
        text = f"{kind.__qualname__}({text})" if literal else f"<{kind.__qualname__} {text}>"
    head, *rest = text.split(" at 0x")
    text = " ".join("".join([head, *[part.lstrip("0123456789abcdef") for part in rest]]).split())
    return text if len(text) <= MAX_CHARS else f"{text[:MAX_CHARS]}... ({len(text)} characters)"


def items_in_words(value: Any, depth: int) -> str:
    """Text of a non-empty container whose type its own repr may not tell; empty for any other."""
    kind: Any = type(value)
    if kind not in (list, tuple, dict) or not value or len(value) > MAX_ITEMS:
        return ""
    parts = [*value, *value.values()] if kind is dict else value
    if all(is_simple(type(part)) for part in parts):
        return ""
    if kind is dict:
        pairs = [f"{in_words(key, depth - 1)}: {in_words(item, depth - 1)}" for key, item in value.items()]
        return "{" + ", ".join(pairs) + "}"
    inner = ", ".join([in_words(item, depth - 1) for item in value])
    return f"[{inner}]" if kind is list else f"({inner}{',' * (len(value) == 1)})"


def call_in_words(args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """`f(<Graph with 3 nodes>, 2)`."""
    parts = [in_words(value) for value in args] + [f"{name}={in_words(value)}" for name, value in kwargs.items()]
    return "f(" + ", ".join(parts) + ")"


# Shapes of values in words: kinds and sizes of them and of their parts, never the values themselves, such as
# `list of 10,000 tuple (str of 3 to 8 characters, int up to 5 digits), 9,870 distinct, sorted`.

MAX_PARTS = 20_000
"""Most parts that are looked at."""
MAX_KINDS = 3
"""Most kinds of parts that are named."""
MAX_FIELDS = 8
"""Most attributes of an object that are described."""
MAX_DEPTH = 4
"""Depth to which parts are described."""


def shape_of(values: Sequence[Any], depth: int = MAX_DEPTH) -> str:
    kinds: dict[type, list[Any]] = {}
    for value in values:
        kinds.setdefault(type(value), []).append(value)
    groups = sorted(kinds.values(), key=len, reverse=True)
    words = [of_one_kind(group, depth) for group in groups[:MAX_KINDS]]
    return " or ".join([*words, *(["other kinds"] if len(groups) > MAX_KINDS else [])]) or "nothing"


def of_one_kind(values: list[Any], depth: int) -> str:
    """Shape of values of one type."""
    kind: Any = type(values[0])
    name: str = kind.__name__
    if kind in (type(None), bool):
        return str(values[0]) if len(set(values)) == 1 else name
    if kind is int:
        return _integers(values)
    if kind is float:
        return name + (", some nan or infinite" if any(v - v != 0 for v in values) else "")
    if kind in (str, bytes, bytearray):
        return _texts(values, name)
    if kind in (list, tuple, set, frozenset, dict) or name in ("deque", "OrderedDict", "Counter", "defaultdict"):
        return _container(values, name, depth)
    if isinstance(values[0], NAMED) or callable(values[0]):
        return name if not isinstance(values[0], type) else "class"
    if is_iterator(values[0]):
        return f"iterator ({name})"
    if hasattr(kind, "shape") and hasattr(kind, "dtype"):
        return f"{name} of shape {values[0].shape!s:.40} and {values[0].dtype!s:.20}"
    return _object(values, name, depth)


def _integers(values: list[int]) -> str:
    least, most = min(values), max(values)
    if least == most and -10 < least < 10:
        return f"int {least}"
    largest = max(abs(least), abs(most))
    digits = len(str(largest)) if largest < 10**30 else int(largest.bit_length() * 0.30103)
    return f"int up to {digits} digit{'s' * (digits != 1)}" + (", negative ones too" if least < 0 else "")


def span(sizes: Sequence[int]) -> str:
    """`3`, `1 to 40`."""
    return f"{min(sizes):,}" if min(sizes) == max(sizes) else f"{min(sizes):,} to {max(sizes):,}"


def _texts(values: list[Any], name: str) -> str:
    sizes = [len(value) for value in values]
    text = f"{name} of {span(sizes)} character{'s' * (max(sizes) != 1)}"
    newline: Any = "\n" if name == "str" else b"\n"
    lines = [value.count(newline) + 1 for value in values[:100]]
    text += f" in {span(lines)} lines" if max(lines) > 1 else ""
    return text + (", not only ASCII" if name == "str" and not all(map(str.isascii, values)) else "")


def _container(values: list[Any], name: str, depth: int) -> str:
    sizes = [len(value) for value in values]
    text = f"{name} of {span(sizes)}"
    if not max(sizes) or depth <= 0:
        return text
    if name in ("dict", "OrderedDict", "Counter", "defaultdict"):
        keys, inner = _parts(values), _parts([list(value.values()) for value in values])
        return f"{text}: {shape_of(keys, depth - 1)} -> {shape_of(inner, depth - 1)}"
    # maximum number of parts of a tuple that are described place by place
    if name == "tuple" and len(set(sizes)) == 1 and sizes[0] <= 4:
        places = [shape_of([value[at] for value in values[:MAX_PARTS]], depth - 1) for at in range(sizes[0])]
        return f"tuple ({', '.join(places)})"
    text = f"{text} {shape_of(_parts(values), depth - 1)}"
    return text + (_order(values[0]) if len(values) == 1 and name in ("list", "tuple", "deque") else "")


def _parts(values: Sequence[Any]) -> list[Any]:
    """Parts of all of them, from each about as many."""
    each = max(1, MAX_PARTS // len(values))
    return [part for value in values[:MAX_PARTS] for part in list(value)[:each]]


def _order(value: Any) -> str:
    """Number of distinct parts of a sequence, and whether they are in order. Plain parts only: comparing others runs
    code of theirs."""
    items = list(value)[:MAX_PARTS]
    plain = all(is_simple(type(part)) for item in items for part in (item if type(item) is tuple else (item,)))
    if len(items) < 2 or not plain:
        return ""
    distinct = f", {len(set(items)):,} distinct"
    try:
        pairs = list(zip(items, items[1:]))
        rising, falling = all(a <= b for a, b in pairs), all(a >= b for a, b in pairs)
    except TypeError:
        return distinct
    return distinct + (", all equal" if rising and falling else ", sorted" * rising + ", sorted downwards" * falling)


def _object(values: list[Any], name: str, depth: int) -> str:
    fields = list(held(values[0]))
    if not fields or depth <= 0:
        return name
    words = []
    for field in fields[:MAX_FIELDS]:
        found = [held(value)[field] for value in values[:MAX_PARTS] if field in held(value)]
        words.append(f"{field}: {shape_of(found, depth - 1)}")
    return f"{name} ({', '.join(words)}{', ...' * (len(fields) > MAX_FIELDS)})"
