"""Passes that only look: what calls read of their surroundings, which lines they run, and how much memory they take.

The interpreter's profile events name each function in C that is called by Python, under any name, and its audit events
each file that is opened, also by a function in C such as `map`. As a call of one function in C by another, such as
`iter(date.today, None)`, is no event, functions in Python take the place of those in C. The line is that of the nearest
frame of the project's own code. If no frame is the project's, or it only imports, nothing is reported.
"""

from __future__ import annotations

import gc
import os
import sys
from _tracemalloc import clear_traces, get_traced_memory
from _tracemalloc import start as trace_memory
from _tracemalloc import stop as stop_tracing

from ..request import OwnCode
from .channel import Said, to_json
from .repr.structure import MAX_ITEMS, is_iterator, islice

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Container, Sequence
    from types import CodeType, FrameType
    from typing import Any

    from ..request import CallBatch
    from .arguments import Call
    from .channel import Channel
    from .worker import CallWorker


clear_caches = getattr(sys, "_clear_internal_caches", None) or sys._clear_type_cache  # from Python 3.13
DATE = "the date and time"
CLOCK = "a clock"
PROCESS = "the number of a process or user"
MACHINE = "the machine"
VARIABLES = "environment variables"
ARGUMENTS = "the command's arguments"
FILES = "a file"
WATCHER = "whether it is watched"
READS = {
    DATE: "time.time time.time_ns time.localtime time.gmtime time.ctime time.asctime time.strftime time.clock_gettime "
    "time.clock_gettime_ns datetime.today datetime.now datetime.utcnow",
    CLOCK: "time.monotonic time.monotonic_ns time.perf_counter time.perf_counter_ns time.process_time "
    "time.process_time_ns time.thread_time time.thread_time_ns posix.times resource.getrusage",
    PROCESS: "posix.getpid posix.getppid posix.getuid posix.geteuid posix.getgid posix.getegid posix.getlogin "
    "posix.getpgid posix.getsid pwd.getpwuid pwd.getpwnam _thread.get_native_id",
    MACHINE: "posix.uname posix.cpu_count posix.sched_getaffinity posix.getloadavg posix.getcwd posix.getcwdb "
    "posix.sysconf _socket.gethostname _locale.setlocale _locale.localeconv",
    FILES: "posix.stat posix.lstat posix.readlink posix.access",
    WATCHER: "sys.setprofile sys.settrace sys.getprofile sys.gettrace",
}
"""Functions in C that read each surrounding."""
OS_FILE = os.getenv.__code__.co_filename
"""File that defines `os.environ`."""
ENVIRON_READS = ("__getitem__", "__iter__", "__len__", "copy")
"""Methods of `os.environ` that read; the others call these."""
ABC = os.environ.get.__code__.co_filename
MAX_CALLS = 30
"""Most calls that are watched."""
MAX_LINES = 20
"""Most lines that are reported."""


