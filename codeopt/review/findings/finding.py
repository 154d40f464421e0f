"""One finding: what was asked of a function, what the judge said, and by which keys and evidence it is known again."""

from __future__ import annotations

import os
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from codeopt.analysis.reached_code import pieces_of, reached_code
from codeopt.core.cache import Machine, digest_of
from codeopt.core.errors import UsageError
from codeopt.core.interpreter import Interpreter
from codeopt.core.options import ImproveOptions
from codeopt.core.ownership import PACKAGES
from codeopt.report.answers import read, serialize
from codeopt.review.changed_functions import is_test
from codeopt.review.suggestion import Suggestion
from codeopt.workloads.function.corpus.existing_tests import MOST_FILES
from codeopt.workloads.function.recording import left_out, recorded_calls
from codeopt.workloads.sandbox_view.linked import Linked
from codeopt.workloads.sandbox_view.view import Module, locate, tracked
from codeopt.workloads.source.functions import Function, read_function
from codeopt.workloads.source.module_graph import imported_files
from codeopt.workloads.source.test_files import READ_BY_PYTEST
from codeopt.workloads.tests import ProjectTests
from codeopt_sandbox.plain_files import read_bytes, read_text

FORMAT = 4
"""Version of the JSON below."""


@dataclass(frozen=True)
class FindingKey:
    """Digests of everything that decides a verdict; a finding holds where all of them are the same."""

    place: str
    """Path below the project's root, `::` and the function."""
    reached: str
    """The function's text and what it reaches in the project."""
    evidence: str
    """Tests, cases and calls that it is judged by."""
    python: str
    """Version of the interpreter and of its packages."""
    asked: str
    """Options that decide: who drafts, what better means, how answers are compared."""
    judge: str
    """Digest of codeopt's own code."""

    @property
    def digest(self) -> str:
        return digest_of(vars(self))


@dataclass(frozen=True)
class StoredFinding:
    """A verdict on one function or program, as the cache keeps it."""

    key: FindingKey
    judged: Suggestion
    reached_after: str = ""
    """Value of `key.reached` for the improved text."""
    command: str = ""
    machine: Machine | None = None
    made_at: float = 0.0
    """Time of the verdict, seconds since the epoch."""

    def to_json(self) -> dict[str, Any]:
        """The finding as the cache keeps it."""
        return {"format": FORMAT, **serialize(self)}

    @property
    def when(self) -> str:
        """`checked 2026-03-01 12:30 by codeopt check on 8 cores of ...`, in local time."""
        where = f" on {self.machine.cpu}" if self.machine else ""
        return f"checked {minute(self.made_at)} by codeopt {self.command}{where}"


def finding_of(value: Any, made_at: float) -> StoredFinding | None:
    """Return the finding that `to_json` wrote. None for anything else, since any user may have written the value.

    made_at: time of storing it, seconds since the epoch.
    """
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        return None
    try:
        found = read(StoredFinding, {name: each for name, each in value.items() if name != "format"})
        _ = found.judged.words  # fails if the ratio is null or 0
    except (ValueError, TypeError, ArithmeticError):
        return None
    return replace(found, made_at=made_at)


