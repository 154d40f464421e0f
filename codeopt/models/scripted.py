"""A model that answers from a script: deterministic, offline, free; for tests and examples with the real loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from codeopt.core.errors import ModelError, UsageError
from codeopt.core.model import Message, Model, Reply, estimate_tokens
from codeopt.models import Price, Settings, backend
from codeopt_sandbox.plain_files import read_text

SEPARATOR = "--- next answer ---"
"""Stands alone on a line between two answers of a file."""


@backend
def build(name: str, settings: Settings) -> Model:
    """Return the model that replies with the contents of the file `name`. Raises UsageError without such a
    text file.
    """
    if not name:
        raise UsageError("the scripted model has no file", hint="write scripted:FILE")
    return Scripted(
        read_script(Path(name)),
        name=f"scripted:{name}",
        context_tokens=settings.context_tokens,
        price=settings.prices.get(f"scripted:{name}"),
    )


def read_script(path: Path) -> list[str]:
    """The answers in a file, parted by lines that hold nothing but the separator. Raises UsageError."""
    try:
        lines = read_text(path).splitlines(keepends=True)
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read the script {path}: {getattr(error, 'strerror', error)}") from error
    answers = [""]
    for line in lines:
        if line.strip() == SEPARATOR:
            answers.append("")
        else:
            answers[-1] += line
    return answers


class Scripted:
    """Answers from a list, one text after the other, or by a function of the conversation. Tokens are estimates."""

    def __init__(
        self,
        answers: Sequence[str] | Callable[[Sequence[Message]], str],
        *,
        name: str = "scripted",
        context_tokens: int = 128_000,
        price: Price | None = None,
    ) -> None:
        self.name = name
        self.context_tokens = context_tokens
        self.asked: list[tuple[Message, ...]] = []
        """Every conversation that was put to it, so that a test can read what the prompts held."""
        self._answers = answers
        self._price = price

    def complete(self, messages: Sequence[Message], *, on_text: Callable[[str], None] | None = None) -> Reply:
        """Return the next answer.

        Raises:
            ModelError: No answer is left.
        """
        self.asked.append(tuple(messages))
        if callable(self._answers):
            text = self._answers(messages)
        elif len(self.asked) > len(self._answers):
            raise ModelError(f"{self.name} has {len(self._answers)} answers and was asked for one more")
        else:
            text = self._answers[len(self.asked) - 1]
        if on_text is not None:
            for line in text.splitlines(keepends=True):
                on_text(line)
        tokens_in = sum(estimate_tokens(m.content) for m in messages)
        tokens_out = estimate_tokens(text)
        cost = self._price.cost(tokens_in, tokens_out) if self._price else None
        return Reply(text, tokens_in, tokens_out, cost, seconds=0.0, model=self.name, estimated=True)
