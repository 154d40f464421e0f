"""Repairs, without guesses, of text that is nearly a program: they remove the marks of the surrounding page."""

from __future__ import annotations

import ast
import builtins
import html
import re
from collections.abc import Callable, Iterator, Sequence

from codeopt.analysis.nodes import Definition, bound_names, is_bare_constant, parse

LANGUAGES = frozenset({"python", "python3", "py"})
_FENCE_LINE = re.compile(r"^\s*[`~]{3,}\w*\s*$")
_NUMBER = re.compile(r"^\s*\d+(?:[ \t]*[|:.)])?(?: |\t|$)")
_PROMPT = re.compile(r"^(?:>>>|\.\.\.)(?: |$)")
_HUNK = re.compile(r"^(?:@@.*|---.*|\+\+\+.*|diff .*|index .*)$")
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "\u00a0": " ", "\u200b": "", "\ufeff": ""})


def parses(source: str) -> bool:
    try:
        parse(source)
    except SyntaxError:
        return False
    return True


def mended(source: str) -> str:
    """The program without such marks; unchanged where it is sound, or cannot be repaired."""
    if parses(source):
        return source
    together = source
    for mend in _MENDS:
        together = mend(together)
        for tried in (mend(source), together):
            if tried.strip() and parses(tried):
                return tried
    return source


def _without_fences(text: str) -> str:
    lines = text.strip("\n").split("\n")
    while lines and (_FENCE_LINE.match(lines[0]) or lines[0].strip().lower() in LANGUAGES):
        del lines[0]
    while lines and _FENCE_LINE.match(lines[-1]):
        del lines[-1]
    return "\n".join(lines) + "\n"


def _without_numbers(text: str) -> str:
    lines = text.rstrip().split("\n")
    found = [_NUMBER.match(line) for line in lines if line.strip()]
    if not found or not all(found):
        return text
    width = min(match.end() for match in found if match)
    bare = [line[width:] for line in lines]
    indented = all(line.startswith(" ") for line in bare if line.strip())
    return "\n".join(line[1:] if indented else line for line in bare) + "\n"


def _without_prompts(text: str) -> str:
    typed = [line[4:] for line in text.split("\n") if _PROMPT.match(line)]
    return "\n".join(typed).rstrip() + "\n" if typed else text


_MENDS: tuple[Callable[[str], str], ...] = (
    _without_fences,
    lambda text: text.translate(_QUOTES),
    html.unescape,
    _without_numbers,
    _without_prompts,
)


def patched(original: str, diff: str) -> str:
    """Return the original with a diff applied by its lines. Its line numbers are ignored. Empty if it does not fit."""
    lines, at = original.rstrip("\n").split("\n"), 0
    for hunk in _hunks(diff):
        old = [line[1:] for line in hunk if line[:1] in (" ", "-", "")]
        new = [line[1:] for line in hunk if line[:1] in (" ", "+", "")]
        places = [n for n in range(at, len(lines) - len(old) + 1) if lines[n : n + len(old)] == old]
        if not places or not old:
            return ""
        lines[places[0] : places[0] + len(old)] = new
        at = places[0] + len(new)
    return "\n".join(lines) + "\n"


def _hunks(diff: str) -> Iterator[list[str]]:
    hunk: list[str] = []
    for line in [*diff.rstrip("\n").split("\n"), "@@"]:
        if not _HUNK.match(line):
            hunk.append(line)
        elif hunk:
            yield hunk
            hunk = []


def with_its_pieces(chosen: str, others: Sequence[str], *, runs: bool) -> str:
    """Join a program with the other blocks, in order, that define the names it needs.

    A program that must run but only defines names is also joined with the blocks that use it.
    """
    at = others.index(chosen)
    parts = [chosen]
    for earlier in reversed(others[:at]):
        if needs(_joined(parts)) & gives(earlier):
            parts.insert(0, earlier)
    if runs and not acts(chosen):
        for later in others[at + 1 :]:
            if needs(later) & gives(chosen):
                parts.append(later)
    return _joined(parts) if len(parts) > 1 else chosen


def _joined(parts: Sequence[str]) -> str:
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def needs(source: str) -> frozenset[str]:
    """Names that a program uses and neither defines nor finds among the builtins."""
    used = {node.id for node in ast.walk(parse(source)) if isinstance(node, ast.Name)}
    return frozenset(used - gives(source) - set(dir(builtins)))


def gives(source: str) -> frozenset[str]:
    """Names that are bound anywhere in a program."""
    found = set[str]()
    for node in ast.walk(parse(source)):
        if isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name | Definition | ast.Import | ast.ImportFrom):
            found |= bound_names(node)
    return frozenset(found)


def acts(source: str) -> bool:
    """Return whether a program does more when it runs than to define and import."""
    quiet = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
    return any(not isinstance(node, quiet) and not is_bare_constant(node) for node in parse(source).body)


def is_test(source: str) -> bool:
    """Return whether a program only tests another one."""
    names = [node.name for node in ast.walk(parse(source)) if isinstance(node, ast.FunctionDef)]
    return bool(names) and all(name.startswith("test") for name in names)
