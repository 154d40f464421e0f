"""`values.count(x)` in a loop: count everything once."""

from __future__ import annotations

import ast

from codeopt.rules import AnalyzedProgram, Context, Edits, as_diff, hashable, rule

EXAMPLE = as_diff("""\
+ from collections import Counter
+
  votes = "ann bob ann cid".split()
- best = [name for name in votes if votes.count(name) > 1]
+ votes_counts = Counter(votes)
+ best = [name for name in votes if votes_counts[name] > 1]
  word = "mississippi"
+ word_counts = Counter(word)
  for letter in sorted(set(word)):
-     print(best, letter, word.count(letter))
+     print(best, letter, word_counts[letter])
""")


@rule(ast.Call, example=EXAMPLE)
def counter(node: ast.Call, ctx: Context) -> Edits:
    """count() goes through the whole list each time: count all values once with a Counter.

    Lists of numbers, text, None and tuples of them, which the loop around does not change through any name; and text
    that is asked for one character: a constant, or what a loop over text gives.
    """
    program = ctx.program
    match node:
        case ast.Call(ast.Attribute(ast.Name() as values, "count"), [sought], []):
            place = _place(program, node, values, sought)
            if place is not None:
                counts = ctx.bind_before(place, f"Counter({values.id})", f"{values.id}_counts")
                ctx.import_from("collections", "Counter")
                yield program.replace(node, f"{counts}[{program.source(sought)}]")


def _place(program: AnalyzedProgram, call: ast.Call, values: ast.Name, sought: ast.expr) -> ast.stmt | None:
    if program.types.is_text(values):
        known = _is_letter(program, sought)
    else:
        known = hashable(program.types.elements(values, "list", "tuple")) and program.types.is_hashable(sought)
    return program.loops.outermost_keeping(call, values) if known else None


def _is_letter(program: AnalyzedProgram, node: ast.expr) -> bool:
    """Whether a value is one character: written down, or given by loops over text."""
    if not isinstance(node, ast.Name):
        return isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) == 1
    stores = program.scopes.stores(program.scopes.variable(node))
    return bool(stores) and all(_gives_letters(program, use.node) for use in stores)


def _gives_letters(program: AnalyzedProgram, target: ast.AST) -> bool:
    pair = program.scopes.parent[target]
    match program.loop_source(target), pair, program.loop_source(pair):
        case ast.expr() as source, _, _:
            return _is_made_of_letters(program, source)
        case _, ast.Tuple([_, second]), ast.Call(args=[source]) as pairs if second is target:
            return program.calls_builtin(pairs, "enumerate") and program.types.is_text(source)
    return False


def _is_made_of_letters(program: AnalyzedProgram, source: ast.expr) -> bool:
    match source:
        case ast.Call(args=[inner]) if program.calls_builtin(source, "set", "sorted", "list", "reversed"):
            return _is_made_of_letters(program, inner)
    return program.types.is_text(source)