class ReadsHeard:
    """Recorder of reads between `start` and `stop`."""

    def __init__(self, ref: Any) -> None:
        self.own = OwnCode(ref)
        self.kinds = {name: kind for kind, names in READS.items() for name in names.split()}
        self.found: dict[tuple[str, int], bool] = {}
        """Reads by (surrounding, line): whether the project's own code made it, or a library that it calls."""
        self.listens = False
        sys.addaudithook(self.hear_audit)

    def start(self) -> None:
        """Listen to the audit events, and to the profile events of the calling thread."""
        self.listens = True
        sys.setprofile(self.hear)

    def stop(self) -> None:
        sys.setprofile(None)
        self.listens = False

    def hear_audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Handle an audit event."""
        # audit events of reading a file or folder
        if self.listens and event in ("open", "os.listdir", "os.scandir"):
            self.note(FILES, sys._getframe(1))

    def hear(self, frame: FrameType, event: str, argument: Any) -> None:
        """Handle a profile event."""
        if event == "c_call":
            kind = self.kinds.get(name_of(argument))
            if kind is not None:
                self.note(kind, frame)
        elif event == "call" and frame.f_code.co_name in ENVIRON_READS and frame.f_code.co_filename == OS_FILE:
            self.note(VARIABLES, frame.f_back)

    def note(self, kind: str, frame: FrameType | None) -> None:
        """Record a read with the line that it is made from."""
        asking = frame
        direct = True
        while asking is not None and not self.own.has(asking.f_code.co_filename):
            if asking.f_code.co_filename.startswith("<frozen importlib"):
                return
            direct = direct and asking.f_code.co_filename in (OS_FILE, ABC, HERE)
            asking = asking.f_back
        if asking is not None and len(self.found) < MAX_LINES:
            place = kind, asking.f_lineno
            self.found[place] = self.found.get(place, False) or direct


class WatchedArguments(list):  # type: ignore[type-arg]
    """Replacement of sys.argv that reports reads."""

    def __init__(self, watch: ReadsHeard) -> None:
        super().__init__(sys.argv)
        self.watch = watch

    def __getitem__(self, at: Any) -> Any:
        self.watch.note(ARGUMENTS, sys._getframe(1))
        return list.__getitem__(self, at)

    def __iter__(self) -> Any:
        self.watch.note(ARGUMENTS, sys._getframe(1))
        return list.__iter__(self)

    def __len__(self) -> int:
        self.watch.note(ARGUMENTS, sys._getframe(1))
        return list.__len__(self)

    def __contains__(self, item: object) -> bool:
        self.watch.note(ARGUMENTS, sys._getframe(1))
        return list.__contains__(self, item)


def through_python(function: Any) -> Any:
    """The same as `function`, which is in C, by a call from Python."""
    return lambda *args, **kwargs: function(*args, **kwargs)


HERE = through_python.__code__.co_filename


def replace_functions(names: Container[str]) -> None:
    """Have the functions of these names called from Python, wherever a module has them."""
    for module in list(sys.modules.values()):
        space = getattr(module, "__dict__", {})
        for name, value in list(space.items()):
            if type(value) is type(len) and name_of(value) in names:
                space[name] = through_python(value)
    import datetime

    # `date.today` calls `time.time`, which is replaced. The other two are in the dictionary of their type, which only
    # the collector gives; the type forgets what it looked up there before as soon as this attribute of it is set.
    methods = gc.get_referents(vars(datetime.datetime))[0]
    for name in ("now", "utcnow"):
        of_class = methods[name].__get__
        methods[name] = classmethod(lambda cls, *args, of=of_class, **kwargs: of(None, cls)(*args, **kwargs))
    vars(type)["__abstractmethods__"].__set__(datetime.datetime, ())


def name_of(function: Any) -> str:
    """Name of a function in C with its owner: `time.time`, `datetime.now`."""
    owner = getattr(function, "__self__", None)
    name = str(getattr(function, "__name__", ""))
    if type(owner) is type(sys):
        return owner.__name__ + "." + name
    if issubclass(type(owner), type) and name in ("today", "now", "utcnow"):
        return "datetime." + name
    return str(getattr(function, "__module__", "")) + "." + name


def watch_calls(worker: CallWorker, batch: CallBatch, codes: Sequence[CodeType], channel: Channel) -> None:
    """Report in JSON the reads of the import and of the first calls, and the memory that a quarter of the others
    keeps: blocks, and bytes."""
    watch = ReadsHeard(worker.ref)
    sys.argv = WatchedArguments(watch)
    replace_functions(watch.kinds)
    import_again(worker, watch)
    for code in codes[:MAX_CALLS]:
        call = worker.arguments.fresh(code)
        watched(watch, lambda call=call: drop(worker, batch, call))
    rest = codes[MAX_CALLS:]
    counted = len(rest) // 4
    # what is made once, or once for each size as numpy does, is kept by the first of some similar parts
    parts = [kept_by(worker, batch, rest[at : 4 * counted : 4]) for at in range(4)]
    blocks, kept = map(min, zip(*parts))
    reads = [[kind, line, direct] for (kind, line), direct in sorted(watch.found.items())]
    channel.send(Said.TEXT, to_json({"reads": reads, "calls": counted, "blocks": blocks, "bytes": kept}))


def watched(watch: ReadsHeard, run: Any) -> None:
    """Run something whose reads are recorded; how it ends does not matter."""
    watch.start()
    try:
        run()
    except BaseException:
        pass
    finally:
        watch.stop()


def import_again(worker: CallWorker, watch: ReadsHeard) -> None:
    """Run the module's text once more, in addition to the module that is called, to record the reads of its import."""
    loader = getattr(worker.module.__spec__, "loader", None)
    source, file = getattr(loader, "source", None), worker.ref.file
    if type(source) is not str:
        return
    names = {name: value for name, value in vars(worker.module).items() if name.startswith("__")}
    code = compile(source, file, "exec", dont_inherit=True)
    watched(watch, lambda: exec(code, names))


def kept_by(worker: CallWorker, batch: CallBatch, codes: Sequence[CodeType]) -> tuple[int, int]:
    """Blocks and bytes of memory that calls keep whose results nobody keeps."""
    free()
    blocks = sys.getallocatedblocks()
    trace_memory(1)
    for code in codes:
        drop(worker, batch, worker.arguments.fresh(code))
    free()
    kept = get_traced_memory()[0]
    stop_tracing()
    return sys.getallocatedblocks() - blocks, kept


def free() -> None:
    """Free what nobody uses, and the interpreter's cache of attributes, which holds the names by which libraries in C
    asked for them: how many depends on their addresses."""
    gc.collect()
    clear_caches()


# Peak memory of calls: by Python's own accounting for each call, and by the kernel's for all together.

collect = gc.collect


def take_peaks(worker: CallWorker, batch: CallBatch, codes: Sequence[CodeType], channel: Channel) -> None:
    """Say "ready" when the arguments are made, call when told to, say "done" with the highest peak of a single call in
    bytes, and wait: the kernel's books are read as long as the process is there."""
    made = [worker.arguments.fresh(code) for code in codes]
    if worker.ref.asynchronous:
        worker.loop()
    for call in made[: batch.warm]:
        drop(worker, batch, call)
    collect()
    channel.send(Said.READY)
    channel.receive()
    traced, highest = batch.question == "traced", 0
    if traced:
        trace_memory(1)
    for call in made[batch.warm :]:
        if traced:
            clear_traces()  # the peak of this call alone; tracemalloc.reset_peak is of Python 3.9
        drop(worker, batch, call)
        if traced:
            highest = max(highest, get_traced_memory()[1])
    channel.send(Said.DONE, str(highest))
    channel.receive()


def drop(worker: CallWorker, batch: CallBatch, call: Call) -> None:
    """Call, and keep nothing: a result counts in addition to what it was made of, an iterator's items come and go."""
    try:
        result = worker.invoke(*call)
        if batch.iterators:
            run_through(result, batch.iterators == "nested")
    except BaseException:
        return


def run_through(value: Any, nested: bool) -> None:
    """Ask for each item of an iterator, and of those in it."""
    if is_iterator(value):
        for item in islice(value, MAX_ITEMS + 1):
            if nested:
                run_through(item, True)
