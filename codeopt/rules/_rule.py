"""The form of a rule: a callback on one kind of node, with the conditions for calling it."""

from __future__ import annotations

import ast
import difflib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from codeopt.analysis import AnalyzedProgram, Edit, RefusalReason, Variable, first_line, last_line, parse, together
from codeopt.analysis.nodes import import_index
from codeopt.core.revision import Revision
from codeopt_sandbox.profile import Profile

Where = Literal["hot", "hot loop", "anywhere"]
"""Lines that a rule looks at: hot ones; hot ones in code that runs again and again; or the rule decides itself."""

Safety = Literal["safe", "unsafe"]
"""Safety, as with ruff's fixes: an unsafe rule depends on what the input looks like, so the test cases decide."""

LAST = 1000
"""Priority of a rule that names none."""


# The work of one rule on one program: its edits, the names it takes, its imports, and values computed before a loop.


class Context:
    """The second argument of a rule. A rule yields edits that replace text. It asks the context for everything around
    them."""

    def __init__(self, program: AnalyzedProgram, hot: Hot) -> None:
        self.program, self.hot = program, hot
        self.edits: list[Edit] = []
        """The edits that the rule has yielded so far."""
        self._taken: set[str] = set()
        self._before: dict[tuple[ast.stmt, str], str] = {}
        self._functions: dict[str, str] = {}
        self._names: dict[str, set[str]] = {}
        self._modules: set[str] = set()

    def is_hot(self, node: ast.AST) -> bool:
        """Return whether some line of the node is worth changing. For a node without lines, of the node around it."""
        while not hasattr(node, "lineno"):
            node = self.program.scopes.parent[node]
        return self.hot.touches(node.lineno, last_line(node))

    def new_name(self, *wanted: str) -> str:
        """A new name: the first of the names, else the first with a number, that the program does not have. Taken from
        now on."""
        name = self.program.fresh(*wanted, taken=self._taken)
        self._taken.add(name)
        return name

    def bind_before(self, place: ast.stmt, value: str, *wanted: str) -> str:
        """Return the name of a value that is computed before this statement. Equal values share a name."""
        if (place, value) not in self._before:
            self._before[place, value] = self.new_name(*wanted)
        return self._before[place, value]

    def define(self, function: str, *wanted: str) -> str:
        """The name of a new function at the top; {name} represents it in the text."""
        if function not in self._functions:
            self._functions[function] = self.new_name(*wanted)
        return self._functions[function]

    def import_from(self, package: str, *names: str) -> None:
        """Add `from package import names`. The program stays as it is where one of the names means something else."""
        self._names.setdefault(package, set()).update(names)

    def import_module(self, name: str) -> None:
        """Add `import name`."""
        self._modules.add(name)

    def rewritten(self) -> str | None:
        """Return the new text. None if there is nothing to do, or when something prevents it."""
        imported = self._imports() if self.edits else None
        if imported is None:
            return None
        for function, name in self._functions.items():
            lines = function.format(name=name).replace("    ", self.program.indent).split("\n")
            imported = function_below(self.program, imported, lines)
        before = [self.program.before(place, f"{name} = {value}") for (place, value), name in self._before.items()]
        return self.program.edited([*imported, *before, *self.edits])

    def _imports(self) -> list[Edit] | None:
        found = [plain_import(self.program, name) for name in sorted(self._modules)]
        found += [from_import(self.program, package, *sorted(names)) for package, names in self._names.items()]
        if None in found:
            self.program.refusals.note(RefusalReason.NAME_TAKEN, self.program.tree)
        return together(found)


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
    """Name, which is that of the rule's function."""
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

    def rewrite(self, text: str, hot: Hot | None = None, *, exported: bool = False) -> str | None:
        """Return the new source. None: the rule does not match, or the behaviour might change.

        Args:
            text: Source of a program or module.
            hot: Its slow lines. None: all are slow.
            exported: Whether other files import it, so that not all calls of its functions are known.
        """
        program = self.parsed(text, exported=exported)
        return None if program is None else self._applied(program, hot or Hot())

    def _applied(self, program: AnalyzedProgram, hot: Hot) -> str | None:
        context = Context(program, hot)
        for node in self.wanted_nodes(context):
            context.edits += self.visit(node, context)
        return context.rewritten()

    def asks_types(self, text: str) -> bool:
        """Return whether the rule looks at a type before it decides: to others no type makes a difference."""
        program, hot = self.reading(text, Hot())
        if program is None:
            return False
        fresh = AnalyzedProgram(program.text, program.tree, program.scopes, program.order)
        self._applied(fresh, hot)
        return "types" in vars(fresh)

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
) -> Callable[[Visit], Rule]:
    """Make a rule of a function that is called with each node of these kinds and yields edits.

    The function's name is the rule's name. The first line of its docstring is the reason, the rest says the
    preconditions.
    """

    def make(visit: Visit) -> Rule:
        reason, _, preconditions = inspect.cleandoc(visit.__doc__ or "").partition("\n\n")
        said = " ".join(preconditions.split())
        return Rule(
            visit.__name__, reason, said, example, kinds, visit, where, priority, safety, scripts_only, builtins
        )

    return make


