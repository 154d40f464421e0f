"""Locks, events, weak references, views: values that pickle refuses although they can be made again, or shown.

A lock that nobody holds equals a new one, and so does a condition that nobody waits for. One that is held is
somebody's: it has a tree, so that a draft which forgets to give it back is found out, but it is not written down.
"""

from __future__ import annotations

import _thread
import _weakref
import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .plain import Encodes

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
