"""Facts about the container that we run in; tests/image.sh runs in one."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt_sandbox import BackendUnavailable
from codeopt_sandbox.docker import OwnContainer
from codeopt_sandbox.owner import own_container_id

NAME = "0123456789abcdef" * 4
HOSTNAMES = {
    "docker": f"/var/lib/docker/containers/{NAME}/hostname",
    "docker in a partition of its own": f"/docker/containers/{NAME}/hostname",
    "podman": f"/containers/overlay-containers/{NAME}/userdata/hostname",
}


@pytest.mark.parametrize("root", HOSTNAMES.values(), ids=HOSTNAMES)
def test_the_engine_names_a_container_in_its_mounts(root: str, tmp_path: Path) -> None:
    mountinfo = tmp_path / "mountinfo"
    mountinfo.write_text(f"601 590 0:49 / / rw - overlay\n617 601 254:0 {root} /etc/hostname rw,relatime - ext4\n")
    assert own_container_id(mountinfo) == NAME


def test_a_machine_with_containers_is_none_itself(tmp_path: Path) -> None:
    mountinfo = tmp_path / "mountinfo"
    layers = f"/var/lib/docker/overlay2/{NAME}/merged"
    mountinfo.write_text(f"70 29 0:49 / {layers} rw - overlay\n71 29 0:50 / /etc/hostname rw - ext4 /dev/vda rw\n")
    assert own_container_id(mountinfo) is None
    assert own_container_id(tmp_path / "none") is None


def test_a_path_is_where_the_innermost_mount_has_it() -> None:
    home = OwnContainer("sha256:1", (("/work/data", "/volumes/7/_data"), ("/work", "/home/me/project")))
    assert home.source("/work/data/a.txt") == "/volumes/7/_data/a.txt"
    assert home.source("/work/database") == "/home/me/project/database"
    assert home.source("/opt/python") is None
    with pytest.raises(BackendUnavailable, match="set TMPDIR to a folder of a volume"):
        home.require_source("/tmp/codeopt-view-1")
