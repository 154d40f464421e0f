"""Specification of a container: its image, mounts, permissions and limits."""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from codeopt_sandbox.docker_out_of_docker import OwnContainer
from codeopt_sandbox.host import Options
from codeopt_sandbox.hostroot import HostRoot, masked_mounts

_CAPABILITIES = ["SETUID", "SETGID", "SETPCAP", "KILL", "DAC_OVERRIDE"]  # of the guest: a run has no capabilities
SYS = "/sys"
"""Covered: its counters outlive a run. Below it, for the supervisor alone, is the control group."""
_OWN_MIB = 96  # supervisor, zygote and their buffers, in addition to the limits
_LATE_MIB = 256
"""Memory that a run may gain between two looks of the watcher, MiB.

Looks are 20 ms apart, and one core fills 1 to 8 GiB a second. If the kernel ends a run, it logs the names of the run's
processes on the host, and the run can choose these. A crash still logs one unless the host has debug.exception-trace
off.
"""


_READ_ONLY = ("/proc", "/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger")
"""Read-only paths: all of /proc, where a run could otherwise lower its out-of-memory score; then the engine's
defaults."""
_LIBRARIES_MIB = 512  # MOST_BYTES of sandbox/codeopt_sandbox/guest/supervisor/zygotes.py


@dataclass(frozen=True)
class FileSystem:
    """Root of a container's file system: an image, parts of this machine, or the image of the container that we run
    in."""

    image: str
    root: HostRoot | None
    """Parts of this machine to mount; None for a named image, which has all that is needed."""
    home: OwnContainer | None
    """Container that we run in; None where the engine sees our files under the same paths."""


def host_image(api: Any, root: HostRoot) -> str:
    """An image with no more than links and mount points; made once, in a few milliseconds, without a registry."""
    layout = repr(sorted(root.links.items()))
    tag = f"codeopt-host-root:{hashlib.sha256(layout.encode()).hexdigest()[:12]}"
    if not api.images(name=tag, quiet=True):
        name, _, version = tag.partition(":")
        api.import_image_from_data(_tar(root.links), repository=name, tag=version)
    return tag


def _tar(links: Mapping[str, str]) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as tar:
        for folder in ("usr", "etc", "proc", "sys", "dev", "tmp", "box", "run"):
            info = tarfile.TarInfo(folder)
            info.type, info.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(info)
        for name, target in links.items():
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.SYMTYPE, target
            tar.addfile(info)
    return data.getvalue()


def host_config(api: Any, options: Options, files: FileSystem) -> Any:
    """The container's settings as the engine takes them."""
    limits = options.limits
    size = limits.file_mib << 20
    scratch = f"rw,noexec,nosuid,nodev,size={size},nr_inodes=1024,mode=1777"
    tmpfs = {"/tmp": scratch, "/dev/shm": scratch, "/box": f"rw,noexec,nosuid,nodev,size={size},mode=755"}
    if options.base:
        room = f"size={size + options.base.room_bytes},nr_inodes={options.base.room_files}"
        tmpfs["/tmp/work"] = f"rw,noexec,nosuid,nodev,{room},mode=777"
    if covers_sys(options):
        tmpfs[SYS] = "rw,noexec,nosuid,nodev,size=64k,mode=700"
    memory = (
        max(limits.memory_mib, options.most_memory_mib) + 2 * limits.file_mib + int(6 * limits.output_mib) + _OWN_MIB
    ) << 20
    memory += ((_LIBRARIES_MIB + _LATE_MIB) << 20) + (options.base.room_bytes + size if options.base else 0)
    config = api.create_host_config(
        network_mode="none",
        cap_drop=["ALL"],
        cap_add=_CAPABILITIES,
        security_opt=["no-new-privileges:true"],
        read_only=True,
        pids_limit=limits.processes + 8,
        mem_limit=memory,
        memswap_limit=memory,
        tmpfs=tmpfs,
        ipc_mode="none",
        log_config={"Type": "none", "Config": {}},
        ulimits=[{"Name": "core", "Soft": 0, "Hard": 0}],
        binds=_binds(api, options, files),
        mounts=_closed_volumes(api, files.image),
        auto_remove=True,
        oom_score_adj=1000,  # if memory is short, the kernel ends a run first
        runtime=options.runtime,
    )
    if closes_proc(api, options):
        config["ReadonlyPaths"] = [*_READ_ONLY]
    if covers_sys(options):  # in a namespace of its own, the path of a group from the top of the hierarchy is hidden
        config["CgroupnsMode"] = "host"
    return config


def _binds(api: Any, options: Options, files: FileSystem) -> list[str]:
    """Read-only mounts in the engine's notation."""
    root, home = files.root, files.home
    of_root = root.binds if root else ()
    if home:
        shown = [(there, path) for path in of_root if (there := home.source(path))]  # the others are in the image
        shown += [(home.require_source(path), inside) for path, inside in options.shown]
    else:
        shown = [*((path, path) for path in of_root), *options.shown]
    if covers_sys(options):
        shown += [(path, path) for path in _control_groups(api)]
    shown += [("/dev/null", path) for path in (*(root.masked if root else ()), *masked_mounts(options.shown))]
    return [f"{path}:{inside}:ro" for path, inside in shown]


def _closed_volumes(api: Any, image: str) -> list[Any]:
    """The volumes that an image declares, empty: they would be the one place where a run could leave something."""
    import docker.errors
    from docker.types import Mount

    try:
        declared = api.inspect_image(image)["Config"].get("Volumes") or {}
    except docker.errors.ImageNotFound:
        return []  # the error appears when the container is created
    return [Mount(path, None, type="tmpfs", read_only=True) for path in sorted(declared)]


def covers_sys(options: Options) -> bool:
    """A runtime with a kernel of its own (gVisor) has control groups of its own too, and only there."""
    return options.runtime in (None, "runc", "crun")


def closes_proc(api: Any, options: Options) -> bool:
    """Return True if /proc can be closed to writes.

    With SELinux the runtime writes into /proc afterwards. The score that it sets as root is then a minimum for all
    runs. A runtime with its own kernel has its own /proc.
    """
    return covers_sys(options) and not any("selinux" in each for each in api.info().get("SecurityOptions") or ())


def _control_groups(api: Any) -> tuple[str, ...]:
    """The hierarchies that count for us, on the engine's machine."""
    if str(api.info().get("CgroupVersion", "1")) == "2":
        return ("/sys/fs/cgroup",)
    return ("/sys/fs/cgroup/memory", "/sys/fs/cgroup/cpuacct")
