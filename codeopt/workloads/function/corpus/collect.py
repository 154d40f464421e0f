"""Collect a function's corpus: run the calls of every source on the original."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from string import Template

from codeopt.core.call import Call, Opaque, texts_of, write
from codeopt.core.errors import Diagnostic
from codeopt.core.model import Message, Model, Usage
from codeopt.core.options import ImproveOptions
from codeopt.core.program import TracedCalls
from codeopt.core.sanitize import fenced, inline
from codeopt.core.words import counted
from codeopt.workloads._judging import InputPolicy
from codeopt.workloads.contract.function import by_name
from codeopt.workloads.function.corpus.corpus import CallCorpus, EarlyCheck, gather
from codeopt.workloads.function.corpus.observe import MADE_UP
from codeopt.workloads.function.corpus.sources import NOT_GUESSED, Ask, Found, collect, guess
from codeopt.workloads.function.counterexample import find_names
from codeopt.workloads.function.harness import FunctionHarness, with_calls_file
from codeopt.workloads.generated.derive import can_be_varied
from codeopt.workloads.program.cases import text
from codeopt.workloads.source.excerpt import excerpt
from codeopt.workloads.source.literals import read
from codeopt_sandbox.guest.request import AS_RECORDED, IN_PARTS

_RECORDED = re.compile(r"unpickle\(('[^']*')(?:, '[^']*')?\)")
NAMED = 3
"""Classes that are named in a line."""
FEW = 100
"""Number of generated calls below which it is reported that there are few: 1,000 are wanted."""


def with_constructed_objects(harness: FunctionHarness, found: Found) -> Found:
    """Write each recorded object in the first form that reproduces its state with the original's classes.

    The forms are constructor calls, its history, its parts. A history is incomplete if code outside of the class
    changed the object. It cannot be repeated if it depends on something else.
    """
    texts = (*(text for _, calls in found.calls for text in calls), *found.big)
    asked = tuple(dict.fromkeys(match[0] for text in texts for match in _RECORDED.finditer(text)))
    if not asked:
        return found
    calls = [read(f"f({each})") for each in asked]
    lines = harness.ask(calls, "inspect", question="objects", seconds=1.0, lost=3, budget=5.0).lines
    written = {each: _written(each, line) for each, line in zip(asked, lines, strict=True)}

    # classes of objects that are used as they were recorded alone
    names = (each.removeprefix(IN_PARTS) for each in lines if each.startswith(IN_PARTS))
    classes = [inline(name, 60) for name in dict.fromkeys(names) if name]
    if classes:
        more = f" and {len(classes) - NAMED} more" if len(classes) > NAMED else ""
        what = f"recorded objects of {', '.join(classes[:NAMED])}{more} are not varied"
        not_varied = Diagnostic(what, "no call of their constructors makes what was recorded")
        found = replace(found, diagnostics=(*found.diagnostics, not_varied))
    return found.renamed(lambda text: _RECORDED.sub(lambda match: written[match[0]], text))


def _written(recorded: str, answer: str) -> str:
    """The expression that an answer names. It comes from where the module runs, and is taken where it is one."""
    if answer == AS_RECORDED:
        return recorded
    call = read("" if answer.startswith(IN_PARTS) else f"f({answer})")
    if len(call.args) != 1 or call.kwargs or isinstance(call.args[0], Opaque):
        return _RECORDED.sub(r"unpickle(\1)", recorded)
    return write(call.args[0])


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
    ask = Ask(harness, options.calls, options.use_tests, notify, seen)
    known = with_constructed_objects(harness, collect(ask).limited())
    found, corpus = gather(harness, known, partial(guess, ask), notify, options.max_examples, early_check)
    left_out = replace(corpus.left_out, given={**found.dropped, **corpus.left_out.given})
    diagnostics = _generated(corpus, options, found.diagnostics) + _as_given(harness, corpus)
    corpus = replace(corpus, tests=found.tests, left_out=left_out, places=found.places, diagnostics=diagnostics)
    return with_names(harness, [*(known.call for known in corpus.known), *corpus.big]), corpus


def _generated(corpus: CallCorpus, options: ImproveOptions, known: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """Diagnostics of what was found, and why there are few generated calls; hints that say nothing matter only then."""
    made = sum(each.source in MADE_UP for each in corpus.known)
    if made >= FEW:
        return tuple(each for each in known if each.message != NOT_GUESSED)
    few = FEW if options.max_examples is None else min(FEW, options.max_examples // 2)
    if made >= few or not corpus.known or not InputPolicy(options.mutated_inputs).generates:
        return known
    why = replace(corpus.left_out, given={}).words() or "the arguments have few other values"
    if not any(map(can_be_varied, corpus.vouched)):
        why = "no constructor makes the objects that known calls are made with"
    return (*known, Diagnostic(f"only {counted(made, 'call')} generated", why))


def _as_given(harness: FunctionHarness, corpus: CallCorpus) -> tuple[Diagnostic, ...]:
    """Parameters to which a calls file gives nothing but values that no text makes, where others are varied."""
    calls = [by_name(call, harness.function.parameters) for call in corpus.vouched if call.can_change]
    names = dict.fromkeys(name for call in calls for name in call)
    given = {name: [call[name] for call in calls if name in call] for name in names}
    fixed = [
        name
        for name, values in given.items()
        if all(isinstance(each, Opaque) and each.text.startswith("CALLS") for each in values)
    ]
    if not fixed or len(fixed) == len(given):
        return ()
    what = " and ".join(f"`{name}`" for name in fixed) + (" is" if len(fixed) == 1 else " are")
    return (Diagnostic(f"{what} not varied", "no text makes such a value: a large array, a function, an object"),)


def with_given_calls(harness: FunctionHarness, options: ImproveOptions, calls_text: str) -> FunctionHarness:
    """The harness with the calls file, the user's before a language model's. Raises UsageError."""
    if options.calls is not None:
        return with_calls_file(harness, text(options.calls).decode("utf-8", "replace"))
    return with_calls_file(harness, calls_text) if calls_text else harness


def with_names(harness: FunctionHarness, calls: Sequence[Call]) -> FunctionHarness:
    """The harness with how calls are shown, their arguments as people would write them."""

    def shown(parts: Sequence[str]) -> Sequence[str]:
        return harness.ask(map(read, parts), "inspect", question="show", seconds=1.0, lost=3, budget=5.0).lines

    home = harness.target.module.partition(".")[0]
    return replace(harness, names=find_names(texts_of(calls), shown, home, harness.names.method))


# Calls that a language model writes if other sources give too few. The calls file runs in the sandbox as any other.

ASK = Template("""\
Below stands the function `$qualname` of the Python module `$module`. Write a Python file that defines

