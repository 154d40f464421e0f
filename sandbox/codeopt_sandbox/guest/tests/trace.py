"""One run of tests as evidence of many functions: their time, the tests that call them, and their arguments.

The profiler's clock stops while a call is recorded, so that recording does not count.
"""

from __future__ import annotations

import _thread
import json
import marshal
import os
import sys
import threading
import time
from _frozen_importlib_external import MAGIC_NUMBER

from ..boot import ROOT, CallLog
from ..calls.module_loader import SourceLoader
from ..import_hooks import leave_what_is_missing
from ..profile.start_and_end import ProcessEnd, hands_over
from ..request import FunctionRef, TestRequest
from .recorded_module import RecordedModule, ScriptHook, WatchedFile, decorated, install, undecorated
from .recorder import CallRecorder

TYPE_CHECKING = False

if TYPE_CHECKING:
    import cProfile
    from collections.abc import Callable, Iterator, Sequence
    from types import CodeType, FrameType
    from typing import Any

    from ..boot import Bundle


LEAST_S = 1e-6
"""Time of a function that was seen to begin, and not to end, seconds."""


class PausedClock:
    """Seconds, without those of functions that pause it."""

    def __init__(self) -> None:
        self.lost, self.since = 0.0, 0.0
        """since: the time at which it was stopped; 0: it goes."""

    def __call__(self) -> float:
        return (self.since or time.perf_counter()) - self.lost

    def pausing(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, which stops the clock while it runs."""

        def paused(*args: Any) -> Any:
            if self.since:
                return function(*args)
            self.since = time.perf_counter()
            try:
                return function(*args)
            finally:
                self.lost += time.perf_counter() - self.since
                self.since = 0.0

        return paused


def recorders_of(
    functions: Sequence[str], most: int, clock: PausedClock, sink_of: Callable[[str], Callable[[str], None]]
) -> dict[str, CallRecorder]:
    """Return the recorders of functions, which stop the clock while they record.

    Args:
        functions: Each as `module qualname`.
        most: Maximum number of calls of each that are kept.
        clock: Clock of the profiler.
        sink_of: Makes the callback that keeps the calls of one function.
    """
    recorders = {}
    for named in functions:
        module, _, qualname = named.partition(" ")
        recorders[named] = CallRecorder(module, qualname, most, sink_of(named))
        recorders[named].note = clock.pausing(recorders[named].note)  # type: ignore[method-assign]
    return recorders


class BesideTimes:
    """Sums of the reports of threads and processes other than the tests' own."""

    def __init__(self) -> None:
        self.seconds: dict[tuple[str, int], tuple[float, float]] = {}
        """Seconds with all callees, and own seconds."""
        self.tests: dict[tuple[str, int], list[str]] = {}

    def add(self, place: tuple[str, int], total: float, own: float, test: str) -> None:
        before, before_own = self.seconds.get(place, (0.0, 0.0))
        self.seconds[place] = before + total, before_own + own
        if test:
            self.tests.setdefault(place, []).append(test)


class TracedFunctions:
    """The functions of some files under a profiler: their time, and the tests that call them."""

    def __init__(self, profiler: cProfile.Profile, files: Sequence[str]) -> None:
        self.profiler, self.files = profiler, frozenset(files)
        self.counts: dict[tuple[str, int], int] = {}
        self.reached: dict[tuple[str, int], list[str]] = {}

    def look(self, test: str) -> None:
        """Note which functions were called since the last time, by a test."""
        for place, (count, _, _) in self.figures().items():
            if count > self.counts.get(place, 0):
                self.counts[place] = count
                self.reached.setdefault(place, []).append(test)

    def figures(self) -> dict[tuple[str, int], tuple[int, float, float]]:
        """Calls, seconds with all that is called, and own seconds with built-ins, by file and first line."""
        found: dict[tuple[str, int], tuple[int, float, float]] = {}
        for entry in self.profiler.getstats():
            code = entry.code
            # a module begins where the first line's function does
            if not isinstance(code, str) and code.co_filename in self.files and code.co_name != "<module>":
                place = (code.co_filename, code.co_firstlineno)
                # the same place again where a module is also run as a program
                calls, total, own = found.get(place, (0, 0.0, 0.0))
                found[place] = (calls + entry.callcount, total + entry.totaltime, own + entry.inlinetime)
        return found

    def rows(self, beside: BesideTimes) -> list[list[Any]]:
        """Return file, first line, seconds with all callees, own seconds, tests.

        The parameter has the sums of other threads and processes.
        """
        figures = self.figures()
        rows = []
        for place in dict.fromkeys([*figures, *beside.seconds]):
            _, total, own = figures.get(place, (0, 0.0, 0.0))
            more, more_own = beside.seconds.get(place, (0.0, 0.0))
            tests = dict.fromkeys([*self.reached.get(place, []), *beside.tests.get(place, [])])
            rows.append([*place, total + more or LEAST_S, own + more_own, list(tests)])
        return rows


# Seconds of the functions of some files in threads and processes other than the main one of the tests.
#
# A profile function in Python works in any thread. A pool ends its processes without notice. So the call of a
# function is reported at once, and its time after its end and before a result is handed over.


class CallTimes:
    """Times of functions by file and first line, told in parts that add up."""

    def __init__(self, files: Sequence[str], tell: Callable[[tuple[str, int], float, float], None]) -> None:
        self.files, self.tell = frozenset(files), tell
        """tell: gets place, seconds with all that is called, own seconds."""
        self.places: dict[int, tuple[CodeType, tuple[str, int] | None]] = {}
        """Keys are identities, as equal functions of two files are equal as code."""
        self.begin()

    def begin(self) -> None:
        """Start from scratch, as in a process that was forked."""
        self.stacks: dict[int, list[Any]] = {}
        """Open calls by thread: frame, place, start, seconds of what it has called."""
        self.seconds: dict[tuple[str, int], list[float]] = {}
        """Seconds that are not reported yet: with all callees, and own."""
        self.told: set[tuple[str, int]] = set()
        """Functions whose calls are reported."""

    def install_for_threads(self) -> None:
        """Hear of calls in threads that start from here on."""
        threading.setprofile(self.hear)

    def place(self, code: CodeType) -> tuple[str, int] | None:
        """Place of a function of the files; None for any other code."""
        found = self.places.get(id(code))
        if found is None:
            if code.co_filename[:1] == "<":  # of eval and exec, which would be kept for each of their calls
                return None
            mine = code.co_filename in self.files and code.co_name != "<module>"
            place = (code.co_filename, code.co_firstlineno) if mine else None
            found = self.places[id(code)] = code, place
        return found[1]

    def hear(self, frame: FrameType, event: str, argument: Any) -> None:
        """A profile function."""
        if event == "call":
            stack = self.stacks.setdefault(_thread.get_ident(), [])
            place = self.place(frame.f_code)
            if place is not None and place not in self.told:
                self.told.add(place)
                self.tell(place, 0.0, 0.0)
            elif hands_over(frame.f_code):
                self.tell_all()
            stack.append([frame, place, time.perf_counter(), 0.0])
        elif event == "return":
            stack = self.stacks.get(_thread.get_ident(), [])
            if stack and stack[-1][0] is frame:
                self.end(stack)

    def end(self, stack: list[Any]) -> None:
        """A call has ended; of a recursion the outermost counts."""
        _, place, started, inside = stack.pop()
        spent = time.perf_counter() - started
        if stack:
            stack[-1][3] += spent
        if place is None:
            return
        seconds = self.seconds.setdefault(place, [0.0, 0.0])
        seconds[1] += spent - inside
        outermost = all(each[1] != place for each in stack)
        seconds[0] += spent if outermost else 0.0
        # time that is reported at once, seconds. A shorter time waits for the next report or for the end
        if outermost and seconds[0] > 0.005:
            self.tell_of(place)

    def tell_of(self, place: tuple[str, int]) -> None:
        """Tell what is new of one function."""
        total, own = self.seconds.pop(place)
        self.tell(place, total, own)

    def tell_all(self) -> None:
        for place in list(self.seconds):
            self.tell_of(place)

    def stop(self) -> None:
        """Hear no more in this thread, and tell all that is new."""
        sys.setprofile(None)
        self.tell_all()


# Processes that tests start, by fork or by a new Python: they use the module under test.
#
# Their calls count for the test that started them. A new Python reads codeopt's `sitecustomize` by PYTHONPATH, unless
# -I, -E or a cleared environment prevents it.


PREFIX = "codeopt-tests-"
HOOK = """\
import sys
sys.path[:] = [path for path in sys.path if path != {folder!r}]
def _begin():
    import marshal
    from _frozen_importlib_external import MAGIC_NUMBER
    if MAGIC_NUMBER != {magic!r}:
        return  # another Python, whose code objects are others
    with open({folder!r} + "/modules", "rb") as file:
        modules = marshal.loads(file.read())
    space = {{"__name__": "boot"}}
    exec(modules["{root}/boot.py"], space)
    space["Bundle"](modules).load("tests.trace").begin({folder!r})
_begin()
del _begin
from importlib.machinery import PathFinder as _finder
_spec = _finder.find_spec("sitecustomize")
if _spec is not None and _spec.loader is not None:
    from importlib.util import module_from_spec as _make
    sys.modules["sitecustomize"] = _make(_spec)
    _spec.loader.exec_module(sys.modules["sitecustomize"])
"""


def current_test() -> str:
    """Id of the test that runs; empty between tests. Processes know it by their environment."""
    return os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]


