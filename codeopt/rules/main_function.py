"""Module-level code into main(), so that the names it uses are fast locals instead of globals."""

from __future__ import annotations

import ast
import builtins
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO

from codeopt import rules

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Import = ast.Import | ast.ImportFrom

CACHES = frozenset({"lru_cache", "cache", "functools"})
"""Decorators that work in the same way on a function of a module and on one inside another function."""

NEED_MODULE_LEVEL = frozenset(
    {"multiprocessing", "pickle", "concurrent", "joblib", "numba", "dill", "cloudpickle", "timeit", "doctest"}
    | {"unittest", "__all__"}
)
"""Libraries that find functions by their module's names, or compile them together with the globals they see."""

MAIN_FUNCTION = rules.as_diff("""\
  import sys

- n = int(input())
- total = 0
- for i in range(n):
-     total += i * i  # squares
- print(total)
+
+ def main():
+     n = int(input())
+     total = 0
+     for i in range(n):
+         total += i * i  # squares
+     print(total)
+
+
+ main()
""")


@rules.rule(ast.Module, priority=10, scripts_only=True, example=MAIN_FUNCTION)
def main_function(_: ast.Module, ctx: rules.Context) -> rules.Edits:
    """Python finds a function's own variables much faster than global ones: put module-level loops into main().

    Needs a loop at module level. Functions and plain classes that use none of the moved names stay outside, the
    others move in; a builtin that is bound once from itself (`sum = sum(a)`) gets another name. Refused with
    globals(), exec, eval of anything but a read line, other classes that use moved names, and other builtin or
    imported names that the program reads before it binds them. Other files can no longer import the moved names.
    """
    program = ctx.program
    split = _split(program) if not NEED_MODULE_LEVEL.intersection(program.words) else None
    loops = program.nodes(ast.For, ast.While)
    if split is None or not any(ctx.is_hot(loop) and program.scopes.scope[loop] is program.tree for loop in loops):
        return
    declarations, renames = _declarations(program, split), _renames(program, split)
    if declarations is None or renames is None:
        return
    name = program.fresh("main", "run", "main_program")
    text_of_guard = None if renames else guarded(program, split, name)
    new = text_of_guard or assemble(program, split, [*declarations, *renames], name)
    if new is not None:
        yield rules.Edit(0, len(program.text), new)


def _split(program: rules.AnalyzedProgram) -> Split | None:
    everything = list(units(program))
    kept = _kept(program, everything)
    moved = tuple(unit for unit in everything if unit not in kept)
    bodies = [s for unit in moved for s in unit.statements]
    inside = [node for s in bodies for node in program.walk(s) if program.scopes.scope.get(node) is program.tree]
    stuck = any(isinstance(s, ast.ClassDef) and not (_plain(s) and class_may_move(program, s)) for s in inside)
    # The program may print the full name of a function, then `main.<locals>.f`: a TypeError of a call has it.
    tells_names = "__qualname__" in program.words or program.catches("TypeError", named=True)
    if tells_names and any(isinstance(s, ast.FunctionDef) for s in inside):
        return None
    if not moved or stuck or any(rules.names_in(getattr(s, "decorator_list", [])) - CACHES for s in bodies):
        return None
    return Split(tuple(kept), moved)


def _kept(program: rules.AnalyzedProgram, everything: list[Unit]) -> list[Unit]:
    """Leading imports, and definitions that need none of the names that move; less until nothing changes."""
    kept: list[Unit] = []
    leading, first = True, program.tree.body[:1]
    for unit in everything:
        heads = [s for s in unit.statements if not ([s] == first and rules.is_bare_constant(s))]
        leading = leading and all(isinstance(s, Import | Definition) for s in heads)
        if leading or all(_can_be_hoisted(program, s) for s in unit.statements):
            kept.append(unit)
    while True:
        moving = {name for unit in everything if unit not in kept for name in bound(program, unit)}
        only_import = [u for u in kept if all(isinstance(s, Import) for s in u.statements)]
        stay = [u for u in kept if u in only_import or moving.isdisjoint(each.name for each, _ in _uses(program, u))]
        if len(stay) == len(kept):
            return kept
        kept = stay


