"""Distance of a project's files from others by their imports, read off the texts."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence

_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n#;]*)|import[ \t]+([^\n#;]+))", re.M
)
_WORD = re.compile(rb"[.\w]+")


def module_name(path: str) -> str:
    """Dotted name of a module by its path; of a package without `__init__`."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def importers(files: Mapping[str, bytes], roots: Sequence[str] = ()) -> Mapping[str, set[str]]:
    """The files that import a file, by its path.

    roots: folders that are on the path of imports, in addition to the top, `src` and `lib`.
    """
    starts = [f"{root.replace('/', '.')}." for root in ("src", "lib", *roots)]
    by_name = {name: path for path in files if path.endswith(".py") for name in _names(path, starts)}
    users: dict[str, set[str]] = defaultdict(set)
    for path, content in files.items():
        if path.endswith(".py"):
            for name in _imports(path, content):
                if used := by_name.get(name):
                    users[used].add(path)
    return users


def steps_to(hot: Sequence[str], users: Mapping[str, set[str]]) -> dict[str, int]:
    """Number of imports that lead from a file to the nearest of some, by path. users: as `importers` finds them."""
    steps = dict.fromkeys(hot, 0)
    todo = deque(steps)
    while todo:
        path = todo.popleft()
        for user in users.get(path, ()):
            if user not in steps:
                steps[user] = steps[path] + 1
                todo.append(user)
    return steps


def _names(path: str, starts: Sequence[str]) -> Iterator[str]:
    """Names that a module is imported by."""
    name = module_name(path)
    yield name
    yield from (name.removeprefix(start) for start in starts if name.startswith(start))


def _imports(path: str, content: bytes) -> Iterator[str]:
    """Dotted names that may be meant by the imports of a text."""
    home = path.removesuffix(".py").split("/")
    package = home[:-1]
    for source, names, plain in _IMPORT.findall(content):
        if plain:
            yield from (part.split()[0].decode() for part in plain.split(b",") if part.split())
            continue
        text = source.decode()
        level = len(text) - len(text.lstrip("."))
        above = package[: len(package) - level + 1] if level else []
        base = ".".join([*above, *filter(None, [text.lstrip(".")])])
        yield base
        yield from (f"{base}.{word.decode()}" for word in _WORD.findall(names))
