"""The result of a run: rows for people, one JSON object for programs, and a unified diff."""

from __future__ import annotations

import difflib
import os
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeopt.core.budget import Effort, Ledger
from codeopt.core.diagnostic import Diagnostic
from codeopt.core.history import Candidate, History
from codeopt.core.interpreter import Interpreter
from codeopt.core.machine import machine
from codeopt.core.program import FileChange, TargetFiles, changes_of
from codeopt.core.refusal import Refusal
from codeopt.core.revision import Revision
from codeopt.core.sanitize import inline, printable
from codeopt.core.version import __version__
from codeopt.core.words import Speedup, counted, factor, money, share
from codeopt.core.words import interval as interval_of
from codeopt.core.words import memory as memory_of
from codeopt.report.patch_table import fields_of, has_edits, judged_by, table_of
from codeopt.report.verdict_words import in_words, verdict
from codeopt_sandbox import Sandbox
from codeopt_sandbox.caveat import Caveat
from codeopt_sandbox.compare import Comparison, Decision
from codeopt_sandbox.outcome import Verdict
from codeopt_sandbox.profile import HotLine, MemoryLine, Profile

if TYPE_CHECKING:
    from codeopt.report.answers import ImproveJson

MAX_CAVEATS = 5
"""Caveats shown to people at most; JSON has all."""
MIN_IMPORTS = 0.05
"""Least share of the time of imports that is told, 0 to 1."""
WIDTH = 80
"""Columns of a terminal that the contract keeps to."""
MAX_REFUSALS = 2
"""Reasons why no rule applied shown to people at most; JSON has all."""
CONTRACT_LINES = 2
"""Lines of the contract shown to people at most; JSON has all."""


STEPS = ("opening", "baseline", "model", "cases", "timing", "profile", "confirmation", "result", "other")
"""The steps by which the seconds of a run are told, in their order; together they are all of it."""


class End(Enum):
    """The reason why the rounds ended."""

    SUFFICIENT = auto()  # the proposer finds nothing left to improve
    BUDGET = auto()
    INTERRUPTED = auto()
    MODEL_FAILED = auto()


@dataclass(frozen=True)
class NextSteps:
    """The hot spots of the result, and who could go on from there."""

    hot: tuple[HotLine, ...] = ()
    """Hottest first; of the best program, else of the original."""
    next: str = ""
    """The next thing to try; empty where a language model has had its say."""
    shortfall: Diagnostic | None = None
    """The reason why the hot lines are not known; None when they are, or when nobody asked."""
    refusals: tuple[Refusal, ...] | None = None
    """The reasons why built-in rules made no draft; None where one was accepted, or none was asked."""
    held: tuple[MemoryLine, ...] = ()
    """The lines that take most memory, where that is an aim."""

    @property
    def words(self) -> str:
        """`hot now: line 7 44%: the rules know nothing better for it; --model NAME asks a language model`."""
        hot = "hot now: " + ", ".join(f"{line.named} {share(line.share)}" for line in self.hot) if self.hot else ""
        held = f"most memory now: {most_memory(self.held)}" if self.held else ""
        return ": ".join(part for part in ("; ".join(filter(None, (hot, held))), self.next) if part)

    def no_rule(self, drafts: int) -> list[str]:
        """One or two lines on why no built-in rule made a draft, or another one."""
        if self.refusals is None:
            return []
        other = "other " * bool(drafts)
        told = [f"{each.reason}{_places(each)}" for each in self.refusals[:MAX_REFUSALS]]
        found = f"{'; '.join(told)} (codeopt rules --explain FILE)" if told else "none has its pattern in the hot lines"
        return textwrap.wrap(
            f"no {other}rule applied: {found}", 108, subsequent_indent="  ", max_lines=2, placeholder=" ..."
        )


def _places(refusal: Refusal) -> str:
    """` (line 4: counter)`, with three lines and two rules at most."""
    if not refusal.lines:
        return ""
    lines, rules = _cut(refusal.lines, 3), _cut(refusal.rules, 2)
    return f" (line{'s' * (len(refusal.lines) > 1)} {lines}: {rules})"


def _cut(words: Sequence[str], most: int) -> str:
    """The first of some words, and a sign that there are more."""
    return ", ".join(words[:most]) + ", ..." * (len(words) > most)


