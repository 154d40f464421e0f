"""Content of an object, read by the interpreter's own access. A class under test could answer anything
(`__reduce_ex__`, `__getstate__`, `__iter__`, `__dict__`, by a metaclass), so it is not asked.

All names are bound before a module under test is imported, which can patch the modules that they come from.
"""

from __future__ import annotations

import _imp
import os
import types

from .plain import find, modules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

mro_of = type.__dict__["__mro__"].__get__
qualname_of = type.__dict__["__qualname__"].__get__
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
    return is_installed(module) and (find(module, qualname_of(kind)) is kind or is_made_in_c(kind, target))


def is_made_in_c(kind: type, target: str) -> bool:
    """Whether a class and its bases are written in C alone."""
    own = all(type(each) in MADE_IN_C for each in vars_of(kind).values())
    return own and all(is_librarys(base, target) for base in mro_of(kind)[1:])


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


def operators_of(kind: type) -> list[str]:
    """Which of ==, hash and < objects of a class have otherwise than plain objects."""
    found = []
    for name, sign in (("__eq__", "=="), ("__hash__", "hash"), ("__lt__", "<")):
        owner = next(base for base in mro_of(kind) if name in vars_of(base))
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
    state = {**(held_dict(value) or {}), **held_slots(value)} or None
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
