"""Guard: reject a draft that newly uses modules or names through which a program could change its measurement.

They are read from the text, before any code runs. This is a courtesy and a second line of defence: the sandbox is safe
without it. But no reviewer would accept a draft that uses the interpreter's insides as an improvement. The reason goes
back to the proposer. Names that the original itself uses are allowed.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from codeopt.core.revision import Revision
from codeopt.core.sanitize import steering
from codeopt.engine.guards import Consequence, Finding, SourcePair, guard

WATCHED = frozenset(
    """
    _ctypes _thread _testcapi asyncio atexit bdb builtins bz2 cProfile cffi code codecs codeop concurrent ctypes dbm dis
    doctest faulthandler fcntl gc glob gzip http imp importlib inspect linecache logging lzma mailbox marshal mmap
    multiprocessing os pathlib pdb pickle pkgutil posix profile pty pydoc pytest resource runpy select selectors
    shelve shutil signal site socket sqlite3 ssl subprocess symtable sysconfig tarfile tempfile threading time timeit
    tokenize trace traceback tracemalloc types unittest urllib venv weakref zipfile zipimport
    """.split()  # noqa: SIM905
)
"""Modules that a program that computes an answer from its input has no need to start using."""

HARMLESS = {
    "os": frozenset({"read", "write", "fstat", "linesep", "sep", "path"}),  # the quickest way to read standard input
    "threading": frozenset({"Lock", "RLock", "get_ident", "local"}),  # what a cache needs that several threads ask
    "types": frozenset({"MappingProxyType", "SimpleNamespace"}),
    "weakref": frozenset({"WeakKeyDictionary", "WeakSet", "WeakValueDictionary", "proxy", "ref"}),
}
"""Watched modules of which these names may be used."""

WATCHED_SYS = frozenset(
    """
    _getframe _current_frames addaudithook modules meta_path path path_hooks setprofile settrace excepthook displayhook
    unraisablehook _debugmallocstats _clear_type_cache setswitchinterval monitoring
    """.split()  # noqa: SIM905
)
WATCHED_IO = frozenset({"open", "FileIO", "open_code"})
WATCHED_NAMES = frozenset(
    {"__import__", "eval", "exec", "compile", "globals", "open", "__builtins__", "breakpoint", "vars"}
)
ESCAPES = frozenset(
    {"__globals__", "__subclasses__", "__code__", "__closure__", "f_back", "f_globals", "gi_frame", "tb_frame"}
)


def newly_touched(draft: Revision, original: Revision) -> list[str]:
    """Watched things that `draft` uses and `original` does not, in any of its files, as words for a person."""
    changed = (text for path, text in draft.items() if original.get(path) != text)
    found = set[str]().union(*map(_touched, changed))
    for text in original.values():
        found -= _touched(text) if found else set()
    return sorted(found)


@guard()
def check_source(pair: SourcePair) -> Finding | None:
    """A draft that newly uses what is watched is not run at all. Harmless names of a watched module are a note."""
    found = newly_touched(pair.after, pair.before)
    if not found:
        harmless = sorted({name for before, after in pair.texts for name in _harmless(after) - _harmless(before)})
        return Finding(Consequence.NOTE, f"it newly imports {', '.join(harmless)}") if harmless else None
    reason = (
        f"it newly uses {', '.join(found)}, which the original does not; a faster program needs none of it, "
        "and it could hide code or change what is measured"
    )
    return Finding(Consequence.REJECT, reason)


def _harmless(source: str) -> set[str]:
    """Modules that are imported and of which only some names are watched, except for os, which programs read with."""
    nodes = _nodes(source)
    imported = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    imported |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return imported & HARMLESS.keys() - {"os"}


def _nodes(source: str) -> list[ast.AST]:
    try:
        return list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last two: brackets without end
        return []


def _touched(source: str) -> set[str]:
    nodes = _nodes(source)
    modules = _imported(nodes)
    names = {name: module for name, module in modules.items() if module in (*HARMLESS, "sys", "io")}
    owners = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    found = {f"U+{ord(char):04X} (which hides or reorders text)" for char in steering(source)}
    for node in nodes:
        found |= _by_node(node, names)
        if isinstance(node, ast.ImportFrom) and not node.level:  # `random._os` is os under another name
            found |= {f"{node.module}.{name.name}" for name in node.names if _is_private(name.name)}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and _is_private(node.attr):
            found |= {f"{module}.{node.attr}" for module in [modules.get(node.value.id)] if module}
        if isinstance(node, ast.Name) and node.id in names and id(node) not in owners:
            found.add(f"{names[node.id]} as a value")  # getattr(os, ...)
    return found


def _imported(nodes: Sequence[ast.AST]) -> dict[str, str]:
    """Names that modules have in a program -> the module; `import os.path` gives os its name."""
    imports = [name for node in nodes if isinstance(node, ast.Import) for name in node.names]
    tops = ((name.name.partition(".")[0], name) for name in imports)
    return {name.asname or top: name.name if name.asname else top for top, name in tops}


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def _by_node(node: ast.AST, names: Mapping[str, str]) -> set[str]:
    if isinstance(node, ast.Import):
        return {top for name in node.names if (top := name.name.partition(".")[0]) in WATCHED - HARMLESS.keys()}
    if isinstance(node, ast.ImportFrom):
        top = (node.module or "").partition(".")[0]
        if top in (*HARMLESS, "sys", "io"):
            return {f"{top}.{name.name}" for name in node.names if _is_watched(top, name.name)}
        return {top} & WATCHED
    if isinstance(node, ast.Attribute):
        return _attribute(node, names)
    if isinstance(node, ast.Name) and node.id in WATCHED_NAMES:
        return set() if node.id == "open" else {f"{node.id}()"}
    if isinstance(node, ast.Call):
        # open(0) is a way to read standard input; anything else is a file
        if not isinstance(node.func, ast.Name) or node.func.id != "open":
            return set()
        first = node.args[0] if node.args else None
        if isinstance(first, ast.Constant) and (
            first.value in (0, 1) or (first.value == "/dev/stdin" and len(node.args) < 2)
        ):
            return set()
        return {"open() of a file"}
    return set()


def _is_watched(module: str, name: str) -> bool:
    if module in HARMLESS:
        return name not in HARMLESS[module]
    return name == "*" or name in (WATCHED_SYS if module == "sys" else WATCHED_IO)


def _attribute(node: ast.Attribute, names: Mapping[str, str]) -> set[str]:
    if node.attr in ESCAPES:
        return {node.attr}
    module = names.get(node.value.id, "") if isinstance(node.value, ast.Name) else ""
    return {f"{module}.{node.attr}"} if module and _is_watched(module, node.attr) else set()
