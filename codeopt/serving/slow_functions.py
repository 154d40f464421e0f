"""Slow functions for an editor: from the cache, saved runs and answers, each with its place in the editor's text."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp

from codeopt.core.cache import Cache
from codeopt.core.errors import CodeoptError
from codeopt.core.ownership import foreign
from codeopt.core.revision import lines_of
from codeopt.core.run_store import digest
from codeopt.core.words import share as share_of
from codeopt.report.answers import read, read_verdict
from codeopt.report.verdict import Verdict
from codeopt.review.findings.finding import FindingKeys
from codeopt.review.findings.known import all_findings, carried
from codeopt.review.reporters._finding import edits
from codeopt.review.suggestion import Suggestion
from codeopt.workloads.source.functions import definitions
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.plain_files import read_text

RUNS = ".codeopt/runs"
MAX_RUNS = 200
"""Saved runs that are read at most, the newest first."""


@dataclass(frozen=True)
class SlowFunction:
    """A function or program with its verdict, as an editor shows it. Its path is below the root."""

    judged: Suggestion
    when: str = ""
    """Time of the verdict, the command that asked and the machine."""
    evidence: str = ""
    """Digest of the tests or cases that judged it. Empty: not known."""

    @property
    def share(self) -> str:
        """`63% of its tests' time`. Empty if it was not measured."""
        return f"{share_of(self.judged.share)} of its tests' time" if self.judged.share is not None else ""

    @property
    def words(self) -> str:
        """`63% of its tests' time; list_membership_to_set: 41x faster, verified`."""
        judged = self.judged
        rule = judged.changes[0].partition(":")[0] if judged.changes else "a change"
        better = f"{rule}: {judged.gain}, verified" if judged.improved else judged.verdict.reason
        return "; ".join(filter(None, [self.share, better]))

    @property
    def told(self) -> str:
        """All of it, as Markdown."""
        judged = self.judged
        certainty = f" ({judged.speedup.certainty})" if judged.speedup else ""
        head = f"**{judged.gain}**{certainty}, verified" if judged.improved else f"not improved: {judged.words}"
        lines = [head, self.share, judged.verdict.by_size.disagreement, *judged.told, self.when]
        return "codeopt\n\n" + "\n".join(f"- {_plain(line)}" for line in lines if line)


@dataclass(frozen=True)
class ShownFunction:
    """A slow function in the text of an editor."""

    slow: SlowFunction
    line: int
    """Line of its definition, from 0."""
    improved: str = ""
    """The editor's text with the change. Empty if no change applies to this text."""
    old: str = ""
    """Parts that changed since it was judged, in a few words. Empty: the verdict holds."""

    @property
    def words(self) -> str:
        """Describe the slow function in a line. An outdated verdict is marked as old."""
        return f"{self.slow.words}; old: {self.old} changed since, check again" if self.old else self.slow.words

    @property
    def title(self) -> str:
        """What the change does and brings: `` `in` compares with every element of a list (41x faster, verified)``."""
        judged = self.slow.judged
        change = judged.changes[0] if judged.changes else "the verified change"
        old = f"; old: {self.old} changed since" if self.old else ""
        return f"{(change.partition(': ')[2] or change).rstrip('.')} ({judged.gain}, verified{old})"


def shown(slow: SlowFunction, path: Path, text: str, keys: FindingKeys) -> ShownFunction | None:
    """Return a slow function for display in a text of its file. None if it is gone or its change is applied."""
    where, judged = places(text), slow.judged
    function = judged.function
    if function and function not in where:
        return None
    line = where[function][0] - 1 if function else 0
    if text == judged.original:
        improved, old = judged.improved, ""
    else:
        reached = [_reached(keys, path, function, each) for each in (text, judged.original, judged.improved)]
        if judged.improved and reached[0] == reached[2]:
            return None
        if reached[0] is None or reached[0] != reached[1]:
            return ShownFunction(slow, line, old="the code") if judged.improved else None
        put = carried(judged.original, judged.improved, text, function) if judged.improved else None
        improved = put if put is not None and _reached(keys, path, function, put) == reached[2] else ""
        old = "" if improved or not judged.improved else "the rest of the file"
    if slow.evidence and (keys.evidence(path, function) or slow.evidence) != slow.evidence:
        old = "its tests or cases"
    return ShownFunction(slow, line, improved, old)


def _reached(keys: FindingKeys, path: Path, function: str, text: str) -> str | None:
    try:
        return keys.reached(path, function, text) if text else None
    except (OSError, ValueError):
        return None


