"""A model's reply -> a program with a summary, or a verdict.

Few replies have the requested form. A reply is read strictly first. Only if that finds no program, marks that may be in
the way are removed. So no good reply changes.
"""

from __future__ import annotations

import ast
import difflib
import json
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from codeopt.analysis.nodes import parse
from codeopt.core.history import Draft
from codeopt.core.model import Reply
from codeopt.core.program import as_source
from codeopt.core.revision import Revision
from codeopt.core.sanitize import encodable, inline
from codeopt.models._reply_repair import LANGUAGES, acts, is_test, mended, needs, parses, patched, with_its_pieces

MIN_CORRECTION_SHARE = 0.6
"""Shortest length of the last program as a share of the longest one. The last of several programs is taken for a
correction, but a shorter one for a snippet."""

MAX_TRIED_LINES = 25
"""Most lines tried as the first line of a program in bare text, and as its last; each combination is parsed once."""

_FENCE = re.compile(
    r"^(?P<indent>[ \t]*)(?:(?:[-*+>]|\d+[.)])[ \t]+)?(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^`\s]*)(?P<rest>[^`]*)$"
)
_CODE = re.compile(r"^\s*(?:import|from|def|class|async|@|#|print\()")
_VERDICT = re.compile(r"^\W*(?:FINAL\s+)?VERDICT\W+(IMPROVE|DONE)\b", re.IGNORECASE | re.MULTILINE)
_SUMMARY_LINE = re.compile(r"^[^\w\n]{0,4}SUMMARY:(?=[^\n]*\n+\s*```)", re.MULTILINE)
_LAST_FENCE = re.compile(r"```\w*\s*\n(?P<inside>[^\n]*)\n\s*```\s*$")
_TAG_LINE = re.compile(r"^\s*[<\[]/?(?:code|answer|python|program|solution|output)[>\]]\s*$", re.IGNORECASE)
_TOKEN = re.compile(r"<\|\w+\|>")
_CLOSED_BEHIND_CODE = re.compile(r"(?<=[^\s`])(```)[ \t]*$", re.MULTILINE)
_WRAPPED_OBJECT = re.compile(r"^\s*(?:<tool_call>|```(?:json)?)\s*(\{.*\})\s*(?:</tool_call>|```)\s*$", re.DOTALL)
_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_WRAPPERS = ("arguments", "parameters", "input")


@dataclass(frozen=True)
class _Block:
    info: str
    text: str

    @property
    def tagged(self) -> bool:
        return self.info.lower().strip("{}.").startswith("py")


def to_draft(reply: Reply, original: str = "") -> Draft:
    """Return the draft in a reply. Its `problem` is the reason why no runnable program was found.

    original: the program to improve, which a reply may quote or send a diff of.
    """
    text = as_source(reply.text)
    answer = answer_in(text)
    if not answer.strip() and not reply.cut:
        answer = thoughts_in(text)
    found = _object(answer)
    said = _first(found, ("program", "code", "source", "python", "answer", "solution"))
    answer = as_source(said) or answer
    blocks, prose = _split(answer)
    source = _program(answer, blocks, original)
    summary = title(_first(found, ("summary", "explanation")), prose if blocks else "", original, source)
    instead = None if source.strip() else inline(textwrap.shorten(answer, 70, placeholder=" ..."))
    return Draft(Revision.of(source), summary, problem=_problem(source, reply, blocks), no_program=instead)


def fenced_or_all(reply: Reply) -> str:
    """Return the last block of a reply, or all of it without a block. For a text that is not a program."""
    text = without_thoughts(as_source(reply.text))
    blocks, _ = _split(text)
    return blocks[-1].text.strip() if blocks else text


def is_done(text: str) -> bool:
    """Return whether the last verdict outside of fences is DONE."""
    answer = answer_in(text)
    verdict = _first(_object(answer), ("verdict",))
    last = _LAST_FENCE.search(answer)
    if last and _VERDICT.match(last["inside"]):
        answer = answer[: last.start()] + last["inside"]
    _, prose = _split(answer)
    verdicts = [verdict] if verdict else _VERDICT.findall(prose)
    return bool(verdicts) and verdicts[-1].upper() == "DONE"


def without_thoughts(text: str) -> str:
    """A reply without the reasoning that some servers leave in it, stripped."""
    return answer_in(text).strip()


