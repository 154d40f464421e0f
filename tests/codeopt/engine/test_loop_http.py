"""The whole loop through the command line, against a real server that speaks the OpenAI protocol and errs.

It answers with a wrong program, then with one that is no faster, then with a fast one. What the model was told is read
from the requests that the server received.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.codeopt.command import (
    FAST,
    NO_FEEDBACK,
    QUICK,
    SLOWER,
    WRONG,
    Done,
    codeopt,
    reply,
    write_problem,
)
from tests.conftest import ISOLATING, require_sandbox
from tests.support.prices import set_prices
from tests.support.wire_server import WireServer
from tests.support.wire_steps import Step, StepLike, status

pytestmark = pytest.mark.full

CRITIQUES = ("Line 6 searches a list. FIRST", "It counts wrongly. SECOND", "Copying is slow. THIRD", "Good. FOURTH")
DRAFTS = (WRONG, SLOWER, FAST)
LARGE_CASE = "secretword"


@dataclass(frozen=True)
class Story:
    """One whole run, and what the model was sent."""

    done: Done
    folder: Path
    prompts: tuple[str, ...]

    @property
    def refine(self) -> tuple[str, ...]:
        """The requests for drafts, each from its last question on: the examples before it are of other programs."""
        return tuple(question(prompt) for prompt in self.prompts[1::2])

    @property
    def critique(self) -> tuple[str, ...]:
        """The requests for critiques."""
        return tuple(question(prompt) for prompt in self.prompts[0::2])


def question(prompt: str) -> str:
    return prompt[prompt.rindex("# History of program ") :]


def told() -> list[StepLike]:
    """What the server says: critiques and drafts in turn; with the last critique the model has nothing to add."""
    verdicts = [f"{text}\nVERDICT: {'DONE' if text is CRITIQUES[-1] else 'IMPROVE'}" for text in CRITIQUES]
    drafts = [reply(source, f"draft {number}") for number, source in enumerate(DRAFTS, 1)]
    return [step for pair in zip(verdicts, [*drafts, ""], strict=True) for step in pair][:-1]


@pytest.fixture(scope="module", params=ISOLATING)
def story(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    folder = tmp_path_factory.mktemp(request.param)
    require_sandbox(request.param)
    write_problem(folder)
    with WireServer(told()) as server:
        arguments = ("--base-url", server.base_url, "--model", server.model, "--sandbox", request.param)
        done = codeopt("improve", "slow.py", "--json", "--record", "talk.jsonl", *arguments, cwd=folder)
        yield Story(done, folder, tuple(server.prompts))


def test_what_is_held_out_is_never_shown(story: Story) -> None:
    """The case that takes longest decides, and no prompt has a word of it."""
    assert story.done.json["tests"]["held_out"] == 1
    assert len(story.prompts) == 7
    assert not [prompt for prompt in story.prompts if LARGE_CASE in prompt]


@pytest.mark.parametrize("story", ["bubblewrap"], indirect=True)
def test_a_replay_gives_the_same_result_offline(story: Story) -> None:
    arguments = ("--model", "replay:talk.jsonl", "--sandbox", story.done.json["sandbox"])
    again = codeopt("improve", "slow.py", "--json", *arguments, cwd=story.folder)
    assert again.status == 0, again.err
    same = (
        "accepted",
        "reason",
        "stop_reason",
        "best_round",
        "sha256_before",
        "sha256_after",
        "tokens",
        "cost_usd",
    )
    assert {key: again.json[key] for key in same} == {key: story.done.json[key] for key in same}
    assert [each["critique"] for each in again.json["rounds"]] == [
        each["critique"] for each in story.done.json["rounds"]
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_problem(tmp_path, words=1200)
    return tmp_path


def improve(folder: Path, steps: list[StepLike], *arguments: str, **env: str) -> tuple[Done, list[str]]:
    """One run against a server that says `steps`, and the questions that it was asked."""
    with WireServer(steps) as server:
        where = ("--base-url", server.base_url, "--model", server.model)
        done = codeopt("improve", "slow.py", *where, *QUICK, *arguments, cwd=folder, env=env)
        return done, [question(prompt) for prompt in server.prompts]


MEASURED_ALONE = {"CODEOPT_FEEDBACK": "measured"}


def test_a_draft_that_fails_only_what_is_held_out_is_told_so_without_its_words(folder: Path) -> None:
    """Right on all that it was shown, by a table of answers."""
    cheat = "answers = {3: '1 2', 5: '3 2'}\nprint(answers.get(int(input()), 'no idea'))\n"
    done, prompts = improve(folder, [reply(cheat), reply(FAST)], "-n", "2", **MEASURED_ALONE)
    assert done.status == 0, done.err
    assert "a case that is not shown: WA (wrong answer)" in prompts[1]
    assert LARGE_CASE not in prompts[1]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--max-rounds", "1"), "the limit of 1 round is reached"),
        (("--max-seconds", "0.001"), "the time limit of 0.001 s is reached"),
        (("--max-cost", "0.001"), "the limit of 0.001 USD is reached"),
    ],
)
def test_a_spent_budget_ends_the_run(
    folder: Path, arguments: tuple[str, ...], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With exit status 6 when nothing was accepted before."""
    set_prices(monkeypatch, tmp_path / "config", "wire-model-1", 10.0, 50.0)
    done, _ = improve(folder, ["hm\nVERDICT: IMPROVE", reply(WRONG)] * 3, *arguments)
    assert done.status == 6, done.err
    assert why in done.err


