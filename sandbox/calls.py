"""Calls of one function in the sandbox: a module's text and calls go in, times and outcomes as lines of text come out.

A `CallRunner` stands where a Sandbox stands: `compare`, `judge` and `make_plan` work on modules as they do on programs
that read standard input. A case's stdin is a `Batch` as text; what is printed is one line a call, `f(1) -> returns
2`. The seconds of such a run
are those between two readings of the clock just before and after its calls, taken by a process that never runs
the code under test (see guest/caller.py); what a whole run took is kept beside it, as a check.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import zip_longest
from typing import Any, Literal

from sandbox.answers import ARROW
from sandbox.outcome import Mode, Run, RunLimits
from sandbox.parts import text_of
from sandbox.runner import Runner

NOT_COMPARABLE = "<not comparable: "
NOT_MADE = "is not made"
"""How what stands for the calls after those that took all the time of a batch begins (NEVER in guest/warden.py)."""
NO_ARGUMENTS = "has no arguments: "
"""How what stands for a call begins whose arguments cannot be made (guest/checking.py)."""
_VALUES = ("values", "handles", "arrays", "words", "arguments")
_PARTS = (
    *_VALUES,
    "pipes",
    "importing",
    "effects",
    "lines",
    "checking",
    "timed",
    "listing",
    "caller",
    "keeper",
    "warden",
)
_TEST_PARTS = ("values", "handles", "importing", "recorder", "blame", "tester")

BatchMode = Literal["check", "time", "cover", "show", "list"]


@dataclass(frozen=True)
class Target:
    """Which function of which module is called, and where the module believes itself to be."""

    module: str
    """Its dotted name."""
    file: str
    """Its path as the sandbox sees it."""
    qualname: str
    paths: tuple[str, ...] = ()
    """Put first on sys.path, in the sandbox."""
    globals: tuple[str, ...] = ()
    """Module-level data of the original; calls that change it are found out."""
    classes: tuple[str, ...] = ()
    """Module-level classes of the original; the same for their data."""
    first_line: int = 1
    """Of the body of the function: lines from here on count for coverage."""
    asynchronous: bool = False
    calls_file: str | None = None
    """Text of the user's file with CALLS and BIG."""
    memory_bytes: int = 0
    """Of one caller, beyond what the import took: it then gets a MemoryError where a run would be killed; 0 for no
    limit."""
    aliases: tuple[str, ...] = ()
    """Other names under which pickled arguments may know the module."""


@dataclass(frozen=True)
class Batch:
    """Calls that one run makes."""

    calls: tuple[str, ...]
    """Each an expression: `f(1, [2], key='x')`, `CALLS[3]`."""
    mode: BatchMode = "check"
    seconds: float = 2.0
    """After this a single call is ended; checking only."""
    lost: int = 1000
    """After so many calls that hang or end the process the rest is not made; checking only."""
    budget: float = 1e9
    """Seconds of all calls together, after which the rest is not made; checking only."""
    passes: int = 1
    """How often all calls are timed in one run, each time in a process forked for it."""
    pass_seconds: float = 60.0
    """The run ends when a timed pass takes longer."""
    warm: int = 0
    """So many calls at the front are made before the clock is read, and not shown."""
    iterators: str = ""
    """"flat" or "nested": results are iterators (of iterators) and are read within the timed region."""

    def stdin(self) -> bytes:
        """The batch as the harness reads it."""
        header = {key: value for key, value in asdict(self).items() if key != "calls"}
        return "\n".join([f"# {header!r}", *self.calls, ""]).encode("utf-8", "surrogatepass")


def harness(target: Target, source: str) -> str:
    """A whole program that calls `target` in the module text `source`."""
    return f"SPEC = {asdict(target)!r}\nSOURCE = {source!r}\n{_guest_text()}"


def script(target: Target, source: str) -> tuple[str, int]:
    """The module itself as a program that makes the calls on its standard input, for a profiler; and after which of its
    lines a line was put in."""
    text, after = _as_main(source, target)
    spec = {**asdict(target), "run": False, "module": "__main__"}
    tail = (
        f"\n_h = {{'SPEC': {spec!r}, 'SOURCE': '', '__name__': 'harness'}}\n"
        f"exec(compile({_guest_text()!r}, 'harness', 'exec'), _h)\n"
        f"_m = __import__('sys').modules; _m[{target.module!r}] = _m['__main__']; _h['make_calls'](_m['__main__'])\n"
    )
    return text + tail, after


def _as_main(source: str, target: Target) -> tuple[str, int]:
    """The source with one more line that sets up its import path, below what must come first."""
    import ast

    tree = ast.parse(source)
    after = 0
    for node in tree.body:
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not docstring and not future:
            break
        after = node.end_lineno or 0
    package = target.module if target.file.endswith("/__init__.py") else target.module.rpartition(".")[0]
    setup = (
        f"__import__('sys').path[:0] = {list(target.paths)!r}; __package__ = {package!r}; __file__ = {target.file!r}"
    )
    setup += f"; {package!r} and __import__({package!r})"
    lines = re.split("(?<=\n)", source)
    return "".join(
        [*lines[:after], ("" if not after or lines[after - 1].endswith("\n") else "\n") + setup + "\n", *lines[after:]]
    ), after


