"""Language models: one backend a file, each with a `build(name, settings) -> Model` that `@backend` decorates.

    model = open_model("gpt-5", api_key_env="OPENAI_API_KEY")
    reply = model.complete([Message("user", "Say hello.")])

A new backend is a new file in this folder (or an entry point in the group `codeopt.models`) and no edit anywhere else.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from codeopt.core import plugins
from codeopt.core.errors import UsageError
from codeopt.core.model import Model


@dataclass(frozen=True)
class Price:
    """Price of a model, USD per million tokens."""

    input: float
    output: float
    cached: float | None = None
    """Price of input tokens served from the provider's prompt cache. None: the full price."""

    def cost(self, tokens_in: int, tokens_out: int, tokens_cached: int = 0) -> float:
        """USD for one exchange."""
        cached = self.input if self.cached is None else self.cached
        new = tokens_in - tokens_cached
        return (new * self.input + tokens_cached * cached + tokens_out * self.output) / 1_000_000


@dataclass(frozen=True)
class Settings:
    """The settings of a backend. `open_model` documents each field and holds the defaults."""

    base_url: str | None
    api_key_env: str | None
    timeout_s: float
    reply_s: float
    reply_chars: int
    max_retries: int
    context_tokens: int
    prices: Mapping[str, Price]
    options: Mapping[str, object]
    notify: Callable[[str], None]


@dataclass(frozen=True)
class Backend:
    """One way to reach models, made by `@backend`."""

    build: Callable[[str, Settings], Model]
    """Makes the model of a name, the part of `--model` behind the backend's own and a colon."""

    def __post_init__(self) -> None:
        """Raise ValueError for a function of another name, which nobody would call."""
        if self.build.__name__ != "build":
            raise ValueError(f"@backend makes a backend of build(name, settings), not of {self.build.__name__}")

    def __call__(self, name: str, settings: Settings) -> Model:
        return self.build(name, settings)


def backend(build: Callable[[str, Settings], Model]) -> Backend:
    """Make a backend of a function `build(name: str, settings: Settings) -> Model`.

    Raises:
        ValueError: The function has another name.
    """
    return Backend(build)


def open_model(
    spec: str,
    *,
    base_url: str | None = None,
    api_key_env: str | None = None,
    timeout_s: float = 300.0,
    reply_s: float = 900.0,
    reply_chars: int = 400_000,
    max_retries: int = 2,
    context_tokens: int = 128_000,
    prices: Mapping[str, Price] | None = None,
    options: Mapping[str, object] | None = None,
    notify: Callable[[str], None] | None = None,
) -> Model:
    """The model behind `spec`: a model's name, `replay:FILE`, `scripted:FILE`, or `package.module:factory`.

    base_url: an OpenAI-compatible server (`host:port` will do); None reads OPENAI_BASE_URL, else OpenAI's own.
    api_key_env: the environment variable that holds the key; None reads OPENAI_API_KEY where that is safe.
    timeout_s: longest silence of the server, seconds.
    reply_s, reply_chars: limits at which an endless reply is cut.
    max_retries: most repetitions of a request after 408, 409, 429, 5xx or no answer, with growing pauses.
    context_tokens: context window of the model, tokens.
    prices: prices by model name; the cost of a model without one is not known.
    options: further fields of the request, such as temperature, seed or max_tokens.
    notify: receives one line about each retry and estimate; None writes them to the log `codeopt.models`.

    Raises UsageError for a spec or a setting that makes no sense, ModelError when a key or a file is missing.
    """
    settings = Settings(
        base_url=base_url,
        api_key_env=api_key_env,
        timeout_s=timeout_s,
        reply_s=reply_s,
        reply_chars=reply_chars,
        max_retries=max_retries,
        context_tokens=context_tokens,
        prices=prices or {},
        options=options or {},
        notify=notify or logging.getLogger(__name__).info,
    )
    factory, name = _factory(spec)
    return factory(name, settings)


def _factory(spec: str) -> tuple[Callable[[str, Settings], Model], str]:
    """The factory for `spec`, and its argument: the part of `spec` that names a model or a file."""
    prefix, colon, rest = spec.partition(":")
    if not spec.strip():
        raise UsageError("the model has no name", hint="give one, for example --model gpt-5")
    if prefix in plugins.names(__name__):
        return plugins.made_by(plugins.load(__name__, prefix), "model", "build", Backend, "@backend"), rest
    if colon and _importable(prefix) and rest.isidentifier():
        return _imported(prefix, rest), spec
    return plugins.load(__name__, "openai").build, spec


def _importable(path: str) -> bool:
    """Return whether `path` is a dotted path into an installed package. `phi3.mini` of `phi3.mini:latest`
    is not one.
    """
    if not all(part.isidentifier() for part in path.split(".")):
        return False
    top = path.partition(".")[0]
    return "." in path and (top in sys.modules or importlib.util.find_spec(top) is not None)


def _imported(module: str, attribute: str) -> Callable[[str, Settings], Model]:
    """Return the factory at `module:attribute`. Raises UsageError if it does not exist."""
    try:
        factory: Callable[[str, Settings], Model] = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"cannot load the model {module}:{attribute}: {error}") from error
    return factory
