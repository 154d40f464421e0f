"""Runs that begin with the files of one base: each has them as if they were copies of its own, whatever others did."""
# looks at sandbox/codeopt_sandbox/guest/supervisor/folders

from __future__ import annotations

import importlib.machinery
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeopt_sandbox import Options, Run, RunLimits, Sandbox
from codeopt_sandbox.outcome import Files, WrittenFile
from codeopt_sandbox.owner import BaseFolder
from tests.conftest import open_or_skip

BASE = (
    ("main.py", b"print('main')\n"),
    ("data.csv", b"a,b\n1,2\n"),
    ("deep/er/x.txt", b"x"),
    ("deep/gone.txt", b"g"),
    ("big.bin", bytes(range(256)) * 1024),
    ("same.txt", b"s"),
)
LIMITS = RunLimits(seconds=20)
LOOK = """
import hashlib, os, sys
def look(folder, depth=0):
    there = os.stat(folder)
    print(" " * depth, oct(there.st_mode), there.st_mtime_ns, there.st_atime_ns, os.listxattr(folder))
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if os.path.isdir(path) and not os.path.islink(path):
            print(" " * depth, name)
            look(path, depth + 1)
        else:
            there = os.lstat(path)
            mark = os.readlink(path) if os.path.islink(path) else hashlib.sha256(open(path, "rb").read()).hexdigest()
            print(" " * depth, name, oct(there.st_mode), there.st_size, there.st_mtime_ns, there.st_atime_ns,
                  there.st_nlink, os.listxattr(path), mark)
"""
"""Prints all that a run finds in its folder."""


@pytest.fixture(scope="module")
def base() -> Iterator[BaseFolder]:
    with BaseFolder(BASE) as made:
        yield made


@pytest.fixture(scope="module")
def based(backend: str, base: BaseFolder) -> Iterator[Sandbox]:
    with open_or_skip(backend, LIMITS, Options(base=base)) as opened:
        yield opened


def good(run: Run) -> Run:
    assert (run.exit, run.stop, run.stderr) == (0, None, b""), run
    return run


def seen(sandbox: Sandbox, files: Files = (), without: tuple[str, ...] = ()) -> str:
    """What a run finds."""
    return good(sandbox.run(LOOK + "look('.')", files=files, without=without)).stdout.decode()


