"""The Docker backend: a hardened container from the host's own /usr and interpreter, or from an image; its
permissions and limits."""

from __future__ import annotations

import contextlib
import hashlib
import io
import multiprocessing
import os
import secrets
import socket
import tarfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Any

import docker
import docker.errors
import requests
from docker.types import Mount
from docker.utils import kwargs_from_env, parse_host

from codeopt_sandbox import owner
from codeopt_sandbox.errors import BackendUnavailable, EngineSilent, SandboxError
from codeopt_sandbox.guest_bundle import boot_program
from codeopt_sandbox.host import BackendHandle, Options
from codeopt_sandbox.hostroot import HostRoot, host_root, masked_mounts
from codeopt_sandbox.owner import INSIDE, own_container_id

LABEL = "codeopt"
"""Label of every container of ours."""
OWNER = "codeopt.owner"
"""Label with the owner, as in owner.current_owner."""
DEADLINE = "codeopt.deadline"
"""Label with the end of its lifetime, seconds since the epoch."""


class Attached:
    """A guest in a container, spoken to over the engine's attach stream."""

    def __init__(self, api: Any, container: str) -> None:
        self._api, self._container = api, container
        params = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
        self._file = api.attach_socket(container, params=params)
        self._socket: socket.socket = getattr(self._file, "_sock", self._file)
        self._said = bytearray()
        self._ahead = bytearray()
        self._frame = 0
        self._frame_is_stdout = True
        self._open = True

    def write(self, data: bytes) -> None:
        """Send all of `data`."""
        self._socket.settimeout(60)
        self._socket.sendall(data)

    def read(self, size: int, deadline: float) -> bytes:
        """`size` bytes of the guest's stdout, fewer at the end of the stream."""
        data, header = bytearray(), bytearray()
        while len(data) < size:
            # A frame is a header (stream number, three zeros, length) and its data; what stderr says is kept.
            is_stdout = self._frame and self._frame_is_stdout
            wanted = min(size - len(data) if is_stdout else 4096, self._frame) or 8 - len(header)
            if not self._ahead:
                self._socket.settimeout(max(0.001, deadline - time.monotonic()))
                self._ahead += self._socket.recv(1 << 18)  # an answer has several parts, and comes at once
            part = bytes(self._ahead[:wanted])
            del self._ahead[:wanted]
            if not part:
                break
            if not self._frame:
                header += part
                if len(header) == 8:
                    self._frame_is_stdout, self._frame = header[0] == 1, int.from_bytes(header[4:], "big")
                    header.clear()
                continue
            self._frame -= len(part)
            if is_stdout:
                data += part
            else:
                self._said = (self._said + part)[-2000:]
        return bytes(data)

    def kill(self) -> str:
        """Remove the container in any state, and return the engine's facts about its end."""
        if not self._open:
            return ""
        self._open = False
        evidence = self._state()
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(OSError):
            self._socket.close()
            self._file.close()
        _remove(self._api, self._container)
        said = self._said.decode(errors="replace").strip()
        return f"container: {evidence}{'; it said: ' + said if said else ''}"

    def _state(self) -> str:
        try:
            state = self._api.inspect_container(self._container)["State"]
        except (docker.errors.APIError, requests.RequestException, EngineSilent) as error:
            return f"the engine cannot say ({error})"
        return f"{state.get('Status')}, exit {state.get('ExitCode')}, out of memory {state.get('OOMKilled')}"


def remove_leftovers(api: Any) -> None:
    """Remove containers whose owner is gone; their lifeline ends them within a second, unless the engine was down."""
    for found in api.containers(all=True, filters={"label": LABEL}):
        labels = found["Labels"]
        if owner.is_leftover(labels.get(OWNER, ""), labels.get(DEADLINE, "")):
            _remove(api, found["Id"])


def _remove(api: Any, container: str) -> None:
    # The container may be gone already, or the engine; then there is nothing that we could remove. What a stopped
    # engine keeps, its lifeline ends, and `remove_leftovers` takes it away.
    with contextlib.suppress(docker.errors.APIError, requests.RequestException, EngineSilent):
        api.remove_container(container, force=True)


