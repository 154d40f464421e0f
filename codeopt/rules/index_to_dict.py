"""`values.index(x)` in a loop that leaves the list as it is: look the place up in a dict, made once."""

from __future__ import annotations

import ast

from codeopt.rules import AnalyzedProgram, Context, Edits, as_diff, hashable, rule

TABLE = "{{value: place for place, value in reversed([*enumerate({values})])}}"
"""Text of the table, made backwards so that the first place of a value stays."""

EXAMPLE = as_diff("""\
  scores = list(map(int, "30 10 20 10".split()))
  ranks = sorted(set(scores))
  names = ["c", "a", "b"]
- print([ranks.index(score) for score in scores])
+ ranks_index = {value: place for place, value in reversed([*enumerate(ranks)])}
+ print([ranks_index[score] for score in scores])
+ names_index = {value: place for place, value in reversed([*enumerate(names)])}
  for name in ["a", "b"]:
-     print(names.index(name))
+     print(names_index[name] if name in names_index else names.index(name))
""")


@rule(ast.Call, example=EXAMPLE, builtins=("enumerate", "reversed"))
def index_to_dict(node: ast.Call, ctx: Context) -> Edits:
    """index() compares with one element after the other: a dict made once knows the place of each value.

    Lists of numbers, text, None and tuples of them, asked for a name or a constant of these kinds, which the loop
    around does not change through any name.
    """
    program = ctx.program
    match node:
        case ast.Call(ast.Attribute(ast.Name() as values, "index"), [ast.Name() | ast.Constant() as sought], []):
            inside = program.types.elements(values, "list", "tuple")
            if not hashable(inside) or not program.types.is_hashable(sought) or _was_kept(program, node):
                return
            table = ctx.bind_kept(node, values, TABLE.format(values=values.id), f"{values.id}_index")
            if table:
                key = program.source(sought)
                other = "" if _is_in(program, sought, values) else f" if {key} in {table} else {program.source(node)}"
                yield program.put(node, f"{table}[{key}]{other}")


def _was_kept(program: AnalyzedProgram, call: ast.Call) -> bool:
    """Whether the call is the fallback that this rule left for values that are not in the list."""
    match program.scopes.parent[call]:
        case ast.IfExp(ast.Compare(_, [ast.In()], [ast.Name()]), ast.Subscript(), orelse):
            return orelse is call
    return False


def _is_in(program: AnalyzedProgram, sought: ast.expr, values: ast.Name) -> bool:
    """Whether a loop takes the value from the list, or from the values that the list was made of, and neither
    changes."""
    stores = program.scopes.stores(program.scopes.variable(sought)) if isinstance(sought, ast.Name) else []
    source = program.loop_source(stores[0].node) if len(stores) == 1 else None
    if not isinstance(source, ast.Name) or not all(_never_changes(program, name) for name in (source, values)):
        return False
    variable = program.scopes.variable(source)
    made = program.bounds.definition(values)
    return variable in (program.scopes.variable(values), _made_of(program, made))


def _never_changes(program: AnalyzedProgram, name: ast.Name) -> bool:
    if not program.scopes.is_bound_once(name):
        return False
    everything = program.effects.of(*program.tree.body)
    return everything.keeps_container(name, everything.changed | everything.resized)


def _made_of(program: AnalyzedProgram, made: ast.expr | None) -> object:
    """The variable all of whose elements are in the new list: sorted(x), sorted(set(x)), list(x)."""
    match made:
        case ast.Call(args=[inner]) if program.calls_builtin(made, "sorted", "list", "tuple", "set"):
            return program.scopes.variable(inner) if isinstance(inner, ast.Name) else _made_of(program, inner)
    return None
