"""What a function's text tells of its arguments: relations that its code relies on, bounds that its docstring states.

The code relies on indices, sorted lists, lists that are read in step. A docstring states `n must be positive`,
`1 <= n <= 10**5`, `:param n: ..., >= 0`.
"""

from __future__ import annotations

import ast
import inspect
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from codeopt.analysis.nodes import Def
from codeopt.workloads.contract.patterns import ONCE, SORTED
from codeopt.workloads.contract.properties import resized
from codeopt.workloads.source.functions import dotted

_SEARCHES = ("bisect", "bisect_left", "bisect_right", "insort", "insort_left", "insort_right", "merge")
"""Functions of `bisect` and `heapq` that ask for what is sorted."""


@dataclass(frozen=True)
class Relied:
    """Names of parameters."""

    indices: tuple[tuple[str, str, bool], ...] = ()
    """What is indexed, and the index or the list of indices; True of a list that is looped over."""
    ordered: frozenset[str] = frozenset()
    stated: frozenset[tuple[str, str]] = frozenset()
    """Those with a pattern that the docstring says, with its words."""
    equal: tuple[tuple[str, str], ...] = ()
    """Lists that are read in step."""
    tables: tuple[str, ...] = ()
    """What is read by rows and columns."""
    counts: tuple[tuple[str, str], ...] = ()
    """What is read by index, and the end of a range."""


NOTHING_RELIED = Relied()


def relied_on(node: Def) -> Relied:
    """What a function may rely on, as its code shows and its docstring says."""
    names = _names(node)
    nodes = list(ast.walk(node))
    read = [each for each in nodes if isinstance(each, ast.Subscript)]
    calls = [each for each in nodes if isinstance(each, ast.Call)]
    # names that loops over a parameter bind, each with the parameter
    loops: dict[str, str] = {}
    for each in nodes:
        if isinstance(each, ast.For | ast.comprehension) and isinstance(each.iter, ast.Name) and each.iter.id in names:
            loops |= {part.id: each.iter.id for part in ast.walk(each.target) if isinstance(part, ast.Name)}
    indices: dict[tuple[str, str, bool], None] = {}
    by_index: dict[str, set[str]] = {}
    for each in read:
        if (
            isinstance(each.value, ast.Name)
            and (items := each.value.id) in names
            and not isinstance(each.slice, ast.Slice)
        ):
            used = {part.id for part in ast.walk(each.slice) if isinstance(part, ast.Name)}
            indices |= {(items, at, False): None for at in sorted(used & names - {items})}
            indices |= {(items, loops[at], True): None for at in sorted(used & loops.keys()) if loops[at] != items}
            by_index.setdefault(ast.unparse(each.slice), set()).add(items)
    for call in calls:
        if dotted(call.func) == "zip":
            by_index[ast.unparse(call)] = {a.id for a in call.args if isinstance(a, ast.Name) and a.id in names}
    searches = [call for call in calls if dotted(call.func).rpartition(".")[2] in _SEARCHES]
    searched = {given.id for call in searches for given in call.args if isinstance(given, ast.Name)} & names
    rows = sorted({each.value.id for each in read if isinstance(each.value, ast.Name)} & names)
    inside = {
        part.value.id
        for each in read
        if isinstance(part := each.value, ast.Subscript) and isinstance(part.value, ast.Name)
    }
    named = loops | dict(_rows(nodes, names))
    by_name = {named[each.value.id] for each in read if isinstance(each.value, ast.Name) and each.value.id in named}
    # the second as packages name the first that also run under Python 2
    ranges = [part for call in calls if dotted(call.func) in ("range", "xrange") for part in ast.walk(call)]
    ends = sorted({part.id for part in ranges if isinstance(part, ast.Name)} & names)
    stated: set[tuple[str, str]] = set()
    for about, words in _statements(ast.get_docstring(node) or "", names):
        stated |= _stated_patterns(about, words)
        for match in _BELOW.finditer(words):  # `n is shorter than the list`
            at = match["name"] or about
            rest = names - {at}
            if at in names and (match["other"] in rest or len(rest) == 1):
                indices[match["other"] if match["other"] in rest else min(rest), at, False] = None
    return Relied(
        tuple(indices),
        frozenset(searched),
        frozenset(each for each in stated if each[0] in names),
        tuple(dict.fromkeys(pair for each in by_index.values() for pair in combinations(sorted(each), 2))),
        tuple(sorted((inside & names) | by_name)),
        tuple((items, count) for items in rows for count in ends if count != items),
    )


