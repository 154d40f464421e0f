"""The openai backend against a real HTTP server: good replies, and one clear line for each thing that goes wrong."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

from codeopt.core.errors import ModelError, UsageError
from codeopt.core.model import AnswerSchema, Message, RemoteModel
from codeopt.models import Price, open_model
from tests.support.wire_server import WireServer
from tests.support.wire_steps import (
    Step,
    StepLike,
    answer,
    cut,
    endless,
    endless_comments,
    endless_line,
    error_event,
    events,
    garbage,
    hang,
    refuse_stream_options,
    status,
    unstreamed,
)

Wire = Callable[..., WireServer]
KEY = "sk-secret-0123456789"
TALK = [Message("system", "You are terse."), Message("user", "Say hello.")]
QUICK: dict[str, Any] = {"timeout_s": 0.3, "max_retries": 0}
HI = 'data: {"choices": [{"delta": {"content": "hi"}}]}'
HI_AND_STOP = 'data: {"choices": [{"delta": {"content": "hi"}, "finish_reason": "stop"}]}'
NO_MODEL = "has no model 'wire-model-l' (404)\nhint: it has 1, for example wire-model-1"
ERROR_EVENT_ONLY = 'data: {"error": {"message": "out of memory"}}'


def test_a_streamed_reply_arrives_in_pieces_with_the_servers_own_counts(wire: Wire) -> None:
    server = wire(["hello there, this is a reply of some length"], model="best-2026-11-01")
    pieces: list[str] = []
    model = open_model("best", base_url=server.base_url, prices={"best": Price(input=1.0, output=10.0)})
    reply = model.complete(TALK, on_text=pieces.append)
    assert reply.text == "".join(pieces) == "hello there, this is a reply of some length"
    assert len(pieces) > 3
    assert (reply.tokens_in, reply.tokens_out, reply.estimated, reply.cut) == (5, 9, False, False)
    assert reply.cost_usd == pytest.approx(5 * 1e-6 + 9 * 1e-5)
    assert reply.model == "best-2026-11-01"
    assert reply.seconds > 0
    sent = server.requests[0].body
    assert sent["model"] == "best"
    assert sent["messages"] == [{"role": m.role, "content": m.content} for m in TALK]


@pytest.mark.parametrize(
    ("check", "name", "key", "code", "message"),
    [
        (status(401), "wire-model-1", True, 401, "refuses the key in THE_KEY (status 401)"),
        (status(403), "wire-model-1", True, 403, "refuses the key in THE_KEY (status 403)"),
        (status(404), "wire-model-l", True, 404, NO_MODEL),
        (status(404), "wire-model-l", False, 404, NO_MODEL),
        (status(400), "wire-model-l", True, None, ""),
        (status(500), "wire-model-1", True, None, ""),
        (status(404), "wire-model-1", False, None, ""),
        (answer("hi"), "any", True, None, ""),
        (garbage(), "any", True, None, ""),
        (hang(), "any", True, None, ""),
    ],
)
def test_a_server_is_asked_before_anything_else_whether_it_would_answer(
    wire: Wire, monkeypatch: pytest.MonkeyPatch, check: Step, name: str, key: bool, code: int | None, message: str
) -> None:
    """No message is sent, which would cost something. A model that is listed to one without a key is there."""
    monkeypatch.setenv("THE_KEY", KEY)
    monkeypatch.setattr("codeopt.models.openai.LOOKUP_S", 1.0)
    server = wire([], check=check)
    model = open_model(name, base_url=server.base_url, api_key_env="THE_KEY" if key else None, **QUICK)
    assert isinstance(model, RemoteModel)
    if message:
        with pytest.raises(ModelError, match=re.escape(message)) as failure:
            model.require_reachable()
        assert failure.value.status == code
    else:
        model.require_reachable()
    assert server.requests == []


def test_unknown_price_is_none_and_never_nought(wire: Wire) -> None:
    assert open_model("m", base_url=wire(["hi"]).base_url).complete(TALK).cost_usd is None


def test_options_go_into_the_request(wire: Wire) -> None:
    server = wire(["hi"])
    open_model("m", base_url=server.base_url, options={"temperature": 0.7, "seed": 0}).complete(TALK)
    assert (server.requests[0].body["temperature"], server.requests[0].body["seed"]) == (0.7, 0)


def test_undecodable_output_in_a_prompt_is_sent_all_the_same(wire: Wire) -> None:
    server = wire(["hi"])
    open_model("m", base_url=server.base_url).complete([Message("user", "got \udcff")])
    assert server.prompts == ["got ?"]


@pytest.mark.parametrize(
    ("steps", "text", "is_cut", "estimated", "requests"),
    [
        pytest.param([answer("hi", usage=False)], "hi", False, True, 1, id="no usage"),
        pytest.param([refuse_stream_options(), "hi"], "hi", False, True, 2, id="stream_options refused"),
        pytest.param([unstreamed("hi")], "hi", False, False, 1, id="no streaming"),
        pytest.param([answer("hi", thinking="hmm")], "hi", False, False, 1, id="visible thinking is not the reply"),
        pytest.param([answer("")], "", False, False, 1, id="an empty text is a reply"),
        pytest.param([answer("hi", finish="length")], "hi", True, False, 1, id="server's length limit"),
        pytest.param([status(429), "hi"], "hi", False, False, 2, id="429, then fine"),
        pytest.param([status(500), status(503), "hi"], "hi", False, False, 3, id="500 and 503, then fine"),
        pytest.param([cut("a text of many pieces", after=2), "hi"], "hi", False, False, 2, id="cut, then fine"),
        pytest.param([cut("a text", after=1, clean=True), "hi"], "hi", False, False, 2, id="closed, then fine"),
        pytest.param([events(HI_AND_STOP)], "hi", False, True, 1, id="no [DONE]"),
        pytest.param([events(": ping", HI, "data: [DONE]")], "hi", False, True, 1, id="no finish reason"),
    ],
)
def test_replies(wire: Wire, steps: list[StepLike], text: str, is_cut: bool, estimated: bool, requests: int) -> None:
    server = wire(steps)
    reply = open_model("m", base_url=server.base_url, max_retries=2).complete(TALK)
    assert (reply.text, reply.cut, reply.estimated) == (text, is_cut, estimated)
    assert len(server.requests) == requests


@pytest.mark.parametrize(
    ("steps", "settings", "code", "message"),
    [
        ([status(401)], {}, 401, "refuses the key in THE_KEY (status 401)"),
        ([status(403)], {}, 403, "refuses the key in THE_KEY (status 403)"),
        ([status(404)], {}, 404, "has no model 'm' (404) (it has 1, for example wire-model-1)"),
        ([status(429, "quota used up")] * 2, {"max_retries": 1}, 429, "(tried 2 times): quota used up"),
        ([status(429, retry_after="3600")], {"max_retries": 1}, 429, "too many requests, or no credit (tried once)"),
        ([status(500)] * 3, {"max_retries": 2}, 500, "fails with status 500 (tried 3 times)"),
        ([status(400, "maximum context is 8192")] * 2, {}, 400, "refuses the request with status 400: maximum context"),
        ([status(400, f"bad key {KEY}")] * 2, {}, 400, "status 400: bad key ***"),
        ([status(418, "line\n\x1b[31m break " + "x" * 500)], {}, 418, "status 418: line [31m break xxx"),
        ([hang()], {}, None, "did not answer in time (tried once)"),
        ([hang("some text")], {}, None, "fell silent for 0.3 s after 9 characters"),
        ([cut("a text of many pieces", after=2)], {}, None, "broke off after 16 characters"),
        ([cut("a text of many pieces", after=2, clean=True)], {}, None, "broke off after 16 characters"),
        ([cut("", after=0)], {}, None, "broke off after 0 characters"),
        ([cut("a text", after=1)] * 3, {"max_retries": 2}, None, "broke off after "),
        ([error_event(f"out of memory {KEY}", text="abc")], {}, None, "gave up: out of memory ***"),
        ([events(ERROR_EVENT_ONLY)], {}, None, "gave up: out of memory"),
        ([garbage()], {}, None, "not a chat completion"),
        ([garbage(b"")], {}, None, "an empty reply"),
        ([garbage(b"[1, 2]", "application/json")], {}, None, "not a chat completion"),
        ([garbage(b"[" * 100_000, "application/json")], {}, None, "not a chat completion"),
        ([garbage(b"x\n" * 1_000_000)], {}, None, "not a chat completion"),
        ([events("data: {half")], {}, None, "not a chat completion"),
        ([events("data: 5")], {}, None, "not a chat completion"),
        ([events('data: {"choices": [{"delta": 3}]}')], {}, None, "not a chat completion"),
        ([events('data: {"choices": []}', "data: [DONE]")], {}, None, "an empty reply"),
        ([answer("", finish="content_filter")], {}, None, "content filter"),
        ([endless_comments()], {"reply_s": 0.1}, None, "no text within the limits"),
        ([endless_line()], {}, None, "not a chat completion"),
    ],
)
def test_failures_are_one_line_without_the_key(
    wire: Wire,
    monkeypatch: pytest.MonkeyPatch,
    steps: list[StepLike],
    settings: dict[str, Any],
    code: int | None,
    message: str,
) -> None:
    monkeypatch.setenv("THE_KEY", KEY)
    server = wire(steps)
    model = open_model("m", base_url=server.base_url, api_key_env="THE_KEY", **{**QUICK, **settings})
    with pytest.raises(ModelError) as failure:
        model.complete(TALK)
    line = failure.value.words
    assert message in line
    assert failure.value.status == code
    assert line.isprintable()
    assert len(line) < 400
    assert KEY not in line
    assert KEY not in repr(model)
    assert failure.value.__suppress_context__ or failure.value.__context__ is None
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert len(server.requests) == len(steps)


@pytest.mark.parametrize("limit", [{"reply_chars": 500}, {"reply_s": 0.05}])
def test_an_endless_reply_is_cut(wire: Wire, limit: dict[str, Any]) -> None:
    reply = open_model("m", base_url=wire([endless("word ")]).base_url, **limit).complete(TALK)
    assert reply.cut
    assert reply.text.startswith("word word ")
    assert reply.estimated


def test_server_down_says_so() -> None:
    with WireServer([]) as server:
        pass
    with pytest.raises(
        ModelError, match=r"cannot reach the model's server at 127\.0\.0\.1:\d+: .*\nhint: check that it is running"
    ):
        open_model("m", base_url=server.base_url, **QUICK).complete(TALK)


def test_a_404_without_a_list_of_models_asks_about_the_url(wire: Wire) -> None:
    with pytest.raises(ModelError, match="or no chat completions at this base URL"):
        open_model("m", base_url=wire([]).base_url.replace("/v1", "/api")).complete(TALK)


def test_the_unlisted_names_nearest_to_the_wrong_one_are_shown(wire: Wire) -> None:
    server = wire([status(404)], model="qwen2.5-coder:7b")
    with pytest.raises(ModelError, match=r"for example qwen2\.5-coder:7b"):
        open_model("qwen2.5-coder", base_url=server.base_url).complete(TALK)


def test_retries_and_estimates_are_told(wire: Wire) -> None:
    said: list[str] = []
    cut_off = cut("a text of many pieces", after=2)
    server = wire([status(429), hang(), answer("one", usage=False), cut_off, answer("two", usage=False)])
    model = open_model("m", base_url=server.base_url, timeout_s=0.3, max_retries=2, notify=said.append)
    assert [model.complete(TALK).text, model.complete(TALK).text] == ["one", "two"]
    broke_off = f"the model's server at {server.base_url[7:-3]} broke off after 16 characters of its reply"
    assert said == [
        "the model's server said 429; trying again (1 of 2)",
        "the model's server did not answer; trying again (2 of 2)",
        "m: the server counts no tokens; they are estimated",
        f"{broke_off}; trying again (1 of 2)",
    ]


@pytest.mark.parametrize(
    ("given", "named"), [(True, "refuses the key in THE_KEY"), (False, "--api-key-env OPENAI_API_KEY sends it")]
)
def test_a_401_says_whether_a_key_was_sent(
    wire: Wire, monkeypatch: pytest.MonkeyPatch, given: bool, named: str
) -> None:
    """A key for OpenAI alone was given, too: the user has to know that it is not sent elsewhere."""
    monkeypatch.setenv("THE_KEY" if given else "OPENAI_API_KEY", KEY)
    model = open_model("m", base_url=wire([status(401)]).base_url, api_key_env="THE_KEY" if given else None, **QUICK)
    with pytest.raises(ModelError) as failure:
        model.complete(TALK)
    assert named in failure.value.words


def test_a_server_that_refused_stream_options_is_not_asked_for_them_again(wire: Wire) -> None:
    server = wire([refuse_stream_options(), "one", "two"])
    model = open_model("m", base_url=server.base_url)
    assert [model.complete(TALK).text, model.complete(TALK).text] == ["one", "two"]
    assert ["stream_options" in r.body for r in server.requests] == [True, False, False]


ASKED = (Message("user", "Which?", AnswerSchema("refine", (("program", "the whole program"),))),)


def test_a_schema_of_the_answer_is_sent_as_json_schema(wire: Wire) -> None:
    server = wire(["{}"])
    open_model("m", base_url=server.base_url).complete(ASKED)
    wanted = server.requests[0].body["response_format"]["json_schema"]
    assert (wanted["name"], wanted["strict"]) == ("refine", True)
    jsonschema.validate({"program": "print(1)"}, wanted["schema"])
    for wrong in ({}, {"program": 1}, {"program": "", "more": ""}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, wanted["schema"])


def test_a_server_that_refuses_a_schema_is_asked_in_words_and_that_is_said_once(wire: Wire) -> None:
    said: list[str] = []
    server = wire([status(400, "response_format is not supported"), "one", "two"])
    model = open_model("m", base_url=server.base_url, notify=said.append)
    assert [model.complete(ASKED).text, model.complete(ASKED).text] == ["one", "two"]
    assert ["response_format" in r.body for r in server.requests] == [True, False, False]
    assert ["stream_options" in r.body for r in server.requests] == [True, True, True]
    assert said == ["m: the server takes no schema for answers; they are asked for in words"]


def test_an_interrupt_in_the_middle_of_a_reply_passes_through(wire: Wire) -> None:
    def interrupt(text: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        open_model("m", base_url=wire([endless()]).base_url).complete(TALK, on_text=interrupt)


@pytest.mark.parametrize(
    ("explicit", "env_url", "key_env", "sent"),
    [
        pytest.param(True, False, None, "none", id="another server never gets the key by itself"),
        pytest.param(False, True, None, KEY, id="the server of OPENAI_BASE_URL does"),
        pytest.param(True, True, None, "none", id="--base-url wins over the environment"),
        pytest.param(True, False, "OPENAI_API_KEY", KEY, id="on the user's word"),
        pytest.param(True, False, "OTHER_KEY", "other", id="a key of its own"),
    ],
)
def test_who_gets_the_key(
    wire: Wire, monkeypatch: pytest.MonkeyPatch, explicit: bool, env_url: bool, key_env: str | None, sent: str
) -> None:
    server = wire(["hi"])
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
    monkeypatch.setenv("OTHER_KEY", "other")
    monkeypatch.setenv("OPENAI_ORG_ID", "my-org")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Gateway: secret\nAuthorization: Bearer from-header")
    if env_url:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    open_model("m", base_url=server.base_url if explicit else None, api_key_env=key_env).complete(TALK)
    headers = server.requests[0].headers
    assert ("x-gateway" in headers, "openai-organization" in headers) == (not explicit, not explicit)
    if explicit:
        assert headers["authorization"] == f"Bearer {sent}"


@pytest.mark.parametrize(
    ("environ", "settings", "error", "message"),
    [
        ({}, {}, ModelError, "no language model is configured"),
        ({"OPENAI_API_KEY": " "}, {}, ModelError, "no language model is configured"),
        ({}, {"base_url": "https://api.openai.com/v1"}, ModelError, "set OPENAI_API_KEY"),
        ({}, {"api_key_env": "MY_KEY"}, ModelError, "MY_KEY is not set"),
        ({"OPENAI_API_KEY": "sk-a\nb"}, {}, ModelError, "a character that no key can have"),
        ({"OPENAI_API_KEY": "sk-\u00e4"}, {}, ModelError, "a character that no key can have"),
        ({}, {"base_url": "ftp://there"}, UsageError, "not a web address"),
        ({}, {"base_url": "http://"}, UsageError, "not a web address"),
        ({}, {"base_url": "http://there:port"}, UsageError, "not a web address"),
    ],
)
def test_settings_that_cannot_work_are_refused_before_the_first_request(
    monkeypatch: pytest.MonkeyPatch,
    environ: dict[str, str],
    settings: dict[str, Any],
    error: type[Exception],
    message: str,
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(error, match=message):
        open_model("gpt-5", **settings)


def test_a_bare_host_and_port_will_do(wire: Wire) -> None:
    server = wire(["hi"])
    host_and_port = server.base_url.removeprefix("http://").removesuffix("/v1")
    assert open_model("m", base_url=host_and_port).complete(TALK).text == "hi"


def test_the_client_is_not_imported_before_the_first_request() -> None:
    code = (
        "import json, sys; from codeopt.models import open_model; open_model('m', base_url='localhost:1');"
        "print(json.dumps([name for name in ('openai', 'httpx2', 'pydantic') if name in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


@pytest.mark.parametrize(
    "field",
    ['"prompt_tokens_details": {"cached_tokens": 60}', '"prompt_cache_hit_tokens": 60'],
    ids=["usual", "deepseek"],
)
def test_what_a_server_had_read_before_is_counted_and_priced(wire: Wire, field: str) -> None:
    usage = f'data: {{"choices": [], "usage": {{"prompt_tokens": 100, "completion_tokens": 10, {field}}}}}'
    server = wire([events(HI_AND_STOP, usage, "data: [DONE]")])
    reply = open_model("m", base_url=server.base_url, prices={"m": Price(10.0, 50.0, 1.0)}).complete(TALK)
    assert (reply.tokens_in, reply.tokens_cached, reply.usage.tokens_cached) == (100, 60, 60)
    assert reply.cost_usd == pytest.approx((40 * 10 + 60 * 1 + 10 * 50) / 1e6)


def test_only_the_servers_own_limit_can_be_gone_on_from(wire: Wire) -> None:
    model = open_model("m", base_url=wire([answer("half", finish="length"), endless()]).base_url, reply_chars=50)
    assert [(reply.cut, reply.can_go_on) for reply in (model.complete(TALK), model.complete(TALK))] == [
        (True, True),
        (True, False),
    ]


def test_an_answer_that_came_as_thoughts_is_one(wire: Wire) -> None:
    model = open_model("m", base_url=wire([answer("", thinking="the answer")]).base_url)
    assert model.complete(TALK).text == "the answer"
