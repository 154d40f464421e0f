"""Settings of the process that the import of a module and its calls leave changed."""

from __future__ import annotations

import gc
import sys

from ..library_code import LibraryCode
from . import captured_output
from .import_context import is_library, origin_of
from .outcome import CALLS, IMPORT, LeftSetting, ProcessChanges
from .settings import process_settings, settings_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .function_ref import FunctionRef
    from .settings import Settings

modules = sys.modules
get_objects, collect = gc.get_objects, gc.collect
NOTHING: tuple[str, Any] = ("", None)
MAX_SETTINGS = 200
"""Most settings that are reported."""
MAX_TEXT_CHARS = 200
"""Most characters of the text of a setting."""
FROZEN = "gc.freeze()"
"""Name of the setting that `gc.freeze()` changes."""
RANDOM = "the state of the generator of "
"""Beginning of the names of states of random generators."""
OURS = (vars(captured_output),)


class Leaving:
    """Detector of changed settings: records them before the import and the calls, and compares them afterwards."""

    def __init__(self, code: LibraryCode | None) -> None:
        self.code = code or LibraryCode()
        self.known = frozenset(modules)
        self.before: Settings = {}
        self.unfrozen: list[Any] = []
        """An object that the collector looks at until `gc.freeze()` is called."""
        self.random: dict[str, Any] = {}
        """State of each shared random generator, by module, when the module was loaded or before that."""
        self.by_import: list[LeftSetting] = []
        self.patched_by_import: dict[str, str] = {}

    def start_import(self) -> None:
        """Record the state just before the module is imported; all paths are set."""
        self.code.keep_new()
        self.look()

    def look(self) -> None:
        """Record the current settings."""
        self.before, self.unfrozen = process_settings(), []
        self.random = {name: state_of_random(name) for name in GENERATORS if name in modules}

    def loaded(self, name: str, module: Any) -> None:
        """Record the state of a library that has just been loaded."""
        self.code.keep(name, module)
        for each, setting in settings_of(name, module).items():
            self.before.setdefault(each, setting)
        if name in GENERATORS:
            self.random[name] = state_of_random(name)

    def end_import(self) -> None:
        """Find the changes just after the module was imported, before the harness does anything more."""
        self.by_import = self.changed(IMPORT)

    def find_patched(self) -> None:
        """Find what the import has patched. Called in a worker that checks calls, whose process is a copy of the one
        that imported, and before it listens to audit events."""
        self.patched_by_import = dict(self.code.patched())
        self.by_import += [LeftSetting(name, "its own", now, IMPORT) for name, now in self.patched_by_import.items()]

    def end_calls(self, inside: bool = True) -> list[LeftSetting]:
        """Changes by calls since the last `look`. inside: look into functions also, as one may have been given another
        code."""
        found = self.changed(CALLS)
        if found:  # what nobody holds any more closes its files, and ends its threads
            collect()
            found = self.changed(CALLS)
        patched = dict(self.code.patched(OURS, inside))
        new = [name for name in patched if self.patched_by_import.get(name) != patched[name]]
        return found + [LeftSetting(name, "its own", patched[name], CALLS) for name in new]

    def changed(self, when: str) -> list[LeftSetting]:
        """Settings that differ from the recorded ones."""
        now = process_settings()
        found = [LeftSetting(name, *texts, when) for name, texts in differences(self.before, now).items()]
        if id(self.unfrozen) not in map(id, get_objects()):  # which leaves out frozen ones
            found.append(LeftSetting(FROZEN, "not called", "called", when))
        for name, was in self.random.items():
            if name in modules and state_of_random(name) != was:
                found.append(LeftSetting(RANDOM + name, "as it was", "seeded, or drawn from", when))
        return found

    def left(self, ref: FunctionRef, by_calls: list[LeftSetting], named: bool = False) -> ProcessChanges:
        """All changes, with the libraries that may have made them. named: also those of which nothing is changed."""
        settings = (self.by_import + by_calls)[:MAX_SETTINGS]
        new = [name for name in modules if name not in self.known] if settings or named else []
        return ProcessChanges(
            tuple(settings), tuple([name for name in new if is_library(name, origin_of(modules[name]), ref)])
        )


def differences(before: Settings, after: Settings) -> dict[str, tuple[str, str]]:
    """Texts before and after of each setting that differs, by name."""
    found: dict[str, tuple[str, str]] = {}
    for name in [*before, *[name for name in after if name not in before]]:
        (was, was_object), (now, now_object) = before.get(name, NOTHING), after.get(name, NOTHING)
        if was != now:
            found[name] = was[:MAX_TEXT_CHARS], now[:MAX_TEXT_CHARS]
        elif was_object is not now_object:
            found[name] = was[:MAX_TEXT_CHARS], f"another {now}"[:MAX_TEXT_CHARS]
    return found


def state_of_random(name: str) -> Any:
    """State of the generator that a module shares with all others; None if it has not any."""
    try:
        return GENERATORS[name](modules[name])
    except (AttributeError, TypeError, LookupError):
        return None


def numpy_state(module: Any) -> Any:
    """State of NumPy's shared generator, comparable by ==."""
    kind, key, *rest = module.get_state()
    return kind, key.tobytes(), rest


GENERATORS: Mapping[str, Any] = {"random": lambda module: module.getstate(), "numpy.random": numpy_state}
