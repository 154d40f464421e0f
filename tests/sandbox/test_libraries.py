"""Libraries that are imported before the fork, and why some cannot be."""
# looks at sandbox/codeopt_sandbox/guest/libraries

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeopt.workloads.sandbox_view.libraries import Side, load_libraries
from codeopt_sandbox import Sandbox, open_sandbox
from codeopt_sandbox.calls import CallBatch, CallRunner, FunctionRef
from codeopt_sandbox.guest_bundle import Libraries
from codeopt_sandbox.host import Options
from tests.sandbox.said import answer_of
from tests.support.files import write_files

INSTALLED = "/installed/site-packages"
REF = FunctionRef("mod", "/project/mod.py", "f", ("/project", INSTALLED))
FUNCTION = "\ndef f(x):\n    return x + 1\n"
PACKAGES = {
    "slow.py": "import decimal\nTABLE = [n * n % 7 for n in range(3_000_000)]\n",
    "threads.py": "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n",
}
"""Packages of the user's environment, by file name."""


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """A sandbox that shows a project and an environment."""
    root = tmp_path_factory.mktemp("libraries")
    root.chmod(0o755)
    write_files(root / "installed", PACKAGES)
    write_files(root / "project", {"own.py": ""})
    mounts = ((str(root / "installed"), INSTALLED), (str(root / "project"), "/project"))
    with open_sandbox("bubblewrap", options=Options(mounts=mounts)) as sandbox:
        yield sandbox


def test_what_is_slow_to_import_is_imported_once(box: Sandbox) -> None:
    found = load_libraries(box, Side(REF, "import own, slow" + FUNCTION))
    assert found.libraries is not None
    assert {"slow", "decimal"} <= set(found.libraries.modules)
    assert "own" not in found.libraries.modules
    assert found.diagnostics == ()
    assert found.figures().loaded_once
    source = "import own, slow" + FUNCTION
    fresh, once = (
        CallRunner(box, REF, libraries=libraries).ask(source, CallBatch(("f(1)",)))
        for libraries in (None, found.libraries)
    )
    assert [each.text for each in (*answer_of(once).outcomes, *answer_of(fresh).outcomes)] == ["returns 2"] * 2
    assert once.cpu_s < fresh.cpu_s / 3
    assert answer_of(once).times.import_s < found.seconds / 3


def test_a_run_whose_libraries_cannot_be_imported_before_is_as_without_them(box: Sandbox) -> None:
    source = "import threads" + FUNCTION
    run = CallRunner(box, REF, libraries=Libraries(("threads",), REF.paths)).ask(source, CallBatch(("f(1)",)))
    assert run.preload_failure == "they start threads"
    assert [each.text for each in answer_of(run).outcomes] == ["returns 2"]


def test_a_draft_changes_nothing_in_the_libraries_of_the_next(box: Sandbox, tmp_path: Path) -> None:
    libraries = Libraries(("slow",), REF.paths)
    runner = CallRunner(box, REF, libraries=libraries)
    spoils = "import slow, os, signal\nslow.TABLE.clear()\ndef f(x):\n    os.kill(os.getppid(), 9)\n"
    runner.ask(spoils, CallBatch(("f(1)",)))
    run = runner.ask("import slow\ndef f(x):\n    return len(slow.TABLE)\n", CallBatch(("f(1)",)))
    assert [each.text for each in answer_of(run).outcomes] == ["returns 3000000"]
