"""Flags about who writes the drafts, and the proposer that they ask for."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from codeopt.errors import UsageError

if TYPE_CHECKING:
    from codeopt.history import Candidate
    from codeopt.loop import RefineLoop
    from codeopt.models import Model, Price
    from codeopt.proposers import Proposer
    from codeopt.proposers.rules import Rules
    from codeopt.tasks import Task
    from sandbox.outcome import Case
    from sandbox.profile import Mode

RULES = "rules"
DEFAULT_MODEL = "gpt-5"
FEEDBACK = ["measured+critique", "measured", "critique", "generic", "none"]


class Voice(Protocol):
    """Who is told what the model does: a Console, or a worker of a batch."""

    def progress(self, line: str) -> None:
        """What is being done now."""
        ...

    def warn(self, line: str) -> None:
        """What the user should know."""
        ...


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """Who writes the drafts."""
    group = parser.add_argument_group("drafts")
    group.add_argument(
        "-m",
        "--model",
        metavar="NAME",
        help="rules, a model's name, or replay:FILE (default: a model if one is set up, by OPENAI_API_KEY or "
        "OPENAI_BASE_URL, else rules)",
    )
    group.add_argument("--base-url", metavar="URL", help="an OpenAI-compatible server (OPENAI_BASE_URL)")
    group.add_argument("--api-key-env", metavar="NAME", help="environment variable that holds the key (OPENAI_API_KEY)")
    group.add_argument("--feedback", choices=FEEDBACK, default=FEEDBACK[0], help="what a model is told (%(default)s)")
    group.add_argument(
        "--history", choices=["full", "last"], default="full", help="how many rounds a model sees (%(default)s)"
    )
    group.add_argument("--context-tokens", type=int, default=128_000, metavar="N", help="of the model (%(default)d)")
    group.add_argument(
        "--model-timeout", type=float, default=300.0, metavar="S", help="longest silence of the server (%(default)g)"
    )
    group.add_argument("--record", type=Path, metavar="FILE", help="keep the conversation, for --model replay:FILE")
    group.add_argument("--select", metavar="RULES", help="only these built-in rules, separated by commas")
    group.add_argument("--model-only", action="store_true", help="do not begin with what the rules make of a program")
    group.add_argument("--ignore", metavar="RULES", help="not these built-in rules")


def wants_model(arguments: argparse.Namespace) -> bool:
    """Whether a language model writes the drafts, by flag or because one is set up."""
    if arguments.model:
        return bool(arguments.model != RULES)
    return bool(arguments.base_url or os.environ.get("OPENAI_API_KEY") or os.environ.get("OPENAI_BASE_URL"))


def writer(arguments: argparse.Namespace) -> str:
    """Who writes the drafts, by name."""
    return str(arguments.model or DEFAULT_MODEL) if wants_model(arguments) else RULES


def profile_modes(model: bool) -> tuple[Mode, ...]:
    """What a proposer reads of the original's profile: the rules only where the time goes."""
    return ("lines", "scalene") if model else ("lines",)


def check_proposer(arguments: argparse.Namespace, task: Task) -> None:
    """Refuse, before anything is run, what could not write drafts. Raises UsageError, ModelError."""
    _rules(arguments)
    if wants_model(arguments):
        _check_recording(arguments)
        _open_model(arguments, lambda line: None)
    elif task.name == "readability":
        raise UsageError("the built-in rules know nothing of readability; give a model (--model NAME)")


def open_proposer(
    arguments: argparse.Namespace,
    task: Task,
    cases: Sequence[Case],
    original: Candidate,
    work: RefineLoop,
    folder: Path,
    console: Voice,
    wrap: Callable[[Model], Model] | None = None,
) -> Proposer:
    """The proposer that the flags ask for; tokens and money are counted in `work.ledger`.

    wrap: puts something between the proposer and its model, which then leaves retries to it.
    """
    check_proposer(arguments, task)
    rules = _rules(arguments)
    if not wants_model(arguments):
        return rules
    from codeopt.models import Reply
    from codeopt.proposers.language_model import LanguageModel
    from codeopt.proposers.rules import matches
    from codeopt.proposers.rules_first import RulesFirst

    def count(reply: Reply) -> None:
        work.ledger = work.ledger.add(reply)

    received = 0

    def show(text: str) -> None:
        nonlocal received
        received += len(text)
        console.progress(f"the model writes, {received} characters so far")

    model = _model(arguments, console) if wrap is None else wrap(_model(arguments, console, max_retries=0))
    hints = [f"{match.rule.name}: {match.rule.reason}" for match in matches(rules.rules, original)]
    proposer = LanguageModel(
        model,
        task,
        cases,
        feedback=arguments.feedback,
        history=arguments.history,
        hints=hints if task.metric == "time" and task.name == "runtime" else (),
        on_reply=count,
        on_text=show,
        notify=console.warn,
    )
    return proposer if task.name != "runtime" or arguments.model_only else RulesFirst(rules, proposer)


def _rules(arguments: argparse.Namespace) -> Rules:
    from codeopt.proposers.rules import Rules

    return Rules(_names(arguments.select), _names(arguments.ignore))


def open_plain_model(arguments: argparse.Namespace, console: Voice) -> Model:
    """The model that the flags ask for, to be asked something beside critiques and drafts."""
    return _model(arguments, console)


def _model(arguments: argparse.Namespace, console: Voice, max_retries: int = 2) -> Model:
    from codeopt.models._counted import Counted
    from codeopt.models.replay import Recorder

    model = _open_model(arguments, console.warn, max_retries)
    if on_reply := getattr(arguments, "on_reply", None):  # no flag: a review counts what all its functions cost
        model = Counted(model, on_reply)
    return model if arguments.record is None else Recorder(model, arguments.record)


def _open_model(arguments: argparse.Namespace, notify: Callable[[str], None], max_retries: int = 2) -> Model:
    from codeopt.models import open_model

    return open_model(
        arguments.model or DEFAULT_MODEL,
        base_url=arguments.base_url,
        api_key_env=arguments.api_key_env,
        timeout_s=arguments.model_timeout,
        context_tokens=arguments.context_tokens,
        prices=_prices(),
        notify=notify,
        max_retries=max_retries,
    )


def _check_recording(arguments: argparse.Namespace) -> None:
    if arguments.record is not None and arguments.record.exists() and not arguments.resume:
        raise UsageError(f"--record {arguments.record} exists; name another file, or remove it")


def _prices() -> dict[str, Price]:
    """[tool.codeopt.prices."MODEL"] with input and output in USD per million tokens."""
    from codeopt.models import Price
    from codeopt.settings import read_settings

    table, path = read_settings(Path.cwd())
    prices = {}
    for name, price in table.get("prices", {}).items():
        try:
            prices[name] = Price(float(price["input"]), float(price["output"]))
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(f'{path}: [tool.codeopt.prices."{name}"] needs the numbers input and output') from error
    return prices


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]
