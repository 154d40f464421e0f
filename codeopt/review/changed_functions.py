"""Targets of a change: the functions and programs that it adds or alters, and the reasons why others are left alone."""

from __future__ import annotations

import ast
import fnmatch
import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from codeopt.analysis.nodes import Def, first_line
from codeopt.core.errors import UsageError
from codeopt.core.program import read_program
from codeopt.core.run_clock import RunClock
from codeopt.review.change import Change, ChangedFile
from codeopt.review.repository import Repository
from codeopt.review.suggestion import FunctionRow, ReviewTarget, RowState
from codeopt.workloads.program.cases import cases_beside, reads_stdin
from codeopt.workloads.source.functions import definitions, read_functions
from codeopt_sandbox.plain_files import read_bytes

VENDORED = frozenset(
    {"vendor", "vendored", "_vendor", "_vendored", "third_party", "thirdparty", "extern", "node_modules"}
    | {"site-packages", "dist-packages", ".venv", "venv", ".tox", ".nox", ".eggs"}
)
"""Names of folders that hold other projects' code."""
GENERATED = ("*_pb2.py", "*_pb2_grpc.py", "*_ui.py", "_version.py", "*.gen.py", "*_generated.py")
"""Names of files that a generator writes."""
MARKS = ("linguist-generated", "linguist-vendored")
"""Attributes of git that say that a file is generated or vendored."""
TESTS = ("tests.py", "test_*.py", "*_test.py", "conftest.py")
_MADE = re.compile(
    r"@generated|\bdo not edit\b|\b(auto-?|automatically )generated\b|^#.*\bgenerated (by|from)\b", re.IGNORECASE | re.M
)
_IGNORE = re.compile(r"#\s*codeopt:\s*ignore\b")


def find_targets(
    change: Change,
    repository: Repository | None,
    paths: Sequence[Path] = (),
    exclude: Sequence[str] = (),
    clock: RunClock | None = None,
) -> tuple[list[ReviewTarget], list[FunctionRow]]:
    """Find the targets that the change adds or alters below `paths`, and the skipped parts with their causes.

    clock: no file is read after its deadline. None: no deadline.
    """
    clock = clock or RunClock()
    files = [file for file in change.files if below(change.root / file.path, paths) and not is_test(file.path)]
    marked = repository.attributes(MARKS, [file.path for file in files]) if repository else {}
    moved = _moved(change, clock)
    targets: list[ReviewTarget] = []
    skipped: list[FunctionRow] = []
    for file in files:
        where = change.root / file.path
        whole, source, unread = ReviewTarget(file.path, "", where), "", None
        if clock.is_over:
            unread = FunctionRow(whole, f"not looked at: {clock.out_of_time}", state=RowState.NOT_READ)
        elif where.is_file() and not where.stat().st_size:
            continue  # an empty __init__.py: nothing is left out
        else:
            try:
                source = read_program(where).source
            except UsageError as error:
                # A report names the file itself, and is no place for this machine's folders.
                unread = FunctionRow(whole, error.words.removeprefix(str(where)).removeprefix(" ").removeprefix(":"))
        if reason := left_alone(file.path, source, exclude, marked.get(file.path, ())):
            skipped.append(FunctionRow(whole, reason, state=RowState.LEFT_OUT))
        elif unread:
            skipped.append(unread)
        else:
            found, ignored = _in_file(change, file, source, moved)
            targets += found
            skipped += ignored
    return targets, skipped


def _in_file(
    change: Change, file: ChangedFile, source: str, moved: set[str]
) -> tuple[list[ReviewTarget], list[FunctionRow]]:
    """Find the program that a file is, or its changed functions."""
    path = change.root / file.path

    def target(name: str, *, is_old: bool) -> ReviewTarget:
        return ReviewTarget(file.path, name, path, file.old_path if is_old else "")

    def ignored_row(name: str) -> FunctionRow:
        return FunctionRow(target(name, is_old=False), "# codeopt: ignore", state=RowState.LEFT_OUT)

    ignored = ignoring(source)
    if 1 in ignored:
        return [], [ignored_row("")]
    before, now = shapes(file.old or ""), shapes(source)
    if reads_stdin(source) and cases_beside(path):
        same = file.old is not None and _dump(ast.parse(source)) == _parsed_dump(file.old)
        return ([] if same else [target("", is_old=file.old is not None)]), []
    altered = [name for name, shape in now.items() if shape not in (before.get(name), *moved)]
    module = read_functions(path)
    left_out = set(covered(module.tree.body, ignored)) if ignored else set()
    usable = list(module.usable(altered))
    kept = [each.qualname for each in usable if each.first_line not in left_out]
    return [target(name, is_old=name in before) for name in kept], [
        ignored_row(each.qualname) for each in usable if each.first_line in left_out
    ]


