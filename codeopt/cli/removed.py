"""Commands and options of earlier versions, each with what to use instead."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from codeopt.cli.parser import commands_of
from codeopt.core.errors import UsageError

COMMANDS: Mapping[str, str] = {
    "completion": "use codeopt --print-completion SHELL",
    "diff": "use codeopt show --diff",
    "findings": "codeopt check and review show earlier verdicts that hold",
    "rules": "use codeopt improve --list-rules, with --select NAME to explain one",
    "sandbox": "codeopt doctor shows it; python -m codeopt_sandbox.conformance tests its guarantees",
    "schema": "schema.json of the documents' site has it",
    "tasks": "use codeopt improve --list-tasks; docs/extend/writing-a-task.md has one to copy",
}
OPTIONS: Mapping[str, str] = {
    **dict.fromkeys(("backend", "mode", "processes"), COMMANDS["sandbox"]),
    "all": COMMANDS["findings"],
    "explain": COMMANDS["rules"],
    "text": COMMANDS["tasks"],
    "reporter": "use codeopt review --output-format rdjson | reviewdog -f=rdjson -reporter=github-pr-review",
    "chains": "the search best-of has two chains",
    "context": "put the statement into statement.txt next to the program or its cases",
    "history": "a model sees all rounds that fit",
    "judge-model": "the first of --model compares readability",
    "model-timeout": "the model's server may be silent for 300 s",
    "no-memory": "use --no-cache",
    "seed": "the order within pairs is drawn with 0; --input-seed is that of generated inputs",
    "seconds": "codeopt doctor makes one comparison of identical code",
}
"""By the long name without dashes, which is the key in a file of settings also."""


def refuse_removed(parser: argparse.ArgumentParser, given: Sequence[str]) -> None:
    """Raise UsageError if the words of a command line name a command or an option that was removed."""
    there = commands_of(parser)
    command, *words = given
    if command in COMMANDS and command not in there:
        raise UsageError(f"the command {command} was removed", hint=COMMANDS[command])
    known = (
        {option for action in there[command]._actions for option in action.option_strings} if command in there else ()
    )
    for word in words:
        name = word.partition("=")[0]
        if name.startswith("--") and name not in known:
            refuse_key(name.removeprefix("--"), name)


def refuse_key(key: str, shown: str) -> None:
    """Raise UsageError if a key was removed. shown: how the user wrote it, such as CODEOPT_KEY."""
    if key in OPTIONS:
        raise UsageError(f"{shown} was removed", hint=OPTIONS[key])
