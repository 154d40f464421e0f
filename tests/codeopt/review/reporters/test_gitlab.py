"""The merge request on GitLab, against a server that refuses what GitLab refuses; and its code quality report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from codeopt.review.reporters.gitlab import post, render
from tests.codeopt.review.reporters.test_github import CLOSED, FILES, IN_NEW, NEW, ONE_HUNK, OUTSIDE, SUM
from tests.support.gitlab_server import ME, GitLab, accept
from tests.support.reviews import Files, numbered, review, suggestion


@pytest.fixture
def server() -> Iterator[GitLab]:
    with GitLab(lines=numbered(FILES)) as running:
        yield running


@pytest.fixture
def environ(server: GitLab) -> dict[str, str]:
    """Of a job for the merge request."""
    return {
        "CI_API_V4_URL": server.url,
        "CI_MERGE_REQUEST_IID": "7",
        "CI_PROJECT_ID": "3",
        "GITLAB_TOKEN": server.token,
    }


def test_a_thread_for_each_and_a_note_for_the_rest(server: GitLab, environ: dict[str, str]) -> None:
    posted = post(review(FILES, ONE_HUNK, IN_NEW, OUTSIDE), environ)
    assert (posted.comments, posted.failed) == (2, "")
    one, two, rest = server.notes
    for found, note in ((ONE_HUNK, one), (IN_NEW, two)):
        assert note["position"]["new_path"] == found.path
        assert accept(FILES[found.path][1], note) == found.improved
    assert rest["position"] is None
    assert "+    return list(dict.fromkeys(xs))" in rest["body"]


def test_a_second_run_posts_nothing(server: GitLab, environ: dict[str, str]) -> None:
    found = review(FILES, ONE_HUNK, IN_NEW, OUTSIDE)
    post(found, environ)
    server.calls.clear()
    assert post(found, environ).comments == 0
    assert server.wrote() == []


def test_what_no_longer_applies_is_taken_back(server: GitLab, environ: dict[str, str]) -> None:
    post(review(FILES, ONE_HUNK, IN_NEW, OUTSIDE), environ)
    server.discussions[0]["notes"].append({"id": 1, "author": {"id": 2}, "body": "why?", "system": False})
    posted = post(review(FILES), environ)
    assert (posted.comments, posted.withdrawn) == (0, 2)
    assert len(server.discussions) == 1
    assert "no longer applies" in server.notes[0]["body"]
    server.calls.clear()
    post(review(FILES), environ)
    assert server.wrote() == []


def test_the_note_for_the_rest_is_kept_up_to_date(server: GitLab, environ: dict[str, str]) -> None:
    other = replace(OUTSIDE, function="b")
    post(review(FILES, OUTSIDE, other), environ)
    post(review(FILES, OUTSIDE), environ)
    assert [note["body"].count("<details>") for note in server.notes] == [1]


def test_a_review_that_is_not_whole_takes_nothing_back(server: GitLab, environ: dict[str, str]) -> None:
    post(review(FILES, ONE_HUNK, OUTSIDE), environ)
    server.calls.clear()
    post(review(FILES, notices=("no sandbox",)), environ)
    assert server.wrote() == []


def test_a_mark_in_the_words_of_others_means_nothing(server: GitLab, environ: dict[str, str]) -> None:
    post(review(FILES, ONE_HUNK), environ)
    body = server.discussions.pop()["notes"][0]["body"]
    server.say(body)
    server.say("look:\n" + body, ME)
    assert post(review(FILES, ONE_HUNK), environ).comments == 1


def test_both_numbers_of_a_line_that_was_there_before(server: GitLab, environ: dict[str, str]) -> None:
    above = suggestion("pkg/m.py", NEW, NEW.replace("\n\n" + SUM, "\n# here\n" + CLOSED), "b")
    assert post(review(FILES, above), environ).comments == 1
    assert server.notes[0]["position"]["old_line"] is not None
    assert accept(NEW, server.notes[0]) == above.improved


@pytest.mark.parametrize("many", [99, 100, 101, 102])
def test_a_suggestion_replaces_a_hundred_and_one_lines_at_most(
    server: GitLab, environ: dict[str, str], many: int
) -> None:
    text = "".join(f"x{n} = {n}\n" for n in range(many))
    files: Files = {"long.py": ("", text)}
    server.lines = numbered(files)
    found = suggestion("long.py", text, text.replace(" = ", "="))
    assert post(review(files, found), environ).comments == (many <= 101)
    if many <= 101:
        assert accept(text, server.notes[0]) == found.improved


def test_no_line_can_be_taken_for_a_command(server: GitLab, environ: dict[str, str]) -> None:
    text = 'x = """\n```\n/merge\n"""\n'
    files: Files = {"a.py": ("", text)}
    server.lines = numbered(files)
    assert post(review(files, suggestion("a.py", text, text + "y = 1\n")), environ).comments == 1
    assert not any(line.startswith("/") for line in server.notes[0]["body"].splitlines())
    posted = post(review(files, suggestion("a.py", text, text.replace("/merge", "/close\n/merge"))), environ)
    assert not any(line.startswith("/") for note in server.notes for line in note["body"].splitlines())
    assert posted.comments == 0


def test_lines_that_gitlab_does_not_take_go_into_the_note(server: GitLab, environ: dict[str, str]) -> None:
    server.lines = {}
    posted = post(review(FILES, ONE_HUNK), environ)
    assert (posted.comments, posted.failed) == (0, "")
    (text,) = (note["body"] for note in server.notes)
    assert "<details>" in text
    post(review(FILES, ONE_HUNK), environ)
    assert [note["body"] for note in server.notes] == [text], "a second run says nothing twice"


def test_a_rate_limit_is_waited_for(server: GitLab, environ: dict[str, str]) -> None:
    server.limits = [("POST", 429, 1)]
    assert post(review(FILES, ONE_HUNK), environ).comments == 1
    assert server.early == []


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"GITLAB_TOKEN": ""}, "no token"),
        ({"GITLAB_TOKEN": "wrong"}, "401"),
        ({"CI_MERGE_REQUEST_IID": ""}, "not for a merge request"),
        ({"CI_API_V4_URL": "http://127.0.0.1:9"}, "cannot reach"),
    ],
)
def test_without_what_it_takes_it_says_why(environ: dict[str, str], change: dict[str, str], why: str) -> None:
    posted = post(review(FILES, ONE_HUNK), {**environ, **change})
    assert why in posted.failed
    assert "secret-token" not in f"{posted}"


def test_of_another_commit_nothing_stands_beside_lines(server: GitLab, environ: dict[str, str]) -> None:
    assert post(review(FILES, ONE_HUNK, head="d" * 40), environ).comments == 0
    assert len(server.notes) == 1


def text(pattern: str = ".") -> dict[str, Any]:
    return {"type": "string", "pattern": pattern}


CODE_QUALITY = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "additionalProperties": False,
        "properties": {
            "description": text(),
            "check_name": text(),
            "fingerprint": text(),
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "additionalProperties": False,
                "properties": {
                    "path": text(r"^(?!/|\./)."),
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "additionalProperties": False,
                        "properties": {
                            "begin": {"type": "integer", "minimum": 1},
                            "end": {"type": "integer", "minimum": 1},
                        },
                    },
                },
            },
        },
    },
}
"""The table of fields at https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format, written down as a
schema: GitLab publishes none in a package. What its own parser asks for (app/validators/json_schemas/codeclimate.json:
a description, a fingerprint, a severity, a location, of these kinds) is less. `end` is Code Climate's."""


def test_the_report_has_what_gitlab_asks_for() -> None:
    """A fingerprint twice would hide a finding."""
    found = json.loads(render(review(FILES, ONE_HUNK, IN_NEW, OUTSIDE, OUTSIDE)))
    jsonschema.Draft202012Validator(CODE_QUALITY).validate(found)
    assert len({one["fingerprint"] for one in found}) == 4
    assert all(one["location"]["lines"]["begin"] <= one["location"]["lines"]["end"] for one in found)
    at = NEW.split("\n").index("    total = 0") + 1
    assert found[0]["location"] == {"path": "pkg/m.py", "lines": {"begin": at, "end": at + 3}}
    assert render(review(FILES)) == "[]\n"


@pytest.mark.parametrize(
    "wrong",
    [{"severity": "note"}, {"description": None}, {"fingerprint": 7}, {"location": {"path": "./a.py"}}, {"more": 1}],
)
def test_a_report_that_gitlab_would_not_take_is_found(wrong: dict[str, Any]) -> None:
    (good,) = json.loads(render(review(FILES, ONE_HUNK)))
    assert not jsonschema.Draft202012Validator(CODE_QUALITY).is_valid([{**good, **wrong}])
