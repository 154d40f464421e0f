"""New inputs: known ones are changed as calls are, and the original program gives the expected results.

Such inputs expose a candidate that is right only on the given cases. For example, it has a table of answers, a set of
repeated values, 32-bit sums, or abs() because nothing was negative. What is made keeps all that the known inputs keep,
or breaks one thing of it alone: `Contract.repaired` restores the rest.
"""

from __future__ import annotations

import ast
import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, cycle, islice, permutations, product, zip_longest
from typing import Any

from codeopt.core.call import Call
from codeopt.workloads.contract.documents import NO_DOCUMENT
from codeopt.workloads.contract.inputs import KnownInputs, choose_shortest, look_at, mapped, words_of
from codeopt.workloads.contract.layout import followed, tied
from codeopt.workloads.contract.properties import LARGE, OF_CALLS
from codeopt.workloads.contract.relations import put
from codeopt.workloads.generated.derive import Maker
from codeopt.workloads.generated.larger import chained, grow, simpler
from codeopt.workloads.generated.vocabulary import Vocabulary
from codeopt.workloads.source.module_graph import read_module

LARGEST_BASE = 600_000  # bytes; a longer input is not changed, as each change takes seconds
LONG_ENOUGH = 140_000  # bytes; more than two pipe buffers
MOST_BYTES = 1_500_000
"""Bytes of an input that is made."""
BASES = 4
"""Known inputs that are changed: the shortest, and the longest."""
SHORT = 5000  # bytes; of longer inputs fewer
TURNS = 40
"""Times that each known input is changed."""
FIELDS = 4
"""Largest number of kinds of letters in a map: a field, a wall, the start and the goal."""
TRIES = 3
"""Inputs for a relation: the original may fail on the first."""
_PLACES = re.compile(r"`[^`]*`|among the .*")
"""Places that words about a relation name."""
NO_WORDS = Vocabulary()
WAYS = ("resampled", "twice", "even", "twice", "sum", "repeated", "twice", "difference", "ends", "twice", "shuffled")


@dataclass(frozen=True)
class MutatedInput:
    name: str
    stdin: bytes
    because: str = ""
    """Property of the known inputs that it breaks; empty where it keeps all that was found."""
    relation: str = ""
    """Relation that it was made to break; empty where it was made for another reason."""


