"""Comparison of a candidate and the original on mutated commands.

Each of a handful of commands runs once on each side. A command is skipped if the original fails on it, or if its output
varies from run to run.
"""

from __future__ import annotations

import ast
import random
import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice, product, zip_longest

from codeopt.core.errors import Diagnostic
from codeopt.core.revision import Revision
from codeopt.workloads import Checked
from codeopt.workloads._judging import InputPolicy, OutputChecker, refuses_own
from codeopt.workloads.program.differences import OutputDifference, difference_of
from codeopt.workloads.program.differential import ProbeLoop
from codeopt.workloads.program.mutated_cases import MutatedCase, mutate_cases
from codeopt.workloads.project.command import EntryKind, ProjectCommand
from codeopt.workloads.project.project_program import entry_files
from codeopt.workloads.project.runs import CommandRuns
from codeopt.workloads.source.module_graph import ModuleGraph
from codeopt_sandbox.guest.request import USUAL, seeded
from codeopt_sandbox.outcome import Case, CaseVerdict, Files, Run, RunLimits, run_on
from codeopt_sandbox.verdict import Checker, judge

MOST = 5
"""Number of changed commands that are enough."""
LONG_S = 3.0
"""Time from which on a command counts as long, seconds."""
TRIED = 10
"""At most, with those that the original fails on."""
LONGER = 3
"""Maximum time of a changed command as a multiple of the command's."""
LEAST_S = 2.0
"""Time that a changed command may take in any case, seconds."""


@dataclass
class CommandProbes(ProbeLoop):
    """Changed commands with what the original makes of them, made as they are needed."""

    given: BaselineCommand = field(kw_only=True)

    def run(self, draft: Revision) -> Checked:
        """Run a draft on the commands: the difference that rejects it, or a caveat with the first one."""
        limits = self.given.limits(LONGER, LEAST_S)
        # One that is slower there is not wrong for that.
        # Maximum time of a draft's run, as a multiple of that of the original's
        patient = replace(limits, seconds=min(self.given.runs.limits.seconds, 5 * limits.seconds))

        def differs(changed: MutatedCase, _: int) -> OutputDifference | None:
            run = run_on(self.given.runs, draft, changed.case, limits=patient)
            found = difference_of(changed, run, self.given.check, USUAL)
            return found if found and found.wrong else None

        wrong, found = self.compared(differs)
        if wrong:
            least = self.smallest(wrong, differs)
            case, outcome = least.case, least.outcome
            did = "prints or writes something else"
            if outcome.verdict is not CaseVerdict.WA:
                did = f"ends by {outcome.verdict.words}"
            seen = "" if self.given.runs.other else ", which no proposer sees,"
            line = f" ({shlex.join(case.args)})" if self.given.runs.other else ""
            return Checked(rejection=f"{wrong.case.title}{line}{seen} {did} than with the original")
        told = []
        for first in found[:1]:
            line = "" if first.case.files else f" ({shlex.join(first.case.args)})"
            told.append(replace(first, case=replace(first.case, title=f"{first.case.title}{line}")).told(""))
        return Checked(caveats=tuple(told))


def _probes(
    given: BaselineCommand, name: str, commands: Iterable[ChangedCommand], policy: InputPolicy, because: str = ""
) -> CommandProbes:
    """because: reason why the commands are unusual for the user's data. Empty if they are similar."""
    limits = given.limits(LONGER, LEAST_S)

    def made() -> Iterator[MutatedCase]:
        is_long = given.plain.wall_s > LONG_S
        # Of a long command few are compared, and after three mutations without a change in the output no further one
        # is tried: the output of such a command hides the mutation, and each mutation takes two runs.
        most, fruitless = (2, 3) if is_long else (MOST, TRIED)
        telling = same = 0
        for tried, changed in enumerate(islice(commands, TRIED)):
            if telling == most or (not telling and same == fruitless):
                return
            if found := given.answered(changed, f"{name}.{tried}", limits):
                # A mutation that is not visible in the output is no evidence.
                says_the_same = judge(given.case, found[1], given.check).verdict is CaseVerdict.AC
                telling, same = telling + (not says_the_same), same + says_the_same
                yield MutatedCase(changed.kind, found[0], because)

    def is_steady(case: Case) -> bool:
        """Run the original again and compare it with itself. It costs runs, so it follows only a difference."""
        # Seeds of further runs of the original: with its first run as many as show what varies in the user's command.
        again = (run_on(given.runs, given.original, case, limits=limits, environment=seeded(seed)) for seed in (1, 2))
        return all(judge(case, run, given.check).verdict is CaseVerdict.AC for run in again)

    def smaller(case: Case) -> Iterator[MutatedCase]:
        """Commands with smaller numbers, where a person sees the one that differs."""
        if not given.runs.other or case.files:  # no model sees these commands, and a file may be large
            return
        command = given.runs.command.given(case.args)
        # Smaller commands that are tried to show a difference by one: each takes two runs
        for changed in islice(smaller_commands(command, given.runs.project.contents, given.judged), 4):
            if found := given.answered(changed, case.name, limits):
                yield MutatedCase(changed.kind, found[0])

    return CommandProbes(policy, more=made(), is_steady=is_steady, smaller=smaller, enough=MOST, given=given)


