"""Evidence of a function that is kept for the next request: its corpus, and the choice of the calls that are timed.

What decides is in the key: everything that the function and the sources of its calls can reach, what runs them, and the
options. What must be unseen is never kept; and no expected answer is taken from here: the original makes each call of a
case once more.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from codeopt.core.diagnostic import Diagnostic
from codeopt.core.environment_digest import digest_of
from codeopt.core.evidence_store import EvidenceStore, EvidenceTable
from codeopt.workloads import WorkloadRequest
from codeopt.workloads.function.calls.call_names import CallNames
from codeopt.workloads.function.corpus.collect import collect_corpus, with_given_calls
from codeopt.workloads.function.corpus.corpus import CallCorpus, FirstLook
from codeopt.workloads.function.corpus.deciding import named_tests, reached_digest, runner_parts, test_paths
from codeopt.workloads.function.corpus.exclusions import Exclusion, ExclusionReason, Exclusions
from codeopt.workloads.function.corpus.kept_trace import kept_traces
from codeopt.workloads.function.corpus.observe import KnownCall
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.function.recording.recording import left_out, recorded_calls
from codeopt_sandbox.call_answer import read_outcome

FORMAT = 2
"""Version of the JSON below."""
MAX_AGE_S = 7 * 86400.0
"""Age after which evidence is collected anew, seconds: what a busy machine had no time for should not be missing for
ever."""


@dataclass(frozen=True)
class KeptEvidence:
    """Evidence of one function in the store; without a store everything is made anew."""

    store: EvidenceStore | None = None
    key: str = ""

    def load(self, table: EvidenceTable) -> tuple[Any, float] | None:
        """A value and when it was stored, seconds since the epoch; None where there is none, or it is too old."""
        found = self.store.get(table, self.key) if self.store else None
        return (found.value, found.made_at) if found and 0 <= time.time() - found.made_at < MAX_AGE_S else None

    def save(self, table: EvidenceTable, value: Any) -> None:
        """Keep a value."""
        if self.store:
            self.store.put(table, self.key, value)

    def forget(self) -> None:
        """Forget everything of the function: the original no longer does what is kept."""
        for table in (EvidenceTable.CORPUS, EvidenceTable.TIMING) if self.store else ():
            assert self.store is not None
            self.store.forget(table, self.key)


@dataclass(frozen=True)
class KnownFunction:
    """A function with its corpus."""

    bench: FunctionHarness
    corpus: CallCorpus
    kept: KeptEvidence


def known_function(
    request: WorkloadRequest, bench: FunctionHarness, calls_text: str, *, anew: bool = False,
    first_look: FirstLook | None = None,
) -> KnownFunction:  # fmt: skip
    """The corpus from the store, or collected, and then kept. Raises ProgramError, UsageError.

    calls_text: a calls file that a language model wrote. anew: what is kept is not used. first_look: as `gather`
    calls it, where calls are collected.
    """
    notify = request.session.console.progress
    asked = with_given_calls(bench, request.options, calls_text)
    kept = _kept(request, asked, notify)
    found = None if anew else _loaded(kept, asked)
    if found is not None:
        notify(f"evidence of {made_at_in_words(found.corpus)} is used again: {found.corpus.words}")
        return found
    function = bench.function
    linked = request.imported_in_place(function.path, request.other.path if request.other else None)
    traces = kept_traces(bench, request.options, request.session, request.interpreter, linked)
    if bench.traced is None and not anew and request.options.use_tests:
        bench = replace(bench, traced=traces.calls(function.path, function.qualname))
    seen = partial(traces.keep_calls, function.path, function.qualname)
    bench, corpus = collect_corpus(bench, request.options, calls_text, notify, first_look, seen)
    if not corpus.thin():
        kept.save(EvidenceTable.CORPUS, corpus_to_json(corpus, bench.names))
    return KnownFunction(bench, corpus, kept)


def made_at_in_words(corpus: CallCorpus) -> str:
    """`2026-03-01 12:30`, in local time."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(corpus.reused_from))


