"""The effect of a draft on others: names that represent something else, and the public functions that lead to these."""

from __future__ import annotations

import ast
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import PurePosixPath

from codeopt.analysis.nodes import Definition, definitions, functions, is_text, mentioned
from codeopt.core.errors import Diagnostic
from codeopt.core.revision import Revision
from codeopt.core.words import counted
from codeopt.workloads.project.command import WATCH
from codeopt.workloads.project.runs import CommandRuns
from codeopt.workloads.source.edits import OUTSIDE, CodeEdit, body_of, head_of
from codeopt.workloads.source.module_graph import ModuleGraph, module_name, read_module
from codeopt.workloads.tests import called_name
from codeopt_sandbox.guest.tests.surface import HOLDS
from codeopt_sandbox.guest_bundle import loading
from codeopt_sandbox.outcome import Caveat, CaveatKind

MOST = 20
"""Maximum number of public functions that are judged by their calls."""
WIDELY = 60
"""Number of modules that mention a name from which on not all of their functions are looked at."""
ALONE = "judged by the whole command alone"


@dataclass(frozen=True)
class ChangedName:
    """A name that represents something else."""

    place: CodeEdit
    lost: frozenset[str]
    """Features that only the original has."""
    gained: frozenset[str]

    def caveats(self) -> Iterator[Caveat]:
        """Another interface, or a public container that an import leaves with other keys or items, such as what is
        registered there."""
        was, now = interface(self.lost), interface(self.gained)
        if was or now:
            expected, got = (", ".join(side) or "nothing of that" for side in (was, now))
            yield Caveat(CaveatKind.INTERFACE, str(self.place), expected, got)
        was, now = (
            sorted(part.removeprefix(HOLDS) for part in side if part.startswith(HOLDS))
            for side in (self.lost, self.gained)
        )
        if (was or now) and not any(part.startswith("_") for part in self.place.qualname.split(".")):
            # Maximum number of keys or items of a container that a caveat names
            expected, got = (f"holds {', '.join(side[:5])}" if side else "does not" for side in (was, now))
            yield Caveat(CaveatKind.INTERFACE, f"import of its modules, {self.place}", expected, got)


@dataclass(frozen=True)
class Impact:
    """The parts of a draft that are to be judged."""

    changed: tuple[ChangedName, ...]
    judged: tuple[CodeEdit, ...]
    """Public functions, those first that change themselves."""
    gaps: tuple[Diagnostic, ...]
    caveats: tuple[Caveat, ...]

    def classes_without(self, function: CodeEdit) -> set[str]:
        """Names of classes that are other than they were, also without a function: what their objects hold may be
        another."""
        places = [each.place for each in self.changed if each.place != function]
        owners = {part for place in places for part in place.qualname.split(".")[:-1]}
        heads = {each.place.qualname.rpartition(".")[2] for each in self.changed if interface(each.lost | each.gained)}
        return owners | heads


def interface(features: frozenset[str]) -> list[str]:
    """Features that callers see without a call: bases, flags, own operators and a function's name."""
    return sorted(each for each in features if each.startswith(("has ", "is of ")))


def changed_names(old: ImportedNames, new: ImportedNames) -> Iterator[ChangedName]:
    """Names that differ, of modules that both versions have.

    Nobody asks for a name that only the draft has, except for methods that Python calls.
    """
    both, before, after = {*old.modules} & {*new.modules}, old.revision, new.revision
    others = (path for path in after.changed_files(before) if path in before and path in after and path not in both)
    pairs: dict[str, tuple[Names, Names]] = {path: (old.modules[path], new.modules[path]) for path in sorted(both)}
    pairs |= {path: (text_names(before[path]), text_names(after[path])) for path in others}
    for path, (was, now) in pairs.items():
        for name in {**was, **now}:
            owner, _, last = name.rpartition(".")
            lost, gained = was.get(name, frozenset()), now.get(name, frozenset())
            if lost != gained and (name in was or (owner in was and last.startswith("__"))):
                yield ChangedName(CodeEdit(path, name), lost - gained, gained - lost)


def callers_of(function: CodeEdit, original: Revision, script: str, tests: Collection[str]) -> list[CodeEdit]:
    """Return public functions that lead to one, the nearest first. script, tests: as `impact_of` gets them."""
    return _graph_of(original).reached(function, {script, *tests}, ())[:MOST]


