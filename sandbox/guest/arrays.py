"""Arrays and data frames as text, where their packages are loaded. Part of the harness program (caller.py).

Data types, order and the kind of index count; NaN is NaN whatever its bits; a range of labels is the labels.
"""


def show_array(shower, value, depth):
    """The text of a value of numpy or pandas; empty for anything else."""
    kind = type(value)
    numpy, pandas = modules.get("numpy"), modules.get("pandas")
    if numpy is not None and kind is getattr(numpy, "ndarray", None):
        return _ndarray(shower, value, depth, numpy) + _base(shower, value, numpy)
    if numpy is not None and isinstance(value, getattr(numpy, "generic", ())) and not value.dtype.hasobject:
        return f"numpy {value.dtype.str} {value.item()!r}"
    if pandas is None:
        return ""
    if kind is getattr(pandas, "DataFrame", None):
        columns = [_series(shower, value.iloc[:, at], depth - 1) for at in range(value.shape[1])]
        head = f"columns {_labels(shower, value.columns, depth)}, index {_labels(shower, value.index, depth)}"
        return f"DataFrame({head}, {', '.join(columns)}{_notes(shower, value, depth)})"
    if kind is getattr(pandas, "Series", None):
        head = f"name {shower.show(value.name, depth - 1)}, index {_labels(shower, value.index, depth)}"
        return f"Series({head}, {_series(shower, value, depth)}{_notes(shower, value, depth)})"
    if kind.__module__.startswith("pandas.") and isinstance(value, getattr(pandas, "Index", ())):
        return _labels(shower, value, depth)
    return ""


def _ndarray(shower, value, depth, numpy):
    name = value.dtype.str if value.dtype.names is None else str(value.dtype)
    head = f"array({name!r}, {value.shape!r}, "
    if value.dtype.hasobject:
        return head + shower.show(value.tolist(), depth - 1) + ")"
    if value.size <= 5000 and value.dtype.kind in "biufcSU":
        return head + repr(value.tolist()) + ")"
    if value.dtype.kind == "f":
        value = numpy.where(numpy.isnan(value), numpy.nan, value)
    return head + "sha256 " + sha256(value.tobytes()).hexdigest() + ")"


def _base(shower, value, numpy):
    """Of which argument an array is a view: writing into one then changes the other."""
    for other in shower.kept:
        if type(other) is numpy.ndarray and other is not value and numpy.may_share_memory(other, value):
            return f" in the memory of {shower.seen.get(id(other), 'another')}"
    return ""


def _series(shower, value, depth):
    """The data type and the values of a column."""
    kind = value.dtype
    if type(kind).__module__.startswith("numpy"):
        return _ndarray(shower, value.to_numpy(), depth, modules["numpy"])
    more = ""
    if hasattr(kind, "categories"):
        more = f" of {_labels(shower, kind.categories, depth - 1)} ordered {kind.ordered!r}"
    return f"{kind!s}{more} {shower.show(list(value), depth - 1)}"


def _labels(shower, index, depth):
    """An index: its kind, names, data type and labels."""
    kind = type(index).__name__
    names = shower.show(list(index.names), depth - 1)
    if kind == "MultiIndex":
        levels = [_labels(shower, index.get_level_values(at), depth - 1) for at in range(index.nlevels)]
        return f"MultiIndex({names}, {', '.join(levels)})"
    freq = f", freq {index.freq!s}" if getattr(index, "freq", None) is not None else ""
    kind = "Index" if kind == "RangeIndex" else kind
    return f"{kind}({names}, {_series(shower, index, depth)}{freq})"


def _notes(shower, value, depth):
    return ", attrs " + shower.show(value.attrs, depth - 1) if value.attrs else ""