def _loaded(kept: KeptEvidence, bench: FunctionHarness) -> KnownFunction | None:
    stored = kept.load(EvidenceTable.CORPUS)
    if stored is None:
        return None
    try:
        corpus, names = corpus_from_json(stored[0])
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        return None
    return KnownFunction(
        replace(bench, names=replace(names, method=bench.names.method)), replace(corpus, reused_from=stored[1]), kept
    )


def corpus_to_json(corpus: CallCorpus, names: CallNames) -> dict[str, Any]:
    """A corpus as data."""
    return {
        "format": FORMAT,
        "known": [
            [each.text, each.source, each.seconds, each.outcome.fields(), each.repeated] for each in corpus.known
        ],
        "big": list(corpus.big),
        "left_out": [_counts(corpus.left_out.given), _counts(corpus.left_out.made_up)],
        "lines_run": list(corpus.lines_run),
        "lines": list(corpus.lines),
        "tests": list(corpus.tests),
        "places": dict(corpus.places),
        "shortfalls": [asdict(each) for each in corpus.shortfalls],
        "names": dict(names.words),
    }


def corpus_from_json(value: Any) -> tuple[CallCorpus, CallNames]:
    """The corpus that `corpus_to_json` wrote. Raises KeyError, TypeError, ValueError, AttributeError, IndexError."""
    if value["format"] != FORMAT:
        raise ValueError("another format")
    given, made_up = map(_exclusions, value["left_out"])
    corpus = CallCorpus(
        known=tuple(
            KnownCall(_text(text), read_outcome(outcome), _text(source), float(seconds), repeated=bool(repeated))
            for text, source, seconds, outcome, repeated in value["known"]
        ),
        big=tuple(map(_text, value["big"])),
        left_out=Exclusions(given, made_up),
        lines_run=tuple(map(int, value["lines_run"])),
        lines=tuple(map(int, value["lines"])),
        tests=tuple(map(_text, value["tests"])),
        places=_texts(value["places"]),
        shortfalls=tuple(Diagnostic(**_texts(row)) for row in value["shortfalls"]),
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


def _texts(value: Any) -> dict[str, str]:
    return {_text(name): _text(text) for name, text in value.items()}


def _kept(request: WorkloadRequest, bench: FunctionHarness, notify: Callable[[str], None]) -> KeptEvidence:
    """The evidence's place in the store; none where it cannot be known what the function reaches."""
    options = request.options
    if options.no_cache or options.image or request.interpreter is None:
        return KeptEvidence()
    try:
        key = evidence_key(request, bench)
    except (OSError, ValueError) as error:
        notify(f"no evidence is kept: {error}")
        return KeptEvidence()
    if key is None:
        notify("no evidence is kept: the function may read what lies outside of its project")
        return KeptEvidence()
    store = request.session.open_evidence(bench.view.module.root, request.session.console.print)
    return KeptEvidence(store, key)


def evidence_key(request: WorkloadRequest, bench: FunctionHarness) -> str | None:
    """Digest of everything that decides what the evidence is; None where that cannot be known. Raises OSError."""
    assert request.interpreter is not None
    options, view = request.options, bench.view
    python = request.interpreter
    beside = test_paths(bench, [view.module]) if options.use_tests else ()
    outside = {"calls.py": (bench.target.calls_file or "").encode("utf-8", "surrogatepass"), **named_tests(bench)}
    reached = reached_digest(bench, view, bench.source, python, beside, outside)
    if reached is None:
        return None
    target = bench.target.replace(calls_file=None, file="", paths=(), test_paths=())
    parts = {
        "format": FORMAT,
        "reached": reached,
        "module": [str(path.relative_to(view.module.root)) for path in (view.module.path, *view.module.roots)],
        "target": target.fields(),
        "bound": [bench.function.qualname, bench.function.kind],
        "tests": [*map(str, beside), options.use_tests],
        "users_calls": options.calls is not None,
        "recorded": [recorded_calls(bench.function), left_out(bench.function)],
        **runner_parts(options, python, bench.sandbox, bench.sandbox.limits),
        "libraries": bench.loading.figures()["loaded_once"],
        "options": [
            options.max_examples,
            options.check,
            options.strict,
            options.contract,
            options.may_change_arguments,
        ],  # fmt: skip
    }
    return digest_of(parts)
