"""Calls of any, all, min, max and sum that make a generator or a list, or cost more than a comparison."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from codeopt import rules

ANY_ALL_LOOP = rules.as_diff("""\
  def has_vowel(word):
-     return any(letter in "aeiou" for letter in word)
+     for letter in word:
+         if letter in "aeiou":
+             return True
+     return False


  def count(words):
      total = 0
      for word in words:
-         if all(letter.islower() for letter in word):
+         for letter in word:
+             if not letter.islower():
+                 break
+         else:
              total += has_vowel(word)
      return total


  print(count("a few Words".split()))
""")


@rules.rule(ast.Return, ast.If, example=ANY_ALL_LOOP, safety="unsafe")
def any_all_loop(node: ast.Return | ast.If, ctx: rules.Context) -> list[rules.Edit]:
    """any() and all() start a generator and go into it for each element: a plain loop does neither.

    `return any(...)`, `return not all(...)`, `if all(...):` and `if not any(...):` without an else, one loop in the
    generator, in a function that does not use its variables otherwise.
    """
    program = ctx.program
    asked = _asked(program, node.value if isinstance(node, ast.Return) else node.test)
    if asked is None or not program.alone(node) or not _free(program, node, asked[2]):
        return []
    negated, name, made = asked
    if isinstance(node, ast.Return):
        wanted = name == "any"
        text = _head(program, node, made, wanted)
        margin, step = program.margin(node), program.indent
        found = wanted != negated
        text += [f"{margin}{step * 2}return {found}", f"{margin}return {not found}"]
        return [program.replace(node, program.newline.join(text))]
    start, end = program.span(node)[0], program.span(node.test)[1]
    rest = program.text[end : program.span(node.body[0])[0]]
    is_elif = isinstance(program.scopes.parent[node], ast.If) and program.text[start : start + 4] == "elif"
    if negated == (name == "all") or node.orelse or is_elif or not re.match(r"\s*:", rest):
        return []
    lines = _head(program, node, made, name == "any")
    lines += [f"{program.margin(node)}{program.indent * 2}break", f"{program.margin(node)}else"]
    return [rules.Edit(start, end, program.newline.join(lines))]


def _asked(program: rules.AnalyzedProgram, test: ast.expr | None) -> tuple[bool, str, ast.GeneratorExp] | None:
    """Whether it is negated, any or all, and the generator of `any(generator)`."""
    match test:
        case ast.UnaryOp(ast.Not(), inner):
            found = _asked(program, inner)
            return (not found[0], *found[1:]) if found is not None else None
        case ast.Call(ast.Name("any" | "all" as name), [ast.GeneratorExp() as made]):
            if program.calls_builtin(test, name) and len(made.generators) == 1 and not made.generators[0].is_async:
                parts = (made.elt, made.generators[0].target, *made.generators[0].ifs)
                return None if any(map(rules.spans_lines, parts)) else (False, name, made)
    return None


def _free(program: rules.AnalyzedProgram, node: ast.stmt, made: ast.GeneratorExp) -> bool:
    """Whether the statement is in a plain function that does not use the generator's variables elsewhere."""
    scope = program.scopes.scope[node]
    target = made.generators[0].target
    if not isinstance(scope, ast.FunctionDef) or program.has(scope, ast.Yield, ast.YieldFrom):
        return False
    if program.has(made, ast.Lambda, ast.NamedExpr, ast.Await) or not isinstance(target, ast.Name | ast.Tuple):
        return False
    bound = {name.id for name in program.names(target)}
    for name in program.names(scope):
        if name.id in bound and program.scopes.variable(name).scope in (scope, program.tree, None):
            return False
    arguments = [scope.args.vararg, scope.args.kwarg, *scope.args.posonlyargs, *scope.args.args, *scope.args.kwonlyargs]
    taken = {argument.arg for argument in arguments if argument is not None} | set(program.scopes.declared[scope])
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
    inner = (part for part in program.walk(scope) if isinstance(part, kinds) and part is not scope)
    return not bound & taken and not any(program.scopes.outer.get(part) is scope for part in inner)


def _head(program: rules.AnalyzedProgram, node: ast.stmt, made: ast.GeneratorExp, wanted: bool) -> list[str]:
    """The loop and its test, which is true for an element that decides."""
    (loop,) = made.generators
    margin, step = program.margin(node), program.indent
    element = program.source(made.elt)
    tests = [f"({program.source(test)})" for test in loop.ifs]
    if not wanted:
        element = f"not {element}" if _tight(made.elt) else f"not ({element})"
    elif tests and not _tight(made.elt):
        element = f"({element})"
    return [
        f"for {program.source(loop.target)} in {program.grouped(loop.iter, 1)}:",
        f"{margin}{step}if {' and '.join([*tests, element])}:",
    ]


def _tight(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.Subscript | ast.Constant)


# min() and max() of a few values to comparisons: a call costs ten comparisons.


CHANGING = (ast.Call, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)

MIN_MAX_CONDITIONAL = rules.as_diff("""\
  def best(values, limit):
      high = 0
      for i in range(len(values)):
-         high = max(high, values[i] - i)  # the highest
-         values[i] = min(values[i], limit)
-     return min(high, limit)
+         candidate = values[i] - i
+         if candidate > high:
+             high = candidate  # the highest
+         if limit < values[i]:
+             values[i] = limit
+     return limit if limit < high else high


  print(best([3, 9, 4], 7))
""")


