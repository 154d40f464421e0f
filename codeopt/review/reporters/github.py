"""A review on GitHub: suggestions next to the lines of a pull request, or annotations if that is impossible.

A job can show annotations in its log, and its summary, without any permission.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from codeopt.core.sanitize import log_line
from codeopt.review.reporters import markdown
from codeopt.review.reporters._api import ApiError, open_api, secret
from codeopt.review.reporters._comments import WITHDRAWN, comment, marked, overview
from codeopt.review.reporters._finding import lines, sentence
from codeopt.review.reporters._places import Placed
from codeopt.review.reporters._platform import REFUSED, EarlierText, Platform, Posted, update
from codeopt.review.reporters._reporter import reporter
from codeopt.review.reporters._text import command_data, command_property
from codeopt.review.suggestion import Review, Suggestion

TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
SUMMARY_BYTES = 900_000
"""The runner refuses more than 1 MiB a step."""


@reporter
def render(review: Review) -> str:
    """Annotations for the log of a job, a workflow command a line; what `post` falls back to."""
    return "".join(map(_annotation, review.suggestions))


def _annotation(suggestion: Suggestion) -> str:
    """Format `::notice file=...::...`. The text of the suggestion cannot add another command to its line."""
    first, last = lines(suggestion)
    where = f"file={command_property(suggestion.path)},line={first},endLine={last}"
    title = command_property(f"codeopt: {suggestion.gain}")
    return f"::notice {where},title={title}::{command_data(log_line(sentence(suggestion), 1000))}\n"


@reporter
def post(review: Review, environ: Mapping[str, str] = os.environ) -> Posted:
    """Bring the pull request up to date with `review`; annotations for standard output where that is not possible."""
    trouble = write_summary(review, environ)
    try:
        headers = {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {secret(environ, *TOKENS)}",
            "X-GitHub-Api-Version": "2022-11-28",
        }
        path, head = pull_request(environ)
        with open_api(environ.get("GITHUB_API_URL") or "https://api.github.com", headers) as api:
            posted = update(PullRequest(api, path, head, "github.event.pull_request.head.sha"), review)
    except ApiError as error:
        posted = Posted(output=render(review), failed=f"no review on GitHub: {error}")
    return replace(posted, notices=(*posted.notices, *filter(None, [trouble])))


def write_summary(review: Review, environ: Mapping[str, str]) -> str:
    """Add the whole review to the job's summary. Returns the reason of a failure, empty if it worked or
    there is no summary.
    """
    path = environ.get("GITHUB_STEP_SUMMARY", "")
    if not path:
        return ""
    try:
        with Path(path).open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(markdown.render(review)[:SUMMARY_BYTES])
    except OSError as error:
        return f"cannot write the summary of the job: {error.strerror}"
    return ""


def pull_request(environ: Mapping[str, str]) -> tuple[str, str]:
    """Return the path in the API of this job's pull request, and its branch's last commit. GITHUB_SHA is a merge
    commit.

    Raises ApiError if the job is not for a pull request.
    """
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
    return f"/repos/{repository}/pulls/{number}", head


class PullRequest(Platform):
    """Comments are made together, as one review, whose body is the overview."""

    def earlier(self) -> tuple[list[EarlierText], list[EarlierText]]:
        try:
            login = str((self.api.call("GET", "/user") or {}).get("login", ""))
        except ApiError as error:
            if error.status not in {401, 403, 404}:
                raise
            login = ""  # the token of a job may not ask who it is: a bot
        comments = [*self.api.pages(f"{self.path}/comments")]
        answered = {each["in_reply_to_id"] for each in comments if each.get("in_reply_to_id")}
        home = f"{self.path.rpartition('/')[0]}/comments"
        return (
            [
                # of an outdated comment GitHub forgets the line
                EarlierText(f"{home}/{int(each['id'])}", keys, each["id"] in answered, each.get("line", 0) is not None)
                for each, keys in _ours(comments, "comment", login)
            ],
            [
                EarlierText(f"{self.path}/reviews/{int(each['id'])}", keys)
                for each, keys in _ours(self.api.pages(f"{self.path}/reviews"), "review", login)
            ],
        )

    def post(
        self, offered: Sequence[Placed], rest: Sequence[Placed], overviews: Sequence[EarlierText], review: Review
    ) -> list[Placed]:
        """Post one review with everything new in it.

        GitHub refuses the whole review for one wrong line. Then all of it goes into the text above, which has no lines.
        """
        above = {key for each in overviews for key in each.keys}
        news = [item for item in rest if item.fingerprint not in above]
        try:
            if offered or news:
                self._submit(news, offered, review)
        except ApiError as error:
            if error.status not in REFUSED or not offered:
                raise
            refused = [replace(item, parts=(), why_not="GitHub does not take its lines") for item in offered]
            if news := [*news, *(item for item in refused if item.fingerprint not in above)]:
                self._submit(news, (), review)
            return [*offered]
        return []

    def _submit(self, items: Sequence[Placed], offered: Sequence[Placed], review: Review) -> None:
        comments = [made for item in offered for made in _as_comments(item, review)]
        whole: dict[str, Any] = {"commit_id": self.head, "event": "COMMENT"}
        whole |= {"body": overview(items, len(offered), review), "comments": comments}
        self.api.call("POST", f"{self.path}/reviews", whole)

    def shorten(self, overviews: Sequence[EarlierText], rest: Sequence[Placed], review: Review) -> None:
        """A review cannot be deleted: what no longer applies is taken out of its text."""
        for each in overviews:
            still = [item for item in rest if item.fingerprint in each.keys]
            if len(still) < len(each.keys):
                self.api.call("PUT", each.path, {"body": overview(still, 0, review) if still else WITHDRAWN})

    def change(self, text: EarlierText, body: str) -> None:
        self.api.call("PATCH", text.path, {"body": body})


def _ours(items: Iterable[dict[str, Any]], kind: str, login: str) -> Iterator[tuple[dict[str, Any], frozenset[str]]]:
    """Texts that have a mark of ours and were written by us, with their keys."""
    for item in items:
        user, keys = item.get("user") or {}, marked(kind, item.get("body"))
        if keys and (user.get("login") == login if login else user.get("type") == "Bot"):
            yield item, frozenset(keys)


def _as_comments(item: Placed, review: Review) -> Iterator[dict[str, Any]]:
    """`line` is the last one; `start_line` has to be above it."""
    for part, (edit, hunk) in enumerate(item.parts, 1):
        where: dict[str, Any] = {"path": hunk.path, "line": edit.end, "side": "RIGHT"}
        if edit.start < edit.end:
            where |= {"start_line": edit.start, "start_side": "RIGHT"}
        yield {**where, "body": comment(item, edit, part, review)}