class InputMaker:
    """Makes inputs from the known ones that may be changed."""

    def __init__(self, known: KnownInputs, shown: Sequence[bytes], seed: int, words: Vocabulary) -> None:
        self.known, self.draw = known, random.Random(seed)
        self.names, self.shown = known.format.names, shown
        ordered = sorted(dict.fromkeys(data for data in shown if len(data) <= LARGEST_BASE), key=len)
        chosen = [*ordered[: BASES - 1], *ordered[BASES - 1 :][-1:]]
        read = [(data, call) for data in chosen if (call := self._read(data)) is not None]
        self.maker = Maker(self.draw, [call for _, call in read], words, small=False)
        self.pools: dict[tuple[Any, ...], list[Any]] = {}
        for _, call in read:
            for name, value in zip(self.names, call.args, strict=True):
                mapped(value, lambda path, leaf: self.pools.setdefault(path, []).append(leaf), (name,))
        if read and len(read[0][0]) > SHORT:
            # The first rows of a long input, if they keep what all known inputs keep: to look at 1,500 rows of a log
            # for each of 1,500 changes took four minutes.
            call = known.contract.repaired(self._sized(with_rows(read[0][1], 30)))
            data = known.text(call)
            if data is not None and len(data) <= SHORT and not any(known.contract.broken(call)):
                read.insert(0, (data, call))
        self.texts, self.bases = [data for data, _ in read], [call for _, call in read]

    @classmethod
    def of(
        cls,
        path: str,
        inputs: Sequence[bytes],
        also_known: Sequence[bytes],
        seed: int = 0,
        words: Vocabulary = NO_WORDS,
    ) -> InputMaker | None:
        """Makes inputs of a file. None where all known ones are empty."""
        known = look_at(path, [*inputs, *also_known])
        return None if known is None else cls(known, inputs, seed, words)

    def _read(self, data: bytes) -> Call | None:
        try:
            return self.known.format.read(data)
        except NO_DOCUMENT:
            return None

    def similar(self, base: Call, new: Call) -> bytes | None:
        """Text of a changed call that keeps what all known ones keep. None if it cannot."""
        call = self.known.contract.repaired(self._followed(base, new))
        data = self.known.text(call) if not any(self.known.contract.broken(call)) else None
        kept = data is not None and len(data) <= MOST_BYTES and all(each.holds(data) for each in self.known.written)
        return data if kept else None

    def alone(self, base: Call, new: Call) -> tuple[list[str], bytes] | None:
        """What a changed call breaks, one thing alone if possible, and its text. None if it breaks nothing, or much.

        A number below zero is also below the smallest known one: such things are broken together.
        """
        call = self._followed(base, new)
        broken = list(self.known.contract.broken(call))
        # number of things that one change may break
        for spare in (broken[:1], broken) if 1 < len(broken) <= 3 else (broken[:1],):
            kinds = {each.what for each in spare}
            kept = self.known.contract.repaired(call, kinds)
            left = list(self.known.contract.broken(kept))
            data = self.known.text(kept) if left and {each.what for each in left} <= kinds else None
            if data is not None and len(data) <= MOST_BYTES:
                return list(dict.fromkeys(map(words_of, left))), data
        return None

    def _followed(self, base: Call, new: Call) -> Call:
        return Call(tuple(followed(base.args, new.args, self.known.ties)))

    def changed(self) -> Iterator[tuple[str, Call, Call]]:
        """Yield (kind, base, changed call), the bases by turns."""
        for turn in range(TURNS):
            for number, base in enumerate(self.bases):
                if turn and len(self.texts[number]) > SHORT and turn % 8:
                    continue
                kind = "largest" if number == len(self.bases) - 1 and number else "alike"
                way = WAYS[(turn + number) % len(WAYS)]
                if turn % 2:
                    self.maker.small = bool(turn % 4 == 1)
                    yield f"{kind}.one.{number}.{turn}", base, self.maker.one(base)
                else:
                    yield f"{kind}.{way}.{number}.{turn}", base, self._by_way(base, way)

    def _by_way(self, base: Call, way: str) -> Call:
        """All values replaced in a way, or one number made of others."""
        if way in ("twice", "sum", "difference"):
            made = (self._related(base, way) for _ in range(4 * TRIES))  # most are out of range
            kept = (call for call in made if call.values != base.values and not any(self.known.contract.broken(call)))
            return next(kept, base)
        choices: dict[tuple[Any, ...], Callable[[Any], Any]] = {}
        sizes: Counter[tuple[Any, ...]] = Counter()
        for name, value in zip(self.names, base.args, strict=True):
            mapped(value, lambda path, leaf: sizes.update((path,)), (name,))

        def change(path: tuple[Any, ...], leaf: Any) -> Any:
            if path not in choices:
                choices[path] = self._chooser(path, way, sizes[path])
            return choices[path](leaf)

        counts = {tie.number for tie in self.known.ties}
        return Call(
            tuple(
                value if at in counts else mapped(value, change, (name,))
                for at, (name, value) in enumerate(zip(self.names, base.args, strict=True))
            )
        )

    def _chooser(self, path: tuple[Any, ...], way: str, size: int) -> Callable[[Any], Any]:
        pool, draw = self.pools[path], self.draw
        if way == "shuffled":
            left = draw.sample(pool, len(pool))
            return lambda leaf: left.pop() if left else leaf
        numbers = [leaf for leaf in pool if type(leaf) in (int, float)]
        if len(numbers) < len(pool):
            return self._words(pool, way, size)
        low, high = min(numbers), max(numbers)
        if way == "ends":
            return lambda leaf: draw.choice((low, high))

        def number(leaf: Any = None) -> Any:
            whole = type(low) is int and type(high) is int
            return low + int(draw.random() * (high - low + 1)) if whole else draw.uniform(low, high)

        if way == "resampled":
            return number
        some = list(dict.fromkeys(number() for _ in range(5 if way == "even" else 2)))
        return _evenly(some, size) if way == "even" else lambda leaf: draw.choice(some)

    def _words(self, pool: Sequence[Any], way: str, size: int) -> Callable[[Any], Any]:
        draw = self.draw
        different = list(dict.fromkeys(pool))
        some = draw.sample(different, min(5 if way == "even" else 2, len(different)))
        if way != "resampled":
            return _evenly(some, size) if way == "even" else lambda leaf: draw.choice(some)
        if draw.random() < 0.4 or not all(type(leaf) is str for leaf in pool):
            return lambda leaf: draw.choice(pool)
        signs = sorted(set("".join(pool)))
        return lambda leaf: "".join(draw.choices(signs, k=len(leaf))) if signs else leaf

    def _related(self, base: Call, way: str) -> Call:
        """One number becomes what two others make together: a sum, twice one, a difference. Rare by chance, and often
        what a program asks about: a pair with a given sum, in which nobody may be paired with itself."""
        counts = {tie.number for tie in self.known.ties}
        alone = [at for at, value in enumerate(base.args) if type(value) is int and at not in counts]
        lists = [at for at, value in enumerate(base.args) if isinstance(value, list) and value]
        found: list[int] = []
        for at in lists or alone:
            mapped(base.args[at], lambda path, leaf: found.append(leaf) if type(leaf) is int else None)
        if not found or not (alone or lists):
            return base
        one, other = self.draw.choice(found), self.draw.choice(found)
        made = {"twice": 2 * one, "sum": one + other, "difference": abs(one - other)}[way]
        if alone and (self.draw.random() < 0.7 or not lists):
            return base.with_value(self.draw.choice(alone), made)
        at = self.draw.choice(lists)
        items = base.args[at]
        place = self.draw.randrange(len(items))
        ints = type(items[place]) is int
        return base.with_value(at, [*items[:place], made, *items[place + 1 :]]) if ints else base

    def longer(self, base: Call, least: int) -> bytes | None:
        """As many bytes at least, and twice as long."""
        size = len(self.known.text(base) or b"")
        for factor in (max(2, math.ceil(1.5 * least / max(1, size))), 2):  # new values may be shorter
            grown = grow(base, factor, self.draw.randrange(1000)) if size * factor <= MOST_BYTES else None
            if grown is not None and (data := self.similar(base, self._sized(grown))) is not None and len(data) > size:
                return data
        return None

    def _sized(self, call: Call) -> Call:
        return Call(tuple(tied(call.args, self.known.ties)))

    def chains(self) -> Iterator[MutatedInput]:
        """Trees that are chains: as deep as they have nodes, deeper than a recursion may be. A draft that makes a
        recursion of a loop errs on no others."""
        calls = [call for data in choose_shortest(self.shown) if (call := self._read(data)) is not None]
        for at in range(len(self.names)):
            found = chained([call.args[at] for call in calls])
            if found is None:
                continue
            call = self._sized(self.bases[-1].with_value(at, found[0]))
            why = next(
                (words_of(each) for each in self.known.contract.broken(call)),
                "no known input's tree is nearly a chain" * (not found[1]),
            )
            if (data := self.known.text(call)) is not None:
                yield MutatedInput(f"chain.{at}", data, why)

    def of_one_letter(self) -> Iterator[MutatedInput]:
        """The longest base with one of its two usual letters in place of the other: a map without walls, in which a
        recursion is as deep as the map has fields, or of walls alone. A draft that makes a recursion of a loop errs on
        no others."""
        base, letters = self.bases[-1], Counter[str]()
        mapped(list(base.args), lambda path, leaf: letters.update(leaf if type(leaf) is str else ""))
        usual = [letter for letter, _ in letters.most_common(2)] if len(letters) <= FIELDS else []
        # with many fields the original may take too long
        for (old, new), rows in product(permutations(usual, 2), (20, None)):
            other = str.maketrans(old, new)
            made = mapped(
                list(base.args),
                lambda path, leaf, to=other: leaf.translate(to) if type(leaf) is str else leaf,  # type: ignore[misc]
            )
            data = self.similar(base, self._sized(with_rows(Call(tuple(made)), rows)))
            if data is not None:
                yield MutatedInput(f"one_letter.{rows}.{new}", data)