@rules.rule(ast.Call, example=MIN_MAX_CONDITIONAL, where="hot loop", priority=140)
def min_max_conditional(call: ast.Call, ctx: rules.Context) -> list[rules.Edit]:
    """A call of min() or max() costs several comparisons: compare directly.

    Only positional arguments, at least two, without key and default. Arguments that would be evaluated twice have to
    be names, numbers or plain arithmetic and subscripts in a program whose classes do not redefine operators. Ties,
    NaN and mixed int and float give the same object as before; when both arguments fail, another one may fail first.
    """
    program = ctx.program
    if not program.calls_builtin(call, "min", "max") or len(call.args) < 2 or rules.spans_lines(call):
        return []
    if any(program.calls_builtin(parent, "min", "max") for parent in program.scopes.parents(call)):
        return []
    statement, scope = program.scopes.parent[call], program.scopes.scope[call]
    match statement:
        case ast.Assign(targets=[target]) if program.alone(statement) and not isinstance(scope, ast.ClassDef):
            lines = _update(program, target, call) or _build(program, target, call)
            if lines:
                below = (program.newline + program.margin(statement)).join(lines)
                return [program.replace(statement, below)]
    if len(call.args) == 2 and all(program.purity.is_cheap(argument) for argument in call.args):
        a, b = (program.source(argument) for argument in call.args)
        return [program.put(call, f"{b} if {b} {_sign(call)} {a} else {a}")]
    return []


def _update(program: rules.AnalyzedProgram, target: ast.expr, call: ast.Call) -> list[str] | None:
    """`x = min(x, ...)`: store only what is smaller. None when it is something else or might see a changed x."""
    place = program.source(target)
    at = [i for i, argument in enumerate(call.args) if program.source(argument) == place]
    others = [argument for i, argument in enumerate(call.args) if i not in at]
    first, second = at == [0] and bool(others), at == [1] and len(others) == 1
    if not (first or second) or not program.purity.is_plain(target):
        return None
    if isinstance(target, ast.Name):
        if _may_change(program, target, others) or target.id in rules.names_in(others[1:]):
            return None
    elif len(others) > 1 or not program.purity.is_plain(others[0]):
        return None
    ties_differ = second and not all(program.types.of(one) == rules.INT for one in [target, *others])
    return _compared(program, place, call, others, ties_differ)


def _build(program: rules.AnalyzedProgram, target: ast.expr, call: ast.Call) -> list[str] | None:
    """Return the lines for `x = min(a, b, ...)`: the first, then each smaller one. None if an argument might see x."""
    first, *others = call.args
    if isinstance(target, ast.Name):
        if target.id in rules.names_in(others) or _may_change(program, target, others):
            return None
        return [f"{target.id} = {program.source(first)}", *_compared(program, target.id, call, others)]
    if len(others) != 1 or not all(program.purity.is_plain(each) for each in [target, *call.args]):
        return None
    if all(program.purity.is_cheap(argument) for argument in call.args):
        return None  # one conditional expression will do
    one, other = _temporary(program), program.fresh("other", "other_value", "rival")
    return [
        f"{one} = {program.source(first)}",
        f"{other} = {program.source(others[0])}",
        f"{program.source(target)} = {other} if {other} {_sign(call)} {one} else {one}",
    ]


def _compared(
    program: rules.AnalyzedProgram, place: str, call: ast.Call, others: Sequence[ast.expr], ties_differ: bool = False
) -> list[str]:
    """Store each of the others in the place where it is smaller; where ties differ, unless what is there is smaller."""
    lines = []
    for other in others:
        value = program.source(other)
        if not rules.is_simple(other):
            lines.append(f"{_temporary(program)} = {value}")
            value = _temporary(program)
        test = f"not {place} {_sign(call)} {value}" if ties_differ else f"{value} {_sign(call)} {place}"
        lines += [f"if {test}:", f"{program.indent}{place} = {value}"]
    return lines


def _may_change(program: rules.AnalyzedProgram, target: ast.Name, others: Sequence[ast.expr]) -> bool:
    """Whether a call in the other arguments could rebind the target."""
    calls = any(program.has(other, *CHANGING) for other in others)
    return calls and not program.purity.only_stored_here(target)


def _sign(call: ast.Call) -> str:
    assert isinstance(call.func, ast.Name)
    return {"min": "<", "max": ">"}[call.func.id]


def _temporary(program: rules.AnalyzedProgram) -> str:
    return program.fresh("candidate", "value", "option")


# sum([a, b, c]) to a + b + c: no list, no call.


LITERAL_SUM = rules.as_diff("""\
  count = 0
  for a in range(9):
      for b in range(a, 9):
-         if sum([a, b, 1]) == 9 and max([a, b]) < 7:
+         if a + b + 1 == 9 and max(a, b) < 7:
              count += 1
  print(count)
""")


@rules.rule(ast.Call, example=LITERAL_SUM, where="hot loop", priority=130)
def literal_sum(node: ast.Call, ctx: rules.Context) -> rules.Edits:
    """sum(), min() and max() of a list that is written down build the list first: use the values directly.

    sum() only of values that are whole numbers for certain (floats add differently); no starred elements.
    """
    program = ctx.program
    match node:
        case ast.Call(args=[ast.List(elts) | ast.Tuple(elts) as display]) if len(elts) > 1:
            if rules.spans_lines(node) or any(isinstance(part, ast.Starred) for part in elts):
                return
            if program.calls_builtin(node, "sum") and program.types.is_int(*elts):
                parts = (program.grouped(part, rules.SUM_OF + bool(place)) for place, part in enumerate(elts))
                yield program.put(node, " + ".join(parts))
            elif program.calls_builtin(node, "min", "max"):
                yield program.replace(display, ", ".join(program.source(part) for part in elts))