def _can_be_hoisted(program: rules.AnalyzedProgram, statement: ast.stmt) -> bool:
    """Whether a statement is an import or a definition that only binds its name: it may be moved above code that ran
    before it."""
    names = _binds(statement)
    again = (name for name in names if len(program.scopes.stores(rules.Variable(program.tree, name))) > 1)
    if any(again) or any(hasattr(builtins, name) for name in names):
        return False
    if isinstance(statement, Import):
        modules = [a.name for a in statement.names] if isinstance(statement, ast.Import) else [statement.module or ""]
        return rules.QUIET_MODULES.issuperset(modules) and "*" not in names
    if isinstance(statement, ast.ClassDef):
        return _plain(statement)
    return isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and _can_be_made_anywhere(statement)


def _plain(statement: ast.ClassDef) -> bool:
    """Whether a statement is a class of constants and functions, without bases: making it runs no code of the
    program."""
    for part in statement.body:
        method = isinstance(part, ast.FunctionDef) and _can_be_made_anywhere(part)
        constant = isinstance(part, ast.Pass) or rules.is_bare_constant(part) or rules.sets_constant(part)
        if not method and not constant:
            return False
    return not statement.bases and not statement.keywords and not statement.decorator_list


def _binds(statement: ast.stmt) -> list[str]:
    if isinstance(statement, Import):
        return list(map(rules.bound_name, statement.names))
    return [statement.name] if isinstance(statement, Definition) else []


def _can_be_made_anywhere(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    defaults = [*function.args.defaults, *(d for d in function.args.kw_defaults if d)]
    annotated = any(isinstance(a, ast.arg) and a.annotation for a in ast.walk(function.args)) or function.returns
    return not function.decorator_list and not annotated and all(isinstance(d, ast.Constant) for d in defaults)


def _declarations(program: rules.AnalyzedProgram, split: Split) -> list[rules.Edit] | None:
    """Edits that turn `global x` of moved functions into `nonlocal x`; None when one cannot be translated."""
    local = {name for unit in split.moved for name in local_names(program, unit)}
    edits = []
    for node in program.of_kind(ast.Global):
        if not any(program.holds(statement, node) for statement in split.body):
            continue
        scope = program.scopes.scope[node]
        around = [s for s in program.scopes.parents(scope) if s in program.scopes.bound and s is not program.tree]
        hidden = any(name in program.scopes.bound[s] for s in around for name in node.names)
        if scope is program.tree or hidden or any(isinstance(s, ast.ClassDef) for s in [scope, *around]):
            return None
        if local.issuperset(node.names):
            start = program.span(node)[0]
            edits.append(rules.Edit(start, start + len("global"), "nonlocal"))
        elif local.intersection(node.names):
            return None
    return edits


def _renames(program: rules.AnalyzedProgram, split: Split) -> list[rules.Edit] | None:
    """Edits that give a rebound builtin (`sum = sum(a)`) another name; None when a name would mean something else.

    In a function a name is local from the start: nothing may read it before the moved code binds it.
    """
    local = {name for unit in split.moved for name in local_names(program, unit)}
    kept = {name for unit in split.kept for name in bound(program, unit)}
    early = {name for name in local if hasattr(builtins, name) or name in kept or program.scopes.star_hides(name)}
    for node in (n for statement in split.body for n in program.walk(statement)):
        star = isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
        if star or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del) and node.id in early):
            return None
    always = program.liveness.assigned_before_use
    late = [name for name in sorted(early) if not always(rules.Variable(program.tree, name), split.body)]
    if any(name in kept or program.scopes.star_hides(name) for name in late):
        return None
    return rules.together(renamed(program, split, name) for name in late)


# Names that would mean something else in a function, and classes that may move into one.

TELLS = frozenset({"type", "__class__", "__qualname__", "__module__", "__subclasses__"})
"""Words of a program that may print where a class was made: `__main__.Box` becomes `__main__.main.<locals>.Box`."""

LATER = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.GeneratorExp | ast.ClassDef
"""Nodes whose code runs later than its place."""


