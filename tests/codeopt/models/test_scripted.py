"""The scripted model that ships in the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.errors import ModelError, UsageError
from codeopt.core.model import Message
from codeopt.models import Price, open_model
from codeopt.models.scripted import Scripted

TALK = [Message("user", "hello")]


def test_answers_in_order_and_then_an_error() -> None:
    model = Scripted(["one", "two\nlines"])
    pieces: list[str] = []
    assert [model.complete(TALK).text, model.complete(TALK, on_text=pieces.append).text] == ["one", "two\nlines"]
    assert pieces == ["two\n", "lines"]
    with pytest.raises(ModelError, match="has 2 answers and was asked for one more"):
        model.complete(TALK)
    assert model.asked == [tuple(TALK)] * 3


def test_a_function_answers_by_what_it_is_asked() -> None:
    assert Scripted(lambda messages: f"{len(messages)} messages").complete(TALK).text == "1 messages"


def test_a_file_holds_the_answers(tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_text("first\nanswer\n--- next answer ---\nsecond\n")
    model = open_model(f"scripted:{script}", prices={f"scripted:{script}": Price(1.0, 1.0)})
    reply = model.complete(TALK)
    assert (reply.text, reply.estimated, reply.seconds) == ("first\nanswer\n", True, 0.0)
    assert reply.cost_usd == pytest.approx((reply.tokens_in + reply.tokens_out) / 1e6)
    assert model.complete(TALK).text == "second\n"


def test_a_missing_or_binary_file_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\x00")
    for name in ("missing", "binary"):
        with pytest.raises(UsageError, match=f"cannot read the script .*{name}"):
            open_model(f"scripted:{tmp_path / name}")