def with_rows(call: Call, most: int | None) -> Call:
    """The call with the first items of each list."""
    return Call(tuple(value[:most] if isinstance(value, list) else value for value in call.args))


def _evenly(values: Sequence[Any], size: int) -> Callable[[Any], Any]:
    """Values by turns, each as often as the others if their number allows it: then none is the most frequent."""
    some = next((count for count in range(len(values), 1, -1) if size % count == 0), min(2, len(values)))
    turns = cycle(values[:some])
    return lambda leaf: next(turns)


def mutated_inputs(
    path: str, inputs: Sequence[bytes], *, seed: int, also_known: Sequence[bytes] = (), words: Vocabulary = NO_WORDS
) -> Iterator[MutatedInput]:
    """Changed inputs, a longer one first, made as they are asked for. The same seed gives the same ones.

    also_known: inputs that are not changed, but say what all known ones keep, and what is large and long.
    """
    maker = InputMaker.of(path, inputs, also_known, seed, words)
    if maker is None:
        return
    seen = {*inputs, *also_known}
    for each in _made(maker, max(map(len, (*inputs, *also_known)), default=0)):
        if each.stdin not in seen:
            seen.add(each.stdin)
            yield each


def _made(maker: InputMaker, longest: int) -> Iterator[MutatedInput]:
    last = maker.bases[-1:]
    for base in last:
        if (data := maker.longer(base, longest + 1)) is not None:
            yield MutatedInput("longer.0", data)
        yield from chain(maker.chains(), maker.of_one_letter())
    often: Counter[str] = Counter()
    for turn, (name, base, new) in enumerate(maker.changed()):
        if (data := maker.similar(base, new)) is not None:
            yield MutatedInput(name, data)
        other = maker.alone(base, new)
        # inputs that break one thing alone, of each, among those that are changed at random
        if other is not None and often[why := other[0][0]] < 4:
            often[why] += 1
            yield MutatedInput(f"beyond.{turn}", other[1], why)
        if turn == 2 * len(maker.bases):
            for long in last:
                if (data := maker.longer(long, LONG_ENOUGH)) is not None:
                    yield MutatedInput("long.0", data)


