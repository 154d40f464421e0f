"""Evidence of a function that is kept for the next request: its corpus, and the choice of the calls that are timed.

What decides is in the key: everything that the function and the sources of its calls can reach, what runs them, and the
options. What must be unseen is never kept; and no expected answer is taken from here: the original makes each call of a
case once more.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from codeopt.core.cache import CacheKind
from codeopt.core.call import Call
from codeopt.core.interpreter import Interpreter
from codeopt.core.json_codec import JsonCodec
from codeopt.workloads import WorkloadRequest
from codeopt.workloads._evidence_cache import EvidenceCache, Parts, in_words, open_evidence, runner_parts
from codeopt.workloads.function.corpus.collect import collect_corpus, with_given_calls
from codeopt.workloads.function.corpus.corpus import CallCorpus, EarlyCheck
from codeopt.workloads.function.corpus.existing_tests import named_tests, open_trace_cache, reached_digest, test_paths
from codeopt.workloads.function.counterexample import CallNames
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.function.recording import left_out, recorded_calls
from codeopt.workloads.function.timing import Timed
from codeopt.workloads.source.literals import read
from codeopt_sandbox.calls import Answer, CallBatch, read_record
from codeopt_sandbox.guest.request import ORDERED

CODEC = JsonCodec(
    {
        Answer: (Answer.told, partial(read_record, Answer)),
        CallBatch: (CallBatch.fields, CallBatch.read),
        Call: (lambda call: call.text, lambda text: read(text + "")),  # what is no text cannot be added
    },
    {"Ordered": Literal[ORDERED]},
)


@dataclass(frozen=True)
class KnownFunction:
    harness: FunctionHarness
    corpus: CallCorpus
    kept: EvidenceCache


def known_function(
    request: WorkloadRequest, harness: FunctionHarness, calls_text: str, *, fresh: bool = False,
    early_check: EarlyCheck | None = None,
) -> KnownFunction:  # fmt: skip
    """The corpus from the cache, or collected, and then kept. Raises ProgramError, UsageError.

    calls_text: a calls file that a language model wrote. fresh: what is kept is not used. early_check: as `gather`
    calls it, when calls are collected.
    """
    notify = request.notify
    asked = with_given_calls(harness, request.options, calls_text)
    decides = partial(decided_by, request, asked)
    root = harness.view.module.root
    kept = open_evidence(request.options, request.session, request.interpreter, root, decides)
    stored = None if fresh else kept.load(CacheKind.CORPUS)
    if stored is not None:
        with suppress(ValueError):
            corpus, names = corpus_from_json(stored.value)
            notify(f"using the calls of {in_words(stored.made_at)}")
            found = replace(asked, names=replace(names, method=asked.names.method))
            return KnownFunction(found, replace(corpus, reused_from=stored.made_at), kept)
    function = harness.function
    linked = request.imported_in_place(function.path, request.other.target.path if request.other else None)
    traces = open_trace_cache(harness, request.options, request.session, request.interpreter, linked)
    if harness.traced is None and not fresh and request.options.use_tests:
        harness = replace(harness, traced=traces.calls(function.path, function.qualname))
    seen = partial(traces.keep_calls, function.path, function.qualname)
    harness, corpus = collect_corpus(harness, request.options, calls_text, notify, early_check, seen)
    if not corpus.thin():
        kept.save(CacheKind.CORPUS, CODEC.write((corpus, harness.names)))
    return KnownFunction(harness, corpus, kept)


def corpus_from_json(value: Any) -> tuple[CallCorpus, CallNames]:
    """The corpus that CODEC wrote. Raises ValueError."""
    corpus, names = CODEC.read(tuple[CallCorpus, CallNames], value)
    known = tuple(replace(each, independent=False) for each in corpus.known)  # the original makes each call again
    return replace(corpus, known=known), names


def decided_by(request: WorkloadRequest, harness: FunctionHarness, python: Interpreter) -> Parts | None:
    """Everything that decides what the evidence is; None where that cannot be known. Raises OSError."""
    options, view = request.options, harness.view
    beside = test_paths(harness, [view.module]) if options.use_tests else ()
    outside = {"calls.py": (harness.target.calls_file or "").encode("utf-8", "surrogatepass"), **named_tests(harness)}
    reached = reached_digest(harness, view, harness.source, python, beside, outside)
    if reached is None:
        return None
    target = harness.target.replace(calls_file=None, file="", paths=(), test_paths=())
    # version of the JSON of a corpus
    return {
        "format": 7,
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


# Choice of timed calls that is kept with the corpus that it was made from.


def cached_choice(kept: EvidenceCache, corpus: CallCorpus, choose: Callable[[], Timed]) -> Timed:
    """The choice that is kept of this corpus, else a new one, which is then kept. choose: raises ProgramError."""
    stored = kept.load(CacheKind.TIMING) if corpus.reused_from is not None else None
    if stored is not None and corpus.reused_from is not None and stored.made_at >= corpus.reused_from:
        with suppress(ValueError):
            return CODEC.read(Timed, stored.value)
    found = choose()
    kept.save(CacheKind.TIMING, CODEC.write(found))
    return found
