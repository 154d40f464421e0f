"""Commands of pytest-benchmark, pyperf and ASV: timed by their bodies and told by their names."""
# looks at sandbox/codeopt_sandbox/guest/tests/asv_bodies

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from codeopt.core.console import Console
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Target
from codeopt.core.session import Session
from codeopt.report.verdict import table_of
from codeopt.workloads import WorkloadRequest
from codeopt.workloads.project.command import ProjectCommand
from codeopt.workloads.project.harnesses import RESULT, Asv, Harness, Pyperf, PytestBenchmark, find_benches
from codeopt.workloads.project.project_program import ProjectFiles, read_project, read_text
from codeopt.workloads.project.proposer import apply_answer
from codeopt.workloads.project.runs import open_command
from codeopt_sandbox.guest.tests import asv_bodies
from tests.conftest import require_sandbox
from tests.support.files import write_files

WORDS = """\
def repeated(words):
    seen = []
    for word in words:
        if word not in seen:
            seen.append(word)
    return len(words) - len(seen)


def longest(words):
    return max(words, key=len)
"""
BENCH = """\
from words import longest, repeated

WORDS = [f"w{k * 7 % 600}" for k in range(900)]


def test_repeated(benchmark):
    assert benchmark(repeated, WORDS) == 300


def test_longest(benchmark):
    assert len(benchmark(longest, WORDS)) == 4
"""
SUITE = """\
class Words:
    params = [[1, 2], ["a"]]

    def setup(self, n, text):
        if n == 2:
            raise NotImplementedError
        self.words = [text] * n

    def time_join(self, n, text):
        assert "".join(self.words) == text * n


def time_plain():
    pass
"""
FAST = "# === file: words.py ===\ndef repeated(words):\n    return len(words) - len(set(words))\n"


@pytest.mark.full
def test_bodies_are_what_is_timed(tmp_path: Path) -> None:
    """pytest-benchmark runs a faster body more often: by its whole command nothing would be gained."""
    require_sandbox()
    write_files(tmp_path, {"words.py": WORDS, "test_bench_words.py": BENCH})
    alone = "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 python -m pytest -p pytest_benchmark.plugin test_bench_words.py"
    options = ImproveOptions.of({"run": alone, "sandbox": "bubblewrap"})
    project = read_project(tmp_path)
    program = read_text(tmp_path, project)
    request = WorkloadRequest(Target(tmp_path), program, options, Session(Console(quiet=True)))
    fast = apply_answer(program.revision, FAST)
    with open_command(request, project) as runs:
        found = find_benches(replace(runs, program=program), program.revision)
        assert found is not None
        took = [found.runs.run(side).cpu_s for side in (program.revision, fast)]
        told = found.to_json(found.after(fast))
    assert took[0] > 2 * took[1]
    assert told["harness"] == "pytest-benchmark"
    ratios = {row["name"].partition("::")[2]: row["ratio"] for row in told["rows"]}
    assert ratios["test_repeated"] > 10 > 3 > ratios["test_longest"]
    assert any("test_repeated" in line for line in table_of({"benchmarks": told, "edits": [], "left_out_edits": []}))


def project_of(**files: str) -> ProjectFiles:
    return ProjectFiles(Path("/p"), tuple((name.replace("__", "."), text.encode()) for name, text in files.items()))


@pytest.mark.parametrize(
    ("tool", "words", "project", "expected"),
    [
        (PytestBenchmark(), ("-m", "pytest"), project_of(test_a__py=BENCH), True),
        (PytestBenchmark(), ("-m", "pytest", "--benchmark-skip"), project_of(test_a__py=BENCH), False),
        (PytestBenchmark(), ("-m", "pytest"), project_of(test_a__py="def test_a(): pass\n"), False),
        (Pyperf(), ("perf.py",), project_of(perf__py="import pyperf\n"), True),
        (Pyperf(), ("other.py",), project_of(perf__py="import pyperf\n"), False),
        (Asv(), ("-m", "asv", "run", "-b", "time_x"), project_of(asv__conf__json="{}"), True),
        (Asv(), ("-m", "asv", "publish"), project_of(asv__conf__json="{}"), False),
    ],
)
def test_a_tool_is_recognised(tool: Harness, words: tuple[str, ...], project: ProjectFiles, expected: bool) -> None:
    command = ProjectCommand("", words)
    assert tool.matches(command, project) is expected
    if expected:
        changed, _ = tool.fixed(command, project, 7)
        assert any(RESULT in word for word in changed.words)


def test_a_suite_of_asv_runs_by_its_conventions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path, {"suite/words.py": SUITE})
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    asv_bodies.main("suite", "", 3, "out/found.json")
    found = [(name, len(values)) for name, values in Asv().read((tmp_path / "out/found.json").read_bytes())]
    assert found == [
        ("words.Words.time_join(1, 'a')", 3),
        ("words.Words.time_join(2, 'a')", 0),
        ("words.time_plain", 3),
    ]
    asv_bodies.main("suite", "plain", 1, "out/found.json")
    assert len(json.loads((tmp_path / "out/found.json").read_text())) == 1
