"""What one isolated run costs, against a bare process of the same interpreter.

    python -m pytest benchmarks/costs/test_run_cost.py [--rounds 150]

Read the ratios, not the milliseconds: all are taken in one run on one machine.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codeopt_sandbox import BackendUnavailable, Sandbox, open_sandbox

PROGRAM = "print(1)"
SLOW_ROUNDS = 10


@pytest.fixture(scope="module")
def slow_rounds(rounds: int) -> int:
    """How often those are run that take long."""
    return min(rounds, SLOW_ROUNDS)


@pytest.fixture(scope="module", params=["docker", "bubblewrap", "process"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Each backend that works here."""
    try:
        opened = open_sandbox(request.param)
    except BackendUnavailable as error:
        pytest.skip(f"{request.param}: {error}")
    with opened:
        yield opened


@pytest.fixture(scope="module")
def container() -> Iterator[Any]:
    """A container as others use one: kept up, entered with `docker exec`."""
    docker = pytest.importorskip("docker")
    try:
        client = docker.from_env()
        client.ping()
    except docker.errors.DockerException as error:
        pytest.skip(f"no Docker engine: {error}")
    with open_sandbox("docker"):  # makes the image
        image = next(tag for found in client.images.list() for tag in found.tags if tag.startswith("codeopt-host-root"))
    volumes = {path: {"bind": path, "mode": "ro"} for path in ("/usr", sys.prefix, sys.base_prefix)}
    box = client.containers.run(image, ["sleep", "600"], volumes=volumes, detach=True, auto_remove=True)
    yield client, image, volumes, box
    box.remove(force=True)


def test_bare_process(benchmark: Any, rounds: int, tmp_path: Path) -> None:
    """No isolation at all: subprocess.run([python, program])."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    benchmark.pedantic(lambda: subprocess.run([sys.executable, str(path)], capture_output=True), rounds=rounds)


@pytest.mark.parametrize("mode", ["fork", "exec"])
def test_isolated_run(benchmark: Any, rounds: int, sandbox: Sandbox, mode: Any) -> None:
    """A run in a warm guest."""
    benchmark.name = f"{sandbox.backend}, {mode}"
    benchmark.pedantic(lambda: sandbox.run(PROGRAM, mode=mode), rounds=rounds, warmup_rounds=3)


def test_cold_start(benchmark: Any, slow_rounds: int) -> None:
    """The first result of a Docker sandbox that nobody prepared."""

    def first() -> None:
        with open_sandbox("docker") as opened:
            opened.run(PROGRAM)

    try:
        open_sandbox("docker").close()
    except BackendUnavailable as error:
        pytest.skip(str(error))
    benchmark.pedantic(first, rounds=slow_rounds)


def test_docker_exec(benchmark: Any, slow_rounds: int, container: Any) -> None:
    """What peers pay for each run."""
    box = container[3]
    benchmark.pedantic(lambda: box.exec_run([sys.executable, "-c", PROGRAM]), rounds=slow_rounds)


def test_docker_run(benchmark: Any, slow_rounds: int, container: Any) -> None:
    """A container for each run."""
    client, image, volumes, _ = container

    def run() -> None:
        client.containers.run(image, [sys.executable, "-c", PROGRAM], volumes=volumes, remove=True, network_mode="none")

    benchmark.pedantic(run, rounds=slow_rounds)
