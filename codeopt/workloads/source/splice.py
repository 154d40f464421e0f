"""A draft -> the module with that function changed: new helpers and imports go in with it, everything else stays as
it is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from codeopt.analysis import nodes
from codeopt.analysis.syntax import physical_lines
from codeopt.workloads.source import edits
from codeopt.workloads.source.functions import SpliceError, at_margin

_KINDS = frozenset({"staticmethod", "classmethod", "property", "cached_property"})


def splice(original: str, qualname: str, draft: str) -> str:
    """The module `original` with the function `qualname` taken from `draft`: a whole module, or the function with
    what it needs.

    Of the draft only that function, and imports and new definitions that it uses, are taken; a helper of the module
    that it changes becomes one of its own. Raises SpliceError.
    """
    if "\r\n" in original:
        return splice(original.replace("\r\n", "\n"), qualname, draft).replace("\n", "\r\n")
    module = ast.parse(original)
    draft = _with_own_helpers(
        module, at_margin(draft.replace("\r\n", "\n")), qualname, set(re.findall(r"\w+", original))
    )
    new, (owner, _, name) = _parsed(draft), qualname.rpartition(".")
    was = nodes.find_definition(module.body, qualname)
    now = nodes.find_definition(new.body, qualname) or nodes.find_definition(new.body, name)
    if not isinstance(was, nodes.Def):
        raise SpliceError(f"the module defines no {qualname}")
    if not isinstance(now, nodes.Def):
        raise SpliceError(f"the draft does not define {qualname}")
    _require_same_use(qualname, was, now)
    text = edits.merged_function(original, was, draft, now, keep=True)
    layout = edits.Indentation.of(original, was)
    methods: list[nodes.Def] = []
    before, after = nodes.find_definition(module.body, owner), nodes.find_definition(new.body, owner)
    if isinstance(before, ast.ClassDef) and isinstance(after, ast.ClassDef):  # new ones of its class that it uses
        known = {node.name for node in before.body if isinstance(node, nodes.Def)}
        fresh = {node.name: node for node in after.body if isinstance(node, nodes.Def) and node.name not in known}
        used = _used([now], fresh)
        methods += (node for name, node in fresh.items() if name in used)
    above = "".join("".join(layout.lines(draft, each)) + "\n" for each in methods)
    body = ast.parse(f"if 1:\n{text}" if text[:1].isspace() else text).body  # the lines may have any margin
    merged = [*(body[0].body if isinstance(body[0], ast.If) else body), *methods]
    result = edits.replaced(original, (nodes.first_line(was), nodes.last_line(was)), above + text)
    anchor = qualname.partition(".")[0]
    imports, helpers = _additions(module, new, anchor, merged)
    for helper in helpers:
        lines = "".join(edits.Indentation("", layout.unit).lines(draft, helper, comments=True))
        result = edits.with_helper(result, lines, helper, anchor)
    for text in imports:
        (statement,) = ast.parse(text).body
        assert isinstance(statement, ast.Import | ast.ImportFrom)
        result = edits.with_import(result, text, statement)
    try:
        nodes.parse(result)
    except SyntaxError as error:
        raise SpliceError(f"put back into the module, line {error.lineno} is no Python: {error.msg}") from error
    return result


def _parsed(draft: str) -> ast.Module:
    try:
        return nodes.parse(draft)
    except SyntaxError as error:
        raise SpliceError(f"line {error.lineno or 1}: {error.msg}") from error


def _require_same_use(qualname: str, was: nodes.Def, now: nodes.Def) -> None:
    """A function stays one of its kind, with its parameters. Raises SpliceError."""
    if type(was) is not type(now):
        raise SpliceError(
            f"{qualname} must stay {'a plain' if isinstance(was, ast.FunctionDef) else 'an async'} function"
        )
    before, after = edits.bare_parameters(was), edits.bare_parameters(now)
    if before != after:
        raise SpliceError(f"it changes the parameters of {qualname} from ({before}) to ({after})")
    kinds, new = (
        {ast.unparse(each).partition("(")[0].rpartition(".")[2] for each in node.decorator_list} & _KINDS
        for node in (was, now)
    )
    if now.decorator_list and kinds != new:
        raise SpliceError(f"it changes what kind of method {qualname} is")


def _with_own_helpers(module: ast.Module, draft: str, qualname: str, taken: set[str]) -> str:
    """The draft, in which functions of the module that it changes have names of their own."""
    short, tree = qualname.rpartition(".")[2], _parsed(draft)
    old, new = ({node.name: node for node in each.body if isinstance(node, nodes.Def)} for each in (module, tree))
    taken |= set(re.findall(r"\w+", draft))
    names = dict[str, str]()
    for name in sorted(new.keys() & old.keys() - {short}):
        # a model may give a helper's head only
        was, now = (
            [ast.dump(node) for node in each.body if not (isinstance(node, ast.Pass) or nodes.is_bare_constant(node))]
            for each in (old[name], new[name])
        )
        if now and [*was, *edits.head_of(old[name])] != [*now, *edits.head_of(new[name])]:
            names[name] = f"_{name.lstrip('_')}_of_{short}"
            while names[name] in taken:
                names[name] += "_"
    lines = [line.encode() for line in physical_lines(draft)]
    places = sorted((place for node in ast.walk(tree) for place in _named(node, lines)), reverse=True)
    for number, at, name in places if names else ():  # names, but not attributes and keywords with the same spelling
        line = lines[number - 1]
        lines[number - 1] = line[:at] + names.get(name, name).encode() + line[at + len(name.encode()) :]
    return b"".join(lines).decode()


def _named(node: ast.AST, lines: Sequence[bytes]) -> Iterator[tuple[int, int, str]]:
    """Line, byte and text of the name that a node consists of or defines."""
    if isinstance(node, ast.Name):
        yield node.lineno, node.col_offset, node.id
    elif isinstance(node, ast.arg):
        yield node.lineno, node.col_offset, node.arg
    elif isinstance(node, nodes.Def) and (
        found := re.compile(rb"(async\s+)?def\s+").match(lines[node.lineno - 1], node.col_offset)
    ):
        yield node.lineno, found.end(), node.name


# Methods, helpers and imports that a draft's function needs and the module has not.


def _additions(
    module: ast.Module, new: ast.Module, anchor: str, roots: Sequence[ast.stmt]
) -> tuple[list[str], list[ast.stmt]]:
    """Imports and top-level definitions of the draft that are new and used by what is put back."""
    known = nodes.bound_names(module)
    needed = {name for root in roots for name in nodes.evaluated_names(root)}
    for node in module.body:  # what it needs as soon as it is defined, and is bound below it alone, is imported again
        if anchor in (bound := nodes.bound_names(node)):
            break
        needed -= bound
    imports, helpers = dict[str, ast.stmt](), dict[str, ast.stmt]()
    for node in new.body:
        names = nodes.bound_names(node)
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports |= {name: each for name, each in _imports(node) if name not in known - needed}
        elif (
            isinstance(node, nodes.Definition | ast.Assign | ast.AnnAssign)
            and not names & known
            and anchor not in names
        ):
            helpers |= dict.fromkeys(names, node)
    used = _used(roots, {**imports, **helpers})
    wanted = [node for name, node in helpers.items() if name in used]
    texts = dict.fromkeys(ast.unparse(node) for name, node in imports.items() if name in used)
    return list(texts), [node for node in new.body if node in wanted]


def _imports(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, ast.stmt]]:
    """(bound name, a statement that imports it alone) of an import statement."""
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        return
    for alias in node.names:
        if alias.name == "*":
            raise SpliceError("it imports *: name what is needed")
        one = (
            ast.ImportFrom(node.module, [alias], node.level)
            if isinstance(node, ast.ImportFrom)
            else ast.Import([alias])
        )
        yield (alias.asname or alias.name).partition(".")[0], one


def _used(roots: Iterable[ast.AST], candidates: Mapping[str, ast.stmt]) -> set[str]:
    """The part of `candidates` that some code uses, and what those use."""
    found, todo = set[str](), [*roots]
    while todo:
        fresh = candidates.keys() & set(nodes.mentioned(todo.pop())) - found
        found |= fresh
        todo += [candidates[name] for name in fresh]
    return found
