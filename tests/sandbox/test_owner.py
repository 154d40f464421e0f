"""Whose container is it: what a living owner uses is never a leftover, what a dead one left always is."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt_sandbox import owner

FUTURE = "99999999999"
PRINT = "from codeopt_sandbox import owner; print(owner.current_owner(), flush=True)"


def parts() -> list[str]:
    return owner.current_owner().split(":")


def changed(at: int, value: str) -> str:
    """This process' owner text with one part replaced."""
    return ":".join(value if number == at else part for number, part in enumerate(parts()))


@pytest.fixture(scope="module")
def dead() -> str:
    """The owner text of a process that has ended."""
    done = subprocess.run([sys.executable, "-c", PRINT], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_what_a_living_owner_uses_is_no_leftover() -> None:
    assert owner.current_owner() == owner.current_owner()
    assert not owner.is_leftover(owner.current_owner(), FUTURE)


def test_what_another_living_process_uses_is_no_leftover() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", f"{PRINT}; input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdin is not None
        text = other.stdout.readline().strip()
        assert text != owner.current_owner()
        assert not owner.is_leftover(text, FUTURE)
        other.stdin.write("\n")
        other.stdin.flush()
        other.wait(10)
        assert owner.is_leftover(text, FUTURE)


def test_a_dead_owner_leaves_leftovers(dead: str) -> None:
    assert owner.is_leftover(dead, FUTURE)


def test_a_number_used_again_is_not_the_owner() -> None:
    assert owner.is_leftover(changed(3, "1"), FUTURE)


def test_of_an_owner_on_another_machine_only_the_deadline_is_known() -> None:
    """Two machines may use one engine; what lives on the other must not be taken for dead."""
    elsewhere = changed(0, "00000000-0000-0000-0000-000000000000")
    assert not owner.is_leftover(elsewhere, FUTURE)
    assert owner.is_leftover(elsewhere, "1")


def test_of_an_owner_in_another_namespace_only_the_deadline_is_known(dead: str) -> None:
    boot, _, pid, started = dead.split(":")
    elsewhere = f"{boot}:1:{pid}:{started}"
    assert not owner.is_leftover(elsewhere, FUTURE)
    assert owner.is_leftover(elsewhere, "1")


def test_after_its_deadline_everything_is_a_leftover() -> None:
    assert owner.is_leftover(owner.current_owner(), f"{time.time() - 1}")
    assert not owner.is_leftover(owner.current_owner(), f"{time.time() + 60}")


GARBAGE = [
    ("", ""), ("", FUTURE), ("a:b:c:d", FUTURE), ("1:2:3", FUTURE), ("1:2:3:4:5", FUTURE), ("x", "soon"), (":::", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "deadline"), GARBAGE)
def test_labels_that_make_no_sense_are_left_alone(text: str, deadline: str) -> None:
    assert not owner.is_leftover(text, deadline)


@pytest.mark.parametrize("at", [2, 3])
def test_an_owner_of_this_start_that_is_no_number_is_left_alone(at: int) -> None:
    assert not owner.is_leftover(changed(at, "x"), FUTURE)


@given(st.text(max_size=40), st.text(max_size=20))
def test_no_label_is_an_error(text: str, deadline: str) -> None:
    assert owner.is_leftover(text, deadline) in (True, False)


def test_the_parts_are_what_they_say() -> None:
    boot, namespace, pid, started = parts()
    assert boot == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert str(Path("/proc/self/ns/pid").readlink()) == f"pid:[{namespace}]"
    assert int(pid) == os.getpid()
    assert 0 < int(started) < time.monotonic() * os.sysconf("SC_CLK_TCK") + 100


def test_a_folder_of_a_killed_process_goes_with_the_next_one(tmp_path: Path) -> None:
    """And nothing else: no folder of a living process, and none that has no owner in its name."""
    make = "from codeopt_sandbox import owner; print(owner.owned_folder('view'), flush=True)"
    environ = {**os.environ, "TMPDIR": str(tmp_path)}
    living = owner.owned_folder("check", tmp_path)
    done = subprocess.run([sys.executable, "-c", make], capture_output=True, text=True, check=True, env=environ)
    left = Path(done.stdout.strip())
    others = [tmp_path / name for name in ("codeopt-view-1a2b3c4d", f"other-{left.name}", "codeopt-")]
    for folder in others:
        folder.mkdir()
    (left / "file").touch()
    owner.owned_folder("base", tmp_path)
    assert not left.exists()
    assert all(folder.exists() for folder in (living, *others))
