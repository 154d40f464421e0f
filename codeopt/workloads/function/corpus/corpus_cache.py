"""Evidence of a function that is kept for the next request: its corpus, and the choice of the calls that are timed.

What decides is in the key: everything that the function and the sources of its calls can reach, what runs them, and the
options. What must be unseen is never kept; and no expected answer is taken from here: the original makes each call of a
case once more.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from codeopt.core.cache import Cache, CacheKind
from codeopt.core.diagnostic import Diagnostic
from codeopt.core.environment_digest import digest_of
from codeopt.workloads import WorkloadRequest
from codeopt.workloads.function.calls.call_names import CallNames
from codeopt.workloads.function.corpus.cache_key import named_tests, reached_digest, runner_parts, test_paths
from codeopt.workloads.function.corpus.collect import collect_corpus, with_given_calls
from codeopt.workloads.function.corpus.corpus import CallCorpus, EarlyCheck
from codeopt.workloads.function.corpus.exclusions import Exclusion, ExclusionReason, Exclusions
from codeopt.workloads.function.corpus.observe import KnownCall
from codeopt.workloads.function.corpus.trace_cache import open_trace_cache
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.function.recording.recording import left_out, recorded_calls
from codeopt_sandbox.call_answer import read_outcome
from codeopt_sandbox.guest.calls.batch import ORDERED

if TYPE_CHECKING:
    from codeopt_sandbox.guest.calls.batch import Ordered

FORMAT = 5
"""Version of the JSON below."""
MAX_AGE_S = 7 * 86400.0
"""Age after which evidence is collected again, seconds: what a busy machine had no time for should not be missing for
ever."""


@dataclass(frozen=True)
class CorpusCache:
    """Evidence of one function in the cache; without a cache everything is computed."""

    cache: Cache | None = None
    key: str = ""

    def load(self, kind: CacheKind) -> tuple[Any, float] | None:
        """A value and when it was stored, seconds since the epoch. None if no value is kept, or it is too old."""
        found = self.cache.get(kind, self.key) if self.cache else None
        return (found.value, found.made_at) if found and 0 <= time.time() - found.made_at < MAX_AGE_S else None

    def save(self, kind: CacheKind, value: Any) -> None:
        """Keep a value."""
        if self.cache:
            self.cache.put(kind, self.key, value)

    def forget(self) -> None:
        """Forget everything of the function: the original no longer does what is kept."""
        if self.cache:
            self.cache.forget(CacheKind.CORPUS, self.key)
            self.cache.forget(CacheKind.TIMING, self.key)


@dataclass(frozen=True)
class KnownFunction:
    """A function with its corpus."""

    harness: FunctionHarness
    corpus: CallCorpus
    kept: CorpusCache


def known_function(
    request: WorkloadRequest, harness: FunctionHarness, calls_text: str, *, fresh: bool = False,
    early_check: EarlyCheck | None = None,
) -> KnownFunction:  # fmt: skip
    """The corpus from the cache, or collected, and then kept. Raises ProgramError, UsageError.

    calls_text: a calls file that a language model wrote. fresh: what is kept is not used. early_check: as `gather`
    calls it, when calls are collected.
    """
    notify = request.session.console.progress
    asked = with_given_calls(harness, request.options, calls_text)
    kept = _kept(request, asked)
    found = None if fresh else _loaded(kept, asked)
    if found is not None:
        notify(f"using the calls of {made_at_in_words(found.corpus)}")
        return found
    function = harness.function
    linked = request.imported_in_place(function.path, request.other.path if request.other else None)
    traces = open_trace_cache(harness, request.options, request.session, request.interpreter, linked)
    if harness.traced is None and not fresh and request.options.use_tests:
        harness = replace(harness, traced=traces.calls(function.path, function.qualname))
    seen = partial(traces.keep_calls, function.path, function.qualname)
    harness, corpus = collect_corpus(harness, request.options, calls_text, notify, early_check, seen)
    if not corpus.thin():
        kept.save(CacheKind.CORPUS, corpus_to_json(corpus, harness.names))
    return KnownFunction(harness, corpus, kept)


def made_at_in_words(corpus: CallCorpus) -> str:
    """`2026-03-01 12:30`, in local time."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(corpus.reused_from))


def _loaded(kept: CorpusCache, harness: FunctionHarness) -> KnownFunction | None:
    stored = kept.load(CacheKind.CORPUS)
    if stored is None:
        return None
    try:
        corpus, names = corpus_from_json(stored[0])
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        return None
    return KnownFunction(
        replace(harness, names=replace(names, method=harness.names.method)),
        replace(corpus, reused_from=stored[1]),
        kept,
    )