def _names(node: Def) -> set[str]:
    """Names of its parameters."""
    return {each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}


def _rows(nodes: list[ast.AST], names: set[str]) -> Iterator[tuple[str, str]]:
    """Names that are given an item of a parameter, as in `row = table[y]`, each with the parameter."""
    for each in nodes:
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Subscript):
            of = each.value.value
            if isinstance(of, ast.Name) and of.id in names:
                yield from ((target.id, of.id) for target in each.targets if isinstance(target, ast.Name))


# Bounds of numbers that a docstring states. Only plain statements are read. A sentence with a condition or an
# alternative, or about results or errors, may describe the behavior outside of the bounds.

_NUMBER = r"-?\d+(?:\.\d+)?(?:e\d+|\s*(?:\*\*|\^)\s*\d+)?"
_UNLESS = r"(?!\s*[*+/%^(\[]|\s*-\s*[\w(]|\w|\.\w)"
"""Refuses what makes a number or a name part of a larger expression."""
_CHAIN = re.compile(
    rf"(?:(?P<low>{_NUMBER})\s*(?P<below><=|<)\s*)?(?<![\w.)\]])`{{0,2}}(?P<name>len\(\w+\)|[A-Za-z_]\w*)`{{0,2}}"
    rf"(?:\s*(?P<sign><=|<|>=|>)\s*(?P<high>{_NUMBER}){_UNLESS})?"
)
_KINDS = r"(?P<kind>(?:strictly )?positive|non-?negative|at least (?P<least>-?\d+)|greater than (?P<more>-?\d+))\b"
_NOUN = r"(?=\s*(?:$|[,.;:)]|int|integer|number|float|value))"
_MUST = re.compile(rf"`{{0,2}}\b(?P<name>\w+)\b`{{0,2}} (?:must|has to|should|shall) be (?:an? )?{_KINDS}{_NOUN}", re.I)
_NAMED = re.compile(
    rf"\b{_KINDS} (?:int|integer|number|float)s? `{{0,2}}(?P<name>\w+)\b|"
    rf"`{{0,2}}\b(?P<other>\w+)\b`{{0,2}} is an? {_KINDS.replace('?P<', '?P<o')}{_NOUN}"
)
_OF_IT = re.compile(rf"(?:^|[,(:] ?|must be |should be |has to be )(?:an? )?{_KINDS}{_NOUN}", re.I)
_BARE = re.compile(rf"(?:^|[\s,(])(?P<sign>>=|>|<=|<)\s*(?P<high>{_NUMBER}){_UNLESS}")
_SPAN = re.compile(
    rf"(?:`{{0,2}}\b(?P<name>\w+)\b`{{0,2}}(?:,| is| are| must be| lies| lie) |^)(?:from|between) "
    rf"(?P<low>{_NUMBER}) (?:to|and) (?P<high>{_NUMBER}){_UNLESS}"
)
_PATTERNS = {SORTED: "sorted|ascending|in ascending order", ONCE: r"distinct|unique|each (?:\w+ )?once"}
"""Words for each pattern of a list or text."""
_BELOW = re.compile(
    r"(?:\b(?P<name>\w+)\b`{0,2}(?:,| is| are| must be| has to be) |^)(?:shorter|smaller|less|lower) than "
    r"(?:the length of )?(?:the )?`{0,2}(?P<other>\w+)"
)
_FIELD = re.compile(
    r"\s*(?:[-*]\s+)?(?::param(?:eter)?\s+(?:[\w.\[\], |]+\s+)?(\w+):|(\w+)\s*\([^()]*\)\s*:|(\w+)\s*:)(.*)"
)
"""Start of a parameter's description in the styles of Sphinx, Google and NumPy."""
_CONDITIONAL = re.compile(
    r"\b(if|when|whenever|unless|otherwise|else|return\w*|raise\w*|yield\w*|error|or|for|except|not|default\w*|e\.g|"
    r"example|may|can|could|might|usually|often)\b",
    re.IGNORECASE,
)
_SIGNS = str.maketrans({"≤": "<=", "≥": ">=", "−": "-"})


