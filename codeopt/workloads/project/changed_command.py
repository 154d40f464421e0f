"""Variations of the user's command: other numbers, data files or options, in its words, variables or script.

The script is a protected file on both sides. No model sees these commands.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product, zip_longest

from codeopt.workloads.program.fuzzing import mutate_cases
from codeopt.workloads.project.changed_numbers import NumberPlace, in_script, in_word, one_changed, put, scaled
from codeopt.workloads.project.command import EntryKind, ProjectCommand
from codeopt.workloads.project.protected_files import entry_files
from codeopt.workloads.source.module_graph import ModuleGraph
from codeopt_sandbox.outcome import Case, Files

SINGLE = 4
"""Maximum number of changes of one number."""
OF_A_FILE = 3
"""Maximum number of changes of one file."""
TIMES_SCALED = 3
"""Maximum number of changes of all numbers."""
LARGEST = 4 << 20
"""Bytes of a data file that is changed."""
LARGER = (4.0, 2.0, 32.0)
"""Factors of the numbers of a larger command, in the order in which they are tried; where 4 takes too long, 32 does."""
SMALLER = (0.125, 0.03125)
"""Factors of the numbers of a smaller command, in the order in which they are tried."""
WORD = "word "


@dataclass(frozen=True)
class ChangedCommand:
    kind: str
    """Shown text: `other numbers`, `another file`, `without an option`."""
    line: tuple[str, ...]
    """Variables and words, in the form of `ProjectCommand.line`."""
    files: Files = ()
    """In place of the project's."""

    def case(self, name: str) -> Case:
        """To be run like any other."""
        return Case(name, b"", title=f"the command with {self.kind}", args=self.line, files=self.files, held_out=True)


def mutated_commands(
    command: ProjectCommand, files: Mapping[str, bytes], seed: int, judged: Collection[str] = ()
) -> Iterator[ChangedCommand]:
    """Yield mutated commands, the kinds by turns. The same seed gives the same commands.

    Args:
        command: The user's command.
        files: Contents of the project.
        seed: Seed of the random choices.
        judged: Files that differ between the two sides. They are not changed.
    """
    draw = random.Random(seed)
    texts, places = _numbers(command, files, judged)
    kinds = (
        _with_numbers(command, texts, places, draw),
        _with_data(command, files, seed),
        _without_options(command, draw),
    )
    yield from _distinct(command, (each for each in chain.from_iterable(zip_longest(*kinds)) if each is not None))


def _distinct(command: ProjectCommand, changed: Iterable[ChangedCommand]) -> Iterator[ChangedCommand]:
    """Without those that are the user's own, or an earlier one."""
    seen: set[tuple[tuple[str, ...], Files]] = {(command.line, ())}
    for each in changed:
        if (each.line, each.files) not in seen:
            seen.add((each.line, each.files))
            yield each


def larger_commands(
    command: ProjectCommand, files: Mapping[str, bytes], judged: Collection[str] = ()
) -> Iterator[ChangedCommand]:
    """Yield larger commands: all sizes multiplied by a factor, then one of them alone, the largest first.

    `judged` has the meaning that it has in `mutated_commands`.
    """
    return _distinct(command, _resized(command, files, judged, LARGER, alone=LARGER[:1]))


def smaller_commands(
    command: ProjectCommand, files: Mapping[str, bytes], judged: Collection[str] = ()
) -> Iterator[ChangedCommand]:
    """Yield smaller commands: all sizes reduced to a small part, then one of them alone, the largest first.

    `judged` has the meaning that it has in `mutated_commands`.
    """
    return _distinct(command, _resized(command, files, judged, SMALLER, alone=SMALLER))


def _resized(
    command: ProjectCommand, files: Mapping[str, bytes], judged: Collection[str], factors: Sequence[float],
    *, alone: Sequence[float],
) -> Iterator[ChangedCommand]:  # fmt: skip
    """factors: of all numbers together. alone: of one of them, while the others stay."""
    texts, places = _numbers(command, files, judged)
    sizes = sorted((each for each in places if not each.seed), key=lambda each: -each.value)
    for factor in factors if sizes else ():
        kind = f"its numbers times {factor:g}"
        yield _put(command, put(texts, {each: _resized_value(each, factor) for each in sizes}), kind)
    for each, factor in product(sizes if len(sizes) > 1 else (), alone):
        kind = f"{each.written(each.value)} times {factor:g}"
        yield _put(command, put(texts, {each: _resized_value(each, factor)}), kind)


