"""Evidence of earlier commands in a project's cache: it counts while it is recent and what decides it is the same."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from codeopt.core.cache import Cache, CachedValue, CacheKind, digest_of, environment_digest
from codeopt.core.interpreter import Interpreter
from codeopt.core.options import ImproveOptions
from codeopt.core.run_inputs import environment
from codeopt.core.session import Session
from codeopt_sandbox import Sandbox
from codeopt_sandbox.outcome import RunLimits

Parts = Mapping[str, Any]
"""Everything that decides, as JSON can hold it."""


@dataclass
class EvidenceCache:
    """Evidence by what decides it; without a cache everything is computed."""

    cache: Cache | None = None
    key: str = ""
    """Digest of what decides all of it."""
    tell: Callable[[str], None] = lambda line: None
    told: set[str] = field(default_factory=set)
    """Times of earlier runs of tests that the user was told of."""

    def load(self, kind: CacheKind, *parts: str) -> CachedValue | None:
        """Return a value. None if none is kept, or it is too old. parts: what decides it besides the key."""
        found = self.cache.get(kind, self._key_of(parts)) if self.cache else None
        return found if found and is_recent(found.made_at) else None

    def save(self, kind: CacheKind, value: Any, *parts: str) -> None:
        """Keep a value."""
        if self.cache:
            self.cache.put(kind, self._key_of(parts), value)

    def values(self, kind: CacheKind) -> Iterator[CachedValue]:
        """Yield all recent values of a kind, the newest first, whatever decides them."""
        found = self.cache.values(kind) if self.cache else []
        return (each for each in reversed(found) if is_recent(each.made_at))

    def forget(self, *kinds: CacheKind) -> None:
        """Forget what the key alone decides."""
        for kind in kinds if self.cache else ():
            assert self.cache is not None
            self.cache.forget(kind, self._key_of(()))

    def say_again(self, made_at: float, what: str = "") -> None:
        """Tell, once for each, that an earlier run of the tests is used."""
        if (when := in_words(made_at)) not in self.told:
            self.told.add(when)
            self.tell(f"the run of the tests of {when} is used again{what}")

    def _key_of(self, parts: tuple[str, ...]) -> str:
        return digest_of([self.key, *parts])


def open_evidence(
    options: ImproveOptions, session: Session, python: Interpreter | None, project: Path,
    decides: Callable[[Interpreter], Parts | None], tell: Callable[[str], None] = lambda line: None,
) -> EvidenceCache:  # fmt: skip
    """The evidence that a user keeps of a project; none with --no-cache, and where an image has its own Python.

    decides: returns everything that decides, or None where that cannot be known. Raises OSError, ValueError.
    """
    if options.no_cache or options.image or python is None:
        return EvidenceCache(tell=tell)
    try:
        parts = decides(python)
        why = "it may read files outside of the project"
    except (OSError, ValueError) as error:
        parts, why = None, str(error)
    if parts is None:
        session.console.detail(f"Nothing is cached: {why}.")
        return EvidenceCache(tell=tell)
    return EvidenceCache(session.open_cache(project, session.console.print), digest_of(parts), tell)


def is_recent(made_at: float) -> bool:
    """Return True if what was stored at a time may be used."""
    # age after which evidence is collected again, seconds: what a busy machine had no time for should not be missing
    # for ever
    return 0 <= time.time() - made_at < 7 * 86400.0


def in_words(made_at: float | None) -> str:
    """`2026-03-01 12:30`, in local time."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(made_at))


def runner_parts(options: ImproveOptions, python: Interpreter, sandbox: Sandbox, limits: RunLimits) -> Parts:
    """Return key parts that describe the environment: interpreter, packages, codeopt, sandbox, variables. Raises
    OSError."""
    return {
        "environment": environment_digest(python),
        "pytest": python.pytest,
        "sandbox": [sandbox.backend, sandbox.description, asdict(limits), options.runtime],
        "variables": environment(options.env),
    }
