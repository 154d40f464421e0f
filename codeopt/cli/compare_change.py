"""`codeopt compare --base REF`: everything that a change alters, as it was against as it is."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from codeopt.cli import flags, review_flags
from codeopt.cli.compare_table import gain_of, in_words, ratio_of
from codeopt.core.console import Console
from codeopt.core.errors import CodeoptError, NoSandbox, UsageError
from codeopt.core.evidence_place import open_evidence
from codeopt.core.options import ImproveOptions
from codeopt.core.sanitize import log_line
from codeopt.core.session import EvidenceOpener, Session
from codeopt.core.target import Target
from codeopt.core.words import counted
from codeopt.engine.compare import PairResult, PairVerdict, compare
from codeopt.review.base_checkout import open_base_checkout
from codeopt.review.changed_functions import find_targets
from codeopt.review.suggestion import full_name
from codeopt.review.surroundings import isolated
from codeopt_sandbox.errors import SandboxError

SCHEMA = "codeopt.compare-change/1"


def run(arguments: argparse.Namespace) -> int:
    """Compare all; 1 with --fail-if-slower when one of them is slower beyond it with confidence."""
    paths = review_flags.below([Path(text) for text in arguments.targets])
    if arguments.cases or arguments.stdin or arguments.calls:
        raise UsageError("--cases, --stdin and --calls are of one program or function; with --base there are many")
    with Console(quiet=arguments.quiet) as console:
        repository, change = review_flags.open_change(arguments)
        targets, skipped = find_targets(change, repository, paths, arguments.exclude)
        altered = [target for target in targets if target.old_path]
        rows: list[ComparedRow] = []
        if altered:
            review_flags.require_settings(repository, change)
            options, session = review_flags.find_python(flags.options_of(arguments), console, Path.cwd(), change.paths)
            options = isolated(options)
            session = replace(session, open_evidence=_kept_in(change.root))
            with open_base_checkout(repository, change) as before:
                for number, target in enumerate(altered, 1):
                    console.stage(f"{number} of {len(altered)}, {target.name}: ")
                    old = Target(before / target.old_path, target.function)
                    found = _one(old, Target(target.file, target.function), options, session)
                    rows.append(ComparedRow(target.path, target.function, found))
    rows += [
        ComparedRow(each.path, each.function, PairResult(PairVerdict.NOT_VERIFIED, each.reason)) for each in skipped
    ]
    limit = arguments.fail_if_slower
    slower = [row for row in rows if limit is not None and row.found.is_slower(limit)]
    functions = [row.to_json() for row in rows]
    report = {"schema": SCHEMA, "base": change.base, "head": change.head, "functions": functions, "failed": len(slower)}
    print(json.dumps(report) if arguments.json else table(rows, slower))
    return int(bool(slower))


def _kept_in(project: Path) -> EvidenceOpener:
    """Evidence of a checkout, which is removed afterwards, is kept in the project that it is of."""
    return lambda checkout, notify: open_evidence(project, notify)


@dataclass(frozen=True)
class ComparedRow:
    """A function or program that the change alters, and how it compares."""

    path: str
    function: str
    found: PairResult

    def to_json(self) -> dict[str, Any]:
        """For --json; fields may be added."""
        return {"path": self.path, "function": self.function, **self.found.to_json()}


def _one(old: Target, new: Target, options: ImproveOptions, session: Session) -> PairResult:
    """One comparison; "not verified" where none can be made. Raises NoSandbox."""
    try:
        return compare(old, new, options, session, own_code_only=False)
    except NoSandbox:
        raise
    except (CodeoptError, SandboxError) as error:
        return PairResult(PairVerdict.NOT_VERIFIED, str(error))


def table(rows: list[ComparedRow], slower: list[ComparedRow]) -> str:
    """A line each, what fails first."""
    ordered = [*slower, *(row for row in rows if row not in slower)]
    lines = [line for row in ordered for line in _lines(row, row in slower)]
    count = counted(len(rows), "changed function")
    return "\n".join([*lines, f"{count}, {len(slower)} slower beyond the limit" if slower else count])


def _lines(row: ComparedRow, fails: bool) -> list[str]:
    name, found = log_line(full_name(row.path, row.function)), row.found
    text = f"{'FAIL ' * fails}{in_words(found):<25} {name}"
    if ratio_of(found):
        text += f"   {gain_of(found)}"
    return [text, *([f"    {log_line(found.reason)}"] if found.reason else [])]