@dataclass(frozen=True)
class StatedBound:
    """Bounds of a parameter, or of its length."""

    parameter: str
    of_length: bool
    low: float | None = None
    high: float | None = None
    open_low: bool = False
    """The lower bound itself is outside."""
    open_high: bool = False

    @property
    def words(self) -> str:
        """`the docstring says 1 <= n <= 9`."""
        name = f"len({self.parameter})" if self.of_length else self.parameter
        if self.low is not None and self.high is None:
            return f"the docstring says {name} {'>' if self.open_low else '>='} {self.low:g}"
        left = "" if self.low is None else f"{self.low:g} {'<' if self.open_low else '<='} "
        return f"the docstring says {left}{name} {'<' if self.open_high else '<='} {self.high:g}"

    def breaks(self, name: str, value: Any) -> bool:
        """Return True if a value of a parameter is outside."""
        return name == self.parameter and self.allows(value) is False

    def nearest(self, value: Any) -> Any:
        """A number, each number of a list, or the length of a container, of the bounds."""
        low = -math.inf if self.low is None else self.low + self.open_low
        high = math.inf if self.high is None else self.high - self.open_high
        if not self.of_length:
            near = [type(number)(min(max(number, low), high)) for number in _numbers(value)]
            return type(value)(near) if isinstance(value, list | tuple) else near[0]
        size = int(min(max(len(value), low), high))
        return resized(value, size) if isinstance(value, list | tuple | str | bytes) and len(value) else value

    def allows(self, value: Any) -> bool | None:
        """Return True if a value is inside. None if it is no number, holds others than numbers, or has no length."""
        if self.of_length:
            sized = isinstance(value, str | bytes | list | tuple | dict | set | frozenset)
            return self._holds(len(value)) if sized else None
        numbers = _numbers(value)
        return all(map(self._holds, numbers)) if numbers else None

    def _holds(self, measured: float) -> bool:
        above = self.low is None or (measured > self.low if self.open_low else measured >= self.low)
        return above and (self.high is None or (measured < self.high if self.open_high else measured <= self.high))


def _numbers(value: Any) -> list[Any]:
    """A number, or those of a list that holds nothing else."""
    items = value if isinstance(value, list | tuple) else (value,)
    return list(items) if all(type(item) in (int, float) for item in items) else []


def stated_bounds(node: Def) -> tuple[StatedBound, ...]:
    """Bounds that the docstring of a function states of its parameters."""
    text = ast.get_docstring(node) or ""
    names = _names(node)
    found = [each for about, words in _statements(text.translate(_SIGNS), names) for each in _bounds(about, words)]
    return tuple(dict.fromkeys(each for each in found if each.parameter in names))


def _stated_patterns(about: str, words: str) -> set[tuple[str, str]]:
    """Names that a sentence calls sorted, or without repeats, each with the words of the pattern."""
    found = set()
    for pattern, said in _PATTERNS.items():
        after = rf"\b(?P<name>\w+)\b`{{0,2}}(?:, | is | are | must be | has to be | \()(?:{said})\b"
        before = rf"\b(?:{said}) (?:list|numbers|items) `{{0,2}}(?P<other>\w+)\b"
        found |= {(match["name"] or match["other"], pattern) for match in re.finditer(f"{after}|{before}", words)}
        if about and re.match(rf"(?:an? )?(?:{said})\b", words):
            found.add((about, pattern))
    return found


