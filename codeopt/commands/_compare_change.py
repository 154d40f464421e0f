"""`codeopt compare --base REF`: everything that a change alters, as it was against as it is."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from codeopt.commands import _review
from codeopt.commands._pair import certain, compare_programs, in_words, is_slower, takes
from codeopt.commands._sandbox import open_from
from codeopt.console import Console
from codeopt.errors import CodeoptError, NoSandbox, UsageError
from codeopt.escaping import log_line
from codeopt.functions.compare import compare_functions
from codeopt.functions.flags import chosen
from codeopt.functions.target import read_function
from codeopt.review.base_checkout import open_base_checkout
from codeopt.review.changed_functions import ReviewTarget, find_targets
from codeopt.review.suggestion import Skipped, full_name
from sandbox import Sandbox
from sandbox.compare import StoppingRule
from sandbox.errors import SandboxError

SCHEMA = "codeopt.compare-change/1"


def run(arguments: argparse.Namespace) -> int:
    """Compare all; 1 with --fail-if-slower when one of them is slower beyond it with confidence."""
    paths = _review.below([Path(text) for text in arguments.targets])
    if arguments.cases or arguments.stdin or arguments.calls:
        raise UsageError("--cases, --stdin and --calls are of one program or function; with --base there are many")
    with Console(quiet=arguments.quiet) as console:
        repository, change = _review.open_change(arguments)
        targets, skipped = find_targets(change, repository, paths, arguments.exclude)
        altered = [target for target in targets if target.old_path]
        rows: list[dict[str, Any]] = []
        if altered:
            _review.require_settings(repository, change)
            _review.require_isolation(arguments)
            with open_base_checkout(repository, change) as before:
                for number, target in enumerate(altered, 1):
                    console.stage(f"{number} of {len(altered)}, {target.name}: ")
                    rows.append(
                        {"path": target.path, "function": target.function, **_one(arguments, target, before, console)}
                    )
    rows += [_unknown(each) for each in skipped]
    limit = arguments.fail_if_slower
    slower = [row for row in rows if limit is not None and is_slower(row, limit)]
    found = {"schema": SCHEMA, "base": change.base, "head": change.head, "functions": rows, "failed": len(slower)}
    print(json.dumps(found) if arguments.json else table(rows, slower))
    return int(bool(slower))


def _one(arguments: argparse.Namespace, target: ReviewTarget, before: Path, console: Console) -> dict[str, Any]:
    """One comparison; "not verified" where none can be made. Raises NoSandbox."""
    try:
        return _compared(arguments, target, before / target.old_path, console)
    except NoSandbox:
        raise
    except (CodeoptError, SandboxError) as error:
        return {"verdict": "not verified", "reason": str(error), "ratio": None}


def _compared(arguments: argparse.Namespace, target: ReviewTarget, old: Path, console: Console) -> dict[str, Any]:
    def open_with(mounts: tuple[tuple[str, str], ...]) -> Sandbox:
        return open_from(arguments, own_code_only=False, notify=console.warn, mounts=mounts)

    if not target.function:
        both = argparse.Namespace(**{**vars(arguments), "old": str(old), "new": str(target.file)})
        with open_with(()) as sandbox:
            return compare_programs(both, sandbox, console.progress)
    was, now = (read_function(path, target.function) for path in (old, target.file))
    rule = StoppingRule(max_pairs=arguments.max_pairs, clock=arguments.clock)
    return compare_functions(was, now, chosen(arguments), open_with, rule, console.progress, arguments.seed)


def _unknown(skipped: Skipped) -> dict[str, Any]:
    return {
        "path": skipped.path,
        "function": skipped.function,
        "verdict": "not verified",
        "reason": skipped.reason,
        "ratio": None,
    }


def table(rows: list[dict[str, Any]], slower: list[dict[str, Any]]) -> str:
    """A line each, what fails first."""
    ordered = [*slower, *(row for row in rows if row not in slower)]
    lines = [line for row in ordered for line in _lines(row, row in slower)]
    count = f"{len(rows)} changed function{'s' * (len(rows) != 1)}"
    return "\n".join([*lines, f"{count}, {len(slower)} slower beyond the limit" if slower else count])


def _lines(row: dict[str, Any], fails: bool) -> list[str]:
    name = log_line(full_name(row["path"], row["function"]))
    text = f"{'FAIL ' * fails}{in_words(row['verdict']):<25} {name}"
    if row["ratio"] is not None:
        text += f"   {takes(row)}{certain(row)}"
    reason = row.get("reason")
    return [text, *([f"    {log_line(reason)}"] if reason else [])]
