"""GitLab's side of a merge request, as strict as the real one about positions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from tests.support.github_server import suggestion_in
from tests.support.rest_server import Call, Refusal, RestServer

ME, STRANGER = {"id": 1, "username": "project_3_bot"}, {"id": 2, "username": "stranger"}
_POSITION = {"position_type", "base_sha", "start_sha", "head_sha", "old_path", "new_path", "new_line", "old_line"}


@dataclass
class GitLab(RestServer):
    """Merge request 7 of project 3."""

    lines: dict[str, dict[int, int | None]] = field(default_factory=dict)
    """For each file of the change the lines that it shows, with their number before it; None for added ones."""
    refs: dict[str, str] = field(
        default_factory=lambda: {"base_sha": "b" * 40, "start_sha": "c" * 40, "head_sha": "a" * 40}
    )
    token: str = "secret-token"
    discussions: list[dict[str, Any]] = field(default_factory=list)
    next_id: int = 100

    request = "/projects/3/merge_requests/7"

    def answer(self, call: Call) -> Any:
        if call.headers.get("private-token") != self.token:
            raise Refusal(401, {"message": "401 Unauthorized"})
        match call.method, call.path.removeprefix(self.request).split("/")[1:]:
            case "GET", ["user"]:
                return ME
            case "GET", []:
                return {"iid": 7, "diff_refs": self.refs}
            case "GET", ["discussions"]:
                return self.discussions
            case "POST", ["discussions"]:
                return self._begin(call.body)
            case "PUT", ["discussions", discussion, "notes", number]:
                note = self._mine(discussion, number)
                note["body"] = call.body["body"]
                return note
            case "DELETE", ["discussions", discussion, "notes", number]:
                self._mine(discussion, number)
                self.discussions = [each for each in self.discussions if each["id"] != discussion]
                return None
        raise Refusal(404, {"message": "404 Not found"})

    @property
    def notes(self) -> list[dict[str, Any]]:
        """The first note of each thread."""
        return [each["notes"][0] for each in self.discussions]

    def say(self, body: str, author: dict[str, Any] = STRANGER, **more: Any) -> dict[str, Any]:
        """A thread of somebody."""
        self.next_id += 1
        note = {"id": self.next_id, "author": author, "body": body, "system": False, **more}
        self.discussions.append({"id": f"d{self.next_id}", "notes": [note]})
        return self.discussions[-1]

    def _begin(self, body: dict[str, Any]) -> dict[str, Any]:
        if not body.get("body", "").strip() or not set(body) <= {"body", "position"}:
            raise Refusal(400, {"message": "400 Bad request - Note can't be blank"})
        position = body.get("position")
        if position and not self._valid(position):
            raise Refusal(400, {"message": "400 Bad request - Note {:line_code=>['must be a valid line code']}"})
        return self.say(body["body"], ME, position=position)

    def _valid(self, position: dict[str, Any]) -> bool:
        """A line that was added has a new number only, one that was not has both."""
        shown = self.lines.get(position.get("new_path", ""), {})
        line = position.get("new_line")
        refs = {key: position.get(key) for key in self.refs}
        known = set(position) <= _POSITION and refs == self.refs and position.get("position_type") == "text"
        return known and bool(position.get("old_path")) and line in shown and position.get("old_line") == shown[line]

    def _mine(self, discussion: str, number: str) -> dict[str, Any]:
        for each in self.discussions:
            for note in each["notes"]:
                if (each["id"], note["id"]) == (discussion, int(number)):
                    if note["author"] != ME:
                        raise Refusal(403, {"message": "403 Forbidden"})
                    return note
        raise Refusal(404, {"message": "404 Not found"})


def accept(text: str, note: dict[str, Any]) -> str:
    """The file after a click on `Apply suggestion`: so many lines above and below the note's own are replaced."""
    found = suggestion_in(note["body"])
    assert found is not None
    above, below = map(int, re.fullmatch(r"suggestion:-(\d+)\+(\d+)", found[0]).groups())  # type: ignore[union-attr]
    assert above <= 100
    assert below <= 100
    lines, at = text.split("\n"), note["position"]["new_line"]
    lines[at - 1 - above : at + below] = found[1].split("\n")[:-1]
    return "\n".join(lines)
