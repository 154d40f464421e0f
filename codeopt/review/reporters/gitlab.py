"""A merge request on GitLab: a code quality report, and suggestions as threads beside its lines.

A second run posts nothing twice, and takes back what no longer applies.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from codeopt.core.sanitize import log_line
from codeopt.review.reporters._comments import WITHDRAWN, comment, marked, overview
from codeopt.review.reporters._edits import Hunk, LineEdit
from codeopt.review.reporters._finding import fingerprint, lines, rule, sentence
from codeopt.review.reporters._http import Api, ApiError, secret
from codeopt.review.reporters._places import Placed, place
from codeopt.review.reporters._posted import Posted
from codeopt.review.reporters._reporter import reporter
from codeopt.review.suggestion import Review

MOST_COMMENTS = 30
MOST_LINES = 100
"""Lines that a suggestion can replace below its own at most."""
TOKENS = ("CODEOPT_GITLAB_TOKEN", "GITLAB_TOKEN")
"""The job's own token may not write comments."""
REFUSED = {400, 422}
GONE = 404


@dataclass(frozen=True)
class Thread:
    """One of our own discussions, or the one note with everything that has no place beside a line."""

    path: str
    """The path of its first note, below the server."""
    keys: frozenset[str]
    answered: bool
    """Somebody has replied."""


@dataclass(frozen=True)
class PostedOnGitLab:
    """The threads that earlier runs have left there."""

    threads: tuple[Thread, ...]
    overviews: tuple[Thread, ...]


@reporter
def render(review: Review) -> str:
    """The code quality report, for `artifacts: reports: codequality`."""
    found: list[dict[str, Any]] = []
    for each in review.suggestions:
        first, last = lines(each)
        taken = sum(one["fingerprint"].startswith(fingerprint(each)) for one in found)
        found.append(
            {
                "check_name": f"codeopt {rule(each)}",
                "description": log_line(sentence(each), 1000),
                "fingerprint": fingerprint(each) + str(taken or ""),
                "severity": "info",
                "location": {"path": each.path, "lines": {"begin": first, "end": last}},
            }
        )
    return json.dumps([*found, *_blind(review)], indent=2) + "\n"


def _blind(review: Review) -> list[dict[str, Any]]:
    """An issue that says that nothing could be looked at; it stands at the first that was not, as it has to stand
    somewhere."""
    if not review.blind:
        return []
    path = review.skipped[0].path if review.skipped else "pyproject.toml"
    return [
        {
            "check_name": "codeopt nothing-looked-at",
            "description": log_line(review.blind, 1000),
            "fingerprint": hashlib.sha256(f"codeopt blind {path}".encode()).hexdigest(),
            "severity": "major",
            "location": {"path": path, "lines": {"begin": 1, "end": 1}},
        }
    ]


@reporter
def post(review: Review, environ: Mapping[str, str] = os.environ) -> Posted:
    """Bring the merge request up to date with `review`; where that is not possible the report has to do."""
    try:
        path = merge_request(environ)
        server = environ.get("CI_API_V4_URL") or "https://gitlab.com/api/v4"
        with Api(server, {"PRIVATE-TOKEN": secret(environ, *TOKENS)}) as api:
            return _update(api, path, review)
    except ApiError as error:
        return Posted(failed=f"no comments on GitLab: {error}")


def merge_request(environ: Mapping[str, str]) -> str:
    """Its path in the API. Raises ApiError where this job is for none."""
    project, number = environ.get("CI_PROJECT_ID", ""), environ.get("CI_MERGE_REQUEST_IID", "")
    if not (re.fullmatch(r"[0-9]+", project) and re.fullmatch(r"[0-9]+", number)):
        raise ApiError("this job is not for a merge request (no CI_MERGE_REQUEST_IID)")
    return f"/projects/{project}/merge_requests/{number}"


