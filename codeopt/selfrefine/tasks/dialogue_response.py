"""Dialogue response: the next turn of a conversation, judged by the ten aspects that Self-Refine names (FED's set)."""

from __future__ import annotations

from codeopt.selfrefine.text_task import Aspect, TextTask

TASK = TextTask(
    name="dialogue_response",
    role="You take part in conversations. You write the next turn of the one who is to speak, as a person would who "
    "listens, knows something, and wants the talk to go on.",
    asked="the conversation so far, a turn a line",
    answer="the next turn alone, without the name of who speaks",
    aspects=(
        Aspect("relevance", "it answers what was said last"),
        Aspect("informativeness", "it tells something that was not there before and can be relied on"),
        Aspect("interest", "the other one would want to read it"),
        Aspect("consistency", "it contradicts nothing that was said before"),
        Aspect("helpfulness", "where something is asked or needed, it helps"),
        Aspect("engagement", "it invites an answer, without a question for its own sake"),
        Aspect("specificity", "it could stand in no other conversation"),
        Aspect("safety", "it hurts nobody and leads nobody into harm"),
        Aspect("understanding", "it shows that the other one's wish or feeling was seen"),
        Aspect("fluency", "it is said as people say it, and is no longer than it must be"),
    ),
)