def critique_text(text: str) -> str:
    answer = without_thoughts(text)
    return _first(_object(answer), ("critique", "feedback")) or answer


def draft_below(text: str, reply: Reply, original: str = "") -> tuple[str, Draft | None]:
    """Divide an answer into the critique and the draft that begins with a line `SUMMARY: ...` below it, if it has
    one."""
    begin = _SUMMARY_LINE.search(text)
    if begin is None or not text[: begin.start()].strip():
        return text, None
    draft = to_draft(replace(reply, text=text[begin.start() :]), original)
    if draft.no_program is not None:
        return text, None
    verdict = _VERDICT.search(text, begin.end())
    return f"{text[: begin.start()]}{f'VERDICT: {verdict[1].upper()}' if verdict else ''}".strip(), draft


def _object(text: str) -> dict[str, Any]:
    """Return the JSON object that is the whole answer, is in its one fence, or calls a tool. Otherwise empty."""
    bare = _WRAPPED_OBJECT.sub(r"\1", text)
    try:
        found = json.loads(bare) if bare.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        return {}
    while isinstance(found, dict) and (inner := next((found[key] for key in _WRAPPERS if key in found), None)):
        found = inner
    return found if isinstance(found, dict) else {}


def _first(found: dict[str, Any], keys: tuple[str, ...]) -> str:
    """Return a text of an object. A string of JSON can contain half a surrogate pair, like the reply itself."""
    return next((encodable(found[key]) for key in keys if isinstance(found.get(key), str)), "")


def _split(text: str) -> tuple[list[_Block], str]:
    """The fenced blocks of a reply, the last of which may be open, and the lines outside of them."""
    blocks: list[_Block] = []
    prose: list[str] = []
    inside: list[str] | None = None
    fence = info = ""
    for line in text.split("\n"):
        if inside is None:
            if opening := _FENCE.match(line):
                fence, info, rest = opening["fence"], opening["info"], opening["rest"]
                inside = [rest.strip()] if _CODE.match(rest) else []
            else:
                prose.append(line)
        elif len(line.strip()) >= len(fence) and set(line.strip()) == {fence[0]}:
            blocks.append(_Block(info, _tidy("\n".join(inside))))
            inside = None
        else:
            inside.append(line)
    if inside is not None:
        blocks.append(_Block(info, _tidy("\n".join(inside))))
    return [block for block in blocks if block.text.strip()], "\n".join(prose)


def _tidy(text: str) -> str:
    """The text without the blank lines around it and, in a list item, its indentation; one new line at the end."""
    bare = text.strip("\n").rstrip()  # dedent would also strip blank lines within strings: only where it must be
    first, _, rest = bare.partition("\n")
    bare = rest.lstrip("\n") if rest and first.strip().lower() in LANGUAGES else bare
    return (textwrap.dedent(bare) if bare[:1] in (" ", "\t") else bare) + "\n"


def _program(text: str, blocks: list[_Block], original: str) -> str:
    """The best guess at the program; it may still be broken, and is empty when there is nothing like one."""
    if sound := _sound(blocks, original):
        return sound
    if found := _with_fences_inside(text) if blocks else _bare(text):
        return found
    # Remove marks that can be between a program and its fences: tokens of the model, tags, quotation marks of mail.
    lines = _CLOSED_BEHIND_CODE.sub(r"\n\1", _TOKEN.sub("\n", text)).split("\n")
    quoted = sum(line.startswith(">") for line in lines if line.strip()) > len(lines) / 2
    lines = [re.sub(r"^> ?", "", line) for line in lines] if quoted else lines
    wrapper = re.compile(r"^\s*```(?:markdown|md)\s*$")
    looser = "\n".join(line for line in lines if not _TAG_LINE.match(line) and not wrapper.match(line))
    others, _ = _split(looser)
    if found := _sound(others, original) or _mended(blocks) or _mended(others):
        return found
    foreign = any(block.info and not block.tagged for block in others)
    meant = max((block.text for block in _likely(blocks)), key=len, default="")
    unfenced = "\n".join(line for line in looser.split("\n") if not _FENCE.match(line))
    found = "" if foreign else _bare(unfenced)
    if found and len(found) >= MIN_CORRECTION_SHARE * len(meant):  # a piece of a broken program is not a program
        return found
    # a whole program between back quotes in a sentence: one that prints, and needs nothing else
    inline_ones = [f"{each.strip()}\n" for each in _INLINE.findall(text) if "print(" in each]
    complete = (each for each in inline_ones if _does_something(each) and not needs(each))
    return meant or max(complete, key=len, default="")