# New lines at the top of a program: imports, names and functions, above everything else.

BLOCKS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
BINDING = re.compile(r"[ \t]*\r?\n(?=\w+ = sys\.\w)")
"""A blank line, followed by a short name for something in sys."""


def bind_stream(program: AnalyzedProgram, name: str, path: str) -> Edit:
    """`name = sys.<path>` after the imports at the top, with `import sys` where it is missing."""
    if "sys" in _plainly_imported(program):
        return below_imports(program, [f"{name} = sys.{path}"])
    if program.scopes.stores(Variable(program.tree, "sys")):
        first, _, rest = path.partition(".")
        return below_imports(program, [f"{name} = {first}.{rest}"], [f"from sys import {first}"])
    return below_imports(program, [f"{name} = sys.{path}"], ["import sys"])


def top_imports(program: AnalyzedProgram) -> list[ast.stmt]:
    """The docstring and the imports before any other statement."""
    return program.tree.body[: import_index(program.tree.body)]


def _plainly_imported(program: AnalyzedProgram) -> set[str]:
    """The modules that the program imports at its top, by their own names."""
    top = [statement for statement in top_imports(program) if isinstance(statement, ast.Import)]
    return {alias.name for statement in top for alias in statement.names if not alias.asname}


def below_imports(program: AnalyzedProgram, lines: list[str], imports: list[str] | None = None) -> Edit:
    """Put further imports, a blank line and the lines below the imports; blank lines around them as usual."""
    top = top_imports(program)
    lines = [*(imports or []), "", *lines] if imports or top else lines
    rest = program.tree.body[len(top)] if len(top) < len(program.tree.body) else None
    if not top and rest is not None:
        return _above(program, rest, lines)
    at = program.next_line(top[-1])
    if not imports and (beside := BINDING.match(program.text, at)) and BINDING.match("\n" + lines[-1]):
        return Edit(beside.end(), beside.end(), lines[-1] + program.newline)  # next to one that another rule made
    blank = re.match(r"(?:[ \t]*\r?\n)*", program.text[at:])
    below = program.text[at:].partition("\n")[0].strip()
    block = below.startswith(("def ", "class ", "@", "async "))
    gap = ["", ""] if block else [""] if below else []
    if lines[-1][:1].isspace() and blank:  # the end of a function
        gap = [""] * (2 - min(2, blank[0].count("\n")))
    return Edit(at, at, "".join(line + program.newline for line in [*lines, *gap]))


def function_below(program: AnalyzedProgram, imported: list[Edit], lines: list[str]) -> list[Edit]:
    """The edits that import what a new function needs, if anything, and put its lines below the imports."""
    if top_imports(program):
        return [*imported, below_imports(program, ["", *lines])]
    needs = [line for edit in imported for line in [edit.text.strip(), "", ""]]
    return [_above(program, program.tree.body[0], [*needs, *lines])]


