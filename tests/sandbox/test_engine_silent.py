"""An engine that stops answering, as one whose process is stopped: it accepts requests, and says nothing."""

from __future__ import annotations

import gc
import os
import socket
import threading
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from codeopt_sandbox.errors import BackendUnavailable, EngineSilent
from codeopt_sandbox.host import open_sandbox
from codeopt_sandbox.outcome import RunLimits

pytestmark = [pytest.mark.full, pytest.mark.docker, pytest.mark.timeout(58)]  # an unanswered request takes 60 s
ENGINE = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock").removeprefix("unix://")


class Relay:
    """Passes on what a client and the engine say, until it is stopped."""

    def __init__(self, path: Path) -> None:
        self.stopped = threading.Event()
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(path))
        self._server.listen()
        self._sockets = [self._server]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._server.accept()
                engine = socket.socket(socket.AF_UNIX)
                engine.connect(ENGINE)
                self._sockets += [client, engine]
                for one, other in ((client, engine), (engine, client)):
                    threading.Thread(target=self._pass_on, args=(one, other), daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(1 << 16):
                if self.stopped.is_set():
                    return
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        for each in self._sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        # A request without an answer holds its socket in a thread, which ends now, and nobody closes it.
        for thread in threading.enumerate():
            if thread is not threading.current_thread():
                thread.join(0.5)
        with warnings.catch_warnings(action="ignore", category=ResourceWarning):
            gc.collect()


@pytest.fixture
def relay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Relay]:
    found = Relay(tmp_path / "engine")
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path / 'engine'}")
    yield found
    found.close()


def test_one_that_is_silent_from_the_start_is_no_backend(relay: Relay) -> None:
    relay.stopped.set()
    with pytest.raises(BackendUnavailable, match="the Docker engine does not answer"):
        open_sandbox("docker")


def test_one_that_falls_silent_ends_the_run_and_the_clean_up(relay: Relay) -> None:
    with open_sandbox("docker", limits=RunLimits(seconds=0.5)) as sandbox:
        assert sandbox.run("print(1)").stdout == b"1\n"
        relay.stopped.set()
        with pytest.raises(EngineSilent):
            sandbox.run("print(2)")


def test_an_interrupt_says_that_the_engine_is_silent(relay: Relay) -> None:
    sandbox = open_sandbox("docker")
    assert sandbox.run("print(1)").stdout == b"1\n"
    relay.stopped.set()
    with pytest.raises(KeyboardInterrupt) as error, sandbox:
        raise KeyboardInterrupt
    assert "the Docker engine does not answer" in error.value.__notes__[0]
