"""Findings of the cache: looked up before something is judged, kept after it."""

from __future__ import annotations

import ast
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from pathlib import Path

from codeopt.analysis.nodes import Def, find_definition, first_line
from codeopt.core.cache import Cache, CachedValue, CacheKind, machine
from codeopt.core.console import Console
from codeopt.core.errors import CodeoptError
from codeopt.core.interpreter import Interpreter
from codeopt.core.options import ImproveOptions
from codeopt.core.program import read_program
from codeopt.core.revision import lines_of
from codeopt.core.session import CacheOpener
from codeopt.engine.run_plan import make_plan
from codeopt.report.result import End, Result
from codeopt.review.findings.finding import FindingKeys, StoredFinding, finding_of
from codeopt.review.suggestion import Suggestion
from codeopt.workloads.sandbox_view.view import locate

MAX_AGE_S = 30 * 86400.0
"""Age from which a finding is judged again, seconds: what a busy machine had no time for should not be missing for
ever."""


@dataclass(frozen=True)
class KnownFinding:
    """A finding that holds for a file as it is."""

    finding: StoredFinding
    improved: str
    """Present text of the file with the accepted draft. Empty without one."""


@dataclass
class KnownFindings:
    """Findings for one set of options."""

    keys: FindingKeys
    open_cache: CacheOpener
    command: str
    notify: Callable[[str], None] = lambda line: None
    _caches: dict[Path, Cache | None] = field(default_factory=dict)

    def find(self, path: Path, function: str) -> KnownFinding | None:
        """Return the finding that holds for a function of a file as it is. None if it has to be judged."""
        cache = self._cache(path)
        text = text_of(path)
        key = self.keys.key(path, function, text) if cache and text is not None else None
        if cache is None or key is None or text is None:
            return None
        found = _read(cache.get(CacheKind.FINDING, key.digest))
        if found is None or found.key != key or not 0 <= time.time() - found.made_at < MAX_AGE_S:
            return None
        if not found.judged.improved:
            return KnownFinding(found, "")
        improved = carried(found.judged.original, found.judged.improved, text, function)
        if improved is None or self.keys.reached(path, function, improved) != found.reached_after:
            return None  # what the draft reaches is other than it was
        return KnownFinding(found, improved)

    def keep(self, path: Path, function: str, result: Result, share: float | None = None) -> None:
        """Keep a result, unless a limit or a failure ended it before anything was found."""
        if not result.accepted and result.end is not End.SUFFICIENT:
            return
        cache = self._cache(path)
        if cache is None or len(result.program.files) != 1:
            return
        judged = Suggestion.of("", function, result, share)
        key = self.keys.key(path, function, judged.original)
        after = self.keys.reached(path, function, judged.improved) if key and judged.improved else ""
        if key is None or after is None or (judged.improved and not after):
            return
        judged = replace(judged, path=key.place.partition("::")[0])
        where = self.command, machine(), time.time()
        finding = StoredFinding(key, judged, after, *where)
        cache.put(CacheKind.FINDING, key.digest, finding.to_json())

    def _cache(self, path: Path) -> Cache | None:
        root = locate(path).root
        if root not in self._caches:
            self._caches[root] = self.open_cache(root, self.notify)
        return self._caches[root]


def open_findings(
    options: ImproveOptions, python: Interpreter | None, open_cache: CacheOpener, command: str, console: Console
) -> KnownFindings | None:
    """Findings for some options; None where nothing is kept: --no-cache, an image's own Python, a wrong plan."""
    if options.no_cache or options.image or python is None:
        return None
    try:
        author = make_plan(options).proposer
    except CodeoptError:
        return None  # the runs will report it
    return KnownFindings(FindingKeys(options, author, python), open_cache, command, console.warn)


def all_findings(cache: Cache) -> Iterator[StoredFinding]:
    """Findings of a cache, the oldest first."""
    return filter(None, map(_read, cache.values(CacheKind.FINDING)))


def _read(value: CachedValue | None) -> StoredFinding | None:
    return finding_of(value.value, value.made_at) if value else None


def text_of(path: Path) -> str | None:
    """Text of a Python file. None if it cannot be read."""
    try:
        return read_program(path).text
    except CodeoptError:
        return None


# A verified change put into a file that was edited elsewhere since: the function's lines, and those outside of it.

Parts = tuple[list[str], list[str], list[str]]
"""Lines before a function, its own, and those behind it."""


def carried(original: str, improved: str, current: str, qualname: str) -> str | None:
    """The text of a file with the change from `original` to `improved`; None where it does not fit.

    qualname: the function, whose own text has to be the same in `original` and `current`; empty for a whole program.
    """
    if original == current:
        return improved
    old, new, now = (parts_of(text, qualname) for text in (original, improved, current))
    if old is None or new is None or now is None or old[1] != now[1]:
        return None
    before, behind = _merged(old[0], new[0], now[0]), _merged(old[2], new[2], now[2])
    return None if before is None or behind is None else "".join([*before, *new[1], *behind])


def parts_of(text: str, qualname: str) -> Parts | None:
    """Return the lines of a file around a function. None if it has no such function."""
    lines = lines_of(text)
    if not qualname:
        return [], lines, []
    node = definition_in(text, qualname)
    if node is None:
        return None
    first, last = first_line(node) - 1, node.end_lineno or node.lineno
    return lines[:first], lines[first:last], lines[last:]


def definition_in(text: str, qualname: str) -> Def | None:
    """Return the function of that name. None if it does not exist, or the text is not Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the code's own writing
        try:
            found = find_definition(ast.parse(text).body, qualname)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    return found if isinstance(found, Def) else None


def _merged(old: list[str], new: list[str], now: list[str]) -> list[str] | None:
    """Return the lines of `now` with the edits from `old` to `new`. None if an edited line is different now."""
    if old == new:
        return now
    if old == now:
        return new
    # index in `now` of each line of `old` that is there still
    blocks = SequenceMatcher(None, old, now, autojunk=False).get_matching_blocks()
    place = {block.a + at: block.b + at for block in blocks for at in range(block.size)}
    result = list(now)
    for kind, start, end, first, last in reversed(SequenceMatcher(None, old, new, autojunk=False).get_opcodes()):
        if kind == "equal":
            continue
        at = _place(place, start, end)
        if at is None:
            return None
        result[at : at + end - start] = new[first:last]
    return result


def _place(place: dict[int, int], start: int, end: int) -> int | None:
    """Index in `now` of the lines `start` to `end` of `old`; of an insertion, behind the line before it."""
    if start == end:
        if start - 1 in place:
            return place[start - 1] + 1
        return place.get(start)
    found = [place.get(at) for at in range(start, end)]
    first = found[0]
    return first if first is not None and found == list(range(first, first + end - start)) else None
