"""Settings of the whole process and of loaded libraries that an import and calls leave changed: one table of what is
compared, how it is read and how it is shown. Shared with the host.

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

from ..import_hooks import is_library, origin_of
from ..libraries import LibraryCode
from ..request import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from ..request import FunctionRef

    Settings = dict[str, tuple[str, Any]]
    """Settings by name: a text, and an object that must stay the same one; None where the text is enough."""
    Row = tuple[str, Callable[[Any], str], Callable[..., Any]]
    """Name of a setting, how it is shown, how it is read."""

IMPORT, CALLS = "import", "calls"
"""Phases in which a setting is changed."""
THREADS, CHILDREN, AT_EXIT = "threads", "child processes", "functions registered with atexit"
FILES = "an open file descriptor of "
COUNTED = (THREADS, CHILDREN, FILES, AT_EXIT)
"""Beginnings of the names of settings that count something: where the original leaves any, a draft may also."""
GENERATOR = "the state of the generator of "
LOG_LEVEL, ALL_LEVELS = 30, 1
"""Level of the root logger by default, and the one that the harness sets in its place (checking.py)."""
BROKEN = (AttributeError, TypeError, ValueError, LookupError)
"""Exceptions raised on asking a module that only has a library's name."""
MAX_SETTINGS, MAX_TEXT_CHARS = 200, 200
"""Most settings that are reported, and most characters of the text of one."""
NAMED = (type, type(len), type(lambda: None))
SIGNALS = [number for number in range(1, 65) if number not in (32, 33)]  # these two are the C library's own
TIMERS = {"REAL": 0, "VIRTUAL": 1, "PROF": 2}
LIMITS = {name: number for name, number in vars(resource).items() if name.startswith("RLIMIT_")}
OWN_VARIABLES = ("decimal_context", "numpy.ufunc.extobj")
"""Context variables that have a setting of their own."""
SYS_HOOKS = (
    "excepthook", "displayhook", "unraisablehook", "breakpointhook", "stdin", "stdout", "stderr",
)  # fmt: skip
modules, environ = sys.modules, os.environ
getsignal, getitimer, sigmask = _signal.getsignal, _signal.getitimer, _signal.pthread_sigmask
setlocale, LC_ALL, copy_context = _locale.setlocale, _locale.LC_ALL, _contextvars.copy_context
readlink, listdir, waitid, getcwd = posix.readlink, posix.listdir, posix.waitid, posix.getcwd
getpriority, getscheduler, getaffinity = posix.getpriority, posix.sched_getscheduler, posix.sched_getaffinity
getrlimit, callbacks = resource.getrlimit, gc.callbacks
get_objects, collect = gc.get_objects, gc.collect


class LeftSetting(Record):
    """A setting of the whole process that is another one afterwards than before."""

    name: str
    """`the switch interval`"""
    before: str
    after: str
    """Texts for people, and for comparing; empty if the setting is not set."""
    when: str
    """IMPORT or CALLS: what has changed it."""


class ProcessChanges(Record):
    """Changes that import and calls leave in their process."""

    settings: tuple[LeftSetting, ...]
    libraries: tuple[str, ...]
    """Modules that were loaded meanwhile, in order; empty for a process without such a setting."""

    made_of = {"settings": LeftSetting}

    def beyond(self, known: Iterable[ProcessChanges]) -> ProcessChanges:
        """The same with the settings that none of the known leaves; of what is counted, any number is known."""
        found = [each for left in known for each in left.settings]
        texts = {(each.name, each.after) for each in found}
        names = {each.name for each in found if each.name.startswith(COUNTED)}
        return self.replace(
            settings=tuple([e for e in self.settings if e.name not in names and (e.name, e.after) not in texts])
        )


def described(value: Any) -> str:
    """Text of a value that is the same in each process."""
    kind = type(value)
    if value is None or kind in (int, str, bool, float):
        return repr(value)
    named = value if kind in NAMED else kind
    return f"{named.__module__}.{named.__qualname__}"


