"""Arrays and data frames as text, where their packages are loaded.

Data types, order and the kind of index count; NaN is NaN whatever its bits; a range of labels is the labels.
"""

from __future__ import annotations

from .plain import BYTES, digest, modules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .plain import Shows

GOLDEN = 0.6180339887498949
"""Multiples of it have fractions that are spread evenly."""
BLOCK = 20
"""Items of a long array in a sum."""
MAX_WHOLE_BYTES = 2 << 20
"""Largest long array that a checker of the user's own gets item by item."""


def show_array(shown: Shows, value: Any, depth: int) -> str:
    """The text of a value of numpy or pandas; empty for anything else."""
    kind: Any = type(value)
    numpy, pandas = modules.get("numpy"), modules.get("pandas")
    if numpy is not None and kind is getattr(numpy, "ndarray", None):
        return _ndarray(shown, value, depth, numpy) + _base(shown, value, numpy)
    if numpy is not None and _is(value, numpy, "generic") and not value.dtype.hasobject:
        return f"numpy {value.dtype.str} {value.item()!r}"
    if pandas is None or not _is_labelled(kind, pandas):
        return ""
    if kind is pandas.DataFrame:
        columns = [_series(shown, value.iloc[:, at], depth - 1) for at in range(value.shape[1])]
        head = f"columns {_labels(shown, value.columns, depth)}, index {_labels(shown, value.index, depth)}"
        return f"DataFrame({head}, {', '.join(columns)}{_notes(shown, value, depth)})"
    if kind is pandas.Series:
        head = f"name {shown.show(value.name, depth - 1)}, index {_labels(shown, value.index, depth)}"
        return f"Series({head}, {_series(shown, value, depth)}{_notes(shown, value, depth)})"
    return _labels(shown, value, depth)


def is_labelled(value: Any) -> bool:
    """A frame, a series or an index of pandas: its text has all that it shows."""
    pandas = modules.get("pandas")
    return pandas is not None and _is_labelled(type(value), pandas)


def _is_labelled(kind: type, pandas: Any) -> bool:
    frame, series, index = (getattr(pandas, name, None) for name in ("DataFrame", "Series", "Index"))  # half imported
    if frame is None or series is None or index is None:
        return False
    own = kind.__module__.partition(".")[0] == "pandas"  # the whole name is that of a file before pandas 3
    return kind is frame or kind is series or (own and issubclass(kind, index))


def _is(value: Any, module: Any, name: str) -> bool:
    return isinstance(value, getattr(module, name, ()))


def _ndarray(shown: Shows, value: Any, depth: int, numpy: Any) -> str:
    name = value.dtype.str if value.dtype.names is None else str(value.dtype)
    head = f"array({name!r}, {value.shape!r}, "
    if value.dtype.hasobject:
        return head + shown.show(value.tolist(), depth - 1) + ")"
    if value.size <= (20_000 if value.dtype.kind in "fc" else 5000) and value.dtype.kind in "biufcSU":
        return head + repr(value.tolist()) + ")"
    if value.dtype.kind == "f":
        value = numpy.where(numpy.isnan(value), numpy.nan, value)
    sums = _sums(value, numpy) if value.dtype.kind in "fc" else ""
    told = shown.whole and value.dtype.kind in "biufc" and value.nbytes <= MAX_WHOLE_BYTES
    return head + "sha256 " + digest(value.tobytes()) + sums + (BYTES + _base64(value) if told else "") + ")"


def _base64(value: Any) -> str:
    """Items of an array, in C order."""
    binascii: Any = __import__("binascii")
    return str(binascii.b2a_base64(value.tobytes(), newline=False), "ascii")


def _sums(value: Any, numpy: Any) -> str:
    """Places of NaN and infinity, and weighted sums of blocks: near for arrays that differ in last bits, which a digest
    cannot tell. No two items of a block weigh the same, so that order counts."""
    flat = numpy.ascontiguousarray(value).reshape(-1)
    if value.dtype.kind == "c":
        flat = flat.view(flat.real.dtype)
    flat = flat.astype(numpy.float64)
    ends = numpy.isfinite(flat)
    marks = numpy.where(ends, 0.0, numpy.where(numpy.isnan(flat), numpy.nan, flat))
    weights = 1 + numpy.arange(flat.size) * GOLDEN % 1
    with numpy.errstate(all="ignore"):
        blocks = numpy.add.reduceat(numpy.where(ends, flat, 0.0) * weights, numpy.arange(0, flat.size, BLOCK))
    return f" marks {digest(marks.tobytes())} about {blocks.tolist()!r}"


def _base(shown: Shows, value: Any, numpy: Any) -> str:
    """Argument of which an array is a view: writing into one then changes the other."""
    for other in shown.kept:
        if type(other) is numpy.ndarray and other is not value and numpy.may_share_memory(other, value):
            return f" in the memory of {shown.seen.get(id(other), 'another')}"
    return ""


def _series(shown: Shows, value: Any, depth: int) -> str:
    """The data type and the values of a column."""
    kind = value.dtype
    if type(kind).__module__.startswith("numpy"):
        return _ndarray(shown, value.to_numpy(), depth, modules["numpy"])
    more = ""
    if hasattr(kind, "categories"):
        more = f" of {_labels(shown, kind.categories, depth - 1)} ordered {kind.ordered!r}"
    return f"{kind!s}{more} {shown.show(list(value), depth - 1)}"


def _labels(shown: Shows, index: Any, depth: int) -> str:
    """An index: its kind, names, data type and labels."""
    kind = type(index).__name__
    names = shown.show(list(index.names), depth - 1)
    if kind == "MultiIndex":
        levels = [_labels(shown, index.get_level_values(at), depth - 1) for at in range(index.nlevels)]
        return f"MultiIndex({names}, {', '.join(levels)})"
    freq = f", freq {index.freq!s}" if getattr(index, "freq", None) is not None else ""
    kind = "Index" if kind == "RangeIndex" else kind
    return f"{kind}({names}, {_series(shown, index, depth)}{freq})"


def _notes(shown: Shows, value: Any, depth: int) -> str:
    return ", attrs " + shown.show(value.attrs, depth - 1) if value.attrs else ""