def _update(api: Api, path: str, review: Review) -> Posted:
    """Post what is new, then take back what is gone: of a review that is not whole nobody knows what that is."""
    refs = (api.call("GET", path) or {}).get("diff_refs") or {}
    placed = tuple(map(_acceptable, place(review)))
    if review.head not in ("", refs.get("head_sha")):
        why = "the review was made of another commit than the merge request's last one"
        placed = tuple(replace(item, parts=(), why_not=item.why_not or why) for item in placed)
    found = _earlier(api, path)
    known = {key for thread in found.threads for key in thread.keys}
    room = MOST_COMMENTS - len(found.threads)
    made, rest = 0, []
    for item in placed:
        if item.fingerprint in known:
            continue
        fits = bool(item.parts) and made + len(item.parts) <= room
        if fits and _begin_threads(api, path, item, refs, review):
            made += len(item.parts)
        else:
            rest.append(item)
    _say_the_rest(api, path, found, rest, review)
    current = {item.fingerprint for item in placed}
    gone = [] if not review.whole else [thread for thread in found.threads if not thread.keys & current]
    for thread in gone:
        _withdraw(api, thread)
    return Posted(made, len(gone))


def _acceptable(item: Placed) -> Placed:
    """Without parts where GitLab could not show them, or old versions of it would read a line as a command to them."""
    if any(edit.end - edit.start > MOST_LINES for edit, _ in item.parts):
        return replace(item, parts=(), why_not=f"it replaces more than {MOST_LINES} lines")
    if any(line.startswith("/") for edit, _ in item.parts for line in edit.text.split("\n")):
        return replace(item, parts=(), why_not="a line of it begins with a slash")
    return item


def _earlier(api: Api, path: str) -> PostedOnGitLab:
    """Our own threads; a mark in somebody else's text means nothing."""
    me = (api.call("GET", "/user") or {}).get("id")
    threads: list[Thread] = []
    overviews: list[Thread] = []
    for discussion in api.pages(f"{path}/discussions"):
        notes = [note for note in discussion.get("notes") or () if not note.get("system")]
        if not notes or (notes[0].get("author") or {}).get("id") != me:
            continue
        where = f"{path}/discussions/{quote(str(discussion['id']), safe='')}/notes/{int(notes[0]['id'])}"
        for kind, found in (("comment", threads), ("review", overviews)):
            keys = marked(kind, notes[0].get("body"))
            if keys is not None:
                found.append(Thread(where, frozenset(keys), len(notes) > 1))
    return PostedOnGitLab(tuple(threads), tuple(overviews))


def _begin_threads(api: Api, path: str, item: Placed, refs: Mapping[str, Any], review: Review) -> bool:
    """One thread a part. False where GitLab does not take the first one's lines."""
    for part, (edit, hunk) in enumerate(item.parts, 1):
        label = f"suggestion:-0+{edit.end - edit.start}"
        body = {"body": comment(item, edit, part, review, label), "position": _position(edit, hunk, refs)}
        try:
            api.call("POST", f"{path}/discussions", body)
        except ApiError as error:
            if error.status not in REFUSED or part > 1:
                raise
            return False
    return True


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


def _say_the_rest(api: Api, path: str, found: PostedOnGitLab, items: Sequence[Placed], review: Review) -> None:
    """One note with everything that has no place beside a line, kept up to date."""
    wanted = {item.fingerprint for item in items}
    for number, old in enumerate(found.overviews):
        if number or not wanted:
            if review.whole:
                _withdraw(api, old)
        elif wanted != old.keys:
            api.call("PUT", old.path, {"body": overview(items, 0, review)})
    if items and not found.overviews:
        api.call("POST", f"{path}/discussions", {"body": overview(items, 0, review)})


def _withdraw(api: Api, thread: Thread) -> None:
    """Delete it; a thread that was answered keeps its place, without the suggestion."""
    try:
        if thread.answered:
            api.call("PUT", thread.path, {"body": WITHDRAWN})
        else:
            api.call("DELETE", thread.path)
    except ApiError as error:
        if error.status != GONE:
            raise
