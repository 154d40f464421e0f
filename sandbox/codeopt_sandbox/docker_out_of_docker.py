"""Docker out of Docker: codeopt runs in a container, and a sandbox is another container of the same engine."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeopt_sandbox.errors import BackendUnavailable

_OWN_HOSTNAME = re.compile(r" \S*/([0-9a-f]{64})/\S*hostname /etc/hostname ")
"""Engines mount that file from a folder of the container's name; a --hostname or the host's network changes nothing."""
_REMOVED = 2
"""Kind of a change, in the engine's words."""


@dataclass(frozen=True)
class OwnContainer:
    """The container that we run in, as its engine knows it."""

    image: str
    mounts: tuple[tuple[str, str], ...]
    """(path as we see it, path on the engine's machine), the innermost first."""

    def source(self, path: str) -> str | None:
        """Path of one of our files on the engine's machine; None for a file of the image or of this container's own
        layer."""
        for here, there in self.mounts:
            if Path(path).is_relative_to(here):
                return str(Path(there, Path(path).relative_to(here)))
        return None

    def require_source(self, path: str) -> str:
        """Return the path of a file on the engine's machine.

        Raises:
            BackendUnavailable: The engine's machine does not have the file.
        """
        if found := self.source(path):
            return found
        raise BackendUnavailable(
            f"{path} is in this container alone, so other containers do not see it; set TMPDIR to a folder of a volume"
        )


def find_own_container(api: Any) -> OwnContainer | None:
    """The container that we run in; None where this is no container. Raises BackendUnavailable where the engine does
    not know it: then it has not our files."""
    import docker.errors

    name = own_container_id(Path("/proc/self/mountinfo"))
    if name is None:
        return None
    try:
        found = api.inspect_container(name)
    except docker.errors.NotFound as error:
        raise BackendUnavailable(
            "this is a container, and of another engine than the one that answers, which has not its files"
        ) from error
    mounts = [(each["Destination"], each["Source"]) for each in found["Mounts"] if each["Type"] in ("bind", "volume")]
    return OwnContainer(found["Image"], tuple(sorted(mounts, key=lambda each: -len(Path(each[0]).parts))))


def own_container_id(mountinfo: Path) -> str | None:
    """The id of the container that has these mounts; None where they are those of no container."""
    try:
        found = _OWN_HOSTNAME.search(mountinfo.read_text(errors="replace"))
    except OSError:
        return None
    return found.group(1) if found else None


def require_unchanged(api: Any, shown: Iterable[str]) -> None:
    """Require that nothing was installed since this container began, as a sibling would not have it.

    shown: folders that the sibling takes from the image. Raises BackendUnavailable.
    """
    name = own_container_id(Path("/proc/self/mountinfo"))
    changes = {each["Path"]: each["Kind"] for each in api.diff(name) or ()}
    above = {str(parent) for path in changes for parent in Path(path).parents}
    folders = tuple(shown)
    for path, kind in changes.items():
        is_content = path not in above and (kind == _REMOVED or Path(path).is_file())
        if is_content and "__pycache__" not in path and any(Path(path).is_relative_to(folder) for folder in folders):
            raise BackendUnavailable(
                f"{path} has changed since this container began, which others of its image have not: build an image "
                "that has it"
            )
