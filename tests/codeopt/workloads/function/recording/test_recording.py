"""Calls recorded while a user's own command runs: of a program, from threads, tasks and other processes."""
# looks at sandbox/codeopt_sandbox/guest/tests/rec, codeopt/workloads/function/recording, codeopt/cli/commands/record

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from codeopt.workloads.function.recording import Recording, UsersCommand, record, recorded_calls, sample
from codeopt.workloads.source.functions import read_function
from codeopt_sandbox.guest.tests.recorder import RECORDED
from tests.codeopt.command import codeopt
from tests.support.files import write_files
from tests.support.pythons import python_of

PROGRAM = """\
\"\"\"A program.\"\"\"
from __future__ import annotations
import asyncio, functools, multiprocessing, os, subprocess, sys, threading

class Box:
    def __init__(self, items):
        self.items = items

    @property
    def first(self):
        return self.items[0]

    @functools.cached_property
    def last(self):
        return self.items[-1]

def total(items):
    return sum(items)

def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

def opened(box):
    return box.first + box.last

def never(x):
    return x

async def slowly(items):
    return total(items)

async def gather():
    await asyncio.gather(*(slowly([2, n]) for n in range(5)))

if __name__ == "__main__":
    if sys.argv[1:] == ["child"]:
        total([9, 9])
        sys.exit(0)
    for n in range(5):
        opened(Box([n]))
        fibonacci(n)
    threads = [threading.Thread(target=total, args=([1, n],)) for n in range(5)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    asyncio.run(gather())
    pid = os.fork()
    if not pid:
        total([3, 3])
        os._exit(0)
    os.waitpid(pid, 0)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        pool.map(total, [[4, n] for n in range(5)])
    subprocess.run([sys.executable, __file__, "child"], check=True)
    assert asyncio.iscoroutinefunction(slowly)
    assert sys.path[0] == os.path.dirname(os.path.abspath(__file__)) and __spec__ is None, (sys.path, __spec__)
    sys.exit(7)
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A script with a folder of its own."""
    path = tmp_path_factory.mktemp("script") / "many.py"
    path.write_text(PROGRAM)
    return path


def recording(path: Path, name: str, *command: str) -> tuple[Recording, set[str]]:
    """What a command gave, and all calls that are known afterwards, without what they gave."""
    function = read_function(path, name)
    found = record(function, UsersCommand(command))
    return found, {call.partition(RECORDED)[0] for call in recorded_calls(function)}


def test_a_program_its_threads_tasks_and_processes(program: Path) -> None:
    found, calls = recording(program, "total", sys.executable, str(program))
    assert calls == {
        *(f"f([{kind}, {n}])" for kind in (1, 2, 4) for n in range(5)),
        "f([3, 3])",
        "f([9, 9])",
    }
    assert (found.run.status, found.new, found.kept, found.loaded) == (7, 17, 17, True)
    again, calls = recording(program, "total", sys.executable, str(program))
    assert (again.seen, again.new, len(calls)) == (17, 0, 17)


@pytest.mark.parametrize(
    ("name", "call", "new"),
    [("fibonacci", "f(4)", 5), ("slowly", "f([2, 4])", 5), ("Box.first", "", 5), ("Box.last", "", 5)],
)
def test_recursions_coroutines_and_properties(program: Path, name: str, call: str, new: int) -> None:
    found, calls = recording(program, name, sys.executable, str(program))
    assert found.new == new
    assert call in calls or not call


def test_a_module_by_any_name_and_the_users_own_site_hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package's folder is on the path, so that its module goes by another name than codeopt gives it."""
    files = {
        "pkg/__init__.py": "",
        "pkg/mod.py": "class Pair:\n    pass\n\ndef f(x):\n    return x\n",
        "pkg/use.py": "import builtins, mod\nmod.f(mod.Pair())\nmod.f(builtins.SITE)\n",
        "site/sitecustomize.py": "import builtins\nbuiltins.SITE = 'own'\n",
    }
    write_files(tmp_path, files)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    found, calls = recording(tmp_path / "pkg/mod.py", "f", sys.executable, str(tmp_path / "pkg/use.py"))
    assert (found.run.status, found.new) == (0, 2)
    assert "f('own')" in calls
    assert "@ loaded mod\n" in found.path.read_text()


def test_a_program_run_as_a_module(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(program.parent)
    found, calls = recording(program, "gather", sys.executable, "-m", "many")
    assert calls == {"f()"}
    assert found.loaded


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (["python", "many.py"], "many.py was loaded, the function was not called"),
        (["python", "-c", "1"], "its Python process never loaded many.py"),
        (["python", "-I", "-c", "1"], "it started no Python (3.8 or later) that could be watched"),
    ],
)
def test_a_function_that_is_never_called(program: Path, command: list[str], why: str) -> None:
    done = codeopt("record", "many.py::never", "--", *command, cwd=program.parent)
    assert done.status == 5
    assert "never called never: " + why in done.err
    assert not (program.parent / ".codeopt/calls/many.never.txt").exists()


