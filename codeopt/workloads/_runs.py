"""Where drafts run: in which environments, as the text of a file, on another core."""

from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from random import Random
from typing import TypeVar, Unpack

from codeopt.core.revision import Revision
from codeopt.workloads.source.module_graph import read_module
from codeopt_sandbox import Sandbox
from codeopt_sandbox.guest.request import EMBEDDED, SHIFTED, USUAL, Environment
from codeopt_sandbox.outcome import Run, RunLimits, Runner, RunOptions

T = TypeVar("T")


def other_environments(source: str) -> tuple[Environment, Environment]:
    """The two others, with other values of the variables that the original's text names."""
    # a number, a text and a flag that is set
    return SHIFTED.replace(variables=tuple((name, "1") for name in variables_read(source))), EMBEDDED


def variables_read(source: str) -> list[str]:
    """Environment variables that a text looks up by name; none of a text that is no Python."""
    keys = _keys(read_module(source))
    found = {key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)}
    # beginnings of variables that decide whether anything runs at all
    return sorted(name for name in found if name and not name.startswith(("PATH", "HOME", "TMPDIR", "LD_", "PYTHON")))


def _keys(tree: ast.AST) -> Iterator[ast.expr]:
    """Keys in `environ["A"]`, `environ.get("A")`, `getenv("A")` and `"A" in environ`."""
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=owner, slice=key) if _name(owner) == "environ":
                yield key
            case ast.Call(func=ast.Attribute(value=owner, attr=name), args=[key, *_]) if name in (
                "get",
                "pop",
                "setdefault",
                "getenv",
            ):
                if name == "getenv" or _name(owner) == "environ":
                    yield key
            case ast.Call(func=ast.Name(id="getenv"), args=[key, *_]):
                yield key
            case ast.Compare(left=key, ops=[ast.In() | ast.NotIn()], comparators=[owner]) if _name(owner) == "environ":
                yield key


def _name(node: ast.expr) -> str:
    """Last part of a name: `environ` of `os.environ`."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def in_order(environment: Environment, calls: Sequence[T]) -> list[T]:
    found = list(calls)
    if environment.order == "shuffled":
        Random(len(found)).shuffle(found)
    return found[::-1] if environment.order == "reversed" else found


def axes(environment: Environment, usual: Environment = USUAL) -> str:
    """Return in words how an environment differs from the usual one: `timezone AAA+3:30, log_level 10`."""
    known = usual.fields()
    other = {name: value for name, value in environment.fields().items() if value != known[name] and name != "name"}
    return ", ".join(f"{name} {_shown(value)}" for name, value in other.items())


def compared_in(counts: Mapping[str, int], what: str) -> str:
    """`calls compared by environment: 12 usual, 12 shifted, 900 neighbour`."""
    return f"{what} compared by environment: {', '.join(f'{count} {name}' for name, count in counts.items())}"


def _shown(value: object) -> str:
    return " ".join(map(_shown, value)) if isinstance(value, tuple) else str(value)


# Runs drafts of targets that are one file, such as a program that reads standard input.


class AroundRunner:
    """A runner that runs what another one does."""

    sandbox: Runner[str]

    @property
    def limits(self) -> RunLimits:
        return self.sandbox.limits

    def restart_guest(self) -> None:
        """Go on with a fresh guest."""
        self.sandbox.restart_guest()

    def quiesce(self) -> None:
        """Leave the measuring core to the run."""
        self.sandbox.quiesce()


@dataclass(frozen=True)
class OneFile(AroundRunner):
    """A runner of revisions around one of texts."""

    sandbox: Runner[str]

    def run(self, program: Revision, stdin: bytes = b"", /, **options: Unpack[RunOptions]) -> Run:
        """Run the text. Raises SandboxError."""
        return self.sandbox.run(program.text, stdin, **options)


@contextmanager
def on_other_core(sandbox: Sandbox, work: Callable[[Sandbox], T]) -> Iterator[Callable[[], T]]:
    """Do some work in a sandbox of its own, and yield what returns its result.

    Nothing may be timed meanwhile. If no core is left, the work is done in the sandbox itself, when its result is asked
    for. On leaving, work that is not done is given up after the run in progress: nobody waits for what a wrong version
    or Ctrl-C has made useless.
    """
    other = sandbox.on_other_core()
    if other is None:
        yield lambda: work(sandbox)
        return
    with ExitStack() as stack:
        # In Python 3.11 a finalizer within one thread's `ast.parse` lets another thread parse, and both end with
        # `SystemError: AST constructor recursion depth mismatch` (python/cpython#106905).
        if gc.isenabled() and sys.version_info[:2] == (3, 11):
            gc.disable()
            stack.callback(gc.enable)
        found = other.thread.submit(work, other)
        try:
            yield found.result
        finally:
            other.stop()
            wait([found])
