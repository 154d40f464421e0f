"""For each record of one list all of another are gone through for the equal key: a dict of them by key, made once."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from codeopt.rules import AnalyzedProgram, Context, Edits, as_diff, dotted, place_before, rule

EXAMPLE = as_diff("""\
  orders = [(1, 9), (2, 7), (1, 4)]
  names = {1: "Ann", 2: "Bob"}
+ orders_by_key = {}
+ for order in orders:
+     orders_by_key.setdefault(order[0], []).append(order)
  for number in names:
-     print(names[number], sum(order[1] for order in orders if order[0] == number))
+     print(names[number], sum(order[1] for order in orders_by_key.get(number, ()) if order[0] == number))
""")


@dataclass(frozen=True)
class KeySearch:
    """A loop over all records for those whose key equals a value."""

    record: ast.Name
    records: ast.expr
    key: ast.expr
    value: ast.expr


@rule(ast.For, ast.comprehension, example=EXAMPLE, where="hot loop", safety="unsafe")
def record_index(node: ast.For | ast.comprehension, ctx: Context) -> Edits:
    """All records are gone through for those with one key: a dict made once knows the records of each key.

    A loop over a name or attribute whose first test is `record.key == value`, in a loop that changes neither, as far as
    its text shows. Keys have to be hashable, and equal ones have to have equal hashes.
    """
    program = ctx.program
    found = _search(program, node)
    if found is None:
        return
    place = place_before(program, found.records)
    if place is None or _sets_key(program, place, found) or _is_bound_in(program, node, found.value):
        return
    name = ctx.new_name(f"{_stem(found.records)}_by_key")
    record = found.record.id if _unused(program, place, found.record) else ctx.new_name("record", "each_record")
    key = _renamed(found.key, record)
    yield program.before(
        place,
        f"{name} = {{}}",
        f"for {record} in {program.source(found.records)}:",
        f"{program.indent}{name}.setdefault({key}, []).append({record})",
    )
    yield program.replace(found.records, f"{name}.get({program.source(found.value)}, ())")


def _sets_key(program: AnalyzedProgram, place: ast.stmt, found: KeySearch) -> bool:
    """Whether the loop stores an attribute of the key's name, or an element of a record."""
    attributes = {part.attr for part in program.walk(found.key) if isinstance(part, ast.Attribute)}
    for part in program.walk(place):
        match part:
            case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()) if name in attributes:
                return True
            case ast.Subscript(owner, ctx=ast.Store() | ast.Del()) if (
                dotted(owner).partition(".")[0] == found.record.id
            ):
                return True
    return False


def _search(program: AnalyzedProgram, node: ast.For | ast.comprehension) -> KeySearch | None:
    """The search that a loop is, if it is one."""
    match node:
        case ast.For(ast.Name() as record, records, [ast.If(test, _, []), *rest], []):
            if rest or program.liveness.read_after(node, record.id):
                return None
        case ast.comprehension(ast.Name() as record, records, [test, *_], 0):
            pass
        case _:
            return None
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        test = test.values[0]
    match test:
        case ast.Compare(left, [ast.Eq()], [right]) if dotted(records):
            for key, value in ((left, right), (right, left)):
                if _is_key(program, key, record) and not _uses(program, value, record) and _is_value(program, value):
                    return KeySearch(record, records, key, value)
    return None


def _is_key(program: AnalyzedProgram, key: ast.expr, record: ast.Name) -> bool:
    """Whether an expression is a part of the record: attributes and constant subscripts of its name alone."""
    parts = (ast.Attribute, ast.Subscript, ast.Constant, ast.Name, ast.expr_context)
    names = program.names(key)
    return not isinstance(key, ast.Name) and program.is_made_of(key, parts) and [n.id for n in names] == [record.id]


def _is_value(program: AnalyzedProgram, value: ast.expr) -> bool:
    """Whether an expression can be asked for once: names, attributes, subscripts and constants."""
    return program.is_made_of(
        value, (ast.Attribute, ast.Subscript, ast.Constant, ast.Name, ast.Tuple, ast.expr_context)
    )


def _uses(program: AnalyzedProgram, value: ast.expr, record: ast.Name) -> bool:
    return record.id in {name.id for name in program.names(value)}


def _is_bound_in(program: AnalyzedProgram, loop: ast.For | ast.comprehension, value: ast.expr) -> bool:
    """Whether the loop that searches binds a name of the value that it searches for, which is looked up once."""
    return any(program.stores_in(loop, program.scopes.variable(name)) for name in program.names(value))


def _stem(records: ast.expr) -> str:
    return dotted(records).rpartition(".")[2].lstrip("_") or "records"


def _unused(program: AnalyzedProgram, place: ast.stmt, record: ast.Name) -> bool:
    """Whether the record's name is free before the loop."""
    scope = program.scopes.scope[place]
    if isinstance(program.scopes.variable(record).scope, ast.FunctionDef | ast.Module):
        return True
    return not any(
        name.id == record.id and program.scopes.variable(name).scope in (scope, program.tree, None)
        for name in program.names(scope)
    )


def _renamed(key: ast.expr, record: str) -> str:
    """The key of a record of another name."""
    new = ast.parse(ast.unparse(key), mode="eval").body
    for part in ast.walk(new):
        if isinstance(part, ast.Name):
            part.id = record
    return ast.unparse(new)