def test_the_interpreter_of_the_projects_own_environment(program: Path, tmp_path: Path) -> None:
    starts = f'#!/bin/sh\necho its own >&2\nexec {sys.executable} "$@"\n'
    folder = write_files(tmp_path / "project", {"many.py": program.read_text(), ".venv/bin/python": starts})
    own = folder / ".venv/bin/python"
    own.chmod(0o755)
    done = codeopt("record", "many.py::total", "--", "python", "many.py", cwd=folder, env={"VIRTUAL_ENV": ""})
    assert done.status == 0, done.err
    assert "its own" in done.err
    assert f"ran {own} many.py" in " ".join(done.err.split())


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        (["--python", "gone/python"], "--python: gone/python is not there"),
        (["--python"], "expected one argument"),
        (["--wrong"], "unknown option --wrong"),
    ],
)
def test_a_flag_of_record_that_is_wrong(program: Path, flags: list[str], why: str) -> None:
    done = codeopt("record", "many.py::total", *flags, "--", "touch", "made", cwd=program.parent)
    assert (done.status, len(done.facts)) == (2, 1)
    assert why in done.err.replace(f"{program.parent}/", "")
    assert not (program.parent / "made").exists()


def test_of_a_hundred_thousand_calls_the_largest_is_kept(tmp_path: Path) -> None:
    """Some are, from the first to the last; a number is its own size."""
    path = tmp_path / "often.py"
    path.write_text(
        "def counted(n):\n    return n\n\ndef length(items):\n    return len(items)\n\n"
        "for k in range(100_000):\n    counted(k % 1000 if k != 77_777 else 10**6)\n"
        "    length([k] * (k % 50 if k != 55_555 else 700))\n"
    )
    _, calls = recording(path, "counted", sys.executable, str(path))
    assert "f(1000000)" in calls
    assert 50 < len(calls) <= 300
    _, calls = recording(path, "length", sys.executable, str(path))
    assert max(map(len, calls)) == len(f"f({[55_555] * 700})")
    assert len({call.count(",") // 10 for call in calls}) >= 5
    assert any("99" in call[2:5] or "98" in call[2:5] for call in calls), "late ones too"


NAMED = """\
import asyncio, functools

MISSING = object()

def by_name(first, items):
    return len(items)

def only(*, items, more=MISSING):
    return len(items) if more is MISSING else more

def either(items, times=1):
    return len(items) * times

def taken(left, at, top):
    return len(left)

def anything(*args, **options):
    return len(options["items"])

@functools.lru_cache(None)
def cached(items):
    return len(items)

async def task(items=()):
    return len(items)

class Box:
    def put(self, items=None):
        return len(items)

async def main():
    box = Box()
    for n in range(5000):
        items = (n,) * (700 if n == 4321 else n % 50)
        by_name(n, items=items), only(items=items), anything(n, items=items), cached(items=items)
        either(items) if n % 2 else either(items=items)
        taken(left=items, at=1, top=2), box.put(items=items)
        assert await task(items=items) == len(items)

asyncio.run(main())
"""


@pytest.mark.full
@pytest.mark.parametrize("python", [sys.executable, *filter(None, map(python_of, ("3.8", "3.13")))])
def test_the_largest_is_kept_that_is_given_by_name(python: str, tmp_path: Path) -> None:
    """Of 5000 calls one has 700 items, and comes when only a few are looked at; what was left out is not written."""
    path = tmp_path / "named.py"
    path.write_text(NAMED)
    large = "(4321,) * 700"
    for name, call in {
        "by_name": "f(4321, items=@)", "only": "f(items=@)", "either": "f(@)", "taken": "f(left=@, at=1, top=2)",
        "anything": "f(4321, items=@)", "cached": "f(items=@)", "task": "f(items=@)", "Box.put": "items=@)",
    }.items():  # fmt: skip
        found, kept = recording(path, name, python, str(path))
        expected = call.replace("@", str(eval(large)))
        assert found.run.status == 0, name
        assert any(each.endswith(expected) for each in kept), (name, max(kept, key=len)[:100])


RECURSIVE = """\
import sys, threading

def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)

class Node:
    @classmethod
    def down(cls, n):
        return 0 if n == 0 else 1 + cls.down(n - 1)

    def __init__(self, n):
        self.n = n

    @property
    def depth(self):
        return 0 if self.n == 0 else 1 + Node(self.n - 1).depth

before = deep, vars(Node)["down"], Node.depth
deep(900), Node.down(900), Node(450).depth
try:
    deep(-1)
except RecursionError:
    deep(800)
found = []
thread = threading.Thread(target=lambda: found.append(deep(700)))
thread.start()
thread.join()
sys.exit(found != [700] or before != (deep, vars(Node)["down"], Node.depth))
"""


def test_a_deep_recursion_has_the_depth_that_it_has_alone(tmp_path: Path) -> None:
    """A recorder before each of its calls would use Python's limit of 1000 up twice as fast."""
    path = tmp_path / "recursive.py"
    path.write_text(RECURSIVE)
    for name, calls in (("deep", {"f(900)", "f(-1)", "f(800)", "f(700)"}), ("Node.down", {"f(900)"})):
        found, kept = recording(path, name, sys.executable, str(path))
        assert (found.run.status, kept) == (0, calls)
    assert recording(path, "Node.depth", sys.executable, str(path))[0].seen == 1


def test_of_many_calls_sizes_of_all_kinds_are_kept() -> None:
    calls = [f"f({'x' * (n * 37 % 1000)})" for n in range(1000)]
    kept = sample(calls, 50)
    sizes = sorted(map(len, kept))
    assert (len(kept), sizes[-1]) == (50, max(map(len, calls)))
    assert all(15 <= after - before <= 25 for before, after in zip(sizes, sizes[1:], strict=False))
    assert kept == [call for call in calls if call in set(kept)]
    assert max(calls, key=len) in sample(calls, 50, room=3_000)