def changed_runs(given: BaselineCommand, seed: int, policy: InputPolicy) -> CommandProbes:
    """Commands a little different from the user's, the same ones for the same seed."""
    commands = mutated_commands(given.runs.command, given.runs.project.contents, seed, given.judged)
    return _probes(given, f"changed.{seed}", commands, policy)


def smaller_runs(given: BaselineCommand, policy: InputPolicy) -> CommandProbes:
    """Commands with much smaller numbers."""
    commands = smaller_commands(given.runs.command, given.runs.project.contents, given.judged)
    return _probes(given, "smaller", commands, policy, "it was given with larger numbers alone")


UNTRIED = "the command is tried on its own input only"


def why_unchanged(benchmarks: bool, compared: bool, policy: InputPolicy) -> str:
    """Reason why no command is changed; empty where some are to be.

    benchmarks: the command runs those of a tool. compared: its output is.
    """
    if not policy.generates:
        return "--mutated-inputs off"
    if benchmarks:
        return "its benchmarks have inputs of their own"
    return "" if compared else "its output is another one in each run"


def shortfall_of(tried: Sequence[CommandProbes], unchanged: str = "") -> Diagnostic | None:
    """Return a diagnostic if candidates were checked by the unchanged command only; None before any was tried.

    `unchanged` is the reason of `why_unchanged`.
    """
    if unchanged:
        return Diagnostic(UNTRIED, unchanged)
    begun = [each for each in tried if each.begun]
    if not begun or any(each.made for each in begun):
        return None
    return Diagnostic(
        UNTRIED,
        "nothing in it could be changed, or the original fails or prints something else each time",
        "give its size or seed as an argument, such as --n 1000",
    )


# The command as its user gave it, and what the original makes of other ones that are like it.


@dataclass(frozen=True)
class BaselineCommand:
    runs: CommandRuns
    original: Revision
    check: Checker
    case: Case
    """The command with what the original prints and writes."""
    plain: Run

    @property
    def judged(self) -> Collection[str]:
        """Files that differ in two versions, which no changed command has in another form."""
        return self.runs.other.differing if self.runs.other else ()

    def limits(self, factor: float, least_s: float) -> RunLimits:
        """Limits of another command: its time is a multiple of the command's, at least some seconds, and never more
        than the sandbox allows."""
        seconds = min(self.runs.limits.seconds, max(least_s, factor * self.plain.wall_s))
        return replace(self.runs.limits, seconds=seconds)

    def answered(self, changed: ChangedCommand, name: str, limits: RunLimits) -> tuple[Case, Run] | None:
        """Return a mutated command with the original's output and files, and the original's run.

        None if the original fails, or if the user's checker cannot judge the command.
        """
        case = replace(changed.case(name), ignored=self.case.ignored)
        run = run_on(self.runs, self.original, case, limits=limits)
        if run.exit != 0 or run.stop is not None:
            return None
        case = replace(case, expected=run.stdout, written=run.written)
        # A user's checker that rejects the original's output cannot judge the command, nor one that sees the same
        # arguments although the input comes from changed code.
        changes_code = any(path.endswith(".py") for path, _ in case.files or ())
        if isinstance(self.check, OutputChecker) and (changes_code or refuses_own(self.check, case)):
            return None
        return case, run


# Variations of the user's command: other numbers, data files or options; and which numbers it has.
#
# The script is a protected file on both sides. No model sees these commands.

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
    # Maximum number of changes of one number
    order = draw.sample(places, min(4, len(places)))
    singles = (one_changed(place, places, draw) for place in order)
    # Maximum number of changes of all numbers
    for values in chain.from_iterable(zip_longest((scaled(places, draw) for _ in range(3)), singles)):
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
    # Bytes of a data file that is changed
    for path in (each for each in data if len(files[each]) <= 4 << 20):
        mutated = mutate_cases([Case("command", b"", files=((path, files[path]),))], seed=seed)
        alike = (each.case.files for each in mutated if not each.because and each.case.files)
        # Maximum number of changes of one file
        yield from (ChangedCommand("another file", command.line, found) for found in islice(alike, 3))


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

_WORD = re.compile(r"(?:--?[\w-]+=|\w+=|-[A-Za-z])?(?P<numbers>-?\d+(?:\.\d+)?(?:[,:x]-?\d+(?:\.\d+)?)*)")
_ONE = re.compile(r"-?\d+(?:\.\d+)?")
SEEDED = re.compile(r"seed|Random|RandomState|default_rng")
"""Names of what takes a seed."""
UNTOUCHED = frozenset({"round", "exit", "_exit", "sleep", "setrecursionlimit", "ljust", "rjust", "center", "zfill"})
"""Functions whose numbers say how something is shown, or how the process runs."""

LEAST = 3
"""Smaller ones say how, not how much."""
SEEDS = 1000


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
    # Factors of a number that is made smaller, and larger
    low, high = sorted((place.value * 0.6, place.value * 1.1))
    low = max([low, *(each for each in others if each < place.value)])
    high = min([high, *(each for each in others if each > place.value)])
    if isinstance(place.value, float):
        return {place: draw.uniform(low, high)} if low < high else {}
    wanted = [n for n in range(int(low) + 1, int(high) + 1) if n != place.value and n not in others] if (
        high - low < 100_000) else [int(draw.uniform(low + 1, high - 1))]  # fmt: skip
    same = [each for each in places if each.value == place.value and not each.seed]
    return dict.fromkeys(same, float(draw.choice(wanted))) if wanted else {}
