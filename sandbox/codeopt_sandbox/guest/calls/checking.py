"""Each call by itself: what it returns, raises, changes, prints and leaves behind."""

from __future__ import annotations

import os
import resource
import sys
import time
import types
from io import StringIO

from ..answer import NOTHING, Field
from ..request import OwnCode
from ..syscalls import own_runqueue_wait_s
from .answering import Answering, ArgumentsBefore, CallAnswering, is_plain
from .channel import Said, frame, to_json
from .mutation import Apart
from .outcome import no_arguments, text_field
from .repr.shown import LIMIT, shown_text
from .repr.structure import digest, modules
from .repr.tree import Encoder, written
from .state import random_state, state_of, what_changed
from .worker import Raised, called

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import CodeType, FrameType
    from typing import Any, Literal

    from ..answer import Answer
    from ..request import CallBatch, Filter, FunctionRef
    from .arguments import Call
    from .channel import Channel
    from .worker import Acts, Asking, CallWorker


monotonic = time.monotonic
process_time = time.process_time
LIST_ITERATOR: type[Any] = type(iter([]))
NOTICED_S = 0.001
"""Time of a call away from the processor from which it is asked whether others had it, seconds."""


class CallClock:
    """Seconds of a call, without those in which it was ready to run and others had the processor."""

    def __init__(self) -> None:
        self.wall = self.cpu = 0.0
        self.read()

    def read(self) -> None:
        """Read the time that other processes had of the processor until now."""
        self.waited = own_runqueue_wait_s()
        self.away = monotonic() - process_time()
        """Seconds away from the processor until then, plus a constant."""

    def start(self) -> None:
        """Begin a call. A reading costs as much as a short call, so it is made only if others had the processor."""
        if monotonic() - process_time() - self.away >= NOTICED_S:
            self.read()
        self.wall, self.cpu = monotonic(), process_time()

    def took(self) -> float:
        """Seconds since its beginning."""
        wall, cpu = monotonic() - self.wall, process_time() - self.cpu
        if wall - cpu < NOTICED_S:
            return wall
        before = self.waited
        self.read()
        return max(cpu, wall - (self.waited - before))


