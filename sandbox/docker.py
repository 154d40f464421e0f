"""The Docker backend: a hardened container from the host's own /usr and interpreter, or from an image."""

from __future__ import annotations

import contextlib
import hashlib
import io
import secrets
import socket
import tarfile
import time
from typing import Any

from sandbox import owner
from sandbox.channel import BOOT
from sandbox.errors import BackendUnavailable, SandboxError
from sandbox.host import Launch, Options
from sandbox.hostroot import HostRoot, host_root, masked_mounts

_SCRATCH = ("/tmp", "/dev/shm")
_CAPABILITIES = ["SETUID", "SETGID", "SETPCAP", "KILL", "DAC_OVERRIDE"]  # of the guest; a run has none
_SYS = "/sys"
"""Covered: its counters outlive a run. Below it, for the supervisor alone, is the control group."""
_OWN_MIB = 96  # supervisor, zygote and their buffers, beside what the limits grant
_LATE_MIB = 256
"""What a run may take between two looks of the watcher, 20 ms apart: one core fills 1 to 8 GiB a second. If the kernel
had to end it, the names of its processes, which it can choose, would stand in the host's log."""
LABEL, OWNER, DEADLINE = "codeopt", "codeopt.owner", "codeopt.deadline"


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
        data = bytearray()
        while len(data) < size:
            while not self._frame or not self._frame_is_stdout:
                if not self._next_frame(deadline):
                    return bytes(data)
            part = self._receive(min(size - len(data), self._frame), deadline)
            if not part:
                break
            self._frame -= len(part)
            data += part
        return bytes(data)

    def _next_frame(self, deadline: float) -> bool:
        """Read on to the next frame's header (stream number, three zeros, length); keep what stderr says."""
        while self._frame:
            part = self._receive(min(self._frame, 4096), deadline)
            if not part:
                return False
            self._frame -= len(part)
            self._said = (self._said + part)[-2000:]
        header = b""
        while len(header) < 8:
            part = self._receive(8 - len(header), deadline)
            if not part:
                return False
            header += part
        self._frame_is_stdout, self._frame = header[0] == 1, int.from_bytes(header[4:], "big")
        return True

    def _receive(self, size: int, deadline: float) -> bytes:
        if not self._ahead:
            self._socket.settimeout(max(0.001, deadline - time.monotonic()))
            self._ahead += self._socket.recv(1 << 18)  # an answer has several parts, and comes at once
        part = bytes(self._ahead[:size])
        del self._ahead[:size]
        return part

    def kill(self) -> str:
        """Remove the container, whatever state it is in; returns what the engine knows of its end."""
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
        import docker.errors
        import requests

        try:
            state = self._api.inspect_container(self._container)["State"]
        except (docker.errors.APIError, requests.RequestException) as error:
            return f"the engine cannot say ({error})"
        return f"{state.get('Status')}, exit {state.get('ExitCode')}, out of memory {state.get('OOMKilled')}"


def remove_leftovers(api: Any) -> None:
    """Remove containers whose owner is gone; their lifeline ends them within a second, unless the engine was down."""
    for found in api.containers(all=True, filters={"label": LABEL}):
        labels = found["Labels"]
        if owner.is_leftover(labels.get(OWNER, ""), labels.get(DEADLINE, "")):
            _remove(api, found["Id"])


def _remove(api: Any, container: str) -> None:
    import docker.errors
    import requests

    # The container may be gone already, or the engine; then there is nothing that we could remove.
    with contextlib.suppress(docker.errors.APIError, requests.RequestException):
        api.remove_container(container, force=True)


def open_backend(options: Options) -> Launch:
    """Connect to the engine that DOCKER_HOST or the default socket names."""
    api = _connect()
    remove_leftovers(api)
    root = None if options.image else _require_local(api, host_root(options.python))
    image = options.image or _host_image(api, root)
    python = root.python if root else (options.python or "python3")
    config = _container(api, options, root)

    def start() -> Attached:
        return _start(api, image, [python, "-I", "-S", "-c", BOOT], config)

    setting = {
        "python": python,
        "box": "/box",
        "scratch": list(_SCRATCH),
        "env": root.env if root else {},
        "pid1": True,
        "uid_base": 100_000 + 1000 * secrets.randbelow(1_000_000),
        "seccomp": True,
        "private": _SYS if _covers_sys(options) else "",
    }
    where = f"image {options.image}" if options.image else "host root"
    runtime = f", runtime {options.runtime}" if options.runtime else ""
    description = f"{where}, no network, read-only system, own user for each run{runtime}"
    return Launch("docker", True, description, start, setting, api.close)


