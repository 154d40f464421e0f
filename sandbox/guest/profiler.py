"""Profiles one program inside the sandbox: run as `python profiler.py`, a whole program by itself.

stdin:  one line of JSON {"source": bytes, "stdin": bytes, "mode": "lines" | "scalene", "marker": text,
        "min_seconds": s, "max_seconds": s}, then the program's source (UTF-8) and its input, of those lengths.
stdout: a line of the marker and the result as JSON. What the program itself prints goes to /dev/null.

lines    {"lines": [[line, hits, own ns]], "functions": [[name, line, calls, own ns]], "peak_mib": MiB}
scalene  {"lines": [[line, python, native, peak MiB, growth MiB, copied MiB/s]], "system": share of the CPU time,
          "runs": n, "seconds": of all runs, "memory": whether it could see it}; python, native in % of all samples
both     "ended": type of the exception that ended the program, "stopped": it ran past max_seconds;
         or only "missing": a package, or "error": type of an exception of ours

Uses the standard library, line_profiler and scalene; reads nothing but its stdin and its own text.
"""

import importlib.util
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
from pathlib import Path

INTERVAL = 0.005
"""Seconds between Scalene's samples."""
START_SECONDS, REPORT_SECONDS = 10.0, 3.0
"""What Scalene may take before and after the program; 0.4 s and 0.2 s on an idle machine."""
MAX_RUNS = 1000
FOLDED = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
"""Code shown as part of the function around it, where Python 3.12 inlines most of it anyway."""
SUSPENDABLE = 0x20 | 0x80 | 0x200
"""co_flags of generators, coroutines and asynchronous generators."""
leave_process = os._exit


class Stop(BaseException):
    """Raised in the program when its time is up; no `except Exception` swallows it."""


# --- the program ---------------------------------------------------------------------------------


class Program:
    """The program's file and its input, to be run in this process as `__main__`."""

    def __init__(self, folder):
        self.path = folder / "program.py"
        self.stdin = folder / "stdin"

    def compile(self):
        return compile(self.path.read_bytes().decode(), str(self.path), "exec")

    def run(self, code):
        """Run its code once; return the type of the exception that ended it, or an empty text."""
        module = types.ModuleType("__main__")
        module.__dict__.update(__file__=str(self.path), __builtins__=__builtins__)
        sys.modules["__main__"], sys.argv = module, [str(self.path)]
        self.open_streams()
        try:
            exec(code, module.__dict__)
            for thread in threading.enumerate():
                if thread is not threading.current_thread() and not thread.daemon:
                    thread.join()
        except (Stop, KeyboardInterrupt):
            raise
        except SystemExit:
            pass
        except BaseException as error:
            return type(error).__name__
        return ""

    def open_streams(self):
        fd = os.open(self.stdin, os.O_RDONLY)
        os.dup2(fd, 0)
        os.close(fd)
        sys.stdin = sys.__stdin__ = os.fdopen(0, encoding="utf-8", errors="surrogateescape", closefd=False)
        sys.stdout = sys.__stdout__ = os.fdopen(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)


def own_the_streams():
    """Put /dev/null in place of stdout and stderr; return a descriptor of the real stdout."""
    result = os.dup(1)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os._exit = sys.exit  # some programs end so; the profile would be lost
    return result


# --- lines ---------------------------------------------------------------------------------------


