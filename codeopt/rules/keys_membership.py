"""`x in list(d.keys())` and `x in d.keys()` to `x in d`: no copy, and a lookup instead of a search."""

from __future__ import annotations

import ast

from codeopt.rules import AnalyzedProgram, Context, Edits, as_diff, hashable_or_empty, rule, spans_lines

COPIES = ("list", "tuple", "set", "frozenset")

EXAMPLE = as_diff("""\
  counts = {}
  for word in "a b a c".split():
-     if word in list(counts.keys()):
+     if word in counts:
          counts[word] += 1
      else:
          counts[word] = 1
- print(counts, "c" in counts.keys(), 3 in list(range(5)))
+ print(counts, "c" in counts, 3 in range(5))
""")


@rule(ast.Compare, example=EXAMPLE)
def keys_membership(node: ast.Compare, ctx: Context) -> Edits:
    """A list of the keys is made and searched each time: `in` finds a key of the dict at once.

    list, tuple or set of a dict, its keys() or a set, of numbers, text, None and tuples of them; and of a range that
    is asked for a whole number.
    """
    program = ctx.program
    match node:
        case ast.Compare(
            _, [ast.In() | ast.NotIn()], [ast.Call(ast.Attribute(ast.Name() as owner, "keys"), [], []) as keys]
        ) if program.types.containers(owner, "dict"):
            yield program.replace(keys, program.source(owner))
        case ast.Compare(left, [ast.In() | ast.NotIn()], [ast.Call() as copy]):
            asked = _asked(program, left, copy)
            if asked:
                yield program.replace(copy, asked)


def _asked(program: AnalyzedProgram, left: ast.expr, copy: ast.Call) -> str | None:
    """The source of what is copied, when asking it gives the same answer."""
    if not program.calls_builtin(copy, *COPIES) or len(copy.args) != 1 or spans_lines(copy):
        return None
    (whole,) = copy.args
    match whole:
        case ast.Call(ast.Attribute(ast.Name() as owner, "keys"), [], []) if program.types.containers(owner, "dict"):
            return _if_hashable(program, left, owner)
        case ast.Call(func, [*bounds], []) if program.scopes.is_builtin(func, "range") and bounds:
            return program.source(whole) if program.types.is_int(left, *bounds) else None
        case ast.Name() if program.types.containers(whole, "dict", "set"):
            return _if_hashable(program, left, whole)
    return None


def _if_hashable(program: AnalyzedProgram, left: ast.expr, owner: ast.Name) -> str | None:
    inside = program.types.elements(owner, "dict", "set")
    return program.source(owner) if hashable_or_empty(inside) and program.types.is_hashable(left) else None
