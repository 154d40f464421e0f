"""The Docker backend: a hardened container from the host's own /usr and interpreter, or from an image."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import time
from typing import Any

from codeopt_sandbox import owner
from codeopt_sandbox.base_folder import INSIDE
from codeopt_sandbox.container import SYS, FileSystem, covers_sys, host_config, host_image
from codeopt_sandbox.docker_out_of_docker import find_own_container, require_unchanged
from codeopt_sandbox.errors import BackendUnavailable, EngineSilent, SandboxError
from codeopt_sandbox.guest_bundle import boot_program
from codeopt_sandbox.host import BackendHandle, Options
from codeopt_sandbox.hostroot import host_root

_SCRATCH = ("/tmp", "/dev/shm")
LABEL = "codeopt"
"""Label of every container of ours."""
OWNER = "codeopt.owner"
"""Label with the owner, as in owner.current_owner."""
KNOCK_S = 2.0
"""Time limit for a connection to a local socket, seconds. It is made at once, unless the engine's queue is full."""
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
        import docker.errors
        import requests

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
    import docker.errors
    import requests

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
        "box": "/box",
        "scratch": list(_SCRATCH),
        "env": root.env if root else {},
        "pid1": True,
        "uid_base": 100_000 + 1000 * secrets.randbelow(1_000_000),
        "seccomp": True,
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
        import docker.errors
        import requests
    except ImportError as error:
        raise BackendUnavailable("the package docker is not installed (pip install docker)") from error
    try:
        _knock()
        from codeopt_sandbox.docker_engine import Engine

        api = Engine()
    except (docker.errors.DockerException, requests.RequestException, OSError) as error:
        text = str(error)
        if isinstance(error.__cause__, EngineSilent):
            raise BackendUnavailable(str(error.__cause__)) from error
        if "Permission denied" in text:
            raise BackendUnavailable(
                "this user may not use the Docker engine's socket (is it in the group docker?)"
            ) from error
        raise BackendUnavailable("no Docker engine answers (is it started? see DOCKER_HOST)") from error
    return api


def _knock() -> None:
    """Test the socket. Raises OSError if nothing listens.

    The SDK never closes a socket without a listener, and Python warns about it whenever it is collected.
    """
    from docker.utils import parse_host

    scheme, _, path = parse_host(os.environ.get("DOCKER_HOST")).partition("://")
    if scheme == "http+unix":
        with socket.socket(socket.AF_UNIX) as engine:
            engine.settimeout(KNOCK_S)
            engine.connect(path if path.startswith("/") else f"/{path}")


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
