"""A suggestion as a finding of a tool: one line of text, a rule, a place, and by what it is known again."""

from __future__ import annotations

import ast
import hashlib
import warnings
from collections.abc import Callable

from codeopt.analysis.nodes import first_line
from codeopt.core.merging import lines_of
from codeopt.review.reporters import _words
from codeopt.review.reporters._edits import LineEdit, edits, inside, whole
from codeopt.review.suggestion import Suggestion

NAME = "codeopt"
Quote = Callable[[str], str]


def sentence(found: Suggestion, name: Quote = str, text: Quote = str) -> str:
    """The suggestion in one line, with what is not ours quoted by `name` and `text`; as they are, without: quote it."""
    head = f"{name(_words.where(found))} {_words.claim(found)}"
    growth = f"growth: {text(found.verdict.growth.text)}" if found.verdict.growth.text else ""
    return "; ".join(filter(None, [head, growth, f"verified by {_words.proof(found)}", *map(text, found.told)]))


def lines(found: Suggestion) -> tuple[int, int]:
    """First and last line of the original that change; an insertion names a neighbour."""
    edit = one_edit(found)
    return (edit.start, edit.end) if edit else (1, 1)


def one_edit(found: Suggestion) -> LineEdit | None:
    """One edit for the whole suggestion, from the first line that changes to the last. None if nothing does."""
    changes = edits(found.original, found.improved)
    placed = inside(found.original, changes, [whole(found.path, found.original)])
    return placed[0][0] if placed else None


def rule(found: Suggestion) -> str:
    """The identifier of the kind of finding."""
    return f"faster-{'function' if found.function else 'program'}" if found.task == "runtime" else found.task


def fingerprint(found: Suggestion) -> str:
    """Return an id that stays the same if the code moves to other lines or another source improves it.

    A different draft for the same code is no news: it gets the same fingerprint.
    """
    text = "\0".join([found.task, found.path, found.function, _own_text(found)])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _own_text(found: Suggestion) -> str:
    """The function's own lines; the whole file for a program, or where there is no such function."""
    node = _definition(found.original, found.function) if found.function else None
    if node is None:
        return found.original
    return "".join(lines_of(found.original)[first_line(node) - 1 : node.end_lineno])


def _definition(source: str, qualname: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    from codeopt.workloads.source.functions import definition

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the code's own writing
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError):
            return None
    return definition(tree, qualname)
