"""Numbers in a command's words, variables and script, and replacements for them.

A replacement is a little smaller or larger. The order of the numbers stays, so a relation between two of them stays.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")
_WORD = re.compile(r"(?:--?[\w-]+=|\w+=|-[A-Za-z])?(?P<numbers>-?\d+(?:\.\d+)?(?:[,:x]-?\d+(?:\.\d+)?)*)")
_ONE = re.compile(r"-?\d+(?:\.\d+)?")
SEEDED = re.compile(r"seed|Random|RandomState|default_rng")
"""Names of what takes a seed."""
UNTOUCHED = frozenset({"round", "exit", "_exit", "sleep", "setrecursionlimit", "ljust", "rjust", "center", "zfill"})
"""Functions whose numbers say how something is shown, or how the process runs."""
_DISPLAY = (ast.List, ast.Tuple, ast.Set, ast.Dict)
LEAST = 3
"""Smaller ones say how, not how much."""
SEEDS = 1000
SMALLER = 0.6
"""Factor of a number that is made smaller."""
LARGER = 1.1
"""Factor of a number that is made larger."""


@dataclass(frozen=True)
class NumberPlace:
    text: str
    """Key of the text: `word 3`, or a path."""
    begin: int
    end: int
    value: float
    seed: bool = False

    def written(self, value: float) -> str:
        """Return a value in the number's format: an integer stays an integer."""
        return repr(round(value, 6)) if isinstance(self.value, float) else str(int(value))


def in_word(key: str, word: str, before: str) -> Iterator[NumberPlace]:
    """Numbers in one word of a command. before: the word that it may be the value of."""
    found = _WORD.fullmatch(word)
    if found is None:
        return
    seed = "seed" in (word if "=" in word else before).lower()
    start = found.start("numbers")
    for each in _ONE.finditer(found["numbers"]):
        value: float = float(each[0]) if "." in each[0] else int(each[0])
        if seed or abs(value) >= LEAST - 1 or isinstance(value, float):
            yield NumberPlace(key, start + each.start(), start + each.end(), value, seed)


def in_script(path: str, text: str) -> Iterator[NumberPlace]:
    """Whole numbers of a script that say how much: no indices, and no elements of a list that is written out."""
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.decode()))
    for node, seed in _literals(ast.parse(text)):
        if node.end_col_offset is None or node.lineno != node.end_lineno:
            continue
        line = lines[node.lineno - 1]
        begin, end = (
            starts[node.lineno - 1] + len(line[:at].decode()) for at in (node.col_offset, node.end_col_offset)
        )
        if _ONE.fullmatch(text[begin:end]) and isinstance(node.value, int):
            yield NumberPlace(path, begin, end, node.value, seed)


def _literals(tree: ast.AST, seed: bool = False) -> Iterator[tuple[ast.Constant, bool]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Constant):
            whole = isinstance(node.value, int) and not isinstance(node.value, bool)
            if whole and (seed or node.value >= LEAST):  # type: ignore[operator]
                yield node, seed
        elif isinstance(node, ast.Call | ast.keyword | ast.Assign):
            name = _takes(node)
            if name not in UNTOUCHED:
                known = isinstance(node, ast.keyword) and seed
                yield from _literals(node, seed=known or bool(SEEDED.search(name)))
        elif not isinstance(node, ast.FormattedValue):
            yield from _literals(_inside(node), seed=seed)


def _takes(node: ast.Call | ast.keyword | ast.Assign) -> str:
    """The name of what gets a number."""
    if isinstance(node, ast.Call):
        return ast.unparse(node.func).rpartition(".")[2]
    return (node.arg or "") if isinstance(node, ast.keyword) else " ".join(map(ast.unparse, node.targets)).lower()


def _inside(node: ast.AST) -> ast.AST:
    """The part of a node that is looked through: no index, no element that is written out."""
    if isinstance(node, ast.Subscript):
        return ast.Module([ast.Expr(node.value)], [])
    return _without_elements(node) if isinstance(node, _DISPLAY) else node


def _without_elements(node: ast.AST) -> ast.Module:
    """A list that is written out, without its plain numbers."""
    inner = (each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr))
    return ast.Module([ast.Expr(each) for each in inner if not isinstance(each, ast.Constant | ast.UnaryOp)], [])


def put(texts: Mapping[str, str], values: Mapping[NumberPlace, float]) -> dict[str, str]:
    """The texts with other numbers; those that do not change are left out."""
    found: dict[str, str] = {}
    for place in sorted(values, key=lambda each: -each.begin):
        text = found.get(place.text, texts[place.text])
        found[place.text] = text[: place.begin] + place.written(values[place]) + text[place.end :]
    return found


def scaled(places: Sequence[NumberPlace], draw: random.Random) -> dict[NumberPlace, float]:
    """All of them times the same; empty where their order would be another. A seed becomes another one."""
    factor = draw.uniform(0.8, 0.97)
    found = {each: _times(each.value, factor) for each in places if not each.seed}
    found |= {each: float(draw.randrange(SEEDS)) for each in places if each.seed}
    sizes = [each for each in places if not each.seed]
    kept = all((a.value < b.value) == (found[a] < found[b]) for a in sizes for b in sizes)
    changed = {each: value for each, value in found.items() if value != each.value}
    return changed if kept else {}


def _times(value: float, factor: float) -> float:
    return value * factor if isinstance(value, float) else float(round(value * factor))


def one_changed(place: NumberPlace, places: Sequence[NumberPlace], draw: random.Random) -> dict[NumberPlace, float]:
    """One of them, without coming to where another is; empty where there is no room."""
    if place.seed:
        return {place: float(draw.choice([n for n in range(SEEDS) if n != place.value]))}
    others = [each.value for each in places if each.value != place.value and not each.seed]
    low, high = sorted((place.value * SMALLER, place.value * LARGER))
    low = max([low, *(each for each in others if each < place.value)])
    high = min([high, *(each for each in others if each > place.value)])
    if isinstance(place.value, float):
        return {place: draw.uniform(low, high)} if low < high else {}
    wanted = [n for n in range(int(low) + 1, int(high) + 1) if n != place.value and n not in others] if (
        high - low < 100_000) else [int(draw.uniform(low + 1, high - 1))]  # fmt: skip
    same = [each for each in places if each.value == place.value and not each.seed]
    return dict.fromkeys(same, float(draw.choice(wanted))) if wanted else {}
