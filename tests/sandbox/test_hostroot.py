"""Parts of this machine that a run can read and reach where a virtual environment is the project's own folder."""
# looks at sandbox/codeopt_sandbox/bubblewrap

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from codeopt_sandbox import Options, Sandbox
from codeopt_sandbox.hostroot import _shared_libraries, host_root, masked_mounts
from tests.conftest import ISOLATING, open_or_skip
from tests.support.files import write_files

SECRET = "CODEOPT-CANARY"
PLANTED = (  # files of a project that has its environment at its root
    ".env", ".git/config", "pip.conf", "tests/case/output.1.txt", "src/own/__init__.py", "lib/own.py", "notes.txt",
    "share/notes.txt", "etc/pip.conf", "LIBRARY/site-packages/pip.conf", "LIBRARY/site-packages/.netrc",
    "LIBRARY/site-packages/setuptools/_distutils/distutils.cfg",
)  # fmt: skip
SOCKETS = ("ipc.sock", "bin/ipc.sock", "LIBRARY/site-packages/ipc.sock", "LIBRARY/site-packages/package/deep/ipc.sock")
FIFOS = ("fifo", "bin/fifo", "LIBRARY/site-packages/fifo")
READ = f"""
import os, sys
found = []
not_of_it = "/proc", "/usr", "/sys", sys.base_prefix
for folder, folders, names in os.walk("/"):
    folders[:] = [each for each in folders if os.path.join(folder, each) not in not_of_it]
    for name in names:
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.path.getsize(path) < 1000 and path != __file__:
            try:
                if {SECRET!r} in open(path, errors="replace").read():
                    found.append(path)
            except OSError:
                pass
print(found)
"""
CALL = """
import os, socket, stat, sys
root = sys.argv[1]
for name in sys.argv[2].split(","):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        with socket.socket(socket.AF_UNIX, kind) as out:
            try:
                out.connect(f"{root}/{name}")
                out.send(b"x")
                print("reached", name)
            except OSError:
                pass
for name in sys.argv[3].split(","):
    try:
        pipe = os.open(f"{root}/{name}", os.O_RDWR | os.O_NONBLOCK)
        if stat.S_ISFIFO(os.fstat(pipe).st_mode):  # and not what covers it, /dev/null
            print("wrote to", name, os.write(pipe, b"x"))
    except OSError:
        pass
print("done")
"""


@dataclass(frozen=True)
class Planted:
    """A project whose folder is its virtual environment."""

    root: Path
    library: str

    def names(self, names: tuple[str, ...]) -> list[str]:
        return [name.replace("LIBRARY", self.library) for name in names]


@pytest.fixture(scope="module")
def planted() -> Iterator[Planted]:
    """Made not below /tmp's private folders of pytest: a run has a user of its own, who may go where others may."""
    root = Path(tempfile.mkdtemp(prefix="codeopt-venv-")).resolve()
    root.chmod(0o755)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(root)], check=True)
    project = Planted(root, f"lib/python{sys.version_info.major}.{sys.version_info.minor}")
    write_files(root, dict.fromkeys(project.names(PLANTED), f"# {SECRET}\n"))
    packages = root / project.library / "site-packages"
    (packages / "package/deep").mkdir(parents=True)
    (packages / "package/__init__.py").write_text("NAME = 'package'\n")
    (packages / "own.pth").write_text(f"{root}/src\n")
    with contextlib.ExitStack() as stack:
        for name in project.names(SOCKETS):
            stack.enter_context(listener(root / name))
        for name in project.names(FIFOS):
            os.mkfifo(root / name, 0o666)
            (root / name).chmod(0o666)
            reader = os.open(root / name, os.O_RDONLY | os.O_NONBLOCK)
            stack.callback(os.close, reader)
        yield project
    shutil.rmtree(root)


@contextlib.contextmanager
def listener(path: Path) -> Iterator[None]:
    """A socket that everybody may call, and that somebody answers."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        path.chmod(0o777)
        server.listen(16)
        yield


@pytest.fixture(scope="module", params=ISOLATING)
def inside(request: pytest.FixtureRequest, planted: Planted) -> Iterator[Sandbox]:
    """A sandbox whose interpreter is the project's."""
    options = Options(python=str(planted.root / "bin/python"))
    with open_or_skip(str(request.param), options=options) as opened:
        yield opened