class CallSites:
    """How long each call site of the program waited for functions of the program, in ns.

    line_profiler charges a line with all the time until the next line of the same frame, callees included. Less
    what is measured here, that is the line's own time. The hooks run at each entry and exit of a function of the
    program: sys.monitoring events from Python 3.12 on; before that the timer of the C profiler, because
    sys.setprofile would call Python at each call of a builtin too and so slow the lines with many of them.
    """

    def __init__(self, codes, costs):
        self.codes = codes
        self.line_cost, self.call_cost, self.item_cost = (round(cost) for cost in costs)
        self.filename = codes[0].co_filename
        self.frames = []
        self.starts = []
        """(when the entry was seen, when the program went on), ns; the time between is overhead."""
        self.away = {}
        """(id of code, offset) -> ns."""
        self.calls = {}
        """id of code -> number of entries; a generator is entered at each item."""
        self.suspended = {}
        """(id of code, offset of a yield) -> ns between entries and this exit."""
        self.profilers = []

    def hooks(self):
        """(push, pop): what to do at an entry and at an exit. Closures, because their cost is the overhead."""
        frames, starts, away, calls, suspended = self.frames, self.starts, self.away, self.calls, self.suspended
        now, call_cost = time.perf_counter_ns, self.call_cost

        def push(code, frame):
            start = now()
            calls[id(code)] = calls.get(id(code), 0) + 1
            frames.append(frame)
            starts.append((start, now()))

        def pop(code, frame):
            end = now()
            if not frames or frames[-1] is not frame:
                self.recover(frame)
                return
            frames.pop()
            start, begin = starts.pop()
            if code.co_flags & SUSPENDABLE:
                key = (id(code), frame.f_lasti)
                suspended[key] = suspended.get(key, 0) + end - begin
            if frames:
                key = (id(frames[-1].f_code), frames[-1].f_lasti)
                away[key] = away.get(key, 0) + now() - start + call_cost

        return push, pop

    def recover(self, frame):
        """A frame of the program is left that is not on top: threads took turns, or a signal fell into a hook."""
        if frame.f_code.co_filename is not self.filename:
            return
        for index in range(len(self.frames) - 1, -1, -1):
            if self.frames[index] is frame:
                del self.frames[index], self.starts[index]
                return

    def start(self):
        """Begin to listen; return the code of the hooks."""
        push, pop = self.hooks()
        listen = self.listen_to_events if hasattr(sys, "monitoring") else self.listen_to_timer
        return {push.__code__, pop.__code__, *listen(push, pop)}

    def stop(self):
        for timer in self.profilers:
            timer.disable()
        if hasattr(sys, "monitoring"):
            sys.monitoring.set_events(sys.monitoring.COVERAGE_ID, 0)
            sys.monitoring.free_tool_id(sys.monitoring.COVERAGE_ID)

    def listen_to_events(self, push, pop):
        getframe, events, register = sys._getframe, sys.monitoring.events, sys.monitoring.register_callback
        tool = sys.monitoring.COVERAGE_ID  # below line_profiler's: called after it, when the callee's line has ended
        sys.monitoring.use_tool_id(tool, "codeopt")

        def enter(code, *_):
            push(code, getframe(1))

        def leave(code, *_):
            pop(code, getframe(1))

        for event in (events.PY_START, events.PY_RESUME):
            register(tool, event, enter)
        for event in (events.PY_RETURN, events.PY_YIELD, events.PY_UNWIND):
            register(tool, event, leave)
        for code in self.codes:
            local = events.PY_START | events.PY_RESUME | events.PY_RETURN | events.PY_YIELD
            sys.monitoring.set_local_events(tool, code, local)
        sys.monitoring.set_events(tool, events.PY_UNWIND)
        return enter.__code__, leave.__code__

    def listen_to_timer(self, push, pop):
        import _lsprof
        import dis

        getframe, filename, frames, resume = sys._getframe, self.filename, self.frames, dis.opmap["RESUME"]

        def tick():
            frame = getframe(1)
            code = frame.f_code
            if code.co_filename is filename:
                at_entry = code.co_code[frame.f_lasti] == resume and not (frames and frames[-1] is frame)
                (push if at_entry else pop)(code, frame)
            return 0

        def start_profiler():
            self.profilers.append(_lsprof.Profiler(tick, 0.0, False, False))
            self.profilers[-1].enable()

        self.start_profiler = start_profiler
        start_profiler()
        return (tick.__code__,)


