"""Record a run and repeat it without the model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from codeopt.core.errors import ModelError, UsageError
from codeopt.core.model import Message, Reply
from codeopt.models import Price, open_model
from codeopt.models.replay import Replay, ReplyRecorder
from codeopt.models.scripted import Scripted
from tests.support.wire_server import WireServer
from tests.support.wire_steps import status

CRITIQUE = [Message("system", "You are a critic."), Message("user", "Round 1: it took 0.213 s\nline 4 is hot")]
CRITIQUE_LATER = [Message("system", "You are a critic."), Message("user", "Round 1: it took 12 s\nline 5 is hot")]
DRAFT = [Message("system", "You write code."), Message("user", "Rewrite it.")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


def record(path: Path, *exchanges: tuple[list[Message], str]) -> list[Reply]:
    recorder = ReplyRecorder(Scripted([text for _, text in exchanges], price=Price(1.0, 2.0)), path)
    return [recorder.complete(messages) for messages, _ in exchanges]


def test_a_recorded_run_over_http_is_repeated_offline(path: Path, wire: Callable[..., WireServer]) -> None:
    server = wire(["a critique \udcff", "a draft"])
    recorder = ReplyRecorder(open_model("m", base_url=server.base_url, prices={"m": Price(1.0, 2.0)}), path)
    replies = [recorder.complete(CRITIQUE), recorder.complete(DRAFT)]
    replay = open_model(f"replay:{path}")
    pieces: list[str] = []
    assert [replay.complete(CRITIQUE_LATER, on_text=pieces.append), replay.complete(DRAFT)] == replies
    assert pieces == [replies[0].text]
    assert (replay.name, recorder.name, recorder.context_tokens) == (f"replay:{path}", "m", 128_000)


def test_a_line_holds_the_messages_in_full_and_no_key(
    path: Path, wire: Callable[..., WireServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-secret")
    ReplyRecorder(open_model("m", base_url=wire(["hi"]).base_url, api_key_env="SOME_KEY"), path).complete(DRAFT)
    line = json.loads(path.read_text())
    assert line["schema"] == "codeopt.exchange/1"
    assert [m["content"] for m in line["messages"]] == ["You write code.", "Rewrite it."]
    assert line["reply"]["text"] == "hi"
    assert "sk-secret" not in path.read_text()


def test_a_request_of_another_kind_is_refused(path: Path) -> None:
    record(path, (CRITIQUE, "a critique"))
    with pytest.raises(ModelError, match="is of another run: exchange 1 was asked 'system: You are a critic"):
        Replay(path).complete(DRAFT)


def test_the_end_of_the_recording_is_an_error(path: Path) -> None:
    record(path, (DRAFT, "a draft"))
    replay = Replay(path)
    replay.complete(DRAFT)
    with pytest.raises(ModelError, match="is used up: it holds 1 exchanges"):
        replay.complete(DRAFT)


def test_the_models_failure_is_repeated_too(path: Path, wire: Callable[..., WireServer]) -> None:
    recorder = ReplyRecorder(open_model("m", base_url=wire([status(401)]).base_url), path)
    with pytest.raises(ModelError) as then:
        recorder.complete(DRAFT)
    with pytest.raises(ModelError) as now:
        Replay(path).complete(DRAFT)
    assert str(now.value) == str(then.value)


def test_a_killed_run_leaves_a_readable_file(path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from codeopt.core.model import Message;"
        "from codeopt.models.replay import ReplyRecorder; from codeopt.models.scripted import Scripted;"
        "recorder = ReplyRecorder(Scripted(lambda m: m[-1].content), Path(sys.argv[1]));"
        "recorder.complete([Message('user', 'one')]); recorder.complete([Message('user', 'two')]);"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", code, path], check=False)
    assert done.returncode == -signal.SIGKILL
    replay = Replay(path)
    assert [replay.complete([Message("user", text)]).text for text in ("one", "two")] == ["one", "two"]


@pytest.mark.parametrize("half", [b'{"schema": "codeopt.exch', b'{"reply": {"text": "\xff', b"{}"])
def test_a_half_last_line_is_left_out_and_mended_by_the_next_recording(path: Path, half: bytes) -> None:
    record(path, (DRAFT, "one"))
    path.write_bytes(path.read_bytes() + half)
    assert Replay(path).complete(DRAFT).text == "one"
    record(path, (DRAFT, "two"))
    replay = Replay(path)
    assert [replay.complete(DRAFT).text, replay.complete(DRAFT).text] == ["one", "two"]


def test_a_whole_last_line_without_its_end_is_kept(path: Path) -> None:
    record(path, (DRAFT, "one"))
    path.write_bytes(path.read_bytes().rstrip())
    record(path, (DRAFT, "two"))
    replay = Replay(path)
    assert [replay.complete(DRAFT).text, replay.complete(DRAFT).text] == ["one", "two"]


@pytest.mark.parametrize("line", ["nonsense", "[1]", "null", '{"kind": "", "reply": 1}', '{"kind": "", "reply": {}}'])
def test_a_broken_line_is_named(path: Path, line: str) -> None:
    record(path, (DRAFT, "one"))
    path.write_text(path.read_text() + line + "\n" + path.read_text())
    with pytest.raises(ModelError, match="is broken at line 2"):
        Replay(path)


def test_a_field_of_a_later_version_is_left_out(path: Path) -> None:
    record(path, (DRAFT, "one"))
    data = json.loads(path.read_text())
    data["reply"]["mood"] = "good"
    path.write_text(json.dumps(data))
    assert Replay(path).complete(DRAFT).text == "one"


def test_missing_and_empty_files(path: Path) -> None:
    with pytest.raises(ModelError, match="cannot read the recording"):
        open_model(f"replay:{path}")
    path.touch()
    with pytest.raises(ModelError, match="holds no exchange"):
        open_model(f"replay:{path}")


def test_a_place_that_cannot_be_written_is_said_before_anything_is_spent(path: Path) -> None:
    for place in (path.parent, path.parent / "no" / "such" / "folder"):
        with pytest.raises(UsageError, match="cannot write the recording"):
            ReplyRecorder(Scripted(["one"]), place)


def test_a_disk_that_is_full_is_a_model_error(path: Path) -> None:
    if not os.path.exists("/dev/full"):  # noqa: PTH110
        pytest.skip("no /dev/full here")
    recorder = ReplyRecorder(Scripted(["one"]), path)
    path.unlink()
    path.symlink_to("/dev/full")
    with pytest.raises(ModelError, match="cannot write the recording"):
        recorder.complete(DRAFT)
