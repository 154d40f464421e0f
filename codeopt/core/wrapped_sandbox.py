"""Base of sandboxes that change how another one runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Any, Self

from codeopt_sandbox import Run, Sandbox


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