def open_backend(options: Options) -> BackendHandle:
    """Connect to the engine that DOCKER_HOST or the default socket names."""
    api = _connect()
    remove_leftovers(api)
    files = _file_system(api, options)
    root = files.root
    python = root.python if root else (options.python or "python3")
    config = host_config(api, options, files)

    def start() -> Attached:
        return _start(api, files.image, [python, "-I", "-S", "-c", boot_program()], config)

    setting = {
        "python": python,
        "env": root.env if root else {},
        "uid_base": 100_000 + 1000 * secrets.randbelow(1_000_000),
        "private": SYS if covers_sys(options) else "",
        "base": INSIDE if options.base else "",
    }
    where = f"image {options.image}" if options.image else "this container's image" if files.home else "host root"
    runtime = f", runtime {options.runtime}" if options.runtime else ""
    description = f"{where}, no network, read-only system, own user for each run{runtime}"
    return BackendHandle(
        "docker",
        True,
        description,
        start,
        setting,
        api.close,
        spare=1,
        failure=lambda: str(EngineSilent()) if api.silent else "",
    )


def _connect() -> Any:
    try:
        scheme, _, path = parse_host(os.environ.get("DOCKER_HOST")).partition("://")
        if scheme == "http+unix":
            # The SDK never closes a socket without a listener, and Python warns about it whenever it is collected.
            with socket.socket(socket.AF_UNIX) as engine:
                # time limit for a connection to a local socket, seconds. It is made at once, unless the engine's queue
                # is full
                engine.settimeout(2.0)
                engine.connect(path if path.startswith("/") else f"/{path}")
        return Engine()
    except (docker.errors.DockerException, requests.RequestException, OSError) as error:
        if isinstance(error.__cause__, EngineSilent):
            raise BackendUnavailable(str(error.__cause__)) from error
        if "Permission denied" in str(error):
            raise BackendUnavailable(
                "this user may not use the Docker engine's socket (is it in the group docker?)"
            ) from error
        raise BackendUnavailable("no Docker engine answers (is it started? see DOCKER_HOST)") from error


def _file_system(api: Any, options: Options) -> FileSystem:
    """File system that the engine can give a container. Raises BackendUnavailable."""
    if options.image:
        return FileSystem(options.image, None, find_own_container(api) if options.shown else None)
    home = find_own_container(api)
    root = host_root(options.python)
    if home:
        require_unchanged(api, [path for path in root.binds if not home.source(path)])
        return FileSystem(home.image, root, home)
    if not api.base_url.startswith(("http+docker://", "http://localhost")) and "127.0.0.1" not in api.base_url:
        raise BackendUnavailable(
            "the Docker engine is on another machine, which has not this one's files: name an image"
        )
    return FileSystem(host_image(api, root), root, None)


def _start(api: Any, image: str, command: list[str], config: Any) -> Attached:
    try:
        container = api.create_container(
            image,
            command,
            hostname="box",
            user="0:0",
            stdin_open=True,
            network_disabled=True,
            working_dir="/tmp",
            entrypoint=[],
            labels={LABEL: "1", OWNER: owner.current_owner(), DEADLINE: f"{time.time() + owner.LIFETIME_S:.0f}"},
            host_config=config,
        )["Id"]
    except docker.errors.ImageNotFound as error:
        raise BackendUnavailable(f"the engine has no image {image!r}; pull or build it first") from error
    except (docker.errors.APIError, requests.RequestException) as error:
        raise SandboxError(f"the engine made no container: {error}") from error
    try:
        attached = Attached(api, container)
        api.start(container)
    except (docker.errors.APIError, requests.RequestException, OSError) as error:
        _remove(api, container)
        raise SandboxError(f"the container did not start: {error}") from error
    return attached


# Specification of a container: its image, mounts, permissions and limits.

SYS = "/sys"
"""Covered: its counters outlive a run. Below it, for the supervisor alone, is the control group."""