def kinds(values: Iterable[Any]) -> list[str]:
    return [described(each) for each in values]


def is_set(value: Any) -> str | None:
    """Text of something that has no text of its own."""
    return None if value is None else "set"


def or_none(ask: Callable[..., Any], *values: Any) -> Any:
    """Result of a system call; None where the kernel refuses."""
    try:
        return ask(*values)
    except OSError:
        return None


def stack_size() -> int:
    """Stack size of threads, which asking for it sets to 0."""
    found = _thread.stack_size()
    _thread.stack_size(found)
    return found


def warnings_filters() -> list[str]:
    """Filters of warnings: action, category, pattern of the text, pattern of the module, line."""
    every: Any = getattr(modules.get("warnings"), "filters", _warnings.filters)
    parts = [(each[0], described(each[2]), *map(pattern, (each[1], each[3])), str(each[4])) for each in every]
    return [" ".join(each) for each in parts]


def pattern(value: Any) -> str:
    """Pattern of a filter: a text, a compiled pattern, or None."""
    return str(value if value is None or isinstance(value, str) else value.pattern)


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
    for module, server, number in (
        ("multiprocessing.resource_tracker", "_resource_tracker", "_pid"),
        ("multiprocessing.forkserver", "_forkserver", "_forkserver_pid"),
    ):  # these end with this process
        found.discard(getattr(getattr(modules.get(module), server, None), number, None))
    return len(found)


def open_files() -> dict[str, int]:
    """Numbers of open descriptors by target."""
    count: dict[str, int] = {}
    for number in listdir("/proc/self/fd"):
        target = or_none(readlink, f"/proc/self/fd/{number}")
        if target is not None:  # the one that lists them
            target = target.partition(":[")[0]
            count[target] = count.get(target, 0) + 1
    return count


def decimal_context(now: Any) -> str:
    """Text of a context, `prec=28 ROUND_HALF_EVEN Emin=-999999 ...`, without the flags that calculations raise."""
    traps = " ".join(sorted([signal.__name__ for signal, on in now.traps.items() if on]))
    limits = f"Emin={now.Emin} Emax={now.Emax} capitals={now.capitals} clamp={now.clamp}"
    return f"prec={now.prec} {now.rounding} {limits} traps: {traps}"


def event_loop_policy(module: Any) -> str | None:
    """Name of the policy; the one that asyncio makes on first use counts as none."""
    kind = type(module._event_loop_policy)
    own = module._event_loop_policy is None or kind.__module__.startswith("asyncio.")
    return None if own else kind.__qualname__


def at_exit(module: Any) -> int:
    """Number of functions; that of `weakref`, which registers itself when it is first used, is not counted."""
    finalize = vars(modules["weakref"]).get("finalize") if "weakref" in modules else None
    return int(module._ncallbacks()) - bool(finalize is not None and finalize._registered_with_atexit)


def pandas_options(options: Any, path: str = "") -> dict[str, Any]:
    """Options of pandas by their full names."""
    found: dict[str, Any] = {}
    for name, value in options.items():
        inner = type(value) is dict
        found.update(
            pandas_options(value, f"{path}{name}.") if inner else {path + name: "set" if callable(value) else value}
        )
    return found


def numpy_state(module: Any) -> Any:
    """State of NumPy's shared generator, comparable by ==."""
    kind, key, *rest = module.get_state()
    return kind, key.tobytes(), rest


def unchanged(state: Any) -> str:
    """Text of a generator's state, which is long and says nothing to people."""
    return "as it was"