def broken_inputs(
    path: str, inputs: Sequence[bytes], *, seed: int, also_known: Sequence[bytes] = (), words: Vocabulary = NO_WORDS
) -> Iterator[MutatedInput]:
    """Inputs of which each breaks one relation that all known ones keep, the best of each relation first."""
    maker = InputMaker.of(path, inputs, also_known, seed, words)
    if maker is None:
        return
    forms = maker.known.written if maker.texts else ()
    texts = (([each.words], data) for each in forms if not each.holds(data := each.broken(maker.texts[0])))
    shortest = min(map(len, maker.texts), default=0)
    # length of the shortest known input up to which all changes of the second one are tried, too
    few = maker.bases[: 2 if shortest < 1000 else 1]
    ones = (
        (base, base.with_value(at, new))
        for base in few
        for at, value in enumerate(base.args)
        for new in variants(value)
    )
    drawn = ((base, new) for _, base, new in islice(maker.changed(), TURNS))
    calls = (found for base, new in chain(ones, drawn) if (found := maker.alone(base, new)) is not None)
    # number of changed inputs that the best are chosen among; of long inputs fewer
    # bytes of such inputs together
    most = min(1500, 3_000_000 // max(1, shortest))
    yield from _best_of_each(islice(chain(texts, calls), most), {*inputs, *also_known})


def _best_of_each(candidates: Iterable[tuple[list[str], bytes]], known: set[bytes]) -> Iterator[MutatedInput]:
    """The input that breaks each relation and fewest others, and is short; then the second best of each, and so on."""
    found: dict[str, dict[bytes, int]] = {}
    for broken, data in candidates:
        for words in broken if data not in known else ():
            found.setdefault(words, {}).setdefault(data, len(broken))
    often: Counter[str] = Counter()
    turns = {}
    for words in found:  # one relation of each kind first, as not all can be tried
        kind = _PLACES.sub("", words)
        turns[words] = often[kind]
        often[kind] += 1
    ranked = {
        words: sorted(found[words], key=lambda data: (found[words][data], len(data)))
        for words in sorted(found, key=turns.__getitem__)
    }
    given: set[bytes] = set()
    for turn in range(TRIES):
        for words, group in ranked.items():
            best = next((data for data in group if data not in given), None)
            if best is not None and len(group) > turn:
                yield MutatedInput(f"broken.{len(given)}", best, words, words)
                given.add(best)


def smaller_inputs(path: str, data: bytes, known_inputs: Sequence[bytes]) -> Iterator[bytes]:
    """Inputs with fewer items of a list than an input, or a smaller number, that keep what all known ones keep."""
    maker = InputMaker.of(path, known_inputs, ())
    if maker is None:
        return
    base = maker._read(data) or Call(())
    for at, value in enumerate(base.args):
        for less in simpler(value):
            new = maker.similar(base, base.with_value(at, less))
            if new is not None and new != data and len(new) <= len(data):
                yield new


def numbers_like(inputs: Sequence[bytes], also_known: Sequence[bytes]) -> Iterator[MutatedInput]:
    """Other values of an argument that is a number. Nobody states how large it may be."""
    known = look_at("", [*inputs, *also_known], replace(OF_CALLS, few=1))
    if known is None:
        return
    maker = InputMaker(known, inputs, 0, NO_WORDS)
    for base in maker.bases[:1]:
        numbers = [base.with_value(0, new) for new in variants(base.args[0]) if type(new) is type(base.args[0])]
        for number, new in enumerate(numbers):
            (why, *_), data = maker.alone(base, new) or ([""], known.text(new) or b"")
            if data not in {*inputs, *also_known}:
                yield MutatedInput(f"number.{number}", data, why, why)


def inputs_at_boundaries(
    path: str, inputs: Sequence[bytes], also_known: Sequence[bytes], near: Sequence[int]
) -> Iterator[MutatedInput]:
    """Inputs with one word, or number, at a number of the program's text that no known input has there."""
    maker = InputMaker.of(path, inputs, also_known)
    number = 0
    for base in maker.bases[:1] if maker and near else ():
        assert maker is not None
        # Output about the most frequent of many rows would not show one that is changed.
        # rows of an input in which a value at a number of the program's text is put
        for new in boundaries_in(with_rows(base, 3), maker.names, maker.pools, near):
            call = maker._sized(new)
            if (data := maker.known.text(call)) is not None and data not in inputs:
                why = next((words_of(each) for each in maker.known.contract.broken(call)), "")
                yield MutatedInput(f"boundary.{number}", data, why, f"boundary.{number}")
                number += 1


DEPTH = 6


def variants(value: Any, depth: int = DEPTH) -> Iterator[Any]:
    """Values with one part changed, within the first, the last and the second item of each list."""
    if type(value) is int:
        # 1 is the least that most statements allow; the odd number beyond 2**53 is one that a float does not hold, and
        # whose root a float rounds up
        yield from (1, value + 1, value - 1, 0, -1, -value, 2 * value + 1, 94906268**2 - 1, 10**18 + 1, value + 0.5)
        yield f"{value}x"
        yield from (f"0{value}", f"+{value}", None)
    elif type(value) is float:
        yield from (-value, 0.0, value + 0.0625, float(LARGE), int(value), "nan", "1e3", f"{value}x", None)
    elif isinstance(value, str):
        half = max(1, len(value) // 2)
        # of two bytes; of two capitals; of another length in lower case
        yield from (f"{value[:-1]}{letter}" for letter in "\u00e9\u00df\u0130")
        yield from ("", value.upper(), value.lower(), value.swapcase(), value + value[-1:], value[:-1], value[::-1])
        yield from (f"{value[:half]} {value[half:] or 'b'}", f" {value}", f"{value} ", f"{value}\nb", f"{value}7")
        yield from ("7", "other", *(f"{value[:-1]}{sign}" for sign in "1-'\",.;"), 7, None, [value])
    elif not isinstance(value, list | dict | tuple):
        yield from (not value, 7, "text")
    elif depth:
        yield from _other_lists(value, depth) if isinstance(value, list) else _other_records(value, depth)


def _other_records(value: Any, depth: int) -> Iterator[Any]:
    keys = list(value) if isinstance(value, dict) else range(len(value))
    if isinstance(value, dict):
        yield from ({name: value[name] for name in value if name != key} for key in keys)
    for key in keys:
        for new in variants(value[key], depth - 1):
            yield {**value, key: new} if isinstance(value, dict) else (*value[:key], new, *value[key + 1 :])
    if isinstance(value, dict):
        yield {**value, "another": next(iter(value.values()), 7)}
        yield {}
    elif len(value) > 1:
        yield (value[1], value[0], *value[2:])


def _other_lists(value: list[Any], depth: int) -> Iterator[Any]:
    yield from ([], value[:1], value[:-1], value[1:], [*value, *value[-1:]], [*value, *value[:1]], value[::-1])
    if len(value) > 1:
        yield [value[1], value[0], *value[2:]]
        yield [*value[:-1], value[0]]
    for at in sorted({0, 1, len(value) - 1} & {*range(len(value))}):
        for new in variants(value[at], depth - 1):
            yield [*value[:at], new, *value[at + 1 :]]
        if at and isinstance(value[at], dict):  # one field as of the first record
            first = value[0] if isinstance(value[0], dict) else {}
            yield from ([*value[:at], {**value[at], key: first[key]}, *value[at + 1 :]] for key in first)


def boundaries(source: str) -> list[int]:
    """The numbers of a program's text, each with its neighbours."""
    found = [each.value for each in ast.walk(read_module(source)) if isinstance(each, ast.Constant)]
    numbers = dict.fromkeys(value for value in found if type(value) is int and 2 < value < 10**6)
    # numbers of a program's text that are tried
    near = (each for value in list(numbers)[:12] for each in (value, value + 1, value - 1))
    return list(dict.fromkeys(near))


def boundaries_in(
    base: Call, names: Sequence[str], pools: Mapping[tuple[Any, ...], Sequence[Any]], near: Sequence[int]
) -> Iterator[Call]:
    """A call with one value, or one length, at a boundary that no known value at its place has, by turns.

    `if len(name) <= 15` differs from `< 15` on words of 15 letters alone.
    """
    places = {(names.index(path[0]), path): _others(pool, near) for path, pool in pools.items()}

    def changed(at: int, path: Sequence[Any], new: Any) -> Call | None:
        try:
            return base.with_value(at, put(base.args[at], tuple(path[1:]), new))
        except (LookupError, TypeError):  # the call has no such place
            return None

    made = (map(partial(changed, *place), news) for place, news in places.items())
    # maximum number of inputs at such numbers
    return islice((call for turn in zip_longest(*made) for call in turn if call is not None), 24)


def _others(known: Sequence[Any], near: Sequence[int]) -> Iterator[Any]:
    """Values of one kind at the boundaries: numbers as they are, texts by their length."""
    if all(type(each) in (int, float) for each in known):
        yield from (number for number in near if number not in known)
    elif all(isinstance(each, str) for each in known):
        lengths, longest = {len(each) for each in known}, max(known, key=len)
        yield from (stretched(longest, size) for size in near if len(lengths) > 1 and size not in lengths)


def stretched(text: str, size: int) -> str:
    """A text cut to a length, or with letters of its words and numbers repeated up to it."""
    runs = re.findall(r"[A-Za-z0-9]+|.", text, re.DOTALL)
    words = [at for at, run in enumerate(runs) if run.isalnum()]
    # largest length that is tried; a value may be larger
    for turn in range(max(0, min(size, 100) - len(text)) if words else 0):
        runs[words[turn % len(words)]] += runs[words[turn % len(words)]][-1]
    return "".join(runs)[:size]