@dataclass(frozen=True)
class Result:
    """The end of one improvement."""

    program: TargetFiles
    task: str
    proposer: str
    backend: str
    history: History
    best: Candidate | None
    """The accepted draft with its confirmed figures; None when nothing was accepted."""
    reason: str
    """The reason why `best` was accepted, or why nothing was."""
    stopped: str
    """The reason why no further round was run."""
    end: End
    ledger: Ledger
    seconds: float
    """Wall time, earlier sittings included."""
    confirmation_s: float
    """The part of `seconds` that the confirmation took."""
    held_out: int
    """The number of cases that no proposer saw."""
    saved: Path
    """The folder of the run."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """The workload's own fields: `evidence` of a function, `tests`, `calls_text`."""
    growth: str = ""
    """How cost grows with the input, of the original and of the best: `about n^2 -> about n`; empty if not known."""
    reference: Candidate | None = None
    """A program that a person wrote, judged in the same way; None where none was given."""
    refused: tuple[Candidate, ...] = ()
    """The drafts that a reader did not prefer."""
    interpreter: Interpreter | None = None
    """The interpreter that ran the programs; None where that was an image's own."""
    outlook: NextSteps = NextSteps()
    target: str = ""
    """The target as the user wrote it: `mod.py::f`."""
    isolation: str = ""
    """The sandbox's own description, with the user whose rights its runs have."""

    @property
    def inputs(self) -> int | None:
        """The number of inputs a draft was checked on before it was confirmed; None where inputs do not count."""
        found: int | None = self.facts.get("tests", {}).get("inputs")
        return found

    @property
    def accepted(self) -> bool:
        """There is a program that is right and, twice, better with statistical confidence."""
        return self.best is not None

    @property
    def revision(self) -> Revision:
        """The best program; the original when nothing was accepted."""
        return (self.best or self.history.original).revision

    @property
    def source(self) -> str:
        """Text of a best program that is one file. Raises ValueError for a project."""
        return self.revision.text

    @property
    def comparison(self) -> Comparison | None:
        """The confirmed figures of the best program against the original."""
        return self.best.comparison if self.best else None

    @property
    def changes(self) -> tuple[FileChange, ...]:
        """The files that it changes, as they are to be written."""
        return changes_of(self.program, self.revision)

    @property
    def diff(self) -> str:
        """Unified, from the file as it is; empty when nothing was accepted."""
        return diff_of(self.changes) if self.best else ""

    @property
    def shortfalls(self) -> tuple[Diagnostic, ...]:
        """The things that could not be run, made or measured."""
        found = [*self.facts.get("shortfalls", ())]
        profile = self.history.original.profile
        if profile is not None and not profile.lines:
            found.append(Diagnostic("the hot lines of the original are not known", "; ".join(profile.notes)))
        return (*found, *filter(None, [self.outlook.shortfall]))

    def to_json(self) -> dict[str, Any]:
        """The object that `codeopt improve --json` prints."""
        return answer(self).to_json()


def opening(target: str, task: str, proposer: str, interpreter: Interpreter | None, sandbox: Sandbox) -> list[str]:
    """The first lines: what is improved, by whom, run by which Python, and in which sandbox."""
    return [
        f"{target}   task {task}   proposer: {proposer}",
        *([python_line(interpreter)] if sandbox.backend != "none" else []),  # nothing is run
        sandbox_line(sandbox.backend, sandbox.description),
    ]


def sandbox_line(backend: str, description: str) -> str:
    """The line that names the sandbox, which may have been found, not chosen."""
    return f"sandbox    {backend}: {description}"


def contract_lines(facts: Mapping[str, Any]) -> list[str]:
    """The contract of a function's arguments, cut to a few lines of a terminal; none of what has none.

    facts: the workload's own fields.
    """
    words = (facts.get("evidence") or {}).get("contract", "")
    return textwrap.wrap(
        printable(words), WIDTH, initial_indent="contract   ", subsequent_indent=" " * 11, max_lines=CONTRACT_LINES,
        placeholder=" ...", break_on_hyphens=False,
    )  # fmt: skip


def python_line(interpreter: Interpreter | None) -> str:
    """Which Python runs the programs."""
    return interpreter.line if interpreter else "python     the image's own"


