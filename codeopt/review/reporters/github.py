"""A review on GitHub: suggestions beside the lines of a pull request, or annotations where none can be made.

A second run posts nothing twice, and takes back what no longer applies.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from codeopt.review.reporters._actions import in_the_log, write_summary
from codeopt.review.reporters._comments import WITHDRAWN, comment, marked, overview
from codeopt.review.reporters._http import Api, ApiError, secret
from codeopt.review.reporters._places import Placed, place
from codeopt.review.reporters._posted import Posted
from codeopt.review.reporters._reporter import reporter
from codeopt.review.suggestion import Review

MOST_COMMENTS = 30
"""Beside the lines of one pull request; more would not be read, and GitHub limits how fast they are made."""
TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
GONE = {404, 410}
REFUSED = 422


@dataclass(frozen=True)
class PullRequest:
    """Which one, as GitHub Actions tells."""

    path: str
    """The path of the API, below the server."""
    head: str
    """The branch's last commit; GITHUB_SHA is a merge that nobody made."""


@dataclass(frozen=True)
class PostedOnGitHub:
    """The comments that earlier runs have left there."""

    comments: tuple[Mapping[str, Any], ...]
    reviews: tuple[Mapping[str, Any], ...]
    answered: frozenset[int]
    """Comments that somebody has replied to."""


@reporter
def render(review: Review) -> str:
    """Annotations for the log of a job; what `post` falls back to."""
    return in_the_log(review)


@reporter
def post(review: Review, environ: Mapping[str, str] = os.environ) -> Posted:
    """Bring the pull request up to date with `review`; annotations for standard output where that is not possible."""
    trouble = write_summary(review, environ)
    try:
        posted = _post(review, environ)
    except ApiError as error:
        posted = Posted(output=in_the_log(review), failed=f"no review on GitHub: {error}")
    return replace(posted, notices=(*posted.notices, *filter(None, [trouble])))


def _post(review: Review, environ: Mapping[str, str]) -> Posted:
    token = secret(environ, *TOKENS)
    pull = pull_request(environ)
    headers = {
        "Accept": "application/vnd.github+json",
        "Authorization": f"Bearer {token}",
        "X-GitHub-Api-Version": "2022-11-28",
    }
    with Api(environ.get("GITHUB_API_URL") or "https://api.github.com", headers) as api:
        return _update(api, pull, review)


def pull_request(environ: Mapping[str, str]) -> PullRequest:
    """The pull request that this job is for. Raises ApiError where it is for none."""
    repository = environ.get("GITHUB_REPOSITORY", "")
    try:
        event = json.loads(Path(environ.get("GITHUB_EVENT_PATH", "")).read_text("utf-8"))
        number, head = event["pull_request"]["number"], event["pull_request"]["head"]["sha"]
    except (OSError, ValueError, KeyError, TypeError):
        raise ApiError("this job is not for a pull request (GITHUB_EVENT_PATH tells of none)") from None
    if not (isinstance(number, int) and re.fullmatch(r"[0-9a-f]{40,64}", str(head))):
        raise ApiError("GITHUB_EVENT_PATH tells of a pull request without a number or a commit")
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository):
        raise ApiError("GITHUB_REPOSITORY is not OWNER/NAME")
    return PullRequest(f"/repos/{repository}/pulls/{number}", head)


def _update(api: Api, pull: PullRequest, review: Review) -> Posted:
    """Post what is new, then take back what is gone."""
    placed, moved = _for_head(place(review), pull, review)
    found = _earlier(api, pull)
    beside = {key for each in found.comments if _stands(each) for key in marked("comment", each["body"]) or ()}
    above = {key for each in found.reviews for key in marked("review", each["body"]) or ()}
    fresh = [item for item in placed if item.fingerprint not in beside]
    offered, rest = _fit(fresh, MOST_COMMENTS - sum(map(_stands, found.comments)))
    news = [item for item in rest if item.fingerprint not in above]
    made = _submit(api, pull, offered, news, review) if offered or news else 0
    try:
        gone = _withdraw(api, pull, found, {item.fingerprint for item in placed}, whole=review.whole)
        _shorten(api, pull, found.reviews, rest, review)
    except ApiError as error:
        return Posted(made, notices=(*moved, f"what no longer applies could not be taken back: {error}"))
    return Posted(made, gone, notices=moved)


def _for_head(
    placed: tuple[Placed, ...], pull: PullRequest, review: Review
) -> tuple[tuple[Placed, ...], tuple[str, ...]]:
    """The parts as they are for the pull request's own commit; for another, whose lines may differ, without clicks."""
    if review.head in ("", pull.head):
        return placed, ()
    why = "the review was made of another commit than the pull request's last one"
    return tuple(replace(item, parts=(), why_not=item.why_not or why) for item in placed), (
        f"{why}, so nothing stands beside its lines; check out github.event.pull_request.head.sha",
    )


