"""State that calls can leave behind: globals of the original, random numbers, the environment, and data of the
project's other modules: names that others read, and private counters."""

from __future__ import annotations

import os
import sys
import types

from ..answer import NOTHING, Field
from ..request import OwnCode
from .outcome import State, text_field
from .process_state import settings_of_calls
from .repr.shown import shown_text
from .repr.structure import NAMED, all_by_repr, digest, find, held_dict, is_container, is_librarys, is_simple, vars_of
from .repr.tree import Encoder, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from ..request import FunctionRef

    Seen = dict[str, tuple[str, str, int]]
    """State by name: digest and text of a value, and the id of its code, if it has one."""

modules = sys.modules
LARGE = 2000
"""Items of a value that is encoded."""
SHOWN = 1000
"""Characters of all changes that are shown."""
MAX_ITEMS = 200
"""Most items of a container in an attribute of an object that is looked at."""
PLAIN = (int, float, str, bool, list, dict, set)
CODE = (type, types.ModuleType, types.FunctionType)
COUNTER = "counter "
"""Beginning of the names of what another module keeps for itself."""
LATE = ("global ", COUNTER, "the decimal context", "numpy")
"""Beginnings of names that a call may add by loading a module."""


def random_state() -> Any:
    """State of the shared random numbers; None where nothing has imported them."""
    return modules["random"].getstate() if "random" in modules else None


def state_of(ref: FunctionRef, module: types.ModuleType) -> Seen:
    found: Seen = {name: (*seen(ref, value), 0) for name, value in data_of(ref, module)}
    for name in ref.classes:
        for key, value in vars(vars(module).get(name, object)).items():
            if type(value) in (types.FunctionType, property, classmethod, staticmethod):
                found[f"class attribute {name}.{key}"] = "", "another " + type(value).__name__, id(value)
    found.update({name: (text, text, 0) for name, text in settings_of_calls().items()})
    variables = digest(repr(sorted(os.environ.items())).encode("utf-8", "replace"))
    found["the environment"] = variables, variables, 0
    return found


def data_of(ref: FunctionRef, module: types.ModuleType) -> Iterator[tuple[str, Any]]:
    """Name and value of what the module under test and the project's other modules keep."""
    space = vars(module)
    for name in ref.globals:
        if not isinstance(space.get(name), (*NAMED, types.ModuleType)):
            yield "global " + name, space.get(name)
    for name in ref.attributes:
        owner, _, last = name.rpartition(".")
        yield "attribute " + name, getattr(find(module.__name__, owner), last, "nothing")
    for name in ref.classes:
        for key, value in sorted(vars(space.get(name, object)).items()):
            if is_data(value) and not key.startswith("__"):
                yield f"class attribute {name}.{key}", value
    own = OwnCode(ref)
    mine = [(name, each) for name, each in modules.items() if own.has(getattr(each, "__file__", ""))]
    mine.sort(key=lambda pair: str(pair[0]))
    # most modules of a project that are looked at
    for name, other in mine[:300]:
        if name != ref.module:
            for key, value in sorted(vars(other).items()):
                yield from data_of_other(name, key, value)


def data_of_other(module: str, key: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Public data of another module, of its classes and its objects. Of its private data only whole numbers, alone or
    by name, such as counters: all the rest is its own alone."""
    if key.startswith("_"):
        if not key.startswith("__") and not is_cache(key) and is_counter(value):
            yield f"{COUNTER}{module}.{key}", value
    elif is_cache(key):
        return
    elif is_data(value):
        yield f"global {module}.{key}", value
    elif type(value) is type and vars_of(value).get("__module__") == module:
        for attribute, part in sorted(vars_of(value).items()):
            if is_public(attribute) and is_data(part):
                yield f"global {module}.{key}.{attribute}", part
    elif not is_simple(type(value)) and not issubclass(type(value), CODE) and not is_librarys(type(value), ""):
        held = (held_dict(value) or {}).items()
        yield f"global {module}.{key}", {name: part for name, part in held if is_public(name) and is_flat(part)}


def seen(ref: FunctionRef, value: Any) -> tuple[str, str]:
    """Digest and text of a value; its iterators are still needed: none is read."""
    size = len(value) if type(value) in (list, dict, set, tuple, str) else 0
    if size > LARGE:
        import _pickle

        try:  # 40 times as fast as encoding it, before and after all calls; pickle writes the same of the same objects
            return digest(_pickle.dumps(value, 4)), f"{size} items"
        except Exception:
            return str(size), f"{size} items"
    encoder = Encoder(ref.module)
    encoder.reads = False
    tree, private = encoder.tree(value), encoder.private_tree()
    return digest(written([tree, private])), shown_text(tree) + (f" {shown_text(private)}" if private else "")


def what_changed(
    before: Seen, after: Seen, *, random_changed: bool, later: Sequence[tuple[str, str, str]] = ()
) -> State:
    """Changes. later: changes that calls have made to earlier ones."""
    becomes: list[tuple[str, str, str]] = []
    counted: list[tuple[str, str, str]] = []
    for name, found in after.items():
        if found == before.get(name) or (name not in before and name.startswith(LATE)):
            continue
        own = name.startswith(COUNTER)
        shown = name[len(COUNTER) :] if own else name
        (counted if own else becomes).append((shown, found[0], f"{shown} becomes {found[1]}"))
    if random_changed:
        becomes.append(("random", "", "the state of random changes"))
    return State(changes([*becomes, *later]), changes(counted))


def changes(found: Sequence[tuple[str, str, str]]) -> Field:
    """Field of changes: name, digest and words of each."""
    words = "; ".join([words for _, _, words in found])
    return text_field(repr([each[:2] for each in found]), shown=words[:SHOWN]) if found else NOTHING


def is_public(name: str) -> bool:
    return not name.startswith("_") and not is_cache(name)


def is_cache(name: str) -> bool:
    """Whether a name says that its value is a cache."""
    return any(word in name.lower() for word in ("cache", "memo"))


def is_data(value: Any) -> bool:
    """Whether a value is plain, or a container, those of `collections` too."""
    return type(value) in PLAIN or is_container(type(value))


def is_counter(value: Any) -> bool:
    """Whether a value is a whole number, or whole numbers by name."""
    kind = type(value)
    if kind is int:
        return True
    mapping = is_container(kind) and issubclass(kind, dict)
    return mapping and all(type(k) is str and type(n) is int for k, n in dict.items(value))


def is_flat(value: Any) -> bool:
    """Whether a container holds nothing but plain values."""
    if is_simple(type(value)):
        return True
    if not is_container(type(value)) or len(value) > MAX_ITEMS or type(value) is bytearray:
        return False
    return all_by_repr(list(value)) and (not issubclass(type(value), dict) or all_by_repr(list(value.values())))
