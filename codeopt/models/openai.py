"""Any server that speaks the OpenAI chat completions protocol, through the official client."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from codeopt.core.errors import UsageError
from codeopt.core.model import Message, Model, Reply, estimate_tokens
from codeopt.models import Settings, backend
from codeopt.models._server import endpoint, explain, unknown_model
from codeopt.models._wire import BrokenReply, Reader, Received, ReplyLimits, TokenCounts

if TYPE_CHECKING:
    import openai

CONNECT_S = 5.0
LOOKUP_S = 5.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 8.0
"""Pause before a broken reply is asked for again, doubled each time: the client's own pauses after status 500."""
RESPONSE_FORMAT = "response_format"


@backend
def build(name: str, settings: Settings) -> Model:
    """The model `name`. Raises UsageError without a name, ModelError when a key is missing."""
    if not name.strip():
        raise UsageError("the model has no name", hint="write openai:NAME or just NAME")
    return OpenAIModel(name, settings)


class OpenAIModel:
    """A language model behind a server. Keeps no connection between replies: nothing to close, safe to share and fork.

    A reply that reaches a limit (the server's, or `reply_chars` and `reply_s`) is returned as `cut`; one whose
    connection breaks is asked for again, as the client does with status 500.
    """

    def __init__(self, name: str, settings: Settings) -> None:
        self.name = name
        self.context_tokens = settings.context_tokens
        self._settings = settings
        self._endpoint = endpoint(settings.base_url, settings.api_key_env)
        self._price = settings.prices.get(name)
        self._taken: dict[str, bool] = {}
        """Name of an optional field of a request -> True if the server has accepted it."""
        self._told_estimate = False

    def __repr__(self) -> str:
        return f"OpenAIModel({self.name!r} at {self._endpoint.host})"

    def complete(self, messages: Sequence[Message], *, on_text: Callable[[str], None] | None = None) -> Reply:
        """Ask the server and read its reply while it is written. Raises ModelError in one line for any failure."""
        import openai

        started = time.monotonic()
        # JSON cannot carry the lone surrogates that undecodable output leaves in a text.
        texts = [message.content.encode("utf-8", "replace").decode("utf-8") for message in messages]
        turns = [{"role": m.role, "content": text} for m, text in zip(messages, texts, strict=True)]
        # fields that a server may not know: the counting of tokens, and the form of the answer
        optional: dict[str, Any] = {"stream_options": {"include_usage": True}}
        if messages and (schema := messages[-1].schema):
            wanted = {"name": schema.name, "strict": True, "schema": schema.json_schema()}
            optional[RESPONSE_FORMAT] = {"type": "json_schema", "json_schema": wanted}
        attempts = _Attempts(self._settings.max_retries, self._settings.notify)
        with self._client(attempts) as client:
            try:
                received = self._ask_until_whole(client, turns, on_text, optional)
            except openai.NotFoundError:
                raise unknown_model(self.name, self._endpoint, _known_models(client)) from None
            except openai.OpenAIError as error:
                raise explain(error, self._endpoint, attempts.sent) from None
        return self._reply(turns, received, time.monotonic() - started)

    def require_reachable(self) -> None:
        """Ask the server for its list of models, and for an answer to no message, which costs nothing.

        The second request is needed as some servers list models for any key. Raises ModelError if no server answers, or
        it refuses the key or does not have the model. Any other answer is ignored, as is a timeout.
        """
        import openai

        attempts = _Attempts(self._settings.max_retries, self._settings.notify)
        known: list[str] = []
        with self._client(attempts) as client:
            quick = client.with_options(timeout=LOOKUP_S)
            try:
                with contextlib.suppress(openai.NotFoundError):  # it lists none
                    known = _listed(quick.get("/models", cast_to=object))
                if self._endpoint.key_name or self.name not in known:
                    nothing = {"model": self.name, "messages": [], "max_tokens": 1}
                    quick.with_options(max_retries=0).post("/chat/completions", body=nothing, cast_to=object)
            except openai.APITimeoutError:
                return
            except openai.NotFoundError:
                raise unknown_model(self.name, self._endpoint, known) from None
            except (openai.AuthenticationError, openai.PermissionDeniedError, openai.APIConnectionError) as error:
                raise explain(error, self._endpoint, attempts.sent) from None
            except (openai.OpenAIError, ValueError):
                return

    def _client(self, attempts: _Attempts) -> openai.OpenAI:
        import openai

        seconds = self._settings.timeout_s
        hooks: Any = {"request": [attempts.on_request], "response": [attempts.on_response]}
        client = openai.OpenAI(
            base_url=self._endpoint.base_url,
            api_key=self._endpoint.key,
            max_retries=self._settings.max_retries,
            timeout=openai.Timeout(seconds, connect=min(CONNECT_S, seconds)),
            default_headers=None if self._endpoint.trusted else _own_headers(self._endpoint.key),
            http_client=openai.DefaultHttpxClient(event_hooks=hooks),
        )
        if not self._endpoint.trusted:
            client.organization = client.project = None
        return client

    def _ask_until_whole(
        self, client: openai.OpenAI, turns: list[Any], on_text: Callable[[str], None] | None, optional: dict[str, Any]
    ) -> Received:
        """Make one exchange, again if its reply breaks off. Raises BrokenReply if the last try does so, too."""
        most = self._settings.max_retries
        for retry in range(1, most + 1):
            try:
                return self._ask(client, turns, on_text, optional)
            except BrokenReply as error:
                self._settings.notify(f"{error}; trying again ({retry} of {most})")
                time.sleep(min(FIRST_PAUSE_S * 2 ** (retry - 1), LONGEST_PAUSE_S))
        return self._ask(client, turns, on_text, optional)

    def _ask(
        self, client: openai.OpenAI, turns: list[Any], on_text: Callable[[str], None] | None, optional: dict[str, Any]
    ) -> Received:
        """Make one exchange.

        Optional fields of the request that the server refuses are left out, the last one first, in this request and all
        later ones. A field that the server has accepted before is kept.
        """
        import openai

        asked = {name: value for name, value in optional.items() if self._taken.get(name, True)}
        left_out: list[str] = []
        while True:
            try:
                received = self._stream(client, turns, on_text, **asked)
                break
            except (openai.BadRequestError, openai.UnprocessableEntityError):
                untried = [name for name in asked if name not in self._taken]
                if not untried:
                    raise
                left_out.append(untried[-1])
                del asked[untried[-1]]
        self._taken |= dict.fromkeys(asked, True) | dict.fromkeys(left_out, False)
        if RESPONSE_FORMAT in left_out:
            self._settings.notify(f"{self.name}: the server takes no schema for answers; they are asked for in words")
        return received

    def _stream(
        self, client: openai.OpenAI, turns: list[Any], on_text: Callable[[str], None] | None, **fields: Any
    ) -> Received:
        import httpx2

        limits = ReplyLimits(self._settings.reply_chars, self._settings.reply_s)
        reader = Reader(limits, on_text, self._endpoint.blank)
        create = client.chat.completions.with_streaming_response.create
        extra = dict(self._settings.options)
        with create(model=self.name, messages=turns, stream=True, extra_body=extra, **fields) as response:
            try:
                reader.read(response.iter_bytes())
            except httpx2.HTTPError as error:
                if not reader.complete:
                    silent = isinstance(error, httpx2.TimeoutException)
                    how = f"fell silent for {self._settings.timeout_s:g} s" if silent else "broke off"
                    server = f"the model's server at {self._endpoint.host}"
                    raise BrokenReply(f"{server} {how} after {reader.chars} characters of its reply") from None
        return reader.received()

    def _reply(self, turns: list[dict[str, str]], received: Received, seconds: float) -> Reply:
        asked = sum(estimate_tokens(turn["content"]) for turn in turns)
        counts = received.usage or TokenCounts(asked, estimate_tokens(received.text))
        if received.usage is None and not self._told_estimate:
            self._told_estimate = True
            self._settings.notify(f"{self.name}: the server counts no tokens; they are estimated")
        return Reply(
            text=received.text,
            tokens_in=counts.read,
            tokens_out=counts.written,
            cost_usd=self._price.cost(counts.read, counts.written, counts.cached) if self._price else None,
            seconds=seconds,
            model=received.model or self.name,
            cut=received.cut,
            estimated=received.usage is None,
            tokens_cached=counts.cached,
            can_go_on=received.full,
        )


