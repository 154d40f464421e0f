"""Modules and files of its own project that a script uses: shown read-only, where `python script.py` would find
them."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from codeopt.core.isolation import WrappedSandbox
from codeopt.core.program import Target
from codeopt.core.run_inputs import files_below
from codeopt.workloads.sandbox_view.linked import NO_LINKS, Linked
from codeopt.workloads.sandbox_view.view import View, locate, named_files, open_view
from codeopt.workloads.source.module_graph import imported_from, read_module
from codeopt.workloads.source.names import imported_names
from codeopt_sandbox import Run, Sandbox

_FILE = b"__file__"
_FROM = re.compile(rb"from\s*(\.+)\s*([\w.]*)\s+import\b")


def open_siblings(
    target: Target, sources: Sequence[str], with_paths: Sequence[Path], linked: Linked = NO_LINKS
) -> View | None:
    """Open a copy of the tracked files and those of --with, if a program needs them. None otherwise.

    A program, or the one that it is compared with, needs them if it imports some or uses its own path.

    Raises:
        UsageError: A file of --with cannot be used.
    """
    module = locate(target.path, linked)
    names = {name.partition(".")[0] for source in sources for name in imported_names(source)}
    roots = (target.path.resolve().parent, *module.roots, *module.beside)
    own = any((root / f"{name}.py").is_file() or (root / name).is_dir() for root in roots for name in names)
    if own or target.module or any(name for source in sources for name in _own_file(ast.parse(source))):
        return open_view(module, also=named_files(with_paths))
    return None


def link_given(view: View, with_paths: Sequence[Path]) -> None:
    """Link files of --with to a run's working folder, so that the program finds them there, mutated or not."""
    for path in with_paths:
        plain = Path(os.path.normpath(path))
        if plain.is_absolute() or ".." in plain.parts:
            continue
        for file in files_below(plain) if plain.is_dir() else [plain]:
            whole = file.resolve()
            if whole.is_relative_to(view.module.root):
                shown = view.folder / whole.relative_to(view.module.root)
                shown.unlink()
                # folder of a run that has files, in each sandbox that isolates; see
                # sandbox/codeopt_sandbox/guest/supervisor/server.py
                shown.symlink_to(Path("/tmp/work", file))


def search_path(view: View, target: Target) -> str:
    """Return PYTHONPATH for a run: the script's folder first, unless it runs as a module.

    Missing folders are ignored, so one text serves sandboxes with and without isolation.
    """
    first = () if target.module else (target.path.resolve().parent,)
    folders = (*first, *view.module.roots, *view.beside)
    inside = [view.inside(folder, isolated) for isolated in (True, False) for folder in folders]
    return ":".join(dict.fromkeys(inside))


class InProject(WrappedSandbox):
    """A sandbox in which programs run as in their project.

    `__file__` is the path in the view. A relative import of a program that `python -m` runs finds the package's
    modules.
    """

    def __init__(self, inner: Sandbox, target: Target, view: View) -> None:
        super().__init__(inner)
        self._place = target, view
        self._package = target.package if target.module else ""
        self._file = view.inside(view.module.path, inner.isolated)

    def around(self, inner: Sandbox) -> InProject:
        return InProject(inner, *self._place)

    def run(self, program: Any, stdin: bytes = b"", **options: Any) -> Run:
        return self._inner.run(self.prepared(program), stdin, **options)

    def prepared(self, program: Any) -> Any:
        """Return a text with absolute imports and a path in place of `__file__`, each in its own line.

        Other kinds of programs are unchanged.
        """
        if not isinstance(program, str):
            return program
        return at_its_place(absolute_imports(program, self._package) if self._package else program, self._file)


def absolute_imports(source: str, package: str) -> str:
    """`from .core import main` of a module in `package`, as `from package.core import main`."""
    lines = source.encode("utf-8", "surrogatepass").split(b"\n")
    for node in ast.walk(read_module(source)):
        if isinstance(node, ast.ImportFrom) and 0 < node.level <= package.count(".") + 1:
            home = imported_from(node, package, True)
            line = lines[node.lineno - 1]
            head, rest = line[: node.col_offset], line[node.col_offset :]
            lines[node.lineno - 1] = head + _FROM.sub(f"from {home} import".encode(), rest, count=1)
    return b"\n".join(lines).decode("utf-8", "surrogatepass")


def at_its_place(source: str, file: str) -> str:
    """`__file__` as the path of the program in its project; a run has the program's text elsewhere."""
    names = sorted(_own_file(read_module(source)), key=lambda name: (name.lineno, name.col_offset), reverse=True)
    lines = source.encode("utf-8", "surrogatepass").split(b"\n")
    for name in names:
        line = lines[name.lineno - 1]
        end = name.col_offset + len(_FILE)
        if line[name.col_offset : end] == _FILE:  # before Python 3.12 an f-string has it at another place
            lines[name.lineno - 1] = line[: name.col_offset] + repr(file).encode() + line[end:]
    return b"\n".join(lines).decode("utf-8", "surrogatepass")


def _own_file(tree: ast.AST) -> Iterator[ast.Name]:
    """Names by which a program asks for its own path; not within f-strings, whose quotes a path would need."""
    if isinstance(tree, ast.Name) and tree.id == "__file__" and isinstance(tree.ctx, ast.Load):
        yield tree
    if not isinstance(tree, ast.JoinedStr):
        for child in ast.iter_child_nodes(tree):
            yield from _own_file(child)