def renamed(program: rules.AnalyzedProgram, split: Split, name: str) -> list[rules.Edit] | None:
    """Edits that rename the variable of a builtin's name, bound the first time by a statement of the moved code.

    Before that statement, and on its right side, the name means the builtin. After it, the variable.
    """
    uses = program.scopes.all_uses(rules.Variable(program.tree, name))
    first = _first_binding(program, split, uses)
    if first is None or any(name in program.scopes.declared[use.scope] for use in uses):
        return None
    new = program.fresh(f"{name}_")
    target = first.targets[0]
    edits = []
    for use in uses:
        if not isinstance(use.node, ast.Name) or program.source(use.node) != name or use.kind == "del":
            return None
        texts = (parent for parent in program.scopes.parents(use.node) if isinstance(parent, ast.JoinedStr))
        if any(map(rules.spans_lines, texts)):
            return None  # the positions in f-strings over several lines are not exact
        if use.node is not target and program.span(use.node)[0] < program.span(first)[1]:
            if any(isinstance(scope, LATER) for scope in [use.scope, *program.scopes.parents(use.scope)]):
                return None
            continue
        edits.append(program.replace(use.node, new))
    return list(dict.fromkeys(edits))  # `x += 1` uses x twice


def _first_binding(program: rules.AnalyzedProgram, split: Split, uses: list[rules.Use]) -> ast.Assign | None:
    """The statement `name = ...` that binds it first, when it runs exactly once, before all nodes below it."""
    stores = sorted((use.node for use in uses if use.kind == "store"), key=lambda node: program.span(node)[0])
    statement = program.scopes.parent[stores[0]]
    if isinstance(statement, ast.Assign) and statement.targets == [stores[0]] and statement in split.body:
        return statement
    return None


def class_may_move(program: rules.AnalyzedProgram, statement: ast.ClassDef) -> bool:
    """Whether the program only calls the class, reads its attributes or asks isinstance: no use shows where it was
    made."""
    if TELLS & program.words or program.scopes.declared.get(statement):
        return False
    variable = rules.Variable(program.tree, statement.name)
    return all(use.kind == "store" or _hides_its_name(program, use) for use in program.scopes.all_uses(variable))


def _hides_its_name(program: rules.AnalyzedProgram, use: rules.Use) -> bool:
    match program.scopes.parent[use.node]:
        case ast.Call(func=func, args=arguments):
            asked = len(arguments) == 2 and use.node is arguments[1] and program.scopes.is_builtin(func, "isinstance")
            return func is use.node or asked
        case ast.Attribute(attr=name):
            return not name.startswith("__")
    return False


# The text of a program whose module-level code moves into a function.

GUARD = '__name__ == "__main__"'


def guarded(program: rules.AnalyzedProgram, split: Split, name: str) -> str | None:
    """`if __name__ == "__main__":` with everything in it: its block becomes the function, and calls it."""
    match split.body:
        case [ast.If(test, [first, *_], []) as guard] if program.source(test).replace("'", '"') == GUARD:
            start, end = program.span(guard)
            below = program.text[end:].partition("\n")[2]
            if first.lineno == guard.lineno or below.strip() or program.has(guard, ast.Global):
                return None
            colon = program.text.index(":", program.span(test)[1])
            nl = program.newline
            call = f"{nl}{nl}{nl}{program.text[start:colon]}:{nl}{program.indent}{name}(){nl}"
            new = f"{program.text[:start]}def {name}(){program.text[colon:].rstrip()}{call}"
            return new if rules.compiles(new) else None
    return None


