"""`x.key in values` in a loop, where values looks like a list: ask a set of what is in it."""

from __future__ import annotations

import ast

from codeopt.rules import (
    AnalyzedProgram,
    Comprehension,
    Context,
    Edit,
    Edits,
    Loop,
    as_diff,
    dotted,
    place_before,
    rule,
)

LISTS = frozenset({"list", "List", "Sequence", "MutableSequence", "tuple", "Tuple", "Iterable", "Collection"})
"""Type hints of what `in` goes through an element at a time."""
MAKING = frozenset({"list", "sorted", "tuple", "split", "splitlines", "rsplit", "readlines", "findall"})
"""Builtins and methods that make a list or tuple."""

EXAMPLE = as_diff("""\
  class Hit:
      def __init__(self, ip):
          self.ip = ip


  def addresses(hits: list[Hit], known: list[str]):
      seen = []
+     known_set = set(known)
+     seen_set = set()
      for hit in hits:
-         if hit.ip not in seen and hit.ip not in known:
+         if hit.ip not in seen_set and hit.ip not in known_set:
              seen.append(hit.ip)
+             seen_set.add(hit.ip)
      return seen


  print(addresses([Hit("a"), Hit("b"), Hit("a")], ["b"]))
""")


@rule(ast.FunctionDef, example=EXAMPLE, safety="unsafe", builtins=("set",))
def seen_set(node: ast.FunctionDef, ctx: Context) -> Edits:
    """`in` compares with every element of a list; a set of its elements finds the value at once.

    Names and attributes that are lists or tuples by their hint, default, or all that is stored in them, in a loop whose
    text changes them nowhere; or a variable that starts as [] and is only appended to and read. The elements have to be
    hashable, and equal ones have to have equal hashes.
    """
    program = ctx.program
    asked: dict[str, list[ast.expr]] = {}
    for test in program.walk(node):
        match test:
            case ast.Compare(_, [ast.In() | ast.NotIn()], [ast.Name() | ast.Attribute() as values]) if dotted(values):
                inside: ast.AST | None = program.scopes.scope[test]
                while isinstance(inside, Comprehension):
                    inside = program.scopes.outer[inside]
                if inside is node and ctx.is_hot(test):
                    asked.setdefault(dotted(values), []).append(values)
    for path, places in asked.items():
        yield from _grown(ctx, node, places) or _fixed(ctx, node, path, places)


def _fixed(ctx: Context, function: ast.FunctionDef, path: str, places: list[ast.expr]) -> list[Edit]:
    """The edits for a list that its loop leaves as it is."""
    program = ctx.program
    edits: list[Edit] = []
    for values in places:
        if not _is_list(program, function, values):
            continue
        before = place_before(program, values)
        if before is not None:
            name = ctx.bind_before(before, f"set({path})", f"{path.rpartition('.')[2].lstrip('_')}_set")
            edits.append(program.replace(values, name))
    return edits


def _is_list(program: AnalyzedProgram, function: ast.FunctionDef, values: ast.expr) -> bool:
    """Whether all that is written down says that a value is a list or tuple."""
    if isinstance(values, ast.Name):
        variable = program.scopes.variable(values)
        made = [program.scopes.parent[use.node] for use in program.scopes.stores(variable)]
        hint = next(
            (use.node.annotation for use in program.scopes.stores(variable) if isinstance(use.node, ast.arg)), None
        )
        if hint is not None:
            return _is_hint(hint) and len(made) == 1
        return bool(made) and all(isinstance(each, ast.Assign | ast.AnnAssign) and _makes(each) for each in made)
    assert isinstance(values, ast.Attribute)
    stores = [n for n in program.of_kind(ast.Attribute) if n.attr == values.attr and isinstance(n.ctx, ast.Store)]
    fields = [
        n
        for n in program.of_kind(ast.AnnAssign)
        if isinstance(n.target, ast.Name)
        and n.target.id == values.attr
        and isinstance(program.scopes.parent[n], ast.ClassDef)
    ]
    found = [*(program.scopes.parent[n] for n in stores), *fields]
    return bool(found) and all(isinstance(each, ast.Assign | ast.AnnAssign) and _makes(each) for each in found)


