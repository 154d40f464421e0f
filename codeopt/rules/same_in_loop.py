"""A call of a builtin or a method of text that a loop makes again and again with the same arguments: once."""

from __future__ import annotations

import ast

from codeopt.rules import (
    READING_BUILTINS,
    AnalyzedProgram,
    Context,
    Edits,
    as_diff,
    dotted,
    place_before,
    rule,
    spans_lines,
)

BUILTINS = frozenset({"dict", "frozenset", "len", "list", "max", "min", "set", "sorted", "str", "sum", "tuple"})
METHODS = frozenset(
    {"casefold", "lower", "upper", "strip", "lstrip", "rstrip", "split", "rsplit", "splitlines", "title", "replace"}
    | {"capitalize", "removeprefix", "removesuffix", "encode"}
)
"""Methods of text without an effect."""
MUTABLE = frozenset({"dict", "list", "set", "sorted", "split", "rsplit", "splitlines"})
"""Builtins and methods whose result could be changed: only where it is read at once."""

EXAMPLE = as_diff("""\
  def ranks(scores: dict[str, int], names):
      found = {}
+     sorted_scores_values = sorted(scores.values())
      for name in names:
-         found[name] = sorted(scores.values()).index(scores[name])
+         found[name] = sorted_scores_values.index(scores[name])
      return found


  print(ranks({"a": 3, "b": 1}, ["a", "b"]))
""")


@rule(ast.Call, ast.ListComp, ast.SetComp, example=EXAMPLE, where="hot loop", safety="unsafe")
def same_in_loop(node: ast.Call | ast.ListComp | ast.SetComp, ctx: Context) -> Edits:
    """The loop computes the same again in each round: compute it once, before the loop.

    sorted, set, list, len, min, max, sum, methods of text and comprehensions, of names, attributes and constants which
    the loop's text changes nowhere. A list, dict or set that is made has to be read where it is made; a comprehension
    in which `in` looks for a value becomes a set.
    """
    program = ctx.program
    if not _quiet(program, node) or spans_lines(node) or ctx.is_replaced(node) or program.in_f_string(node):
        return
    made = not isinstance(node, ast.Call) or _name(node) in MUTABLE
    if not program.names(node) or (made and not _only_read(program, node)):
        return
    place = place_before(program, node)
    if place is None:
        return
    yield program.replace(node, ctx.bind_before(place, _made(program, node), _wanted(node)))


def _made(program: AnalyzedProgram, node: ast.Call | ast.ListComp | ast.SetComp) -> str:
    """The text of what is made once: a set where a value is looked for in a list."""
    match program.scopes.parent[node]:
        case ast.Compare(_, [ast.In() | ast.NotIn()], [asked]) if asked is node and isinstance(node, ast.ListComp):
            return f"{{{program.source(node)[1:-1]}}}"
    return program.source(node)


def _quiet(program: AnalyzedProgram, node: ast.expr) -> bool:
    """Whether an expression is made of names, attributes, constants and calls without an effect."""
    match node:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(owner):
            return _quiet(program, owner)
        case ast.Subscript(owner, ast.Constant()):
            return _quiet(program, owner)
        case ast.Call(ast.Name(name) as func, [_, *_] as arguments, keywords) if name in BUILTINS:
            plain = program.scopes.is_builtin(func) and all(_quiet(program, each) for each in arguments)
            return plain and all(k.arg == "reverse" for k in keywords)
        case ast.Call(ast.Attribute(owner, name), arguments, []) if name in METHODS | {"values", "keys", "items"}:
            return _quiet(program, owner) and all(_quiet(program, each) for each in arguments)
        case ast.ListComp(elt, generators) | ast.SetComp(elt, generators):
            parts = [elt, *(part for each in generators for part in (each.iter, *each.ifs))]
            return not any(each.is_async for each in generators) and all(
                _is_quiet_part(program, each) for each in parts
            )
    return False


def _is_quiet_part(program: AnalyzedProgram, node: ast.expr) -> bool:
    """Whether a part of a comprehension is quiet, or compares what is."""
    match node:
        case ast.Compare(left, _, others):
            return _quiet(program, left) and all(_quiet(program, each) for each in others)
        case ast.BoolOp(values=parts):
            return all(_is_quiet_part(program, each) for each in parts)
        case ast.UnaryOp(ast.Not(), inner):
            return _is_quiet_part(program, inner)
    return _quiet(program, node)


def _name(node: ast.Call) -> str:
    return dotted(node.func).rpartition(".")[2] or getattr(node.func, "attr", "")


def _only_read(program: AnalyzedProgram, node: ast.expr) -> bool:
    """Whether the made container is read at its place, and nobody keeps it."""
    match program.scopes.parent[node]:
        case ast.For(iter=source) | ast.comprehension(iter=source) if source is node:
            return True
        case ast.Compare() | ast.Subscript(ctx=ast.Load()):
            return True
        case ast.Attribute(attr="index" | "count" | "get" | "items" | "keys" | "values"):
            return True
        case ast.Call(func):
            return program.scopes.is_builtin(func, *READING_BUILTINS)
    return False


def _wanted(node: ast.expr) -> str:
    words = [part for part in _words(node) if part.isidentifier() and part not in ("self", "cls")]
    return "_".join(words)[:30].strip("_") or "value"


def _words(node: ast.expr) -> list[str]:
    match node:
        case ast.Call(ast.Name(name), arguments):
            return [name, *(word for each in arguments for word in _words(each))]
        case ast.Call(ast.Attribute(owner, name)) | ast.Attribute(owner, name):
            return [*_words(owner), name.strip("_")]
        case ast.ListComp(elt, [first, *_]) | ast.SetComp(elt, [first, *_]):
            return [*_words(first.iter), *([elt.attr.strip("_")] if isinstance(elt, ast.Attribute) else [])]
        case ast.Name(name):
            return [name.strip("_")]
    return []
