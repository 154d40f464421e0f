"""The work of one rule on one program: its edits, the names it takes, its imports, and values computed before a
loop."""

from __future__ import annotations

import ast

from codeopt.analysis import AnalyzedProgram, Edit, RefusalReason, last_line, together
from codeopt.rules._hot_spots import Hot
from codeopt.rules._imports import from_import, function_below, plain_import


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