class Checking:
    """The checking of one worker's calls."""

    def __init__(self, worker: CallWorker, batch: CallBatch, channel: Channel) -> None:
        self.worker, self.ref, self.batch, self.channel = worker, worker.ref, batch, channel
        worker.leaving.find_patched()
        self.effects = EffectAudit()
        self.captured = CapturedOutput(self.ref, worker.environment.warnings)
        self.lines = LineCoverage(self.ref.file, executable(self.ref, worker.function) if batch.lines else ())
        self.aliasing, self.answering = Aliasing(self.ref.module), Answering(self.ref, batch)
        self.clock = CallClock()
        self.plain: dict[CodeType, bool] = {}
        """Whether a call is written down as nothing but plain values."""
        self.function: Callable[..., Any] = worker.function
        if self.ref.asynchronous:
            self.function = lambda *a, **k: worker.invoke(a, k, batch.items)

    def make_all(self, codes: Sequence[CodeType]) -> Acts:
        """Each call, then the state that all of them leave."""
        limit_memory(self.ref.memory_bytes)
        self.worker.arguments.names.prepare(self.batch.calls)
        if self.ref.asynchronous:
            self.worker.loop()
        leaving = self.worker.leaving
        self.captured.listen_once()
        leaving.look()
        left = to_json(leaving.left(self.ref, []).told())
        before, random = state_of(self.ref, self.worker.module), random_state()
        self.channel.send(Said.LEFT, left)  # now, as calls may end the process
        spent = 0.0
        for number, code in enumerate(codes):
            answer, call, result = yield from self.make(code)
            # most bytes that are kept of one call; its own value is encoded already
            if answer.iterators or answer.value.size <= 20_000:
                self.aliasing.keep(number, call, result)
            took = frame(Said.TOOK, repr(answer.seconds).encode())
            self.channel.write(took + frame(Said.OUTCOME, to_json(answer.told()).encode()))
            spent += answer.seconds
            if spent > self.batch.budget:
                break
            if self.batch.lines and not self.lines.missing:
                break  # what the other calls do is known from elsewhere
        by_calls = leaving.end_calls(self.effects.sets_inner, (globals(),))
        after, random_changed = state_of(self.ref, self.worker.module), random_state() != random
        state = what_changed(before, after, random_changed=random_changed, later=self.aliasing.changed())
        if self.batch.lines:
            function = self.worker.function
            found = [sorted(self.lines.found), executable(self.ref, function), first_line(self.ref, function)]
            self.channel.send(Said.LINES, to_json(found))
        self.channel.send(Said.STATE, to_json(state.told()))
        if by_calls:
            self.channel.send(Said.LEFT, to_json(leaving.left(self.ref, by_calls).told()))

    def make(self, code: CodeType) -> Asking[tuple[Answer, Call, Any]]:
        """Answer of one call with fresh arguments, with the arguments and the result."""
        if code not in self.plain:
            self.plain[code] = is_plain(code)
        random = None if self.plain[code] else random_state()  # code of nobody makes plain arguments
        self.captured.start()  # before a constructor runs: what it writes would count as that of a later call
        try:
            call = self.worker.arguments.fresh(code)
            call = Apart(self.ref.module).call(call) if self.worker.environment.distinct else call
        except Exception as error:
            self.captured.stop()
            return no_arguments(error), ((), {}), None
        if random is not None and random != random_state():
            sys.modules["random"].setstate(random)
        known = [("args", call[0]), ("kwargs", call[1])]
        encoder = Encoder(self.ref.module, known, self.batch.items, self.batch.ordered)
        fresh = self.worker.arguments.fresh
        plain = code if self.plain[code] else None
        was = ArgumentsBefore(self.ref.module, call, plain, lambda: fresh(code), self.batch.ordered)
        # Has a call that yields read a long argument to its end when its first item is there? One that yields while it
        # reads can be given an endless input. Reading ahead by some hundred items does no harm.
        given = [value for value in (*call[0], *call[1].values()) if type(value) is LIST_ITERATOR]
        watched = [value for value in given if value.__length_hint__() >= 2000]
        at_end: list[bool] = []
        encoder.at_first_item = lambda: at_end.append(any(value.__length_hint__() == 0 for value in watched))
        self.clock.start()
        trees, result, raised = yield from self.invoke(call, encoder)
        took = self.clock.took()
        output = self.captured.stop()
        found = CallAnswering(self.answering, encoder, call, was, call)
        if raised is None:
            found.returned(*trees, result)
        else:
            found.raised(raised)
        found.operations(any(at_end), result)
        effects = tuple(sorted(self.effects.found))
        answer = found.end(output=output, complains=self.captured.complains, effects=effects, seconds=took)
        return answer, call, result

    def invoke(self, call: Call, encoder: Encoder) -> Asking[tuple[tuple[Any, Any], Any, BaseException | None]]:
        """(trees of the result, the result, the exception) of a call, listened to."""
        self.lines.start()
        self.effects.arm()
        results = yield called, self.function, [call]
        assert results is not None
        result: Any = results.pop()
        found: BaseException | None = result.error if type(result) is Raised else None
        trees: tuple[Any, Any] = (), ()
        if found is None:
            try:
                result = self.worker.settled(result, self.batch.items)
                trees = self.answering.encoded(encoder, result)
            except BaseException as error:
                found = error
        self.effects.armed = False
        settrace(None)
        return trees, result if found is None else None, found


def limit_memory(more_bytes: int) -> None:
    """A call that asks for too much fails by itself, instead of ending the run with all other calls."""
    if more_bytes:
        with open("/proc/self/statm") as file:  # noqa: PTH123  pathlib would count as imported by the module
            used = int(file.read().split()[5]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_DATA, (used + more_bytes,) * 2)


# Aliasing between calls: changes that later calls make to the arguments or results of earlier ones.

MAX_TEXT_CHARS = 200


