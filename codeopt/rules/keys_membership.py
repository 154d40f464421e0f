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
        case ast.Compare(left, [ast.In() | ast.NotIn()], [ast.Call() as call]):
            asked = _asked(program, left, call) or _owner_of_keys(program, call)
            if asked is not None:
                yield program.replace(call, program.source(asked))


def _asked(program: AnalyzedProgram, left: ast.expr, copy: ast.Call) -> ast.expr | None:
    """The container that is copied, when asking it directly gives the same answer; else None."""
    if not program.calls_builtin(copy, *COPIES) or len(copy.args) != 1 or spans_lines(copy):
        return None
    (whole,) = copy.args
    match _owner_of_keys(program, whole) or whole:
        case ast.Call(args=[*bounds]) if program.calls_builtin(whole, "range") and bounds:
            return whole if program.types.is_int(left, *bounds) else None
        case ast.Name() as owner if program.types.containers(owner, "dict", "set"):
            inside = program.types.elements(owner, "dict", "set")
            return owner if hashable_or_empty(inside) and program.types.is_hashable(left) else None
    return None


def _owner_of_keys(program: AnalyzedProgram, call: ast.expr) -> ast.Name | None:
    """The dict of `counts.keys()`."""
    match call:
        case ast.Call(ast.Attribute(ast.Name() as owner, "keys"), [], []) if program.types.containers(owner, "dict"):
            return owner
    return None
