"""Another container: a Counter for counting, a deque for a queue, copies of lists without deepcopy."""

from __future__ import annotations

import ast

from codeopt import rules

COUNTER = rules.as_diff("""\
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


@rules.rule(ast.Call, example=COUNTER)
def counter(node: ast.Call, ctx: rules.Context) -> rules.Edits:
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


def _place(program: rules.AnalyzedProgram, call: ast.Call, values: ast.Name, sought: ast.expr) -> ast.stmt | None:
    if program.types.is_text(values):
        known = _is_letter(program, sought)
    else:
        known = rules.hashable(program.types.elements(values, "list", "tuple")) and program.types.is_hashable(sought)
    return program.loops.outermost_keeping(call, values) if known else None


def _is_letter(program: rules.AnalyzedProgram, node: ast.expr) -> bool:
    """Whether a value is one character: written down, or given by loops over text."""
    if not isinstance(node, ast.Name):
        return isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) == 1
    stores = program.scopes.stores(program.scopes.variable(node))
    return bool(stores) and all(_gives_letters(program, use.node) for use in stores)


def _gives_letters(program: rules.AnalyzedProgram, target: ast.AST) -> bool:
    pair = program.scopes.parent[target]
    match program.loop_source(target), pair, program.loop_source(pair):
        case ast.expr() as source, _, _:
            return _is_made_of_letters(program, source)
        case _, ast.Tuple([_, second]), ast.Call(args=[source]) as pairs if second is target:
            return program.calls_builtin(pairs, "enumerate") and program.types.is_text(source)
    return False


def _is_made_of_letters(program: rules.AnalyzedProgram, source: ast.expr) -> bool:
    match source:
        case ast.Call(args=[inner]) if program.calls_builtin(source, "set", "sorted", "list", "reversed"):
            return _is_made_of_letters(program, inner)
    return program.types.is_text(source)


# A list used as a queue, `queue.pop(0)`, to a deque.


Place = ast.Name | ast.Attribute
"""Name of the queue: `queue`, or `self.queue`."""

SAME = frozenset({"append", "extend", "clear", "reverse"})
"""Methods without a result that both lists and deques have."""

DEQUE_POPLEFT = rules.as_diff("""\
+ from collections import deque
+
  graph = [[1, 2], [3], [3], []]
  order = []
- queue = [0]
+ queue = deque([0])
  while queue:
-     node = queue.pop(0)
+     node = queue.popleft()
      order.append(node)
      for other in graph[node]:
          queue.append(other)
  print(order, len(queue))
""")


@rules.rule(ast.Module, example=DEQUE_POPLEFT)
def deque_popleft(_: ast.Module, ctx: rules.Context) -> rules.Edits:
    """pop(0) moves all other elements of a list: use a deque, whose popleft() moves none.

    A variable, or an attribute that only the methods of one class use, bound to lists written down there, and only
    popped, appended to, tested, measured with len and looked at from its ends: never passed on, printed, sliced,
    compared or iterated over. Refused where an IndexError is caught by name: a deque words it otherwise.
    """
    program = ctx.program
    # A deque words an IndexError differently.
    caught = program.catches("IndexError", "LookupError", "Exception", "BaseException", named=True)
    if caught or {"traceback", "exc_info", "excepthook"} & program.words:
        return
    for places in [*_variables(program), *_attributes(program)]:
        pops = [place for place in places if _pops_first(program, place)]
        if any(program.loops.run_again(place) and ctx.is_hot(place) for place in pops):
            edits = rules.together(_used(program, place) for place in places)
            if edits:
                ctx.import_from("collections", "deque")
                yield from edits


def _variables(program: rules.AnalyzedProgram) -> list[list[Place]]:
    """All places of each variable that is only bound and read by its name."""
    found = [uses for variable, uses in program.scopes.uses.items() if variable.scope is not None]
    names = [[use.node for use in uses if isinstance(use.node, ast.Name) and use.kind != "del"] for uses in found]
    return [list[Place](group) for group, uses in zip(names, found, strict=True) if len(group) == len(uses)]


def _attributes(program: rules.AnalyzedProgram) -> list[list[Place]]:
    """All places of each attribute that only the methods of one class use, always as `self.name`."""
    if {"getattr", "setattr", "hasattr", "delattr", "attrgetter"} & program.words:
        return []
    groups: dict[str, list[Place]] = {}
    owners: dict[str, set[ast.AST | None]] = {}
    for node in program.of_kind(ast.Attribute):
        groups.setdefault(node.attr, []).append(node)
        owners.setdefault(node.attr, set()).add(_class_of(program, node))
    classes = [names for scope, names in program.scopes.bound.items() if isinstance(scope, ast.ClassDef)]
    one = [name for name, found in owners.items() if len(found) == 1 and None not in found]
    own = [name for name in one if not any(name in names for names in classes)]
    return [groups[name] for name in own]


def _class_of(program: rules.AnalyzedProgram, node: ast.Attribute) -> ast.AST | None:
    """The class in whose method `self.name` is, when only this program makes its objects and knows its name."""
    match node:
        case ast.Attribute(ast.Name() as owner, ctx=ast.Load() | ast.Store()):
            method = program.scopes.variable(owner).scope
            home = program.scopes.scope.get(method) if isinstance(method, ast.FunctionDef) else None
            if not isinstance(method, ast.FunctionDef) or not isinstance(home, ast.ClassDef) or method.decorator_list:
                return None
            first = [arg.arg for arg in method.args.args[:1]] == [owner.id]
            once = program.scopes.is_bound_once(owner)
            plain = not (home.bases or home.keywords or home.decorator_list)
            made = program.calls_of(program.scopes.variable(home))
            return home if first and once and plain and made is not None else None
    return None


def _pops_first(program: rules.AnalyzedProgram, node: Place) -> bool:
    match _method_call(program, node):
        case ("pop", [ast.Constant(0)]) | ("insert", [ast.Constant(0), _]):
            return True
    return False


def _method_call(program: rules.AnalyzedProgram, name: ast.AST) -> tuple[str, list[ast.expr]] | None:
    """The method that is called on the queue, and its arguments."""
    match program.method_call(name):
        case ast.Call(ast.Attribute(attr=method), arguments, []):
            return method, arguments
    return None


def _stored(program: rules.AnalyzedProgram, node: Place) -> list[rules.Edit] | None:
    """`queue = [...]` becomes `queue = deque([...])`."""
    match program.scopes.parent[node]:
        case ast.Assign([_], ast.List() | ast.ListComp() as value):
            annotation = []
        case ast.AnnAssign(_, annotated, ast.List() | ast.ListComp() as value):
            annotation = [program.replace(annotated, "deque")]
        case _:
            return None
    empty = isinstance(value, ast.List) and not value.elts
    return [*annotation, program.replace(value, f"deque({'' if empty else program.source(value)})")]


def _used(program: rules.AnalyzedProgram, node: Place) -> list[rules.Edit] | None:
    """The edit for one use: none when it may stay, None when a deque cannot do it."""
    if isinstance(node.ctx, ast.Store):
        return _stored(program, node)
    nothing: list[rules.Edit] = []
    parent = program.scopes.parent[node]
    match _method_call(program, node):
        case "pop", []:
            return nothing
        case "pop", [ast.Constant(0)]:
            return [program.replace(program.scopes.parent[parent], f"{program.source(node)}.popleft()")]
        case "insert", [ast.Constant(0), value]:
            put = f"{program.source(node)}.appendleft({program.source(value)})"
            return [program.replace(program.scopes.parent[parent], put)]
        case method, [] | [_] if method in SAME:
            return nothing
    match parent:
        case ast.While(test=test) | ast.If(test=test) | ast.IfExp(test=test) | ast.UnaryOp(ast.Not(), test):
            return nothing if test is node else None
        case ast.BoolOp():
            around = program.scopes.parent[parent]
            return nothing if isinstance(around, ast.While | ast.If) and around.test is parent else None
        case ast.Call(func=func, args=[_], keywords=[]) if program.scopes.is_builtin(func, "len", "bool"):
            return nothing
        case ast.Subscript(slice=ast.Constant(0) | ast.UnaryOp(ast.USub(), ast.Constant(1)), ctx=ast.Load()):
            return nothing
    return None


# `copy.deepcopy(grid)` of lists of numbers or text to a copy of the list, or of each of its rows.


DEEP = frozenset({"@copy.deepcopy"})
KEEPING = frozenset({"pop", "remove", "clear", "sort", "reverse", "index", "count", "copy"})
"""Methods of a list that put nothing into it."""

DEEPCOPY_LIST = rules.as_diff("""\
  import copy

  grid = [[0] * 4 for _ in range(3)]
  for step in range(5):
-     after = copy.deepcopy(grid)
+     after = [row.copy() for row in grid]
      after[step % 3][step % 4] = step
-     order = copy.deepcopy(after[0])
+     order = after[0].copy()
      grid = after
  print(grid, order)
""")


@rules.rule(ast.Call, example=DEEPCOPY_LIST)
def deepcopy_list(node: ast.Call, ctx: rules.Context) -> rules.Edits:
    """deepcopy() asks of each number how to copy it: copy the lists themselves.

    Lists, dicts, sets and deques of numbers, text, None and tuples of them. Lists of such lists if each row is made
    for its place: a row in two places would become two rows.
    """
    if "deepcopy" in ctx.program.words:
        copied = _copied(ctx.program, node, ctx.program.fresh("row", "line", "part"))
        if copied:
            yield ctx.program.replace(node, copied)


def _copied(program: rules.AnalyzedProgram, call: ast.Call, row: str) -> str | None:
    """The same copy, made by the methods of the container."""
    match call:
        case ast.Call(args=[ast.Name() | ast.Attribute() | ast.Subscript() as whole], keywords=[]):
            if program.types.of(call.func) != DEEP:
                return None
            if _is_flat(program.types.containers(whole, "list", "dict", "set", "deque")):
                return f"{program.source(whole)}.copy()"
            if _has_own_rows(program, program.types.containers(whole, "list"), set()):
                return f"[{row}.copy() for {row} in {program.source(whole)}]"
    return None


def _is_flat(containers: list[rules.Container]) -> bool:
    """Whether the elements cannot change: numbers, text, None, and tuples of such."""
    return bool(containers) and all(rules.hashable_or_empty([*c.elements, *c.keys]) for c in containers)


def _has_own_rows(program: rules.AnalyzedProgram, lists: list[rules.Container], seen: set[rules.Container]) -> bool:
    """Flat lists in lists, each row in one place only: a deep copy keeps two rows one where they are the same list."""
    for outer in lists:
        if outer in seen:
            continue
        seen.add(outer)
        rows = [each for each in outer.elements if isinstance(each, rules.Container) and each.kind == "list"]
        if outer.escaped or len(rows) != len(outer.elements) or not _is_flat(rows):
            return False
        if not _made_of_new_rows(program, outer, seen) or _takes_rows(program, outer):
            return False
    return bool(lists)


def _made_of_new_rows(program: rules.AnalyzedProgram, outer: rules.Container, seen: set[rules.Container]) -> bool:
    match program.types.maker(outer):
        case ast.ListComp(row):
            return _is_new(program, row)
        case ast.List(rows):
            return all(_is_new(program, row) for row in rows)
        case ast.Call(func, [whole], []) if program.types.of(func) == DEEP:
            return _has_own_rows(program, program.types.containers(whole, "list"), seen)
    return False


def _is_new(program: rules.AnalyzedProgram, node: ast.expr) -> bool:
    """Whether the expression makes a list that nobody else has."""
    match node:
        case ast.List() | ast.ListComp() | ast.Subscript(slice=ast.Slice()):
            return True
        case ast.BinOp(op=ast.Add() | ast.Mult()):
            return True
        case ast.Call(ast.Attribute(owner, "copy" | "split"), _, []):
            return program.types.is_text(owner) or bool(program.types.containers(owner, "list"))
    return program.calls_builtin(node, "list", "sorted")


def _takes_rows(program: rules.AnalyzedProgram, outer: rules.Container) -> bool:
    """Whether the program may put a row into the outer list that is at another place also."""
    for node in program.escape.changes(outer):
        match node:
            case ast.Subscript(ctx=ast.Store()) if _stores_new(program, node):
                continue
            case ast.Subscript(ctx=ast.Del()):
                continue
            case ast.Call(ast.Attribute(_, "append" | "insert"), [*_, row]) if _is_new(program, row):
                continue
            case ast.Call(ast.Attribute(_, name)) if name in KEEPING:
                continue
        return True
    return False


def _stores_new(program: rules.AnalyzedProgram, place: ast.Subscript) -> bool:
    match program.scopes.parent[place]:
        case ast.Assign([target], value):
            return target is place and not isinstance(place.slice, ast.Slice) and _is_new(program, value)
        case ast.AugAssign(target):
            return target is place  # the row stays the same list
    return False
