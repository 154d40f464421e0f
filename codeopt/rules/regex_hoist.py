"""`re.sub("...", ...)` in a loop or function: compile the pattern once."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass

from codeopt.rules import AnalyzedProgram, Context, Edit, Edits, Variable, as_diff, plain_import, rule, spans_lines

ARGUMENTS = {"match": 2, "search": 2, "fullmatch": 2, "findall": 2, "finditer": 2, "split": 3, "sub": 4, "subn": 4}
"""Functions of re that patterns have as methods, with the number of arguments before the flags."""
FLAGS = ("A", "ASCII", "I", "IGNORECASE", "M", "MULTILINE", "S", "DOTALL", "X", "VERBOSE", "U", "UNICODE")
"""Flags whose effect depends on nothing else: neither on the locale, nor is anything printed."""

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


@dataclass(frozen=True)
class FlagArgument:
    """The flags that a call is given."""

    value: ast.expr
    argument: ast.AST
    """The same with its keyword."""


@rule(ast.Call, example=EXAMPLE, where="hot loop")
def regex_hoist(node: ast.Call, ctx: Context) -> Edits:
    """The functions of re look their pattern up in a cache on each call: compile it once and use its methods.

    Functions of re, re.compile too, with a pattern that is written down and compiles with its flags, in a loop or
    function of a program that imports re at its top.
    """
    program = ctx.program
    flags = _flags(node)
    pattern = _pattern(program, node, flags)
    changed = any(program.stores_attribute(name) for name in (*ARGUMENTS, *FLAGS, "compile"))
    if pattern is None or not isinstance(node.func, ast.Attribute) or plain_import(program, "re") != [] or changed:
        return
    given = f", {program.source(flags.value)}" if flags is not None else ""
    name = ctx.bind_on_top(f"re.compile({program.source(pattern)}{given})", "PATTERN")
    if node.func.attr == "compile":
        yield program.replace(node, name)
        return
    yield program.replace(node.func, f"{name}.{node.func.attr}")  # re.sub(pattern, a, b) becomes PATTERN.sub(a, b)
    yield Edit(program.span(pattern)[0], program.span(node.args[1])[0], "")
    if flags is not None:
        begin, end = program.span(flags.argument)
        ends = (program.span(each)[1] for each in (*node.args, *node.keywords))
        yield Edit(max(each for each in ends if each <= begin), end, "")


def _flags(call: ast.Call) -> FlagArgument | None:
    """The flags, by their place or by their name."""
    match call.func:
        case ast.Attribute(attr=name):
            place = 1 if name == "compile" else ARGUMENTS.get(name, len(call.args))
            if place < len(call.args):
                return FlagArgument(call.args[place], call.args[place])
    named = next((keyword for keyword in call.keywords if keyword.arg == "flags"), None)
    return None if named is None else FlagArgument(named.value, named)


def _pattern(program: AnalyzedProgram, call: ast.Call, flags: FlagArgument | None) -> ast.Constant | None:
    """The pattern, when it is written down, and compiles without a warning with the flags."""
    match call:
        case ast.Call(ast.Attribute(ast.Name("re") as owner, name), [ast.Constant() as pattern, *rest], keywords):
            plain = program.scopes.variable(owner) == Variable(program.tree, "re")
            options = {keyword.arg for keyword in keywords} <= {"count", "maxsplit", "flags"}
            fits = name in ARGUMENTS and 1 <= len(rest) <= ARGUMENTS[name] and options
            fits = fits or (name == "compile" and len(rest) < 2 and options)
            starred = any(isinstance(argument, ast.Starred) for argument in rest)
            value = _value(program, flags.value) if flags is not None else re.RegexFlag(0)
            if plain and fits and not starred and not spans_lines(pattern) and value is not None:
                return pattern if _compiles(pattern.value, value) else None
    return None


def _value(program: AnalyzedProgram, flags: ast.expr) -> re.RegexFlag | None:
    """The flags that an expression names; None for another expression."""
    match flags:
        case ast.Attribute(ast.Name("re") as owner, name) if name in FLAGS:
            return re.RegexFlag[name] if program.scopes.variable(owner) == Variable(program.tree, "re") else None
        case ast.BinOp(left, ast.BitOr(), right):
            one, other = _value(program, left), _value(program, right)
            return one | other if one is not None and other is not None and not spans_lines(flags) else None
    return None


def _compiles(pattern: object, flags: re.RegexFlag) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return isinstance(pattern, str | bytes) and bool(re.compile(pattern, flags))
        except (re.error, Warning, RecursionError, OverflowError, ValueError):
            return False
