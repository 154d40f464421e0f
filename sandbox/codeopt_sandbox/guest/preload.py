"""Imports libraries in the warm interpreter before it forks, or says why each run must import them.

Everything that an import reads or makes once is then equal in all runs of this interpreter. A fork must copy all of it,
so threads, processes and open files prevent this. Random generators that an import seeded get a new seed in each run.
"""

from __future__ import annotations

import posix
import sys

from .syscalls import PR_SET_DUMPABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ctypes import CDLL
    from typing import Any


class PreloadFailure(Exception):
    """Error: each run has to import for itself, for this reason."""


class Preloaded:
    """Libraries that were imported before the fork, with what each run has to do about them."""

    def __init__(self) -> None:
        self.generators: list[Any] = []
        """Random generators that seeded themselves while they were made."""
        self.path = tuple(sys.path)
        """The rest of sys.path, as the libraries have left it."""

    def load(self, preload: dict[str, Any], libc: CDLL) -> None:
        """Import, with the user, folder and arguments that a run has. Raises PreloadFailure."""
        files = open_files()
        posix.chdir(preload["cwd"])
        sys.argv[:] = [preload["program"]]
        ahead = [*preload["paths"], preload["program"].rpartition("/")[0]]
        sys.path[:] = [*ahead, *self.path]
        sys.modules["__main__"] = type(sys)("__main__")
        lower_user(preload["uid"], libc)
        try:
            self.import_all(preload["modules"])
        finally:
            raise_user(preload["uid"])
        if sys.path[: len(ahead)] != ahead:
            raise PreloadFailure("they change the import path")
        self.path = tuple(sys.path[len(ahead) :])
        require_nothing_open(files)

    def import_all(self, names: list[str]) -> None:
        """One after another, in the order in which the module under test caused it."""
        watched = self.watch_generators() if "random" in names else None
        try:
            for name in names:
                if name not in sys.modules:
                    import_one(name)
        finally:
            if watched is not None:
                watched[0].seed = watched[1]

    def watch_generators(self) -> tuple[Any, Any]:
        """Return (the class, its method). From now on generators that are seeded by time or kernel are noted."""
        from random import Random

        seed = Random.seed

        def noting(generator: Any, a: Any = None, version: int = 2) -> None:
            self.generators = [each for each in self.generators if each is not generator]
            if a is None:
                self.generators.append(generator)
            seed(generator, a, version)

        Random.seed = noting  # type: ignore[assignment,method-assign]
        return Random, seed

    def start_run(self) -> None:
        """Give a process that was forked for a run the rest of what a fresh interpreter would have."""
        if "atexit" in sys.modules:
            sys.modules["atexit"]._clear()  # those of the libraries are for the process that makes the calls
        for generator in self.generators:
            generator.seed()
        if "numpy.random" in sys.modules:  # `random` does so by itself
            sys.modules["numpy.random"].seed()


def import_one(name: str) -> None:
    """Import a library. A name without a file of its own is skipped, as its package creates it.

    Raises:
        PreloadFailure: The library cannot be imported by itself.
    """
    try:
        __import__(name)
    except ImportError:
        return
    except BaseException as error:
        raise PreloadFailure(f"{name} cannot be imported by itself: {type(error).__name__}: {error}"[:300]) from None


def lower_user(uid: int, libc: CDLL) -> None:
    """Become the user of a run for a while: no capability is in effect then."""
    if uid:
        posix.setgroups([])
        posix.setresgid(uid, uid, 0)
        posix.setresuid(uid, uid, 0)
        libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # or /proc/self would be root's


def raise_user(uid: int) -> None:
    """Ours again."""
    if uid:
        posix.setresuid(0, 0, 0)
        posix.setresgid(0, 0, 0)


def open_files() -> frozenset[str]:
    """The numbers of this process's descriptors, without the one that lists them."""
    return frozenset(fd for fd in posix.listdir("/proc/self/fd") if exists(fd))


def require_nothing_open(before: frozenset[str]) -> None:
    """Raise PreloadFailure where a fork would leave something behind, or a run close it."""
    if len(posix.listdir("/proc/self/task")) > 1:
        raise PreloadFailure("they start threads")
    try:
        posix.waitpid(-1, posix.WNOHANG)
    except ChildProcessError:
        pass
    else:
        raise PreloadFailure("they leave a process running")
    for fd in open_files() - before:
        raise PreloadFailure(f"they keep a file open: {posix.readlink('/proc/self/fd/' + fd)}")


def exists(fd: str) -> bool:
    """Return True if a descriptor is open."""
    try:
        posix.fstat(int(fd))
    except OSError:
        return False
    return True