def impact_of(
    old: ImportedNames,
    new: ImportedNames,
    script: str,
    gone: Collection[str] = (),
    *,
    seen: Collection[CodeEdit] = (),
    tests: Collection[str] = (),
) -> Impact:
    """Return the effect of a draft on others.

    Args:
        old: The original and its names after an import.
        new: The draft and its names.
        script: The command's program, whose functions nobody else calls.
        gone: Modules that the draft does not have.
        seen: Functions that the command was seen in. If more functions than can be judged lead to a name, it is
            these.
        tests: Modules of tests, whose functions the command does not call.
    """
    before, after = old.revision, new.revision
    changed = tuple(each for each in changed_names(old, new) if each.place.file not in gone)
    graph = _graph_of(before)
    places = list(dict.fromkeys(graph.defined(each.place) for each in changed))
    judged = dict.fromkeys(place for place in places if graph.is_public(place) and place.file != script)
    unreached: list[CodeEdit] = []
    for place in [each for each in places if each not in judged]:
        reached = graph.reached(place, {script, *tests}, seen)
        judged.update(dict.fromkeys(reached))
        unreached += [] if reached else [place]
    gaps = [Diagnostic(f"{path} is {ALONE}", "the other version does not have it") for path in gone]
    gaps += [Diagnostic(f"{place} is {ALONE}", "no public function leads to it") for place in unreached]
    if left := tuple(judged)[MOST:]:
        what = f"{counted(len(left), 'public function')} {ALONE}: {', '.join(map(str, left[:MOST]))}"
        gaps.append(Diagnostic(what, f"at most {MOST} are judged by their calls"))
    lost = old.modules.keys() - new.modules.keys() - {*after.changed_files(before), *gone}
    caveats = [caveat for each in changed for caveat in each.caveats()]
    if lost:  # an import in a function may load it later
        modules = ModuleGraph({path: text.encode("utf-8", "surrogatepass") for path, text in after.items()})
        loaded = modules.with_imported((path for path in after.changed_files(before) if path in after), after.keys())
        for path in sorted(lost - loaded):
            caveats.append(Caveat(CaveatKind.INTERFACE, f"import of its modules, {path}", "is loaded", "is not"))
    for name in sorted({**old.settings, **new.settings}):
        was, now = (f"{name} is {side.settings.get(name, 'left as it is')}" for side in (old, new))
        if was != now:
            caveats.append(Caveat(CaveatKind.ENVIRONMENT, "import of its modules", was, now))
    return Impact(changed, tuple(judged)[:MOST], tuple(gaps), tuple(caveats))


class FunctionGraph:
    """Functions of a project, by the names that they mention."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = files
        self._known: dict[str, dict[str, frozenset[str]]] = {}
        self._imported: dict[str, set[str]] = {}
        self._surfaces: dict[str, Surface] = {}

    @cached_property
    def _graph(self) -> ModuleGraph:
        return ModuleGraph({path: text.encode("utf-8", "surrogatepass") for path, text in self.files.items()})

    def known(self, path: str) -> dict[str, frozenset[str]]:
        """Names that each function of a file mentions."""
        if path not in self._known:
            body = self._graph.tree(path).body if path in self.files else ()
            self._known[path] = {name: frozenset(mentioned(node)) for name, node in functions(body)}
        return self._known[path]

    def defined(self, place: CodeEdit) -> CodeEdit:
        """The class for a member that no text defines, as a dataclass has them."""
        owner = place.qualname.rpartition(".")[0]
        return CodeEdit(place.file, owner) if owner and place.qualname not in self.known(place.file) else place

    def is_public(self, place: CodeEdit) -> bool:
        """Return True for a function that others may call, and that has its own contract, which calls of it show."""
        path, name = place.file, place.qualname.rpartition(".")[2]
        if name in CONSTRUCTORS or place.qualname not in self.known(path):
            return False
        if path not in self._surfaces:
            self._surfaces[path] = surface_of(path, self.files)
        return self._surfaces[path].reaches(place.qualname)

    def reached(self, place: CodeEdit, apart: Collection[str], seen: Collection[CodeEdit]) -> list[CodeEdit]:
        """Public functions that lead to a name; of more than can be judged those that lead to it by functions that were
        seen. apart: modules that are left out."""
        users = (path for path in self._graph.with_text(called_name(place.qualname).encode()) if path not in apart)
        # Functions that are found to lead to a name: a class that all of a large project uses has more
        is_wide = bool(seen) and sum(1 for _ in users) > WIDELY
        found = [] if is_wide else list(islice(self._public_users(place, apart), 10 * MOST))
        if is_wide or (seen and len(found) > MOST):
            return list(islice(self._public_users(place, apart, frozenset(seen)), MOST))
        return found

    def _public_users(
        self, place: CodeEdit, apart: Collection[str], only: Collection[CodeEdit] | None = None
    ) -> Iterator[CodeEdit]:
        """Yield public functions that lead to a name, the nearest on each path. only: functions that may."""
        todo, done = [place], {place}
        while todo:
            for user in self._users(todo.pop(0), {each.file for each in only} if only is not None else None):
                if user not in done and user.file not in apart and (only is None or user in only):
                    done.add(user)
                    if self.is_public(user):
                        yield user
                    else:
                        todo.append(user)

    def _users(self, place: CodeEdit, files: Collection[str] | None) -> Iterator[CodeEdit]:
        """Functions that mention a name. Of a class, or of a method that Python calls: those that mention the class.
        files: where to look; None: everywhere."""
        name = called_name(place.qualname)
        for path in self._graph.with_text(name.encode()) if place.qualname != OUTSIDE else [place.file]:
            if (files is None or path in files) and (path == place.file or self._imports(path, place.file)):
                for qualname, mentioned in self.known(path).items():
                    if name in mentioned or place.qualname == OUTSIDE:
                        yield CodeEdit(path, qualname)

    def _imports(self, path: str, other: str) -> bool:
        """Return True if a file imports another, or a package around it."""
        packages = {str(folder / "__init__.py") for folder in PurePosixPath(other).parents}
        if path not in self._imported:
            self._imported[path] = set(self._graph.imported(self._graph.tree(path), path))
        return bool(self._imported[path] & {other, *packages})


@lru_cache(maxsize=1)
def _graph_of(original: Revision) -> FunctionGraph:
    """The same for all drafts of an original."""
    return FunctionGraph(original)


# Names of a project's modules with what they represent, as an import shows them: by code, not by text.
#
# Modules that cannot be imported alone are read from their texts.

SCRIPT = f"{WATCH}/surface.py"
RESULT = f"{WATCH}/surface.json"
GUEST = ("tests/__init__", "tests/surface", "calls/__init__", "calls/process_state", "calls/repr/")
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
    """A version with its names by module, and settings of the process."""

    revision: Revision
    modules: Mapping[str, Names] = field(default_factory=dict)
    """Names by path, of the project's modules that are loaded."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Settings that the imports changed, with their new values."""