class Children:
    """The processes of one run of tests, and the folder that they find their job in and write their lines to."""

    def __init__(self, bundle: Bundle, ref: FunctionRef, request: TestRequest, source: str) -> None:
        import tempfile  # a process that a test starts has no need of it

        self.folder = tempfile.mkdtemp(prefix=PREFIX)
        self.log = CallLog(self.folder)
        tops = [place.partition("/")[2] for place in bundle.modules if place.count("/") == 1]
        self.put("modules", bundle.pack("tests/", "calls/", "profile/", *tops))
        self.put("job", marshal.dumps((ref.fields(), request.fields(), source)))
        hook = HOOK.format(folder=self.folder, magic=MAGIC_NUMBER, root=ROOT)
        self.put("sitecustomize.py", hook.encode())
        paths = [self.folder, *filter(None, [os.environ.get("PYTHONPATH")]), *ref.paths]
        os.environ["PYTHONPATH"] = os.pathsep.join(paths)

    def put(self, name: str, content: bytes) -> None:
        """Write a file of the folder."""
        with open(f"{self.folder}/{name}", "wb") as file:  # noqa: PTH123  pathlib would count as imported by the module
            file.write(content)

    def rows(self) -> Iterator[list[Any]]:
        """Rows that the processes have written."""
        for entry in sorted(os.scandir(self.folder), key=lambda entry: entry.name):  # noqa: PTH208
            if entry.name.endswith(".txt"):
                with open(entry.path, encoding="utf-8", errors="surrogatepass") as file:  # noqa: PTH123
                    yield from filter(None, map(_row, file))

    def close(self) -> None:
        """Remove the folder."""
        import shutil

        shutil.rmtree(self.folder, ignore_errors=True)


