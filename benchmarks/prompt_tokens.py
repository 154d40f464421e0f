"""Tokens by part of the prompts for round 3 of five functions and three projects.

    python -m benchmarks.prompt_tokens [NAME ...] [--write]

Tokens are the project's own estimate, a third of a text's bytes, which is on the high side: by a tokenizer they are
about a quarter fewer. --write refreshes the golden files of tests/codeopt/prompts, which
tests/codeopt/prompts/test_prompts.py compares. The goal is 6,000 for a function of 60 lines (`ledgers`), 8,000 for a
project.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence

from codeopt.core.model import Message, estimate_tokens
from tests.support.prompts import HOME, PROJECTS, TARGETS, Prompts, as_text, record_prompts

PARTS = ("system", "examples", "programs", "about", "measured", "critiques", "question", "all")


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    print(f"{'':10}" + "".join(f"{part:>10}" for part in PARTS))
    for name in arguments.names or (*TARGETS, *PROJECTS):
        prompts = record_prompts(name)
        tokens = by_part(prompts.drafts[-1])
        print(f"{name:10}" + "".join(f"{tokens[part]:>10,}" for part in PARTS), flush=True)
        if arguments.write:
            write(name, prompts)
    return 0


def by_part(messages: Sequence[Message]) -> dict[str, int]:
    """Tokens of one request."""
    system, *examples, question = messages
    texts = {part: "" for part in PARTS}
    texts["system"], texts["examples"] = system.content, "".join(message.content for message in examples)
    head, *rounds = re.split(r"(?m)^(?=## Round \d+: )", question.content)
    *bodies, last = rounds
    last, _, ask = last.partition("\nWrite the next program")
    for text in [*bodies, last]:
        text, _, critique = text.partition("\n### Critique\n")
        text, _, measured = text.partition("\n### Measured\n")
        program, fence, about = text.rpartition("\n```\n\n`") if text.startswith("## Round 0") else (text, "", "")
        texts["programs"] += program
        texts["about"] += fence + about
        texts["measured"] += measured
        texts["critiques"] += critique
    texts["question"] = head + ask
    texts["all"] = "".join(message.content for message in messages)
    return {part: estimate_tokens(text) for part, text in texts.items()}


def write(name: str, prompts: Prompts) -> None:
    """Refresh a golden file."""
    (HOME / "golden").mkdir(exist_ok=True)
    (HOME / "golden" / f"{name}.md").write_text(as_text(prompts))


if __name__ == "__main__":
    raise SystemExit(main())
