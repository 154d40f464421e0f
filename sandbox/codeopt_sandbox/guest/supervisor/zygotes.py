"""The warm interpreters of one guest: a bare one for programs, and those that have libraries imported, for calls."""

from __future__ import annotations

import marshal
import os
from typing import Any

from ..boot import Bundle
from .job import Job, Setting
from .workspace import Workspace
from .zygote_process import Link, ZygoteProcess

MAX_PRELOADED_BYTES = 512 << 20
"""Resident, of all that have libraries; the oldest go. sandbox/codeopt_sandbox/container.py leaves room for it."""


class Zygotes:
    """Chooses the zygote of each run; `current` has the one in progress."""

    def __init__(self, setting: Setting, bundle: Bundle, workspace: Workspace, *, capped: bool) -> None:
        self.setting, self.bundle, self.workspace, self.capped = setting, bundle, workspace, capped
        self.bare = self.current = ZygoteProcess(setting, bundle, capped=capped)
        self.loaded: dict[tuple[str, int], ZygoteProcess] = {}
        """Zygotes with preloaded libraries, by (name of the kept list of libraries, hash seed), the oldest first."""
        self.preload_failures: dict[str, str] = {}
        """Reasons why lists of libraries are not preloaded here, by name of the list."""

    @property
    def living(self) -> list[ZygoteProcess]:
        return [each for each in (self.bare, *self.loaded.values()) if each.link]

    @property
    def pids(self) -> set[int]:
        """Process ids of all zygotes."""
        return {each.pid for each in self.living}

    @property
    def shared_bytes(self) -> int:
        """Resident memory of libraries that the first process of a run has without having imported them, bytes."""
        return self.current.resident_bytes() if self.current.preload is not None and self.current.link else 0

    def cpu_s(self) -> float:
        """CPU time of all zygotes themselves, clock ticks."""
        return sum(each.cpu_s() for each in self.living)

    def forget(self, pid: int) -> None:
        """One has ended and was waited for."""
        for each in self.living:
            if each.pid == pid:
                each.forget()

    def end(self) -> None:
        """Kill all of them; new ones are started when they are needed."""
        for each in self.living:
            each.end()

    def ready(self, job: Job, cwd: str, libraries: bytes) -> tuple[Link, Job]:
        """Return the zygote for a run, and the changed run: it is forked if its libraries could be imported.

        `libraries` is marshalled. It is empty if the run has no libraries.
        """
        if libraries and job.libraries not in self.preload_failures:
            zygote = self._loaded(job, cwd, libraries)
            link = zygote.ready(job)
            if zygote.preload_failure or self.workspace.has_leftovers():
                self.preload_failures[job.libraries] = zygote.preload_failure or "they leave files behind"
                self.loaded.pop((job.libraries, job.hash_seed)).close()
                self.workspace.clean()
            else:
                self._make_room(zygote)
                self.current = zygote
                return link, job._replace(exec=False)
        self.current = self.bare
        return self.bare.ready(job), job

    def _loaded(self, job: Job, cwd: str, libraries: bytes) -> ZygoteProcess:
        key = job.libraries, job.hash_seed
        if key not in self.loaded:
            modules, paths = marshal.loads(libraries)
            preload: dict[str, Any] = {
                "modules": modules,
                "paths": paths,
                "program": f"{self.workspace.box}/program.py",
                "cwd": cwd,
                "uid": self.setting.uid_base,
            }
            made = ZygoteProcess(
                self.setting, self.bundle, capped=self.capped, preload=preload, hash_seed=job.hash_seed
            )
            self.loaded[key] = made
        return self.loaded[key]

    def _make_room(self, newest: ZygoteProcess) -> None:
        for key, each in list(self.loaded.items()):
            if (
                each is newest
                or sum(other.resident_bytes() for other in self.loaded.values() if other.link) <= MAX_PRELOADED_BYTES
            ):
                continue
            self.loaded.pop(key).close()


def read_kept(fd: int) -> bytes:
    """Content of a kept input."""
    return os.pread(fd, os.fstat(fd).st_size, 0)
