"""GitHub's side of a pull request, as strict as the real one about what a review may hold."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from tests.support.rest_server import Call, Refusal, RestServer

BOT, STRANGER = {"login": "github-actions[bot]", "type": "Bot"}, {"login": "stranger", "type": "User"}
_FIELDS = {"path", "body", "line", "side", "start_line", "start_side"}
_LONGEST = 65_536


@dataclass
class GitHub(RestServer):
    """One pull request of `owner/name`, number 7."""

    head: str = "a" * 40
    hunks: dict[str, list[range]] = field(default_factory=dict)
    """Lines of the new file that the change's hunks show, by path."""
    fork: bool = False
    """The token of a job for a fork's pull request may only read."""
    token: str = "secret-token"
    comments: list[dict[str, Any]] = field(default_factory=list)
    reviews: list[dict[str, Any]] = field(default_factory=list)
    next_id: int = 100

    pull = "/repos/owner/name/pulls"

    def answer(self, call: Call) -> Any:
        self._authorise(call)
        match call.method, call.path.removeprefix(f"{self.pull}/7").removeprefix(self.pull).split("/")[1:]:
            case "GET", ["comments"]:
                return self.comments
            case "GET", ["reviews"]:
                return self.reviews
            case "POST", ["reviews"]:
                return self._review(call.body)
            case "PUT", ["reviews", number]:
                return self._change(self.reviews, number, call.body)
            case "PATCH", ["comments", number]:
                return self._change(self.comments, number, call.body)
            case "DELETE", ["comments", number]:
                self.comments.remove(self._mine(self.comments, number))
                return None
        raise Refusal(404, {"message": "Not Found"})

    def say(self, body: str, user: dict[str, str] = STRANGER, **more: Any) -> dict[str, Any]:
        """A comment of somebody."""
        self.next_id += 1
        self.comments.append({"id": self.next_id, "user": user, "body": body, "line": 1, **more})
        return self.comments[-1]

    def _authorise(self, call: Call) -> None:
        if call.headers.get("authorization") != f"Bearer {self.token}":
            raise Refusal(401, {"message": "Bad credentials"})
        if call.path == "/user" or (self.fork and call.method != "GET"):
            raise Refusal(403, {"message": "Resource not accessible by integration"})

    def _review(self, body: dict[str, Any]) -> dict[str, Any]:
        wrong = [] if set(body) <= {"commit_id", "body", "event", "comments"} else ["unknown field"]
        wrong += [] if body.get("commit_id") == self.head else ["commit_id is not part of the pull request"]
        wrong += [] if body.get("event") == "COMMENT" and body.get("body", "").strip() else ["body can't be blank"]
        wrong += [] if len(body.get("body", "")) <= _LONGEST else ["body is too long"]
        for comment in body.get("comments", []):
            wrong += self._wrong(comment)
        if wrong:
            raise Refusal(422, {"message": "Unprocessable Entity", "errors": wrong})
        self.next_id += 1
        self.reviews.append({"id": self.next_id, "user": BOT, "body": body["body"], "state": "COMMENTED"})
        for comment in body.get("comments", []):
            self.say(comment["body"], BOT, **{key: comment[key] for key in comment if key != "body"})
        return self.reviews[-1]

    def _wrong(self, comment: dict[str, Any]) -> list[str]:
        if not (set(comment) <= _FIELDS and {"path", "body", "line"} <= set(comment)):
            return ["fields"]
        if comment.get("side") != "RIGHT" or not comment["body"].strip() or len(comment["body"]) > _LONGEST:
            return ["side or body"]
        first, last = comment.get("start_line", comment["line"]), comment["line"]
        if "start_line" in comment and not (first < last and comment.get("start_side") == "RIGHT"):
            return ["pull_request_review_thread.start_line must precede the end line"]
        inside = any(first in hunk and last in hunk for hunk in self.hunks.get(comment["path"], []))
        return [] if inside else ["pull_request_review_thread.line must be part of the diff, in the same hunk"]

    def _mine(self, items: list[dict[str, Any]], number: str) -> dict[str, Any]:
        item = next((each for each in items if each["id"] == int(number)), None)
        if item is None:
            raise Refusal(404, {"message": "Not Found"})
        if item["user"] != BOT:
            raise Refusal(403, {"message": "Must have admin rights to Repository."})
        return item

    def _change(self, items: list[dict[str, Any]], number: str, body: dict[str, Any]) -> dict[str, Any]:
        if set(body) != {"body"} or not body["body"].strip():
            raise Refusal(422, {"message": "body"})
        item = self._mine(items, number)
        item.update(body)
        return item


def suggestion_in(body: str, label: str = r"suggestion") -> tuple[str, str] | None:
    """(label, text) of the one block that a platform offers for a click; None where there is none.

    Read as CommonMark does: the fence is closed by a line of at least as many back quotes, and of nothing else.
    """
    lines, found = body.split("\n"), []
    at = 0
    while at < len(lines):
        opening = re.match(r" {0,3}(`{3,})([^`]*)$", lines[at])
        at += 1
        if not opening:
            continue
        inside, end = [], re.compile(rf" {{0,3}}{opening.group(1)}`*[ \t]*$")
        while at < len(lines) and not end.match(lines[at]):
            inside.append(lines[at] + "\n")
            at += 1
        at += 1
        if re.match(label, opening.group(2)):
            found.append((opening.group(2).strip(), "".join(inside)))
    assert len(found) <= 1
    return found[0] if found else None


def accept(text: str, comment: dict[str, Any]) -> str:
    """The file after a click on `Commit suggestion`: the anchored lines are replaced, whatever was in them."""
    found = suggestion_in(comment["body"])
    assert found is not None
    lines = text.split("\n")
    first, last = comment.get("start_line", comment["line"]), comment["line"]
    lines[first - 1 : last] = found[1].split("\n")[:-1]
    return "\n".join(lines)