def run_lines(program, header):
    costs = calibrate()
    sys.setrecursionlimit(sys.getrecursionlimit() + 50)  # for the frames of this file
    before, _ = memory_mib()
    found, (ended, stopped) = trace(
        program.compile(), lambda code, hooks: within(header["max_seconds"], hooks, lambda: program.run(code)), costs
    )
    return {**found, "ended": ended, "stopped": stopped, "peak_mib": max(0, memory_mib()[1] - before)}


def trace(code, run, costs):
    """Call `run(code made ready, code of the hooks)` under both profilers; return (table, what it returned)."""
    from line_profiler import LineProfiler

    profiler, codes = LineProfiler(), []
    code = register(code, profiler, codes)
    sites = CallSites(codes, costs)
    follow_threads(profiler, sites)
    profiler.enable_by_count()
    result = run(code, sites.start())
    profiler.disable_by_count()
    sites.stop()
    return table(profiler.get_stats().timings, sites, code), result


IDLE = """
def call():
    pass
def lines(items):
    for item in items:
        item
def calls(items):
    for item in items:
        item; call()
def resumed(items):
    sum(item for item in items)
for function in lines, calls, resumed:
    function(range(1000))
"""


def calibrate():
    """What the profilers add to a line, a call and an item of a generator in one line, in ns: (line, call, item)."""
    code, idle = compile(IDLE, "<idle>", "exec"), {}
    exec(code, idle)
    bare = {name: min(elapsed(idle[name]) for _ in range(5)) / 1000 for name in ("lines", "calls", "resumed")}
    tables = [trace(code, lambda code, _: exec(code, {}), (0, 0, 0))[0]["lines"] for _ in range(3)]
    own = {line: min(dict((n, ns) for n, _, ns in rows)[line] for rows in tables) / 1000 for line in (6, 9, 11)}
    line = max(0, own[6] - bare["lines"] / 2)
    call = max(0, own[9] - line - bare["calls"] + bare["lines"] / 2)
    return line, call, max(0, own[11] - call - bare["resumed"])


def elapsed(function):
    start = time.perf_counter_ns()
    function(range(1000))
    return time.perf_counter_ns() - start


def register(code, profiler, codes):
    """Tell line_profiler of this code and of all code in it; return the code to run, which it makes unique."""
    inner = (register(c, profiler, codes) if isinstance(c, types.CodeType) else c for c in code.co_consts)
    holder = types.SimpleNamespace(__code__=code.replace(co_consts=tuple(inner)))
    profiler.add_function(holder)
    codes.append(holder.__code__)
    return holder.__code__


def follow_threads(profiler, sites):
    """Before 3.12 tracing belongs to a thread: begin at the first call in each new one."""
    if hasattr(sys, "monitoring"):
        return

    def first_call(*_):
        sys.setprofile(None)
        profiler.enable_by_count()
        sites.start_profiler()

    threading.setprofile(first_call)


def within(seconds, hook_codes, run):
    """Run for at most so long; return (what `run` returned, whether it was stopped)."""

    def alarm(_, frame):
        if frame is not None and frame.f_code in hook_codes:
            signal.setitimer(signal.ITIMER_REAL, 0.001, 0.1)  # an exception in a hook would be lost
        else:
            raise Stop

    signal.signal(signal.SIGALRM, alarm)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.1)
    try:
        try:
            return run(), False
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except Stop:
        return "", True