@pytest.mark.parametrize("mode", ["fork", "exec"])
def test_the_interpreter_works_with_its_packages(inside: Sandbox, planted: Planted, mode: str) -> None:
    program = "import sys, ssl, sqlite3, ctypes, package; print(sys.prefix, sys.executable, package.NAME)"
    run = inside.run(program, mode=mode)  # type: ignore[arg-type]
    assert run.stdout.decode().split() == [str(planted.root), str(planted.root / "bin/python"), "package"], run.stderr


def test_nothing_of_the_project_is_shown(inside: Sandbox) -> None:
    run = inside.run(READ)
    assert run.stdout == b"[]\n", run


def test_no_socket_and_no_fifo_can_be_reached(inside: Sandbox, planted: Planted) -> None:
    sockets, fifos = ",".join(planted.names(SOCKETS)), ",".join(planted.names(FIFOS))
    for other in ("lib/", "lib64/"):  # the same folder, by its second name
        names = [names.replace("lib/", other) for names in (sockets, fifos)]
        run = inside.run(CALL, args=[str(planted.root), *names])
        assert run.stdout == b"done\n", run


def test_here_they_can_all_be_reached(planted: Planted) -> None:
    """So that the last test is one: without a sandbox the same program reaches each of them."""
    sockets, fifos = ",".join(planted.names(SOCKETS)), ",".join(planted.names(FIFOS))
    done = subprocess.run(
        [sys.executable, "-c", CALL, str(planted.root), sockets, fifos], capture_output=True, text=True, check=True
    )
    assert len(done.stdout.splitlines()) == len(SOCKETS) + len(FIFOS) + 1


def test_no_prefix_is_mounted_whole(planted: Planted) -> None:
    root = host_root(str(planted.root / "bin/python"))
    whole = {str(planted.root), *map(str, planted.root.parents), sys.base_prefix, "/usr", "/usr/local"}
    assert not whole & set(root.binds)
    assert not [path for path in root.binds if ".git" in path or path.endswith("src")]


@pytest.mark.parametrize("backend", ISOLATING)
def test_sockets_and_fifos_of_folders_that_are_shown(backend: str) -> None:
    folder = Path(tempfile.mkdtemp(prefix="codeopt-shown-"))
    folder.chmod(0o755)
    write_files(folder, {"below/file": "text"})
    (folder / "link").symlink_to("below/file")
    os.mkfifo(folder / "below/fifo")
    (folder / "below/fifo").chmod(0o666)
    try:
        with listener(folder / "below/ipc.sock"):
            names = sorted(masked_mounts(((str(folder), "/shown"),)))
            assert names == ["/shown/below/fifo", "/shown/below/ipc.sock"]
            with open_or_skip(backend, options=Options(mounts=((str(folder), "/shown"),))) as opened:
                run = opened.run(CALL, args=["/shown", "below/ipc.sock", "below/fifo"])
                assert run.stdout == b"done\n", run
                assert opened.run("print(open('/shown/link').read())").stdout == b"text\n"
    finally:
        shutil.rmtree(folder)


def test_shared_libraries_of_a_prefix(tmp_path: Path) -> None:
    """By name, so that a project's own folder lib is not shown; conda's hundreds, which have their folder, in one."""
    (tmp_path / "lib/own").mkdir(parents=True)
    for name in ("libpython3.11.so.1.0", "libz.so", "own/module.so", "notes.txt"):
        (tmp_path / "lib" / name).touch()
    assert _shared_libraries(tmp_path) == [str(tmp_path / "lib" / n) for n in ("libpython3.11.so.1.0", "libz.so")]
    (tmp_path / "conda-meta").mkdir()
    assert _shared_libraries(tmp_path) == [str(tmp_path / "lib")]
    (tmp_path / "pyvenv.cfg").touch()
    assert _shared_libraries(tmp_path) == []


def test_configuration_of_the_installed_is_masked(planted: Planted) -> None:
    root = host_root(str(planted.root / "bin/python"))
    packages = f"{planted.root}/{planted.library}/site-packages"
    for name in ("pip.conf", ".netrc", "setuptools/_distutils/distutils.cfg", "ipc.sock", "package/deep/ipc.sock"):
        assert f"{packages}/{name}" in root.masked
