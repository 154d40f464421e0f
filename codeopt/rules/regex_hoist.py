"""`re.sub("...", ...)` in a loop or function: compile the pattern once."""

from __future__ import annotations

import ast
import re
import warnings

from codeopt.rules import AnalyzedProgram, Context, Edit, Edits, Variable, as_diff, plain_import, rule, spans_lines

ARGUMENTS = {"match": 2, "search": 2, "fullmatch": 2, "findall": 2, "finditer": 2, "split": 3, "sub": 4, "subn": 4}
"""Functions of re that patterns have as methods, with the number of arguments before the flags."""

EXAMPLE = as_diff("""\
  import re
+
+ PATTERN = re.compile(r"[a-z]")
+ PATTERN_2 = re.compile(r"2+")

  total = 0
  for word in "a1 b22 c333".split():
-     total += len(re.sub(r"[a-z]", "", word))  # digits
-     if re.search(r"2+", word):
+     total += len(PATTERN.sub("", word))  # digits
+     if PATTERN_2.search(word):
          total += 1
  print(total)
""")


@rule(ast.Call, example=EXAMPLE, where="hot loop")
def regex_hoist(node: ast.Call, ctx: Context) -> Edits:
    """The functions of re look their pattern up in a cache on each call: compile it once and use its methods.

    Functions of re, re.compile too, with a pattern that is written down, compiles, and has no flags, in a loop or
    function of a program that imports re at its top.
    """
    program = ctx.program
    pattern = _pattern(program, node)
    changed = any(program.stores_attribute(name) for name in (*ARGUMENTS, "compile"))
    if pattern is None or not isinstance(node.func, ast.Attribute) or plain_import(program, "re") != [] or changed:
        return
    name = ctx.bind_on_top(f"re.compile({program.source(pattern)})", "PATTERN")
    if node.func.attr == "compile":
        yield program.replace(node, name)
    else:  # re.sub(pattern, a, b) becomes PATTERN.sub(a, b)
        yield program.replace(node.func, f"{name}.{node.func.attr}")
        yield Edit(program.span(pattern)[0], program.span(node.args[1])[0], "")


def _pattern(program: AnalyzedProgram, call: ast.Call) -> ast.Constant | None:
    """The pattern, when it is written down, compiles without a warning, and no flags are given."""
    match call:
        case ast.Call(ast.Attribute(ast.Name("re") as owner, name), [ast.Constant() as pattern, *rest], keywords):
            plain = program.scopes.variable(owner) == Variable(program.tree, "re")
            options = {keyword.arg for keyword in keywords} <= {"count", "maxsplit"}
            fits = name in ARGUMENTS and 1 <= len(rest) < ARGUMENTS[name] and options
            fits = fits or (name == "compile" and not rest and not keywords)
            starred = any(isinstance(argument, ast.Starred) for argument in rest)
            if plain and fits and not starred and not spans_lines(pattern) and _compiles(pattern.value):
                return pattern
    return None


def _compiles(pattern: object) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return isinstance(pattern, str | bytes) and bool(re.compile(pattern))
        except (re.error, Warning, RecursionError, OverflowError):
            return False