def table(timings, sites, top):
    """Own time by line and by function, from line_profiler's time with callees and the time away."""
    codes = {(code.co_firstlineno, code.co_qualname): code for code in sites.codes}
    away, suspended, owners = by_line(sites.away, sites.codes), by_line(sites.suspended, sites.codes), {}
    find_owners(top, top, owners)
    lines, functions = {}, {}
    for (_, first, name), rows in timings.items():
        code = codes[first, name]
        owner, calls = owners[id(code)], sites.calls.get(id(code), 0)
        times = {line: [hits, ns] for line, hits, ns in rows}
        if hasattr(sys, "monitoring"):
            add_resumed(times, suspended.get(id(code), {}), calls, calls * sites.item_cost)
        function = functions.setdefault(id(owner), [owner.co_qualname, owner.co_firstlineno, 0, 0])
        function[2] += calls if owner is code else 0
        for line, (hits, ns) in times.items():
            own = max(hits, ns - away.get(id(code), {}).get(line, 0) - hits * sites.line_cost)  # 1 ns at the least
            entry = lines.setdefault(line, [line, 0, 0])
            entry[1], entry[2] = max(entry[1], hits), entry[2] + own
            function[3] += own
    return {"lines": list(lines.values()), "functions": list(functions.values())}


def by_line(by_offset, codes):
    """{(id of code, offset): ns} as {id of code: {line: ns}}."""
    result = {}
    for code in codes:
        lines = result[id(code)] = {}
        for start, end, line in code.co_lines():
            for offset in range(start, end, 2):
                ns = by_offset.get((id(code), offset), 0)
                if ns and line:
                    lines[line] = lines.get(line, 0) + ns
    return result


def find_owners(code, owner, owners):
    """Fill {id of code: the code of the function that it is shown under}."""
    owners[id(code)] = owner = owner if code.co_name in FOLDED else code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            find_owners(inner, owner, owners)


