"""No run drops a page from the kernel's cache of files, which all runs and their host share; advice is taken calmly."""

from __future__ import annotations

import ctypes
import mmap
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeopt_sandbox import Options, Sandbox
from tests.conftest import ISOLATING, open_or_skip

PAGES = 64
SIZE = PAGES * mmap.PAGESIZE
DROP = """
import ctypes, mmap, os, platform, sys
libc = ctypes.CDLL(None, use_errno=True)
file = os.open(sys.argv[1], os.O_RDONLY)
size = os.fstat(file).st_size
if sys.argv[2] == "fadvise":
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
elif sys.argv[2] == "uncached read":
    for at in range(0, size, 4096):
        try:
            os.preadv(file, [bytearray(4096)], at, 0x80)
        except OSError:
            pass
else:
    advice = {"cold": 20, "pageout": 21}[sys.argv[2]]
    pages = mmap.mmap(file, size, mmap.MAP_PRIVATE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    sum(pages[::4096])
    libc.madvise(ctypes.c_void_p(address), ctypes.c_size_t(size), advice)
print("done")
"""
ADVICE = """
import mmap, os, shutil, tempfile
with tempfile.NamedTemporaryFile(dir="/tmp") as file:
    file.write(b"x" * 100_000)
    file.flush()
    for advice in ("NORMAL", "RANDOM", "SEQUENTIAL", "WILLNEED", "DONTNEED", "NOREUSE"):
        assert os.posix_fadvise(file.fileno(), 0, 0, getattr(os, "POSIX_FADV_" + advice)) is None
    with mmap.mmap(file.fileno(), 0) as pages:
        for advice in ("NORMAL", "RANDOM", "SEQUENTIAL", "WILLNEED", "DONTNEED"):
            pages.madvise(getattr(mmap, "MADV_" + advice))
        assert pages[:3] == b"xxx"
    os.sync()
    os.fsync(file.fileno())
    assert os.preadv(file.fileno(), [bytearray(9)], 0) == 9
    shutil.copyfile(file.name, "/tmp/copy")
    assert open("/tmp/copy").read() == "x" * 100_000
with mmap.mmap(-1, 1 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
    memory[:3] = b"abc"
    memory.madvise(mmap.MADV_DONTNEED)  # as allocators give memory back
    assert memory[:3] == bytes(3)
print("survived")
"""
NUMBERS = """
import numpy
a = numpy.random.default_rng(0).random((300, 300))
print(int((a @ numpy.linalg.inv(a)).trace().round()))
"""


@pytest.fixture(scope="module")
def file() -> Iterator[Path]:
    """A file on a disk whose cache can be dropped: with a clean copy in it, or there would be nothing to see."""
    folder = Path(tempfile.mkdtemp(prefix="codeopt-cache-", dir="/var/tmp"))
    folder.chmod(0o755)
    path = folder / "file"
    path.write_bytes(os.urandom(SIZE))
    path.chmod(0o644)
    with path.open() as opened:
        os.fsync(opened.fileno())
    yield path
    shutil.rmtree(folder)


def cached(path: Path) -> int:
    """Number of pages of a file in the kernel's cache."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    told = (ctypes.c_ubyte * PAGES)()
    with path.open("rb") as opened:
        # Not the module mmap, whose buffers touch what they map.
        address = libc.mmap(None, ctypes.c_size_t(SIZE), mmap.PROT_READ, mmap.MAP_SHARED, opened.fileno(), 0)
        assert libc.mincore(ctypes.c_void_p(address), ctypes.c_size_t(SIZE), told) == 0
        libc.munmap(ctypes.c_void_p(address), ctypes.c_size_t(SIZE))
    return sum(page & 1 for page in told)


@pytest.fixture(scope="module", params=ISOLATING)
def inside(request: pytest.FixtureRequest, file: Path) -> Iterator[Sandbox]:
    """A sandbox that shows the file's folder."""
    with open_or_skip(str(request.param), options=Options(mounts=((str(file.parent), "/shown"),))) as opened:
        yield opened


def test_here_pages_can_be_dropped(file: Path) -> None:
    """So that the next test is one; it needs a file system that drops them when it is asked to."""
    file.read_bytes()
    assert cached(file) == PAGES
    subprocess.run([sys.executable, "-c", DROP, str(file), "fadvise"], check=True, capture_output=True)
    if cached(file):
        pytest.skip("this file system keeps the pages")


@pytest.mark.parametrize("how", ["fadvise", "pageout", "cold", "uncached read"])
def test_no_run_drops_a_page(how: str, inside: Sandbox, file: Path) -> None:
    file.read_bytes()
    run = inside.run(DROP, args=["/shown/file", how])
    assert run.stdout == b"done\n", run
    assert cached(file) == PAGES


@pytest.mark.parametrize("mode", ["fork", "exec"])
def test_programs_that_give_advice_survive(mode: str, inside: Sandbox) -> None:
    run = inside.run(ADVICE, mode=mode)  # type: ignore[arg-type]
    assert run.stdout == b"survived\n", run


def test_numpy_survives(inside: Sandbox) -> None:
    pytest.importorskip("numpy")
    run = inside.run(NUMBERS)
    assert run.stdout == b"300\n", run
