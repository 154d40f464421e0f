"""Collect a function's corpus: run the calls of every source on the original."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from codeopt.core.options import ImproveOptions
from codeopt.core.traced import TracedCalls
from codeopt.workloads.function.calls.call_names import find_names
from codeopt.workloads.function.corpus.corpus import CallCorpus, EarlyCheck, gather
from codeopt.workloads.function.corpus.recorded_objects import with_constructed_objects
from codeopt.workloads.function.corpus.sources import Ask, collect
from codeopt.workloads.function.harness import FunctionHarness, with_calls_file
from codeopt.workloads.program.cases import text


def collect_corpus(
    harness: FunctionHarness, options: ImproveOptions, calls_text: str, notify: Callable[[str], None],
    early_check: EarlyCheck | None = None, seen: Callable[[TracedCalls], None] = lambda found: None,
) -> tuple[FunctionHarness, CallCorpus]:  # fmt: skip
    """The harness with the calls file, and the evidence. Raises ProgramError, UsageError.

    calls_text: a calls file that a language model wrote; used where the user gave none. early_check: as `gather` calls
    it. seen: told of what a run of the tests has shown.
    """
    harness = with_given_calls(harness, options, calls_text)
    notify("collecting calls")
    found = with_constructed_objects(harness, collect(Ask(harness, options.calls, options.use_tests, notify, seen)))

    def look(harness: FunctionHarness, corpus: CallCorpus) -> None:
        if early_check is not None:
            early_check(harness, replace(corpus, places=found.places))

    corpus = gather(harness, found.calls, found.big, notify, options.max_examples, early_check and look)
    left_out = replace(corpus.left_out, given={**found.dropped, **corpus.left_out.given})
    corpus = replace(corpus, tests=found.tests, left_out=left_out, places=found.places, diagnostics=found.diagnostics)
    return with_names(harness, [*(known.text for known in corpus.known), *corpus.big]), corpus


def with_given_calls(harness: FunctionHarness, options: ImproveOptions, calls_text: str) -> FunctionHarness:
    """The harness with the calls file, the user's before a language model's. Raises UsageError."""
    if options.calls is not None:
        return with_calls_file(harness, text(options.calls).decode("utf-8", "replace"))
    return with_calls_file(harness, calls_text) if calls_text else harness


def with_names(harness: FunctionHarness, calls: Sequence[str]) -> FunctionHarness:
    """The harness with how calls are shown, their arguments as people would write them."""
    home = harness.target.module.partition(".")[0]
    return replace(harness, names=find_names(calls, lambda some: _in_words(harness, some), home, harness.names.method))


def _in_words(harness: FunctionHarness, calls: tuple[str, ...]) -> tuple[str, ...]:
    return harness.ask(calls, "inspect", question="show", seconds=1.0, lost=3, budget=5.0).lines
