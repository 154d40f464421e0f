"""A model's reply -> a program with a summary, or a verdict. Few replies have the form that was asked for."""

from __future__ import annotations

import ast
import re
import textwrap
from dataclasses import dataclass

from codeopt.escaping import inline
from codeopt.history import Draft
from codeopt.models import Reply
from codeopt.readability import parse

COMPARABLE = 0.6
"""Of several programs the last wins (a correction), unless it is shorter than this share of the longest (a snippet)."""

TRIES = 25
"""Lines at which a program in bare text may start; each is parsed once."""

_FENCE = re.compile(
    r"^(?P<indent>[ \t]*)(?:(?:[-*+>]|\d+[.)])[ \t]+)?(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^`\s]*)[^`]*$"
)
_SUMMARY = re.compile(r"^\W*SUMMARY\W+(.+)$", re.IGNORECASE | re.MULTILINE)
_VERDICT = re.compile(r"^\W*VERDICT\W+(IMPROVE|DONE)\b", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class _Block:
    info: str
    text: str

    @property
    def tagged(self) -> bool:
        return self.info.lower().startswith("py")


def to_draft(reply: Reply) -> Draft:
    """The program in a reply; `problem` says why there is none that could be run."""
    text = _without_thoughts(reply.text.replace("\r\n", "\n").removeprefix("\ufeff"))
    blocks, prose = _split(text)
    source = _program(text, blocks)
    return Draft(source=source, summary=_summary(prose if blocks else ""), problem=_problem(source, reply))


def fenced_or_all(reply: Reply) -> str:
    """The last block of a reply, or all of it where there is none: a text that is no program."""
    text = without_thoughts(reply.text.replace("\r\n", "\n").removeprefix("\ufeff"))
    blocks, _ = _split(text)
    return blocks[-1].text.strip() if blocks else text


def is_done(text: str) -> bool:
    """Whether the last verdict outside of fences is DONE."""
    _, prose = _split(_without_thoughts(text))
    verdicts = _VERDICT.findall(prose)
    return bool(verdicts) and verdicts[-1].upper() == "DONE"


def without_thoughts(text: str) -> str:
    """A reply without the reasoning that some servers leave in it, stripped."""
    return _without_thoughts(text).strip()


def _without_thoughts(text: str) -> str:
    """Some servers leave the model's reasoning in the reply, with or without its opening tag."""
    thoughts, tag, rest = text.partition("</think>")
    if not tag and text.lstrip().startswith("<think>"):
        return ""  # cut off while it was thinking
    return rest if tag and (thoughts.lstrip().startswith("<think>") or "```" not in thoughts) else text


def _split(text: str) -> tuple[list[_Block], str]:
    """The fenced blocks of a reply, the last of which may be open, and the lines outside of them."""
    blocks: list[_Block] = []
    prose: list[str] = []
    inside: list[str] | None = None
    fence = info = ""
    for line in text.split("\n"):
        if inside is None:
            if opening := _FENCE.match(line):
                fence, info, inside = opening["fence"], opening["info"], []
            else:
                prose.append(line)
        elif _closes(line, fence):
            blocks.append(_Block(info, _tidy("\n".join(inside))))
            inside = None
        else:
            inside.append(line)
    if inside is not None:
        blocks.append(_Block(info, _tidy("\n".join(inside))))
    return [block for block in blocks if block.text.strip()], "\n".join(prose)


def _closes(line: str, fence: str) -> bool:
    bare = line.strip()
    return len(bare) >= len(fence) and set(bare) == {fence[0]}


def _tidy(text: str) -> str:
    """Without the blank lines around it and, in a list item, its indentation; one new line at the end."""
    bare = text.strip("\n").rstrip()  # dedent would also strip blank lines within strings: only where it must be
    return (textwrap.dedent(bare) if bare[:1] in (" ", "\t") else bare) + "\n"


def _program(text: str, blocks: list[_Block]) -> str:
    """The best guess at the program; it may still be broken, and is empty when there is nothing like one."""
    for group in ([b for b in blocks if b.tagged], [b for b in blocks if not b.tagged and _does_something(b.text)]):
        sound = [b.text for b in group if _parses(b.text)]
        if sound:
            least = COMPARABLE * max(map(len, sound))
            return [each for each in sound if len(each) >= least][-1]
    likely = [b for b in blocks if b.tagged] or [b for b in blocks if not b.info]
    if likely:
        return _with_fences_inside(text) or max((b.text for b in likely), key=len)
    return _bare(text)


def _with_fences_inside(text: str) -> str:
    """A program that holds a line of back quotes itself: from the first fence to the last."""
    lines = text.split("\n")
    fences = [at for at, line in enumerate(lines) if _FENCE.match(line)]
    whole = _tidy("\n".join(lines[fences[0] + 1 : fences[-1]])) if len(fences) > 2 else ""
    return whole if _does_something(whole) else ""


def _bare(text: str) -> str:
    """A program that stands in the reply without a fence, perhaps behind a sentence."""
    lines = text.strip().split("\n")
    tails = ("\n".join(lines[at:]) for at in range(min(TRIES, len(lines))) if not lines[at].strip().isidentifier())
    return next((_tidy(tail) for tail in tails if _does_something(tail)), "")


def _parses(source: str) -> bool:
    return not _syntax_error(source)


def _syntax_error(source: str) -> str:
    """What is wrong and in which line; empty when nothing is."""
    try:
        parse(source)
    except SyntaxError as error:
        where = f" in line {error.lineno}" if error.lineno else ""
        return f"syntax error{where}: {error.msg or error}"
    return ""


def _does_something(source: str) -> bool:
    """It parses, and not as the lone names and numbers that a sentence or a sample output makes."""
    try:
        tree = parse(source)
    except SyntaxError:
        return False
    return any(not isinstance(node, ast.Expr) or isinstance(node.value, ast.Call) for node in tree.body)


def _problem(source: str, reply: Reply) -> str:
    """Why a draft cannot be run, in one line; empty when it can be tried."""
    if not source.strip():
        if reply.cut:
            return "the model's reply was cut off before any program"
        return "the model's reply holds no program" if reply.text.strip() else "the model's reply is empty"
    error = _syntax_error(source)
    return f"{error} (the reply was cut off at its length limit)" if error and reply.cut else error


def _summary(prose: str) -> str:
    """The line marked as such, else the first line of prose."""
    marked = _SUMMARY.search(prose)
    lines = [line.strip(" \t#*_-") for line in prose.split("\n")]
    first = next((line for line in lines if line), "")
    return inline(marked[1].strip(" *_") if marked else first) or "no summary given"