def _above(program: AnalyzedProgram, first: ast.stmt, lines: list[str]) -> Edit:
    """Put lines above the first statement: directly below the comments at the top, if blank lines follow those."""
    gap = 2 if isinstance(first, BLOCKS) or lines[-1][:1].isspace() else 1
    at = program.offset(first_line(first), 0)
    comments = program.text[:at].rstrip()
    blank = program.text[len(comments) : at].count("\n") - 1
    if not comments or blank < 1:
        return program.before(first, *lines, *([""] * gap))
    below = program.text.index("\n", len(comments)) + 1
    return Edit(below, below, "".join(line + program.newline for line in [*lines, *([""] * (gap - blank))]))


def from_import(program: AnalyzedProgram, package: str, *names: str) -> list[Edit] | None:
    """The edit that makes names of a package available at module level; None when one of them is taken."""
    top = top_imports(program)
    imported = [s for s in top if isinstance(s, ast.ImportFrom) and s.module == package and not s.level]
    missing = []
    for name in names:
        stores = program.scopes.stores(Variable(program.tree, name))
        if len(stores) == 1 and any(a.name == name and not a.asname for s in imported for a in s.names):
            continue
        if stores or name in program.words:
            return None
        missing.append(name)
    return [_import_line(program, f"from {package} import {', '.join(missing)}")] if missing else []


def plain_import(program: AnalyzedProgram, name: str) -> list[Edit] | None:
    """The edit that makes `import name` available at module level. None when the name means something else."""
    bound = [variable for variable in program.scopes.uses if variable.name == name]
    if bound == [Variable(program.tree, name)] and len(program.scopes.stores(bound[0])) == 1:
        return [] if name in _plainly_imported(program) else None
    return [_import_line(program, f"import {name}")] if not bound and not program.scopes.star_hides(name) else None


def _import_line(program: AnalyzedProgram, line: str) -> Edit:
    """The edit that puts an import below those at the top."""
    top = top_imports(program)
    return program.below(top[-1], line) if top else _above(program, program.tree.body[0], [line])


# Lines of a program that are worth changing, by its profile.

MIN_HOT_SHARE = 0.005
"""Least share of the time by which a line is worth changing. Flat profiles have dozens of lines at 2 %."""


@dataclass(frozen=True)
class Hot:
    """The 1-based lines worth changing, hottest first. Empty: nothing was measured, so every line may be."""

    lines: tuple[int, ...] = ()

    @classmethod
    def of(cls, profile: Profile | None) -> Hot:
        """The lines that took a measurable share of the time."""
        if profile is None:
            return cls()
        return cls(tuple(h.line for h in profile.lines if h.share >= MIN_HOT_SHARE))

    def touches(self, first: int, last: int) -> bool:
        """Return whether some line from `first` to `last` is worth changing."""
        return not self.lines or any(first <= line <= last for line in self.lines)

    def moved(self, old: str, new: str) -> Hot:
        """The same lines in a rewritten text. Every line of a changed block is hot when one of the old block was."""
        if not self.lines:
            return self
        before, after = ([line.strip() for line in text.splitlines()] for text in (old, new))
        place: dict[int, list[int]] = {}
        for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            for i in range(i1, i2):
                place[i + 1] = [j1 + i - i1 + 1] if tag == "equal" else list(range(j1 + 1, j2 + 1))
        return Hot(tuple(dict.fromkeys(line for old_line in self.lines for line in place.get(old_line, ()))))


@dataclass(frozen=True)
class HotFiles:
    """The lines worth changing of each file of a revision."""

    files: tuple[tuple[str, Hot], ...] = ()
    """Hot lines by path. A file without any is left out."""

    @classmethod
    def of(cls, profile: Profile | None, least: float = MIN_HOT_SHARE) -> HotFiles:
        """The lines that took at least this share of the time."""
        lines: dict[str, tuple[int, ...]] = {}
        for line in profile.lines if profile else ():
            if line.share >= least:
                lines[line.file] = (*lines.get(line.file, ()), line.line)
        return cls(tuple((path, Hot(numbers)) for path, numbers in lines.items()))

    def at(self, path: str) -> Hot:
        """The hot lines of one file."""
        return dict(self.files).get(path, Hot())

    def moved(self, old: Revision, new: Revision) -> HotFiles:
        """The same lines in a rewritten revision."""
        return HotFiles(tuple((path, hot.moved(old[path], new[path])) for path, hot in self.files if path in new))
