"""Names of a project's modules with what they represent, as an import shows them: by code, not by text.

Modules that cannot be imported alone are read from their texts.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from codeopt.analysis.import_steps import module_name
from codeopt.analysis.positions import Definition, definitions
from codeopt.core.revision import Revision
from codeopt.workloads.project.command import WATCH
from codeopt.workloads.project.runs import CommandRuns
from codeopt.workloads.source.edits import OUTSIDE, body_of, head_of, is_text
from codeopt.workloads.source.module_graph import read_module
from codeopt_sandbox.guest_bundle import loading
from codeopt_sandbox.outcome import Run

SCRIPT = f"{WATCH}/surface.py"
RESULT = f"{WATCH}/surface.json"
GUEST = ("tests/__init__", "tests/surface", "calls/__init__", "calls/import_context",
         "calls/process_state", "calls/repr/")  # fmt: skip
RUN = """
{bundle}
import os
_bundle.load("tests.surface").main(os.path.realpath(os.getcwd()), {modules!r}, {result!r})
"""
Features = frozenset[str]
"""Description of what a name represents."""
Names = Mapping[str, Features]
"""Features by qualified name."""


@dataclass(frozen=True)
class ImportedNames:
    """Names by module, and settings of the process."""

    modules: Mapping[str, Names] = field(default_factory=dict)
    """Names by path, of the project's modules that are loaded."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Settings that the imports changed, with their new values."""


def read_surface(runs: CommandRuns, revision: Revision, paths: Sequence[str]) -> ImportedNames:
    """Import some modules of a version in a run. Raises SandboxError."""
    modules = [(path, _imported_as(path, runs)) for path in paths]
    text = RUN.format(bundle=loading(*GUEST), modules=modules, result=RESULT)
    command = replace(runs.command, words=(SCRIPT,))
    bare = replace(runs, command=command, seen=lambda run: run, beside=(), purpose="functions")
    return _read(bare.run(revision, files=((SCRIPT, text.encode()),)))


def _imported_as(path: str, runs: CommandRuns) -> str:
    roots = sorted((each for each in runs.project.import_roots if path.startswith(f"{each}/")), key=len)
    return module_name(path[len(roots[-1]) + 1 :] if roots else path)


def _read(run: Run) -> ImportedNames:
    """Read the file that a run wrote, which is not trusted to be ours. Modules that failed are left out."""
    content = next((file.content for file in run.written if file.path == RESULT), None)
    try:
        found = json.loads(content or b"")
        failed = set(map(str, found["failed"]))
        modules = {
            str(path): {str(name): frozenset(map(str, features)) for name, features in names.items()}
            for path, names in found["names"].items()
            if path not in failed
        }
        return ImportedNames(modules, {str(name): str(value) for name, value in found["settings"].items()})
    except (ValueError, KeyError, TypeError, AttributeError):
        return ImportedNames()


def text_names(text: str) -> Names:
    """Names of a module as its text has them, without comments and docstrings."""
    body = read_module(text).body
    found: dict[str, set[str]] = {OUTSIDE: {f"is {text}" for text in _statements(body)}}
    for name, node in definitions(body):
        if isinstance(node, ast.ClassDef):
            heads = map(ast.unparse, (*node.bases, *node.keywords, *node.decorator_list))
            features = [f"has {part}" for part in (*heads, *_statements(node.body))]
        else:
            features = [f"is {part}" for part in (*head_of(node), "\n".join(body_of(node)))]
        found.setdefault(name, set()).update(features)
    return {name: frozenset(features) for name, features in found.items()}


def _statements(body: Sequence[ast.stmt]) -> Iterator[str]:
    """Statements that define nothing and import nothing."""
    for node in body:
        if not isinstance(node, Definition | ast.Import | ast.ImportFrom) and not is_text(node):
            yield ast.unparse(node)
