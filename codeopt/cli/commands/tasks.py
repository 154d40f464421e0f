"""List the tasks, or write a file for your own."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from codeopt.cli import flags
from codeopt.cli.command import command
from codeopt.core.columns import columns
from codeopt.core.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", choices=["new"], help="write a file that you can change")
    parser.add_argument("name", nargs="?", metavar="NAME", help="name of the new task; NAME.py is written here")
    parser.add_argument("--text", action="store_true", help="a task whose result is a text, for codeopt refine")
    flags.add_flags(parser, "tasks")


@command(examples=("codeopt tasks", "codeopt tasks new mine"))
def run(arguments: argparse.Namespace) -> int:
    """One line a task, or a new file."""
    if arguments.action == "new":
        print(f"wrote {write(arguments.name, text=arguments.text)}")
        return 0
    rows = [described(name) for name in names()]
    print(json.dumps(rows) if arguments.json else "\n".join(columns([line for row in rows for line in lines_of(row)])))
    return 0


def names() -> list[str]:
    """Name and first line of all installed tasks."""
    from codeopt import tasks
    from codeopt.core import plugins

    return plugins.names(tasks.__name__)


def described(name: str) -> dict[str, Any]:
    """A task as --json prints it."""
    from codeopt import tasks
    from codeopt.core import plugins

    task = tasks.open_task(name)
    about = (plugins.load(tasks.__name__, name).__doc__ or "").strip().split("\n\n")[0].replace("\n", " ")
    return {
        "name": name,
        "about": about,
        "text": task.of_texts,
        "needs_model": task.needs_model,
        "beside_others": isinstance(task, tasks.Aim),
    }


def lines_of(row: dict[str, Any]) -> tuple[Sequence[str], str]:
    """Name, command and source of a task, and below it what it is for."""
    needs = "needs a model" if row["needs_model"] else "rules or a model"
    return (row["name"], f"codeopt {'refine' if row['text'] else 'improve'}", needs), row["about"]


def write(name: str | None, *, text: bool) -> Path:
    """A commented file that runs as it is. Raises UsageError."""
    if not name or not name.isidentifier():
        reason = f"{name} is not a name of Python" if name else "NAME is missing"
        raise UsageError(reason, hint="codeopt tasks new tidy_imports")
    path = Path(f"{name}.py")
    body = (TEXT if text else CODE).replace("NAME", name)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(body)
    except FileExistsError as error:
        raise UsageError(f"{path} exists", hint="name another") from error
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    return path


CODE = '''\
"""NAME: say in one line what "better" means here.

Use it: codeopt improve slow.py --task NAME.py --model MODEL
"""

from dataclasses import dataclass

from codeopt.core.history import Candidate
from codeopt.tasks import Prompts, common_rejection, too_slow
from codeopt.tasks.runtime import Runtime

# Texts for a language model. Keep $guidance and $rules, $hints and $answer: they are filled in.
PROMPTS = Prompts.of(
    system="You shorten Python programs without changing what they do.\\n\\n$guidance\\n\\n$rules",
    critique="Write a critique of the newest program above: which lines say the same thing twice?\\n$hints\\n$answer",
    refine="Write the next program, shorter than the original (round 0), which does the same.\\n$hints\\n$answer",
)


def size(source: str) -> int:
    """Lines that are not blank."""
    return sum(bool(line.strip()) for line in source.splitlines())


@dataclass(frozen=True)
class Task(Runtime):
    """Override here what differs from Runtime."""

    name: str = "NAME"
    prompts: Prompts = PROMPTS
    guidance: str = "1. One way to do one thing.\\n2. No code that nothing reaches."
    needs_model: bool = True  # the built-in rules do not aim at this

    def why_not(self, candidate: Candidate, original: Candidate) -> str:
        """Return why a candidate may not replace the original, in one line. Empty if it may."""
        if reason := common_rejection(candidate) or too_slow(candidate):  # wrong on a case, or more than 5 % slower
            return reason
        return "" if size(candidate.source) < size(original.source) else "it is not shorter"

    def score(self, candidate: Candidate, original: Candidate) -> float | None:
        """Return the rank of an acceptable candidate, higher is better. None for any other."""
        return None if self.why_not(candidate, original) else size(original.source) / size(candidate.source)

    def measure(self, source: str) -> str:
        """Return measurements of a program's text, for the model."""
        return f"{size(source)} lines that are not blank"


TASK = Task()
'''

TEXT = '''\
"""NAME: say in one line what is written here.

Use it: codeopt refine --task NAME.py "the input" --model MODEL
"""

from codeopt.selfrefine import Aspect, TextCheck, TextTask

LONGEST = 280


def fits(asked: str, text: str) -> TextCheck:
    """What code can say of a text: the share of it that is well, and words for the critic. Leave it out where only a
    reader can judge."""
    return TextCheck(min(1.0, LONGEST / max(1, len(text))), f"{len(text)} characters, {LONGEST} are the most")


TASK = TextTask(
    name="NAME",
    role="You write short notices for people who are in a hurry.",  # who the model is, and what it is to write
    asked="what happened",  # what the input is
    answer="the notice",  # what the answer is to hold
    aspects=(  # each is scored from 0 to 5 with its reasons; their mean decides
        Aspect("completeness", "who, what, when and where are there"),
        Aspect("brevity", "no word could be left out"),
    ),
    check=fits,
)
'''