def minute(at: float) -> str:
    """`2026-03-01 12:30`, in local time."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))


# Keys of findings, made only by reading: no sandbox is opened and no code of the project runs.

INSTALLED = (".dist-info", ".egg-info")
"""Endings of the names in a folder of packages that say which version of what is installed."""
DECIDES_NOTHING = frozenset(
    {"sandbox", "runtime", "python", "timeout", "run_dir", "resume", "no_cache", "no_profile", "max_seconds"}
    | {"max_cost", "base_url", "api_key_env", "seed", "input_seed", "calls", "cases", "tests"}
)
"""Options that move no verdict that is kept: one that a limit of time or money ended is not. Files that some of them
name are in the evidence."""
NOT_KEPT = ("image", "args", "with_paths", "env", "stdin", "run", "ignore_output", "workload")
"""Options with which nothing is kept: what they name is not read here."""


@dataclass
class FindingKeys:
    """Keys of the functions of some projects, for one set of options; the code of each module is parsed once."""

    options: ImproveOptions
    author: str
    """Author of the drafts: `rules`, or a model's name."""
    python: Interpreter | None
    """The interpreter that runs everything. None: it is not compared."""
    _evidence: Evidence = field(init=False)

    def __post_init__(self) -> None:
        self._evidence = Evidence(self.options)
        self._pieces_of = cache(pieces_of)
        self._imports_of = cache(lambda text, path, folders: tuple(imported_files(text, path, folders)))

    def key(self, path: Path, function: str, text: str) -> FindingKey | None:
        """Return the key of a function in a text of its file, or of a program if `function` is empty.

        None if the facts that decide are unknown.
        """
        usual = ImproveOptions()
        if any(getattr(self.options, name) != getattr(usual, name) for name in NOT_KEPT):
            return None
        try:
            module = self._locate(path)
            reached = self._reached(module, function, text)
            evidence = self._evidence.digest(module, function)
            if reached is None or evidence is None:
                return None
            place = f"{module.path.relative_to(module.root).as_posix()}::{function}"
            return FindingKey(place, reached, evidence, self._python, self.asked(self.author), judge_digest())
        except (OSError, UsageError, ValueError):
            return None

    def reached(self, path: Path, function: str, text: str) -> str | None:
        """Digest of a function in a text of its file, and of what it reaches in the project. None if that
        cannot be read. Raises OSError.
        """
        return self._reached(self._locate(path), function, text)

    def _reached(self, module: Module, function: str, text: str) -> str | None:
        try:
            texts = self._closure(module, text)
            if not function:
                return digest_of([(_name(each, module), content) for each, content in sorted(texts.items())])
            pieces = [part for each, content in texts.items() for part in self._pieces_of(_name(each, module), content)]
        except (_TooMany, SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        return digest_of(reached_code(pieces, function.split(".")))

    def _closure(self, module: Module, text: str) -> dict[Path, str]:
        """Texts of the modules of the project, and of folders imported in place, that a module imports, itself with the
        given text, by path. Raises _TooMany, OSError."""
        found: dict[Path, str] = {}
        tops = (module.root, *module.beside)
        waiting = [module.path]
        while waiting:
            path = waiting.pop()
            if path in found or not any(map(path.is_relative_to, tops)) or set(PACKAGES) & {*path.parts}:
                continue
            # modules of a project that are read for one function; of a larger reach nothing is kept
            if len(found) >= 2000:
                raise _TooMany
            found[path] = text if path == module.path else read_text(path, "replace")
            waiting += self._imports_of(found[path], path, (path.parent, *module.roots, *module.beside))
            above = [parent for parent in path.parents if any(map(parent.is_relative_to, tops))]
            waiting += (each / "__init__.py" for each in above if (each / "__init__.py").is_file())
        return found

    def asked(self, author: str) -> str:
        """Digest of the options that decide, with the author of the drafts. Raises OSError."""
        names = [row.name for row in fields(ImproveOptions)]
        names = [name for name in names if name not in {*DECIDES_NOTHING, *NOT_KEPT, "model"}]
        asked = {name: str(getattr(self.options, name)) for name in names}
        checker = self.options.special_checker
        accepts = read_text(checker[0], "replace") if checker else ""
        return digest_of([asked, author, accepts])

    def evidence(self, path: Path, function: str) -> str | None:
        """Digest of the tests, cases and calls of a function. None if they cannot be read."""
        try:
            return self._evidence.digest(self._locate(path), function)
        except (OSError, UsageError, ValueError):
            return None

    def _locate(self, path: Path) -> Module:
        """The module of a file; what its environment imports in place counts as the project does. Raises OSError."""
        return locate(path, self._linked)

    @cached_property
    def _linked(self) -> Linked:
        return Linked.of(self.python)

    @cached_property
    def _python(self) -> str:
        if self.python is None:
            return ""
        found = [name for folder in self.python.libraries for name in _installed(Path(folder))]
        return digest_of([self.python.version, sorted(found)])


def _installed(folder: Path) -> list[str]:
    folders = [each for each in (folder, *(folder / name for name in PACKAGES)) if each.name in PACKAGES]
    names = [entry.name for each in folders if each.is_dir() for entry in each.iterdir()]
    return [name for name in names if name.endswith(INSTALLED)]


class _TooMany(Exception):
    """Error for more modules than are read."""


def _name(path: Path, module: Module) -> str:
    return Path(os.path.relpath(path, module.root)).as_posix()


@cache
def judge_digest() -> str:
    """Digest of codeopt's own code: another judge may say otherwise."""
    total = sha256()
    for name in ("codeopt", "codeopt_sandbox"):
        spec = find_spec(name)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            for path in sorted(Path(folder).rglob("*.py")):
                total.update(read_bytes(path))
    return total.hexdigest()


# Digest of the evidence that a function or program is judged by, found by reading alone.


CASES = ("cases", "in", "out")
"""Folders next to a program that hold its cases."""


@dataclass
class Evidence:
    """The evidence of one project's functions and programs; test files are read once."""

    options: ImproveOptions
    _tests: dict[Path, ProjectTests] = field(default_factory=dict)

    def digest(self, module: Module, function: str) -> str | None:
        """SHA-256 in hexadecimal. None if the evidence is more than can be read. Raises OSError, UsageError."""
        if not function:
            found = _cases(module.path, self.options)
            return None if found is None else _digest_of(found)
        known = read_function(module.path, function)
        recorded = [*recorded_calls(known), left_out(known)]
        files = dict(self._files(module, known))
        return _digest_of({**files, "recorded": "\n".join(recorded).encode("utf-8", "surrogatepass")})

    def _files(self, module: Module, function: Function) -> Iterator[tuple[str, bytes]]:
        if self.options.calls is not None:
            yield "calls", read_bytes(self.options.calls)
        if not self.options.use_tests:
            return
        for path in self._closure(module, self._begin(module, function)):
            inside = path.is_relative_to(module.root)
            yield path.relative_to(module.root).as_posix() if inside else path.name, _content(path)

    def _begin(self, module: Module, function: Function) -> list[Path]:
        """Test files that are run: those that the user names, else those that are found."""
        if self.options.tests:
            named = [path.absolute() for path in self.options.tests]
            return [file for path in named for file in (sorted(path.rglob("*.py")) if path.is_dir() else [path])]
        if module.root not in self._tests:
            self._tests[module.root] = ProjectTests(module, module.root, tracked(module))
        near = self._tests[module.root].nearest([module], function.qualname)
        found = near.calling[:MOST_FILES] or near.importing[:MOST_FILES] or near.perhaps
        return [module.root / path for path in found]

    def _closure(self, module: Module, begin: Iterable[Path]) -> list[Path]:
        """The tests with what they import of other tests' files, and what pytest reads."""
        waiting, found = list(begin), set[Path]()
        while waiting:
            path = waiting.pop()
            if path in found or not path.is_file():
                continue
            found.add(path)
            above = [parent for parent in path.parents if parent.is_relative_to(module.root)]
            waiting += (folder / name for folder in above for name in READ_BY_PYTEST)
            if path.suffix == ".py":
                imported = imported_files(read_bytes(path), path, (path.parent, *module.roots))
                here = (each for each in imported if each.is_relative_to(module.root))
                waiting += (each for each in here if is_test(each.relative_to(module.root).as_posix()))
        return sorted(found)


def _content(path: Path) -> bytes:
    """Part of a file that counts: of a project file what pytest and codeopt read there, and not its version."""
    text = read_bytes(path)
    if path.name != "pyproject.toml":
        return text
    try:
        tools = tomllib.loads(text.decode()).get("tool", {})
    except ValueError:
        return text
    return repr([(name, tools.get(name)) for name in ("pytest", "codeopt")]).encode()


def _cases(program: Path, options: ImproveOptions) -> dict[str, bytes] | None:
    """Files that may hold a program's cases, by name. None if they are too large."""
    folder = options.cases.absolute() if options.cases else program.parent
    beside = (path for path in sorted(folder.iterdir()) if path.is_file())
    files = [path for path in beside if path.name == "generate.py" or path.suffix in (".txt", ".in", ".out", ".args")]
    for each in [folder] if options.cases else [folder / name for name in CASES]:
        if each.is_dir():
            files += sorted(path for path in each.rglob("*") if path.is_file())
    found: dict[str, bytes] = {}
    size = 0
    for path in dict.fromkeys(files):
        size += path.stat().st_size
        # size of a program's cases together up to which they are read, bytes
        if size > 64 << 20:
            return None
        found[os.path.relpath(path, folder)] = read_bytes(path)
    return found


def _digest_of(files: Mapping[str, bytes]) -> str:
    total = sha256()
    for name, text in sorted(files.items()):
        for each in (name.encode("utf-8", "surrogateescape"), text):
            total.update(b"%d:%b" % (len(each), each))
    return total.hexdigest()