def test_a_model_that_fails_after_a_good_draft_loses_nothing(folder: Path) -> None:
    steps: list[StepLike] = ["hm\nVERDICT: IMPROVE", reply(FAST), *[status(500)] * 3]
    done, _ = improve(folder, steps, "--json")
    assert done.status == 0, done.err
    assert done.json["accepted"]
    assert done.json["stop_reason"].startswith("the model failed: ")


NO_KEY = "refuses the key in WIRE_KEY (status 401)"


def test_a_model_that_fails_in_the_first_round_is_asked_again_by_the_next_step(folder: Path) -> None:
    done, _ = improve(folder, [status(500)] * 3, "-n", "1")
    assert done.status == 4
    (again,) = [line.partition("Next: codeopt ")[2] for line in done.lines if line.startswith("Next: ")]
    with WireServer([reply(FAST, "a set")]) as server:
        done = codeopt(*again.split(), "--base-url", server.base_url, cwd=folder, env=NO_FEEDBACK)
    assert done.status == 0, done.err


@pytest.mark.parametrize("target", ["slow.py", "pkg"])
@pytest.mark.parametrize(
    ("check", "arguments", "said"),
    [
        (status(401), ("--api-key-env", "WIRE_KEY"), NO_KEY),
        (status(404), ("--model", "wire-model-1,wire-model-l"), "has no model 'wire-model-l' (404)"),
        (None, ("--base-url", "http://127.0.0.1:9/v1"), "cannot reach the model's server"),
    ],
    ids=["key", "name", "server"],
)
def test_a_model_that_cannot_be_asked_is_reported_before_anything_is_run(
    folder: Path, target: str, check: Step | None, arguments: tuple[str, ...], said: str
) -> None:
    """Nothing could be run here: there is no sandbox."""
    (folder / "pkg").mkdir()
    (folder / "pkg" / "m.py").write_text("def f(x: int) -> int:\n    return x\n")
    with WireServer([], check=check) as server:
        given = ("--base-url", server.base_url, "--model", server.model, *arguments, "--sandbox", "docker", "--json")
        env = {"WIRE_KEY": "k", "DOCKER_HOST": "unix:///nowhere"}
        done = codeopt("improve", target, *given, cwd=folder, env=env)
        assert server.requests == []
    assert (done.status, said in done.json["error"]) == (4, True), done.err
