"""Expressions without effects: they may be evaluated once more, once less, or a little earlier."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import lru_cache

from codeopt.rules._module import Module
from codeopt.rules._scopes import Comprehension, Function, Variable

HARMLESS_METHODS = frozenset(
    ["__init__", "__repr__", "__str__", "__len__", "__call__", "__iter__", "__next__", "__slots__", "__doc__"]
)
"""Special methods that an operator, a subscript or an attribute never runs."""


def is_plain(module: Module, node: ast.expr) -> bool:
    """Only names, constants, arithmetic, comparisons, subscripts and attributes, and no class here redefines those."""
    kinds = (ast.Name, ast.Constant, ast.expr_context)
    places = (ast.Subscript, ast.Attribute)
    operations = (*places, ast.BinOp, ast.UnaryOp, ast.Compare, ast.operator, ast.unaryop, ast.cmpop)
    parts = module.walk(node)
    if all(isinstance(part, kinds) for part in parts):
        return True
    return all(isinstance(part, kinds + operations) for part in parts) and not redefines_operators(module)


@lru_cache(maxsize=16)
def redefines_operators(module: Module) -> bool:
    """Some class gives operators, subscripts or attributes a meaning of its own."""
    for node in module.walk():
        if isinstance(node, ast.ClassDef):
            names = module.scopes.bound[node]
            if any(name.startswith("__") and name not in HARMLESS_METHODS for name in names):
                return True
            if node.keywords or any(getattr(d, "decorator_list", []) for d in node.body):
                return True
    return bool({"property", "total_ordering", "setattr", "__get__"} & module.words)


def is_simple(node: ast.expr) -> bool:
    """A name or a number: as cheap to read twice as once."""
    match node:
        case ast.Name() | ast.Constant() | ast.UnaryOp(ast.USub(), ast.Constant()):
            return True
    return False


def is_cheap(module: Module, node: ast.expr) -> bool:
    """Cheaper to evaluate twice than to call a function: at most one operation on names and numbers."""
    match node:
        case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv() | ast.Mod(), right):
            return is_simple(left) and is_simple(right) and is_plain(module, node)
        case ast.Subscript(value, index):
            return is_simple(value) and is_cheap(module, index) and is_plain(module, node)
    return is_simple(node)


def names_in(nodes: Iterable[ast.AST]) -> set[str]:
    """Every name that occurs in the nodes."""
    return {part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)}


def only_stored_in(module: Module, node: ast.Name) -> bool:
    """Nothing outside of the scope of this use stores the variable: a call cannot change it."""
    scope = module.scopes.scope[node]
    variable = module.scopes.variable(node)
    return variable.scope is scope and all(use.scope is scope for use in module.scopes.stores(variable))


def in_loop(module: Module, node: ast.AST, *, functions: bool = True) -> bool:
    """The node runs in a loop or comprehension, or (when asked) in a function, which may be called in one."""
    child = node
    for parent in module.scopes.parents(node):
        if isinstance(parent, ast.For | ast.AsyncFor) and child is not parent.iter and child not in parent.orelse:
            return True
        if isinstance(parent, ast.While) and child not in parent.orelse:
            return True
        if isinstance(parent, Comprehension) and not module.holds(parent.generators[0].iter, node):
            return True
        if isinstance(parent, Function):
            return functions
        child = parent
    return False


def block_of(module: Module, statement: ast.stmt) -> list[ast.stmt]:
    """The list of statements that holds this one."""
    parent = module.scopes.parent.get(statement, module.tree)
    for name in ("body", "orelse", "finalbody"):
        block = getattr(parent, name, None)
        if isinstance(block, list) and statement in block:
            return block
    return [statement]


def builtin_call(module: Module, node: ast.AST, *names: str) -> bool:
    """A call of one of Python's own builtins, with positional arguments only."""
    return (
        isinstance(node, ast.Call)
        and module.scopes.is_builtin(node.func, *names)
        and not node.keywords
        and not any(isinstance(argument, ast.Starred) for argument in node.args)
    )


def rebound(module: Module, name: str) -> bool:
    """Somewhere in the program a builtin's name means, or might mean, something else."""
    return any(v.name == name and v.scope is not None for v in module.scopes.uses) or module.scopes.star_hides(name)


def stored_in(module: Module, root: ast.AST, variable: Variable) -> bool:
    """The variable is bound or deleted somewhere below `root`."""
    return any(module.holds(root, use.node) for use in module.scopes.stores(variable))
