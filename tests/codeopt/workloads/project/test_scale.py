"""Projects of many files: their command runs, a draft is put in, and what is too much is refused in a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.errors import UsageError
from codeopt.core.options import ImproveOptions
from codeopt.core.revision import UNCHANGED
from codeopt.core.session import Session
from codeopt.core.target import Target
from codeopt.workloads import WorkloadRequest
from codeopt.workloads.project import OpenedProject, files, open_workload, read
from codeopt.workloads.project.files import read_project
from tests.conftest import require_sandbox

pytestmark = pytest.mark.full

BENCH = "import os, pack.m0\nprint(sum(len(f) for _, _, f in os.walk('pack')), pack.m0.f())\n"


def write(root: Path, count: int) -> Path:
    """Modules in folders of 500."""
    (root / "bench.py").write_text(BENCH)
    for number in range(count):
        path = root / ("pack" if number < 500 else f"pack/p{number // 500}") / f"m{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"def f():\n    return {number}\n")
    return root


@pytest.mark.parametrize("sandbox", ["docker", "bubblewrap", "process"])
@pytest.mark.parametrize("count", [1_500, 19_900])
def test_a_command_of_a_project_of_many_files(tmp_path: Path, sandbox: str, count: int) -> None:
    """Twice as it is, and with a draft; nothing that one of them did is in the other."""
    require_sandbox(sandbox)
    target = Target(write(tmp_path, count))
    options = ImproveOptions(run="python bench.py", sandbox=sandbox)
    with open_workload(WorkloadRequest(target, read(target), options, Session())) as opened:
        assert isinstance(opened, OpenedProject)
        first, second = (opened.runs.run(UNCHANGED) for _ in range(2))
        assert first.stdout == second.stdout == f"{count + 1} 0\n".encode()  # one more: bytecode of what is imported
        assert first.written == second.written == ()
        draft = opened.program.revision.with_file("pack/m0.py", "def f():\n    return 'new'\n")
        assert opened.runs.run(draft).stdout == f"{count + 1} new\n".encode()
        assert opened.runs.run(UNCHANGED).stdout == first.stdout


def test_too_many_files_are_refused_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_FILES", 50)
    write(tmp_path, 60)
    with pytest.raises(UsageError, match="61 files that git tracks, and a run takes at most 50"):
        read_project(tmp_path)
    monkeypatch.setattr(files, "MOST_FILES", 100)
    monkeypatch.setattr(files, "LARGEST_MIB", 0)
    with pytest.raises(UsageError, match="has more than 0 MiB of files"):
        read_project(tmp_path)
