"""Drafts that earlier runs tried on a target and what came of them, for a model to read. They are no evidence."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from codeopt.core.cache import Cache, CacheKind
from codeopt.core.history import Candidate, History
from codeopt.core.sanitize import inline
from codeopt.report.verdict import candidate_in_words
from codeopt.workloads import WorkloadRequest
from codeopt_sandbox.outcome import CaseVerdict

MOST = 12
"""Maximum number of drafts, the newest."""


@dataclass(frozen=True)
class EarlierDrafts:
    """The drafts of one target, command and task."""

    cache: Cache | None
    """The cache of the project. None if nothing is to be remembered."""
    key: str

    def before(self, history: History) -> tuple[str, ...]:
        """The drafts that a history lacks, a line each, the oldest first: `1.9x faster: counts with one dict`."""
        found = self.cache.get(CacheKind.TRIED, self.key) if self.cache else None
        known = found.value if found and isinstance(found.value, list) else []
        own = _lines(history)
        return tuple(line for line in map(str, known) if line not in own)

    def add(self, history: History) -> None:
        """Add the drafts of a history, in place of the oldest ones."""
        if self.cache and (own := _lines(history)):
            self.cache.put(CacheKind.TRIED, self.key, [*self.before(history), *own][-MOST:])


def open_earlier_drafts(request: WorkloadRequest, task: str) -> EarlierDrafts:
    """The drafts of a request's target in the user's cache. Empty with `no_cache`."""
    path = request.target.path.resolve()
    parts = (str(path), request.target.name or "", request.options.run or "", task)
    cache = None
    if not request.options.no_cache:
        cache = request.session.open_cache(path if path.is_dir() else path.parent, request.session.console.print)
    return EarlierDrafts(cache, sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest())


def _lines(history: History) -> list[str]:
    """Return a line for each draft of a language model, each once."""
    return list(dict.fromkeys(_line(candidate) for candidate in history.candidates if candidate.model))


def _line(candidate: Candidate) -> str:
    """A rejection may be shown; what a case shows may not, as that case may be held out from the next run."""
    told = candidate.rejection if all(o.verdict is CaseVerdict.AC for o in candidate.outcomes) else ""
    return f"{candidate_in_words(candidate)}: {inline(candidate.summary)}{f' ({inline(told)})' if told else ''}"
