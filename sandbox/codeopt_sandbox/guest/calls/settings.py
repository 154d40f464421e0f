"""Settings of the whole process and of loaded libraries, each by a name and as a text: the list in
docs/verification.md.

All functions are bound before a module under test is imported, which can patch the modules that they come from; such
patches are found also (../library_code.py). Nothing is imported, as the module under test would seem to have imported
it.
"""

from __future__ import annotations

import _contextvars
import _locale
import _signal  # type: ignore[import-not-found]  # `signal` would load `enum`
import _thread
import _warnings
import gc
import os
import posix
import resource
import sys

from .outcome import AT_EXIT, CHILDREN, FILES, THREADS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    Settings = dict[str, tuple[str, Any]]
    """Settings by name: a text, and an object that must stay the same one; None where the text is enough."""

LOG_LEVEL = 30
"""Level of the root logger by default."""
ALL_LEVELS = 1
"""Level of the root logger that the harness sets in its place (captured_output.py)."""
BROKEN = (AttributeError, TypeError, ValueError, LookupError)
"""Exceptions raised on asking a module that only has a library's name."""
OF_CALLS = (
    "the recursion limit", "gc.isenabled()", "gc.get_threshold()", "the locale", "the handler of signal ",
    "the warnings filter ", "the decimal context", "numpy.geterr()",
)  # fmt: skip
"""Beginnings of the names of settings that are also looked at around timed calls."""
modules = sys.modules
NAMED = (type, type(len), type(lambda: None))
SIGNALS = range(1, 65)
TIMERS = {"ITIMER_REAL": 0, "ITIMER_VIRTUAL": 1, "ITIMER_PROF": 2}
LIMITS = {name: number for name, number in vars(resource).items() if name.startswith("RLIMIT_")}
OWN_VARIABLES = ("decimal_context", "numpy.ufunc.extobj")
"""Context variables that have a setting of their own."""
getsignal, getitimer, sigmask = _signal.getsignal, _signal.getitimer, _signal.pthread_sigmask
setlocale, LC_ALL, running, stack_size = _locale.setlocale, _locale.LC_ALL, _thread._count, _thread.stack_size
readlink, listdir, waitid, getcwd = posix.readlink, posix.listdir, posix.waitid, posix.getcwd
getpriority, getscheduler, getaffinity = posix.getpriority, posix.sched_getscheduler, posix.sched_getaffinity
getrlimit, copy_context = resource.getrlimit, _contextvars.copy_context
isenabled, get_threshold, get_debug, callbacks = gc.isenabled, gc.get_threshold, gc.get_debug, gc.callbacks
environ = os.environ


def process_settings() -> Settings:
    """All settings now, without those of modules that are not loaded."""
    found: Settings = {}
    for read in (interpreter, hooks, import_system, filters, signals, system, files, context):
        found.update(read())
    found.update(library_settings(modules))
    return found


def settings_of_calls() -> dict[str, str]:
    """Texts of the settings that a call may leave changed, without filters for texts or modules of a library's own."""
    found = {**interpreter(), **signals(), **filters(), **library_settings(modules)}
    names = [name for name in found if name.startswith(OF_CALLS)]
    return {name: found[name][0] for name in names if "filter" not in name or " None None " in name}


def interpreter() -> Settings:
    """Settings of the interpreter, the collector and threads."""
    values: dict[str, Any] = {
        "the recursion limit": sys.getrecursionlimit(),
        "the switch interval": sys.getswitchinterval(),
        "gc.isenabled()": isenabled(),
        "gc.get_threshold()": get_threshold(),
        "gc.get_debug()": get_debug(),
        "gc.callbacks": [described(each) for each in callbacks],
        "sys.argv": sys.argv,
        "sys.dont_write_bytecode": sys.dont_write_bytecode,
        "sys.getdlopenflags()": sys.getdlopenflags(),
        "sys.get_coroutine_origin_tracking_depth()": sys.get_coroutine_origin_tracking_depth(),
        "sys.tracebacklimit": vars(sys).get("tracebacklimit"),
        "the locale": setlocale(LC_ALL),
        THREADS: running(),
        "the stack size of threads": stack_size(),
    }
    if hasattr(sys, "get_int_max_str_digits"):
        values["the digits of an int as a text"] = sys.get_int_max_str_digits()
    if hasattr(sys, "monitoring"):  # from 3.12 on
        values["sys.monitoring"] = [sys.monitoring.get_tool(tool) for tool in range(6)]
    return {name: (repr(value), None) for name, value in values.items()}


def hooks() -> Settings:
    """Replaceable functions of `sys`, and the standard streams."""
    values: dict[str, Any] = {
        f"sys.{name}": vars(sys).get(name)
        for name in ("excepthook", "displayhook", "unraisablehook", "breakpointhook", "stdin", "stdout", "stderr")
    }
    values["sys.settrace"], values["sys.setprofile"] = sys.gettrace(), sys.getprofile()
    values.update({f"sys.set_asyncgen_hooks {at}": hook for at, hook in enumerate(sys.get_asyncgen_hooks())})
    return {name: (described(value), value) for name, value in values.items()}


