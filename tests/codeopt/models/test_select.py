"""`open_model`: which backend a name means."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from codeopt.core.errors import UsageError
from codeopt.core.model import Message, Model
from codeopt.models import Settings, open_model
from codeopt.models.openai import OpenAIModel
from codeopt.models.scripted import Scripted

TALK = [Message("user", "hello")]


def shouting(name: str, settings: Settings) -> Model:
    """A factory as a user would write it."""

    def shout(messages: Sequence[Message]) -> str:
        return messages[-1].content.upper()

    return Scripted(shout, name=name, context_tokens=settings.context_tokens)


def telling(name: str, settings: Settings) -> Model:
    """One whose model answers with the numbers that it was given."""
    given = (settings.timeout_s, settings.reply_s, settings.reply_chars, settings.max_retries)
    return Scripted(lambda messages: repr(given), name=name, context_tokens=settings.context_tokens)


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("gpt-5", "gpt-5"),
        ("qwen2.5-coder:7b", "qwen2.5-coder:7b"),
        ("phi3.mini:latest", "phi3.mini:latest"),
        ("llama3:latest", "llama3:latest"),
        ("hf.co/someone/model-GGUF:Q4_K_M", "hf.co/someone/model-GGUF:Q4_K_M"),
        ("openai:replay", "replay"),
    ],
)
def test_whatever_is_no_backend_is_the_name_of_a_model(spec: str, name: str) -> None:
    model = open_model(spec, base_url="localhost:1", context_tokens=4096)
    assert isinstance(model, OpenAIModel)
    assert (model.name, model.context_tokens) == (name, 4096)


def test_a_factory_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parent)
    model = open_model("tests.codeopt.models.test_select:shouting", context_tokens=99)
    assert model.complete(TALK).text == "HELLO"
    assert model.context_tokens == 99


def test_a_factory_gets_each_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parent)
    spec = "tests.codeopt.models.test_select:telling"
    model = open_model(spec, timeout_s=1.0, reply_s=2.0, reply_chars=3, max_retries=4)
    assert model.complete(TALK).text == "(1.0, 2.0, 3, 4)"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "has no name"),
        ("  ", "has no name"),
        ("openai:", "has no name"),
        ("replay", "replay:FILE"),
        ("scripted:", "scripted:FILE"),
        ("codeopt.nowhere:build", r"cannot load the model codeopt\.nowhere:build"),
        ("codeopt.models:nothing", "cannot load the model codeopt.models:nothing"),
    ],
)
def test_a_spec_without_a_model_is_a_usage_error(spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        open_model(spec, base_url="localhost:1")