def add_resumed(times, suspended, calls, cost):
    """Add what line_profiler misses from Python 3.12 on: a generator resumed in the same line is no new line there."""
    total = sum(suspended.values())
    missed = total - cost - sum(ns for _, ns in times.values())
    for line, ns in suspended.items():
        if missed > 0:
            hits, seen = times.get(line, (0, 0))
            times[line] = [max(hits, calls), seen + missed * ns // total]


def memory_mib():
    """Memory of this process in MiB, (now, highest).

    Not from Scalene, which holds on to what it samples: a program that takes and drops two blocks of 57 MiB five
    times came out at 343 MiB there, by its own count and by the system's.
    """
    status = Path("/proc/self/status")
    fields = dict(line.split(":", 1) for line in status.read_text().splitlines()) if status.exists() else {}
    return tuple(int(fields.get(name, "0").split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))


# --- Scalene -------------------------------------------------------------------------------------


def run_scalene(program, header):
    """Run Scalene in a process of its own on `repeat`, and cut its report down."""
    folder = program.path.parent
    (folder / "guest.py").write_bytes(Path(__file__).read_bytes())
    (folder / "repeat.py").write_text("import guest\nguest.repeat()\n")
    for memory in (True, False):  # for memory it maps files of 256 MiB: too large for some limits
        stopped = start_scalene(folder, memory, header)
        runs, report = (read_json(folder / name) for name in ("runs", "report.json"))
        if runs or stopped:
            return {**runs, **shorten(report), "stopped": stopped, "memory": memory}
    raise ChildProcessError


def start_scalene(folder, memory, header):
    """Run it; return whether it had to be stopped. The time counts from when it is about to run the program."""
    ready, tell = os.pipe()
    (folder / "limits").write_text(json.dumps({**header, "tell": tell}))
    package = Path(importlib.util.find_spec("scalene").origin).parent
    # What `scalene run` sets before it starts itself a second time.
    preload = {"LD_PRELOAD": "libscalene.so", "LD_LIBRARY_PATH": str(package)} if memory else {}
    environment = {**os.environ, **preload, "SCALENE_ALLOCATION_SAMPLING_WINDOW": "1048576", "TMPDIR": str(folder)}
    options = ["--cpu-sampling-rate", str(INTERVAL), "--no-stacks", "--no-async", "-o", str(folder / "report.json")]
    options += [] if memory else ["--cpu-only"]
    command = [sys.executable, str(folder / "guest.py"), "run", *options, str(folder / "repeat.py")]
    with subprocess.Popen(command, env=environment, cwd=folder, pass_fds=[tell]) as process:
        os.close(tell)
        select.select([ready], [], [], START_SECONDS)
        os.close(ready)
        return finish(process, header["max_seconds"])


def finish(process, seconds):
    """Wait; at the end of the time interrupt it, which lets Scalene write its report, or else kill it."""
    for grace, end in ((seconds, process.send_signal), (REPORT_SECONDS, lambda _: process.kill())):
        try:
            process.wait(grace)
            return grace != seconds
        except subprocess.TimeoutExpired:
            end(signal.SIGINT)
    return True


def read_json(path):
    """An empty dict when Scalene was killed before it wrote the file, or had nothing to write."""
    return json.loads(path.read_text()) if path.exists() else {}


def main_scalene():
    """The second process: Scalene 2.4.0 with samples at even distances.

    It draws them at random and, drawing the next before it uses the last, takes what a sample is late for native
    time against the wrong one: a loop of pure Python came out at 60 % Python, and at 93 % with even distances.
    """
    from scalene.scalene_profiler import Scalene

    Scalene._generate_exponential_sample = staticmethod(lambda scale: scale)
    Scalene.main()


def repeat():
    """Inside Scalene: run the program until it has run for long enough to sample."""
    folder = Path(__file__).parent
    header = json.loads((folder / "limits").read_text())
    program = Program(folder)
    code = program.compile()
    os.close(header["tell"])
    facts, start, before = {"runs": 0, "seconds": 0, "ended": ""}, time.perf_counter(), os.times()
    try:
        while facts["seconds"] < header["min_seconds"] and facts["runs"] < MAX_RUNS:
            facts["ended"] = program.run(code) or facts["ended"]
            facts.update(runs=facts["runs"] + 1, seconds=time.perf_counter() - start)
    finally:
        after = os.times()
        user, system = after.user - before.user, after.system - before.system
        facts.update(seconds=time.perf_counter() - start, system=system / ((user + system) or 1))
        (folder / "runs").write_text(json.dumps(facts))


def shorten(report):
    """The program's lines of Scalene's report that took time or memory."""
    files = {Path(name).name: file for name, file in report.get("files", {}).items()}
    lines = []
    for line in files.get("program.py", {"lines": []})["lines"]:
        # Not n_sys_percent: it is the time without CPU, all of it, so that it grows on a busy machine.
        shares = [line["n_cpu_percent_python"], line["n_cpu_percent_c"]]
        memory = [line["n_peak_mb"], line["n_growth_mb"], line["n_copy_mb_s"]]
        if any(shares) or any(memory):
            lines.append([line["lineno"], *shares, *memory])
    return {"lines": lines}


# --- both ----------------------------------------------------------------------------------------

MODES = {"lines": ("line_profiler", run_lines), "scalene": ("scalene", run_scalene)}


def main():
    header = json.loads(sys.stdin.buffer.readline())
    folder = Path(tempfile.mkdtemp(prefix="profile"))
    program = Program(folder)
    program.path.write_bytes(sys.stdin.buffer.read(header["source"]))
    program.stdin.write_bytes(sys.stdin.buffer.read(header["stdin"]))
    process, output = os.getpid(), own_the_streams()
    result = answer(program, header)
    if os.getpid() == process:  # not a process that the program forked
        shutil.rmtree(folder, ignore_errors=True)
        text = memoryview(f"\n{header['marker']}{json.dumps(result)}\n".encode())
        while text:
            text = text[os.write(output, text) :]
    leave_process(0)


def answer(program, header):
    package, run = MODES[header["mode"]]
    if importlib.util.find_spec(package) is None:
        return {"missing": package}
    try:
        return run(program, header)
    except Exception as error:
        return {"error": type(error).__name__}


if __name__ == "__main__" and sys.argv[1:2] == ["run"]:
    main_scalene()
elif __name__ == "__main__":
    main()
