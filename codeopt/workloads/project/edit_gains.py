"""Gain of each edit of a patch: which belong together, which are never called, at which size they show.

Edits that depend on each other are removed together, and the rest is compared with the whole patch. If that shows no
gain, a larger size is compared also. Edits of code that the command never calls are skipped without timing.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from textwrap import dedent
from typing import Any

from codeopt.analysis.nodes import Def, bound_names, first_line, is_text
from codeopt.core.revision import Revision
from codeopt.workloads.function.recording import Instrument
from codeopt.workloads.project.command_probes import BaselineCommand, larger_commands
from codeopt.workloads.project.public_calls import FunctionFinding
from codeopt.workloads.project.watch import LEAST_S, LONGER, watched_run
from codeopt.workloads.source.edits import OUTSIDE, CodeEdit, body_of, by_name, edits_of, functions_of, head_of, without
from codeopt_sandbox.compare import Comparison, Decision, StoppingRule, compare
from codeopt_sandbox.errors import OriginalUnsteady
from codeopt_sandbox.outcome import Case, CaseVerdict, run_on
from codeopt_sandbox.verdict import judge

WORTH_HAVING = 1.03
"""Least gain of an edit that is kept: less is not worth a change to read."""
FailingTest = Callable[[Revision], str]
"""Returns the first test that fails on a draft; empty if all pass."""


@dataclass(frozen=True)
class EditGain:
    edit: CodeEdit
    comparison: Comparison | None
    """The patch without it as the original, the whole as the candidate; None where there is nothing to compare."""
    reason: str = ""
    """Reason why there is no comparison: without this edit the rest is wrong."""
    together: tuple[CodeEdit, ...] = ()
    """Edits that are left out with it, as they belong together; the comparison is of all of them."""
    at: str = ""
    """The larger command that it was compared by; empty: the command itself."""
    never_called: bool = False
    """The command calls none of its functions, so that there is nothing to time."""

    @property
    def pays(self) -> bool:
        """Return True if the command is wrong without the edit, or slower with confidence by at least WORTH_HAVING."""
        found = self.comparison
        gains = found is not None and found.decision is Decision.FASTER and found.ratio >= WORTH_HAVING
        return bool(self.reason) or gains

    @property
    def undecided(self) -> bool:
        """Return True if the pairs did not suffice for a decision."""
        return self.comparison is not None and self.comparison.decision is Decision.INCONCLUSIVE

    def to_json(self, evidence: Sequence[str], calls: FunctionFinding) -> dict[str, Any]:
        """Row of `edits` of a result. calls: what those of the function say."""
        from codeopt.report.answers import serialize

        return {
            "file": self.edit.file,
            "qualname": self.edit.qualname,
            "ablation": {**self._figures(), "reason": self.reason, "at": self.at, "undecided": self.undecided},
            "together": [str(each) for each in self.together],
            "calls": calls.calls,
            "evidence": [*calls.evidence, *evidence],
            "caveats": [serialize(caveat) for caveat in calls.caveats],
        }

    def _figures(self) -> dict[str, float | None]:
        found = self.comparison
        if found is None:
            return {"ratio": None, "ci_low": None, "ci_high": None}
        return {"ratio": round(found.ratio, 4), "ci_low": round(found.ci_low, 4), "ci_high": round(found.ci_high, 4)}

    def dropped_json(self) -> dict[str, Any]:
        """The row of an edit that was left out."""
        return {"file": self.edit.file, "qualname": self.edit.qualname, **self._figures(), "at": self.at,
                "never_called": self.never_called}  # fmt: skip


@dataclass
class EditGains:
    """Takes back the edits of a patch; holds what was found of the patch that was asked about last."""

    given: BaselineCommand
    notify: Callable[[str], None]
    resizable: bool = True
    """False if the command has no larger size: numbers of a benchmark tool are not sizes."""
    kept: list[EditGain] = field(default_factory=list)
    dropped: list[EditGain] = field(default_factory=list)
    larger: list[Case | None] = field(default_factory=list)
    """The larger command, or None if no larger one was found. Empty before the search."""

    def paid(self, draft: Revision, whole: Comparison, fails: FailingTest, rule: StoppingRule) -> Revision:
        """The draft without the groups of edits that do not pay. whole: its comparison with the original. rule: that of
        the round."""
        groups = edit_groups(self.given.original, draft)
        everything = [edit for group in groups for edit in group]
        self.kept[:] = _each(everything, EditGain(everything[0], whole))  # unless all groups are timed
        self.dropped.clear()
        if len(groups) == 1:
            return draft
        kept, dropped, patch = list[EditGain](), list[EditGain](), draft
        rule = replace(rule.screening(), max_pairs=min(30, rule.max_pairs), worth_having=WORTH_HAVING)
        # Groups of functions alone that neither the command calls nor a larger one.
        changed = {group: changed_places(draft, self._without(draft, group)) for group in groups}
        left = {group: places for group, places in changed.items() if places is not None}
        cases: tuple[Callable[[], Case | None], ...] = (lambda: self.given.case, self._larger)
        for find in cases:
            case = find() if left else None
            called = called_places(self.given, draft, case) if case else frozenset()
            left = {} if called is None else {group: places for group, places in left.items() if not places & called}
        uncalled = list(left)
        parts = list(groups)
        # Groups without which the command is wrong are one: the others need them, so they have one gain.
        needed = [group for group in groups if group not in uncalled and self._fails(self._without(draft, group))]
        if len(needed) > 1:
            self.notify(f"{len(needed)} parts of the patch cannot stand alone: they are timed together")
            parts = [group for group in groups if group not in needed]
            parts.append(tuple(edit for group in needed for edit in group))
        for number, group in enumerate(parts, 1):
            self.notify(f"timing the patch without part {number} of {len(parts)}")
            rest = self._without(draft, group)
            if group in uncalled:
                wrong = self._fails(rest)
                gain = EditGain(group[0], None, wrong and f"without it: {wrong}", never_called=True)
            else:
                gain = self._gain(draft, rest, group[0], rule)
            if gain.pays or gain.undecided:
                kept += _each(group, gain)
            else:
                dropped += _each(group, gain)
                draft = rest
        if dropped and (wrong := fails(draft)):  # asked once, of all that does not pay: a suite may take minutes
            kept += [replace(each, comparison=None, reason=f"without what does not pay: {wrong}") for each in dropped]
            dropped, draft = [], patch
        self.kept[:], self.dropped[:] = kept, dropped
        return draft

    def larger_command(self, least_s: float) -> Case | None:
        """Larger command that the original takes so many seconds for, at least; it is looked for once."""
        if not self.resizable:
            return None
        if not self.larger:
            self.notify("finding a larger input for the command")
            self.larger.append(larger_case(self.given, least_s))
        return self.larger[0]

    def _larger(self) -> Case | None:
        """The larger command at which gains are looked for."""
        # Minimum time of a larger command, as a multiple of the command's
        return self.larger_command(1.5 * self.given.plain.active_s)

    def _fails(self, rest: Revision) -> str:
        """Reason why the command itself is not right with the rest of a patch; empty where it is."""
        given = self.given
        outcome = judge(given.case, run_on(given.runs, rest, given.case), given.check)
        return "" if outcome.verdict is CaseVerdict.AC else outcome.detail or str(outcome.verdict)

    def _without(self, draft: Revision, group: Sequence[CodeEdit]) -> Revision:
        """The draft with some edits taken back."""
        for edit in group:
            if edit in edits_of(self.given.original, draft):  # the last of a file takes what is outside with it
                draft = without(self.given.original, draft, edit)
        return draft

    def _gain(self, draft: Revision, rest: Revision, edit: CodeEdit, rule: StoppingRule) -> EditGain:
        given = self.given
        if wrong := self._fails(rest):
            return EditGain(edit, None, f"without it: {wrong}")
        found = compare(given.runs, rest, draft, [given.case], check=given.check, rule=rule)
        case = None if found.decision in (Decision.FASTER, Decision.SLOWER) else self._larger()
        if case is None:
            return EditGain(edit, found)
        self.notify(f"without it, {case.title}")
        try:
            larger = compare(given.runs, rest, draft, [case], check=given.check, rule=rule)
        except OriginalUnsteady:  # the rest is not right there
            return EditGain(edit, found)
        return EditGain(edit, larger, at=case.title)


def _each(group: Sequence[CodeEdit], gain: EditGain) -> list[EditGain]:
    return [replace(gain, edit=edit, together=tuple(each for each in group if each != edit)) for edit in group]


# Edits of a patch that belong together: one introduces an attribute, a name or a parameter that another uses. Taken
# back alone, a part of such a group is wrong or gains nothing.


def edit_groups(old: Revision, new: Revision) -> tuple[tuple[CodeEdit, ...], ...]:
    """The edits that make `new` of `old`, those that belong together in one group, in the order of the edits."""
    edits = [_read(edit, old, new) for edit in edits_of(old, new)]
    groups: list[list[_NamesOfEdit]] = []
    for edit in edits:
        joined = [group for group in groups if any(edit.needs(each) or each.needs(edit) for each in group)]
        groups = [group for group in groups if group not in joined]
        groups.append([*(each for group in joined for each in group), edit])
    ordered = [sorted(group, key=edits.index) for group in groups]
    ordered.sort(key=lambda group: edits.index(group[0]))
    return tuple(tuple(each.edit for each in group) for group in ordered)


@dataclass(frozen=True)
class _NamesOfEdit:
    """Names that an edit introduces and needs."""

    edit: CodeEdit
    introduces: frozenset[str]
    """Attributes (`.name`) and names that others could not use before."""
    uses: frozenset[str]
    """Attributes and names that it mentions and did not before."""
    reshaped: frozenset[str] = frozenset()
    """Names of the function, where its parameters change."""
    mentions: frozenset[str] = frozenset()

    def needs(self, other: _NamesOfEdit) -> bool:
        """Return True if it uses a name that the other introduces, or calls the function that it reshapes."""
        return bool(other.introduces & self.uses or other.reshaped & self.mentions)


def _read(edit: CodeEdit, old: Revision, new: Revision) -> _NamesOfEdit:
    before, after = old[edit.file], new[edit.file]
    if edit.qualname == OUTSIDE:
        was, now = ast.parse(before), ast.parse(after)
        names = frozenset(bound_names(now) - bound_names(was))
        introduces = names | {f".{name}" for name in names}
        return _NamesOfEdit(edit, introduces, _mentioned(now) - _mentioned(was), mentions=_mentioned(now))
    # The function as a module of its own, empty if a version has none.
    was, now = (ast.parse(dedent(functions_of(text).get(edit.qualname, ""))) for text in (before, after))
    name = edit.qualname.rpartition(".")[2]
    reshaped = frozenset({name, f".{name}"}) if _parameters(was) != _parameters(now) else frozenset()
    return _NamesOfEdit(edit, _stored(now) - _stored(was), _mentioned(now) - _mentioned(was), reshaped, _mentioned(now))


def _stored(tree: ast.AST) -> frozenset[str]:
    """Attributes that are set."""
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return frozenset(f".{node.attr}" for node in nodes if isinstance(node.ctx, ast.Store))


def _mentioned(tree: ast.AST) -> frozenset[str]:
    """Names, and attributes as `.name`."""
    nodes = list(ast.walk(tree))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return frozenset(names | {f".{node.attr}" for node in nodes if isinstance(node, ast.Attribute)})


def _parameters(tree: ast.Module) -> str:
    return ast.unparse(tree.body[0].args) if tree.body and isinstance(tree.body[0], Def) else ""


# Edits of functions that the command never calls: its time is the same without them, which no pairs need tell.

REACH = Instrument("profile.counter", function="install_reach")
Place = tuple[str, int]
"""File and first line of a function."""


def called_places(given: BaselineCommand, draft: Revision, case: Case) -> frozenset[Place] | None:
    """Return the functions that a command calls with a candidate.

    None if the command ends differently under the hook.
    """
    limits = given.limits(LONGER, LEAST_S)
    watched = watched_run(given.runs, draft, REACH, limits, case)
    if watched.run.exit != given.plain.exit or watched.run.stop is not None:
        return None
    found: set[Place] = set()
    for _, places in watched.of("reach"):  # `/file:line` of each function that is called
        for place in map(str, places):
            path, _, line = place[1:].rpartition(":")
            if line.isdecimal():
                found.add((path, int(line)))
    return frozenset(found) or None


def changed_places(draft: Revision, rest: Revision) -> frozenset[Place] | None:
    """Return the functions of a candidate whose behavior differs in the rest, by their places in the candidate.

    None if code outside of functions differs, as it acts without a call.
    """
    found: set[Place] = set()
    for path in rest.changed_files(draft):
        was, now = (ast.parse(each[path]).body for each in (draft, rest))
        mine, others = by_name(was), by_name(now)
        if others.keys() - mine.keys() or list(_outside(was)) != list(_outside(now)):
            return None
        for name, nodes in mine.items():
            if name in others and list(map(head_of, nodes)) != list(map(head_of, others[name])):
                return None
            if name not in others and any(node.decorator_list for node in nodes):
                return None
            if name not in others or list(map(body_of, nodes)) != list(map(body_of, others[name])):
                found.update((path, first_line(node)) for node in nodes)
    return frozenset(found)


def _outside(body: Sequence[ast.stmt]) -> Iterator[str]:
    """Statements that run at the import, without definitions of functions and texts that nobody reads."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from (node.name, *map(ast.dump, (*node.bases, *node.keywords, *node.decorator_list)))
            yield from _outside(node.body)
        elif not isinstance(node, Def) and not is_text(node):
            yield ast.dump(node)


# The command at a larger size: larger numbers in its words, variables or script.
#
# It shows gains that are absent or too short to be seen at the given size.


SEARCH = 2
"""Time limit of the search, as a multiple of a single command's limit.

A command that ends at its time limit costs as much as many pairs.
"""


def larger_case(given: BaselineCommand, least_s: float) -> Case | None:
    """Return the first larger command that the original completes in `least_s` seconds or more, with its output.

    None if no such command was found.
    """
    # A command that takes longer is large enough
    if given.plain.wall_s > 5.0:
        return None
    # Maximum time of one, as a multiple of the command's, and the time that one may take in any case, seconds
    limits = given.limits(12, 10.0)
    wanted = larger_commands(given.runs.command, given.runs.project.contents, given.judged)
    begun = time.monotonic()
    # Maximum number of larger commands that are tried
    for number, changed in enumerate(islice(wanted, 6)):
        if time.monotonic() - begun >= SEARCH * limits.seconds:
            return None
        found = given.answered(changed, f"larger.{number}", limits)
        if found is not None and found[1].active_s >= least_s:
            return found[0]
    return None