def import_system() -> Settings:
    """Import paths, hooks and finders in their order."""
    first = sys.meta_path[0] if sys.meta_path else None
    found: Settings = {f"{each!r} in sys.path": ("there", None) for each in sys.path}
    found["the first of sys.path"] = repr(sys.path[:1]), None
    found["sys.meta_path"] = ", ".join([described(each) for each in sys.meta_path]), first
    found["sys.path_hooks"] = ", ".join([described(each) for each in sys.path_hooks]), None
    return found


def filters() -> Settings:
    """Filters of warnings, and the first of them."""
    every: Any = getattr(modules.get("warnings"), "filters", _warnings.filters)
    texts = [f"{each[0]} {described(each[2])} {pattern(each[1])} {pattern(each[3])} {each[4]}" for each in every]
    found: Settings = {f"the warnings filter '{text}'": ("there", None) for text in texts}
    found["the first of the warnings filters"] = "".join(texts[:1]), None
    return found


def pattern(value: Any) -> str:
    """Pattern of a filter: a text, a compiled pattern, or None."""
    return str(value if value is None or isinstance(value, str) else value.pattern)


def signals() -> Settings:
    """Handlers of signals, timers, and blocked signals."""
    handlers = [(number, getsignal(number)) for number in SIGNALS if number not in (32, 33)]
    found: Settings = {f"the handler of signal {number}": (described(value), value) for number, value in handlers}
    found.update({name: ("set" if any(getitimer(which)) else "not set", None) for name, which in TIMERS.items()})
    found["blocked signals"] = repr(sorted([int(each) for each in sigmask(_signal.SIG_BLOCK, ())])), None
    return found


def system() -> Settings:
    """Settings that the kernel keeps of a process."""
    values: dict[str, Any] = {
        "the working folder": or_none(getcwd),
        "the umask": umask(),
        "the priority": or_none(getpriority, posix.PRIO_PROCESS, 0),
        "the scheduling policy": or_none(getscheduler, 0),
        "the processors to run on": sorted(or_none(getaffinity, 0) or ()),
        CHILDREN: children(),
    }
    values.update(
        {f"resource.{name}": or_none(lambda number=number: getrlimit(number)) for name, number in LIMITS.items()}
    )
    found: Settings = {name: (repr(value), None) for name, value in values.items()}
    found["os.environ"] = described(vars(os)["environ"]), vars(os)["environ"]
    found.update({f"the environment variable {name}": (repr(value), None) for name, value in environ.items()})
    return found


def umask() -> str:
    """Octal umask, read from where reading does not change it; empty where the kernel does not tell."""
    with open("/proc/self/status", "rb") as file:  # noqa: PTH123  pathlib would count as imported by the module
        _, _, rest = file.read().partition(b"Umask:")
    return rest.partition(b"\n")[0].strip().decode()


def children() -> int:
    """Number of child processes, running or ended, without those that multiprocessing keeps for itself."""
    try:
        waitid(posix.P_ALL, 0, posix.WEXITED | posix.WNOHANG | posix.WNOWAIT)
    except ChildProcessError:
        return 0
    found: set[int] = set()
    for thread in listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{thread}/children") as file:  # noqa: PTH123
                found.update(map(int, file.read().split()))
        except OSError:  # a kernel that does not say
            return 1
    return len(found.difference(kept_by_multiprocessing()))


def kept_by_multiprocessing() -> Iterator[int]:
    """Process ids of multiprocessing's own helpers, which end with this process."""
    for module, server, number in (
        ("resource_tracker", "_resource_tracker", "_pid"),
        ("forkserver", "_forkserver", "_forkserver_pid"),
    ):
        found = vars(modules[f"multiprocessing.{module}"]) if f"multiprocessing.{module}" in modules else {}
        pid = getattr(found.get(server), number, None)
        if type(pid) is int:
            yield pid


def files() -> Settings:
    """Numbers of open descriptors by target."""
    count: dict[str, int] = {}
    for number in listdir("/proc/self/fd"):
        target = or_none(readlink, f"/proc/self/fd/{number}")
        if target is not None:  # the one that lists them
            target = target.partition(":[")[0]
            count[target] = count.get(target, 0) + 1
    return {FILES + target: (str(number), None) for target, number in count.items()}


def context() -> Settings:
    """Context variables without those that have a setting of their own."""
    pairs = [(each.name, value) for each, value in copy_context().items() if each.name not in OWN_VARIABLES]
    return {f"the context variable {name}": (described(value), value) for name, value in pairs}


def or_none(ask: Callable[..., Any], *values: Any) -> Any:
    """Result of a system call; None where the kernel refuses."""
    try:
        return ask(*values)
    except OSError:
        return None


def described(value: Any) -> str:
    """Text of a value that is the same in each process."""
    kind = type(value)
    if value is None or kind in (int, str, bool, float):
        return repr(value)
    if kind in NAMED:
        return f"{value.__module__}.{value.__qualname__}"
    return f"{kind.__module__}.{kind.__qualname__}"


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
    found = {"the decimal context": decimal_context(module.getcontext())}
    for name in ("DefaultContext", "BasicContext", "ExtendedContext"):
        found["decimal." + name] = decimal_context(getattr(module, name))
    return found


def decimal_context(now: Any) -> str:
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