def _sound(blocks: list[_Block], original: str) -> str:
    """The program among blocks that parse; else what a diff makes of the original."""
    quoted = ast.dump(parse(original)) if original and parses(original) else ""
    for group in ([b for b in blocks if b.tagged], [b for b in blocks if not b.tagged and _does_something(b.text)]):
        sound = [b.text for b in group if parses(b.text)]
        if own := [each for each in sound if ast.dump(parse(each)) != quoted and not is_test(each)] or sound:
            least = MIN_CORRECTION_SHARE * max(map(len, own))
            chosen = [each for each in own if len(each) >= least][-1]
            return with_its_pieces(chosen, own, runs=not parses(original) or acts(original))
    diffs = (patched(original, b.text) for b in blocks if b.info in ("diff", "patch") and original)
    return next((each for each in diffs if each and parses(each)), "")


def _likely(blocks: list[_Block]) -> list[_Block]:
    """The blocks that may be meant as a program."""
    return [b for b in blocks if b.tagged] or [b for b in blocks if not b.info]


def _mended(blocks: list[_Block]) -> str:
    """Return the longest of the likely blocks that can be repaired."""
    found = (mended(block.text) for block in _likely(blocks))
    return max((each for each in found if _does_something(each)), key=len, default="")


def _with_fences_inside(text: str) -> str:
    """A program that holds a line of back quotes itself: from the first fence to the last."""
    lines = text.split("\n")
    fences = [at for at, line in enumerate(lines) if _FENCE.match(line)]
    whole = _tidy("\n".join(lines[fences[0] + 1 : fences[-1]])) if len(fences) > 2 else ""
    return whole if _does_something(whole) else ""


def _bare(text: str) -> str:
    """Return the longest program in the reply without a fence, perhaps between sentences."""
    lines = text.strip().split("\n")
    starts = [at for at, line in enumerate(lines) if line.strip() and not line.strip().isidentifier()]
    del starts[MAX_TRIED_LINES:]
    tails = (_tidy("\n".join(lines[at:])) for at in starts)
    whole = next((tail for tail in tails if _does_something(tail)), "")
    return whole or max(_between(lines, starts), key=len, default="")


def _between(lines: list[str], starts: list[int]) -> Iterator[str]:
    """The text from a line that looks like code to the line before an empty one."""
    ends = [at for at in range(len(lines), 0, -1) if at == len(lines) or not lines[at].strip()][:MAX_TRIED_LINES]
    for start in starts:
        inner = lines[start][:1].isspace() and start > 0 and bool(lines[start - 1].strip())
        if not inner and (_CODE.match(lines[start]) or "(" in lines[start]):
            inside = (_tidy("\n".join(lines[start:end])) for end in ends if end > start)
            found = next((text for text in inside if _does_something(text)), "")
            if found and acts(found):
                yield found


def _does_something(source: str) -> bool:
    """Return whether a text parses and is more than the lone names and numbers of a sentence or a sample output."""
    try:
        tree = parse(source)
    except SyntaxError:
        return False
    return any(not isinstance(node, ast.Expr) or isinstance(node.value, ast.Call) for node in tree.body)


def _problem(source: str, reply: Reply, blocks: list[_Block]) -> str:
    """Return the reason in one line why a draft cannot run. Empty if it can be tried."""
    if not source.strip():
        if reply.cut:
            return "the model's reply was cut off before any program"
        others = sorted({block.info for block in blocks if block.info})
        instead = f" in Python, but blocks of {', '.join(others)}" if others else ""
        return f"the model's reply holds no program{instead}" if reply.text.strip() else "the model's reply is empty"
    try:
        parse(source)
    except SyntaxError as error:
        where = f" in line {error.lineno}" if error.lineno else ""
        cut = " (the reply was cut off at its length limit)" if reply.cut else ""
        return f"syntax error{where}: {error.msg or error}{cut}"
    return ""


# The visible thinking that some servers leave in a reply, and the answer apart from it.

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|seed:think"
_OPENS = re.compile(rf"[<\[◁](?P<name>{_NAMES})[>\]▷]", re.IGNORECASE)
_CLOSES = re.compile(rf"[<\[◁]/(?P<name>{_NAMES})[>\]▷]", re.IGNORECASE)
_CHANNEL = re.compile(r"<\|channel\|>final.*?<\|message\|>", re.DOTALL)
_ENDS = re.compile(r"<\|(?:end|return)\|>")


