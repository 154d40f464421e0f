"""`values.index(x)` in a loop that leaves the list as it is: look the place up in a dict, made once."""

from __future__ import annotations

import ast
from functools import partial

from codeopt.rules import Hot, Rule
from codeopt.rules._bounds import definition
from codeopt.rules._effects import Effects, effects_of
from codeopt.rules._hoist import hashable, outermost, unused_name
from codeopt.rules._hot import hot_nodes
from codeopt.rules._module import Edit, Module, parse
from codeopt.rules._plain import builtin_call, rebound
from codeopt.rules._types import Types, types_of

TABLE = "{name} = {{value: place for place, value in reversed([*enumerate({values})])}}"
"""Backwards, so that the first place of a value is what stays."""
ALONE = ast.Assign | ast.AugAssign | ast.Return | ast.Call | ast.List | ast.Tuple | ast.ListComp


def rewrite(text: str, hot: Hot) -> str | None:
    """A dict of first places before the loop; what is not in it asks the list, which says so."""
    module = parse(text)
    if module is None or any(rebound(module, name) for name in ("enumerate", "reversed")):
        return None
    types = types_of(module)
    places: dict[tuple[ast.stmt, str], list[ast.Call]] = {}
    for node in hot_nodes(module, hot, ast.Call):
        before = _before(module, types, node)
        if before is not None:
            places.setdefault((before, _list_of(node).id), []).append(node)
    edits: list[Edit] = []
    taken: set[str] = set()
    for (before, values), calls in places.items():
        name = unused_name(module, taken, f"{values}_index")
        edits.append(module.before(before, TABLE.format(name=name, values=values)))
        edits += [module.replace(call, _looked_up(module, types, name, call)) for call in calls]
    return module.edited(edits)


def _before(module: Module, types: Types, call: ast.Call) -> ast.stmt | None:
    """The loop before which the dict can be made."""
    match call:
        case ast.Call(ast.Attribute(ast.Name() as values, "index"), [ast.Name() | ast.Constant() as sought], []):
            inside = [element for c in types.containers(values, "list", "tuple") for element in c.elements]
            if hashable(inside) and hashable(types.of(sought)) and not _was_kept(module, call):
                return outermost(module, types, call, [values], partial(_leaves, module, types, values))
    return None


def _leaves(module: Module, types: Types, values: ast.Name, effects: Effects) -> bool:
    touched = effects.changed | effects.resized
    return effects.keeps(module, types, values) and effects.keeps_container(types, values, touched)


def _list_of(call: ast.Call) -> ast.Name:
    assert isinstance(call.func, ast.Attribute)
    assert isinstance(call.func.value, ast.Name)
    return call.func.value


def _was_kept(module: Module, call: ast.Call) -> bool:
    """It is what this rule left for values that are not in the list."""
    match module.scopes.parent[call]:
        case ast.IfExp(ast.Compare(_, [ast.In()], [ast.Name()]), ast.Subscript(), orelse):
            return orelse is call
    return False


def _looked_up(module: Module, types: Types, name: str, call: ast.Call) -> str:
    sought = module.source(call.args[0])
    if _is_in(module, types, call.args[0], _list_of(call)):
        return f"{name}[{sought}]"
    chosen = f"{name}[{sought}] if {sought} in {name} else {module.source(call)}"
    return chosen if isinstance(module.scopes.parent[call], ALONE) else f"({chosen})"


def _is_in(module: Module, types: Types, sought: ast.expr, values: ast.Name) -> bool:
    """A loop takes it from the list, or from all that the list was made of, and nothing changes either."""
    stores = module.scopes.stores(module.scopes.variable(sought)) if isinstance(sought, ast.Name) else []
    parent = module.scopes.parent[stores[0].node] if len(stores) == 1 else None
    if not isinstance(parent, ast.For | ast.comprehension) or parent.target is not stores[0].node:
        return False
    source = parent.iter
    if not isinstance(source, ast.Name) or not all(_never_changes(module, types, name) for name in (source, values)):
        return False
    variable = module.scopes.variable(source)
    return module.scopes.variable(values) == variable or _made_of(module, definition(module, values)) == variable


def _never_changes(module: Module, types: Types, name: ast.Name) -> bool:
    if len(module.scopes.stores(module.scopes.variable(name))) != 1:
        return False
    everything = effects_of(module, types, module.tree.body)
    return everything.keeps_container(types, name, everything.changed | everything.resized)


def _made_of(module: Module, made: ast.expr | None) -> object:
    """The variable all of whose elements are in the new list: sorted(x), sorted(set(x)), list(x)."""
    match made:
        case ast.Call(args=[inner]) if builtin_call(module, made, "sorted", "list", "tuple", "set"):
            return module.scopes.variable(inner) if isinstance(inner, ast.Name) else _made_of(module, inner)
    return None


RULE = Rule(
    name="index_to_dict",
    reason="index() compares with one element after the other: a dict made once knows the place of each value.",
    before="""\
scores = list(map(int, "30 10 20 10".split()))
ranks = sorted(set(scores))
names = ["c", "a", "b"]
print([ranks.index(score) for score in scores])
for name in ["a", "b"]:
    print(names.index(name))
""",
    after="""\
scores = list(map(int, "30 10 20 10".split()))
ranks = sorted(set(scores))
names = ["c", "a", "b"]
ranks_index = {value: place for place, value in reversed([*enumerate(ranks)])}
print([ranks_index[score] for score in scores])
names_index = {value: place for place, value in reversed([*enumerate(names)])}
for name in ["a", "b"]:
    print(names_index[name] if name in names_index else names.index(name))
""",
    limits=(
        "Lists of numbers, text, None and tuples of them, asked for a name or a constant of these kinds, which the "
        "loop around does not change through any name."
    ),
    rewrite=rewrite,
)
