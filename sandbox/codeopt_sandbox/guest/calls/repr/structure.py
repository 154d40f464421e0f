"""Content of an object, read by the interpreter's own access. A class under test could answer anything
(`__reduce_ex__`, `__getstate__`, `__iter__`, `__dict__`, by a metaclass), so it is not asked.

All names are bound before a module under test is imported, which can patch the modules that they come from.
"""

from __future__ import annotations

import _imp
import _thread
import _weakref
import itertools
import os
import sys
import types
from _operator import is_

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from typing import Any, Protocol

    class Encodes(Protocol):
        """Maker of the trees of a value's parts, such as Encoder."""

        kept: list[Any]
        seen: dict[int, str]
        floats: bool

        def tree(self, value: Any, depth: int = ...) -> Any:
            """The tree of any value."""


islice, count, repeat, chain = itertools.islice, itertools.count, itertools.repeat, itertools.chain
modules = sys.modules
MAX_ITEMS = 10_000
"""Most items that are read of an iterator."""
NONE = type(None)
LONG_BITS = 10_000
"""Bits of an int above which it is not shown as repr shows it."""

NAMED = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType, types.MethodDescriptorType)
BY_REPR = {
    "datetime": {"date", "datetime", "time", "timedelta", "timezone"},
    "decimal": {"Decimal"},
    "fractions": {"Fraction"},
    "uuid": {"UUID"},
    "pathlib": {"PosixPath", "PurePosixPath"},
    "builtins": {"range", "ellipsis", "NotImplementedType"},
}
"""Immutable types of the standard library whose repr says all."""
NAMELESS = (type(...), type(NotImplemented))
"""Types of NAMED values that no name leads to."""


def _own_sha256() -> Callable[[bytes], Any]:
    """The interpreter's own; `hashlib` would load OpenSSL, which takes longer than the rest of a run."""
    for name in ("_sha2", "_sha256", "hashlib"):
        try:
            return __import__(name).sha256  # type: ignore[no-any-return]
        except ImportError:
            continue
    raise ImportError("this Python has no SHA-256")


sha256 = _own_sha256()


def digest(data: bytes) -> str:
    """Stands for data that is too long to show."""
    return str(sha256(data).hexdigest())


def is_iterator(value: object) -> bool:
    """Whether it yields items once: a generator, a map, a chain."""
    kind = type(value)
    return hasattr(kind, "__next__") and hasattr(kind, "__iter__")


def number(value: int) -> str:
    """An int of any size; repr refuses more than a few thousand digits."""
    return repr(value) if value.bit_length() < LONG_BITS else hex(value)


def all_by_repr(values: Collection[Any], depth: int = 5) -> bool:
    """Whether repr says all of each: numbers and texts, of which there may be many, and no int of many digits; and rows
    of them, tuples within tuples."""
    only_ints = type(next(iter(values), None)) is int and all(map(is_, map(type, values), repeat(int)))
    if only_ints:  # the commonest, and long: a third of the time
        return max(map(int.bit_length, values)) < LONG_BITS
    rest, kinds = list(map(type, values)), []
    while rest:
        kind = rest[0]
        if not is_simple(kind) and not (kind is tuple and depth):
            return False
        kinds.append(kind)
        rest = [other for other in rest if other is not kind]
    if tuple in kinds:
        rows = values if len(kinds) == 1 else [item for item in values if type(item) is tuple]
        if not all_by_repr(list(chain.from_iterable(rows)), depth - 1):
            return False
    return int not in kinds or max([item.bit_length() for item in values if type(item) is int]) < LONG_BITS


def is_simple(kind: type) -> bool:
    """Whether repr says all of its values. By `is`: a metaclass can make a class equal to all others; and not by `id`:
    an audit hook hears of it, which takes thirty times as long."""
    return (
        kind is str or kind is int or kind is NONE or kind is float or kind is bool or kind is bytes or kind is complex
    )


def find(module: str, name: str) -> Any:
    """The object behind a module's dotted name. None if the module has no such name."""
    found: Any = modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def is_value(kind: type) -> bool:
    """Whether a type is one of those whose repr says all, and not another of its name."""
    if kind.__name__ not in BY_REPR.get(kind.__module__, ()):
        return False
    found = find(kind.__module__, kind.__name__)
    return found is kind or any(kind is other for other in NAMELESS)


