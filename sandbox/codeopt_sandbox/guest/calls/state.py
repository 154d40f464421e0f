"""State that calls can leave behind: globals of the original, random numbers, the environment."""

from __future__ import annotations

import os
import sys
import types

from .neighbours import counters, is_data, neighbours
from .outcome import UNCHANGED, State
from .process_state import process_state
from .repr.canonical import CanonicalRepr
from .repr.plain import NAMED, cut, digest, find
from .repr.private import COUNTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .function_ref import FunctionRef

    Seen = dict[str, tuple[str, int]]
    """State by name: the text of a value, and the id of its code, if it has one."""

modules = sys.modules
LARGE = 2000
"""Items of a value that is shown whole."""
COUNTER = "counter "
"""Beginning of the names of what another module keeps for itself."""
LATE = ("global ", COUNTER, "the decimal context", "numpy")
"""Beginnings of names that a call may add by loading a module."""


def random_state() -> Any:
    """State of the shared random numbers; None where nothing has imported them."""
    return modules["random"].getstate() if "random" in modules else None


def state_of(ref: FunctionRef, module: types.ModuleType) -> Seen:
    """State now."""
    found: Seen = {}
    for name in ref.globals:
        value = vars(module).get(name)
        if not isinstance(value, (*NAMED, types.ModuleType)):
            found["global " + name] = shown(ref, value), 0
    for name in ref.attributes:
        owner, _, last = name.rpartition(".")
        value = getattr(find(module.__name__, owner), last, "nothing")
        found["attribute " + name] = shown(ref, value), 0
    for name in ref.classes:
        for key, value in sorted(vars(vars(module).get(name, object)).items()):
            if is_data(value) and not key.startswith("__"):
                found[f"class attribute {name}.{key}"] = shown(ref, value), 0
            elif type(value) in (types.FunctionType, property, classmethod, staticmethod):
                found[f"class attribute {name}.{key}"] = "another " + type(value).__name__, id(value)
    for name, value in neighbours(ref):
        found["global " + name] = shown(ref, value), 0
    for name, value in counters(ref):
        found[COUNTER + name] = shown(ref, value), 0
    found.update({name: (text, 0) for name, text in process_state(ref.paths).items()})
    found["the environment"] = digest(repr(sorted(os.environ.items())).encode("utf-8", "replace")), 0
    return found


def shown(ref: FunctionRef, value: Any) -> str:
    """A value's text; of a large one a digest."""
    size = len(value) if type(value) in (list, dict, set, tuple, str) else 0
    if size <= LARGE:
        return cut(CanonicalRepr(ref.module).show_small(value))
    return f"{size} items, {quick_digest(value)}"


def quick_digest(value: Any) -> str:
    """Digest of a large value, which is looked at before and after all calls: 40 times as fast as its text. Pickle
    writes the same of the same objects; a value that it cannot write has no digest."""
    import _pickle

    try:
        return digest(_pickle.dumps(value, 4))
    except Exception:
        return ""


def what_changed(before: Seen, after: Seen, *, random_changed: bool, later: Sequence[str] = ()) -> State:
    """Changes in words. later: changes that calls have made to earlier ones."""
    known = [name for name in after if name in before or not name.startswith(LATE)]
    new = [name for name in known if after[name] != before.get(name)]
    changed = [f"{name} becomes {after[name][0]}" for name in new if not name.startswith(COUNTER)]
    changed += ["the state of random changes"] * random_changed
    changed += later
    counted = [f"{name[len(COUNTER) :]} becomes {after[name][0]}" for name in new if name.startswith(COUNTER)]
    text = "state: " + cut("; ".join(changed)) if changed else UNCHANGED
    return State(text + (COUNTED + cut("; ".join(counted)) if counted else ""), bool(changed))
