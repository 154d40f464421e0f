"""`for _, row in frame.iterrows()` to a loop over the columns that are read: no Series for each row."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from codeopt.rules import AnalyzedProgram, Context, Edit, Edits, as_diff, dotted, rule, stores_into, variable_of

EXAMPLE = as_diff("""\
  class Table:  # stands for a pandas.DataFrame
      pass


  def total(frame):
      found = 0
-     for _, row in frame.iterrows():
-         found += row["price"] * row["count"]
+     places = [frame.columns.get_loc(name) for name in ("price", "count")]
+     for row_price, row_count in zip(*frame.values.T[places]):
+         found += row_price * row_count
      return found
""")


@rule(ast.For, example=EXAMPLE, safety="unsafe")
def iterrows_to_columns(node: ast.For, ctx: Context) -> Edits:
    """iterrows() makes a Series of each row: go through the values of the columns that the loop reads.

    A loop that reads its row as row["column"] only, and does not store into the frame. The values are those that
    iterrows gives, with the one type that all columns share; frames with dates or categories may give others.
    """
    program = ctx.program
    match node:
        case ast.For(
            ast.Tuple([ast.Name() as label, ast.Name() as row]),
            ast.Call(ast.Attribute(frame, "iterrows"), [], []),
            orelse=[],
        ) if dotted(frame):
            reads = _reads(program, node, row)
            if not reads or stores_into(program, node, dotted(frame)) or not program.alone(node):
                return
            names = list(dict.fromkeys(name for _, name in reads))
            text = program.source(frame)
            places = ctx.new_name("places", "column_places")
            values = {name: ctx.new_name(variable_of(row.id, name)) for name in names}
            listed = ", ".join(f'"{name}"' for name in names) + "," * (len(names) == 1)
            target, source = _target(list(values.values())), f"zip(*{text}.values.T[{places}])"
            if _is_read(program, node, label):
                target, source = (
                    f"{label.id}, {target if len(names) == 1 else f'({target})'}",
                    f"zip({text}.index, {source})",
                )
            yield program.before(node, f"{places} = [{text}.columns.get_loc(name) for name in ({listed})]")
            yield Edit(program.span(node.target)[0], program.span(node.iter)[1], f"{target} in {source}")
            for read, name in reads:
                yield program.replace(read, values[name])


def _reads(program: AnalyzedProgram, loop: ast.For, row: ast.Name) -> list[tuple[ast.expr, str]]:
    """The places that read a column of the row; empty where it is used in any other way."""
    found: list[tuple[ast.expr, str]] = []
    for use in program.scopes.all_uses(program.scopes.variable(row)):
        if use.node is row:
            continue
        match program.scopes.parent[use.node]:
            case ast.Subscript(ast.Name(), ast.Constant(str(name)), ast.Load()) as read if (
                '"' not in name and name.isprintable()
            ):
                if not any(program.holds(statement, read) for statement in loop.body) or program.in_f_string(read):
                    return []
                found.append((read, name))
            case _:
                return []
    return found


def _is_read(program: AnalyzedProgram, loop: ast.For, label: ast.Name) -> bool:
    """Whether the label of the row is read."""
    uses = program.scopes.all_uses(program.scopes.variable(label))
    return any(use.node is not label for use in uses)


def _target(names: Sequence[str]) -> str:
    return f"({names[0]},)" if len(names) == 1 else ", ".join(names)
