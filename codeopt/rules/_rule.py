"""The form of a rule: a callback on one kind of node, with the conditions for calling it."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from codeopt.analysis import AnalyzedProgram, Edit, RefusalReason, parse
from codeopt.core.revision import Revision
from codeopt.rules._context import Context
from codeopt.rules._hot_spots import Hot, HotFiles

Where = Literal["hot", "hot loop", "anywhere"]
Aim = Literal["time", "memory"]
"""Lines that a rule looks at: hot ones; hot ones in code that runs again and again; or the rule decides itself."""

Safety = Literal["safe", "unsafe"]
"""Safety, as with ruff's fixes: an unsafe rule depends on what the input looks like, so the test cases decide."""

LAST = 1000
"""Priority of a rule that names none."""

Visit = Callable[[Any, Context], Iterable[Edit]]


@dataclass(frozen=True)
class Example:
    """A small program that the rule changes, and the result. Run as a test."""

    before: str
    after: str


def as_diff(text: str, helper: str = "") -> Example:
    """The example whose two programs a diff shows: each line after two characters, `- ` before, `+ ` after.

    A line `+ ...` represents the helper, a function that the rule adds.
    """
    lines = text.replace("+ ...\n", "".join(f"+ {line}\n" for line in helper.splitlines())).splitlines()
    before = [line[2:] for line in lines if not line.startswith("+")]
    after = [line[2:] for line in lines if not line.startswith("-")]
    return Example("\n".join([*before, ""]), "\n".join([*after, ""]))


@dataclass(frozen=True)
class Rule:
    """One rewrite, made by `@rule`."""

    name: str
    """Name, which is that of the rule's file."""
    reason: str
    """Reason why the rule helps, in one line. Shown to users, and given to a language model as a hint where the rule
    matches."""
    preconditions: str
    """Conditions under which the rule refuses, and its assumptions."""
    example: Example
    kinds: tuple[type[ast.AST], ...]
    """Types of node that the rule is called with, in source order; ast.Module: once, with the whole program."""
    visit: Visit
    where: Where = "hot"
    priority: int = LAST
    """Position in the stack, from low to high: rules that make others match come first, then by measured pay, then by
    name."""
    safety: Safety = "safe"
    scripts_only: bool = False
    """Whether the rule is only for whole programs that read stdin and print, not for modules that others import."""
    builtins: tuple[str, ...] = ()
    """Builtins that the rule writes into programs: if one is rebound, the rule changes nothing."""
    aim: Aim = "time"
    """Benefit: a rule for memory is applied where memory is compared, or where it is asked for by name."""

    def rewrite(self, text: str, hot: Hot | None = None, *, exported: bool = False) -> str | None:
        """Return the new source. None: the rule does not match, or the behaviour might change.

        Args:
            text: Source of a program or module.
            hot: Its slow lines. None: all are slow.
            exported: Whether other files import it, so that not all calls of its functions are known.
        """
        program = self.parsed(text, exported=exported)
        if program is None:
            return None
        context = Context(program, hot or Hot())
        for node in self.wanted_nodes(context):
            context.edits += self.visit(node, context)
        return context.rewritten()

    def parsed(self, text: str, *, exported: bool) -> AnalyzedProgram | None:
        """The program as the rule reads it. None if no rule may touch it."""
        return parse(text, exported=exported)

    def reading(self, text: str, hot: Hot) -> tuple[AnalyzedProgram | None, Hot]:
        """The program of a target, and the lines of it that the rule may change."""
        return self.parsed(text, exported=False), hot

    def revise(self, revision: Revision, hot: HotFiles) -> Revision | None:
        """The new revision of a target that is one file. None when the rule does not match."""
        (path, text), *_ = revision.items()
        new = self.rewrite(text, hot.at(path))
        return None if new is None else revision.with_file(path, new)

    def wanted_nodes(self, context: Context) -> Iterator[ast.AST]:
        """The nodes that the rule is called with."""
        program = context.program
        if any(program.rebinds(name) for name in self.builtins):
            program.refusals.note(RefusalReason.REBOUND, program.tree)
            return
        nodes: Iterable[ast.AST] = program.nodes(*self.kinds)
        if self.where != "anywhere" and context.hot.lines:
            nodes = (node for node in nodes if isinstance(node, ast.Module) or context.is_hot(node))
        yield from (node for node in nodes if self.where != "hot loop" or program.loops.run_again(node))


def rule(
    *kinds: type[ast.AST],
    example: Example,
    where: Where = "hot",
    priority: int = LAST,
    safety: Safety = "safe",
    scripts_only: bool = False,
    builtins: tuple[str, ...] = (),
    aim: Aim = "time",
) -> Callable[[Visit], Rule]:
    """Make a rule of a function that is called with each node of these kinds and yields edits.

    The function's name is the rule's name. The first line of its docstring is the reason, the rest says the
    preconditions.
    """

    def make(visit: Visit) -> Rule:
        reason, _, preconditions = inspect.cleandoc(visit.__doc__ or "").partition("\n\n")
        said = " ".join(preconditions.split())
        return Rule(
            visit.__name__, reason, said, example, kinds, visit, where, priority, safety, scripts_only, builtins, aim
        )

    return make
