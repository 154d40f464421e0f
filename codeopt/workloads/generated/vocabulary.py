"""Literals that a function's text uses to distinguish values.

They are its constants, those of the module's names that it uses, and texts that its regular expressions match.
"""

from __future__ import annotations

import ast
import random
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

MOST = 150
"""Maximum number of values altogether."""
LONGEST = 40
"""Maximum length of a text, characters."""
DEPTH = 2
"""Number of steps that names are followed."""
MOST_KEYS = 12
"""Keys that a generated row has."""
SAMPLES = 4
"""Texts that are made for one regular expression."""
_CALLS = ("compile", "match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer")


@dataclass(frozen=True)
class Vocabulary:
    """Plain values. Those in the function itself are separate."""

    own: tuple[Any, ...] = ()
    reached: tuple[Any, ...] = ()
    """Values of the module's names that it uses, and of those that these use."""
    none: bool = False
    """True if the function's text names None."""
    keys: tuple[str, ...] = ()
    """Texts that the function takes items by: `row["number"]`, `row.get("amount")`."""

    @property
    def numbers(self) -> list[int]:
        return [value for value in (*self.own, *self.reached) if type(value) is int]

    @property
    def words(self) -> tuple[list[str], list[str]]:
        """Texts of the vocabulary, bytes as characters: the function's own, and all."""
        own, reached = (
            [value if isinstance(value, str) else value.decode("latin1") for value in values if type(value) in _TEXTS]
            for values in (self.own, self.reached)
        )
        return own, [*own, *reached]


_TEXTS = (str, bytes)
_KINDS = {
    "DIGIT": "0123456789", "NOT_DIGIT": "a~ ", "SPACE": " \t", "NOT_SPACE": "a1~", "WORD": "ab_1", "NOT_WORD": "~. "
}  # fmt: skip


def vocabulary(module: str, function: str) -> Vocabulary:
    """Literals in the text of a function, and of its module."""
    own, whole = _tree(function), _tree(module)
    if own is None:
        return Vocabulary()
    homes = _module_level(whole.body) if whole else {}
    seen: set[str] = set()
    found: list[Any] = []
    level: list[ast.AST] = [own]
    for _ in range(DEPTH):
        names = sorted({name for node in level for name in _names(node)} - seen)
        seen |= set(names)
        level = [homes[name] for name in names if name in homes and homes[name] is not own]
        found += [value for node in level for value in _values(node)]
    none = any(isinstance(part, ast.Constant) and part.value is None for part in _without_prose(own))
    return Vocabulary(_distinct(_values(own)), _distinct(found), none, tuple(dict.fromkeys(_keys(own)))[:MOST_KEYS])


def _tree(source: str) -> ast.Module | None:
    """Tree of a text; None for one that cannot be read, as a method that is cut out may be."""
    for text in (source, f"if True:\n{source}"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(text)
        except (SyntaxError, ValueError):
            continue
    return None


def _module_level(body: Iterable[ast.stmt]) -> dict[str, ast.AST]:
    """Functions and assigned values by name; those of classes too, by the last part of their names."""
    found: dict[str, ast.AST] = {}
    for node in body:
        if isinstance(node, ast.ClassDef):
            found = _module_level(node.body) | found
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {n.id: node.value for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
    return found


def _names(node: ast.AST) -> set[str]:
    return {
        n.id if isinstance(n, ast.Name) else n.attr for n in ast.walk(node) if isinstance(n, ast.Name | ast.Attribute)
    }


def _values(node: ast.AST) -> Iterator[Any]:
    """The constants in it, regular expressions as what they match. Docstrings are prose."""
    patterns = {id(part) for call in ast.walk(node) for part in _pattern(call)}
    for part in _without_prose(node):
        if not isinstance(part, ast.Constant):
            continue
        value = part.value
        if id(part) in patterns and isinstance(value, str | bytes):
            made = samples(value if isinstance(value, str) else value.decode("latin1"))
            yield from (made if isinstance(value, str) else [text.encode("latin1", "replace") for text in made])
        elif type(value) in (int, float) or (isinstance(value, str | bytes) and 0 < len(value) <= LONGEST):
            yield value


def _keys(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        key: ast.AST | None = part.slice if isinstance(part, ast.Subscript) else None
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr == "get":
            key = next(iter(part.args), None)
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value


def _without_prose(node: ast.AST) -> Iterator[ast.AST]:
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant):
            continue
        yield part
        yield from _without_prose(part)
    if isinstance(node, ast.Constant):
        yield node


def _pattern(node: ast.AST) -> list[ast.AST]:
    """The constants of the first argument of `re.compile(...)`, `re.sub(...)`."""
    if not (isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Attribute)):
        return []
    of_re = isinstance(node.func.value, ast.Name) and node.func.value.id in ("re", "regex")
    return list(ast.walk(node.args[0])) if of_re and node.func.attr in _CALLS else []


def _distinct(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple({(type(value), repr(value)): value for value in values}.values())[:MOST]


def samples(pattern: str) -> list[str]:
    """A few short texts that a regular expression matches, or nearly; the pattern itself where it cannot be read."""
    draw = random.Random(len(pattern))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = re._parser.parse(pattern)  # type: ignore[attr-defined]
    except (re.error, OverflowError, RecursionError):
        return [pattern] if 0 < len(pattern) <= LONGEST else []
    found = [_matching(tree, draw) for _ in range(4 * SAMPLES)]
    short = dict.fromkeys(text for text in found if 0 < len(text) <= LONGEST)
    return list(short)[:SAMPLES]


def _matching(tree: Any, draw: random.Random) -> str:
    return "".join(_part(str(kind), value, draw) for kind, value in tree)


def _part(kind: str, value: Any, draw: random.Random) -> str:
    """Text that one node of a parsed expression matches; nothing for one that only looks."""
    if kind == "LITERAL":
        return chr(value)
    if kind in ("ANY", "NOT_LITERAL"):
        return draw.choice("a1 ")
    if kind == "IN":
        return _member(value, draw)
    if kind == "CATEGORY":
        return draw.choice(_KINDS[str(value).removeprefix("CATEGORY_")])
    if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, most, inner = value
        return "".join(_matching(inner, draw) for _ in range(draw.randint(least, min(int(most), least + 2))))
    if kind == "SUBPATTERN":
        return _matching(value[-1], draw)
    if kind == "BRANCH":
        return _matching(draw.choice(value[1]), draw)
    return _matching(value, draw) if kind == "ATOMIC_GROUP" else ""


def _member(options: Any, draw: random.Random) -> str:
    """A character of a set; of one that says what is not in it, some other."""
    kind, value = draw.choice(options)
    if str(options[0][0]) == "NEGATE":
        barred = [(v, v) if str(k) == "LITERAL" else v for k, v in options if str(k) in ("LITERAL", "RANGE")]
        free = [char for char in "a1 ~zQ" if not any(low <= ord(char) <= high for low, high in barred)]
        return draw.choice(free or ["\xe9"])
    if str(kind) == "RANGE":
        return chr(draw.randint(value[0], min(value[1], value[0] + 30)))
    return _part(str(kind), value, draw)
