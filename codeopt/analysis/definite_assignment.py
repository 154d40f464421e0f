"""Is a name bound on every path before it is used? Statement by statement, in the order in which they run."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from codeopt.analysis.nodes import assigned_names, bound_name
from codeopt.analysis.scopes import Scopes, Variable

LEAVES = ast.Continue | ast.Break | ast.Return | ast.Raise


class _UsedTooEarly(Exception):
    """A name is loaded on a path on which it was not stored."""


def assigned_before_use(scopes: Scopes, scope: ast.AST, body: Iterable[ast.stmt], names: Iterable[str]) -> bool:
    """Every load of the variables `names` of `scope` in `body` comes after a store in `body`, whatever path is taken.

    A load in a nested function counts where the function is made: it cannot run before that.
    """
    try:
        _Walk(scopes, scope, frozenset(names)).block(body, frozenset())
    except _UsedTooEarly:
        return False
    return True


class _Walk:
    """Carries the set of names that are certainly bound through the statements."""

    def __init__(self, scopes: Scopes, scope: ast.AST, names: frozenset[str]) -> None:
        self.scopes, self.scope, self.names = scopes, scope, names

    def block(self, body: Iterable[ast.stmt], done: frozenset[str]) -> frozenset[str]:
        for statement in body:
            done = self.statement(statement, done)
        return done

    def statement(self, node: ast.stmt, done: frozenset[str]) -> frozenset[str]:
        match node:
            case ast.If(test, body, orelse):
                self.loads(test, done)
                return self.after(body, done) & self.after(orelse, done)
            case ast.While(test, body, orelse):
                self.loads(test, done)
                self.block(body, done)
                self.block(orelse, done)
                return done
            case ast.For(target, iterator, body, orelse):
                self.loads(iterator, done)
                self.block(body, self.stores(target, done))
                self.block(orelse, done)
                return done
            case ast.Try(body, handlers, orelse, finalbody):
                self.block(orelse, self.block(body, done))
                for part in [*(handler.body for handler in handlers), finalbody]:
                    self.block(part, done)
                return done
        return self.simple(node, done)

    def simple(self, node: ast.stmt, done: frozenset[str]) -> frozenset[str]:
        match node:
            case ast.Assign(targets, value):
                self.loads(value, done)
                for target in targets:
                    done = self.stores(target, done)
                return done
            case ast.AugAssign(ast.Name(name)) if name in self.names - done:
                raise _UsedTooEarly(name)
            case ast.AnnAssign(target, _, ast.expr() as value):
                self.loads(value, done)
                return self.stores(target, done)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                self.loads(node, done)
                return done | ({name} & self.names)
            case ast.Import(names) | ast.ImportFrom(names=names):
                return done | (self.names & set(map(bound_name, names)))
        self.loads(node, done)  # with and match too: what they bind does not count
        return done

    def after(self, body: list[ast.stmt], done: frozenset[str]) -> frozenset[str]:
        """What a branch binds; one that leaves the block binds everything, nothing runs after it."""
        done = self.block(body, done)
        return self.names if body and isinstance(body[-1], LEAVES) else done

    def loads(self, node: ast.AST, done: frozenset[str]) -> None:
        for inner in ast.walk(node):
            if not isinstance(inner, ast.Name) or not isinstance(inner.ctx, ast.Load):
                continue
            if inner.id in self.names - done and self.scopes.variable(inner) == Variable(self.scope, inner.id):
                raise _UsedTooEarly(inner.id)

    def stores(self, target: ast.expr, done: frozenset[str]) -> frozenset[str]:
        """What a target binds; subscripts and attributes in it are loads."""
        self.loads(target, done)
        return done | (assigned_names(target) & self.names)