def _statements(text: str, names: set[str]) -> Iterator[tuple[str, str]]:
    """Plain sentences, each with the parameter that it is about, empty for none."""
    for about, block in _blocks(inspect.cleandoc(text).splitlines(), names):
        for sentence in re.split(r"(?<=[.;!?])\s+|\s*;\s*", block):
            if sentence and not _CONDITIONAL.search(sentence):
                yield about, sentence.strip()


def _blocks(lines: Sequence[str], names: set[str]) -> Iterator[tuple[str, str]]:
    """Paragraphs, items of lists and fields of parameters, without doctests."""
    about, block, doctest = "", "", False
    for line in [*lines, ""]:
        field = _FIELD.match(line)
        name = next(filter(None, field.groups()[:3]), "") if field else ""
        item = re.match(r"\s*[-*]\s+", line)
        doctest = bool(line.strip()) and (doctest or line.lstrip().startswith(">>>"))
        if not line.strip() or doctest or name in names or item:
            yield about, block
            about, block = "", ""
        if field and name in names:
            about, block = name, field[4].strip()
        elif line.strip() and not doctest:
            block = f"{block} {line[item.end() if item else 0 :].strip()}".strip()


def _bounds(about: str, sentence: str) -> Iterator[StatedBound]:
    for match in _CHAIN.finditer(sentence):
        if (match["low"] or match["high"]) and not re.search(r"[-+*/%^]\s*$", sentence[: match.start()]):
            yield from _of_chain(match)
    for match in _MUST.finditer(sentence):
        yield _of_kind(match["name"], match["kind"])
    for match in _NAMED.finditer(sentence):
        yield _of_kind(match["name"] or match["other"], match["kind"] or match["okind"])
    for match in _SPAN.finditer(sentence):
        if name := match["name"] or about:
            yield StatedBound(name, False, low=_number(match["low"]), high=_number(match["high"]))
    if about:
        for match in _OF_IT.finditer(sentence):
            yield _of_kind(about, match["kind"])
        for match in _BARE.finditer(sentence):
            yield _bounded(about, match["sign"], match["high"])


def _of_chain(match: re.Match[str]) -> Iterator[StatedBound]:
    """`1 <= n <= 9` or half of it; of `9 > n > 1` nothing but the half that is plain."""
    name, of_length = match["name"].removeprefix("len(").rstrip(")"), "(" in match["name"]
    if match["low"]:
        yield StatedBound(name, of_length, low=_number(match["low"]), open_low=match["below"] == "<")
    if match["high"]:
        yield _bounded(name, match["sign"], match["high"], of_length=of_length)


def _bounded(name: str, sign: str, number: str, *, of_length: bool = False) -> StatedBound:
    if ">" in sign:
        return StatedBound(name, of_length, low=_number(number), open_low=sign == ">")
    return StatedBound(name, of_length, high=_number(number), open_high=sign == "<")


def _of_kind(name: str, kind: str) -> StatedBound:
    """`positive`, `at least 2`."""
    kind, number = kind.lower(), re.search(r"-?\d+$", kind)
    if number:
        return StatedBound(name, False, low=float(number[0]), open_low=kind.startswith("greater"))
    return StatedBound(name, False, low=0.0, open_low=kind.endswith("positive"))


def _number(text: str) -> float:
    """`10**5`, `10^5`, `1e5`."""
    base, _, power = re.sub(r"\s", "", text).replace("**", "^").partition("^")
    value = float(base)
    if not power:
        return value
    try:
        size = abs(value) ** int(power)
    except OverflowError:  # 16**512: a bound that no number breaks
        size = math.inf
    return math.copysign(size, value)