_READ_ONLY = ("/proc", "/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger")
"""Read-only paths: all of /proc, where a run could otherwise lower its out-of-memory score; then the engine's
defaults."""


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
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w") as tar:
            for folder in ("usr", "etc", "proc", "sys", "dev", "tmp", "box", "run"):
                info = tarfile.TarInfo(folder)
                info.type, info.mode = tarfile.DIRTYPE, 0o755
                tar.addfile(info)
            for link, target in root.links.items():
                info = tarfile.TarInfo(link)
                info.type, info.linkname = tarfile.SYMTYPE, target
                tar.addfile(info)
        name, _, version = tag.partition(":")
        api.import_image_from_data(data.getvalue(), repository=name, tag=version)
    return tag


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
    # supervisor, zygote and their buffers, in addition to the limits
    memory = (
        max(limits.memory_mib, options.most_memory_mib) + 2 * limits.file_mib + int(6 * limits.output_mib) + 96
    ) << 20
    # libraries of zygotes: what sandbox/codeopt_sandbox/guest/supervisor/zygotes.py keeps
    # Memory that a run may gain between two looks of the watcher, MiB. Looks are 20 ms apart, and one core fills 1 to 8
    # GiB a second. If the kernel ends a run, it logs the names of the run's processes on the host, and the run can
    # choose these. A crash still logs one unless the host has debug.exception-trace off.
    memory += ((512 + 256) << 20) + (options.base.room_bytes + size if options.base else 0)
    volumes: Mapping[str, Any] = {}
    with contextlib.suppress(docker.errors.ImageNotFound):  # the error appears when the container is created
        # Those that an image declares, empty: they would be the one place where a run could leave something.
        volumes = api.inspect_image(files.image)["Config"].get("Volumes") or {}
    # of the guest: a run has no capabilities
    config = api.create_host_config(
        network_mode="none",
        cap_drop=["ALL"],
        cap_add=["SETUID", "SETGID", "SETPCAP", "KILL", "DAC_OVERRIDE"],
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
        mounts=[Mount(path, None, type="tmpfs", read_only=True) for path in sorted(volumes)],
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
    if covers_sys(options):  # the hierarchies that count for us, on the engine's machine
        unified = str(api.info().get("CgroupVersion", "1")) == "2"
        groups = ("/sys/fs/cgroup",) if unified else ("/sys/fs/cgroup/memory", "/sys/fs/cgroup/cpuacct")
        shown += [(path, path) for path in groups]
    shown += [("/dev/null", path) for path in (*(root.masked if root else ()), *masked_mounts(options.shown))]
    return [f"{path}:{inside}:ro" for path, inside in shown]


def covers_sys(options: Options) -> bool:
    """A runtime with a kernel of its own (gVisor) has control groups of its own too, and only there."""
    return options.runtime in (None, "runc", "crun")


def closes_proc(api: Any, options: Options) -> bool:
    """Return True if /proc can be closed to writes.

    With SELinux the runtime writes into /proc afterwards. The score that it sets as root is then a minimum for all
    runs. A runtime with its own kernel has its own /proc.
    """
    return covers_sys(options) and not any("selinux" in each for each in api.info().get("SecurityOptions") or ())


# The client of an engine, which does not wait for one that has stopped answering.


class Engine(docker.APIClient):  # type: ignore[misc]  # docker has no types
    """An engine that is pinged while a request takes long.

    A stopped engine still accepts connections, so that each request, also those of the clean-up, would take its whole
    time limit. After the first ping without an answer every request raises EngineSilent.
    """

    silent = False

    def __init__(self) -> None:
        # time limit of one request, seconds: making an image of the links of this machine's system takes longest
        super().__init__(version="auto", timeout=60, **kwargs_from_env(os.environ))

    def send(self, request: Any, **options: Any) -> Any:
        """Send a request as requests.Session does. Raises EngineSilent, and what that raises."""
        pool = ThreadPool(1)
        sent = pool.apply_async(super().send, (request,), options)
        pool.close()
        while not self.silent:
            try:
                # time after which a request without an answer is checked by a ping, seconds. Most are answered within
                # 0.3 s
                return sent.get(1.0)
            except multiprocessing.TimeoutError:
                self._ping(options)
        raise EngineSilent

    def _ping(self, options: dict[str, Any]) -> None:
        ping = self.prepare_request(requests.Request("GET", f"{self.base_url}/_ping"))
        try:
            # time limit of a ping, seconds, which an engine answers within 1 ms, and on a busy machine within 0.1 s
            super().send(ping, **{**options, "timeout": 2.0, "stream": False})
        except requests.RequestException:
            self.silent = True


# Docker out of Docker: codeopt runs in a container, and a sandbox is another container of the same engine.


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


def require_unchanged(api: Any, shown: Iterable[str]) -> None:
    """Require that nothing was installed since this container began, as a sibling would not have it.

    shown: folders that the sibling takes from the image. Raises BackendUnavailable.
    """
    name = own_container_id(Path("/proc/self/mountinfo"))
    changes = {each["Path"]: each["Kind"] for each in api.diff(name) or ()}
    above = {str(parent) for path in changes for parent in Path(path).parents}
    folders = tuple(shown)
    for path, kind in changes.items():
        # 2 is a removal in the engine's words
        is_content = path not in above and (kind == 2 or Path(path).is_file())
        if is_content and "__pycache__" not in path and any(Path(path).is_relative_to(folder) for folder in folders):
            raise BackendUnavailable(
                f"{path} has changed since this container began, which others of its image have not: build an image "
                "that has it"
            )
