"""Settings that loaded modules of the standard library, NumPy and pandas keep for the whole process."""

from __future__ import annotations

import sys

from .outcome import AT_EXIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Settings = dict[str, tuple[str, Any]]
    """Settings by name: a text, and an object that must stay the same one; None where the text is enough."""

LOG_LEVEL = 30
"""Level of the root logger by default."""
ALL_LEVELS = 1
"""Level of the root logger that the harness sets in its place (captured_output.py)."""
BROKEN = (AttributeError, TypeError, ValueError, LookupError)
"""Exceptions raised on asking a module that only has a library's name."""


def library_settings(modules: Mapping[str, Any]) -> Settings:
    found: Settings = {}
    for name in READERS:
        if modules.get(name) is not None:
            found.update(settings_of(name, modules[name]))
    return found


def settings_of(name: str, module: Any) -> Settings:
    """Settings of one module; empty for a module that keeps none."""
    try:
        values = READERS[name](module) if name in READERS else {}
    except BROKEN:
        return {}
    return {key: (repr(value), None) for key, value in values.items()}


def decimal(module: Any) -> dict[str, Any]:
    """Contexts of decimal: the current one and those that new ones are made from."""
    found = {"the decimal context": context(module.getcontext())}
    for name in ("DefaultContext", "BasicContext", "ExtendedContext"):
        found["decimal." + name] = context(getattr(module, name))
    return found


def context(now: Any) -> str:
    """Text of a context, `prec=28 ROUND_HALF_EVEN Emin=-999999 ...`, without the flags that calculations raise."""
    traps = " ".join(sorted([signal.__name__ for signal, on in now.traps.items() if on]))
    limits = f"Emin={now.Emin} Emax={now.Emax} capitals={now.capitals} clamp={now.clamp}"
    return f"prec={now.prec} {now.rounding} {limits} traps: {traps}"


def logging(module: Any) -> dict[str, Any]:
    """Settings of the root logger and of all logging."""
    level = module.root.level
    return {
        "the level of the root logger": LOG_LEVEL if level == ALL_LEVELS else level,
        "handlers of the root logger": names(module.root.handlers),
        "filters of the root logger": names(module.root.filters),
        "logging.disable()": module.root.manager.disable,
        "logging.raiseExceptions": module.raiseExceptions,
        "logging.setLoggerClass()": module._loggerClass.__qualname__,
        "logging.setLogRecordFactory()": module._logRecordFactory.__qualname__,
    }


def names(values: Any) -> list[str]:
    return [type(value).__qualname__ for value in values]


def asyncio_policy(module: Any) -> dict[str, Any]:
    """Event loop policy; the one that asyncio makes on first use counts as none."""
    policy = type(module._event_loop_policy)
    own = module._event_loop_policy is None or policy.__module__.startswith("asyncio.")
    return {"the event loop policy": None if own else policy.__qualname__}


def atexit(module: Any) -> dict[str, Any]:
    """Number of functions; that of `weakref`, which registers itself when it is first used, is not counted."""
    finalize = vars(sys.modules["weakref"]).get("finalize") if "weakref" in sys.modules else None
    itself = finalize is not None and finalize._registered_with_atexit
    return {AT_EXIT: module._ncallbacks() - bool(itself)}


def threading(module: Any) -> dict[str, Any]:
    """Hooks of threads that are started later."""
    hooks = {"threading.settrace()": module._trace_hook, "threading.setprofile()": module._profile_hook}
    return {name: None if hook is None else "set" for name, hook in hooks.items()}


def numpy(module: Any) -> dict[str, Any]:
    """Error handling and print options of NumPy."""
    return {
        "numpy.geterr()": module.geterr(),
        "numpy.geterrcall()": None if module.geterrcall() is None else "set",
        "numpy.getbufsize()": module.getbufsize(),
        "numpy.get_printoptions()": module.get_printoptions(),
    }


def pandas(module: Any) -> dict[str, Any]:
    """Options of pandas by their full names."""
    found: dict[str, Any] = {}

    def add(options: Any, path: str) -> None:
        for name, value in options.items():
            if type(value) is dict:
                add(value, f"{path}{name}.")
            else:
                found[f"the pandas option {path}{name}"] = value if not callable(value) else "set"

    add(module._global_config, "")
    return found


def mimetypes(module: Any) -> dict[str, Any]:
    """Number of known types, once they are read."""
    return {"mimetypes.add_type()": len(module.types_map)} if module.inited else {}


READERS = {
    "_decimal": decimal,
    "_pydecimal": decimal,
    "logging": logging,
    "threading": threading,
    "atexit": atexit,
    "asyncio.events": asyncio_policy,
    "multiprocessing.context": lambda m: {
        "multiprocessing.set_start_method()": m._default_context.get_start_method(allow_none=True)
    },
    "_socket": lambda m: {"socket.setdefaulttimeout()": m.getdefaulttimeout()},
    "faulthandler": lambda m: {"faulthandler.is_enabled()": m.is_enabled()},
    "_tracemalloc": lambda m: {"tracemalloc.is_tracing()": m.is_tracing()},
    "_csv": lambda m: {"csv.field_size_limit()": m.field_size_limit()},
    "time": lambda m: {"time.tzname": m.tzname},
    "copyreg": lambda m: {f"copyreg.pickle() of {kind.__qualname__}": "there" for kind in m.dispatch_table},
    "urllib.request": lambda m: {"urllib.request.install_opener()": None if m._opener is None else "set"},
    "mimetypes": mimetypes,
    "numpy": numpy,
    "pandas._config.config": pandas,
}
"""Readers of settings, by the module that keeps them."""
