"""Trials of the judge on drafts that others wrote: what is judged, what is true of it, what came out."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import kept_lines
from codeopt.core.errors import CodeoptError
from codeopt.core.options import ImproveOptions
from codeopt.core.session import Session
from codeopt.core.target import Target
from codeopt.engine.compare import compare
from codeopt_sandbox.errors import SandboxError

RIGHT, CHANGES, COMPILED, WRONG, UNKNOWN = "right", "changes arguments", "right, compiled", "wrong", "unknown"
"""Kinds of drafts, by what is true of them."""


@dataclass(frozen=True)
class Truth:
    """Truth about a draft, found without the judge."""

    kind: str
    why: str = ""
    """Evidence for the kind, or the reason why it is not known."""


@dataclass(frozen=True)
class Trial:
    """One draft of an arena."""

    task: str
    draft: str
    old: Target
    new: Target
    options: ImproveOptions
    truth: Callable[[], Truth] = field(repr=False)

    @property
    def name(self) -> str:
        """`svd / GPT-5.2`."""
        return name_of(self.task, self.draft)

    def row(self, truth: Truth) -> dict[str, Any]:
        """Truth about the draft and the judge's answer, as one line of JSON; no answer where the truth is not known."""
        row: dict[str, Any] = {"task": self.task, "draft": self.draft, "kind": truth.kind, "why": truth.why}
        if truth.kind == UNKNOWN:
            return row
        started, cpu = time.monotonic(), time.process_time()
        found = self._judged()
        took = {"seconds": round(time.monotonic() - started, 1), "own_cpu_s": round(time.process_time() - cpu, 1)}
        names = ("verdict", "reason", "ratio", "caveats")
        contract = (found.get("evidence") or {}).get("contract", "")
        return {**row, **{name: found.get(name) for name in names}, "contract": contract, **took}

    def _judged(self) -> dict[str, Any]:
        try:
            return compare(self.old, self.new, self.options, Session()).to_json()
        except (CodeoptError, SandboxError) as error:
            return {"verdict": "not judged", "reason": str(error), "caveats": []}


def name_of(task: str, draft: str) -> str:
    """Name of a trial."""
    return f"{task} / {draft}"


def is_accepted(row: dict[str, Any]) -> bool:
    """Return whether a draft was judged and not rejected."""
    return row["verdict"] not in ("wrong", "not judged")


def is_false(row: dict[str, Any]) -> bool:
    """Return whether a wrong draft is called faster without a caveat."""
    return bool(row["kind"] == WRONG and row["verdict"] == "faster" and not row["caveats"])


def line(row: dict[str, Any]) -> str:
    """Line of a row on the screen."""
    name = name_of(row["task"], row["draft"])
    if row["kind"] == UNKNOWN:
        return f"--  {name:<60} {row['kind']}: {row['why'][:200]}"
    good = is_accepted(row) if row["kind"] != WRONG else not is_false(row)
    head = f"{'ok ' if good else 'BAD'} {name:<60} {row['kind']:<18} {row['verdict']:<12} {row['ratio'] or 0:7.2f}x"
    told = [f"      caveat: {each['input'][:100]}: {each['cause'][:120]}" for each in row["caveats"] or ()]
    reason = [f"      {row['reason'][:400]}"] if row["reason"] else []
    return "\n".join([f"{head}  {row['seconds']} s", *reason, *told])


def table(name: str, rows: list[dict[str, Any]]) -> str:
    """Shares of an arena in Markdown."""
    lines = [
        f"| {name}: drafts | number | not rejected | of these with caveats | faster | faster without a caveat |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for kind in (RIGHT, COMPILED, CHANGES, WRONG):
        part = [row for row in rows if row["kind"] == kind]
        if part:
            kept = [row for row in part if is_accepted(row)]
            faster = [row for row in part if row["verdict"] == "faster"]
            counts = (len(part), len(kept), sum(bool(row["caveats"]) for row in kept), len(faster))
            lines.append(f"| {kind} | {' | '.join(map(str, counts))} | {sum(not row['caveats'] for row in faster)} |")
    unknown = sum(row["kind"] == UNKNOWN for row in rows)
    return "\n".join([*lines, *([f"\nnot known to be right or wrong, and not judged: {unknown}"] if unknown else [])])


def kept_rows(results: Path | None) -> dict[str, dict[str, Any]]:
    """Rows of an earlier run, by the names of their trials; half a line of one that was killed is said and left out."""
    found = {}
    for row in kept_lines(results, "row of a trial"):
        try:
            found[name_of(row["task"], row["draft"])] = row
        except (KeyError, TypeError):
            print(f"{results}: a row is none of a trial, and is left out: {str(row)[:60]}", file=sys.stderr)
    return found


@dataclass
class ProbeBudget:
    """Counts drafts that are judged, by task, right and wrong ones apart."""

    each: int | None
    """Right drafts of a task, and wrong ones, that are judged; None for all."""
    judged: Counter[tuple[str, bool]] = field(default_factory=Counter)

    def is_full(self, task: str) -> bool:
        """Return whether no further draft of a task is judged, of any kind."""
        return self.each is not None and all(self.judged[task, wrong] >= self.each for wrong in (False, True))

    def takes(self, task: str, kind: str) -> bool:
        """Return whether a draft of this kind is judged, and count it then."""
        if self.each is not None and self.judged[task, kind == WRONG] >= self.each:
            return False
        self.judged[task, kind == WRONG] += kind != UNKNOWN
        return True


def first_of_each_task(trials: Iterator[Trial], tasks: int | None, drafts: int | None) -> Iterator[Trial]:
    """At most so many drafts of at most so many tasks."""
    counts: dict[str, int] = {}
    for trial in trials:
        if trial.task not in counts and tasks is not None and len(counts) >= tasks:
            return
        counts[trial.task] = counts.get(trial.task, 0) + 1
        if drafts is None or counts[trial.task] <= drafts:
            yield trial