DECIMAL = (
    ("the decimal context", repr, lambda m: decimal_context(m.getcontext())),
    *[(f"decimal.{name}Context", repr, lambda m, name=name: decimal_context(getattr(m, f"{name}Context")))
      for name in ("Default", "Basic", "Extended")],
)  # fmt: skip
INTERPRETER: tuple[Row, ...] = (
    ("the recursion limit", repr, sys.getrecursionlimit),
    ("the switch interval", repr, sys.getswitchinterval),
    ("gc.isenabled()", repr, gc.isenabled),
    ("gc.get_threshold()", repr, gc.get_threshold),
    ("gc.get_debug()", repr, gc.get_debug),
    ("gc.callbacks", repr, lambda: kinds(callbacks)),
    ("sys.argv", repr, lambda: sys.argv),
    ("sys.dont_write_bytecode", repr, lambda: sys.dont_write_bytecode),
    ("sys.getdlopenflags()", repr, sys.getdlopenflags),
    ("sys.get_coroutine_origin_tracking_depth()", repr, sys.get_coroutine_origin_tracking_depth),
    ("sys.tracebacklimit", repr, lambda: vars(sys).get("tracebacklimit")),
    ("the locale", repr, lambda: setlocale(LC_ALL)),
    (THREADS, repr, _thread._count),
    ("the stack size of threads", repr, stack_size),
    ("the digits of an int as a text", repr, getattr(sys, "get_int_max_str_digits", int)),
    ("sys.monitoring", repr, lambda: [sys.monitoring.get_tool(tool) for tool in range(6)]
     if hasattr(sys, "monitoring") else None),
    ("the handler of signal *", described, lambda: {number: getsignal(number) for number in SIGNALS}),
    ("ITIMER_*", str, lambda: {n: "set" if any(getitimer(each)) else "not set" for n, each in TIMERS.items()}),
    ("blocked signals", repr, lambda: sorted([int(each) for each in sigmask(_signal.SIG_BLOCK, ())])),
)  # fmt: skip
"""Rows of the interpreter and its signals, which no import of a library is expected to change."""
ROWS: Mapping[str, tuple[Row, ...]] = {
    "": (
        *INTERPRETER,
        ("sys.*", described, lambda: {name: vars(sys).get(name) for name in SYS_HOOKS}),
        ("sys.settrace", described, sys.gettrace),
        ("sys.setprofile", described, sys.getprofile),
        ("sys.set_asyncgen_hooks *", described, lambda: dict(enumerate(sys.get_asyncgen_hooks()))),
        ("* in sys.path", str, lambda: {repr(each): "there" for each in sys.path}),
        ("the first of sys.path", repr, lambda: sys.path[:1]),
        ("sys.meta_path", repr, lambda: kinds(sys.meta_path)),
        ("the first of sys.meta_path", described, lambda: sys.meta_path[0] if sys.meta_path else None),
        ("sys.path_hooks", repr, lambda: kinds(sys.path_hooks)),
        ("the warnings filter '*'", str, lambda: dict.fromkeys(warnings_filters(), "there")),
        ("the first of the warnings filters", "".join, lambda: warnings_filters()[:1]),
        ("the working folder", repr, lambda: or_none(getcwd)),
        ("the umask", repr, umask),
        ("the priority", repr, lambda: or_none(getpriority, posix.PRIO_PROCESS, 0)),
        ("the scheduling policy", repr, lambda: or_none(getscheduler, 0)),
        ("the processors to run on", repr, lambda: sorted(or_none(getaffinity, 0) or ())),
        (CHILDREN, repr, children),
        ("resource.*", repr, lambda: {name: or_none(getrlimit, number) for name, number in LIMITS.items()}),
        ("os.environ", described, lambda: vars(os)["environ"]),
        ("the environment variable *", repr, lambda: dict(environ)),
        (FILES + "*", str, open_files),
        ("the context variable *", described,
         lambda: {each.name: value for each, value in copy_context().items() if each.name not in OWN_VARIABLES}),
    ),
    "_decimal": DECIMAL,
    "_pydecimal": DECIMAL,
    "logging": (
        ("the level of the root logger", repr, lambda m: LOG_LEVEL if m.root.level == ALL_LEVELS else m.root.level),
        ("handlers of the root logger", repr, lambda m: [type(each).__qualname__ for each in m.root.handlers]),
        ("filters of the root logger", repr, lambda m: [type(each).__qualname__ for each in m.root.filters]),
        ("logging.disable()", repr, lambda m: m.root.manager.disable),
        ("logging.raiseExceptions", repr, lambda m: m.raiseExceptions),
        ("logging.setLoggerClass()", repr, lambda m: m._loggerClass.__qualname__),
        ("logging.setLogRecordFactory()", repr, lambda m: m._logRecordFactory.__qualname__),
    ),
    "threading": (
        ("threading.settrace()", repr, lambda m: is_set(m._trace_hook)),
        ("threading.setprofile()", repr, lambda m: is_set(m._profile_hook)),
    ),
    "atexit": ((AT_EXIT, repr, at_exit),),
    "asyncio.events": (("the event loop policy", repr, event_loop_policy),),
    "multiprocessing.context": (
        ("multiprocessing.set_start_method()", repr, lambda m: m._default_context.get_start_method(allow_none=True)),
    ),
    "_socket": (("socket.setdefaulttimeout()", repr, lambda m: m.getdefaulttimeout()),),
    "faulthandler": (("faulthandler.is_enabled()", repr, lambda m: m.is_enabled()),),
    "_tracemalloc": (("tracemalloc.is_tracing()", repr, lambda m: m.is_tracing()),),
    "_csv": (("csv.field_size_limit()", repr, lambda m: m.field_size_limit()),),
    "time": (("time.tzname", repr, lambda m: m.tzname),),
    "copyreg": (("copyreg.pickle() of *", str, lambda m: {k.__qualname__: "there" for k in m.dispatch_table}),),
    "urllib.request": (("urllib.request.install_opener()", repr, lambda m: is_set(m._opener)),),
    "mimetypes": (("mimetypes.add_type()", repr, lambda m: len(m.types_map) if m.inited else None),),
    "numpy": (
        ("numpy.geterr()", repr, lambda m: m.geterr()),
        ("numpy.geterrcall()", repr, lambda m: is_set(m.geterrcall())),
        ("numpy.getbufsize()", repr, lambda m: m.getbufsize()),
        ("numpy.get_printoptions()", repr, lambda m: m.get_printoptions()),
    ),
    "pandas._config.config": (("the pandas option *", repr, lambda m: pandas_options(m._global_config)),),
    "random": ((GENERATOR + "random", unchanged, lambda m: m.getstate()),),
    "numpy.random": ((GENERATOR + "numpy.random", unchanged, numpy_state),),
}  # fmt: skip
"""What is compared, by the module that keeps it; none for what is always there. Name, how it is shown, how it is read.

A name with `*` is of several settings. What is shown by `described` must also stay the same object.
"""
OF_CALLS = (
    "the recursion limit", "gc.isenabled()", "gc.get_threshold()", "the locale", "the handler of signal *",
    "the warnings filter '*'", "the decimal context", "numpy.geterr()",
)  # fmt: skip
"""Names of the rows that are also looked at around timed calls."""
OF_IMPORTS = tuple([name for name, _, _ in INTERPRETER])
"""Names of the rows that no import of a library is expected to change."""


