"""A merge request on GitLab: a code quality report, and suggestions as threads next to its lines."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from codeopt.core.sanitize import log_line
from codeopt.review.reporters._api import ApiError, open_api, secret
from codeopt.review.reporters._comments import comment, marked, overview
from codeopt.review.reporters._edits import Hunk, LineEdit
from codeopt.review.reporters._finding import fingerprint, lines, rule, sentence
from codeopt.review.reporters._places import Placed
from codeopt.review.reporters._platform import REFUSED, EarlierText, Platform, Posted, update, without_place
from codeopt.review.reporters._reporter import reporter
from codeopt.review.suggestion import Review

MOST_LINES = 100
"""Lines that a suggestion can replace below its own at most."""
TOKENS = ("CODEOPT_GITLAB_TOKEN", "GITLAB_TOKEN")
"""The job's own token may not write comments."""


@reporter
def render(review: Review) -> str:
    """The code quality report, for `artifacts: reports: codequality`."""
    found: list[dict[str, Any]] = []
    for suggestion in review.suggestions:
        first, last = lines(suggestion)
        taken = sum(one["fingerprint"].startswith(fingerprint(suggestion)) for one in found)
        found.append(
            {
                "check_name": f"codeopt {rule(suggestion)}",
                "description": log_line(sentence(suggestion), 1000),
                "fingerprint": fingerprint(suggestion) + str(taken or ""),
                "severity": "info",
                "location": {"path": suggestion.path, "lines": {"begin": first, "end": last}},
            }
        )
    return json.dumps([*found, *_blind(review)], indent=2) + "\n"


def _blind(review: Review) -> list[dict[str, Any]]:
    """Return an issue that reports that no file could be examined. It is placed at the first skipped file."""
    if not review.not_checked_reason:
        return []
    path = review.skipped[0].path if review.skipped else "pyproject.toml"
    return [
        {
            "check_name": "codeopt nothing-looked-at",
            "description": log_line(review.not_checked_reason, 1000),
            "fingerprint": hashlib.sha256(f"codeopt nothing-looked-at {path}".encode()).hexdigest(),
            "severity": "major",
            "location": {"path": path, "lines": {"begin": 1, "end": 1}},
        }
    ]


@reporter
def post(review: Review, environ: Mapping[str, str] = os.environ) -> Posted:
    """Bring the merge request up to date with `review`. If that fails only the report remains."""
    try:
        path = merge_request(environ)
        server = environ.get("CI_API_V4_URL") or "https://gitlab.com/api/v4"
        with open_api(server, {"PRIVATE-TOKEN": secret(environ, *TOKENS)}) as api:
            refs = (api.call("GET", path) or {}).get("diff_refs") or {}
            head = str(refs.get("head_sha"))
            return update(MergeRequest(api, path, head, "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", refs), review)
    except ApiError as error:
        return Posted(failed=f"no comments on GitLab: {error}")


def merge_request(environ: Mapping[str, str]) -> str:
    """Path in the API of the merge request. Raises ApiError where this job is for none."""
    project, number = environ.get("CI_PROJECT_ID", ""), environ.get("CI_MERGE_REQUEST_IID", "")
    if not (re.fullmatch(r"[0-9]+", project) and re.fullmatch(r"[0-9]+", number)):
        raise ApiError("this job is not for a merge request (no CI_MERGE_REQUEST_IID)")
    return f"/projects/{project}/merge_requests/{number}"


@dataclass(frozen=True)
class MergeRequest(Platform):
    """Comments are threads; the overview is one note, kept up to date."""

    refs: Mapping[str, Any]
    """The commits of the change, which each place names."""

    def acceptable(self, item: Placed) -> Placed:
        """Without parts where GitLab could not show them, or old versions of it would read a line as a command."""
        if any(edit.end - edit.start > MOST_LINES for edit, _ in item.parts):
            return without_place(item, f"it replaces more than {MOST_LINES} lines")
        if any(line.startswith("/") for edit, _ in item.parts for line in edit.text.split("\n")):
            return without_place(item, "a line of it begins with a slash")
        return item

    def earlier(self) -> tuple[list[EarlierText], list[EarlierText]]:
        me = (self.api.call("GET", "/user") or {}).get("id")
        texts_by_kind: dict[str, list[EarlierText]] = {"comment": [], "review": []}
        for discussion in self.api.pages(f"{self.path}/discussions"):
            notes = [note for note in discussion.get("notes") or () if not note.get("system")]
            if not notes or (notes[0].get("author") or {}).get("id") != me:
                continue
            where = f"{self.path}/discussions/{quote(str(discussion['id']), safe='')}/notes/{int(notes[0]['id'])}"
            for kind, texts in texts_by_kind.items():
                if keys := marked(kind, notes[0].get("body")):
                    texts.append(EarlierText(where, frozenset(keys), len(notes) > 1))
        return texts_by_kind["comment"], texts_by_kind["review"]

    def post(
        self, offered: Sequence[Placed], rest: Sequence[Placed], overviews: Sequence[EarlierText], review: Review
    ) -> list[Placed]:
        """Post a thread for each part. Parts that GitLab refuses also go into the note."""
        refused = [item for item in offered if not self._begin_threads(item, review)]
        items = [*rest, *refused]
        if items and not overviews:
            self.api.call("POST", f"{self.path}/discussions", {"body": overview(items, 0, review)})
        elif items and {item.fingerprint for item in items} != overviews[0].keys:
            self.change(overviews[0], overview(items, 0, review))
        return refused

    def _begin_threads(self, item: Placed, review: Review) -> bool:
        """One thread a part. False where GitLab does not take the first one's lines."""
        for part, (edit, hunk) in enumerate(item.parts, 1):
            label = f"suggestion:-0+{edit.end - edit.start}"
            body = {"body": comment(item, edit, part, review, label), "position": _position(edit, hunk, self.refs)}
            try:
                self.api.call("POST", f"{self.path}/discussions", body)
            except ApiError as error:
                if error.status not in REFUSED or part > 1:
                    raise
                return False
        return True

    def shorten(self, overviews: Sequence[EarlierText], rest: Sequence[Placed], review: Review) -> None:
        """The note holds the rest already; without any, and for a second one, there is no use."""
        for each in overviews[1:] if rest else overviews:
            self.withdraw(each)


def _position(edit: LineEdit, hunk: Hunk, refs: Mapping[str, Any]) -> dict[str, Any]:
    """The first line of the edit; GitLab wants both numbers of a line that the change left as it was."""
    old_line = hunk.old_line(edit.start)
    return {
        "position_type": "text",
        **{name: refs.get(name) for name in ("base_sha", "start_sha", "head_sha")},
        "old_path": hunk.old_path or hunk.path,
        "new_path": hunk.path,
        "new_line": edit.start,
        **({"old_line": old_line} if old_line is not None else {}),
    }