class Aliasing:
    """Keeps every second call: of the others memory is used again, which finds out who knows a value by its place."""

    def __init__(self, target: str) -> None:
        self.target, self.size = target, 0
        self.kept: list[tuple[int, Call, Any, bytes]] = []
        """Number, arguments and result of a call, and their encoding when the caller had done with them."""

    def keep(self, number: int, call: Call, result: Any) -> None:
        """A call that is over, with its result as its caller leaves it."""
        # most bytes that are kept of all calls
        if number % 2 or self.size > 1_000_000:
            return
        trees, opaque = self.look(call, result)
        encoding = written(trees)
        if len(encoding) <= 20_000 and not opaque:
            self.size += len(encoding)
            self.kept.append((number, call, result, encoding))

    def look(self, call: Call, result: Any) -> tuple[list[Any], str]:
        """Trees of arguments and result as they are now, with what they keep private; iterators are left alone. The
        type of what cannot be encoded."""
        encoder = Encoder(self.target)
        encoder.reads = False
        if encoder.plain_parts((*call, result)) is not None:
            return [("=", part) for part in (*call, result)], ""
        trees = [encoder.tree(call[0]), encoder.tree(call[1]), encoder.tree(result)]
        return [*trees, encoder.private_tree()], encoder.opaque

    def changed(self) -> list[tuple[str, str, str]]:
        """The first call of which something is another now: name, digest, words."""
        for number, call, result, encoding in self.kept:
            trees, _ = self.look(call, result)
            now = written(trees)
            if now != encoding:
                args, kwargs, value = map(shown_text, trees[:3])
                words = f"its arguments {args} {kwargs} and its result {value}"
                name = f"later calls change what call {number + 1} was given or gave"
                return [(name, digest(now), f"{name}, {words[:MAX_TEXT_CHARS]}")]
        return []


# Effects of a call outside of its process, observed by an audit hook.

addaudithook = sys.addaudithook
_EVENTS = {
    "socket.connect": "network", "socket.bind": "network", "socket.sendto": "network",
    "socket.getaddrinfo": "network", "subprocess.Popen": "process", "os.system": "process", "os.exec": "process",
    "os.fork": "process", "os.forkpty": "process", "os.posix_spawn": "process", "os.remove": "files",
    "os.rename": "files", "os.mkdir": "files", "os.rmdir": "files", "os.chmod": "files", "os.link": "files",
    "os.symlink": "files", "os.truncate": "files", "shutil.rmtree": "files", "os.putenv": "environment",
    "os.unsetenv": "environment", "os.chdir": "folder", "os.kill": "signals", "signal.pthread_kill": "signals",
    "sqlite3.connect": "database", "ctypes.dlopen": "library", "winreg.SetValue": "files",
}  # fmt: skip
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class EffectAudit:
    """Hears while it is armed; `found` has what it heard, keys of EFFECTS."""

    def __init__(self) -> None:
        self.found: set[str] = set()
        self.armed = False
        self.sets_inner = False
        """A function was given another code, or other defaults, at any time."""
        addaudithook(self.hear)

    def arm(self) -> None:
        """Listen from here on, to a new call."""
        self.found.clear()
        self.armed = True

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "object.__setattr__":
            self.sets_inner = True
        if not self.armed:
            return
        if event in _EVENTS:
            self.found.add(_EVENTS[event])
        elif event == "open" and type(arguments[2]) is int and arguments[2] & _WRITES and arguments[0] != "/dev/null":
            self.found.add("files")


# The lines of a function that calls run.

settrace = sys.settrace
MAX_STALE_EVENTS = 5_000
"""Number of events of one code object without a new line after which it is left alone until the next call: a traced
loop is 15 times as slow."""