mro_of = type.__dict__["__mro__"].__get__
vars_of = type.__dict__["__dict__"].__get__

flags_of, module_of = type.__dict__["__flags__"].__get__, type.__dict__["__module__"].__get__
HEAP = 1 << 9
"""Bit of `type.__flags__` that marks types made while a program runs: all classes, and some types of C."""
MADE_IN_C = (
    types.WrapperDescriptorType, types.MethodDescriptorType, types.GetSetDescriptorType, types.MemberDescriptorType,
    types.ClassMethodDescriptorType, types.BuiltinFunctionType, str, tuple, type(None),
)  # fmt: skip
stat = os.stat
STDLIB = os.path.dirname(os.__file__) + "/"  # noqa: PTH120  pathlib would count as imported by the module


def cached_names(kind: type) -> frozenset[str]:
    """Attributes in which `functools.cached_property` keeps what it computed: readers see the property all the same."""
    cached: Any = getattr(modules.get("functools"), "cached_property", None)
    if cached is None:
        return frozenset()
    found = [(name, value) for base in mro_of(kind) for name, value in vars_of(base).items()]
    return frozenset(name for name, value in found if type(value) is cached)


def is_librarys(kind: type, target: str) -> bool:
    """Whether a class is written in C, or is found under its name in an installed module or one of the standard
    library. target: name of the module under test, or empty."""
    if not flags_of(kind) & HEAP:
        return True
    try:
        module = module_of(kind)
    except AttributeError:  # somebody deleted it
        return False
    if type(module) is not str or (target and module.partition(".")[0] == target.partition(".")[0]):
        return False
    if not is_installed(module):
        return False
    if find(module, type.__dict__["__qualname__"].__get__(kind)) is kind:
        return True
    # no name leads to some types in C
    in_c = all(type(each) in MADE_IN_C for each in vars_of(kind).values())
    return in_c and all(is_librarys(base, target) for base in mro_of(kind)[1:])


def is_installed(name: str) -> bool:
    """Whether a module is the interpreter's own, or is in a file of the standard library or of an installed
    package; any code can put a module of any name, and of any origin, into sys.modules."""
    origin = getattr(getattr(modules.get(name), "__spec__", None), "origin", None)
    if type(origin) is not str or not origin.startswith("/"):
        return bool(_imp.is_builtin(name) or _imp.is_frozen(name))
    stem = origin.replace("/__init__.py", ".py").rpartition("/")[2].partition(".")[0]
    if stem != name.rpartition(".")[2] or not ("-packages/" in origin or origin.startswith(STDLIB)):
        return False
    try:
        stat(origin)
    except OSError:
        return False
    return True


def held_dict(value: Any) -> dict[str, Any] | None:
    """The `__dict__` of an object; None if it has not any."""
    for base in mro_of(type(value)):
        found = vars_of(base).get("__dict__")
        if type(found) is types.GetSetDescriptorType:
            held = found.__get__(value)
            return held if type(held) is dict else None
    return None


def held_slots(value: Any) -> dict[str, Any]:
    """Values of the slots of an object, by their names."""
    found: dict[str, Any] = {}
    for base in mro_of(type(value)):
        held = vars_of(base)
        for name in list(held) if "__slots__" in held else ():
            slot = held[name]
            if type(slot) is types.MemberDescriptorType and name not in found:
                try:
                    found[name] = slot.__get__(value)
                except AttributeError:  # nothing was put there
                    continue
    return found


def held(value: Any) -> dict[str, Any]:
    """Attributes of an object by their names, with those in slots."""
    return {**(held_dict(value) or {}), **held_slots(value)}


SIGNS = {"__eq__": "==", "__hash__": "hash", "__lt__": "<", "__add__": "+", "__sub__": "-", "__mul__": "*"}
"""Operators that are asked of objects, by the names of their methods."""


def operators_of(kind: type) -> list[str]:
    """Which of the operators objects of a class have otherwise than plain objects."""
    found = []
    for name, sign in SIGNS.items():
        owner = next((base for base in mro_of(kind) if name in vars_of(base)), object)
        if owner is not object:
            found.append(sign if vars_of(owner)[name] is not None else f"no {sign}")
    return found


def librarys_base(kind: type, target: str) -> Any:
    """First class of the method resolution order that is a library's or the interpreter's own."""
    return next((base for base in mro_of(kind) if base is object or is_librarys(base, target)), object)


