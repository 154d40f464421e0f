"""Findings of a project as they are listed, each with its state and its patch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from codeopt.core.cache import Cache
from codeopt.core.interpreter import Interpreter
from codeopt.core.options import ImproveOptions
from codeopt.report.answers import FindingFields
from codeopt.review.findings.finding import StoredFinding
from codeopt.review.findings.keys import FindingKeys
from codeopt.review.findings.known import all_findings, text_of

GONE = "the file, or the function in it"
"""Part of a project that is missing where a finding was made."""


@dataclass(frozen=True)
class ListedFinding:
    finding: StoredFinding
    stale_reason: str
    """Parts of the key that changed since, in a few words. Empty: it still holds."""

    @property
    def state(self) -> str:
        """`holds`, or `old: the code changed since`."""
        return f"old: {self.stale_reason} changed since" if self.stale_reason else "holds"

    def answer(self) -> FindingFields:
        """The row of `codeopt findings --json`."""
        found, judged = self.finding, self.finding.judged
        return FindingFields(
            **judged.row,
            task=judged.task,
            author=found.author,
            accepted=bool(judged.improved),
            seconds=found.seconds,
            command=found.command,
            machine=found.machine,
            verified_at=datetime.fromtimestamp(found.made_at, UTC).isoformat(timespec="seconds"),
            current=not self.stale_reason,
            stale_reason=self.stale_reason,
            diff=judged.diff,
        )


def listed_findings(
    cache: Cache, root: Path, python: Interpreter, below: Iterable[Path] = ()
) -> Iterator[ListedFinding]:
    """Return the findings of a cache, the newest first. below: files and folders. Empty: the whole project."""
    keys = FindingKeys(ImproveOptions(), "", python)
    places = [path.resolve() for path in below]
    for found in reversed([*all_findings(cache)]):
        path = root / found.judged.path
        if places and not any(path == place or place in path.parents for place in places):
            continue
        yield ListedFinding(found, what_changed(found, path, keys, text_of(path)))


def what_changed(stored_finding: StoredFinding, path: Path, keys: FindingKeys, text: str | None) -> str:
    """Name the parts of the key that changed since a finding was made. Empty if it still holds.

    The asked options are not compared, and the evidence only if the finding has the default ones. text: text of the
    file, None without one.
    """
    key = keys.key(path, stored_finding.judged.function, text) if text is not None and path.is_file() else None
    if key is None:
        return GONE
    if (
        key.evidence != stored_finding.key.evidence
        and stored_finding.key.reached == key.reached
        and not _usual(stored_finding, keys)
    ):
        key = replace(key, evidence=stored_finding.key.evidence)
    return replace(key, asked=stored_finding.key.asked).differs_from(stored_finding.key)


def _usual(stored_finding: StoredFinding, keys: FindingKeys) -> bool:
    return stored_finding.key.asked in (keys.asked("rules"), keys.asked(stored_finding.author))