CHANGES = {
    "in place": "open('data.csv', 'w').write('zzz'); open('big.bin', 'r+b').write(b'Q')",
    "same content": "open('same.txt', 'w').write('s')",
    "no time of it": "t = os.stat('same.txt'); open('same.txt', 'w').write('S')"
    "\ntry: os.utime('same.txt', ns=(t.st_atime_ns, t.st_mtime_ns))\nexcept PermissionError: pass",
    "through shared memory": "f = open('big.bin', 'r+b'); m = mmap.mmap(f.fileno(), 0); m[5]; m[5] = 77; m.close()",
    "longer": "open('same.txt', 'a').write('s' * 10000)",
    "shorter": "os.truncate('big.bin', 3)",
    "replaced": "open('t', 'w').write('s'); os.replace('t', 'same.txt')",
    "swapped": "os.rename('same.txt', 't'); os.rename('main.py', 'same.txt'); os.rename('t', 'main.py')",
    "removed": "os.unlink('deep/gone.txt')",
    "all removed": "[shutil.rmtree(n) if os.path.isdir(n) else os.unlink(n) for n in os.listdir('.')]",
    "a folder for a file": "os.unlink('same.txt'); os.mkdir('same.txt'); open('same.txt/in', 'w')",
    "a link for a folder": "shutil.rmtree('deep'); os.symlink('/etc', 'deep')",
    "a link for a file": "os.unlink('same.txt'); os.symlink('data.csv', 'same.txt')",
    "hard links": "os.link('/box/program.py', 'l') if 0 else open('made', 'w'); os.link('made', 'made2')",
    "new": "os.makedirs('a/b/c'); open('a/b/c/d', 'w').write('x'); open('deep/new', 'w'); os.mkfifo('pipe')",
    "closed folders": "os.makedirs('a/b'); open('a/b/c', 'w'); os.chmod('a/b', 0); os.chmod('a', 0)",
    "modes": "for n in ('same.txt', 'deep', '.'):\n  try: os.chmod(n, 0o700)\n  except PermissionError: pass",
    "times": "os.utime('same.txt'); os.utime('deep'); open('main.py').read()",
    "attributes": "for n in ('same.txt', 'deep', '.'):\n  try: os.setxattr(n, 'user.x', b'1')\n  except OSError: pass",
    "renamed folder": "os.rename('deep', 'shallow')",
    "half written": "f = open('data.csv', 'w'); f.write('z'); f.flush(); os.kill(os.getpid(), 9)",
    "from a child": "os.fork() or (os.setsid(), open('data.csv', 'w').write('child'), time.sleep(9))",
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_run_sees_nothing_of_what_another_did(based: Sandbox, base: BaseFolder, change: str) -> None:
    """Neither contents nor modes, times, links or attributes; and the base itself is what it was."""
    before = seen(based)
    program = f"import mmap, os, shutil, time\n{CHANGES[change]}\n"
    based.run(program, files=())
    assert seen(based) == before
    assert {name: (base.folder / name).read_bytes() for name, _ in BASE} == dict(BASE)
    assert sorted(path for path in base.folder.rglob("*") if path.is_file()) == sorted(
        base.folder / name for name, _ in BASE
    )


NUMBERS = "import os\nprint([os.lstat(os.path.join(d, n)).st_ino for d, f, s in os.walk('.') for n in sorted(f + s)])"


@pytest.mark.parametrize("change", ["replaced", "removed", "swapped", "hard links", "a folder for a file"])
def test_numbers_of_files_tell_of_no_replaced_one(based: Sandbox, change: str) -> None:
    """A bit for each file would be enough to hand results from run to run: either all numbers are new or all old."""
    first = good(based.run(NUMBERS, files=())).stdout
    based.run(f"import mmap, os, shutil, time\n{CHANGES[change]}\n", files=())
    second = good(based.run(NUMBERS, files=())).stdout
    before, after = eval(first), eval(second)
    assert before == after or not set(before) & set(after) or sorted(after) == after


def test_what_a_run_wrote_comes_back(based: Sandbox) -> None:
    """As of files that are given one by one: changed, written again, new, gone, links; and no more than that."""
    program = """\
import mmap, os, shutil
open("data.csv", "a").write("3,4\\n")
open("same.txt", "w").write("s")
os.unlink("deep/gone.txt")
os.makedirs("made/by"); open("made/by/log.txt", "w").write("secret")
os.symlink("/etc/passwd", "link"); os.mkfifo("pipe")
f = open("big.bin", "r+b"); m = mmap.mmap(f.fileno(), 0); m[0]; m[0] = 9; m.close()
"""
    for _ in range(2):
        assert good(based.run(program, files=())).written == (
            WrittenFile("big.bin", b"\x09" + BASE[4][1][1:]),
            WrittenFile("data.csv", b"a,b\n1,2\n3,4\n"),
            WrittenFile("deep/gone.txt", None),
            WrittenFile("link", b"/etc/passwd"),
            WrittenFile("made/by/log.txt", b"secret"),
            WrittenFile("pipe", None, special=True),
            WrittenFile("same.txt", b"s"),
        )


def test_files_of_one_run_lie_on_top_of_the_base(based: Sandbox) -> None:
    """In place of the base's, beside them and instead of them; what is not changed of them is not told."""
    before = seen(based)
    files = (("data.csv", b"other"), ("new/er/y.txt", b"y"), ("deep/z.txt", b"z"))
    run = good(based.run(
        "import os; print(open('data.csv').read(), open('new/er/y.txt').read(), sorted(os.listdir('deep')),"
        " os.path.exists('same.txt'))", files=files, without=("same.txt", "deep/gone.txt", "nowhere"),
    ))  # fmt: skip
    assert run.stdout == b"other y ['er', 'z.txt'] False\n"
    assert run.written == ()
    assert seen(based) == before
    again = good(based.run("open('data.csv', 'a').write('!'); open('deep/z.txt', 'w').write('z')", files=files))
    assert again.written == (WrittenFile("data.csv", b"other!"), WrittenFile("deep/z.txt", b"z"))
    assert seen(based) == before


def test_a_folder_whose_files_are_all_left_out_is_gone(based: Sandbox) -> None:
    """An empty one could still be imported."""
    before = seen(based)
    look = "import os; print(sorted(os.listdir('.')), os.path.exists('deep'))"
    gone = ("deep/er/x.txt", "deep/gone.txt")
    assert good(based.run(look, files=(), without=gone)).stdout.endswith(b" False\n")
    made = good(based.run("import os; os.mkdir('deep'); open('deep/own', 'w').close()", files=(), without=gone))
    assert made.written == (WrittenFile("deep/own", b""),)
    put = good(based.run(look + "; print(os.listdir('deep'))", files=(("deep/new", b"n"),), without=gone))
    assert put.stdout.endswith(b" True\n['new']\n")
    assert seen(based) == before


def test_a_run_without_files_has_nothing_of_the_base(based: Sandbox) -> None:
    assert b"main.py" not in good(based.run("import os; print(os.listdir('.'))")).stdout


def test_too_much_is_too_much_output_and_the_next_run_is_fine(based: Sandbox) -> None:
    before = seen(based)
    few = RunLimits(seconds=20, output_mib=1)
    for program in ("open('big', 'wb').truncate(1 << 21)", "[open(str(n), 'w').close() for n in range(700)]"):
        run = based.run(program, files=(), limits=few)
        assert (run.stop, run.written) == ("output", ())
        assert seen(based) == before


def test_what_is_added_to_the_base_is_there_in_the_next_run(backend: str) -> None:
    with BaseFolder((("a.txt", b"1"),)) as base, open_or_skip(backend, LIMITS, Options(base=base)) as sandbox:
        assert good(sandbox.run("import os; print(sorted(os.listdir('.')))", files=())).stdout == b"['a.txt']\n"
        base.add((("b/c.txt", b"2"),))
        run = good(sandbox.run("import os; print(sorted(os.listdir('.')), open('b/c.txt').read())", files=()))
        assert (run.stdout, run.written) == (b"['a.txt', 'b'] 2\n", ())


def test_the_base_cannot_be_written_where_runs_are_isolated(based: Sandbox, base: BaseFolder) -> None:
    if not based.isolated:
        pytest.skip("a plain process has its user's rights")
    program = """
import os
for path in ("/base/data.csv", "/base/deep/new"):
    try: open(path, "w"); print("ESCAPED")
    except OSError: pass
for path in ("/base/data.csv", "/base/deep"):
    try: os.rename(path, path + "2"); print("ESCAPED")
    except OSError: pass
    try: os.chmod(path, 0o777); print("ESCAPED")
    except OSError: pass
    try: os.link(path, "linked"); print("ESCAPED")
    except OSError: pass
    try: os.utime(path); print("ESCAPED")
    except OSError: pass
"""
    assert good(based.run(program, files=())).stdout == b""


def test_compiled_extensions_are_loaded_from_the_base(backend: str) -> None:
    """In place, as `build_ext --inplace` leaves them; a scratch folder lets nothing be executed."""
    import _json

    found = getattr(_json, "__file__", None) or _extension()
    suffix = importlib.machinery.EXTENSION_SUFFIXES[0]
    name = Path(found).name.partition(".")[0]
    files = (("pack/__init__.py", b""), (f"pack/{name}{suffix}", Path(found).read_bytes()))
    program = (
        "import sys, os; sys.path.insert(0, os.getcwd()); import importlib.util as u\n"
        f"s = u.spec_from_file_location('{name}', 'pack/{name}{suffix}'); m = u.module_from_spec(s)\n"
        f"s.loader.exec_module(m); print(m.__file__)"
    )
    with BaseFolder(files) as base, open_or_skip(backend, LIMITS, Options(base=base)) as sandbox:
        run = good(sandbox.run(program, files=(), mode="exec"))
        assert run.stdout.strip().endswith(f"pack/{name}{suffix}".encode())
        changed = sandbox.run(f"import os; os.unlink('pack/{name}{suffix}')", files=())
        assert changed.written == (WrittenFile(f"pack/{name}{suffix}", None),)
        assert good(sandbox.run(program, files=(), mode="exec")).written == ()


def _extension() -> str:
    import math

    folder = Path(os.__file__).parent / "lib-dynload"
    return str(next(folder.glob("_json.*.so"), None) or math.__file__)


def test_nothing_is_left_behind(backend: str) -> None:
    with BaseFolder(BASE) as base:
        with open_or_skip(backend, LIMITS, Options(base=base)) as sandbox:
            good(sandbox.run("open('new', 'w')", files=()))
        assert sorted(path.name for path in base.place.iterdir()) == ["files"]
    assert not base.place.exists()


def test_the_base_of_a_killed_process_goes_with_the_next_one() -> None:
    """And nobody else's."""
    holder = (
        "import os, signal\nfrom codeopt_sandbox.owner import BaseFolder\n"
        "print(BaseFolder((('a', b'1'),)).place, flush=True)\nos.kill(os.getpid(), signal.SIGKILL)"
    )
    with BaseFolder(BASE) as living:
        killed = subprocess.run([sys.executable, "-c", holder], capture_output=True, text=True)
        place = Path(killed.stdout.strip())
        assert (place / "files" / "a").read_bytes() == b"1"
        with BaseFolder(BASE):
            assert not place.exists()
            assert (living.folder / "main.py").exists()
