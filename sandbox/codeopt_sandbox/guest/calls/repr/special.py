"""Trees of values that pickle shows in another way than callers see them: arrays, data frames, locks, weak
references, views."""

from __future__ import annotations

import _thread
import _weakref
import sys
import types

from .structure import is_simple, modules

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from .structure import Encodes


def array_tree(encoder: Encodes, value: Any, depth: int) -> Any:
    """The tree of a value of numpy or pandas; None for anything else."""
    kind: Any = type(value)
    numpy, pandas = modules.get("numpy"), modules.get("pandas")
    if numpy is not None and kind is getattr(numpy, "ndarray", None):
        flags = value.flags.writeable, _owner(encoder, value, numpy)
        return "ndarray", _ndarray(encoder, value, depth, numpy), *flags
    scalar: Any = getattr(numpy, "generic", ())
    if isinstance(value, scalar) and not value.dtype.hasobject:
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


# Locks, events, weak references, views: values that pickle refuses although they can be made again, or shown.
#
# A lock that nobody holds equals a new one, and so does a condition that nobody waits for. One that is held is
# somebody's: it has a tree, so that a draft which forgets to give it back is found out, but it is not written down.

LOCK, RLOCK, LOCAL, REF = _thread.LockType, _thread.RLock, _thread._local, _weakref.ref
PROXY = types.MappingProxyType


class Unwritable(TypeError):
    """A value that cannot be rebuilt; the message is its description."""


def is_held(lock: Any) -> bool:
    """Whether a lock is taken, by this thread or another; a reentrant one does not report it before Python 3.14."""
    if type(lock) is LOCK:
        return bool(lock.locked())
    if lock._is_owned() or not lock.acquire(False):
        return True
    lock.release()
    return False


def is_held_lock(value: Any) -> bool:
    kind = type(value)
    return (kind is LOCK or kind is RLOCK) and is_held(value)


def is_named(kind: type, module: str, name: str) -> bool:
    """Whether a type is the one that this name leads to."""
    return kind.__name__ == name and kind is getattr(sys.modules.get(module), name, None)


def handle_tree(encoder: Encodes, value: Any, depth: int) -> Any:
    """The tree of such a value; None for anything else."""
    kind = type(value)
    if kind is LOCK or kind is RLOCK:
        return "handle", kind.__name__, "held" if is_held(value) else "free"
    if kind is LOCAL:
        return "handle", "thread-local", encoder.tree(vars(value), depth - 1)
    if kind is REF:
        return "handle", "weak reference to", encoder.tree(value(), depth - 1)
    if kind is PROXY:
        return "handle", "mappingproxy", encoder.tree(dict(value), depth - 1)
    if kind is memoryview:
        return memory_tree(encoder, value, depth)
    if is_named(kind, "re", "Pattern"):
        return "value", f"re.compile({value.pattern!r}, {value.flags})"
    if is_named(kind, "threading", "Condition"):
        return "handle", "Condition", encoder.tree(value._lock, depth - 1), len(value._waiters)
    if is_named(kind, "_queue", "SimpleQueue"):
        items = [value.get_nowait() for _ in range(value.qsize())]
        for item in items:
            value.put(item)
        return "handle", "SimpleQueue", encoder.tree(items, depth - 1)
    return None


def memory_tree(encoder: Encodes, value: Any, depth: int) -> Any:
    """A view's bytes, and whose they are where somebody may change them."""
    try:
        owner = None if type(value.obj) is bytes else encoder.tree(value.obj, depth - 1)
        return "memoryview", value.format, value.shape, value.readonly, value.tobytes(), owner
    except ValueError:
        return ("memoryview",)


def remake(value: Any) -> Any:
    """Recipe for an equal value, in the form of `__reduce__`; NotImplemented where pickle knows one."""
    kind: Any = type(value)
    if kind is LOCK or kind is RLOCK or is_named(kind, "threading", "Condition"):
        return remake_lock(kind, value)
    if value is REF or value is PROXY:  # their own names lead nowhere
        return getattr, ((_weakref, "ref") if value is REF else (types, "MappingProxyType"))
    if kind is types.ModuleType and is_imported(value):
        import importlib

        return importlib.import_module, (value.__name__,)
    if kind is LOCAL:
        return LOCAL, (), vars(value) or None
    if kind is REF:  # of a set that nothing else holds nothing is left
        return REF, (set() if value() is None else value(),)
    if kind is PROXY:
        return PROXY, (dict(value),)
    if kind is memoryview:
        return remake_memory(value)
    return (kind, ()) if is_named(kind, "_queue", "SimpleQueue") and not value.qsize() else NotImplemented


def is_imported(module: types.ModuleType) -> bool:
    """Whether its name leads to it."""
    return sys.modules.get(module.__name__) is module


def remake_lock(kind: type, value: Any) -> Any:
    """A new one for one that nobody holds, or waits for. Raises Unwritable."""
    if kind is LOCK or kind is RLOCK:
        if is_held(value):
            raise Unwritable("a lock that is held")
        return (_thread.allocate_lock if kind is LOCK else RLOCK), ()
    if len(value._waiters):
        raise Unwritable("a condition that somebody waits for")
    return kind, (value._lock,)


def remake_memory(value: Any) -> Any:
    """A view of a whole text of bytes, or of a copy where nobody can write into it."""
    if value.format != "B" or value.ndim != 1:
        return NotImplemented
    if type(value.obj) in (bytes, bytearray) and len(value.obj) == value.nbytes and value.contiguous:
        return memoryview, (value.obj,)
    return (memoryview, (value.tobytes(),)) if value.readonly else NotImplemented


def pickled(value: Any) -> bytes:
    """A pickle, with locks and the like made again when it is read."""
    import io
    import pickle

    class Writer(pickle.Pickler):
        def reducer_override(self, value: Any) -> Any:
            return remake(value)

    buffer = io.BytesIO()
    Writer(buffer, 2).dump(value)
    return buffer.getvalue()
