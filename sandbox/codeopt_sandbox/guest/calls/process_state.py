"""Process-wide state that a call may leave changed: limits, the collector, contexts, handlers, filters."""

from __future__ import annotations

import _locale
import _signal  # type: ignore[import-not-found]  # `signal` would load `enum`
import gc
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

modules, getsignal = sys.modules, _signal.getsignal
SIGNALS = range(1, 32)


def process_state(own: tuple[str, ...] = ()) -> dict[str, str]:
    """Each with a text for what it is now. Missing for settings of modules that are not loaded.

    own: folders of the project, which two versions may have at different places.
    """
    found = {
        "the recursion limit": str(sys.getrecursionlimit()),
        "the garbage collector": f"{'on' if gc.isenabled() else 'off'} {gc.get_threshold()}",
        "the locale": str(_locale.setlocale(_locale.LC_ALL)),
        "signal handlers": ", ".join([f"{n} {_handler(n)}" for n in SIGNALS if _handler(n)]),
        "the warnings' filters": ", ".join(_filters()),
        "sys.path": repr([_place(path, own) for path in sys.path]),
    }
    if "_decimal" in modules:
        found["the decimal context"] = _context(modules["_decimal"].getcontext())
    numpy: Any = modules.get("numpy")
    if hasattr(numpy, "geterr"):
        found["numpy's handling of errors"] = repr(numpy.geterr())
    return found


def _place(path: Any, own: tuple[str, ...]) -> Any:
    """A folder by its place in the project, any other as it is."""
    for at, home in enumerate(own):
        if path == home or (type(path) is str and path.startswith(home + "/")):
            return f"<project {at}>{path[len(home) :]}"
    return path


def _handler(number: int) -> str:
    """Text of a signal's handler; empty for the default."""
    handler = getsignal(number)
    if handler is None or isinstance(handler, int):
        return str(int(handler or 0)) * bool(handler)
    return str(getattr(handler, "__qualname__", "another"))


def _filters() -> list[str]:
    """Filters that are meant for all code: a module that is loaded late sets some for texts of its own."""
    filters: Any = getattr(modules.get("warnings"), "filters", ())
    return [f"{action} {category.__qualname__}" for action, text, category, module, _ in filters
            if text is None and module is None]  # fmt: skip


def _context(context: Any) -> str:
    traps = sorted([signal.__name__ for signal, on in context.traps.items() if on])
    return f"{context.prec} {context.rounding} {context.Emin} {context.Emax} {context.capitals} {context.clamp} {traps}"
