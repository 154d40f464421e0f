"""`frame.iloc[i]["column"]` in a loop over all places to the values of the column: no Series for each row."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from codeopt.rules import AnalyzedProgram, Context, Edits, as_diff, dotted, rule, stores_into, variable_of

EXAMPLE = as_diff("""\
  class Table:  # stands for a pandas.DataFrame
      pass


  def total(frame):
      found = 0
+     frame_price = frame["price"].array if len(frame) else ()
+     frame_count = frame["count"].array if len(frame) else ()
      for i in range(len(frame)):
-         found += frame.iloc[i]["price"] * frame.iloc[i]["count"]
+         found += frame_price[i] * frame_count[i]
      return found
""")


@dataclass(frozen=True)
class CellRead:
    """A place that reads one value of a row."""

    node: ast.expr
    column: str


@rule(ast.For, example=EXAMPLE, safety="unsafe", builtins=("len",))
def iloc_to_columns(node: ast.For, ctx: Context) -> Edits:
    """iloc makes a Series of each row: look at the values of the columns that the loop reads.

    A loop over range(len(frame)) that reads frame.iloc[i]["column"], or row["column"] of row = frame.iloc[i], and does
    not store into the frame. The values have the types of their columns; in a frame of numbers alone iloc gives all of
    a row the one type that its columns share.
    """
    program = ctx.program
    match node:
        case ast.For(ast.Name() as place, ast.Call(ast.Name("range") as func, [size], [])) if (
            program.scopes.is_builtin(func) and (frame := _measured(program, size)) and program.alone(node)
        ):
            reads, rows = _reads(program, node, place, frame)
            index = program.scopes.variable(place)
            moved = any(program.stores_in(statement, index) for statement in node.body)
            if not reads or moved or stores_into(program, node, frame):
                return
            columns = list(dict.fromkeys(read.column for read in reads))
            last = frame.rpartition(".")[2]
            values = {name: ctx.new_name(variable_of(last, name)) for name in columns}
            made = [f'{name} = {frame}["{column}"].array if len({frame}) else ()' for column, name in values.items()]
            yield program.before(node, *made)
            for read in reads:
                yield program.replace(read.node, f"{values[read.column]}[{place.id}]")
            for row in rows:
                yield program.without_lines(row)


def _measured(program: AnalyzedProgram, size: ast.expr) -> str:
    """The frame whose length is asked for: len(frame), len(frame.index) or frame.shape[0]; empty for none."""
    match size:
        case ast.Call(ast.Name("len") as func, [ast.Attribute(frame, "index") | frame], []) if (
            program.scopes.is_builtin(func)
        ):
            return dotted(frame)
        case ast.Subscript(ast.Attribute(frame, "shape"), ast.Constant(0)):
            return dotted(frame)
    return ""


def _reads(
    program: AnalyzedProgram, loop: ast.For, place: ast.Name, frame: str
) -> tuple[list[CellRead], list[ast.Assign]]:
    """The reads of values, and the statements that name a row; none where a row is used in any other way."""
    found: list[CellRead] = []
    named: list[ast.Assign] = []
    for part in program.walk(loop):
        match part:
            case ast.Subscript(ast.Attribute(owner, "iloc"), ast.Name(at), ast.Load()) if (
                dotted(owner) == frame and at == place.id
            ):
                parent = program.scopes.parent[part]
                match parent:
                    case ast.Assign([ast.Name() as row]) if parent in loop.body and len(loop.body) > 1:
                        reads = _of_row(program, loop, row)
                        if not reads or not program.alone(parent):
                            return [], []
                        found += reads
                        named.append(parent)
                    case _:
                        read = _cell(program, parent)
                        if read is None:
                            return [], []
                        found.append(read)
    return found, named


def _of_row(program: AnalyzedProgram, loop: ast.For, row: ast.Name) -> list[CellRead]:
    """The reads of a named row; empty where it is used in any other way."""
    found: list[CellRead] = []
    for use in program.scopes.all_uses(program.scopes.variable(row)):
        if use.node is row:
            continue
        read = _cell(program, program.scopes.parent[use.node])
        if read is None or not any(program.holds(statement, read.node) for statement in loop.body):
            return []
        found.append(read)
    return found


def _cell(program: AnalyzedProgram, node: ast.AST) -> CellRead | None:
    match node:
        case ast.Subscript(_, ast.Constant(str(name)), ast.Load()) as read:
            if '"' not in name and name.isprintable() and not program.in_f_string(read):
                return CellRead(read, name)
    return None
