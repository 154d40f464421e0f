"""Calls that a language model writes if other sources give too few. The calls file runs in the sandbox as any other."""

from __future__ import annotations

from dataclasses import dataclass
from string import Template

from codeopt.core.budget import Usage
from codeopt.core.model import Message, Model
from codeopt.core.sanitize import fenced, inline
from codeopt.models._reply import to_draft
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.source.excerpt import excerpt

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
