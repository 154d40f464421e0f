"""What a draft may not newly touch: modules and names through which a program could change what is measured.

Read from the text, before anything runs. It is a courtesy and a second line: the sandbox holds without it, but
a draft that reaches for the interpreter's insides is no improvement that a reviewer would take, and the reason goes back to
the proposer. What the original itself uses is allowed.
"""

from __future__ import annotations

import ast

WATCHED = frozenset(
    "_ctypes _thread _testcapi atexit builtins cffi code concurrent ctypes dis faulthandler gc glob http imp importlib inspect "
    "linecache marshal mmap multiprocessing os pathlib pickle pkgutil posix pty pytest resource runpy select selectors shelve "
    "shutil signal site socket sqlite3 subprocess symtable sysconfig tempfile threading time timeit trace traceback tracemalloc "
    "types unittest urllib weakref zipimport".split()
)
"""Modules that a program that computes an answer from its input has no need to start using."""

HARMLESS_OS = frozenset({"read", "write", "fstat", "linesep", "sep", "path"})
"""`os` has the quickest way to read standard input; with no more than these names it may be used."""

WATCHED_SYS = frozenset(
    "_getframe _current_frames addaudithook modules meta_path path path_hooks setprofile settrace excepthook displayhook "
    "unraisablehook _debugmallocstats _clear_type_cache setswitchinterval monitoring".split()
)
WATCHED_NAMES = frozenset(
    {"__import__", "eval", "exec", "compile", "globals", "open", "__builtins__", "breakpoint", "vars"}
)
ESCAPES = frozenset(
    {"__globals__", "__subclasses__", "__code__", "__closure__", "f_back", "f_globals", "gi_frame", "tb_frame"}
)


def newly_touched(draft: str, original: str) -> list[str]:
    """What `draft` uses of the watched things and `original` does not, as words for a person; empty when nothing."""
    return sorted(_touched(draft) - _touched(original))


def refuse(draft: str, original: str) -> str:
    """Why a draft is not run at all, in one line; empty when it may be."""
    found = newly_touched(draft, original)
    if not found:
        return ""
    return (
        f"it newly uses {', '.join(found)}, which the original does not; a faster program needs none of it, "
        "and it could change what is measured"
    )


def _touched(source: str) -> set[str]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return set()
    found: set[str] = set()
    for node in ast.walk(tree):
        found |= _by_node(node)
    return found


def _by_node(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        return {top for name in node.names if (top := name.name.partition(".")[0]) in WATCHED - {"os"}} | (
            {"os (other than read, write and fstat)"} if any(n.name == "os" and n.asname for n in node.names) else set()
        )
    if isinstance(node, ast.ImportFrom):
        return _from_import(node)
    if isinstance(node, ast.Attribute):
        return _attribute(node)
    if isinstance(node, ast.Name) and node.id in WATCHED_NAMES:
        return set() if node.id == "open" else {f"{node.id}()"}
    if isinstance(node, ast.Call):
        return _opens(node)
    return set()


def _from_import(node: ast.ImportFrom) -> set[str]:
    top = (node.module or "").partition(".")[0]
    names = {name.name for name in node.names}
    if top == "os":
        return {f"os.{name}" for name in names - HARMLESS_OS}
    if top == "sys":
        return {f"sys.{name}" for name in names & WATCHED_SYS}
    return {top} & WATCHED


def _attribute(node: ast.Attribute) -> set[str]:
    if node.attr in ESCAPES:
        return {node.attr}
    if isinstance(node.value, ast.Name) and node.value.id == "sys" and node.attr in WATCHED_SYS:
        return {f"sys.{node.attr}"}
    if isinstance(node.value, ast.Name) and node.value.id == "os" and node.attr not in HARMLESS_OS:
        return {f"os.{node.attr}"}
    return set()


def _opens(node: ast.Call) -> set[str]:
    """open(0) is a way to read standard input; anything else is a file."""
    if not isinstance(node.func, ast.Name) or node.func.id != "open":
        return set()
    first = node.args[0] if node.args else None
    if isinstance(first, ast.Constant) and first.value in (0, 1, "/dev/stdin"):
        return set()
    return {"open() of a file"}
