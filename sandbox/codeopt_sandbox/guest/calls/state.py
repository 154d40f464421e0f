"""State that calls can leave behind: globals of the original, random numbers, the environment."""

from __future__ import annotations

import os
import sys
import types

from ..answer import NOTHING, Field
from .neighbours import counters, is_data, neighbours, others
from .outcome import State
from .process_state import process_state
from .repr.fields import text_field
from .repr.plain import NAMED, digest, find
from .repr.shown import shown_text
from .repr.tree import Encoder, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .function_ref import FunctionRef

    Seen = dict[str, tuple[str, str, int]]
    """State by name: digest and text of a value, and the id of its code, if it has one."""

modules = sys.modules
LARGE = 2000
"""Items of a value that is encoded."""
SHOWN = 1000
"""Characters of all changes that are shown."""
COUNTER = "counter "
"""Beginning of the names of what another module keeps for itself."""
LATE = ("global ", COUNTER, "the decimal context", "numpy")
"""Beginnings of names that a call may add by loading a module."""


def random_state() -> Any:
    """State of the shared random numbers; None where nothing has imported them."""
    return modules["random"].getstate() if "random" in modules else None


def state_of(ref: FunctionRef, module: types.ModuleType) -> Seen:
    found: Seen = {}
    for name in ref.globals:
        value = vars(module).get(name)
        if not isinstance(value, (*NAMED, types.ModuleType)):
            found["global " + name] = (*seen(ref, value), 0)
    for name in ref.attributes:
        owner, _, last = name.rpartition(".")
        value = getattr(find(module.__name__, owner), last, "nothing")
        found["attribute " + name] = (*seen(ref, value), 0)
    for name in ref.classes:
        for key, value in sorted(vars(vars(module).get(name, object)).items()):
            if is_data(value) and not key.startswith("__"):
                found[f"class attribute {name}.{key}"] = (*seen(ref, value), 0)
            elif type(value) in (types.FunctionType, property, classmethod, staticmethod):
                found[f"class attribute {name}.{key}"] = "", "another " + type(value).__name__, id(value)
    mine = others(ref)
    for name, value in neighbours(mine):
        found["global " + name] = (*seen(ref, value), 0)
    for name, value in counters(mine):
        found[COUNTER + name] = (*seen(ref, value), 0)
    found.update({name: (text, text, 0) for name, text in process_state(ref.paths).items()})
    variables = digest(repr(sorted(os.environ.items())).encode("utf-8", "replace"))
    found["the environment"] = variables, variables, 0
    return found


def seen(ref: FunctionRef, value: Any) -> tuple[str, str]:
    """Digest and text of a value; its iterators are still needed: none is read."""
    size = len(value) if type(value) in (list, dict, set, tuple, str) else 0
    if size > LARGE:
        return quick_digest(value), f"{size} items"
    encoder = Encoder(ref.module)
    encoder.reads = False
    tree, private = encoder.tree(value), encoder.private_tree()
    return digest(written([tree, private])), shown_text(tree) + (f" {shown_text(private)}" if private else "")


def quick_digest(value: Any) -> str:
    """Digest of a large value, which is looked at before and after all calls: 40 times as fast as encoding it. Pickle
    writes the same of the same objects; a value that it cannot write has no digest."""
    import _pickle

    try:
        return digest(_pickle.dumps(value, 4))
    except Exception:
        return str(len(value))


def what_changed(
    before: Seen, after: Seen, *, random_changed: bool, later: Sequence[tuple[str, str, str]] = ()
) -> State:
    """Changes. later: changes that calls have made to earlier ones."""
    known = [name for name in after if name in before or not name.startswith(LATE)]
    new = [name for name in known if tuple(after[name]) != tuple(before.get(name, ()))]
    global_ones = [name for name in new if not name.startswith(COUNTER)]
    becomes = [(name, after[name][0], f"{name} becomes {after[name][1]}") for name in global_ones]
    becomes += [("random", "", "the state of random changes")] * random_changed
    becomes += later
    plain = [(name[len(COUNTER) :], after[name]) for name in new if name.startswith(COUNTER)]
    counted = [(name, found[0], f"{name} becomes {found[1]}") for name, found in plain]
    return State(changes(becomes), changes(counted))


def changes(found: Sequence[tuple[str, str, str]]) -> Field:
    """Field of changes: name, digest and words of each."""
    words = "; ".join([words for _, _, words in found])
    return text_field(repr([each[:2] for each in found]), shown=words[:SHOWN]) if found else NOTHING