- CALLS: a list of 20 to 40 entries `(args, kwargs)`, args a tuple, kwargs a dictionary: calls that reach every line,
  every branch and every exception of the function: empty, single, repeated, negative, boundary and ordinary values;
- BIG: a list of 3 such entries, different from each other, on which the function takes about 0.05 seconds each.

$arguments
Import what the arguments need. Use fixed values or `random.Random(1)`, no clock, no files, no network. The function
itself is not called in this file. Answer with the file in one block fenced as ```python, and nothing else.

What is known so far: $known

$source""")
"""Prompt. `substitute` inserts the values, and the module's text gets a fence."""

METHOD = "The first argument is the object whose method it is: make it with the module's own class."
PLAIN = "The arguments are as the signature has them."


@dataclass(frozen=True)
class WrittenCalls:
    """A calls file by a language model."""

    text: str
    usage: Usage
    problem: str = ""
    """Reason why the reply is not a calls file, or empty."""


def ask_for_calls(model: Model, harness: FunctionHarness, known: str) -> WrittenCalls:
    """The text of a calls file. known: what there is so far, and why it is not enough."""
    from codeopt.models._reply import to_draft  # compiles patterns for 25 ms, and few runs have a model

    function = harness.function
    source = excerpt(function.source, function.qualname).text
    prompt = ASK.substitute(
        qualname=function.qualname,
        module=harness.target.module,
        arguments=METHOD if function.kind in ("method", "property") else PLAIN,
        known=inline(known, 400),
        source=fenced(source, "python"),
    )
    reply = model.complete((Message("user", prompt),))
    draft = to_draft(reply)
    problem = draft.problem or ("" if "CALLS" in draft.source else "CALLS is not defined")
    return WrittenCalls(draft.source, reply.usage, problem)
