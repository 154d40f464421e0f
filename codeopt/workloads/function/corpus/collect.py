"""Collect a function's corpus: run the calls of every source on the original."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from codeopt.core.options import ImproveOptions
from codeopt.core.traced import TracedCalls
from codeopt.workloads.function.calls.call_names import find_names
from codeopt.workloads.function.corpus.corpus import CallCorpus, FirstLook, gather
from codeopt.workloads.function.corpus.recorded_objects import with_constructed_objects
from codeopt.workloads.function.corpus.sources import Ask, collect
from codeopt.workloads.function.harness import FunctionHarness, with_calls_file
from codeopt.workloads.program.cases import text


def collect_corpus(
    bench: FunctionHarness, options: ImproveOptions, calls_text: str, notify: Callable[[str], None],
    first_look: FirstLook | None = None, seen: Callable[[TracedCalls], None] = lambda found: None,
) -> tuple[FunctionHarness, CallCorpus]:  # fmt: skip
    """The bench with the calls file, and the evidence. Raises ProgramError, UsageError.

    calls_text: a calls file that a language model wrote; used where the user gave none. first_look: as `gather` calls
    it. seen: told of what a run of the tests has shown.
    """
    bench = with_given_calls(bench, options, calls_text)
    notify("collecting calls")
    found = with_constructed_objects(bench, collect(Ask(bench, options.calls, options.use_tests, notify, seen)))

    def look(bench: FunctionHarness, corpus: CallCorpus) -> None:
        if first_look is not None:
            first_look(bench, replace(corpus, places=found.places))

    evidence = gather(bench, found.calls, found.big, notify, options.max_examples, first_look and look)
    left_out = replace(evidence.left_out, given={**found.dropped, **evidence.left_out.given})
    evidence = replace(evidence, tests=found.tests, left_out=left_out, places=found.places, shortfalls=found.shortfalls)
    return with_names(bench, [*(known.text for known in evidence.known), *evidence.big]), evidence


def with_given_calls(bench: FunctionHarness, options: ImproveOptions, calls_text: str) -> FunctionHarness:
    """The bench with the calls file, the user's before a language model's. Raises UsageError."""
    if options.calls is not None:
        return with_calls_file(bench, text(options.calls).decode("utf-8", "replace"))
    return with_calls_file(bench, calls_text) if calls_text else bench


def with_names(bench: FunctionHarness, calls: Sequence[str]) -> FunctionHarness:
    """The bench with how calls are shown, their arguments as people would write them."""
    home = bench.target.module.partition(".")[0]
    return replace(bench, names=find_names(calls, lambda some: _in_words(bench, some), home, bench.names.method))


def _in_words(bench: FunctionHarness, calls: tuple[str, ...]) -> tuple[str, ...]:
    return bench.ask(calls, "inspect", question="show", seconds=1.0, lost=3, budget=5.0).lines
