"""A language model as proposer: Self-Refine's critique and refine steps, told by the judge what was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from codeopt.core.briefing import Briefing
from codeopt.core.errors import ModelError
from codeopt.core.history import Candidate, Critique, Draft, History
from codeopt.core.model import Message, Model, Reply, replies
from codeopt.core.sanitize import cut
from codeopt.models._reply import critique_text, is_done, to_draft
from codeopt.proposers._answer_form import AnswerForm, Step
from codeopt.proposers._continuation import WholeReply, whole
from codeopt.proposers._prompt import Extent, Prompter
from codeopt.proposers.feedback import GENERIC, FeedbackMode
from codeopt.tasks import Task
from codeopt_sandbox.outcome import Case

ANSWER_DIVISOR = 4
"""Divisor of the context window for the part left free for the answer and a reasoning model's thoughts."""

MAX_CRITIQUE_CHARS = 8_000
"""Most characters of a critique. A longer one comes from a model that does not stop; it would crowd out the history."""


class LanguageModel:
    """Asks `model` for critiques and drafts; knows `cases`, of which the held-out ones are never shown.

    feedback: which parts of the feedback go into the prompts, see FeedbackMode.
    history: "full" shows every round that fits, "last" the original's program and the newest round.
    hints: rewrites worth a try, one line each, such as what the built-in rules find.
    on_text: receives the text of a reply as it arrives.
    notify: receives one line when something did not fit or a reply was cut.
    briefing: what is known of the target beside its program.
    structured: answers are asked for as JSON objects, by a schema where the server takes one.
    """

    def __init__(
        self,
        model: Model,
        task: Task,
        cases: Sequence[Case],
        *,
        feedback: str = FeedbackMode.MEASURED_AND_CRITIQUE,
        history: Extent = "full",
        hints: Sequence[str] = (),
        on_text: Callable[[str], None] | None = None,
        notify: Callable[[str], None] | None = None,
        briefing: Briefing | None = None,
        structured: bool = False,
    ) -> None:
        self.name = model.name
        self._model = model
        self._mode = FeedbackMode(feedback)
        briefing = briefing or Briefing()
        self._prompter = Prompter(
            task.for_functions() if briefing.functions else task,
            tuple(cases),
            self._mode,
            history,
            tuple(hints),
            AnswerForm.of(briefing, structured=structured),
            briefing,
        )
        self._on_text = on_text
        self._notify = notify or (lambda line: None)

    def critique(self, history: History) -> Critique:
        """The critique of the newest program; in the modes that do without one, no model is asked. Raises
        ModelError."""
        if self._mode is FeedbackMode.GENERIC:
            return Critique(GENERIC)
        if not self._mode.critique:
            return Critique("")
        answer = next(self._answers("critique", history, 1))
        text = critique_text(answer.reply.text)
        shortened = cut(text, MAX_CRITIQUE_CHARS, MAX_CRITIQUE_CHARS // 8)
        return Critique(shortened, sufficient=is_done(answer.reply.text), usage=answer.usage)

    def refine(self, history: History) -> Draft:
        """The next program. With the original alone this is the paper's first draft. Raises ModelError."""
        return next(self.variants(history, 1))

    def variants(self, history: History, count: int) -> Iterator[Draft]:
        """Several next programs, each as soon as its reply is there. Raises ModelError where no reply could be had."""
        for answer in self._answers("refine", history, count):
            yield replace(to_draft(answer.reply, history.original.source), usage=answer.usage, model=self.name)

    def preferred(self, history: History) -> Candidate | None:
        """No preference: the figures decide."""
        return None

    def _answers(self, step: Step, history: History, count: int) -> Iterator[WholeReply]:
        """`count` replies, each with its continuations."""
        room = self._model.context_tokens - self._model.context_tokens // ANSWER_DIVISOR
        messages, lost = self._prompter.fit(step, history, room)
        if lost:
            self._notify(f"left out of the prompt, to fit {self._model.context_tokens:,} tokens of context: {lost}")
        if history.remark:
            messages = (*messages[:-1], replace(messages[-1], content=f"{messages[-1].content}\n\n{history.remark}"))
        for reply in self._replies(messages, count):
            answer = whole(self._model, messages, reply, self._on_text)
            if answer.reply.cut:
                self._notify(f"the reply to the {step} request was cut at its length limit")
            yield answer

    def _replies(self, messages: Sequence[Message], count: int) -> Iterator[Reply]:
        """The model's replies; when several are asked for, the failure of one does not lose the others."""
        if count == 1:
            yield self._model.complete(messages, on_text=self._on_text)
            return
        came = 0
        try:
            for reply in replies(self._model, messages, count):
                came += 1
                yield reply
        except ModelError as error:
            if not came:
                raise
            self._notify(f"{came} of {count} drafts came: {error}")