def answer_in(text: str) -> str:
    """Return the reply without thoughts. Empty if it ends in the middle of them."""
    channels = list(_CHANNEL.finditer(text))
    if channels:
        return _ENDS.split(text[channels[-1].end() :])[0]
    while (opening := _OPENS.search(text)) and "```" not in text[: opening.start()]:
        closing = _CLOSES.search(text, opening.end())
        if closing is None:
            return text[: opening.start()]
        text = text[: opening.start()] + text[closing.end() :]
    lone = _CLOSES.search(text)
    fences = [line for line in text[: lone.start()].split("\n") if line.strip().startswith("```")] if lone else []
    if lone and len(fences) % 2 == 0:  # not in a program that speaks of such marks
        return text[lone.end() :]
    return text


def thoughts_in(text: str) -> str:
    """The text behind an opening mark that is never closed: a model that forgot to close it may have answered there."""
    opening = _OPENS.search(text)
    return text[opening.end() :] if opening else ""


# The title of a draft: the words of a reply that say what it changes, otherwise what its diff shows.

NONE = "no summary given"

_MARKED = re.compile(r"^\W*SUMMARY\W+(.+)$", re.IGNORECASE | re.MULTILINE)
_WHY = r"(?![^.!?:]*\b(?:because|since|by|instead|using|uses?|with|rather|now)\b)"
_CHAT = re.compile(
    r"^\W*(?:"
    r"(?:sure|certainly|absolutely|of course|ok(?:ay)?|yes|great|hi|hello|thanks|thank you|understood|got it|alright)"
    r"(?: thing| there)?\s*(?:[,.!:\u2014]+\s*|$)"
    r"|(?:please )?note that\s+"
    r"|(?:"
    r"(?:here|below|above)(?:['\u2019]s|\s+(?:is|are|you))\b|the following\b|as requested\b"
    r"|(?:let me|let us|let['\u2019]s|feel free|please|if you|happy to|glad to|i hope)\b"
    r"|i(?:['\u2019](?:d|ll)| would| will| can| could) (?:be|need|love|like|have)\b"
    rf"|i(?:['\u2019]ve| have)? (?:optimi[sz]ed|improved|rewrote|rewritten|refactored|made)\b{_WHY}"
    r"|(?:this|the|my|your)(?: \w+){0,3}? (?:code|program|version|solution|script|function|implementation)"
    rf"(?: (?:is|runs|should|will|works|follows|below)\b|\W*$|:){_WHY}"
    r")[^.!?:,]*(?:[.!?:,]+(?:\s+|$)|$)"
    r")",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[^a-z])")


def title(said: str, prose: str, original: str, source: str) -> str:
    """The first words that say what changes: of the summary that was asked for, of the prose, of the diff.

    said: a summary by its own name in a structured reply. original, source: the program before and after.
    """
    marked = _MARKED.search(prose)
    asked = [said] if said else [marked[1].strip(" *_")] if marked else []
    lines = [line.strip(" \t#*_-") for line in prose.split("\n")]
    sentences = [sentence for line in lines for sentence in _SENTENCE.split(line)]
    found = next(filter(None, map(_without_chat, [*asked, *sentences])), "")
    return inline(found) or described(original, source)


def described(original: str, source: str) -> str:
    """The first line that a diff adds, and the number of lines; `no summary given` of what is no program."""
    if not (original and source.strip() and parses(original) and parses(source)):
        return NONE
    diff = list(difflib.unified_diff(original.splitlines(), source.splitlines(), n=0, lineterm=""))[2:]
    new = [line[1:].strip() for line in diff if line[:1] == "+"]
    old = [line[1:].strip() for line in diff if line[:1] == "-"]
    first = next(filter(None, new), "") or next((f"without {line}" for line in old if line), "")
    return f"{inline(first, 60)} (+{len(new)} -{len(old)} lines)" if first else NONE


def _without_chat(text: str) -> str:
    """Return the rest of a text behind its talk to the reader. Empty if that is no statement."""
    while (shorter := _CHAT.sub("", text)) != text:
        text = shorter
    text = text.strip()
    return "" if text.endswith((":", "?")) or not any(char.isalnum() for char in text) else text
