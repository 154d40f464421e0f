"""`codeopt improve --run` on SWE-fficiency's tasks of sympy: how near a model that knows the experts' patch gets to it.

    python -m benchmarks.speedups.swefficiency [PR ...] --tasks DIR --repository DIR --python PYTHON [--short]

Each task is a workload and the patch that an expert wrote for it. The repository at the commit before the patch is put
under git beside the workload, and a scripted model improves it: the expert's patch with a mistake first, then as it
is. Printed are the verdicts, our ratio and the expert's (measured alike: CPU seconds of the whole command), seconds by
step, the tests that judged, and the share of the clock in which neither command, tests nor model ran. DIR of --tasks
has a folder with `workload.py` and `expert.patch` for each PR and `manifest.json`, DIR of --repository is a clone of
sympy's with its history, PYTHON an interpreter with mpmath and pytest. CODEOPT_SWEFFICIENCY and CODEOPT_SYMPY stand
for the folders that are not given.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import commit_all, cpu_of_children, git, not_run
from benchmarks.speedups.projects import answer, cpu_seconds, improve
from tests.support.wire_server import WireServer

WORKLOAD = "workload.py"
MISTAKES = {
    "21006": ("vals[::cols+1] = [cls.one]*min(rows, cols)", "vals[::rows+1] = [cls.one]*min(rows, cols)"),
    "21954": ("            q *= p.q\n            p = p.p\n", "            p = p.p\n"),
    "25452": ("Mi = (dMi / den).to_Matrix()", "Mi = dMi.to_Matrix()"),
}
"""By task: a line of the expert's patch, and what a hasty author makes of it."""


@dataclass(frozen=True)
class ExpertTask:
    """One task, with its repository at the commit before the patch."""

    name: str
    root: Path
    patch: str
    python: str

    def texts(self) -> tuple[dict[str, str], dict[str, str]]:
        """Files that the patch changes, before and after; the folder is left as it was."""
        paths = [line[6:] for line in self.patch.splitlines() if line.startswith("+++ b/")]
        before = {path: (self.root / path).read_text() for path in paths}
        self.apply()
        after = {path: (self.root / path).read_text() for path in paths}
        git(self.root, "checkout", "-q", ".")
        return before, after

    def apply(self) -> None:
        """Put the expert's patch in."""
        command = ["git", "-C", str(self.root), "apply", "-"]
        subprocess.run(command, input=self.patch, text=True, check=True)

    def seconds(self, runs: int) -> float:
        """CPU seconds of the command, the least of some runs."""
        return cpu_seconds(self.root, WORKLOAD, self.python, runs)


@dataclass(frozen=True)
class ExpertRow:
    """Result of one task."""

    task: ExpertTask
    expert: float
    """Ratio of the expert's patch."""
    ours: float
    """Ratio of what was accepted, measured alike; 1 where nothing was."""
    found: dict[str, Any]
    """JSON object that `improve --json` printed."""
    command_s: float
    """Seconds of the clock of the command by itself, on the same machine."""
    first_prompt_s: float
    took_s: float
    cpu_s: float
    """CPU seconds of codeopt and of all that it ran."""

    @property
    def overhead(self) -> float:
        """Share of the clock in which neither the command nor tests ran; the scripted model takes none."""
        return 1 - sum(self.found.get("sandbox_seconds", {}).values()) / self.took_s

    def __str__(self) -> str:
        found, steps = self.found, self.found.get("seconds_by_step", {})
        said = found.get("speedup") or {}
        verdicts = ", ".join(str(each["verdict"]) for each in found["rounds"])
        lines = [
            f"{self.task.name}: {'accepted' if found['accepted'] else 'NOT accepted: ' + str(found['reason'])}",
            f"  rounds: {verdicts}",
            f"  expert {self.expert:.2f}x, ours {self.ours:.2f}x ({self.ours / self.expert:.2f} of it); "
            f"codeopt says {said.get('ratio', 1.0)} [{said.get('ci_low')}, {said.get('ci_high')}]",
            f"  tests: {found.get('project_tests')}; first prompt after {self.first_prompt_s:.0f} s, where the command "
            f"takes {self.command_s:.1f} s (goal {10 * self.command_s + 30:.0f} s)",
            f"  {self.took_s:.0f} s, {self.cpu_s:.0f} of CPU time: {found.get('sandbox_seconds')}, by step {steps}; "
            f"neither command nor tests: {self.overhead:.0%}",
        ]
        return "\n".join(lines)


