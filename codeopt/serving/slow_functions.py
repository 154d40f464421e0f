"""Slow functions for an editor: from the cache, saved runs and answers, each with its place in the editor's text."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from codeopt.core.cache import Cache
from codeopt.core.errors import CodeoptError
from codeopt.core.ownership import foreign
from codeopt.core.run_store import digest
from codeopt.core.words import Speedup
from codeopt.core.words import share as share_of
from codeopt.report.answer_fields import read
from codeopt.review.findings.carry import carried
from codeopt.review.findings.finding import StoredFinding
from codeopt.review.findings.keys import FindingKeys
from codeopt.review.findings.known import all_findings
from codeopt.workloads.source.functions import definitions
from codeopt_sandbox.caveat import Caveat
from codeopt_sandbox.plain_files import read_text

RUNS = ".codeopt/runs"
MAX_RUNS = 200
"""Saved runs that are read at most, the newest first."""


@dataclass(frozen=True)
class SlowFunction:
    """A function or program with its measurements."""

    file: str
    """Path below the root, with `/`."""
    function: str
    """Qualified name. Empty: the whole program, or not known."""
    share: float | None
    """Share of its tests' time, 0 to 1. None: not measured."""
    original: str
    """Text of the file that was judged."""
    improved: str = ""
    """Original with the verified change. Empty without a change."""
    speedup: Mapping[str, Any] = field(default_factory=dict)
    """Object of SpeedupFields. Empty: nothing was timed."""
    changes: tuple[str, ...] = ()
    """Sentences that say what was changed and why."""
    caveats: tuple[str, ...] = ()
    growth: str = ""
    reason: str = ""
    """Reason why there is no change."""
    judged: str = ""
    """Time of the verdict, the command that asked and the machine."""
    evidence: str = ""
    """Digest of the tests or cases that judged it. Empty: not known."""

    @property
    def gain(self) -> str:
        """`41x faster`. Empty if there is no change."""
        return (Speedup.from_json(self.speedup).gain if self.speedup else "better") if self.improved else ""

    @property
    def words(self) -> str:
        """`63% of its tests' time; list_membership_to_set: 41x faster, verified`."""
        share = f"{share_of(self.share)} of its tests' time" if self.share is not None else ""
        rule = self.changes[0].partition(":")[0] if self.changes else "a draft"
        better = f"{rule}: {self.gain}, verified" if self.improved else self.reason
        return "; ".join(part for part in (share, better) if part)

    @property
    def told(self) -> str:
        """All of it, as Markdown."""
        certainty = f" ({Speedup.from_json(self.speedup).certainty})" if self.speedup else ""
        lines = [f"**{self.gain}**{certainty}, verified" if self.improved else f"not improved: {self.reason}"]
        if self.share is not None:
            lines.append(f"{share_of(self.share)} of its tests' time")
        lines += [f"cost grows with the input: {self.growth}"] * bool(self.growth)
        lines += [*self.changes, *(f"caveat: {each}" for each in self.caveats), *filter(None, [self.judged])]
        return "codeopt\n\n" + "\n".join(f"- {_plain(line)}" for line in lines)


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


def shown(slow: SlowFunction, path: Path, text: str, keys: FindingKeys) -> ShownFunction | None:
    """Return a slow function for display in a text of its file. None if it is gone or its change is applied."""
    where = places(text)
    if slow.function and slow.function not in where:
        return None
    line = where[slow.function][0] - 1 if slow.function else 0
    if text == slow.original:
        improved, old = slow.improved, ""
    else:
        reached = [_reached(keys, path, slow.function, each) for each in (text, slow.original, slow.improved)]
        if slow.improved and reached[0] == reached[2]:
            return None
        if reached[0] is None or reached[0] != reached[1]:
            return ShownFunction(slow, line, old="the code") if slow.improved else None
        put = carried(slow.original, slow.improved, text, slow.function) if slow.improved else None
        improved = put if put is not None and _reached(keys, path, slow.function, put) == reached[2] else ""
        old = "" if improved or not slow.improved else "the rest of the file"
    if slow.evidence and (keys.evidence(path, slow.function) or slow.evidence) != slow.evidence:
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
        path = top / found.path
        if path.is_relative_to(root) and (found.accepted or found.share):
            yield _of_finding(found, path.relative_to(root).as_posix())


def _of_finding(found: StoredFinding, file: str) -> SlowFunction:
    return SlowFunction(
        file, found.function, found.share, found.original, found.improved,
        vars(found.speedup) if found.speedup else {}, found.changes, tuple(each.words for each in found.caveats),
        found.growth, "" if found.accepted else found.reason,
        found.judged, found.key.evidence,
    )  # fmt: skip


def of_check(answer: Mapping[str, Any], original: str) -> list[SlowFunction]:
    """Functions of a check's answer that take time or can be faster. original: text of the file."""
    return [
        SlowFunction(
            row["file"], row["function"], row["share"], original, row["new_source"] or "", row["speedup"] or {},
            tuple(row["changes"]), _caveats(row), reason=row["reason"],
        )
        for row in answer["functions"]
        if row["new_source"] or row["share"] and row["judged"]
    ]  # fmt: skip


def of_improvement(answer: Mapping[str, Any], file: str, function: str, original: str) -> SlowFunction:
    """Convert the answer of an accepted improvement. original: text of the file."""
    rounds = [each for each in answer["rounds"] if each["round"] == answer["best_round"]]
    changes = tuple(rounds[0]["changes"] or [rounds[0]["summary"]]) if rounds else ()
    return SlowFunction(
        file, function, None, original, answer["new_source"], answer["speedup"] or {}, changes, _caveats(answer),
        answer["growth"],
    )  # fmt: skip


def _caveats(answer: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(read(Caveat, row).words for row in answer["caveats"])


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
        (best,) = [each for each in result["rounds"] if each["round"] == result["best_round"]]
        sound = digest(after) == result["sha256_after"] and digest(before) == result["sha256_before"]
        if not path.is_relative_to(root) or not sound:
            return None
        Speedup.from_json(result["speedup"]).words  # noqa: B018  raises for figures that are none
        return SlowFunction(
            path.relative_to(root).as_posix(), _changed(before, after), None, before, after, result["speedup"],
            tuple(best["changes"] or [best["summary"]]),
        )  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError, IndexError, CodeoptError):  # of an earlier version, or half gone
        return None


def _changed(before: str, after: str) -> str:
    """Name of the function around the first line that differs. Empty: that line is in none."""
    lines = zip(before.split("\n"), after.split("\n"), strict=False)
    first = next((number for number, (one, other) in enumerate(lines, 1) if one != other), 1)
    around = [(name, place) for name, place in places(before).items() if place[0] <= first <= place[1]]
    return max(around, key=lambda each: each[1][0])[0] if around else ""


def places(text: str) -> dict[str, tuple[int, int]]:
    """First and last line of each function by name; empty while the text is no Python."""
    return dict(_places(text))


def _places(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for name, node in definitions(tree):
        yield name, (node.lineno, node.end_lineno or node.lineno)


def _plain(line: str) -> str:
    """A line without what Markdown would act on."""
    marks = "\\`*_{}[]<>#|!"
    return "".join(f"\\{char}" if char in marks else char for char in line) if not line.startswith("**") else line
