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
from dataclasses import dataclass, field
from typing import Any

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
    """The settings of a backend."""

    base_url: str | None = None
    """An OpenAI-compatible server (`host:port` will do). None: OPENAI_BASE_URL, else OpenAI's own."""
    api_key_env: str | None = None
    """Environment variable that holds the key. None: OPENAI_API_KEY where that is safe."""
    timeout_s: float = 300.0
    """Longest silence of the server, seconds."""
    reply_s: float = 900.0
    """Seconds after which an endless reply is cut."""
    reply_chars: int = 400_000
    """Characters after which an endless reply is cut."""
    max_retries: int = 2
    """Most repetitions of a request after 408, 409, 429, 5xx or no answer, with growing pauses."""
    context_tokens: int = 128_000
    """Context window of the model, tokens."""
    prices: Mapping[str, Price] = field(default_factory=dict)
    """Prices by model name; the cost of a model without one is not known."""
    options: Mapping[str, object] = field(default_factory=dict)
    """Further fields of the request, such as temperature, seed or max_tokens."""
    notify: Callable[[str], None] = logging.getLogger(__name__).info
    """Receives one line about each retry and estimate."""


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


def open_model(spec: str, **settings: Any) -> Model:
    """The model behind `spec`: a model's name, `replay:FILE`, `scripted:FILE`, or `package.module:factory`.

    Args:
        spec: The model.
        settings: Fields of `Settings`.

    Raises:
        UsageError: The spec or a setting makes no sense.
        ModelError: A key or a file is missing.
    """
    prefix, colon, rest = spec.partition(":")
    if not spec.strip():
        raise UsageError("the model has no name", hint="give one, for example --model gpt-5")
    name = spec
    if prefix in plugins.names(__name__):
        factory = plugins.made_by(plugins.load(__name__, prefix), "model", "build", Backend, "@backend")
        name = rest  # the part that names a model or a file
    elif colon and _importable(prefix) and rest.isidentifier():
        try:
            factory = getattr(importlib.import_module(prefix), rest)
        except (ImportError, AttributeError) as error:
            raise UsageError(f"cannot load the model {spec}: {error}") from error
    else:
        factory = plugins.load(__name__, "openai").build
    made: Model = factory(name, Settings(**settings))
    return made


def _importable(path: str) -> bool:
    """Return whether `path` is a dotted path into an installed package. `phi3.mini` of `phi3.mini:latest`
    is not one.
    """
    if not all(part.isidentifier() for part in path.split(".")):
        return False
    top = path.partition(".")[0]
    return "." in path and (top in sys.modules or importlib.util.find_spec(top) is not None)