def prepare(name: str, tasks: Path, repository: Path, python: str, to: Path) -> ExpertTask:
    """Unpack the commit before the patch, with its workload, and put it under git."""
    rows = json.loads((tasks / "manifest.json").read_text())
    base = next(row["base"] for row in rows if row["pr"] == name)
    packed = subprocess.Popen(["git", "-C", str(repository), "archive", base], stdout=subprocess.PIPE)
    subprocess.run(["tar", "x", "-C", str(to)], stdin=packed.stdout, check=True)
    if packed.wait():
        raise SystemExit(f"{repository} has no commit {base}")
    (to / WORKLOAD).write_text((tasks / name / WORKLOAD).read_text())
    commit_all(to, "before")
    return ExpertTask(name, to, (tasks / name / "expert.patch").read_text(), python)


class Asked:
    """Answers of a model that knows the patch, and when it was asked first."""

    def __init__(self, answers: Sequence[str]) -> None:
        self.answers: Iterator[str] = iter(answers)
        self.first = 0.0

    def __call__(self, request: Any) -> str:
        """The next one."""
        self.first = self.first or time.monotonic()
        return next(self.answers, "Nothing is left.\nVERDICT: DONE")


def one(task: ExpertTask, flags: Sequence[str]) -> ExpertRow:
    """Have codeopt improve a task, and time its result and the expert's patch."""
    before, after = task.texts()
    was, hasty = MISTAKES[task.name]
    wrong = {path: text.replace(was, hasty) for path, text in after.items()}
    assert wrong != after, f"{task.name}: the patch is another one"
    asked = Asked(
        ["It is slow.\nVERDICT: IMPROVE", answer("in haste", before, wrong),
         "It was wrong.\nVERDICT: IMPROVE", answer("as it should be", before, after)]
    )  # fmt: skip
    runs = 1 if "--max-pairs" in flags else 5
    started = time.monotonic()
    slow_s = task.seconds(runs)
    command_s = (time.monotonic() - started) / runs
    started, cpu_s = time.monotonic(), cpu_of_children()
    with WireServer(asked) as server:
        words = ("--base-url", server.base_url, "--model", server.model, "--write")
        found = improve(task.root, *words, "--python", task.python, *flags, script=WORKLOAD)
    took, cpu_s = time.monotonic() - started, cpu_of_children() - cpu_s
    ours = slow_s / task.seconds(runs)
    git(task.root, "checkout", "-q", ".")
    task.apply()
    expert = slow_s / task.seconds(runs)
    return ExpertRow(task, expert, ours, found, command_s, asked.first - started, took, cpu_s)


def main(names: Sequence[str], tasks: Path, repository: Path, python: str, flags: Sequence[str]) -> None:
    """Print the result of each task."""
    for name in names or sorted(MISTAKES):
        with tempfile.TemporaryDirectory(prefix="codeopt-task-") as folder:
            print(one(prepare(name, tasks, repository, python, Path(folder)), flags), flush=True)


def _folder(given: Path | None, variable: str, flag: str) -> Path:
    found = given or Path(os.environ.get(variable, ""))
    if not given and not os.environ.get(variable):
        not_run(f"{flag} or {variable} names the folder")
    if not found.is_dir():
        not_run(f"{found} is no folder")
    return found.resolve()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="PR", help=f"of {', '.join(sorted(MISTAKES))}; all")
    parser.add_argument("--tasks", type=Path)
    parser.add_argument("--repository", type=Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--short", action="store_true", help="few pairs, to see that it runs")
    arguments = parser.parse_args()
    main(
        arguments.names,
        _folder(arguments.tasks, "CODEOPT_SWEFFICIENCY", "--tasks"),
        _folder(arguments.repository, "CODEOPT_SYMPY", "--repository"),
        arguments.python,
        ("--max-pairs", "7") if arguments.short else (),
    )