def corpus_to_json(corpus: CallCorpus, names: CallNames) -> dict[str, Any]:
    """A corpus as data."""
    return {
        "format": FORMAT,
        "known": [
            [
                each.text,
                each.source,
                each.seconds,
                each.outcome.told(),
                each.repeated,
                each.ordered,
                [[name, outcome.told()] for name, outcome in each.elsewhere],
            ]
            for each in corpus.known
        ],
        "big": list(corpus.big),
        "left_out": [_counts(corpus.left_out.given), _counts(corpus.left_out.made_up)],
        "lines_run": list(corpus.lines_run),
        "lines": list(corpus.lines),
        "tests": list(corpus.tests),
        "places": dict(corpus.places),
        "diagnostics": [asdict(each) for each in corpus.diagnostics],
        "names": dict(names.words),
    }


def corpus_from_json(value: Any) -> tuple[CallCorpus, CallNames]:
    """The corpus that `corpus_to_json` wrote. Raises KeyError, TypeError, ValueError, AttributeError, IndexError."""
    if value["format"] != FORMAT:
        raise ValueError("another format")
    given, made_up = map(_exclusions, value["left_out"])
    corpus = CallCorpus(
        known=tuple(
            KnownCall(
                _text(text),
                read_outcome(outcome),
                _text(source),
                float(seconds),
                repeated=bool(repeated),
                ordered=_ordered(ordered),
                elsewhere=tuple((_text(name), read_outcome(there)) for name, there in elsewhere),
            )
            for text, source, seconds, outcome, repeated, ordered, elsewhere in value["known"]
        ),
        big=tuple(map(_text, value["big"])),
        left_out=Exclusions(given, made_up),
        lines_run=tuple(map(int, value["lines_run"])),
        lines=tuple(map(int, value["lines"])),
        tests=tuple(map(_text, value["tests"])),
        places=_texts(value["places"]),
        diagnostics=tuple(Diagnostic(**_texts(row)) for row in value["diagnostics"]),
    )
    return corpus, CallNames(_texts(value["names"]))


def _counts(found: Mapping[Exclusion, int]) -> list[tuple[str, str, int]]:
    return [(str(each.why), each.detail, count) for each, count in found.items()]


def _exclusions(rows: Any) -> dict[Exclusion, int]:
    return {Exclusion(ExclusionReason(why), _text(detail)): int(count) for why, detail, count in rows}


def _text(value: Any) -> str:
    """A text in one line, as each of these is. Raises ValueError."""
    if not isinstance(value, str):
        raise ValueError(f"no text: {value!r:.100}")
    return value


def _ordered(value: Any) -> Ordered:
    """One of ORDERED. Raises ValueError."""
    return ORDERED[ORDERED.index(value)]


def _texts(value: Any) -> dict[str, str]:
    return {_text(name): _text(text) for name, text in value.items()}


def _kept(request: WorkloadRequest, harness: FunctionHarness) -> CorpusCache:
    """The evidence's place in the cache; none where it cannot be known what the function reaches."""
    options = request.options
    if options.no_cache or options.image or request.interpreter is None:
        return CorpusCache()
    try:
        key = evidence_key(request, harness)
    except (OSError, ValueError) as error:
        request.session.console.detail(f"Nothing is cached: {error}.")
        return CorpusCache()
    if key is None:
        request.session.console.detail("Nothing is cached: the function may read files outside of its project.")
        return CorpusCache()
    return CorpusCache(request.session.open_cache(harness.view.module.root, request.session.console.print), key)


def evidence_key(request: WorkloadRequest, harness: FunctionHarness) -> str | None:
    """Digest of everything that decides what the evidence is; None where that cannot be known. Raises OSError."""
    assert request.interpreter is not None
    options, view = request.options, harness.view
    python = request.interpreter
    beside = test_paths(harness, [view.module]) if options.use_tests else ()
    outside = {"calls.py": (harness.target.calls_file or "").encode("utf-8", "surrogatepass"), **named_tests(harness)}
    reached = reached_digest(harness, view, harness.source, python, beside, outside)
    if reached is None:
        return None
    target = harness.target.replace(calls_file=None, file="", paths=(), test_paths=())
    parts = {
        "format": FORMAT,
        "reached": reached,
        "module": [str(path.relative_to(view.module.root)) for path in (view.module.path, *view.module.roots)],
        "target": target.fields(),
        "bound": [harness.function.qualname, harness.function.kind],
        "tests": [*map(str, beside), options.use_tests],
        "users_calls": options.calls is not None,
        "recorded": [recorded_calls(harness.function), left_out(harness.function)],
        **runner_parts(options, python, harness.sandbox, harness.sandbox.limits),
        "libraries": harness.loading.figures().loaded_once,
        "options": [options.max_examples, options.check, options.strict, options.contract, options.ignore_difference],
    }
    return digest_of(parts)
