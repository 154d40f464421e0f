"""Rows of a batch's database, in the order of the columns in schema.py."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Sequence
from typing import Any

from codeopt.batch.datasets import Problem
from codeopt.batch.records import Stage
from codeopt.core.history import Candidate
from codeopt.core.model import Message, Reply
from codeopt.core.run_store import candidate_to_json
from codeopt_sandbox.compare import Comparison


def problem_row(position: int, problem: Problem) -> dict[str, Any]:
    """Row of a problem that has not begun, or that was dropped with its reason."""
    return {
        "id": problem.id,
        "position": position,
        "path": str(problem.path),
        "cases": str(problem.cases) if problem.cases else None,
        "function": problem.function,
        "calls": str(problem.calls) if problem.calls else None,
        "checker": problem.check,
        "source": plain(problem.source),
        "target": problem.target,
        "status": "dropped" if problem.dropped else "pending",
        "reason": problem.dropped,
        "fault": "program" if problem.dropped else "",
    }


def candidate_row(id: str, stage: Stage, candidate: Candidate) -> list[Any]:
    """Row of a candidate with its measurements."""
    texts = map(plain, (candidate.source, candidate.summary, candidate.critique, candidate.rejection))
    key = [id, stage, candidate.round]
    return [*key, *texts, int(candidate.correct), *figures(candidate.comparison), candidate_to_json(candidate), now()]


def verdict_rows(id: str, stage: Stage, candidate: Candidate) -> list[list[Any]]:
    """Rows of a candidate's cases that were run, one a case."""
    return [
        [
            id, stage, candidate.round, o.case, str(o.verdict), o.run.wall_s, o.run.cpu_s, o.run.peak_bytes,
            plain(o.detail),
        ]
        for o in candidate.outcomes
    ]  # fmt: skip


def exchange_row(id: str, number: int, messages: Sequence[Message], reply: Reply) -> list[Any]:
    """Row of a request to a model, its reply and its cost."""
    prompt = json.dumps([{"role": m.role, "content": m.content} for m in messages])
    return [
        id, number, prompt, plain(reply.text), reply.tokens_in, reply.tokens_out, reply.cost_usd,
        reply.seconds, plain(reply.model), int(reply.cut) + int(reply.can_go_on), int(reply.estimated), now(),
        reply.tokens_cached,
    ]  # fmt: skip


def reply_of(row: sqlite3.Row) -> Reply:
    """Reply in a row of exchanges."""
    return Reply(
        row["reply"], row["tokens_in"], row["tokens_out"], row["cost_usd"], row["seconds"], row["model"],
        bool(row["cut"]), bool(row["estimated"]), row["cached"], row["cut"] == 2,
    )  # fmt: skip


def figures(found: Comparison | None) -> list[Any]:
    """Columns decision, ratio, ci_low, ci_high, pairs and clock; all NULL without a comparison."""
    if found is None:
        return [None] * 6
    high = found.ci_high if found.ci_high < float("inf") else None
    return [str(found.decision), found.ratio, found.ci_low, high, found.pairs, found.clock]


def timing_rows(id: str, stage: Stage, candidate: Candidate) -> list[list[Any]]:
    """Rows of a candidate's raw times, one a pair and case."""
    found = candidate.comparison
    if found is None:
        return []
    return [
        [id, stage, candidate.round, times.case, number, old, new]
        for times in found.cases
        for number, (old, new) in enumerate(zip(times.original, times.candidate, strict=False))
    ]


def plain(text: str) -> str:
    """Escape lone surrogates, which SQLite cannot hold."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def now() -> str:
    """Current time in UTC, ISO 8601."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