class LineCoverage:
    """Lines of a file that run between `start` and `stop`, until all that are wanted have run."""

    def __init__(self, file: str, wanted: Iterable[int]) -> None:
        self.file = file
        self.missing = set(wanted)
        self.found: set[int] = set()
        self.known: dict[int, int] = {}

    def start(self) -> None:
        """Watch a call."""
        self.known.clear()
        if self.missing:
            settrace(self.frame)

    def frame(self, frame: types.FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        """A function begins: is it worth a look?"""
        code = frame.f_code
        return self.line if code.co_filename == self.file and self.known.get(id(code), 0) < MAX_STALE_EVENTS else None

    def line(self, frame: types.FrameType, event: str, argument: Any) -> Callable[..., Any]:
        if event == "line":
            if frame.f_lineno in self.found:
                code = id(frame.f_code)
                count = self.known[code] = self.known.get(code, 0) + 1
                frame.f_trace_lines = count < MAX_STALE_EVENTS
            else:
                self.found.add(frame.f_lineno)
                self.missing.discard(frame.f_lineno)
                if not self.missing:
                    settrace(None)
        return self.line


def own_code(function: Any) -> types.CodeType | None:
    """Code of the function below its decorators; None where it is not Python."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return getattr(getattr(function, "__func__", function), "__code__", None)


def first_line(ref: FunctionRef, function: Any) -> int:
    """First line with decorators; 0 where it is not of the module's file."""
    code = own_code(function)
    return code.co_firstlineno if code is not None and code.co_filename == ref.file else 0


def executable(ref: FunctionRef, function: Any) -> list[int]:
    """Lines of a function with code of their own, the `def` line left out."""
    code = own_code(function)
    if code is None:
        return []
    found: set[int] = set()
    todo = [code]
    while todo:
        code = todo.pop()
        found |= {line for line in lines_of(code) if line != code.co_firstlineno}
        todo += [const for const in code.co_consts if isinstance(const, types.CodeType)]
    return sorted(line for line in found if line >= ref.first_line)


def lines_of(code: types.CodeType) -> set[int]:
    if sys.version_info >= (3, 10):
        return {line for _, _, line in code.co_lines() if line}
    import dis

    return {line for _, line in dis.findlinestarts(code) if line}


# Output of a call in addition to its result: standard output and error, by their streams and past these on the
# descriptors below, warnings, log records.
#
# Of warnings the category counts, of log records the level, and only those of the project's own code: a library that a
# draft no longer calls may have warned also. Texts may be worded in another way.


os_open, os_unlink, os_dup2, os_fstat = os.open, os.unlink, os.dup2, os.fstat
os_pread, os_ftruncate = os.pread, os.ftruncate
NAMES = {1: "stdout", 2: "stderr"}
WARNED = ("warn", "warn_explicit")
QUOTED = ("prints", "writes to standard error")
_WARNING = 30
"""Log level of warnings."""


class CapturedOutput:
    """Capture of a call's output between `start` and `stop`. action: of the filter for all warnings."""

    def __init__(self, ref: FunctionRef, action: Filter) -> None:
        self.own = OwnCode(ref)
        self.out, self.err = Printed(1), Printed(2)
        self.warned: list[str] = []
        self.logged: dict[str, int] = {}
        self.listens_to_logs = False
        import warnings  # only now: else it would count as imported by the module

        self.warnings: Any = warnings
        self.usual: Callable[..., Any] = warnings.showwarning
        warnings.simplefilter(action)

    def start(self) -> None:
        """Listen to a new call."""
        self.warned.clear()
        self.logged.clear()
        self.listen_once()
        self.usual, self.warnings.showwarning = self.warnings.showwarning, self.hear_warning
        self.err.start()
        self.out.start()

    def listen_once(self) -> None:
        """Listen to log records, as soon as `logging` is loaded."""
        if not self.listens_to_logs and "logging" in modules:
            self.listens_to_logs = True
            self.listen_to_logs(modules["logging"])

    def stop(self) -> Field:
        """The output; NOTHING if nothing was written."""
        printed, error = self.out.stop(), settled(self.err.stop())
        if self.warnings.showwarning == self.hear_warning:
            self.warnings.showwarning = self.usual
        warned = ", ".join(sorted(set(self.warned)))
        logged = self.levels() if self.logged else ""
        found = {"prints": printed, "writes to standard error": error, "warns": warned, "logs": logged}
        if not any(found.values()):
            return NOTHING
        quoted = [(name, repr(text[:LIMIT]) if name in QUOTED else text) for name, text in found.items() if text]
        return text_field(repr(found), shown=" | ".join([f"{name} {text}" for name, text in quoted]))

    @property
    def complains(self) -> bool:
        """Whether an error was logged."""
        return any(level in self.logged for level in ("ERROR", "CRITICAL"))

    def levels(self) -> str:
        """Number of records of each level from warnings on; below, a draft may log less, but not nothing."""
        counted = [f"{count} {name}" for name, count in sorted(self.logged.items()) if count > 0]
        return ", ".join([*counted, *["details"] * (len(counted) < len(self.logged))])

    def hear_warning(self, message: Any, category: Any, *where: Any, **more: Any) -> None:
        """Replacement of warnings.showwarning."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_globals.get("__name__") in ("warnings", "_py_warnings"):
            frame = frame.f_back
        # the frame is also that of who calls a function in C which warns
        if frame is not None and self.own.has(frame.f_code.co_filename) and {*WARNED} & {*frame.f_code.co_names}:
            self.warned.append(str(getattr(category, "__qualname__", "")))

    def listen_to_logs(self, logging: Any) -> None:
        """Hear each record before its handlers do; what these write is no output of the function's own."""
        usual = logging.Logger.callHandlers

        def call_handlers(logger: Any, record: Any) -> None:
            if self.own.has(record.pathname):
                low = record.levelno < _WARNING
                name = "details" if low else str(record.levelname)
                self.logged[name] = 0 if low else self.logged.get(name, 0) + 1
            marks = self.out.mark(), self.err.mark()
            try:
                usual(logger, record)
            finally:
                self.out.forget(*marks[0])
                self.err.forget(*marks[1])

        logging.Logger.callHandlers = call_handlers
        logging.lastResort = logging.NullHandler()


class Printed:
    """Output between `start` and `stop`."""

    def __init__(self, descriptor: Literal[1, 2] = 1) -> None:
        path = f"/tmp/.printed-{os.getpid()}-{descriptor}"  # memfd_create is among what no run may call
        self.name = NAMES[descriptor]
        self.file = os_open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        os_unlink(path)
        os_dup2(self.file, descriptor)
        self.outer: Any = getattr(sys, self.name)
        self.skipped: list[tuple[int, int]] = []
        """Spans of the file that do not count."""

    def start(self) -> None:
        """Listen to a new call."""
        self.outer = getattr(sys, self.name)
        setattr(sys, self.name, StringIO())

    def stop(self) -> str:
        """Output since `start`, text of the stream first."""
        stream = getattr(sys, self.name)
        text = str(getattr(stream, "getvalue", str)())
        setattr(sys, self.name, self.outer)
        size = os_fstat(self.file).st_size
        if not size:
            return text
        data = os_pread(self.file, min(size, 1 << 20), 0)
        os_ftruncate(self.file, 0)
        for begin, end in reversed(self.skipped):
            data = data[:begin] + data[end:]
        self.skipped.clear()
        return text + data.decode("utf-8", "backslashreplace")

    def mark(self) -> tuple[Any, int, int]:
        """The stream now, its length, and that of what is written past it."""
        stream = getattr(sys, self.name)
        return stream, stream.tell() if type(stream) is StringIO else 0, os_fstat(self.file).st_size

    def forget(self, stream: Any, length: int, size: int) -> None:
        """Take back what was written since a mark."""
        if type(stream) is StringIO:
            stream.seek(length)
            stream.truncate()
        now = os_fstat(self.file).st_size  # to cut it off now would be heard as a change of files
        if now > size:
            self.skipped.append((size, now))


def settled(text: str) -> str:
    """The text without what differs from run to run: numbers, memory addresses, traceback lines, steps of a progress
    bar."""
    if "\r" in text:
        return "a line that is written again and again"
    lines = [line for line in text.split("\n") if line[:1] not in (" ", "\t")]
    head, *rest = "\n".join(lines).split("0x")
    text = "".join([head, *[part.lstrip("0123456789abcdef") for part in rest]])
    return "".join([char for char in text if not char.isdigit()])