def taken_apart(value: Any, base: Any) -> tuple[Any, ...]:
    """Parts of an object as `__reduce_ex__` would give them: (maker, arguments, state, items, pairs). base: library
    class that its class derives from."""
    kind: Any = type(value)
    state = held(value) or None
    if base is list:
        return kind, (), state, list(list.__iter__(value)), None
    if base is dict:
        return kind, (), state, None, list(dict.items(value))
    if base in (set, frozenset):
        return kind, (list(base.__iter__(value)),), state, None, None
    if "__getnewargs__" in vars_of(base):
        return kind, base.__getnewargs__(value), state, None, None
    if base.__reduce_ex__ is not object.__reduce_ex__:
        maker, arguments, _, items, pairs = (*base.__reduce_ex__(value, 2), None, None, None, None)[:5]
        return maker, arguments, state, items, pairs
    if base.__reduce__ is not object.__reduce__:
        maker, arguments, _, items, pairs = (*base.__reduce__(value), None, None, None, None)[:5]
        return maker, arguments, state, items, pairs
    return kind, (), state, None, None


# Parts of a value: items of containers, attributes, slots; by the builtin types' own methods, never by its own.

WHOLE = (*NAMED, types.MethodType)
"""Code, of which no part is looked at."""


def parts_of(value: Any, plain: bool = True) -> Iterator[tuple[str, Any]]:
    """Path and value of each part, e.g. `[0]` or `.name`. Code, and what is taken for its value, has no parts.

    plain: numbers and texts among the items of a sequence also, of which there may be many.
    """
    kind: Any = type(value)
    if is_simple(kind) or issubclass(kind, WHOLE):
        return
    if issubclass(kind, dict):
        for key in list(dict.keys(value)):
            named = is_simple(type(key))
            yield (f"[{key!r}]" if named else "[...]"), dict.__getitem__(value, key)
            if not named:
                yield " key", key
    else:
        yield from items(kind, value, plain)
    for name, part in held(value).items():
        yield f".{name}", part


def items(kind: type, value: Any, plain: bool) -> Iterator[tuple[str, Any]]:
    """Items of a sequence or a set; empty for anything else."""
    for base in (list, tuple, set, frozenset):
        if issubclass(kind, base):
            ordered = base is list or base is tuple
            for at, item in enumerate(base.__iter__(value)):
                if plain or not is_simple(type(item)):
                    yield (f"[{at}]" if ordered else "{...}"), item
            return
    if is_deque(kind):
        for at, item in enumerate(list(value)):
            yield f"[{at}]", item


def is_deque(kind: type) -> bool:
    """Whether it is the standard library's own."""
    return kind is getattr(modules.get("collections"), "deque", None)


def with_items(value: Any, change: Callable[[Any], Any]) -> Any:
    """A builtin container whose items are changed, in place where that is possible; any other value as it is."""
    kind = type(value)
    if kind is tuple:
        return tuple([change(item) for item in value])
    if kind is list:
        value[:] = [change(item) for item in value]
    elif is_deque(kind):
        for at, item in enumerate(list(value)):
            value[at] = change(item)
    elif kind is dict:
        value.update({key: change(item) for key, item in list(value.items())})
    return value


def is_container(kind: type) -> bool:
    """Whether anybody may put items in: a builtin container that can be changed, or one of `collections`."""
    if kind in (list, dict, set, bytearray) or is_deque(kind):
        return True
    names = ("OrderedDict", "defaultdict", "Counter")
    return any(kind is getattr(modules.get("collections"), name, None) for name in names)


# Values that pickle shows in another way than callers see them: arrays, data frames, locks, weak references, views.


def array_tree(encoder: Encodes, value: Any, depth: int) -> Any:
    """The tree of a value of numpy or pandas; None for anything else."""
    kind: Any = type(value)
    numpy, pandas = modules.get("numpy"), modules.get("pandas")
    if numpy is not None and kind is getattr(numpy, "ndarray", None):
        arrays = [other for other in encoder.kept if type(other) is kind and other is not value]
        others = [each for each in arrays if numpy.may_share_memory(each, value)]  # writing into one changes the other
        owner = encoder.seen.get(id(others[0]), "another") if others else ""
        return "ndarray", _ndarray(encoder, value, depth, numpy), value.flags.writeable, owner
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
