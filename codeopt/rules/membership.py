"""`in` on a list or on the keys of a dict: ask what finds a value at once."""

from __future__ import annotations

import ast

from codeopt import rules

COPIES = ("list", "tuple", "set", "frozenset")

KEYS_MEMBERSHIP = rules.as_diff("""\
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


@rules.rule(ast.Compare, example=KEYS_MEMBERSHIP)
def keys_membership(node: ast.Compare, ctx: rules.Context) -> rules.Edits:
    """A list of the keys is made and searched each time: `in` finds a key of the dict at once.

    list, tuple or set of a dict, its keys() or a set, of numbers, text, None and tuples of them; and of a range that
    is asked for a whole number.
    """
    program = ctx.program
    match node:
        case ast.Compare(left, [ast.In() | ast.NotIn()], [ast.Call() as call]):
            asked = _asked_directly(program, left, call) or _owner_of_keys(program, call)
            if asked is not None:
                yield program.replace(call, program.source(asked))


def _asked_directly(program: rules.AnalyzedProgram, left: ast.expr, copy: ast.Call) -> ast.expr | None:
    """The container that is copied, when asking it directly gives the same answer; else None."""
    if not program.calls_builtin(copy, *COPIES) or len(copy.args) != 1 or rules.spans_lines(copy):
        return None
    (whole,) = copy.args
    match _owner_of_keys(program, whole) or whole:
        case ast.Call(args=[*bounds]) if program.calls_builtin(whole, "range") and bounds:
            return whole if program.types.is_int(left, *bounds) else None
        case ast.Name() as owner if program.types.containers(owner, "dict", "set"):
            inside = program.types.elements(owner, "dict", "set")
            return owner if rules.hashable_or_empty(inside) and program.types.is_hashable(left) else None
    return None


def _owner_of_keys(program: rules.AnalyzedProgram, call: ast.expr) -> ast.Name | None:
    """The dict of `counts.keys()`."""
    match call:
        case ast.Call(ast.Attribute(ast.Name() as owner, "keys"), [], []) if program.types.containers(owner, "dict"):
            return owner
    return None


# `x in values` in a loop, for a list of values: ask a set.


LIST_MEMBERSHIP_TO_SET = rules.as_diff("""\
  banned = list(map(int, "3 1 4".split()))
  seen = []
+ banned_set = set(banned)
+ seen_set = set()
  for x in range(9):
-     if x in banned or x in seen:
+     if x in banned_set or x in seen_set:
          continue
      seen.append(x)  # new
+     seen_set.add(x)
  print(seen)
""")
READERS = ("enumerate", "len", "list", "max", "min", "print", "set", "sorted", "sum", "tuple")
"""Builtins that leave a list as it is, and keep no hold of it by which it could change."""


@rules.rule(ast.Module, example=LIST_MEMBERSHIP_TO_SET)
def list_membership_to_set(_: ast.Module, ctx: rules.Context) -> rules.Edits:
    """`in` compares with every element of a list; a set finds it at once.

    Lists of numbers, text, None and tuples of them, by what is stored in them or by their type hint, asked in a loop
    that does not change them through any name; or lists bound to [...], which only .append of a name or constant
    changes.
    """
    for variable, tests in _tests(ctx).items():
        name = ctx.new_name(f"{variable.name}_set")
        yield from _fixed(ctx.program, tests, name) or _growing(ctx.program, variable, tests, name) or []


def _tests(ctx: rules.Context) -> dict[rules.Variable, list[ast.Name]]:
    """Names of lists that are asked again and again, by variable."""
    found: dict[rules.Variable, list[ast.Name]] = {}
    program = ctx.program
    for node in program.of_kind(ast.Compare):
        match node:
            case ast.Compare(left, [ast.In() | ast.NotIn()], [ast.Name() as values]):
                if not ctx.is_hot(node) or not program.loops.run_again(node):
                    continue
                if rules.hashable(program.types.elements(values, "list")) and program.types.is_hashable(left):
                    found.setdefault(program.scopes.variable(values), []).append(values)
    return found


def _fixed(program: rules.AnalyzedProgram, tests: list[ast.Name], name: str) -> list[rules.Edit] | None:
    """Whether the list does not change in the loop."""
    places = {test: place for test in tests if (place := program.loops.outermost_keeping(test, test)) is not None}
    made = [program.before(place, f"{name} = set({tests[0].id})") for place in dict.fromkeys(places.values())]
    return [*made, *(program.replace(test, name) for test in places)]


def _growing(
    program: rules.AnalyzedProgram, variable: rules.Variable, tests: list[ast.Name], name: str
) -> list[rules.Edit] | None:
    """The edits for a list that is written down where it is bound, and changed only by `.append(x)` statements of this
    name."""
    containers = program.types.containers(tests[0], "list")
    if len(containers) != 1 or containers[0].escaped or containers[0] in program.escape.shrunk:
        return None
    uses = [use for use in program.scopes.all_uses(variable) if use.node not in tests]
    if any(use.kind != "load" and use.scope is not variable.scope for use in uses):
        return None
    edits = rules.together(_follow(program, use.node, use.kind, name) for use in uses) or []
    appended = any(".add(" in edit.text for edit in edits) and not _changed_elsewhere(program, containers[0], variable)
    return [*(program.replace(test, name) for test in tests), *edits] if appended else None


def _follow(program: rules.AnalyzedProgram, node: ast.AST, kind: str, name: str) -> list[rules.Edit] | None:
    """The edits for one use of the list; None when the use is not understood."""
    parent = program.scopes.parent[node]
    if kind != "load":
        match parent:
            case ast.Assign([target], ast.List(made)) | ast.AnnAssign(ast.Name() as target, _, ast.List(made)):
                start = f"set({program.source(target)})" if made else "set()"
                return [program.below(parent, f"{name} = {start}")] if program.alone(parent) else None
        return None
    match parent:
        case ast.Attribute(attr="append"):
            return _append(program, node, name)
        case ast.Call(func=func) if program.scopes.is_builtin(func, *READERS):
            return []
        case ast.Compare() | ast.Return() | ast.For() | ast.comprehension() | ast.Starred():
            return []
        case ast.Subscript(ctx=ast.Load()) | ast.Attribute(attr="index" | "count" | "copy"):
            return []
    return None


def _append(program: rules.AnalyzedProgram, name: ast.AST, grown: str) -> list[rules.Edit] | None:
    match program.method_call(name):
        case ast.Call(args=[ast.Name() | ast.Constant() as value], keywords=[]) as call:
            statement = program.scopes.parent[call]
            if isinstance(statement, ast.Expr) and program.alone(statement):
                return [program.below(statement, f"{grown}.add({program.source(value)})")]
    return None


def _changed_elsewhere(program: rules.AnalyzedProgram, container: rules.Container, variable: rules.Variable) -> bool:
    """Whether another name, a subscript or an operator changes the list."""
    for node in program.escape.changes(container):
        match node:
            case ast.Call(func=ast.Attribute(_, "index" | "count" | "copy")):
                continue
            case ast.Call(func=ast.Attribute(ast.Name() as owner, "append")):
                if program.scopes.variable(owner) == variable:
                    continue
        return True
    return False


# `x.key in values` in a loop, where values looks like a list: ask a set of what is in it.


LISTS = frozenset({"list", "List", "Sequence", "MutableSequence", "tuple", "Tuple", "Iterable", "Collection"})
"""Type hints of what `in` goes through an element at a time."""

SEEN_SET = rules.as_diff("""\
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


@rules.rule(ast.FunctionDef, example=SEEN_SET, safety="unsafe", builtins=("set",))
def seen_set(node: ast.FunctionDef, ctx: rules.Context) -> rules.Edits:
    """`in` compares with every element of a list; a set of its elements finds the value at once.

    Names and attributes that are lists or tuples by their hint, default, or all that is stored in them, in a loop whose
    text changes them nowhere; or a variable that starts as [] and is only appended to and read. The elements have to be
    hashable, and equal ones have to have equal hashes.
    """
    program = ctx.program
    asked: dict[str, list[ast.expr]] = {}
    for test in program.walk(node):
        match test:
            case ast.Compare(_, [ast.In() | ast.NotIn()], [ast.Name() | ast.Attribute() as values]):
                inside: ast.AST | None = program.scopes.scope[test]
                while isinstance(inside, rules.Comprehension):
                    inside = program.scopes.outer[inside]
                if rules.dotted(values) and inside is node and ctx.is_hot(test):
                    asked.setdefault(rules.dotted(values), []).append(values)
    for path, places in asked.items():
        yield from _grown(ctx, node, places) or _fixed_for(ctx, node, path, places)


def _fixed_for(ctx: rules.Context, function: ast.FunctionDef, path: str, places: list[ast.expr]) -> list[rules.Edit]:
    """The edits for a list that its loop leaves as it is."""
    program = ctx.program
    edits: list[rules.Edit] = []
    for values in places:
        if not _is_list(program, function, values):
            continue
        before = rules.place_before(program, values)
        if before is not None:
            name = ctx.bind_before(before, f"set({path})", f"{path.rpartition('.')[2].lstrip('_')}_set")
            edits.append(program.replace(values, name))
    return edits


def _is_list(program: rules.AnalyzedProgram, function: ast.FunctionDef, values: ast.expr) -> bool:
    """Whether all that is written down says that a value is a list or tuple."""
    if isinstance(values, ast.Name):
        places = [use.node for use in program.scopes.stores(program.scopes.variable(values))]
        made = [program.scopes.parent[place] for place in places]
        hint = next((place.annotation for place in places if isinstance(place, ast.arg)), None)
        if hint is not None:
            return _is_hint(hint) and len(made) == 1
        return bool(made) and all(isinstance(each, ast.Assign | ast.AnnAssign) and _makes(each) for each in made)
    assert isinstance(values, ast.Attribute)
    stores = [n for n in program.of_kind(ast.Attribute) if n.attr == values.attr and isinstance(n.ctx, ast.Store)]
    hinted = [n for n in program.of_kind(ast.AnnAssign) if isinstance(program.scopes.parent[n], ast.ClassDef)]
    fields = [n for n in hinted if isinstance(n.target, ast.Name) and n.target.id == values.attr]
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
            # builtins and methods that make a list or tuple
            return name in {"list", "sorted", "tuple", "split", "splitlines", "rsplit", "readlines", "findall"}
    return False


def _is_hint(hint: ast.expr) -> bool:
    """Whether a type hint is that of a list or tuple."""
    if isinstance(hint, ast.Constant) and isinstance(hint.value, str):
        return hint.value.partition("[")[0].rpartition(".")[2] in LISTS
    name = hint.value if isinstance(hint, ast.Subscript) else hint
    return rules.dotted(name).rpartition(".")[2] in LISTS


def _grown(ctx: rules.Context, function: ast.FunctionDef, places: list[ast.expr]) -> list[rules.Edit]:
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
    calls = [call for use in uses if (call := _append_of(program, use.node)) is not None]
    added = [(program.scopes.parent[call], program.source(call.args[0])) for call in calls]
    name = ctx.new_name(f"{variable.name}_set")
    lines = [*((start, f"{name} = set()") for start in starts), *((at, f"{name}.add({value})") for at, value in added)]
    alone = all(isinstance(at, ast.Assign | ast.AnnAssign | ast.Expr) and program.alone(at) for at, _ in lines)
    if not starts or not calls or not alone:
        return []
    below = [program.below(at, line) for at, line in lines if isinstance(at, ast.stmt)]
    return [*below, *(program.replace(each, name) for each in places)]


def _keeps_pace(program: rules.AnalyzedProgram, node: ast.AST, loops: list[rules.Loop]) -> bool:
    """Whether a set that is made and added to along with a list holds the same after this use of the list."""
    parent = program.scopes.parent[node]
    match parent:
        case ast.Assign([ast.Name() as target], ast.List([])) | ast.AnnAssign(ast.Name() as target, _, ast.List([])):
            return target is node
        case ast.Attribute(attr="append"):
            return _append_of(program, node) is not None
        case ast.Attribute(attr=name):
            return name in ("index", "count", "copy")
        case ast.Call(func):
            quiet = program.scopes.is_builtin(func, "len", "sorted", "list", "tuple", "set", "enumerate")
            return quiet or not any(program.holds(loop, parent) for loop in loops)
        case ast.Subscript(ctx=ast.Load()) | ast.Return() | ast.For() | ast.comprehension() | ast.Compare():
            return True
    return False


def _append_of(program: rules.AnalyzedProgram, name: ast.AST) -> ast.Call | None:
    """The call of `.append` on a name, of a value that can be evaluated twice."""
    kinds = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple, ast.expr_context)
    match program.method_call(name):
        case ast.Call(ast.Attribute(attr="append"), [value], []) as call if program.is_made_of(value, kinds):
            return call
    return None
