"""A language model as proposer: Self-Refine's critique and refine steps, with measurements of the judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from codeopt.core.errors import ModelError
from codeopt.core.history import Briefing, Candidate, Critique, Draft, History, Proposer
from codeopt.core.model import Message, Model, Reply, Usage, estimate_tokens
from codeopt.core.run_clock import LimitReached
from codeopt.core.sanitize import cut
from codeopt.models._reply import critique_text, draft_below, is_done, to_draft, without_thoughts
from codeopt.proposers._prompt import AnswerForm, Prompter, Step
from codeopt.proposers.feedback import GENERIC, FeedbackMode
from codeopt.tasks import Task
from codeopt_sandbox.outcome import Case

MAX_CRITIQUE_CHARS = 8_000
"""Most characters of a critique. A longer one comes from a model that does not stop; it would crowd out the history."""


class LanguageModel:
    """A language model that writes critiques and drafts. It never sees held-out cases.

    Args:
        model: The model.
        task: Meaning of a better program.
        cases: All cases.
        feedback: Parts of the feedback in the prompts, see FeedbackMode.
        notify: Receives one line if something did not fit or a reply was cut.
        briefing: Facts of the target in addition to its program.
        structured: Ask for answers as JSON objects, by a schema if the server takes one.
    """

    def __init__(
        self,
        model: Model,
        task: Task,
        cases: Sequence[Case],
        *,
        feedback: str = FeedbackMode.MEASURED_AND_CRITIQUE,
        notify: Callable[[str], None] | None = None,
        briefing: Briefing | None = None,
        structured: bool = False,
    ) -> None:
        self.name = model.name
        self._model = model
        self._mode = FeedbackMode(feedback)
        briefing = briefing or Briefing()
        form = AnswerForm.of(briefing, structured=structured)
        self._prompter = Prompter(task, tuple(cases), self._mode, form, briefing)
        self._notify = notify or (lambda line: None)

    def critique(self, history: History) -> Critique:
        """Return the critique of the newest program. In modes without a critique no model is asked, nor about a program
        that was not run: its rejection says all.

        It may come with a draft. A program that failed at a known line is mended without a critique.

        Raises:
            ModelError: The model's server cannot be used.
        """
        if self._mode is FeedbackMode.GENERIC:
            return Critique(GENERIC)
        newest = history.last
        if not self._mode.critique or (newest.rejection and newest.model and not newest.outcomes):
            return Critique("")
        if newest.model and self._mode.measured and (messages := self._prompter.repair(history)):
            mended = whole(self._model, messages, self._model.complete(messages))
            repair = replace(to_draft(mended.reply, newest.source), model=self.name)
            return Critique("", usage=mended.usage, draft=repair, repairs=True)
        answer = self._answer("critique", history)
        text, draft = draft_below(critique_text(answer.reply.text), answer.reply, history.original.source)
        shortened, done = cut(text, MAX_CRITIQUE_CHARS, MAX_CRITIQUE_CHARS // 8), is_done(answer.reply.text)
        draft = replace(draft, model=self.name) if draft else None
        return Critique(shortened, sufficient=done, usage=answer.usage, draft=draft)

    def refine(self, history: History) -> Draft:
        """The next program; of the original alone the paper's first draft. Raises ModelError."""
        answer = self._answer("refine", history)
        return replace(to_draft(answer.reply, history.original.source), usage=answer.usage, model=self.name)

    def preferred(self, history: History) -> Candidate | None:
        """Return None: there is no preference, the figures decide."""
        return None

    def _answer(self, step: Step, history: History) -> WholeReply:
        """The reply with its continuations."""
        # divisor of the context window for the part left free for the answer and a reasoning model's thoughts
        room = self._model.context_tokens - self._model.context_tokens // 4
        messages, lost = self._prompter.fit(step, history, room)
        if lost:
            self._notify(f"left out of the prompt, to fit {self._model.context_tokens:,} tokens of context: {lost}")
        if history.remark:
            messages = (*messages[:-1], replace(messages[-1], content=f"{messages[-1].content}\n\n{history.remark}"))
        answer = whole(self._model, messages, self._model.complete(messages))
        if answer.reply.cut:
            self._notify(f"the reply to the {step} request was cut at its length limit")
        return answer


# Continuation of a reply that met the server's limit for one answer.

GO_ON = """\
Your answer was cut off at its length limit. Go on exactly where it stops, from the very next character: no greeting, no
new fence, nothing said twice."""
ANSWER_NOW = """\
Your thoughts took all of the room for your answer. Do not think any further: give the answer itself now, in the form
that was asked for."""


@dataclass(frozen=True)
class WholeReply:
    """A reply with all its continuations."""

    reply: Reply
    usage: Usage


def whole(model: Model, messages: Sequence[Message], reply: Reply) -> WholeReply:
    """The whole reply and its usage, continued where it can be. When a continuation fails, the reply stays as it
    was."""
    usage = reply.usage
    # most continuations of one reply; a model that needs more does not stop
    for _ in range(2):
        asked = (*messages, Message("assistant", reply.text), Message("user", GO_ON))
        if not without_thoughts(reply.text):
            asked = (*messages[:-1], replace(messages[-1], content=f"{messages[-1].content}\n\n{ANSWER_NOW}"))
        size = sum(estimate_tokens(message.content) for message in asked)
        if not reply.can_go_on or 2 * estimate_tokens(reply.text) + size > model.context_tokens:
            break
        try:
            more = model.complete(asked)
        except (ModelError, LimitReached):  # the reply is paid for
            break
        usage += more.usage
        text = joined(reply.text, more.text) if without_thoughts(reply.text) else more.text
        reply = replace(more, text=text)
    return WholeReply(reply, usage)


def joined(first: str, second: str) -> str:
    """Two parts of one text, joined without repetitions and newly opened fences, in the way that gives a program."""
    ways = list(_ways(first, without_thoughts(second) if "</think>" in second else second))
    drafts = (to_draft(Reply(text, 0, 0, None, 0.0, "")) for text in ways)
    return next((text for text, draft in zip(ways, drafts, strict=True) if not draft.problem), ways[0])


def _ways(first: str, second: str) -> Iterator[str]:
    """Yield the possible joins: models repeat the end of the first part, open a new fence, or just continue."""
    head, _, rest = second.partition("\n")
    if head.strip().startswith("```") and "```" in rest:
        yield first + rest
        yield f"{first}\n{rest}"
    # most characters at the end of a reply that its continuation may repeat
    longest = min(200, len(first), len(second))
    # A few characters may be the same by chance: `1` after `x = 1`.
    said = next((size for size in range(longest, 9, -1) if first.endswith(second[:size])), 0)
    yield first + second[said:]
    yield f"{first}\n{second}"
    yield second  # it began again


# Several language models on one program: a round each in turn.


class TakeTurns:
    """Proposers in turn. The number of rounds so far decides the turn, so that a resumed run continues correctly."""

    def __init__(self, proposers: Sequence[Proposer]) -> None:
        self.name = ",".join(proposer.name for proposer in proposers)
        self._proposers = tuple(proposers)

    def critique(self, history: History) -> Critique:
        """The critique of the proposer whose turn it is."""
        return self._next(history).critique(history)

    def refine(self, history: History) -> Draft:
        """The draft of the proposer whose turn it is."""
        return self._next(history).refine(history)

    def preferred(self, history: History) -> Candidate | None:
        """Return None: there is no preference, the figures decide."""
        return None

    def _next(self, history: History) -> Proposer:
        return self._proposers[history.turn % len(self._proposers)]
