"""Sentiment reversal: the same review with the opposite feeling, about the same things, as strong as it was."""

from __future__ import annotations

from codeopt.selfrefine.text_task import Aspect, TextTask

TASK = TextTask(
    name="sentiment_reversal",
    role="You rewrite reviews so that they say the opposite: what was praised is blamed, what was blamed is praised. "
    "The subject, the facts that carry no feeling, the person who speaks and the length stay.",
    asked="the review",
    answer="the rewritten review",
    aspects=(
        Aspect(
            "reversal", "every judgement of the review is turned round; none is left as it was, none is only weaker"
        ),
        Aspect("strength", "the feeling is as strong as the review's, or stronger, and shown by details"),
        Aspect("content", "it is about the same things in the same order, and invents nothing beside"),
        Aspect("naturalness", "it reads like a review that a person wrote, not like one with words swapped"),
    ),
    advice="Change what happened, not only the adjectives: `the soup came cold` beats `the soup was bad`.",
)
