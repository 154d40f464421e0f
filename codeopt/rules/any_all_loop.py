"""`return any(f(x) for x in xs)` to a loop: no generator for a few elements."""

from __future__ import annotations

import ast
import re

from codeopt.rules import AnalyzedProgram, Context, Edit, as_diff, rule, spans_lines

EXAMPLE = as_diff("""\
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


@rule(ast.Return, ast.If, example=EXAMPLE, safety="unsafe")
def any_all_loop(node: ast.Return | ast.If, ctx: Context) -> list[Edit]:
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
        return [_returned(program, node, made, name == "any", negated)]
    if (
        negated == (name == "all")
        or node.orelse
        or isinstance(program.scopes.parent[node], ast.If)
        and _is_elif(program, node)
    ):
        return []
    start, end = program.span(node)[0], program.span(node.test)[1]
    rest = program.text[end : program.span(node.body[0])[0]]
    if not re.match(r"\s*:", rest):
        return []
    lines = _head(program, node, made, name == "any")
    return [
        Edit(
            start,
            end,
            program.newline.join(
                [*lines, f"{program.margin(node)}{program.indent * 2}break", f"{program.margin(node)}else"]
            ),
        )
    ]


def _asked(program: AnalyzedProgram, test: ast.expr | None) -> tuple[bool, str, ast.GeneratorExp] | None:
    """Whether it is negated, any or all, and the generator of `any(generator)`."""
    match test:
        case ast.UnaryOp(ast.Not(), inner):
            found = _asked(program, inner)
            return (not found[0], *found[1:]) if found is not None else None
        case ast.Call(ast.Name("any" | "all" as name), [ast.GeneratorExp() as made]):
            if program.calls_builtin(test, name) and len(made.generators) == 1 and not made.generators[0].is_async:
                parts = (made.elt, made.generators[0].target, *made.generators[0].ifs)
                return None if any(map(spans_lines, parts)) else (False, name, made)
    return None


def _free(program: AnalyzedProgram, node: ast.stmt, made: ast.GeneratorExp) -> bool:
    """Whether the statement is in a plain function that does not use the generator's variables elsewhere."""
    scope = program.scopes.scope[node]
    if not isinstance(scope, ast.FunctionDef) or program.has(scope, ast.Yield, ast.YieldFrom):
        return False
    if program.has(made, ast.Lambda, ast.NamedExpr, ast.Await) or not isinstance(
        made.generators[0].target, ast.Name | ast.Tuple
    ):
        return False
    bound = {name.id for name in program.names(made.generators[0].target)}
    for name in program.names(scope):
        if name.id in bound and program.scopes.variable(name).scope in (scope, program.tree, None):
            return False
    arguments = [scope.args.vararg, scope.args.kwarg, *scope.args.posonlyargs, *scope.args.args, *scope.args.kwonlyargs]
    taken = {argument.arg for argument in arguments if argument is not None} | set(program.scopes.declared[scope])
    return not bound & taken and not any(
        program.scopes.outer.get(inner) is scope for inner in _functions(program, scope)
    )


def _functions(program: AnalyzedProgram, scope: ast.FunctionDef) -> list[ast.AST]:
    """The functions and classes inside a function."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
    return [part for part in program.walk(scope) if isinstance(part, kinds) and part is not scope]


def _is_elif(program: AnalyzedProgram, node: ast.If) -> bool:
    start = program.span(node)[0]
    return program.text[start : start + 4] == "elif"


def _head(program: AnalyzedProgram, node: ast.stmt, made: ast.GeneratorExp, wanted: bool) -> list[str]:
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


def _returned(program: AnalyzedProgram, node: ast.Return, made: ast.GeneratorExp, wanted: bool, negated: bool) -> Edit:
    lines = _head(program, node, made, wanted)
    margin, step = program.margin(node), program.indent
    found = wanted != negated
    lines += [f"{margin}{step * 2}return {found}", f"{margin}return {not found}"]
    return program.replace(node, program.newline.join(lines))
