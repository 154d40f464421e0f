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


def sentence(suggestion: Suggestion, name: Quote = str, text: Quote = str) -> str:
    """The suggestion in one line, with what is not ours quoted by `name` and `text`; as they are, without: quote it."""
    head = f"{name(_words.where(suggestion))} {_words.claim(suggestion)}"
    size, proof = suggestion.verdict.by_size.disagreement, f"verified by {_words.proof(suggestion)}"
    return "; ".join(filter(None, [head, size, proof, *map(text, suggestion.told)]))


def lines(suggestion: Suggestion) -> tuple[int, int]:
    """First and last line of the original that change; an insertion names a neighbour."""
    edit = one_edit(suggestion)
    return (edit.start, edit.end) if edit else (1, 1)


def one_edit(suggestion: Suggestion) -> LineEdit | None:
    """One edit for the whole suggestion, from the first line that changes to the last. None if nothing does."""
    changes = edits(suggestion.original, suggestion.improved)
    placed = inside(suggestion.original, changes, [whole(suggestion.path, suggestion.original)])
    return placed[0] if placed else None


def rule(suggestion: Suggestion) -> str:
    """The identifier of the kind of finding."""
    return (
        f"faster-{'function' if suggestion.function else 'program'}"
        if suggestion.task == "runtime"
        else suggestion.task
    )


def fingerprint(suggestion: Suggestion) -> str:
    """Return an id that stays the same if the code moves to other lines or another source improves it.

    A different draft for the same code is no news: it gets the same fingerprint.
    """
    text = "\0".join([suggestion.task, suggestion.path, suggestion.function, _own_text(suggestion)])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _own_text(suggestion: Suggestion) -> str:
    """The function's own lines; the whole file for a program, or where there is no such function."""
    node = _definition(suggestion.original, suggestion.function) if suggestion.function else None
    if node is None:
        return suggestion.original
    return "".join(lines_of(suggestion.original)[first_line(node) - 1 : node.end_lineno])


def _definition(source: str, qualname: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    from codeopt.workloads.source.functions import definition

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the code's own writing
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError):
            return None
    return definition(tree, qualname)