def _earlier(api: Api, pull: PullRequest) -> PostedOnGitHub:
    """Our own comments and reviews; a mark in somebody else's text means nothing."""
    try:
        login = str((api.call("GET", "/user") or {}).get("login", ""))
    except ApiError as error:
        if error.status not in {401, 403, 404}:
            raise
        login = ""  # the token of a job may not ask who it is: a bot
    comments, reviews = list(api.pages(f"{pull.path}/comments")), list(api.pages(f"{pull.path}/reviews"))
    return PostedOnGitHub(
        comments=tuple(each for each in comments if marked("comment", each.get("body")) and _ours(each, login)),
        reviews=tuple(each for each in reviews if marked("review", each.get("body")) and _ours(each, login)),
        answered=frozenset(each["in_reply_to_id"] for each in comments if each.get("in_reply_to_id")),
    )


def _ours(item: Mapping[str, Any], login: str) -> bool:
    user = item.get("user") or {}
    return bool(user.get("login") == login if login else user.get("type") == "Bot")


def _stands(item: Mapping[str, Any]) -> bool:
    """Its lines are still those of the change; of an outdated comment GitHub forgets the line."""
    return item.get("line", 0) is not None


def _fit(fresh: Iterable[Placed], room: int) -> tuple[list[Placed], list[Placed]]:
    """The suggestions that can stand beside lines, all parts of a suggestion or none; and the rest."""
    offered: list[Placed] = []
    rest = []
    for item in fresh:
        room -= len(item.parts)
        if item.parts and room >= 0:
            offered.append(item)
        else:
            room += len(item.parts)
            why = item.why_not or f"there are {MOST_COMMENTS} comments already"
            rest.append(replace(item, parts=(), why_not=why))
    return offered, rest


def _submit(api: Api, pull: PullRequest, offered: Sequence[Placed], items: Sequence[Placed], review: Review) -> int:
    """One review with everything in it; returns the number of comments beside lines.

    For one wrong line GitHub refuses the whole: then all of it goes into the text above, where nothing can be wrong.
    """
    comments = [made for item in offered for made in _as_comments(item, review)]
    whole: dict[str, Any] = {"commit_id": pull.head, "event": "COMMENT", "body": overview(items, len(offered), review)}
    try:
        api.call("POST", f"{pull.path}/reviews", {**whole, "comments": comments})
    except ApiError as error:
        if error.status != REFUSED or not comments:
            raise
        refused = [replace(item, parts=(), why_not="GitHub does not take its lines") for item in offered]
        body = overview([*items, *refused], 0, review)
        api.call("POST", f"{pull.path}/reviews", {**whole, "body": body})
        return 0
    return len(comments)


def _as_comments(item: Placed, review: Review) -> Iterator[dict[str, Any]]:
    """`line` is the last one; `start_line` has to be above it."""
    for part, (edit, hunk) in enumerate(item.parts, 1):
        where: dict[str, Any] = {"path": hunk.path, "line": edit.end, "side": "RIGHT"}
        if edit.start < edit.end:
            where |= {"start_line": edit.start, "start_side": "RIGHT"}
        yield {**where, "body": comment(item, edit, part, review)}


def _withdraw(api: Api, pull: PullRequest, found: PostedOnGitHub, current: set[str], *, whole: bool) -> int:
    """Delete comments of ours; those that were answered keep their place, without the suggestion.

    whole: every suggestion is known. Else only comments go whose lines have changed.
    """
    gone = [each for each in found.comments if not _stands(each) or (whole and not _keys(each) & current)]
    for each in gone:
        path = f"{pull.path.rpartition('/')[0]}/comments/{int(each['id'])}"
        try:
            if each["id"] in found.answered:
                api.call("PATCH", path, {"body": WITHDRAWN})
            else:
                api.call("DELETE", path)
        except ApiError as error:
            if error.status not in GONE:
                raise
    return len(gone)


def _keys(item: Mapping[str, Any]) -> set[str]:
    return set(marked("comment", item["body"]) or ())


def _shorten(
    api: Api, pull: PullRequest, reviews: Iterable[Mapping[str, Any]], items: Sequence[Placed], review: Review
) -> None:
    """A review cannot be deleted: what no longer applies is taken out of its text.

    Of a review that is not whole nobody knows what that is.
    """
    if not review.whole:
        return
    for each in reviews:
        listed = marked("review", each["body"]) or ()
        still = [item for item in items if item.fingerprint in listed]
        if len(still) < len(listed):
            body = overview(still, 0, review) if still else WITHDRAWN
            api.call("PUT", f"{pull.path}/reviews/{int(each['id'])}", {"body": body})