def _makes(statement: ast.Assign | ast.AnnAssign) -> bool:
    """Whether an assignment stores a list or tuple."""
    if isinstance(statement, ast.AnnAssign):
        return _is_hint(statement.annotation)
    if len(statement.targets) != 1 or not isinstance(statement.targets[0], ast.Name | ast.Attribute):
        return False
    match statement.value:
        case ast.List() | ast.ListComp() | ast.Tuple():
            return True
        case ast.Call(ast.Name(name) | ast.Attribute(attr=name)):
            return name in MAKING
    return False


def _is_hint(hint: ast.expr) -> bool:
    """Whether a type hint is that of a list or tuple."""
    if isinstance(hint, ast.Constant) and isinstance(hint.value, str):
        return hint.value.partition("[")[0].rpartition(".")[2] in LISTS
    name = hint.value if isinstance(hint, ast.Subscript) else hint
    return dotted(name).rpartition(".")[2] in LISTS


def _grown(ctx: Context, function: ast.FunctionDef, places: list[ast.expr]) -> list[Edit]:
    """The edits for a variable of the function that starts as [] and is only appended to, and asked in a loop."""
    program, first = ctx.program, places[0]
    if not isinstance(first, ast.Name) or not any(program.loops.around(each) for each in places):
        return []
    variable = program.scopes.variable(first)
    loops = [loop for place in places for loop in program.loops.around(place)]
    uses = [use for use in program.scopes.all_uses(variable) if use.node not in places]
    own = variable.scope is function and all(use.scope is function for use in uses)
    if not own or not all(_keeps_pace(program, use.node, loops) for use in uses):
        return []
    starts = [program.scopes.parent[use.node] for use in uses if use.kind == "store"]
    calls = [call for use in uses if (call := _append(program, use.node)) is not None]
    added = [(program.scopes.parent[call], program.source(call.args[0])) for call in calls]
    name = ctx.new_name(f"{variable.name}_set")
    lines = [*((start, f"{name} = set()") for start in starts), *((at, f"{name}.add({value})") for at, value in added)]
    if not starts or not calls or not all(_is_line(program, at) for at, _ in lines):
        return []
    below = [program.below(at, line) for at, line in lines if isinstance(at, ast.stmt)]
    return [*below, *(program.replace(each, name) for each in places)]


def _is_line(program: AnalyzedProgram, node: ast.AST) -> bool:
    """Whether a node is a statement with lines of its own."""
    return isinstance(node, ast.Assign | ast.AnnAssign | ast.Expr) and program.alone(node)


def _keeps_pace(program: AnalyzedProgram, node: ast.AST, loops: list[Loop]) -> bool:
    """Whether a set that is made and added to along with a list holds the same after this use of the list."""
    parent = program.scopes.parent[node]
    match parent:
        case ast.Assign([ast.Name() as target], ast.List([])) | ast.AnnAssign(ast.Name() as target, _, ast.List([])):
            return target is node
        case ast.Attribute(attr="append"):
            return _append(program, node) is not None
        case ast.Attribute(attr=name):
            return name in ("index", "count", "copy")
        case ast.Call(func):
            quiet = program.scopes.is_builtin(func, "len", "sorted", "list", "tuple", "set", "enumerate")
            return quiet or not any(program.holds(loop, parent) for loop in loops)
        case ast.Subscript(ctx=ast.Load()) | ast.Return() | ast.For() | ast.comprehension() | ast.Compare():
            return True
    return False


def _append(program: AnalyzedProgram, name: ast.AST) -> ast.Call | None:
    """The call of `.append` on a name, of a value that can be evaluated twice."""
    kinds = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple, ast.expr_context)
    match program.method_call(name):
        case ast.Call(ast.Attribute(attr="append"), [value], []) as call if program.is_made_of(value, kinds):
            return call
    return None
