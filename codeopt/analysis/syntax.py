"""A program with exact positions: read the tree, replace text, keep everything else as it was written."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, lru_cache
from itertools import chain, count
from typing import NamedTuple, TypeVar

from codeopt.analysis.nodes import binding, binding_needed, blocks, first_line, names_in
from codeopt.analysis.scopes import Scopes, Variable

Node = TypeVar("Node", bound=ast.AST)


class Edit(NamedTuple):
    """Replace text[start:end]."""

    start: int
    end: int
    text: str


Edits = Iterable[Edit]
"""The edits of a rule for one node: yielded one after the other, or a list."""


def together(groups: Iterable[list[Edit] | None]) -> list[Edit] | None:
    """Return all of the edits. None if a group is None, an edit that cannot be made."""
    edits: list[Edit] = []
    for group in groups:
        if group is None:
            return None
        edits += group
    return edits


@dataclass
class RefusalReasons:
    """The reasons that the questions about one program collect."""

    lines: dict[RefusalReason, set[int]] = field(default_factory=dict)
    """Lines of the nodes in question, by reason."""

    def note(self, reason: RefusalReason, node: ast.AST) -> None:
        """Note that the answer to a question about the node was no."""
        self.lines.setdefault(reason, set()).add(getattr(node, "lineno", 1))

    def unless(self, answer: bool, reason: RefusalReason, node: ast.AST) -> bool:
        """Return the answer to a question about the node; where it is no, note the reason."""
        if not answer:
            self.note(reason, node)
        return answer

    def taken(self) -> dict[RefusalReason, set[int]]:
        """Return the reasons noted since the last call, and forget them."""
        found = dict(self.lines)
        self.lines.clear()
        return found


@dataclass(frozen=True, eq=False)
class Syntax:
    """One program as it is written: its text, its tree and its scopes."""

    text: str
    tree: ast.Module
    scopes: Scopes
    order: Order
    refusals: RefusalReasons = field(default_factory=RefusalReasons)

    @cached_property
    def starts(self) -> list[int]:
        """Offset of the first character of each line."""
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    @cached_property
    def lines(self) -> list[str]:
        """Physical lines with their ends, as the parser counts them."""
        return physical_lines(self.text)

    @cached_property
    def newline(self) -> str:
        """The program's line end."""
        return "\r\n" if "\r\n" in self.text else "\n"

    @cached_property
    def indent(self) -> str:
        """One level of indentation, as the first indented block has it; four spaces if no block is indented."""
        for node in ast.walk(self.tree):
            body = getattr(node, "body", None)
            if isinstance(node, ast.stmt) and isinstance(body, list) and body and node.lineno < body[0].lineno:
                inner, outer = self.margin(body[0]), self.margin(node)
                if inner.startswith(outer) and inner != outer:
                    return inner[len(outer) :]
        return "    "

    def offset(self, line: int, column: int) -> int:
        """Characters before a position that the parser gives as a line and UTF-8 bytes."""
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        return self.starts[line - 1] + (column if text.isascii() else len(text.encode()[:column].decode()))

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Start and end of a statement or expression; parentheses around an expression are outside it."""
        assert isinstance(node, ast.expr | ast.stmt | ast.keyword | ast.alias | ast.excepthandler | ast.arg)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def source(self, node: ast.AST) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self.text[start:end]

    def margin(self, node: ast.AST) -> str:
        """The white space before the line on which a node starts."""
        line = self.lines[first_line(node) - 1]
        return line[: len(line) - len(line.lstrip())]

    def alone(self, statement: ast.stmt) -> bool:
        """Whether a statement does not share its lines, so that lines can be put before, after or in its
        place."""
        start, end = self.offset(first_line(statement), 0), self.span(statement)[1]
        before = self.text[start : self.span(statement)[0]]
        after = self.text[end:].partition("\n")[0].strip()
        decorated = bool(getattr(statement, "decorator_list", None))
        return (decorated or not before.strip()) and (not after or after.startswith("#"))

    def replace(self, node: ast.AST, text: str) -> Edit:
        """The edit that puts `text` in the place of a node."""
        return Edit(*self.span(node), text)

    def put(self, node: ast.expr, text: str) -> Edit:
        """The edit that puts an expression in the place of another; in parentheses where it needs them."""
        needed = binding_needed(self.scopes.parent.get(node), node)
        tight = binding(ast.parse(f"({text})", mode="eval").body) >= needed
        return self.replace(node, text if tight else f"({text})")

    def behind(self, node: ast.AST, text: str) -> Edit:
        """The edit that puts text directly behind a node."""
        end = self.span(node)[1]
        return Edit(end, end, text)

    def grouped(self, node: ast.expr, needed: int) -> str:
        """The text of an expression, in parentheses unless it holds together so tightly."""
        return self.source(node) if binding(node) >= needed else f"({self.source(node)})"

    def before(self, statement: ast.stmt, *lines: str) -> Edit:
        """The edit that puts lines before a statement, at its indentation."""
        at = self.offset(first_line(statement), 0)
        return Edit(at, at, "".join(self.margin(statement) + line + self.newline for line in lines))

    def edited(self, edits: Iterable[Edit]) -> str | None:
        """The new text; None when there is nothing to do, when edits overlap, or when the result is not a program."""
        new = self.spliced(edits)
        return new if new is not None and new != self.text and compiles(new) else None

    def spliced(self, edits: Iterable[Edit]) -> str | None:
        """The new text, program or not; None when edits overlap."""
        parts, done = [], 0
        for edit in sorted(edits, key=lambda edit: edit[:2]):  # those at the same place stay in order
            if edit.start < done:
                return None
            parts += [self.text[done : edit.start], edit.text]
            done = edit.end
        return "".join([*parts, self.text[done:]])

    def walk(self, root: ast.AST | None = None) -> tuple[ast.AST, ...]:
        """All nodes from `root` down, of the whole program by default, in source order."""
        start, end = self.order.extent[root or self.tree]
        return self.order.nodes[start:end]

    def names(self, root: ast.AST) -> list[ast.Name]:
        """The names from `root` down."""
        return [node for node in self.walk(root) if isinstance(node, ast.Name)]

    def holds(self, root: ast.AST, node: ast.AST) -> bool:
        """Whether the node is `root`, or is in it."""
        start, end = self.order.extent[root]
        return start <= self.order.extent[node][0] < end

    def of_kind(self, kind: type[Node]) -> list[Node]:
        """All nodes of one type, in source order."""
        return [node for node in self.order.kinds.get(kind, ()) if isinstance(node, kind)]

    def nodes(self, *kinds: type[ast.AST]) -> Sequence[ast.AST]:
        """All nodes of these types and of those derived from them, in source order."""
        groups = [nodes for kind, nodes in self.order.kinds.items() if issubclass(kind, kinds)]
        if len(groups) == 1:
            return groups[0]
        return sorted((node for group in groups for node in group), key=lambda node: self.order.extent[node])

    def fresh(self, *wanted: str, taken: Collection[str] = ()) -> str:
        """The first of the names, else the first with a number, that neither the program has nor anybody took."""
        numbered = (f"{wanted[0]}_{number}" for number in count(2))
        return next(name for name in chain(wanted, numbered) if name not in self.words and name not in taken)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of the text, those in strings and comments too."""
        return frozenset(re.findall(r"[^\W\d]\w*", self.text))

    def block_of(self, statement: ast.stmt) -> list[ast.stmt]:
        """The list of statements that holds this one."""
        found = (block for block in blocks(self.scopes.parent.get(statement, self.tree)) if statement in block)
        return next(found, [statement])

    def calls_builtin(self, node: ast.AST, *names: str) -> bool:
        """Whether a node is a call of one of Python's own builtins, with positional arguments only."""
        if not isinstance(node, ast.Call) or not self.scopes.is_builtin(node.func, *names):
            return False
        return not node.keywords and not any(isinstance(argument, ast.Starred) for argument in node.args)

    def range_bounds(self, node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
        """Start and stop of `range(stop)` or `range(start, stop)`."""
        match node:
            case ast.Call(args=[stop]) if self.calls_builtin(node, "range"):
                return ast.Constant(0), stop
            case ast.Call(args=[start, stop]) if self.calls_builtin(node, "range"):
                return start, stop
        return None

    def indexed(self, node: ast.AST) -> ast.Name | None:
        """The values of `range(len(values))`."""
        match node:
            case ast.Call(args=[ast.Call(args=[ast.Name() as values]) as length]) if self.calls_builtin(node, "range"):
                return values if self.calls_builtin(length, "len") else None
        return None

    def method_call(self, owner: ast.AST) -> ast.Call | None:
        """The call of a method of what the node represents: `owner.method(...)`."""
        attribute = self.scopes.parent.get(owner)
        call = self.scopes.parent.get(attribute) if isinstance(attribute, ast.Attribute) else None
        return call if isinstance(call, ast.Call) and call.func is attribute else None

    def calls_of(self, variable: Variable) -> list[ast.Call] | None:
        """The calls of a function; None when it is bound twice, or used in any other way."""
        uses = self.scopes.all_uses(variable)
        calls = [self.scopes.parent.get(use.node) for use in uses]
        found = [c for c, use in zip(calls, uses, strict=True) if isinstance(c, ast.Call) and c.func is use.node]
        return found if len(uses) - len(found) == (variable.scope is not None) else None

    def catches(self, *kinds: str, named: bool = False) -> bool:
        """Whether a handler catches one of these exceptions, or all; when asked, only one that names the exception, to
        look at it."""
        handlers = (each for each in self.of_kind(ast.ExceptHandler) if each.name or not named)
        return any(handler.type is None or names_in([handler.type]) & set(kinds) for handler in handlers)

    def loop_source(self, target: ast.AST) -> ast.expr | None:
        """The iterable of the loop or comprehension that binds its elements to this target."""
        loop = self.scopes.parent.get(target)
        return loop.iter if isinstance(loop, ast.For | ast.comprehension) and loop.target is target else None

    def is_made_of(self, node: ast.AST, kinds: tuple[type[ast.AST], ...]) -> bool:
        """Whether only nodes of these kinds are in a node."""
        return all(isinstance(part, kinds) for part in self.walk(node))

    def has(self, node: ast.AST, *kinds: type[ast.AST]) -> bool:
        """Whether a node of one of these kinds is in a node."""
        return any(isinstance(part, kinds) for part in self.walk(node))

    def stores_attribute(self, name: str) -> bool:
        """Whether the program binds or deletes an attribute of this name somewhere, as `sys.stdout = ...` does."""
        found = (node for node in self.nodes(ast.Attribute) if isinstance(node, ast.Attribute) and node.attr == name)
        return any(not isinstance(node.ctx, ast.Load) for node in found)

    def rebinds(self, name: str) -> bool:
        """Whether a builtin's name means, or might mean, something else somewhere in the program."""
        return any(v.name == name and v.scope is not None for v in self.scopes.uses) or self.scopes.star_hides(name)

    def stores_in(self, root: ast.AST, variable: Variable) -> bool:
        """Whether the variable is bound or deleted somewhere below `root`."""
        return any(self.holds(root, use.node) for use in self.scopes.stores(variable))

    def next_line(self, node: ast.AST) -> int:
        """Offset of the line below the one on which a node ends; the end of the text if that is the last line."""
        end = self.text.find("\n", self.span(node)[1])
        return end + 1 if end >= 0 else len(self.text)

    def without_lines(self, statement: ast.stmt) -> Edit:
        """The edit that takes away the lines of a statement."""
        return Edit(self.offset(statement.lineno, 0), self.next_line(statement), "")

    def below(self, statement: ast.stmt, line: str) -> Edit:
        """The edit that puts a line below a statement, at its indentation."""
        at = self.next_line(statement)
        if self.text[:at].endswith("\n"):
            return Edit(at, at, self.margin(statement) + line + self.newline)
        return Edit(at, at, self.newline + self.margin(statement) + line)


def physical_lines(text: str) -> list[str]:
    """The lines of a text with their ends, as the parser counts them; str.splitlines would cut at form feeds too."""
    return re.findall(r"[^\n]*\n|[^\n]+\Z", text)


@lru_cache(maxsize=16)
def compiles(text: str) -> bool:
    """Whether a text is a Python program; warnings do not count."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "<rewritten>", "exec")
        except (SyntaxError, ValueError, RecursionError):
            return False
    return True


# The nodes of a program in source order: the nodes below a node are one slice of them.

LEAVES = (ast.Name, ast.Constant, ast.operator, ast.cmpop, ast.unaryop, ast.boolop)
"""Types of node, more than half of all, that hold only a context."""


@dataclass(frozen=True, eq=False)
class Order:
    """The order of one program's nodes, made once: the rules ask for the same parts again and again."""

    nodes: tuple[ast.AST, ...]
    """All nodes but Load, Store and Del, which are in their nodes and are shared by the parser, as operators are."""
    extent: Mapping[ast.AST, tuple[int, int]]
    """Start and end in `nodes` of a node with all that is below it."""
    kinds: Mapping[type, Sequence[ast.AST]]
    """The nodes of each type."""
    depth: int
    """Depth of the deepest node."""

    @classmethod
    def of(cls, tree: ast.AST) -> Order:
        """Go through the tree once, children after their parents."""
        nodes: list[ast.AST] = []
        parents: list[int] = []
        stack = [(tree, 0, 0)]
        deepest = 0
        while stack:
            node, parent, depth = stack.pop()
            place = len(nodes)
            nodes.append(node)
            parents.append(parent)
            if not isinstance(node, LEAVES):
                deepest = max(deepest, depth)
                stack.extend([(child, place, depth + 1) for child in reversed(_children(node))])
        ends = list(range(1, len(nodes) + 1))
        for place in range(len(nodes) - 1, 0, -1):
            if ends[parents[place]] < ends[place]:
                ends[parents[place]] = ends[place]
        kinds: dict[type, list[ast.AST]] = {}
        for node in nodes:
            kinds.setdefault(type(node), []).append(node)
        return cls(tuple(nodes), {node: (place, ends[place]) for place, node in enumerate(nodes)}, kinds, deepest)


def _children(node: ast.AST) -> list[ast.AST]:
    found: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            found += [part for part in value if isinstance(part, ast.AST)]
        elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
            found.append(value)
    return found


# Reasons for the answer no, for a reader who wants to know: something unknown, something that may change or fail.


class RefusalReason(Enum):
    """Reason why a question was not answered with yes. The text is for people."""

    UNKNOWN_TYPE = "its type is not known"
    UNKNOWN_ELEMENTS = "what is in it is not known"
    UNKNOWN_CODE = "code that is not followed may change it"
    CHANGED = "the loop or a function may change it"
    UNBOUND = "the name may have no value before the loop"
    INDEX = "the index may be outside"
    OPERATORS = "a class gives operators a meaning of its own"
    REBOUND = "a builtin that it needs means something else"
    NAME_TAKEN = "a name that it has to import means something else"
