"""Opening of the sandbox that the options ask for, or one line that says why it cannot be opened."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from codeopt.core.errors import NoSandbox
from codeopt.core.options import ISOLATED, ImproveOptions
from codeopt.core.run_inputs import environment, folder_mib
from codeopt_sandbox import BackendUnavailable, Options, Run, RunLimits, Sandbox, open_sandbox
from codeopt_sandbox.owner import BaseFolder

NOT_ISOLATED = (
    "neither Docker nor namespaces can be used here: your program runs as a plain process, with limits but not isolated"
)
OR_PROCESS = "auto, or process"
"""Sandbox of the user's own code. No flag names it."""
FOR_TESTS = 4
"""Memory of a run of a project's own tests, as a multiple of that of other runs."""


def open_isolated(
    options: ImproveOptions,
    *,
    notify: Callable[[str], None],
    mounts: tuple[tuple[str, str], ...] = (),
    core: int | None = None,
    spare: int | None = None,
    base: BaseFolder | None = None,
) -> Sandbox:
    """Open the sandbox that the options ask for, as a context manager.

    If nothing can isolate, only options from `for_own_code` use plain processes, which is reported. core: the CPU core
    for the runs, None for the least busy one. spare: guests kept ready, None for as many as the backend needs. base:
    initial files in the working folders of runs, and the room that others need there. Raises NoSandbox, and UsageError
    for unusable files or variables of the options.
    """
    room_mib = folder_mib(options.args or (), options.with_paths) + (base.room_mib if base else 0)
    limits = RunLimits(memory_mib=options.memory)
    limits = limits if options.timeout is None else replace(limits, seconds=options.timeout)
    limits = replace(limits, file_mib=limits.file_mib + 2 * room_mib)
    env = environment(options.env)
    chosen = Options(
        limits,
        options.python,
        options.image,
        options.runtime,
        core=core,
        spare=spare,
        mounts=mounts,
        env=env,
        base=base,
        most_memory_mib=FOR_TESTS * options.memory if base else 0,
    )
    try:
        any_will_do = options.sandbox in ("auto", ISOLATED, OR_PROCESS)
        return open_sandbox("auto" if any_will_do else options.sandbox, options=chosen)
    except BackendUnavailable as error:
        if options.sandbox != OR_PROCESS or options.image:
            unsafe, others = "--sandbox process runs code without isolation", "codeopt doctor shows what works here"
            hint = unsafe if any_will_do else others
            raise NoSandbox(str(error), hint=hint) from error
    notify(NOT_ISOLATED)
    try:
        return open_sandbox("process", options=chosen)
    except BackendUnavailable as error:
        raise NoSandbox(str(error)) from error


def for_own_code(options: ImproveOptions) -> ImproveOptions:
    """Options for the user's own code, with which `auto` may be a plain process."""
    return replace(options, sandbox=OR_PROCESS) if options.sandbox == "auto" else options


def isolated(options: ImproveOptions) -> ImproveOptions:
    """Choose a sandbox that isolates, for code that others wrote. Raises NoSandbox where nothing isolates: a plain
    process needs the user's own flag (--sandbox process)."""
    with open_isolated(options, notify=lambda line: None, spare=0) as sandbox:
        return replace(options, sandbox=sandbox.backend)


# Base of sandboxes that change how another one runs.


class WrappedSandbox(ABC):
    """A sandbox around an inner one, whose members it has otherwise. The one on another core is wrapped also."""

    def __init__(self, inner: Sandbox) -> None:
        self._inner = inner

    @abstractmethod
    def run(self, program: Any, stdin: bytes = b"", **options: Any) -> Run:
        """Run a program, with the parameters of Sandbox.run."""

    @abstractmethod
    def around(self, inner: Sandbox) -> Self:
        """Return the same wrapper around another sandbox."""

    def on_other_core(self) -> Self | None:
        """Return the same on another core. None if all are taken."""
        inner = self._inner.on_other_core()
        return None if inner is None else self.around(inner)

    def __enter__(self) -> Self:
        self._inner.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._inner.__exit__(kind, error, traceback)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)