def as_callers_see(targets: Sequence[ReviewTarget]) -> list[ReviewTarget]:
    """The targets of a comparison, with the methods of its class in the place of a constructor: nobody calls one on an
    object that is built already. A constructor whose class has no other method stays."""
    found: dict[str, ReviewTarget] = {target.name: target for target in targets}
    for target in targets:
        owner, _, last = target.function.rpartition(".")
        if last != "__init__":
            continue
        names = (function.qualname for function in read_functions(target.file).usable())
        methods = [name for name in names if name.rpartition(".")[0] == owner and name != target.function]
        if methods:
            del found[target.name]
        for each in (replace(target, function=name) for name in methods):
            found.setdefault(each.name, each)
    return [*found.values()]


def is_test(path: str) -> bool:
    """Return whether a file holds tests or their helpers."""
    whole = PurePosixPath(path)
    return any(fnmatch.fnmatchcase(whole.name, pattern) for pattern in TESTS) or "tests" in whole.parts[:-1]


def left_alone(path: str, source: str, exclude: Sequence[str], marks: Iterable[str] = ()) -> str:
    """Reason why a review leaves a whole file alone. Empty: it does not."""
    whole = PurePosixPath(path)
    if pattern := next((pattern for pattern in exclude if matches(path, pattern)), ""):
        return f"excluded by {pattern!r}"
    # lines at the top of a file in which a generator says that it wrote it
    head = "\n".join(source.split("\n")[:5])
    made = any(fnmatch.fnmatchcase(whole.name, pattern) for pattern in GENERATED) or _MADE.search(head)
    if made or "linguist-generated" in marks:
        return "generated"
    if VENDORED & set(whole.parts[:-1]) or "linguist-vendored" in marks:
        return "vendored"
    return ""


def matches(path: str, pattern: str) -> bool:
    """Return whether a pattern matches a path: `migrations/` a folder anywhere, `src/old` all below it,
    `*_gen.py` a name.
    """
    whole = PurePosixPath(path)
    bare = pattern.strip("/")
    if "/" not in bare and any(fnmatch.fnmatchcase(part, bare) for part in whole.parts):
        return True
    return fnmatch.fnmatchcase(path, bare) or any(fnmatch.fnmatchcase(str(p), bare) for p in whole.parents)


def ignoring(source: str) -> set[int]:
    """Return the lines with a comment `# codeopt: ignore`. Includes 1 if it is in line 2, below a shebang."""
    found: set[int] = set()
    if not _IGNORE.search(source):
        return found
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT and _IGNORE.search(token.string):
                found.add(token.start[0])
    except (tokenize.TokenError, SyntaxError):
        return found
    return found | {1} if 2 in found and source.startswith("#!") else found


def covered(body: Sequence[ast.stmt], lines: set[int], inside: bool = False) -> Iterator[int]:
    """First lines of the functions and classes that have one of the lines in their head, or in that of one around
    them."""
    for node in body:
        here = inside
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            start = first_line(node)
            here = here or not lines.isdisjoint(range(start, max(node.lineno + 1, node.body[0].lineno)))
            if here:
                yield start
        for part in ("body", "orelse", "finalbody"):
            yield from covered(getattr(node, part, []), lines, here)


def below(path: Path, paths: Sequence[Path]) -> bool:
    """Return whether a file is one of the paths or in one of them. No paths: everything is."""
    return not paths or any(path == top or top in path.parents for top in paths)


def _moved(change: Change, clock: RunClock) -> set[str]:
    """Shapes of functions that were moved: out of files that are gone, or from names that are."""
    found = {shape for text in change.gone if not clock.is_over for shape in shapes(text).values()}
    for file in change.files:
        if clock.is_over:
            break
        before = shapes(file.old or "")
        text = read_bytes(change.root / file.path).decode("utf-8", "replace") if before else ""
        now = shapes(text.replace("\r\n", "\n"))
        found |= {shape for name, shape in before.items() if name not in now}
    return found


def shapes(text: str) -> dict[str, str]:
    """Qualified name -> the function's tree without its name, comments, docstring and layout."""
    try:
        return {name: _shape(node) for name, node in definitions(ast.parse(text))}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}


def _shape(node: Def) -> str:
    name, first = node.name, node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and type(first.value.value) is str:
        node.body = node.body[1:] or node.body
    node.name = ""
    shape = _dump(node)
    node.name = name
    return shape


def _parsed_dump(text: str) -> str:
    try:
        return _dump(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""


def _dump(node: ast.AST) -> str:
    try:
        return ast.dump(node)
    except RecursionError:  # nested so deeply that it is new each time
        return str(id(node))
