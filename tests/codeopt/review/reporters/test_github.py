"""The review on GitHub, against a server that refuses what GitHub refuses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codeopt.review.reporters import markdown
from codeopt.review.reporters._places import place
from codeopt.review.reporters._platform import MOST_COMMENTS
from codeopt.review.reporters.github import post, render, write_summary
from codeopt.review.suggestion import Review
from tests.support.github_server import BOT, GitHub, accept, suggestion_in
from tests.support.reviews import HEAD, Files, review, shown, suggestion

SLOW = '''\
def a(xs):
    """`a`"""
    out = []
    for x in xs:
        if x not in out:
            out.append(x)
    return out
'''
FAST = 'def a(xs):\n    """`a`"""\n    return list(dict.fromkeys(xs))\n'
SUM = "def b(n):\n    total = 0\n    for i in range(n):\n        total += i\n    return total\n"
CLOSED = "def b(n):\n    return n * (n - 1) // 2\n"
REST = "".join(f"X{n} = {n}\n" for n in range(30))

OLD = f"import os\n{REST}\n\n{SLOW.replace('xs', 'items')}\n\n{REST}\n\ndef b(n):\n    return None\n"
NEW = f"import os\n{REST}\n\n{SLOW}\n\n{REST}\n\n{SUM}"
FILES: Files = {"pkg/m.py": (OLD, NEW), "pkg/new.py": ("", SLOW + "\n\n" + SUM)}
ONE_HUNK = suggestion("pkg/m.py", NEW, NEW.replace(SUM, CLOSED), "b", growth="about n -> about 1")
IN_NEW = suggestion("pkg/new.py", FILES["pkg/new.py"][1], FAST + "\n\n" + SUM, "a", changes=("a dict keeps order",))
OUTSIDE = suggestion("pkg/m.py", NEW, NEW.replace("import os\n", "import os\nimport re\n").replace(SLOW, FAST), "a")


@pytest.fixture
def server() -> Iterator[GitHub]:
    with GitHub(hunks=shown(FILES)) as running:
        yield running


@pytest.fixture
def environ(server: GitHub, tmp_path: Path) -> dict[str, str]:
    """Of a job for the pull request."""
    event = {"pull_request": {"number": 7, "head": {"sha": HEAD, "repo": {"full_name": "fork/name"}}}}
    (tmp_path / "event.json").write_text(json.dumps(event))
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_API_URL": server.url,
        "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
        "GITHUB_REPOSITORY": "owner/name",
        "GITHUB_SHA": "f" * 40,
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "GITHUB_TOKEN": server.token,
    }


def texts(files: Files) -> dict[str, str]:
    return {path: after for path, (_, after) in files.items()}


def test_one_review_with_everything_in_it(server: GitHub, environ: dict[str, str]) -> None:
    posted = post(review(FILES, ONE_HUNK, IN_NEW, OUTSIDE), environ)
    assert (posted.comments, posted.failed, posted.output) == (2, "", "")
    (call,) = server.wrote()
    assert call.path == "/repos/owner/name/pulls/7/reviews"
    assert (call.body["commit_id"], call.body["event"]) == (HEAD, "COMMENT")
    after = texts(FILES)
    for found, comment in zip((ONE_HUNK, IN_NEW), call.body["comments"], strict=True):
        assert comment["path"] == found.path
        assert accept(after[found.path], comment) == found.improved
    assert suggestion_in(call.body["body"]) is None
    assert "3 suggestions" in call.body["body"]
    assert "+    return list(dict.fromkeys(xs))" in call.body["body"]
    assert "\n> " not in call.body["body"]


def test_a_comment_says_how_it_is_known(server: GitHub, environ: dict[str, str]) -> None:
    post(review(FILES, replace(ONE_HUNK, changes=("a closed form",))), environ)
    (comment,) = server.comments
    for words in (
        "pkg/m.py::b",
        "4.2x",
        "3.9x to 4.5x",
        "21 pairs",
        "42 calls",
        "a closed form",
        "Test CPU",
        "about n",
    ):
        assert words in comment["body"]


def test_a_second_run_posts_nothing(server: GitHub, environ: dict[str, str]) -> None:
    found = review(FILES, ONE_HUNK, IN_NEW, OUTSIDE)
    post(found, environ)
    server.calls.clear()
    again = post(review(FILES, replace(ONE_HUNK, improved=NEW.replace(SUM, CLOSED + "\n")), IN_NEW, OUTSIDE), environ)
    assert server.wrote() == []
    assert (again.comments, again.withdrawn, again.failed) == (0, 0, "")


def test_what_no_longer_applies_is_taken_back(server: GitHub, environ: dict[str, str]) -> None:
    post(review(FILES, ONE_HUNK, IN_NEW, OUTSIDE), environ)
    old = next(comment for comment in server.comments if comment["path"] == "pkg/m.py")
    server.calls.clear()
    posted = post(review(FILES, IN_NEW), environ)
    assert (posted.comments, posted.withdrawn) == (0, 1)
    assert [call.method for call in server.wrote()] == ["DELETE", "PUT"]
    assert old not in server.comments
    assert "no longer applies" in server.reviews[0]["body"]
    server.calls.clear()
    post(review(FILES, IN_NEW), environ)
    assert server.wrote() == []


def test_an_answered_comment_keeps_its_place(server: GitHub, environ: dict[str, str]) -> None:
    post(review(FILES, ONE_HUNK), environ)
    server.say("why?", in_reply_to_id=server.comments[0]["id"])
    posted = post(review(FILES), environ)
    assert posted.withdrawn == 1
    assert len(server.comments) == 2
    assert suggestion_in(server.comments[0]["body"]) is None
    assert post(review(FILES), environ).withdrawn == 0


def test_a_review_that_is_not_whole_takes_nothing_back(server: GitHub, environ: dict[str, str]) -> None:
    post(review(FILES, ONE_HUNK, OUTSIDE), environ)
    server.calls.clear()
    post(review(FILES, notices=("the budget was spent",)), environ)
    post(
        replace(review(FILES), not_checked_reason="none of 2 functions could be looked at: no test runs them"), environ
    )
    assert server.wrote() == []


def test_a_comment_on_lines_that_have_changed_is_made_anew(server: GitHub, environ: dict[str, str]) -> None:
    post(review(FILES, ONE_HUNK), environ)
    (old,) = server.comments
    old["line"] = None
    posted = post(review(FILES, ONE_HUNK), environ)
    assert (posted.comments, posted.withdrawn) == (1, 1)
    assert [comment["line"] is None for comment in server.comments] == [False]


def test_a_mark_in_the_words_of_others_means_nothing(server: GitHub, environ: dict[str, str]) -> None:
    post(review(FILES, ONE_HUNK), environ)
    body = server.comments.pop()["body"]
    server.say(body)
    server.say("look:\n" + body, BOT)
    assert post(review(FILES, ONE_HUNK), environ).comments == 1
    assert post(review(FILES), environ).withdrawn == 1
    assert len(server.comments) == 2


def test_of_two_for_the_same_lines_the_second_waits(server: GitHub, environ: dict[str, str]) -> None:
    other = replace(IN_NEW, function="b", improved=IN_NEW.original.replace("out", "seen"))
    posted = post(review(FILES, IN_NEW, other), environ)
    assert posted.comments == 1
    assert "lines that another suggestion changes" in server.reviews[0]["body"]


def test_of_two_whose_edits_share_one_line_the_second_waits_and_of_two_side_by_side_none() -> None:
    lines = "".join(f"x{n} = {n}\n" for n in range(6))
    files: Files = {"m.py": ("", lines)}

    def changed(*numbers: int, by: str = "y") -> Any:
        text = "".join(f"{by}{n} = {n}\n" if n in numbers else f"x{n} = {n}\n" for n in range(6))
        return suggestion("m.py", lines, text, f"{by}{numbers}")

    for second, offered in ((changed(2, 3, by="z"), False), (changed(3, by="z"), True), (changed(0, by="z"), True)):
        first, other = place(review(files, changed(1, 2), second))
        assert first.parts
        assert bool(other.parts) is offered
        assert other.why_not == ("" if offered else "it changes lines that another suggestion changes")


def test_the_summary_of_a_job_is_added_to_what_other_steps_wrote(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    path.write_text("of another step\n")
    for _ in range(2):
        assert write_summary(review(FILES, ONE_HUNK), {"GITHUB_STEP_SUMMARY": str(path)}) == ""
    text = path.read_text()
    assert text.startswith("of another step\n")
    assert text.count("## ") == 2 * markdown.render(review(FILES, ONE_HUNK)).count("## ") > 0


def test_parts_in_two_hunks_are_told_to_belong_together(server: GitHub, environ: dict[str, str]) -> None:
    both = suggestion("pkg/m.py", NEW, NEW.replace(SLOW, FAST).replace(SUM, CLOSED), "a")
    post(review(FILES, both), environ)
    text = NEW
    for number, comment in reversed(list(enumerate(server.comments, 1))):
        assert f"Part {number} of 2" in comment["body"]
        text = accept(text, comment)
    assert text == both.improved
    server.calls.clear()
    post(review(FILES, both), environ)
    assert server.wrote() == []


def test_no_more_than_thirty_comments(server: GitHub, environ: dict[str, str]) -> None:
    before = "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(40))
    files = {"many.py": ("", before)}
    server.hunks = shown(files)
    many = [
        suggestion("many.py", before, before.replace(f"return {n}\n", f"return ({n})\n"), f"f{n}") for n in range(40)
    ]
    posted = post(review(files, *many), environ)
    assert posted.comments == len(server.comments) == MOST_COMMENTS
    assert server.reviews[0]["body"].count("<details>") == 10
    server.calls.clear()
    post(review(files, *many), environ)
    assert server.wrote() == []


def test_a_long_body_is_cut_between_suggestions(server: GitHub, environ: dict[str, str]) -> None:
    files = {f"f{n}.py": ("", f"x = {n}\n") for n in range(30)}
    long = [suggestion(path, text, text + "y = 1\n" * 4000) for path, (_, text) in files.items()]
    posted = post(review({}, *long), environ)
    assert (posted.failed, posted.comments) == ("", 0)
    assert server.reviews[0]["body"].count("**4.2x") == 30


@pytest.mark.parametrize(("status", "seconds"), [(403, 1), (429, 1)])
def test_a_rate_limit_is_waited_for(server: GitHub, environ: dict[str, str], status: int, seconds: int) -> None:
    server.limits = [("POST", status, seconds)]
    posted = post(review(FILES, ONE_HUNK), environ)
    assert (posted.comments, posted.failed) == (1, "")
    assert len(server.wrote("POST")) == 2
    assert server.early == []
    assert len(server.comments) == 1


def test_a_limit_of_an_hour_is_not(server: GitHub, environ: dict[str, str]) -> None:
    server.limits = [("POST", 429, 3600)]
    posted = post(review(FILES, ONE_HUNK), environ)
    assert "429" in posted.failed
    assert posted.output.startswith("::notice ")


def test_a_forks_job_gets_annotations_and_the_summary(server: GitHub, environ: dict[str, str]) -> None:
    server.fork = True
    posted = post(review(FILES, ONE_HUNK, OUTSIDE), environ)
    assert "403" in posted.failed
    assert posted.output == render(review(FILES, ONE_HUNK, OUTSIDE))
    assert server.comments == server.reviews == []
    assert "pkg/m.py::b" in Path(environ["GITHUB_STEP_SUMMARY"]).read_text()
    first, second = posted.output.splitlines()
    at = NEW.split("\n").index("    total = 0") + 1
    assert first.startswith(f"::notice file=pkg/m.py,line={at},endLine={at + 3},title=codeopt%3A 4.2x faster::")
    assert second.startswith("::notice file=pkg/m.py,line=")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"GITHUB_TOKEN": ""}, "no token"),
        ({"GITHUB_TOKEN": "two words"}, "no token can have"),
        ({"GITHUB_TOKEN": "wrong"}, "401: Bad credentials"),
        ({"GITHUB_EVENT_PATH": "/nowhere"}, "not for a pull request"),
        ({"GITHUB_REPOSITORY": "a/b/../c"}, "OWNER/NAME"),
        ({"GITHUB_API_URL": "http://127.0.0.1:9"}, "cannot reach 127.0.0.1"),
    ],
)
def test_without_what_it_takes_there_are_annotations(environ: dict[str, str], change: dict[str, str], why: str) -> None:
    posted = post(review(FILES, ONE_HUNK), {**environ, **change})
    assert why in posted.failed
    assert posted.output.startswith("::notice file=pkg/m.py,")
    assert not any(secret in f"{posted}" for secret in ("secret-token", "two words", "wrong"))


def test_what_github_refuses_goes_into_the_text_above(server: GitHub, environ: dict[str, str]) -> None:
    server.hunks = {}
    posted = post(review(FILES, ONE_HUNK, OUTSIDE), environ)
    assert (posted.comments, posted.failed) == (0, "")
    assert server.comments == []
    (text,) = (each["body"] for each in server.reviews)
    assert text.count("<details>") == 2
    post(review(FILES, ONE_HUNK, OUTSIDE), environ)
    assert [each["body"] for each in server.reviews] == [text], "a second run says nothing twice"


def test_of_another_commit_nothing_stands_beside_lines(server: GitHub, environ: dict[str, str]) -> None:
    posted = post(review(FILES, ONE_HUNK, head="d" * 40), environ)
    assert posted.comments == 0
    assert "head.sha" in posted.notices[0]
    assert len(server.reviews) == 1


def test_no_suggestions_no_review(server: GitHub, environ: dict[str, str]) -> None:
    assert post(review(FILES), environ).failed == ""
    assert server.wrote() == []


def test_a_token_of_a_person_knows_its_own_comments(server: GitHub, environ: dict[str, str], monkeypatch: Any) -> None:
    monkeypatch.setattr(server, "_authorise", lambda call: None)
    answer = server.answer
    monkeypatch.setattr(server, "answer", lambda call: {"login": "person"} if call.path == "/user" else answer(call))
    found: Review = review(FILES, ONE_HUNK)
    post(found, environ)
    assert post(found, environ).comments == 1
    for comment in server.comments:
        comment["user"] = {"login": "person", "type": "User"}
    assert post(found, environ).comments == 0