def of_cache(cache: Cache, top: Path, root: Path) -> Iterator[SlowFunction]:
    """Verdicts of a cache, the oldest first. top: folder that its paths start from."""
    for found in all_findings(cache):
        path, judged = top / found.judged.path, found.judged
        if path.is_relative_to(root) and (judged.improved or judged.share):
            here = replace(judged, path=path.relative_to(root).as_posix())
            yield SlowFunction(here, found.when, found.key.evidence)


def of_check(answer: Mapping[str, Any], original: str) -> list[SlowFunction]:
    """Functions of a check's answer that take time or can be faster. original: text of the file."""
    found = []
    for row in answer["functions"]:
        if row["new_source"] or row["share"] and row["judged"]:
            known = {name: row[name] for name in ("reason", "speedup", "caveats")}
            verdict = read(Verdict, {"outcome": row["verdict"] or Decision.SAME, **known})
            place, texts, changes = (row["file"], row["function"]), (original, row["new_source"] or ""), row["changes"]
            judged = Suggestion(*place, *texts, "runtime", verdict, tuple(changes), share=row["share"])
            found.append(SlowFunction(judged))
    return found


def of_improvement(answer: Mapping[str, Any], file: str, function: str, original: str, improved: str) -> SlowFunction:
    """Convert the answer of an accepted improvement. original, improved: texts of the file."""
    (best,) = [each for each in answer["rounds"] if each["round"] == answer["best_round"]]
    changes = tuple(best["changes"] or [best["summary"]])
    judged = Suggestion(file, function, original, improved, answer["task"], read_verdict(answer), changes)
    return SlowFunction(judged)


def saved(root: Path) -> list[SlowFunction]:
    """Functions of the user's own accepted runs that were saved here, the newest first."""
    folder = root / RUNS
    if not folder.is_dir():
        return []
    runs = sorted(folder.iterdir(), reverse=True)[:MAX_RUNS]
    left_out = foreign(runs)
    return [each for each in (_of_run(run, root) for run in runs if run not in left_out) if each]


def _of_run(run: Path, root: Path) -> SlowFunction | None:
    try:
        result = json.loads(read_text(run / "result.json"))
        if not result["accepted"] or not result["speedup"]:
            return None
        before, after = (read_text(run / name) for name in ("original.py", "best.py"))
        path = (root / result["file"]).resolve()
        sound = digest(after) == result["sha256_after"] and digest(before) == result["sha256_before"]
        if not path.is_relative_to(root) or not sound:
            return None
        return of_improvement(result, path.relative_to(root).as_posix(), _changed(before, after), before, after)
    except (OSError, ValueError, LookupError, TypeError, CodeoptError):  # changed, or half gone
        return None


def _changed(before: str, after: str) -> str:
    """Name of the function around the first line that differs. Empty: that line is in none."""
    lines = zip(before.split("\n"), after.split("\n"), strict=False)
    first = next((number for number, (one, other) in enumerate(lines, 1) if one != other), 1)
    around = [(name, place) for name, place in places(before).items() if place[0] <= first <= place[1]]
    return max(around, key=lambda each: each[1][0])[0] if around else ""


def places(text: str) -> dict[str, tuple[int, int]]:
    """First and last line of each function by name; empty while the text is no Python."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    return {name: (node.lineno, node.end_lineno or node.lineno) for name, node in definitions(tree)}


def _plain(line: str) -> str:
    """A line without what Markdown would act on."""
    marks = "\\`*_{}[]<>#|!"
    return "".join(f"\\{char}" if char in marks else char for char in line) if not line.startswith("**") else line


# Texts of an editor as the protocol counts them: edits of lines as text edits, and places as ranges.


def text_edits(current: str, improved: str) -> list[lsp.TextEdit]:
    """The edits that turn one text into another, with as few lines as differ."""
    lines = lines_of(current)
    return [
        lsp.TextEdit(lsp.Range(_start(lines, edit.start - 1), _start(lines, edit.end)), edit.text)
        for edit in edits(current, improved)
    ]


def line_range(text: str, line: int) -> lsp.Range:
    """The whole of a line, counted from 0."""
    lines = lines_of(text)
    end = _units(lines[line].rstrip("\r\n")) if line < len(lines) else 0
    return lsp.Range(lsp.Position(line, 0), lsp.Position(line, end))


def _start(lines: list[str], line: int) -> lsp.Position:
    """Return the start of a line, from 0. After a last line without a line end it is the end of its text."""
    if line >= len(lines) and lines and not lines[-1].endswith("\n"):
        return lsp.Position(len(lines) - 1, _units(lines[-1]))
    return lsp.Position(line, 0)


def _units(text: str) -> int:
    """Length in UTF-16 code units, which the protocol counts in."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