def read(name: str, module: Any, only: tuple[str, ...] = ()) -> Settings:
    """Settings of one module; empty for a module that keeps none. only: names of rows."""
    found: Settings = {}
    try:
        for setting, shown, ask in ROWS.get(name, ()):
            if only and setting not in only:
                continue
            value = ask(module) if name else ask()
            several = value.items() if "*" in setting else [("", value)]
            for part, each in several:
                found[setting.replace("*", str(part))] = shown(each), each if shown in (described, unchanged) else None
    except BROKEN:
        if not name:
            raise
    return found


def process_settings(only: tuple[str, ...] = ()) -> Settings:
    """All settings now, without those of modules that are not loaded."""
    found: Settings = {}
    for name in ROWS:
        if not name or modules.get(name) is not None:
            found.update(read(name, modules.get(name), only))
    return found


def settings_of_calls() -> dict[str, str]:
    """Texts of the settings that a call may leave changed, without filters for texts or modules of a library's own."""
    found = process_settings(OF_CALLS)
    return {name: text for name, (text, _) in found.items() if "filter" not in name or " None None " in name}


class Leaving:
    """Detector of changed settings: records them before the import and the calls, and compares them afterwards."""

    def __init__(self, code: LibraryCode | None) -> None:
        self.code = code or LibraryCode()
        self.known = frozenset(modules)
        self.before: Settings = {}
        self.unfrozen: list[Any] = []
        """An object that the collector looks at until `gc.freeze()` is called."""
        self.by_import: list[LeftSetting] = []
        self.patched_by_import: dict[str, str] = {}

    def start_import(self) -> None:
        """Record the state just before the module is imported; all paths are set."""
        self.code.keep_new()
        self.look()

    def look(self) -> None:
        """Record the current settings."""
        self.before, self.unfrozen = process_settings(), []

    def loaded(self, name: str, module: Any) -> None:
        """Record the state of a library that has just been loaded."""
        self.code.keep(name, module)
        for each, setting in read(name, module).items():
            self.before.setdefault(each, setting)

    def end_import(self) -> None:
        """Find the changes just after the module was imported, before the harness does anything more."""
        self.by_import = self.changed(IMPORT)

    def find_patched(self) -> None:
        """Find what the import has patched. Called in a worker that checks calls, whose process is a copy of the one
        that imported, and before it listens to audit events."""
        self.patched_by_import = dict(self.code.patched())
        self.by_import += [LeftSetting(name, "its own", now, IMPORT) for name, now in self.patched_by_import.items()]

    def end_calls(self, inside: bool = True, ours: tuple[dict[str, Any], ...] = ()) -> list[LeftSetting]:
        """Changes by calls since the last `look`. inside: look into functions also, as one may have been given another
        code; ours: namespaces of functions of the harness, which replace others on purpose."""
        found = self.changed(CALLS)
        if found:  # what nobody holds any more closes its files, and ends its threads
            collect()
            found = self.changed(CALLS)
        patched = dict(self.code.patched(ours, inside))
        new = [name for name in patched if self.patched_by_import.get(name) != patched[name]]
        return found + [LeftSetting(name, "its own", patched[name], CALLS) for name in new]

    def changed(self, when: str) -> list[LeftSetting]:
        """Settings that differ from the recorded ones."""
        before, after, found = self.before, process_settings(), []
        for name in {**before, **after}:
            (was, was_object), (now, now_object) = before.get(name, ("", None)), after.get(name, ("", None))
            if name.startswith(GENERATOR):
                # the first state of a module that was loaded past us is nobody's change
                is_same = name not in before or name not in after or was_object == now_object
                other = "seeded, or drawn from"
            else:
                is_same = was == now and was_object is now_object
                other = now if was != now else f"another {now}"
            if not is_same:
                found.append(LeftSetting(name, was[:MAX_TEXT_CHARS], other[:MAX_TEXT_CHARS], when))
        if id(self.unfrozen) not in map(id, get_objects()):  # which leaves out frozen ones
            found.append(LeftSetting("gc.freeze()", "not called", "called", when))
        return found

    def left(self, ref: FunctionRef, by_calls: list[LeftSetting], named: bool = False) -> ProcessChanges:
        """All changes, with the libraries that may have made them. named: also those of which nothing is changed."""
        settings = (self.by_import + by_calls)[:MAX_SETTINGS]
        new = [name for name in modules if name not in self.known] if settings or named else []
        return ProcessChanges(
            tuple(settings), tuple([name for name in new if is_library(name, origin_of(modules[name]), ref)])
        )