def read_surface(runs: CommandRuns, revision: Revision, paths: Sequence[str]) -> ImportedNames:
    """Import some modules of a version in a run, if there are any. Raises SandboxError."""
    if not paths:
        return ImportedNames(revision)
    modules = []
    for path in paths:
        roots = (each for each in runs.project.import_roots if path.startswith(f"{each}/"))
        below = path[len(longest) + 1 :] if (longest := max(roots, key=len, default="")) else path
        modules.append((path, module_name(below)))
    text = RUN.format(bundle=loading(*GUEST), modules=modules, result=RESULT)
    command = replace(runs.command, words=(SCRIPT,))
    bare = replace(runs, command=command, seen=lambda run: run, beside=(), purpose="functions")
    run = bare.run(revision, files=((SCRIPT, text.encode()),))
    # The file that a run wrote is not trusted to be ours. Modules that failed are left out.
    content = next((file.content for file in run.written if file.path == RESULT), None)
    try:
        found = json.loads(content or b"")
        failed = set(map(str, found["failed"]))
        known = {
            str(path): {str(name): frozenset(map(str, features)) for name, features in names.items()}
            for path, names in found["names"].items()
            if path not in failed
        }
        return ImportedNames(revision, known, {str(name): str(value) for name, value in found["settings"].items()})
    except (ValueError, KeyError, TypeError, AttributeError):
        return ImportedNames(revision)


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


# Public surface of a project.
#
# It is the list `__all__` of a module, or of its package if the package reexports the module's names. Without a list
# it is each function without an underscore in a module without one, and all names that a package imports from other
# modules.

CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__", "__init_subclass__", "__set_name__", "__del__"})
"""Seen by what the objects do."""
EVERYTHING = "*"
"""Name in `from module import *`."""


@dataclass(frozen=True)
class Surface:
    """Names of one module that others may call."""

    listed: frozenset[str] | None
    """Names in `__all__`; None if no list exists."""
    taken: frozenset[str]
    """Names that packages import from a private module."""
    hidden: bool
    """The module is private by its name."""

    def reaches(self, qualname: str) -> bool:
        """Return True if code outside of the project may call the function."""
        parts = qualname.split(".")
        if any(map(_is_private, parts)):
            return False
        if self.listed is not None:
            return parts[0] in self.listed
        return not self.hidden or bool({parts[0], EVERYTHING} & self.taken)


def surface_of(file: str, files: Mapping[str, str]) -> Surface:
    """Public surface of a module. files: the project's modules by path."""
    path = PurePosixPath(file)
    listed = _exported(files[file])
    for folder in path.parents if listed is None else ():  # what a package around it takes from it and lists
        text = files.get(str(folder / "__init__.py"), "")
        named, taken_there = _exported(text), _taken(path.stem, [text])
        if named is not None and (taken_there & named or EVERYTHING in taken_there):
            listed = named if EVERYTHING in taken_there else taken_there & named
            break
    hidden = any(_is_private(part) for part in (*path.parent.parts, path.stem))
    packages = (text for name, text in files.items() if PurePosixPath(name).name == "__init__.py")
    taken = _taken(path.stem, packages) if hidden else ()
    return Surface(None if listed is None else frozenset(listed), frozenset(taken), hidden)


def _is_private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def _exported(text: str) -> set[str] | None:
    """Return the names in `__all__`; None if there is no list, or if it cannot be evaluated."""
    for node in read_module(text).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(each, ast.Name) and each.id == "__all__" for each in targets):
            assert isinstance(node, ast.Assign)
            try:
                return {str(name) for name in ast.literal_eval(node.value)}
            except (ValueError, TypeError):
                return None
    return None


def _taken(module: str, packages: Iterable[str]) -> set[str]:
    """Return the public names that packages import from a module, by their names in the module."""
    return {
        each.name
        for text in packages
        for node in ast.walk(read_module(text))
        if isinstance(node, ast.ImportFrom) and (node.module or "").rpartition(".")[2] == module
        for each in node.names
        if not _is_private(each.asname or each.name)
    }
