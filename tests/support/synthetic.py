"""Problem sets of any size with programs that take milliseconds, and a model's server that knows their answers."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.wire_steps import Step, answer, cut, garbage, status

SLOW = """\
# problem {number}
n = int(input())
total = 0
for i in range(n * {work}):
    total += i % 7
print(sum(range(n)) + {number})
"""
FAST = "# problem {number}\nn = int(input())\nprint(n * (n - 1) // 2 + {number})\n"
QUICK = (
    "--max-pairs",
    "20",
    "--no-profile",
    "--mutated-inputs",
    "off",
    "--sandbox",
    "process",
    "-n",
    "1",
)
"""Flags that make the judge of a batch as quick as it gets; for tests of everything but the judge."""


def write_set(folder: Path, count: int, *, work: int = 1000, cases: tuple[int, ...] = (20, 100)) -> Path:
    """A PIE-style JSONL of `count` problems with its cases beside it; returns the JSONL."""
    with (folder / "pairs.jsonl").open("w") as file:
        for number in range(count):
            home = folder / f"s{number:05}"
            home.mkdir()
            for at, n in enumerate(cases):
                (home / f"input.{at}.txt").write_text(f"{n}\n")
                (home / f"output.{at}.txt").write_text(f"{n * (n - 1) // 2 + number}\n")
            slow, fast = SLOW.format(number=number, work=work), FAST.format(number=number)
            file.write(json.dumps({"problem_id": home.name, "input": slow, "target": fast}) + "\n")
    return folder / "pairs.jsonl"


def answers(faults: float = 0.0, seed: int = 0) -> Callable[[Any], str | Step]:
    """What the server does with a request: the right draft, or with probability `faults` trouble."""
    draw, lock = random.Random(seed), threading.Lock()

    def respond(request: Any) -> str | Step:
        prompt = "\n".join(message["content"] for message in request["messages"])
        reply = _reply(prompt)
        with lock:
            trouble = draw.random() < faults
            kind = draw.randrange(4)
        if not trouble:
            return answer(reply)
        return (status(429, retry_after="0.01"), status(500), cut(reply, after=3), garbage())[kind]

    return respond


def _reply(prompt: str) -> str:
    number = int(prompt.rpartition("# problem ")[2].split()[0])
    if "Write a critique" in prompt:
        return "Line 4 is a loop whose result is not needed.\nVERDICT: IMPROVE"
    return f"SUMMARY: a closed form\n```python\n{FAST.format(number=number)}```\n"
