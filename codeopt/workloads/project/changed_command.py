"""Variations of the user's command: other numbers, data files or options; and which numbers it has.

The script is a protected file on both sides. No model sees these commands.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, product, zip_longest

from codeopt.workloads.program.mutated_cases import mutate_cases
from codeopt.workloads.project.command import EntryKind, ProjectCommand
from codeopt.workloads.project.project_program import entry_files
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
    for path in (each for each in data if len(files[each]) <= LARGEST):
        mutated = mutate_cases([Case("command", b"", files=((path, files[path]),))], seed=seed)
        alike = (each.case.files for each in mutated if not each.beyond and each.case.files)
        yield from (ChangedCommand("another file", command.line, found) for found in islice(alike, OF_A_FILE))


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


# Numbers in a command's words, variables and script, and replacements for them.
#
# A replacement is a little smaller or larger. The order of the numbers stays, so a relation between two of them stays.

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")
_WORD = re.compile(r"(?:--?[\w-]+=|\w+=|-[A-Za-z])?(?P<numbers>-?\d+(?:\.\d+)?(?:[,:x]-?\d+(?:\.\d+)?)*)")
_ONE = re.compile(r"-?\d+(?:\.\d+)?")
SEEDED = re.compile(r"seed|Random|RandomState|default_rng")
"""Names of what takes a seed."""
UNTOUCHED = frozenset({"round", "exit", "_exit", "sleep", "setrecursionlimit", "ljust", "rjust", "center", "zfill"})
"""Functions whose numbers say how something is shown, or how the process runs."""

LEAST = 3
"""Smaller ones say how, not how much."""
SEEDS = 1000

LOWEST = 0.6
"""Factor of a number that is made smaller."""

HIGHEST = 1.1
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
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func).rpartition(".")[2]
            else:
                name = node.arg or "" if isinstance(node, ast.keyword) else " ".join(map(ast.unparse, node.targets))
                name = name.lower() if isinstance(node, ast.Assign) else name
            if name not in UNTOUCHED:
                known = isinstance(node, ast.keyword) and seed
                yield from _literals(node, seed=known or bool(SEEDED.search(name)))
        elif isinstance(node, ast.Subscript):  # no index says how much
            yield from _literals(ast.Module([ast.Expr(node.value)], []), seed=seed)
        elif isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):  # nor a number that is written out in a list
            inner = (each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr))
            kept = [ast.Expr(each) for each in inner if not isinstance(each, ast.Constant | ast.UnaryOp)]
            yield from _literals(ast.Module([*kept], []), seed=seed)
        elif not isinstance(node, ast.FormattedValue):
            yield from _literals(node, seed=seed)


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
    sizes = [each for each in places if not each.seed]
    times = {each: each.value * factor for each in sizes}
    found = {each: new if isinstance(each.value, float) else float(round(new)) for each, new in times.items()}
    found |= {each: float(draw.randrange(SEEDS)) for each in places if each.seed}
    kept = all((a.value < b.value) == (found[a] < found[b]) for a in sizes for b in sizes)
    changed = {each: value for each, value in found.items() if value != each.value}
    return changed if kept else {}


def one_changed(place: NumberPlace, places: Sequence[NumberPlace], draw: random.Random) -> dict[NumberPlace, float]:
    """One of them, without coming to where another is; empty where there is no room."""
    if place.seed:
        return {place: float(draw.choice([n for n in range(SEEDS) if n != place.value]))}
    others = [each.value for each in places if each.value != place.value and not each.seed]
    low, high = sorted((place.value * LOWEST, place.value * HIGHEST))
    low = max([low, *(each for each in others if each < place.value)])
    high = min([high, *(each for each in others if each > place.value)])
    if isinstance(place.value, float):
        return {place: draw.uniform(low, high)} if low < high else {}
    wanted = [n for n in range(int(low) + 1, int(high) + 1) if n != place.value and n not in others] if (
        high - low < 100_000) else [int(draw.uniform(low + 1, high - 1))]  # fmt: skip
    same = [each for each in places if each.value == place.value and not each.seed]
    return dict.fromkeys(same, float(draw.choice(wanted))) if wanted else {}
