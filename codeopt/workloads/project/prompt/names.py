"""Functions, classes and files of a project that a text names."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from codeopt.workloads.project.prompt.excerpts import SourcePage, SourcePart, read_module

_CODE = re.compile(r"`([^`\n]+)`|([\w.]+)\(|([\w./-]+\.py\b(?:::[\w.]+)?)|(\b\w+(?:\.\w+)+)")
"""Code in back quotes, a call, a path, a dotted name."""
_PATH = re.compile(r"[\w./-]*\w\.py\b")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_ALONE = re.compile(r"([\w.]+)(?:\(.*\))?")
"""Code that is a name, or a call of it."""
MOST_ALIKE = 3
"""Maximum number of definitions that one name without a class may mean, if none of them takes time."""
MOST = 12
"""Maximum number of places."""


def named_places(text: str, page: SourcePage) -> tuple[SourcePart, ...]:
    """Return the places that a text names, those with the largest total time first, then files of which nothing is
    shown."""
    code = [next(filter(None, found)) for found in _CODE.findall(text)]
    paths = {path.removeprefix("./") for part in code for path in _PATH.findall(part)}
    words = {word for part in code for word in _DOTTED.findall(_PATH.sub(" ", part))}
    foreign = _libraries({word.partition(".")[0] for word in words if "." in word}, page.files)
    words = {word for word in words if word.partition(".")[0] not in foreign}  # `np.sort` is not the project's `sort`
    alone = {match[1] for match in map(_ALONE.fullmatch, code) if match}
    times = {SourcePart(f.file, f.qualname): f.total_share for f in page.profile.functions}
    defined = _definitions({word.rpartition(".")[2] for word in words}, page.files)
    places = {
        place
        for word in words
        for place in _meant(word, defined.get(word.rpartition(".")[2], ()), times, alone=word in alone)
    }
    ranked = sorted(places, key=lambda place: (-times.get(place, 0.0), place))
    files = [path for path in page.files if not page.shown.get(path) and _is_named(path, paths)]
    return (*ranked[:MOST], *(SourcePart(path, "") for path in files))


def _is_named(path: str, paths: set[str]) -> bool:
    return any(path == each or path.endswith(f"/{each}") for each in paths)


def _meant(
    word: str, defined: tuple[SourcePart, ...], times: Mapping[SourcePart, float], *, alone: bool
) -> Iterator[SourcePart]:
    """Yield what a name can mean: of its class where it has one, else what takes time, else one of few.

    A variable is no method, and a built-in function none of the project's. alone: it is all that the quotes hold, or
    what they call, and no variable of an expression.
    """
    exact = [place for place in defined if f".{place.qualname}".endswith(f".{word}") and "." in word]
    busy = [place for place in defined if place in times]
    known = [place for place in defined if "." in word or "." not in place.qualname]
    may_be_known = alone and word not in vars(builtins) and len(known) <= MOST_ALIKE
    yield from exact or busy or (known if may_be_known else ())


def _libraries(names: set[str], files: Mapping[str, str]) -> set[str]:
    """Those of some names that the project binds to modules of others by an import."""
    if not names:
        return set()
    own = {part for path in files for part in PurePosixPath(path).with_suffix("").parts}
    lines = re.compile(rf"^[ \t]*((?:import|from) [^\n]*\b(?:{'|'.join(sorted(names))})\b[^\n]*)", re.MULTILINE)
    found = set[str]()
    for line in {line for text in files.values() for line in lines.findall(text)}:
        try:
            node = ast.parse(line).body[0]
        except SyntaxError:  # prose of a docstring
            continue
        if isinstance(node, ast.Import):
            found |= {
                each.asname or each.name.partition(".")[0]
                for each in node.names
                if each.name.partition(".")[0] not in own
            }
        elif isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").partition(".")[0] not in own:
            found |= {each.asname or each.name for each in node.names}
    return found & names


def _definitions(names: set[str], files: Mapping[str, str]) -> dict[str, tuple[SourcePart, ...]]:
    """Places by the last part of their names. A file without the word `def` or `class` before one is not parsed."""
    if not names:
        return {}
    begins = re.compile(rf"^[ \t]*(?:async +)?(?:def|class) +(?:{'|'.join(sorted(names))})\b", re.MULTILINE)
    found: dict[str, tuple[SourcePart, ...]] = {}
    for path, text in files.items():
        for qualname in read_module(text).found if begins.search(text) else ():
            place = SourcePart(path, qualname)
            if place.function in names:
                found[place.function] = (*found.get(place.function, ()), place)
    return found
