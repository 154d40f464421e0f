"""Arrays and data frames as trees, if their packages are loaded.

Data types, order and the kind of index count; NaN is NaN with any bits; a range of labels is the labels.
"""

from __future__ import annotations

from .plain import is_simple, modules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .plain import Encodes


def array_tree(encoder: Encodes, value: Any, depth: int) -> Any:
    """The tree of a value of numpy or pandas; None for anything else."""
    kind: Any = type(value)
    numpy, pandas = modules.get("numpy"), modules.get("pandas")
    if numpy is not None and kind is getattr(numpy, "ndarray", None):
        flags = value.flags.writeable, _owner(encoder, value, numpy)
        return "ndarray", _ndarray(encoder, value, depth, numpy), *flags
    if numpy is not None and _is(value, numpy, "generic") and not value.dtype.hasobject:
        item = value.item()
        encoder.floats = encoder.floats or value.dtype.kind in "fc"
        return "scalar", value.dtype.str, item if is_simple(type(item)) else repr(item)
    if pandas is None or not _is_labelled(kind, pandas):
        return None
    if kind is pandas.DataFrame:
        columns = [_series(encoder, value.iloc[:, at], depth - 1) for at in range(value.shape[1])]
        head = _labels(encoder, value.columns, depth), _labels(encoder, value.index, depth)
        return "DataFrame", *head, columns, _attrs(encoder, value, depth)
    if kind is pandas.Series:
        head = encoder.tree(value.name, depth - 1), _labels(encoder, value.index, depth)
        return "Series", *head, _series(encoder, value, depth), _attrs(encoder, value, depth)
    return _labels(encoder, value, depth)


def is_labelled(value: Any) -> bool:
    """A frame, a series or an index of pandas: its tree has all that it shows."""
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


def _ndarray(encoder: Encodes, value: Any, depth: int, numpy: Any) -> Any:
    """Data type, shape and all items, as bytes where they are no objects."""
    kind = value.dtype
    head = kind.str if kind.names is None else str(kind), value.shape
    if kind.hasobject:
        return "objects", *head, encoder.tree(value.tolist(), depth - 1)
    if kind.kind == "f":
        value = numpy.where(numpy.isnan(value), kind.type("nan"), value)
    encoder.floats = encoder.floats or kind.kind in "fc"
    return "array", *head, value.tobytes()


def _owner(encoder: Encodes, value: Any, numpy: Any) -> str:
    """Argument of which an array is a view: writing into one then changes the other."""
    for other in encoder.kept:
        if type(other) is numpy.ndarray and other is not value and numpy.may_share_memory(other, value):
            return encoder.seen.get(id(other), "another")
    return ""


def _series(encoder: Encodes, value: Any, depth: int) -> Any:
    """The data type and the values of a column."""
    kind = value.dtype
    if type(kind).__module__.startswith("numpy"):
        return _ndarray(encoder, value.to_numpy(), depth, modules["numpy"])
    more: Any = None
    if hasattr(kind, "categories"):
        more = _labels(encoder, kind.categories, depth - 1), bool(kind.ordered)
    return "column", str(kind), more, encoder.tree(list(value), depth - 1)


def _labels(encoder: Encodes, index: Any, depth: int) -> Any:
    """An index: its kind, names, data type and labels."""
    kind = type(index).__name__
    names = encoder.tree(list(index.names), depth - 1)
    if kind == "MultiIndex":
        levels = [_labels(encoder, index.get_level_values(at), depth - 1) for at in range(index.nlevels)]
        return "MultiIndex", names, levels
    freq = str(index.freq) if getattr(index, "freq", None) is not None else ""
    return "Index", "Index" if kind == "RangeIndex" else kind, names, _series(encoder, index, depth), freq


def _attrs(encoder: Encodes, value: Any, depth: int) -> Any:
    return encoder.tree(value.attrs, depth - 1) if value.attrs else None
