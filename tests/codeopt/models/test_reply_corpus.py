"""No reply of the corpus, of models that are not at the frontier, that holds an answer is lost.

Each reply of replies.txt is read as the loop reads it, and continued where it was cut. The program that is found must
be the one that the reply holds, but for comments and layout; a reply that holds none must give none.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from codeopt.core.model import Message, Reply
from codeopt.core.revision import Revision
from codeopt.engine.judge import is_same_program
from codeopt.models._reply import is_done, to_draft
from codeopt.proposers.language_model import whole

CORPUS = Path(__file__).with_name("replies.txt")
ASK = (Message("user", "Write the next program."),)
VERDICTS = ("done", "improve")


@dataclass(frozen=True)
class Written:
    """One reply, in the parts that it came in."""

    name: str
    holds: str
    """The source of a program; `nothing`; or a verdict."""
    parts: tuple[str, ...]
    original: str
    """The program that was to be improved."""


class InParts:
    """A model whose one answer meets its limit again and again."""

    name = "in parts"
    context_tokens = 8_000

    def __init__(self, parts: tuple[str, ...]) -> None:
        self._parts = list(parts)

    def complete(self, messages: object, *, on_text: object = None) -> Reply:
        """The next part."""
        text = self._parts.pop(0)
        more = bool(self._parts)
        return Reply(text, 0, 0, None, 0.0, self.name, cut=more, can_go_on=more)


def read_corpus(text: str) -> Iterator[Written]:
    """All replies of the file."""
    parts = re.split(r"^@(program|reply) (.+)\n", text, flags=re.MULTILINE)[1:]
    found = list(zip(parts[::3], parts[1::3], parts[2::3], strict=True))
    programs = {name: body.strip("\n") + "\n" for kind, name, body in found if kind == "program"}
    for kind, title, body in found:
        if kind == "reply":
            name, _, holds = title.partition(": ")
            pieces = tuple(_filled(piece, programs) for piece in re.split(r"\n@goes on\n", body.rstrip("\n")))
            original = programs["slow_unique" if holds == "unique" else "slow"]
            yield Written(name, programs.get(holds, holds), pieces, original)


def _filled(text: str, programs: dict[str, str]) -> str:
    def program(match: re.Match[str]) -> str:
        return textwrap.indent(programs[match[2]].rstrip("\n"), match[1])

    return re.sub(r"^([ \t]*)<<(\w+)>>$", program, text, flags=re.MULTILINE)


def mistake(written: Written) -> str:
    """What is found wrongly in a reply; empty when all is well."""
    model = InParts(written.parts)
    reply = whole(model, ASK, model.complete(ASK)).reply
    if written.holds in VERDICTS:
        found = VERDICTS[not is_done(reply.text)]
        return "" if found == written.holds else f"the verdict is {written.holds}, not {found}"
    draft = to_draft(reply, written.original)
    if written.holds == "nothing":
        return "" if draft.problem else f"it holds no program, but this was found:\n{draft.source}"
    if draft.problem:
        return f"lost: {draft.problem}\n{draft.source}"
    same = is_same_program(draft.revision, Revision.of(written.holds))
    return "" if same else f"another program was found:\n{draft.source}"


REPLIES = list(read_corpus(CORPUS.read_text("utf-8")))


def test_it_is_large_enough_to_say_something() -> None:
    assert sum(each.holds != "nothing" for each in REPLIES) >= 80
    assert len({each.name for each in REPLIES}) == len(REPLIES)


@pytest.mark.parametrize("written", REPLIES, ids=lambda written: written.name)
def test_what_a_reply_holds_is_found(written: Written) -> None:
    assert mistake(written) == ""