def _row(line: str) -> list[Any] | None:
    """Return a row of the log. None for a foreign or truncated line."""
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, list) and row else None


def write_row(log: CallLog, *values: Any) -> None:
    """Write a line of a kind, which is its first value."""
    log.write(json.dumps(values))


def sink_of(log: CallLog, named: str) -> Callable[[str], None]:
    """Callback that writes the calls of one function, and why others cannot be written down."""

    def keep(text: str) -> None:
        if text.startswith("# "):
            write_row(log, "lost", named, text[2:])
        elif not text.startswith(("#", "@")):
            write_row(log, "call", named, text, current_test())

    return keep


def watch_times(files: tuple[str, ...], log: CallLog) -> None:
    """Time functions in all threads of this process from here on."""

    def tell(place: tuple[str, int], total: float, own: float) -> None:
        write_row(log, "time", *place, total, own, current_test())

    times = CallTimes(files, tell)
    ProcessEnd(times.begin, times.stop).install()
    times.install_for_threads()
    sys.setprofile(times.hear)


def begin(folder: str) -> None:
    """Start in a Python that a test has started. Errors are ignored: nothing is recorded then."""
    with open(f"{folder}/job", "rb") as file:  # noqa: PTH123
        ref_fields, request_fields, source = marshal.loads(file.read())
    ref, request = FunctionRef.read(ref_fields), TestRequest.read(request_fields)
    log = CallLog(folder)
    recorders = recorders_of(request.functions, request.most, PausedClock(), lambda named: sink_of(log, named))
    own = [each for each in recorders.values() if each.module == ref.module]
    show(ProgramLoader(ref, source, RecordedModule(own) if own else None))
    install(recorders.values())
    if request.files:
        watch_times(request.files, log)


def show(loader: ProgramLoader) -> None:
    """Have a process import the module under test from its text, and run it so."""
    leave_what_is_missing()
    sys.meta_path.insert(0, loader)
    watched = WatchedFile(os.path.realpath(loader.ref.file))
    text = loader.source.encode("utf-8", "surrogatepass")
    sys.path_hooks.insert(0, ScriptHook(watched, loader.names, loader.decorate, text))


class ProgramLoader(SourceLoader):
    """Gives the module under test also as a program, `python -m`."""

    def __init__(self, ref: FunctionRef, source: str, recorded: RecordedModule | None = None) -> None:
        super().__init__(ref, source)
        self.names: Sequence[str] = recorded.names if recorded else ()
        self.decorate = recorded.decorate if recorded else undecorated

    def get_code(self, name: str) -> Any:
        return decorated(self.source.encode(), self.ref.file, self.names, self.decorate, script=False)
