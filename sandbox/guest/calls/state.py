"""What calls can leave behind: the original's global data, the random numbers' state, the environment."""

from __future__ import annotations

import os
import sys
import types

from .outcome import State
from .repr.canonical import CanonicalRepr
from .repr.plain import NAMED, cut, digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .function_ref import FunctionRef

    Seen = dict[str, tuple[str, int]]
    """By name: the text of what is there, and for code its id."""

modules = sys.modules


def random_state() -> Any:
    """Of the random numbers that a module shares with all others; None where nothing has imported them."""
    return modules["random"].getstate() if "random" in modules else None


def state_of(ref: FunctionRef, module: types.ModuleType) -> Seen:
    """What is there now."""
    found: Seen = {}
    for name in ref.globals:
        value = vars(module).get(name)
        if not isinstance(value, (*NAMED, types.ModuleType)):
            found["global " + name] = cut(CanonicalRepr(ref.module).show_small(value)), 0
    for name in ref.classes:
        for key, value in sorted(vars(vars(module).get(name, object)).items()):
            if type(value) in (int, float, str, bool, list, dict, set) and not key.startswith("__"):
                found[f"class attribute {name}.{key}"] = cut(CanonicalRepr(ref.module).show_small(value)), 0
            elif type(value) in (types.FunctionType, property, classmethod, staticmethod):
                found[f"class attribute {name}.{key}"] = "another " + type(value).__name__, id(value)
    found["the environment"] = digest(repr(sorted(os.environ.items())).encode("utf-8", "replace")), 0
    return found


def what_changed(before: Seen, after: Seen, *, random_changed: bool) -> State:
    """In words."""
    changed = [f"{name} becomes {after[name][0]}" for name in after if after[name] != before.get(name)]
    changed += ["the state of random changes"] * random_changed
    return State("state: " + (cut("; ".join(changed)) if changed else "unchanged"), bool(changed))