def test_run(
    target: Target,
    source: str,
    job: str,
    tests: Sequence[str],
    folder: str,
    most: int,
    seconds: float,
    files: Sequence[str],
) -> str:
    """A whole program that runs existing tests ("pytest") or doctests ("doctest") on the module text `source`.

    most: how many calls of the function to write down. seconds: after these no further test is begun. files: whose
    functions a "rank" job times.
    """
    spec = {
        **asdict(target), "job": job, "tests": list(tests), "folder": folder, "most": most, "seconds": seconds,
        "files": list(files),
    }  # fmt: skip
    return f"SPEC = {spec!r}\nSOURCE = {source!r}\n{_guest_text(_TEST_PARTS)}"


def recorder_text() -> str:
    """Python source that defines `install(spec, sink)`, for a program that is to be recorded."""
    return _guest_text(("values", "handles", "recorder", "blame"))


def _guest_text(parts: tuple[str, ...] = _PARTS) -> str:
    """The parts of the harness; it keeps builtins of its own, because a module can patch everybody's."""
    own = "__builtins__ = dict(getattr(__builtins__, '__dict__', __builtins__))\n"
    return own + text_of(*parts)


@dataclass
class CallRunner:
    """Runs batches of calls in a sandbox. A program is a module's text, made a harness by `render`."""

    sandbox: Runner
    render: Callable[[str], str]
    name: Callable[[str], str] = str
    """A call as it is shown."""
    outside_s: dict[str, list[float]] = field(default_factory=dict)
    """By program: CPU seconds of whole timed runs less those within the timed region."""
    import_s: dict[str, list[float]] = field(default_factory=dict)
    """By program: CPU seconds from the start of its process until its module is imported."""
    first_s: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    """By program: (CPU, wall) seconds of the first pass of each timed run, before which nothing can be remembered."""

    @property
    def limits(self) -> RunLimits:
        """The sandbox's own."""
        return self.sandbox.limits

    def run(
        self,
        program: str | bytes,
        stdin: bytes = b"",
        *,
        args: Sequence[str] = (),
        mode: Mode = "fork",
        limits: RunLimits | None = None,
        hash_seed: int = 0,
    ) -> Run:
        """Make the calls of a batch; seconds are those of the calls. What is no answer of ours stays as it is."""
        source = program if isinstance(program, str) else program.decode()
        run = self.sandbox.run(
            self.render(source), stdin, args=args, mode=mode, limits=limits or self._roomy(stdin), hash_seed=hash_seed
        )
        if run.exit != 0 or run.stop is not None:
            return run
        meta, lines = _read(run)
        calls = stdin.decode("utf-8", "surrogatepass").rstrip("\n").split("\n")[1:]
        calls = calls[len(calls) - len(lines) + _has_state(lines) :]
        text = "".join(
            f"{self.name(call)}{ARROW}{line}\n" if call else f"{line}\n"
            for call, line in zip_longest(calls, lines, fillvalue="")
        )
        run = replace(run, stdout=text.encode("utf-8", "surrogatepass"))
        if not meta["cpu"]:
            return run
        self.outside_s.setdefault(source, []).append(run.cpu_s - sum(meta["cpu"]))
        self.import_s.setdefault(source, []).append(meta["import"])
        self.first_s.setdefault(source, []).append((meta["cpu"][0], meta["wall"][0]))
        return replace(run, cpu_s=sum(meta["cpu"]), wall_s=sum(meta["wall"]), runqueue_wait_s=sum(meta["delay"]))

    def quiesce(self) -> None:
        """Before timing, as the sandbox does it."""
        self.sandbox.quiesce()

    def _roomy(self, stdin: bytes) -> RunLimits:
        """One run makes many calls, and imports first."""
        calls = stdin.count(b"\n")
        return replace(self.limits, seconds=self.limits.seconds * 6 + 20 + calls)

    def ask(self, source: str, batch: Batch, hash_seed: int = 0) -> tuple[dict[str, Any], list[str], Run]:
        """Run a batch in a fresh interpreter: what was measured, a line for each call, and the run. No lines: the
        run says why."""
        stdin, program = batch.stdin(), self.render(source)
        run = self.sandbox.run(program, stdin, mode="exec", limits=self._roomy(stdin), hash_seed=hash_seed)
        if run.exit != 0 or run.stop is not None:
            return {}, [], run
        meta, lines = _read(run)
        return meta, lines, run


def _has_state(lines: Sequence[str]) -> int:
    return int(bool(lines) and lines[-1].startswith("state: "))


def _read(run: Run) -> tuple[dict[str, Any], list[str]]:
    """The harness's answer: measurements, then lines. Raises ValueError when it is not what the harness writes."""
    text = run.stdout.decode("utf-8", "surrogateescape")
    head, *lines = text.split("\n")
    meta = json.loads(head)
    seconds = [*meta["cpu"], *meta["wall"], *meta["delay"], meta["import"]]
    if not all(isinstance(value, float) and 0 <= value < math.inf for value in seconds):
        raise ValueError(f"times that make no sense: {head:.100}")
    return meta, lines[:-1]