@dataclass(frozen=True)
class Columns:
    """The columns of the table of rounds."""

    own: str = ""
    """The heading of the task's own column; empty where the speedup is the measure."""
    timed: bool = True
    compared: str = "time"
    """The measure of a draft that is only screened: `time`, `peak memory`."""

    @property
    def header(self) -> str:
        """The line above the rows."""
        own = f"{self.own[:12]:>12}  " if self.own else ""
        times = "speedup  90% interval     pairs  " if self.timed else ""
        return f" round  verdict          {own}{times}what was tried"


def row(candidate: Candidate, columns: Columns) -> str:
    """One line of the table; below it why it was refused, or what the task measured."""
    comparison = candidate.comparison
    ratio, span, pairs = "-", "-", "-"
    if comparison and comparison.pairs:
        ratio, span, pairs = factor(comparison.ratio), interval(comparison), str(comparison.pairs)
    what = inline(candidate.summary or "-", 48)
    standing = candidate.standing
    own = f"{standing.figure if standing else '-':>12} " if columns.own else ""
    times = f"{ratio:>8}  {span:<15} {pairs:>6}" if columns.timed else ""
    word = standing.verdict if standing and candidate.correct else in_words(verdict(candidate))
    line = f" {candidate.round:>5}  {word:<15} {own}{times}{' ' * columns.timed} {what}"
    if reason := why(candidate):
        return f"{line}\n{'':>8}{inline(reason, 120)}"
    return (
        f"{line}\n{'':>8}{inline(standing.words, 400)}" if standing else line + _ablation(candidate, columns.compared)
    )


def _ablation(candidate: Candidate, compared: str) -> str:
    """Comparison of a draft that was only screened with its ablations or siblings; empty for any other."""
    if not candidate.screening_only:
        return ""
    if candidate.siblings:
        number, ratio = min(candidate.siblings, key=lambda pair: pair[1])
        return f"\n{'':>8}round {number}, of the same critique, takes {factor(ratio)} of its {compared}"
    took = [f"{name} {factor(ratio)}" if name == "original" else f"without {name} {factor(ratio)}"
            for name, ratio in candidate.ablation]  # fmt: skip
    text = f"{compared} relative to this draft: {', '.join(took)}"
    return "\n" + textwrap.fill(text, 108, initial_indent=" " * 8, subsequent_indent=" " * 8)


def why(candidate: Candidate) -> str:
    """The reason why a candidate is wrong or rejected, in one line; empty when it is neither."""
    failed = next((o for o in candidate.outcomes if o.verdict is not Verdict.AC), None)
    reason = candidate.rejection or (f"case {failed.case}: {failed.detail}" if failed else "")
    if not reason and candidate.comparison and candidate.comparison.decision is Decision.REJECTED:
        reason = candidate.comparison.reason
    return inline(reason, 500) if reason else ""


def interval(comparison: Comparison) -> str:
    """The interval as text; a side that is not known yet is a question mark."""
    return interval_of(comparison.ci_low, comparison.ci_high)


def most_memory(lines: Sequence[MemoryLine]) -> str:
    """`line 3 1.2 MiB, line 7 40.0 KiB`."""
    return ", ".join(f"line {line.line} {memory_of(line.peak_mib)}" for line in lines)


MIN_HOT = 0.005
"""Least share of the time of a line that is named as hot."""


def hot(profile: Profile | None, *, memory: bool = False) -> str:
    """The hottest lines in a few words; those that take most memory where that is the aim and known."""
    if profile is None or not profile.lines:
        return ""
    if memory and profile.memory:
        return f"   most memory: {most_memory(profile.memory[:3])}"
    lines = [line for line in profile.lines if not line.is_import and line.share >= MIN_HOT][:3]
    imports = sum(line.share for line in profile.lines if line.is_import)
    parts = [f"{line.named} {share(line.share)}" for line in lines]
    told = ", ".join([*parts, *[f"imports {share(imports)}"] * (imports >= MIN_IMPORTS)])
    return f"   hot: {told}" if told else ""


