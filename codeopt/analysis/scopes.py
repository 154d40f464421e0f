"""The binding that each use of a name refers to."""

from __future__ import annotations

import ast
import builtins
import importlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Literal, NamedTuple

from codeopt.analysis.nodes import bound_name

Kind = Literal["load", "store", "del"]
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp

KINDS: dict[type, Kind] = {ast.Load: "load", ast.Store: "store", ast.Del: "del"}

QUIET_MODULES: frozenset[str] = frozenset(
    {"array", "bisect", "cmath", "collections", "copy", "datetime", "decimal", "fractions", "functools"}
    | {"heapq", "itertools", "math", "operator", "queue", "random", "re", "statistics", "string", "sys", "time"}
    | {"typing"}
)
"""Standard modules whose import changes nothing that a program can see. The analysis imports them itself to see which
public names `from m import *` brings."""


class Variable(NamedTuple):
    """A name in the scope that binds it. Scope None: bound nowhere in the program, so a builtin, or missing."""

    scope: ast.AST | None
    name: str


class Use(NamedTuple):
    """One place where a variable occurs."""

    node: ast.AST
    kind: Kind
    scope: ast.AST
    """The innermost scope around it."""


@dataclass(eq=False)
class Scopes:
    """The scopes of one program, built once by `of` and read-only after that."""

    tree: ast.Module
    parent: dict[ast.AST, ast.AST] = field(default_factory=dict)
    outer: dict[ast.AST, ast.AST | None] = field(default_factory=dict)
    """The enclosing scope of each scope."""
    scope: dict[ast.AST, ast.AST] = field(default_factory=dict)
    """The innermost scope in which a node is evaluated."""
    bound: dict[ast.AST, set[str]] = field(default_factory=dict)
    declared: dict[ast.AST, dict[str, Literal["global", "nonlocal"]]] = field(default_factory=dict)
    uses: dict[Variable, list[Use]] = field(default_factory=dict)
    names: dict[ast.AST, list[tuple[Variable, Use]]] = field(default_factory=dict)
    """The uses in each node: the variable of a name, or all that an import or function statement binds."""
    stars: list[str] = field(default_factory=list)
    """Modules of `from m import *`."""
    found: list[tuple[str, Use]] = field(default_factory=list)

    @classmethod
    def of(cls, tree: ast.Module) -> Scopes:
        """Walk the tree once, then refer every use to its binding."""
        made = cls(tree)
        made._enter(tree, None)
        for node in tree.body:
            made._visit(node, tree, tree)
        owners: dict[tuple[str, ast.AST], Variable] = {}
        for name, use in made.found:
            if (name, use.scope) not in owners:
                owners[name, use.scope] = made.owner(name, use.scope)
            variable = owners[name, use.scope]
            made.uses.setdefault(variable, []).append(use)
            made.names.setdefault(use.node, []).append((variable, use))
        return made

    def owner(self, name: str, scope: ast.AST) -> Variable:
        """The variable that `name` means in `scope`."""
        here: ast.AST | None = scope
        module = self.tree
        if self.declared[scope].get(name) == "global":
            return Variable(module, name)
        while here is not None and here is not module:
            visible = here is scope or not isinstance(here, ast.ClassDef)
            if visible and name in self.bound[here] and name not in self.declared[here]:
                return Variable(here, name)
            if self.declared[here].get(name) == "global":
                break
            here = self.outer[here]
        return Variable(module if name in self.bound[module] else None, name)

    def variable(self, node: ast.AST) -> Variable:
        """The variable that a name node refers to, or that the statement of a function or class binds."""
        return self.names[node][0][0]

    def all_uses(self, variable: Variable) -> list[Use]:
        """Every use of the variable, in source order."""
        return self.uses.get(variable, [])

    def stores(self, variable: Variable) -> list[Use]:
        """The places where the variable is bound or deleted."""
        return [use for use in self.all_uses(variable) if use.kind != "load"]

    def loads(self, variable: Variable) -> list[ast.AST]:
        """The places where the variable is read."""
        return [use.node for use in self.all_uses(variable) if use.kind == "load"]

    def is_bound_once(self, node: ast.AST) -> bool:
        """Whether the variable of a name is bound in one place, and deleted nowhere."""
        return len(self.stores(self.variable(node))) == 1

    def is_builtin(self, node: ast.expr, *names: str) -> bool:
        """Whether the expression is a name that means Python's own builtin of that name."""
        if not isinstance(node, ast.Name) or (names and node.id not in names):
            return False
        return hasattr(builtins, node.id) and self.variable(node).scope is None and not self.star_hides(node.id)

    def means_builtin(self, name: str, at: ast.AST) -> bool:
        """Whether the name, written at this node, would be Python's own builtin."""
        return self.owner(name, self.scope[at]).scope is None and not self.star_hides(name)

    def star_hides(self, name: str) -> bool:
        """Whether a star import brings this name, or might."""
        return any(module not in QUIET_MODULES or name in _public(module) for module in self.stars)

    def star_path(self, name: str) -> str | None:
        """`heapq.heappush` for a name that one star import brings and nothing else can mean; None for all others."""
        if hasattr(builtins, name) or not QUIET_MODULES.issuperset(self.stars):
            return None
        found = {module for module in self.stars if name in _public(module)}
        return f"{found.pop()}.{name}" if len(found) == 1 else None

    def parents(self, node: ast.AST) -> Iterator[ast.AST]:
        """The node's parents, innermost first."""
        while node in self.parent:
            node = self.parent[node]
            yield node

    def steps(self, node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
        """The way from the node to the module: each node with its parent."""
        while node in self.parent:
            yield node, self.parent[node]
            node = self.parent[node]

    def _enter(self, scope: ast.AST, outer: ast.AST | None) -> None:
        self.outer[scope], self.bound[scope], self.declared[scope] = outer, set(), {}

    def _use(self, name: str, node: ast.AST, kind: Kind, scope: ast.AST) -> None:
        if kind != "load":
            self.bound[self.tree if self.declared[scope].get(name) == "global" else scope].add(name)
        self.found.append((name, Use(node, kind, scope)))

    def _visit(self, node: ast.AST, scope: ast.AST, parent: ast.AST) -> None:
        self.parent[node], self.scope[node] = parent, scope
        if not isinstance(node, ast.expr):
            self._bind(node, scope)
        match node:
            case ast.Name():
                self._name(node, scope)
            case ast.Constant():
                pass
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                self._function(node, scope)
            case ast.ClassDef():
                self._enter(node, scope)
                self._children(node, scope, skip=("body",))
                for statement in node.body:
                    self._visit(statement, node, node)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                self._comprehension(node, scope)
            case _:
                self._children(node, scope)

    def _bind(self, node: ast.AST, scope: ast.AST) -> None:
        match node:
            case ast.Global(names) | ast.Nonlocal(names):
                word: Literal["global", "nonlocal"] = "global" if isinstance(node, ast.Global) else "nonlocal"
                self.declared[scope].update(dict.fromkeys(names, word))
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                self._use(name, node, "store", scope)
            case ast.ImportFrom(module=module, names=[ast.alias(name="*")]):
                self.stars.append(module or ".")
            case ast.alias(name=name) if name != "*":
                self._use(bound_name(node), node, "store", scope)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                self._use(name, node, "store", scope)
            case ast.MatchMapping(rest=str(name)):
                self._use(name, node, "store", scope)

    def _name(self, node: ast.Name, scope: ast.AST) -> None:
        parent = self.parent[node]
        if isinstance(parent, ast.NamedExpr) and isinstance(node.ctx, ast.Store):
            while isinstance(scope, Comprehension):  # := binds outside of comprehensions
                scope = self.outer[scope] or scope
        self._use(node.id, node, KINDS[type(node.ctx)], scope)
        if isinstance(parent, ast.AugAssign) and isinstance(node.ctx, ast.Store):
            self._use(node.id, node, "load", scope)

    def _function(self, node: Function, scope: ast.AST) -> None:
        self._enter(node, scope)
        self.parent[node.args], self.scope[node.args] = node, scope
        given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        for arg in [*given, *(extra for extra in (node.args.vararg, node.args.kwarg) if extra)]:
            self.parent[arg], self.scope[arg] = node.args, node
            self._use(arg.arg, arg, "store", node)
            if arg.annotation:
                self._visit(arg.annotation, scope, arg)
        for default in [*node.args.defaults, *(d for d in node.args.kw_defaults if d)]:
            self._visit(default, scope, node.args)
        self._children(node, scope, skip=("args", "body"))
        for part in node.body if isinstance(node.body, list) else [node.body]:
            self._declare(part, node)
        for part in node.body if isinstance(node.body, list) else [node.body]:
            self._visit(part, node, node)

    def _declare(self, part: ast.AST, function: ast.AST) -> None:
        """Global and nonlocal hold for the whole function, at any place in it."""
        if isinstance(part, ast.Global | ast.Nonlocal):
            self._bind(part, function)
        if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
            for child in ast.iter_child_nodes(part):
                self._declare(child, function)

    def _comprehension(self, node: Comprehension, scope: ast.AST) -> None:
        self._enter(node, scope)
        for position, generator in enumerate(node.generators):
            self.parent[generator], self.scope[generator] = node, node
            self._visit(generator.iter, node if position else scope, generator)
            for part in [generator.target, *generator.ifs]:
                self._visit(part, node, generator)
        for part in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
            self._visit(part, node, node)

    def _children(self, node: ast.AST, scope: ast.AST, skip: tuple[str, ...] = ()) -> None:
        for name in node._fields:
            value = getattr(node, name, None)
            for child in value if isinstance(value, list) else [value]:
                if not isinstance(child, ast.AST) or name in skip:
                    continue
                if child._fields or isinstance(child, ast.stmt):  # operators and contexts have no fields
                    self._visit(child, scope, node)


@cache
def _public(module: str) -> frozenset[str]:
    found = importlib.import_module(module)
    return frozenset(getattr(found, "__all__", None) or [name for name in dir(found) if not name.startswith("_")])
