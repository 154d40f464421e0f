"""`re.sub("...", ...)` in a loop or function: compile the pattern once."""

from __future__ import annotations

import ast
import re
import warnings

from codeopt.rules import Hot, Rule
from codeopt.rules._hoist import unused_name
from codeopt.rules._hot import hot_nodes
from codeopt.rules._insert import below_imports, top_imports
from codeopt.rules._module import Edit, Module, last_line, parse
from codeopt.rules._plain import in_loop
from codeopt.rules._scopes import Variable

ARGUMENTS = {"match": 2, "search": 2, "fullmatch": 2, "findall": 2, "finditer": 2, "split": 3, "sub": 4, "subn": 4}
"""Functions of re that patterns have as methods, and how many arguments come before the flags."""


def rewrite(text: str, hot: Hot) -> str | None:
    """Constants below the imports for the patterns of hot calls."""
    module = parse(text)
    if module is None or not _imports_re(module):
        return None
    edits: list[Edit] = []
    names: dict[str, str] = {}
    taken: set[str] = set()
    for node in hot_nodes(module, hot, ast.Call):
        if in_loop(module, node):
            pattern = _pattern(module, node)
            if pattern is not None and isinstance(node.func, ast.Attribute):
                source = module.source(pattern)
                name = names.get(source) or unused_name(module, taken, "PATTERN")
                names[source] = name
                compiled = node.func.attr == "compile"
                edits += [module.replace(node, name)] if compiled else _edits(module, node, node.func.attr, name)
    lines = [f"{name} = re.compile({source})" for source, name in names.items()]
    return module.edited([below_imports(module, lines), *edits]) if lines else None


def _imports_re(module: Module) -> bool:
    """`import re` at the top, and nothing else is ever called re."""
    stores = module.scopes.stores(Variable(module.tree, "re"))
    top = [a for s in top_imports(module) if isinstance(s, ast.Import) for a in s.names]
    changed = any(isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load) and n.attr in (*ARGUMENTS, "compile")
                  for n in module.walk())  # fmt: skip
    return len(stores) == 1 and any(a.name == "re" and not a.asname for a in top) and not changed


def _pattern(module: Module, call: ast.Call) -> ast.Constant | None:
    """The pattern, when it is written down, compiles without a warning, and no flags are given."""
    match call:
        case ast.Call(ast.Attribute(ast.Name("re") as owner, name), [ast.Constant() as pattern, *rest], keywords):
            plain = module.scopes.variable(owner) == Variable(module.tree, "re")
            options = {keyword.arg for keyword in keywords} <= {"count", "maxsplit"}
            fits = name in ARGUMENTS and 1 <= len(rest) < ARGUMENTS[name] and options
            fits = fits or (name == "compile" and not rest and not keywords)
            starred = any(isinstance(argument, ast.Starred) for argument in rest)
            if plain and fits and not starred and pattern.lineno == last_line(pattern) and _compiles(pattern.value):
                return pattern
    return None


def _compiles(pattern: object) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            re.compile(pattern) if isinstance(pattern, str | bytes) else None
        except (re.error, Warning, RecursionError, OverflowError):
            return False
    return isinstance(pattern, str | bytes)


def _edits(module: Module, call: ast.Call, method: str, name: str) -> list[Edit]:
    """`re.sub(pattern, a, b)` becomes `PATTERN.sub(a, b)`."""
    start = module.span(call.args[0])[0]
    return [module.replace(call.func, f"{name}.{method}"), Edit(start, module.span(call.args[1])[0], "")]


RULE = Rule(
    name="regex_hoist",
    reason="The functions of re look their pattern up in a cache on each call: compile it once and use its methods.",
    before="""\
import re

total = 0
for word in "a1 b22 c333".split():
    total += len(re.sub(r"[a-z]", "", word))  # digits
    if re.search(r"2+", word):
        total += 1
print(total)
""",
    after="""\
import re

PATTERN = re.compile(r"[a-z]")
PATTERN_2 = re.compile(r"2+")

total = 0
for word in "a1 b22 c333".split():
    total += len(PATTERN.sub("", word))  # digits
    if PATTERN_2.search(word):
        total += 1
print(total)
""",
    limits=(
        "Functions of re, re.compile too, with a pattern that is written down, compiles, and has no flags, in a loop "
        "or function of a program that imports re at its top."
    ),
    rewrite=rewrite,
)
