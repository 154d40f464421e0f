"""The preference judge on pairs with a known better side: bundled programs against mangled copies of themselves.

    python -m benchmarks.preference [--pairs 20] [--model NAME]

A copy has lost its comments, its docstrings and its names; every second one is the longer text, by empty comments. Each
pair is given in both orders, and each order is asked twice: (good, mangled) and (mangled, good) must come to the same
answer or a tie. The readers are a rule (the measures of `--task readability`), one who always takes what stands first,
one who takes the longer text, one who draws lots, and with --model a language model. Printed: how often the good side
won, its share with a 95 % interval (a tie is no win), and answers that were turned round when the sides were. The
command fails where there is one of those, but for the lots.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from codeopt.batch.results.statistics import wilson
from codeopt.core.history import Preferred
from codeopt.core.model import Message, Model
from codeopt.core.options import ImproveOptions
from codeopt.engine.llm_judge import LlmJudge
from codeopt.engine.open_session import open_session
from codeopt.models.scripted import Scripted
from codeopt.tasks.readability import QUESTION, gain

PROBLEMS = Path(__file__).parents[1] / "problems"
Answer = Callable[[str, str], str]


class Mangled(ast.NodeTransformer):
    """Names of the program's own become v0, v1 and so on; docstrings go."""

    def __init__(self, tree: ast.Module) -> None:
        nodes = list(ast.walk(tree))
        stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        stored |= {n.name for n in nodes if isinstance(n, ast.FunctionDef)} | {
            n.arg for n in nodes if isinstance(n, ast.arg)
        }
        kept = set(dir(builtins)) | {n.attr for n in nodes if isinstance(n, ast.Attribute)} | {"self"}
        kept |= {n.arg for n in nodes if isinstance(n, ast.keyword) and n.arg} | {
            n for n in stored if n.startswith("__")
        }
        self.names = {name: f"v{at}" for at, name in enumerate(sorted(stored - kept))}

    def visit_Name(self, node: ast.Name) -> ast.Name:  # noqa: N802 - the library's name
        """Rename it."""
        return ast.Name(self.names.get(node.id, node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """Rename it."""
        return ast.arg(self.names.get(node.arg, node.arg))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:  # noqa: N802 - the library's name
        """Rename it and remove its docstring."""
        node.name = self.names.get(node.name, node.name)
        if ast.get_docstring(node) is not None and len(node.body) > 1:
            del node.body[0]
        return self.generic_visit(node)


def mangled(source: str) -> str:
    """Return the same program, less readable. Comments are lost with the layout."""
    tree = ast.parse(source)
    return ast.unparse(Mangled(tree).visit(tree)) + "\n"


def pairs(count: int) -> list[tuple[str, str]]:
    """(good, mangled) of so many bundled programs."""
    files = sorted(PROBLEMS.glob("*/slow.py")) + sorted(PROBLEMS.glob("*/fast.py"))
    texts = [path.read_text("utf-8") for path in files[:count]]
    return [(text, mangled(text) + "#\n" * len(text) * (at % 2)) for at, text in enumerate(texts)]


def scripted(answer: Answer) -> Model:
    """A reader who answers by a function of both texts."""

    def reply(messages: Sequence[Message]) -> str:
        a, b = re.findall(r"## [AB]\n`+\n(.*?)\n`+", messages[-1].content, re.DOTALL)
        return f"It decides.\nBETTER: {answer(a, b)}"

    return Scripted(reply)


def by_rule(a: str, b: str) -> str:
    """Choose by the measures."""
    found = gain(a, b) or 0.0
    other = gain(b, a) or 0.0
    return "A" if found > max(0.0, other) else "B" if other > max(0.0, found) else "SAME"


def readers(model: str) -> dict[str, Model]:
    """Return the readers by name."""
    lots = random.Random(1)
    found = {
        "by rule": scripted(by_rule),
        "always the first": scripted(lambda a, b: "A"),
        "the longer": scripted(lambda a, b: "A" if len(a) > len(b) else "B"),
        "by lot": scripted(lambda a, b: lots.choice("AB")),
    }
    return {**found, model: open_session().open_model(ImproveOptions(model=model), print)} if model else found


def main() -> int:
    """A row for each reader."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--model", default="", metavar="NAME", help="a language model that reads, too")
    arguments = parser.parse_args()
    known, turned_round = pairs(arguments.pairs), 0
    print(f"{'reader':<20}{'good':>6}{'mangled':>9}{'tie':>5}   {'share of the good side':<24}{'turned':>7}")
    for name, model in readers(arguments.model).items():
        reader = LlmJudge(model, QUESTION)
        one = [reader.prefer(worse, good)[0].winner for good, worse in known]
        other = [reader.prefer(good, worse)[0].winner for good, worse in known]
        wins, losses = one.count(Preferred.SECOND), one.count(Preferred.FIRST)
        turned = sum(a is b and a is not Preferred.NEITHER for a, b in zip(one, other, strict=True))
        turned_round += turned if name != "by lot" else 0
        share = wilson(wins, len(known))
        told = f"{share.value:.0%} ({share.low:.0%} to {share.high:.0%})"
        print(f"{name:<20}{wins:>6}{losses:>9}{len(known) - wins - losses:>5}   {told:<24}{turned:>7}")
    return 1 if turned_round else 0


if __name__ == "__main__":
    raise SystemExit(main())
