"""Checks against pretended readability: useful comments, functions with a reason, readable names.

The measures of Self-Refine are counts, and counts can be filled: by `#` on each line, by a function a line, by names of
forty letters. These checks leave out the tricks that were tried (tests/codeopt/tasks/test_not_fooled.py). A word that
could be English but is not passes: only a reader sees that, and is asked (codeopt/engine/llm_judge.py).
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator

SMALL = frozenset(
    ["a", "an", "and", "as", "at", "be", "by", "for", "from", "in", "into", "is", "it", "of", "on", "or"]
    + ["that", "the", "this", "to", "with"]
)
"""Words that say nothing alone."""
LEAST_WORDS = 2
"""Number of words that a comment must add to those of its own line and the next."""
LONGEST_NAME = 32
"""Characters of the longest name; a longer one is a sentence."""
MOST_WORDS = 5
"""Words of the longest name."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_NEVER = re.compile(
    r"q[^u]|[jqvx][jqvxz]|[bcdfghjklmnpqrstvwxz]{6}|(.)\1\1|[fkpvw]x|z[bcdfgjkmnpqrstvx]|[jv][bcdfghklmnpqrstwxz]"
)
"""Letters that are never adjacent in an English word that a program is likely to use."""


def telling_comments(source: str) -> int:
    """Lines with a comment that adds something: not empty, no rule, not said before, not the code in other words."""
    lines = source.splitlines()
    found: Counter[frozenset[str]] = Counter()
    for line, text in _comments(source):
        beside = " ".join(lines[line - 1 : line + 1]).replace(text, " ")
        words = _words(text)
        if len(words - _said(beside)) >= LEAST_WORDS:
            found[frozenset(words)] += 1
    return sum(times == 1 for times in found.values())


def telling_docstring_lines(tree: ast.Module) -> int:
    """Lines of docstrings that add something to the names of what they describe, and to the lines before."""
    count = 0
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        said = _said(ast.unparse(node.args) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else "")
        said |= _said(getattr(node, "name", ""))
        for line in (ast.get_docstring(node) or "").splitlines():
            words = _words(line) - said
            count += len(words) >= LEAST_WORDS
            said |= words
    return count


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)} - SMALL


def _said(code: str) -> set[str]:
    """The words of the names in a piece of code."""
    return {word for name in re.findall(r"\w+", code) for word in _parts(name)}


def _comments(source: str) -> Iterator[tuple[int, str]]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
    except (tokenize.TokenError, SyntaxError):  # stricter than the parser in rare cases
        return


def reasonable_functions(tree: ast.Module, given: str = "") -> int:
    """Functions that do more than one thing, or one thing for more than one place. given: one that others call."""
    uses = Counter(
        node.id if isinstance(node, ast.Name) else node.attr
        for node in ast.walk(tree)
        if (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)) or isinstance(node, ast.Attribute)
    )
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return sum(f.name == given or _statements(f) > 1 or uses[f.name] > 1 for f in found)


def _statements(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the statements in its body, at any depth, without the docstring. A comprehension counts like its loop."""
    body = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    nodes = [node for statement in body for node in ast.walk(statement)]
    return sum(isinstance(node, ast.stmt | ast.comprehension | ast.IfExp) for node in nodes)


def can_be_read(name: str) -> bool:
    """Return whether a name has few words, whose adjacent letters also occur in English words."""
    words = list(_parts(name))
    return len(name) <= LONGEST_NAME and len(words) <= MOST_WORDS and not any(map(_NEVER.search, words))


def _parts(name: str) -> Iterator[str]:
    for part in re.findall(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])", name):
        yield part.lower()