def summary(result: Result) -> list[str]:
    """The last lines for a person."""
    lines = []
    if result.best is None:
        lines.append(f"not improved: {inline(result.reason, 300)}")
    else:
        lines.append(f"accepted {inline(result.reason, 200)}")
        if result.best.standing:
            lines.append(result.best.standing.words)
        if result.best.comparison:
            held_out = counted(result.held_out, "held-out case")
            runs = f"{counted(len(result.best.outcomes), 'run')}, including {held_out}"
            lines += [Speedup.of(result.best.comparison).words, f"confirmed on {runs}"]
            if has_edits(result.facts):
                lines[-1:] = [judged_by(result.facts), *table_of(result.facts)]
            elif result.inputs == 1:
                lines[-1] = "checked on 1 input: on others it was not tried (--cases DIR gives more)"
        changes = result.best.changes if len(result.best.changes) > 1 and not has_edits(result.facts) else ()
        lines += [textwrap.fill(change, 108, initial_indent="  ", subsequent_indent="    ") for change in changes]
    lines += (*result.best.notes, *caveat_lines(result.best.caveats)) if result.best else ()
    for each in result.shortfalls:
        known = f"caveat: {each.what}"  # said already, without what helps
        lines = [f"caveat: {each.words}" if line == known else line for line in lines]
        lines += [each.words] * (f"caveat: {each.words}" not in lines)
    lines += [result.outlook.words] * bool(result.outlook.words)
    lines += result.outlook.no_rule(len(result.history.candidates) - 1)
    lines.append(f"{result.stopped}; {spent(result)}; saved in {result.saved}{_on(result)}")
    return lines


def _on(result: Result) -> str:
    """The way to go on with a run that was ended; empty for one that came to its end."""
    if result.end is End.SUFFICIENT:
        return ""
    more = " and a higher limit" * (result.end is End.BUDGET)
    return f"; to go on: the same command with --resume {result.saved}{more}"


def caveat_lines(caveats: Sequence[Caveat]) -> list[str]:
    """The caveats, each with the line that shows it again."""
    lines = []
    for caveat in caveats[:MAX_CAVEATS]:
        lines.append(f"caveat: {inline(caveat.words, 300)}")
        lines += [f"  again: {caveat.again}"] * bool(caveat.again)
    more = len(caveats) - MAX_CAVEATS
    return [*lines, f"and {more} more caveats: --json lists them"] if more > 0 else lines


def spent(result: Result) -> str:
    """Drafts, time by step, and what the model cost."""
    ledger, drafts = result.ledger, len(result.history.candidates) - 1
    text = f"{counted(drafts, 'draft')}, {result.seconds:.0f} s{_by_step(result)}"
    usage = ledger.usage
    if usage.replies:
        cached = f", {usage.tokens_cached} of them read from a cache" if usage.tokens_cached else ""
        text += f", {usage.tokens} tokens{' (estimated)' * usage.estimated}{cached}, {money(usage.cost_usd)}"
    return text


def _by_step(result: Result) -> str:
    """` (model 41, cases 9, timing 12)`, steps of a second or more; empty for a run without a model."""
    steps = [f"{name} {took:.0f}" for name, took in seconds_by_step(result).items() if took >= 1]
    return f" ({', '.join(steps)})" if steps and result.ledger.usage.replies else ""


def steps_line(result: Result) -> str:
    """`by step    baseline 12.1 s, timing 3.0 s`: where the time went."""
    return "by step    " + ", ".join(f"{name} {took:.1f} s" for name, took in seconds_by_step(result).items() if took)


def seconds_by_step(result: Result) -> dict[str, float]:
    """Wall-clock seconds of the whole run by step; their sum is its time."""
    drafts = sum((candidate.effort for candidate in result.history.candidates), Effort())
    judged_by_model = sum(candidate.usage.seconds for candidate in result.history.candidates)
    known = {
        **result.ledger.steps,
        "model": result.ledger.usage.seconds,
        "cases": max(0.0, drafts.cases_s - judged_by_model),
        "timing": drafts.timing_s,
        "profile": drafts.profile_s,
    }
    known["other"] = max(0.0, result.seconds - sum(known.values()))
    return {name: round(known.get(name, 0.0), 3) for name in STEPS}


def diff(program: TargetFiles, new: Revision) -> str:
    """A unified diff that `git apply` and `patch -p1` take, in each file's own kind of line ends."""
    return diff_of(changes_of(program, new))