def _resized_value(place: NumberPlace, factor: float) -> float:
    """A whole number stays above zero."""
    value = place.value * factor
    return value if isinstance(place.value, float) or place.value <= 0 else max(1.0, value)


def _numbers(
    command: ProjectCommand, files: Mapping[str, bytes], judged: Collection[str]
) -> tuple[dict[str, str], list[NumberPlace]]:
    """Texts that hold numbers, by key, and the places of these."""
    texts: dict[str, str] = {}
    places: list[NumberPlace] = []
    first = len(command.variables) + command.entry.arguments
    for at, word in enumerate(command.line):
        if at < len(command.variables) or at >= first:
            before = command.line[at - 1] if at > first else ""
            texts[f"{WORD}{at}"] = word
            places += in_word(f"{WORD}{at}", word, before)
    scripts = [path for path in entry_files(command, files) if path not in judged]
    for path in scripts if command.entry.kind is not EntryKind.TOOL else ():
        try:
            text = files[path].decode()
            places += in_script(path, text)
        except (ValueError, SyntaxError):
            continue
        texts[path] = text
    if command.entry.kind is EntryKind.CODE:
        key = f"{WORD}{first - 1}"
        try:
            places += in_script(key, command.line[first - 1])
        except SyntaxError:
            return texts, places
        texts[key] = command.line[first - 1]
    return texts, places


def _with_numbers(
    command: ProjectCommand, texts: Mapping[str, str], places: list[NumberPlace], draw: random.Random
) -> Iterator[ChangedCommand]:
    order = draw.sample(places, min(SINGLE, len(places)))
    singles = (one_changed(place, places, draw) for place in order)
    for values in chain.from_iterable(zip_longest((scaled(places, draw) for _ in range(TIMES_SCALED)), singles)):
        if values:
            yield _put(command, put(texts, values))


def _put(command: ProjectCommand, changed: Mapping[str, str], kind: str = "other numbers") -> ChangedCommand:
    line = tuple(changed.get(f"{WORD}{at}", word) for at, word in enumerate(command.line))
    files = tuple((path, text.encode()) for path, text in changed.items() if not path.startswith(WORD))
    return ChangedCommand(kind, line, files)


def _with_data(command: ProjectCommand, files: Mapping[str, bytes], seed: int) -> Iterator[ChangedCommand]:
    """Data files that the command is given, or that its script names."""
    graph = ModuleGraph(files)
    named = [word.rpartition("=")[2] for word in command.arguments]
    named += [text for path in entry_files(command, files) for text in graph.named_texts(path)]
    data = [path for path in dict.fromkeys(named) if path in files and not path.endswith(".py")]
    for path in data:
        if len(files[path]) <= LARGEST:
            yield from _changed_file(command, path, files[path], seed)


def _changed_file(command: ProjectCommand, path: str, content: bytes, seed: int) -> Iterator[ChangedCommand]:
    case = Case("command", b"", files=((path, content),))
    alike = (each.case for each in mutate_cases([case], seed=seed) if not each.beyond and each.case.files)
    for _, found in zip(range(OF_A_FILE), alike, strict=False):
        yield ChangedCommand("another file", command.line, found.files or ())


def _without_options(command: ProjectCommand, draw: random.Random) -> Iterator[ChangedCommand]:
    """Without one of the flags that take no value, as far as can be seen."""
    first = len(command.variables) + command.entry.arguments
    words = command.line
    flags = [
        at for at in range(first, len(words))
        if words[at].startswith("-") and words[at].lstrip("-")[:1].isalpha() and "=" not in words[at]
        and (at + 1 == len(words) or words[at + 1].startswith("-"))
    ]  # fmt: skip
    for at in draw.sample(flags, len(flags)):
        yield ChangedCommand("an option left out", (*words[:at], *words[at + 1 :]))
