"""List earlier verdicts for this project.

A verdict is kept by check, improve, review and the servers, with the text of the function, what it calls, its tests
and the Python. If one of these differs now, the verdict is old, and the next check judges again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from codeopt.cli import flags
from codeopt.cli.command import command

if TYPE_CHECKING:
    from codeopt.review.findings.listing import ListedFinding


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="files and folders [default: this folder]")
    parser.add_argument("--all", action="store_true", help="also show older verdicts on a function")
    flags.add_flags(parser, "findings")


@command(flags_only=True, others_files=True, examples=("codeopt findings", "codeopt findings src/ --html history.html"))
def run(arguments: argparse.Namespace) -> int:
    """One line a verdict. Raises UsageError."""
    from codeopt.cli.output import require_writable, tell, write_page
    from codeopt.cli.review_flags import below
    from codeopt.core.cache import existing_caches
    from codeopt.core.interpreter import find_interpreter
    from codeopt.report.answers import FindingsJson
    from codeopt.review.findings.listing import listed_findings
    from codeopt.workloads.sandbox_view.view import locate

    paths = below(arguments.paths or [Path.cwd()])
    if arguments.html:
        require_writable(arguments.html)
    root = locate(paths[0] / "any.py" if paths[0].is_dir() else paths[0]).root
    python = find_interpreter(None, paths[0])
    caches = existing_caches([root])
    listed = (finding for cache in caches for finding in listed_findings(cache, root, python, paths))
    everything = sorted(listed, key=lambda each: -each.finding.made_at)
    newest: dict[str, ListedFinding] = {}
    for each in everything:
        newest.setdefault(each.finding.judged.name, each)
    shown = everything if arguments.all else [*newest.values()]
    if arguments.html:
        from codeopt.report.html.findings_page import findings_page

        write_page(arguments.html, findings_page(root.name, [each.answer() for each in everything]))
    if arguments.json:
        findings_json = FindingsJson(
            schema="codeopt.findings/1",
            store=str(caches[0].file) if caches else None,
            findings=tuple(each.answer() for each in shown),
        )
        print(json.dumps(findings_json.to_json()))
        return 0
    tell(table(shown))
    return 0


def table(found: Sequence[ListedFinding]) -> str:
    """Format each verdict with its time, the accepted changes, and the parts that changed since."""
    from codeopt.core.columns import columns
    from codeopt.core.sanitize import inline, log_line
    from codeopt.core.words import counted
    from codeopt.review.findings.finding import minute

    lines: list[Sequence[str] | str] = []
    for each in found:
        judged = each.finding.judged
        lines.append((log_line(judged.name), inline(judged.gain), minute(each.finding.made_at)))
        lines += [each.state] * bool(each.stale_reason)
        lines += map(log_line, judged.changes if judged.improved else (judged.verdict.reason,))
    holding = sum(not each.stale_reason for each in found)
    if not found:
        return "No verdict is known for this project.\nNext: codeopt check\n"
    count = f"{counted(len(found), 'verdict')}: {holding} for the code as it is, {len(found) - holding} outdated"
    again = ["Next: codeopt check"] * (holding < len(found))
    return "\n".join([*columns(lines), count, *again]) + "\n"