class _Attempts:
    """Counts the requests of one exchange and tells of those sent again. The client retries; this only watches."""

    def __init__(self, max_retries: int, notify: Callable[[str], None]) -> None:
        self.sent = 0
        self._max = max_retries
        self._notify = notify
        self._status = 0

    def on_request(self, request: Any) -> None:
        retry = int(request.headers.get("x-stainless-retry-count", 0))
        if retry:
            why = f"said {self._status}" if self._status else "did not answer"
            self._notify(f"the model's server {why}; trying again ({retry} of {self._max})")
        self.sent = retry + 1
        self._status = 0

    def on_response(self, response: Any) -> None:
        self._status = response.status_code
        wait = response.headers.get("retry-after", "")
        if self._status in {429, 503} and wait.isdecimal() and int(wait) > 1:
            self._notify(f"the model's server says {self._status} and asks to wait {wait} s")


def _known_models(client: openai.OpenAI) -> list[str]:
    """The models that the server lists; none when it will not say."""
    import openai

    try:
        listed: Any = client.with_options(max_retries=0, timeout=LOOKUP_S).get("/models", cast_to=object)
    except (openai.OpenAIError, ValueError):
        return []
    return _listed(listed)


def _listed(answer: Any) -> list[str]:
    """The names in a list of models; none in any other answer."""
    models = answer.get("data") if isinstance(answer, dict) else None
    return [str(m["id"]) for m in models or [] if isinstance(m, dict) and "id" in m]


def _own_headers(key: str) -> dict[str, Any]:
    """Takes out the headers of OPENAI_CUSTOM_HEADERS, which the client adds by itself: they may hold a secret."""
    import openai

    lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").split("\n")
    names = {line.partition(":")[0].strip() for line in lines if ":" in line}
    others = {name: openai.Omit() for name in names if name.lower() != "authorization"}
    return {**others, "Authorization": f"Bearer {key}"}
