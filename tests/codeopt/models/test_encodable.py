"""A reply is text that can be encoded, whatever a server, a recording or a draft inside JSON holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from codeopt.core.model import Message, Reply
from codeopt.core.sanitize import encodable
from codeopt.models import open_model
from codeopt.models._reply import critique_text, to_draft
from codeopt.models.replay import ReplyRecorder
from tests.codeopt.command import FAST, reply
from tests.support.wire_server import WireServer
from tests.support.wire_steps import Exchange, Step, StepLike, answer, unstreamed

ASK = [Message("user", "Say hello.")]
HALVES = (
    ("a\ud800b", "a\ufffdb"),
    ("\udc80", "\ufffd"),
    ("\ud83d\ude00", "\U0001f600"),
    ("\ude00\ud83d", "\ufffd\ufffd"),
    ("é\u2028", "é\u2028"),
)


def raw(*contents: bytes) -> Step:
    """A stream whose pieces hold these very bytes."""

    def play(exchange: Exchange) -> None:
        events = [b'data: {"choices": [{"delta": {"content": "' + each + b'"}}]}\n\n' for each in contents]
        end = b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
        exchange.stream([*events, end])

    return Step(play)


@pytest.mark.parametrize(("text", "wanted"), HALVES)
def test_a_reply_can_be_encoded(
    text: str, wanted: str, wire: Callable[[list[StepLike]], WireServer], tmp_path: Path
) -> None:
    server = wire([answer(text, thinking=text), unstreamed(text)])
    heard: list[str] = []
    model = ReplyRecorder(open_model("any", base_url=server.base_url), tmp_path / "talk.jsonl")
    replies = [model.complete(ASK, on_text=heard.append), model.complete(ASK)]
    again = open_model(f"replay:{tmp_path / 'talk.jsonl'}")
    replies += [again.complete(ASK), Reply(text, 1, 1, None, 0.0, text)]
    assert [each.text for each in replies] == [wanted] * 4
    assert all((each.text + each.model).encode() for each in [*replies])
    assert all(each.encode() for each in heard)
    assert encodable(text) == wanted


def test_a_recording_with_half_a_character_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    message = {"text": "x\ud800", "tokens_in": 1, "tokens_out": 1, "cost_usd": None, "seconds": 0.0, "model": "m\udc00"}
    path.write_text(json.dumps({"kind": "user: Say hello. / user: Say hello.", "reply": message}) + "\n")
    told = open_model(f"replay:{path}").complete(ASK)
    assert (told.text, told.model) == ("x\ufffd", "m\ufffd")


def test_bytes_and_halves_over_several_pieces_make_one_text(wire: Callable[[list[StepLike]], WireServer]) -> None:
    server = wire([raw(b"a\xffb", rb"\ud83d", rb"\ude00", rb"c\ud800", b"\xe2\x82")])
    assert open_model("any", base_url=server.base_url).complete(ASK).text == "a\ufffdb\U0001f600c\ufffd\ufffd"


def test_a_program_inside_json_can_be_encoded() -> None:
    said = json.dumps({"program": "print('\ud800')\r", "summary": "s\ud800", "critique": "c\udc00"})
    draft = to_draft(Reply(said, 1, 1, None, 0.0, "m"))
    assert (draft.source, draft.problem) == ("print('\ufffd')\n", "")
    assert (draft.summary + critique_text(said)).encode()


def test_line_ends_of_old_macs_are_line_ends() -> None:
    text = reply(FAST).replace("\n", "\r")
    assert to_draft(Reply(text, 1, 1, None, 0.0, "m")).source == FAST