def diff_of(changes: Iterable[FileChange]) -> str:
    """The same of files that are to be written."""
    return "".join(_diff(each) for each in changes)


def _diff(change: FileChange) -> str:
    program = change.program
    path = Path(program.place or os.path.relpath(program.path))
    name = path.name if ".." in path.parts else path.as_posix()
    name = f"{name.removesuffix('.ipynb')}.py" if name.endswith(".ipynb") else name  # its cells as a file
    old_lines, new_lines = _lines(program.text), _lines(change.text)
    lines = difflib.unified_diff(old_lines, new_lines, _quoted(f"a/{name}"), _quoted(f"b/{name}"))
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)


def _quoted(name: str) -> str:
    """A path as git writes it in a diff: with quotation marks where a character of it could end the line or hide."""
    if printable(name) == name and not set(name) & set('\n\t"\\'):
        return name
    codes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
    plain = (codes.get(char) or (char if " " <= char <= "~" else _octal(char)) for char in name)
    return f'"{"".join(plain)}"'


def _octal(char: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in os.fsencode(char))


def _lines(text: str) -> list[str]:
    """Lines as patch counts them: str.splitlines would also split at form feeds."""
    return [line + "\n" for line in text.split("\n")[:-1]] + [last for last in text.split("\n")[-1:] if last]


def effort(result: Result) -> dict[str, float]:
    """Tokens and seconds of all rounds by step; what the last critique took, which no draft answers, is in `tokens`."""
    total = sum((candidate.effort for candidate in result.history.candidates), Effort())
    return {**total.to_json(), "confirmation_s": round(result.confirmation_s, 3)}


def answer(found: Result) -> ImproveJson:
    """The object that `codeopt improve --json` prints, and `result.json` of a saved run."""
    from codeopt.report import answer_fields as fields
    from codeopt.report.answers import ImproveJson, InputsFields, TokensFields

    original, best, usage = found.history.original, found.best, found.ledger.usage
    hot = fields.HotLineFields.each(found.outlook.hot)
    before = Revision({path: file.text for path, file in found.program.files.items()})
    after = Revision({**before, **{each.path: each.text for each in found.changes}})
    return ImproveJson(
        schema="codeopt.improve/1",
        codeopt_version=__version__,
        file=str(found.program.path),
        target=found.target,
        folder=str(Path.cwd()),
        task=found.task,
        model=found.proposer,
        sandbox=found.backend,
        isolation=found.isolation,
        python=fields.PythonFields.maybe(found.interpreter),
        accepted=found.accepted,
        reason=found.reason,
        stopped=found.stopped,
        speedup=fields.SpeedupFields.maybe(found.comparison),
        **fields.scored(best.standing if best else None),
        best_round=best.round if best else None,
        sha256_before=before.digest,
        sha256_after=after.digest if best else None,
        tests=InputsFields(
            total=len(original.outcomes),
            held_out=found.held_out,
            held_back=found.held_out,
            confirmed_runs=len(best.outcomes) if best else 0,
            inputs=found.inputs,
            relations_broken=found.facts.get("tests", {}).get("relations_broken"),
        ),
        input_seed=found.facts.get("input_seed"),
        evidence=found.facts.get("evidence"),
        timed=found.facts.get("timed"),
        timed_sizes=list(found.facts.get("timed_sizes", ())),
        recording=found.facts.get("recording"),
        **fields_of(found.facts, found.diff),
        notes=list(best.notes) if best else [],
        caveats=fields.CaveatFields.each(best.caveats if best else ()),
        growth=found.growth,
        shortfalls=fields.DiagnosticFields.each(found.shortfalls),
        remaining_hot_spots=hot,
        hot_now=hot,
        memory_now=fields.MemoryLineFields.each(found.outlook.held),
        next=found.outlook.next,
        rules_refused=None if found.outlook.refusals is None else fields.RefusalFields.each(found.outlook.refusals),
        rounds=fields.RoundFields.each(found.history.candidates[1:]),
        tokens=TokensFields.of(usage),
        effort=effort(found),
        cost_usd=usage.cost_usd,
        seconds=round(found.seconds, 3),
        seconds_by_step=seconds_by_step(found),
        machine=fields.MachineFields.of(machine()),
        run=str(found.saved),
    )