def assemble(program: rules.AnalyzedProgram, split: Split, declarations: list[rules.Edit], name: str) -> str | None:
    """Header, what is kept, the new function with what is moved, and its call."""
    text = program.spliced(declarations)
    if text is None:
        return None
    lines = rules.physical_lines(text)
    first = rules.first_line(program.tree.body[0])
    header = "".join(lines[: first - 1])
    kept = "".join("".join(lines[max(unit.first, first) - 1 : unit.last]) for unit in split.kept)
    kept = kept if header else kept.lstrip("\r\n")
    verbatim = inside_strings(text)
    # The lines as the body of a function, where one blank line parts what two part at module level.
    body: list[str] = []
    after_blank = False
    for number in (number for unit in split.moved for number in range(max(unit.first, first), unit.last + 1)):
        line = lines[number - 1]
        blank = number not in verbatim and not line.strip()
        if not (blank and after_blank):
            body.append(line if blank or number in verbatim else program.indent + line)
        after_blank = blank
    below = "".join(lines[rules.last_line(program.tree.body[-1]) :])
    nl = program.newline
    top = (header + kept).rstrip() + nl * 3 if (header + kept).strip() else ""
    new = f"{top}def {name}():{nl}{''.join(body).strip(nl)}{nl * 3}{name}(){nl}{below.lstrip(nl)}"
    return new if rules.compiles(new) and _same_code(text, split, new, name) else None


def _same_code(text: str, split: Split, new: str, name: str) -> bool:
    """Whether the new function holds exactly the moved statements: indentation did not touch a string or a block."""
    lines = {rules.first_line(statement) for statement in split.body}
    expected = [ast.dump(statement) for statement in ast.parse(text).body if rules.first_line(statement) in lines]
    function = next(s for s in ast.parse(new).body if isinstance(s, ast.FunctionDef) and s.name == name)
    return [ast.dump(statement) for statement in function.body] == expected


# Top-level statements with the lines that belong to them, and the module variables that each binds or uses.


@dataclass(frozen=True)
class Unit:
    """Statements that share lines, with the comments and blank lines above them."""

    statements: tuple[ast.stmt, ...]
    first: int
    """First line, 1-based, of the lines above the statements."""
    last: int


@dataclass(frozen=True)
class Split:
    """The statements that stay at module level, and those that become the body of the new function."""

    kept: tuple[Unit, ...]
    moved: tuple[Unit, ...]

    @property
    def body(self) -> list[ast.stmt]:
        """The statements that move."""
        return [statement for unit in self.moved for statement in unit.statements]


def units(program: rules.AnalyzedProgram) -> Iterator[Unit]:
    """The top-level statements of a program, those that share a line in one unit."""
    above = 1
    group: list[ast.stmt] = []
    for statement in program.tree.body:
        if group and rules.first_line(statement) > rules.last_line(group[-1]):
            yield Unit(tuple(group), above, rules.last_line(group[-1]))
            above, group = rules.last_line(group[-1]) + 1, []
        group.append(statement)
    if group:
        yield Unit(tuple(group), above, rules.last_line(group[-1]))


def bound(program: rules.AnalyzedProgram, unit: Unit) -> set[str]:
    """Module variables that the unit's own code binds, or its functions through `global`."""
    return {variable.name for variable, use in _uses(program, unit) if use.kind != "load"}


def local_names(program: rules.AnalyzedProgram, unit: Unit) -> set[str]:
    """Names that become locals of the new function: bound by the moved code itself, not by functions in it."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
    found: set[str] = set()
    for variable, use in _uses(program, unit):
        around = [use.scope, *program.scopes.parents(use.scope)]
        if use.kind != "load" and not any(isinstance(scope, functions) for scope in around):
            found.add(variable.name)
    return found


def _uses(program: rules.AnalyzedProgram, unit: Unit) -> Iterator[tuple[rules.Variable, rules.Use]]:
    for statement in unit.statements:
        for node in program.walk(statement):
            found = program.scopes.names.get(node, ())
            yield from (pair for pair in found if pair[0].scope is program.tree)


def inside_strings(text: str) -> set[int]:
    """Lines that start inside a string: indentation would become part of it."""
    inside: set[int] = set()
    depth_start = 0
    depth = 0
    for token in tokenize.generate_tokens(StringIO(text).readline):
        kind = tokenize.tok_name[token.type]
        if kind == "STRING":
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
        elif kind == "FSTRING_START":  # Python 3.12 on: an f-string is many tokens
            depth_start = token.start[0] if not depth else depth_start
            depth += 1
        elif kind == "FSTRING_END":
            depth -= 1
            inside.update(range(depth_start + 1, token.end[0] + 1))
    return inside
