"""Records what the names of a project's modules represent after an import, so that two versions can be compared.

The code of a function counts, not its text: with its wrappers, defaults and cells, and under each name that it is bound
to. Of a class each member counts. A record is a list of features without addresses or lines of files.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import re
import sys
from enum import Enum
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType

from ..calls.process_state import OF_IMPORTS, process_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

HOLDS = "holds "
NO_MEMBERS = frozenset({"__module__", "__doc__", "__dict__", "__weakref__", "__annotations__", "__firstlineno__",
                        "__static_attributes__", "__annotate_func__", "__annotations_cache__"})  # fmt: skip
MADE = frozenset({"__init__", "__new__", "__post_init__", "__init_subclass__", "__set_name__", "__del__"})
"""Methods that are seen by what the objects do."""
PLAIN = (int, float, complex, str, bytes, bool, type(None), type(...))


def main(root: str, modules: Sequence[tuple[str, str]], result: str) -> None:
    """Import modules, each given as its path and its name; the result is a JSON file."""
    before = process_settings(OF_IMPORTS)
    sys.path[0] = root
    failed = []
    for path, name in modules:
        try:
            importlib.import_module(name)
        except BaseException:  # noqa: BLE001  one that does not like to be imported ends in any way it wants
            failed.append(path)
    after = process_settings(OF_IMPORTS)
    found: dict[str, dict[str, list[str]]] = {}
    for module in list(sys.modules.values()):
        file = os.path.realpath(getattr(module, "__file__", None) or "")
        if isinstance(module, ModuleType) and file.startswith(root + os.sep) and file.endswith(".py"):
            path = os.path.relpath(file, root)
            try:
                found[path] = dict(names_of(module))
            except Exception:  # an object of the project's refuses to be looked at
                failed.append(path)
    changed = {name: value for name, (value, _) in after.items() if before.get(name, ("",))[0] != value}
    with open(result, "w") as out:  # noqa: PTH123
        json.dump({"names": found, "failed": failed, "settings": changed}, out)


def names_of(module: ModuleType) -> Iterator[tuple[str, list[str]]]:
    """(qualified name, features) of what a module defines or binds."""
    for name, value in vars(module).items():
        if isinstance(value, ModuleType) or (name[:2] == "__" and name != "__getattr__"):
            continue
        if isinstance(value, type) and value.__module__ == module.__name__ and value.__qualname__ == name:
            yield from of_class(value)
        else:
            yield name, list(of_value(value, module.__name__))


def of_value(value: Any, home: str) -> Iterator[str]:
    """Features of a value that a module binds. home: the module."""
    name = getattr(value, "__qualname__", None)
    if not isinstance(name, str):
        yield f"is {digest(value)}"
        # keys or items of a container that are named one by one; longer ones are tables of data, not what others
        # register
        if isinstance(value, (dict, list, set)) and len(value) <= 200:
            held_ones = [f"{HOLDS}{held(each)}" for each in value]
            yield from sorted(held_ones) if isinstance(value, set) else held_ones
        return
    yield f"has the name {name}"
    yield f"is {digest(value)}" if value.__module__ == home else f"is {named(value)}"


def held(value: Any) -> str:
    """Text of a key or an item of a container: of code by its name, as it may be another under the same name."""
    if isinstance(value, PLAIN):
        return repr(value)[:80]
    return named(value if isinstance(getattr(value, "__qualname__", None), str) else type(value))


def of_class(value: type) -> Iterator[tuple[str, list[str]]]:
    """The class itself, then its members."""
    name = value.__qualname__
    above = value.__mro__[1:]
    features = [f"has base {named(base)}" for base in above] + [f"is of {named(type(value))}"]
    parameters = vars(value).get("__dataclass_params__")
    features += [f"has {parameters!r}"] if parameters is not None else []
    features += [f"has slots {vars(value)['__slots__']!r}"] if "__slots__" in vars(value) else []
    for member, held in vars(value).items():
        if member in NO_MEMBERS or member in ("__slots__", "__dataclass_params__"):
            continue
        if member not in MADE and any(member in vars(base) for base in above):
            features.append(f"has its own {member}")
        if isinstance(held, type) and held.__module__ == value.__module__ and held.__qualname__ == f"{name}.{member}":
            yield from of_class(held)
        else:
            yield f"{name}.{member}", ["is " + digest(held)]
    yield name, features


def named(value: Any) -> str:
    """`module.qualname` of a class or function."""
    return f"{value.__module__}.{value.__qualname__}"


def digest(value: Any) -> str:
    """Text of a plain value, or the kind and the hash of another one."""
    if isinstance(value, PLAIN) and len(repr(value)) < 80:
        return repr(value)
    text = "\n".join(parts(value))
    return f"{type(value).__name__} {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def parts(value: Any, around: frozenset[int] = frozenset()) -> Iterator[str]:
    """Texts that tell a value from others, nested. around: identities of what it lies in."""
    if isinstance(value, PLAIN):
        yield f"{type(value).__name__} {value!r}"
        return
    yield type(value).__name__
    # maximum depth of what is read of a value
    if id(value) in around or len(around) > 12:
        return
    for each in inner(value):
        if isinstance(each, str):
            yield each
        else:
            yield from parts(each[0], around | {id(value)})
    yield "end"


def inner(value: Any) -> Iterator[Any]:
    """Texts, and parts of a value, each as a tuple of one."""
    for kinds, read in READERS:
        if isinstance(value, kinds):
            yield from read(value)
            return
    if hasattr(value, "__wrapped__"):
        yield (value.__wrapped__,)
        yield repr(value.cache_parameters()) if hasattr(value, "cache_parameters") else ""


def of_function(value: FunctionType) -> Iterator[Any]:
    """Code, defaults and cells. A docstring is no behaviour."""
    yield from of_code(value.__code__, value.__doc__)
    yield from ((value.__defaults__,), (value.__kwdefaults__,))
    for cell in value.__closure__ or ():
        try:
            yield (cell.cell_contents,)
        except ValueError:
            yield "empty"


def of_code(code: CodeType, text: str | None) -> Iterator[Any]:
    """Parts of the code that runs, without lines. text: docstring, which is the first constant."""
    consts = code.co_consts
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
    yield code.co_code.hex() + getattr(code, "co_exceptiontable", b"").hex()
    yield from ((counts,), (code.co_names,), (code.co_varnames,), (code.co_freevars,), (code.co_cellvars,))
    yield ((None, *consts[1:]) if text is not None and consts[:1] == (text,) else consts,)


READERS: tuple[tuple[Any, Callable[[Any], Iterable[Any]]], ...] = (
    ((list, tuple), lambda value: [(each,) for each in value]),
    (dict, lambda value: [(part,) for pair in value.items() for part in pair]),
    ((set, frozenset), lambda value: sorted("\n".join(parts(each)) for each in value)),
    (re.Pattern, lambda value: [(value.pattern,), (value.flags,)]),
    (FunctionType, of_function),
    (CodeType, lambda value: of_code(value, None)),
    ((staticmethod, classmethod), lambda value: [(value.__func__,)]),
    (property, lambda value: [(value.fget,), (value.fset,), (value.fdel,)]),
    (partial, lambda value: [(value.func,), (value.args,), (value.keywords,)]),
    (Enum, lambda value: [value.name, (value.value,)]),
    (BuiltinFunctionType, lambda value: [named(value), (value.__self__,)]),
    (type, lambda value: [named(value)]),
)
"""Kinds of values, with what reads their parts."""