def _connect() -> Any:
    try:
        import docker
        import docker.errors
        import requests
    except ImportError as error:
        raise BackendUnavailable("the package docker is not installed (pip install docker)") from error
    try:
        client = docker.from_env(timeout=60)
        client.ping()
    except (docker.errors.DockerException, requests.RequestException) as error:
        text = str(error)
        if "Permission denied" in text:
            raise BackendUnavailable("the Docker engine's socket is not permitted to this user") from error
        raise BackendUnavailable("no Docker engine answers (is it started? see DOCKER_HOST)") from error
    return client.api


def _require_local(api: Any, root: HostRoot) -> HostRoot:
    if not api.base_url.startswith(("http+docker://", "http://localhost")) and "127.0.0.1" not in api.base_url:
        raise BackendUnavailable(
            "the Docker engine is on another machine, which has not this one's files: name an image"
        )
    return root


def _host_image(api: Any, root: HostRoot | None) -> str:
    """An image with no more than links and mount points; made once, in a few milliseconds, without a registry."""
    assert root is not None
    layout = repr(sorted(root.links.items()))
    tag = f"codeopt-host-root:{hashlib.sha256(layout.encode()).hexdigest()[:12]}"
    if not api.images(name=tag, quiet=True):
        name, _, version = tag.partition(":")
        api.import_image_from_data(_tar(root.links), repository=name, tag=version)
    return tag


def _tar(links: dict[str, str]) -> bytes:
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


def _container(api: Any, options: Options, root: HostRoot | None) -> Any:
    limits = options.limits
    size = limits.file_mib << 20
    scratch = f"rw,noexec,nosuid,nodev,size={size},nr_inodes=1024,mode=1777"
    tmpfs = {"/tmp": scratch, "/dev/shm": scratch, "/box": f"rw,noexec,nosuid,nodev,size={size},mode=755"}
    if _covers_sys(options):
        tmpfs[_SYS] = "rw,noexec,nosuid,nodev,size=64k,mode=700"
    memory = (limits.memory_mib + 2 * limits.file_mib + int(6 * limits.output_mib) + _OWN_MIB + _LATE_MIB) << 20
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
        binds=_binds(api, options, root),
        auto_remove=True,
        oom_score_adj=500,
        runtime=options.runtime,
    )
    if _covers_sys(options):  # in a namespace of its own, a group's way from the top of the hierarchy is not told
        config["CgroupnsMode"] = "host"
    return config


def _binds(api: Any, options: Options, root: HostRoot | None) -> list[str]:
    """What is mounted read-only, as the engine takes it."""
    shown = [(path, path) for path in (root.binds if root else ())]
    shown += options.mounts
    if _covers_sys(options):
        shown += [(path, path) for path in _control_groups(api)]
    shown += [("/dev/null", path) for path in (*(root.masked if root else ()), *masked_mounts(options.mounts))]
    return [f"{path}:{inside}:ro" for path, inside in shown]


def _covers_sys(options: Options) -> bool:
    """A runtime with a kernel of its own (gVisor) has control groups of its own too, and only there."""
    return options.runtime in (None, "runc", "crun")


def _control_groups(api: Any) -> tuple[str, ...]:
    """The hierarchies that count for us, on the engine's machine."""
    if str(api.info().get("CgroupVersion", "1")) == "2":
        return ("/sys/fs/cgroup",)
    return ("/sys/fs/cgroup/memory", "/sys/fs/cgroup/cpuacct")


def _start(api: Any, image: str, command: list[str], config: Any) -> Attached:
    import docker.errors
    import requests

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
            labels={LABEL: "1", OWNER: owner.me(), DEADLINE: f"{time.time() + owner.LIFETIME_S:.0f}"},
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
