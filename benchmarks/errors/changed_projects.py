"""`codeopt compare` on projects of twelve kinds, each with a right and a wrong change: the table of their verdicts.

    python -m benchmarks.errors.changed_projects [NAME ...] [--python PATH] [--codeopt PATH] [--sandbox NAME] [--short]

Flask with SQLAlchemy, Django, pandas, numpy, asyncio, a click tool in src layout, a library with 300 tests and a
dependency in C, dataclasses, multiprocessing, a notebook, a monorepo of two packages that are installed in place,
Python 3.13. What most such code is called with (a session, a request, a frame of 20 MB, a queue) cannot be written
down, so that the whole command judges; the library is judged by its functions, the notebook by what it prints. Makes
environments with the packages by pip, unless PATH names a Python that has them; packages of a project itself are never
installed there, but in an environment of their own. --codeopt names the program of an installed wheel; --short leaves
out the projects that need packages or another Python. `ok` says that the right change is faster, and that the wrong one
is rejected with exit status 1; the seconds are CPU time of codeopt and all that it starts, which those of a Docker
engine are no part of, and of the clock.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import cpu_of_children, not_run
from benchmarks.errors.changes import ChangedProject, Replacement, all_names, edit, project_named, write
from tests.support.pythons import python_of

ROOT = Path(__file__).parents[2]
EXPECTED = {"right": ("faster", 0), "wrong": ("wrong", 1)}
"""Verdict and exit status of each change."""


@dataclass(frozen=True)
class Asked:
    """The codeopt that is asked, and how."""

    program: tuple[str, ...]
    python: str
    """Interpreter with the packages."""
    sandbox: str

    def words(self, project: ChangedProject) -> list[str]:
        """The command line."""
        flags = ("--json", "-q", "--python", self.python, "--sandbox", self.sandbox, "--memory", "1024")
        run = ("--run", project.command) if project.command else ()
        return [*self.program, "compare", *project.arguments, *run, *flags]


def compared(project: ChangedProject, change: tuple[Replacement, ...], asked: Asked) -> tuple[str, int, str]:
    """Verdict on a change, exit status, and ratio or reason."""
    with tempfile.TemporaryDirectory(prefix="codeopt-changed-") as folder:
        root = write(project, Path(folder) / "project")
        in_place = [word for each in project.installed_in_place for word in ("-e", str(root / each))]
        if in_place:
            own = environment([project], project.release, Path(folder) / "environment")
            install(own, "--no-deps", *in_place)
            asked = replace(asked, python=own)
        edit(root, change)
        done = subprocess.run(asked.words(project), cwd=root, capture_output=True, text=True, check=False)
    if not done.stdout:
        return "", done.returncode, done.stderr.strip()
    found = json.loads(done.stdout)
    rows = found["functions"] if found["schema"] == "codeopt.compare-change/1" else [found]
    if not rows or "verdict" not in rows[0]:
        return "", done.returncode, found.get("error", "")
    worst = next((row for row in rows if row["verdict"] != "faster"), rows[0])
    return worst["verdict"], done.returncode, worst["reason"] or f"{worst['ratio']:.2f}x"


def install(python: str, *words: str) -> None:
    """Install into an environment."""
    subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *words], check=True)


def environment(projects: Sequence[ChangedProject], release: str, folder: Path) -> str:
    """Python of a new environment with the packages of some projects; empty where there is no such release."""
    base = (python_of(release) or "") if release else sys.executable
    if base:
        subprocess.run([base, "-m", "venv", str(folder)], check=True)
        packages = sorted({package for each in projects for package in each.packages})
        packages += [str(ROOT)] if release else []  # codeopt reads the syntax of the Python that runs it
        if packages:
            install(str(folder / "bin" / "python"), *packages)
    return str(folder / "bin" / "python") if base else ""


def main(argv: list[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(all_names()))
    parser.add_argument("--python", help="Python that has the packages")
    parser.add_argument("--codeopt", help="program of an installed wheel")
    parser.add_argument("--sandbox", default="auto")
    parser.add_argument("--short", action="store_true", help="only projects of the standard library")
    arguments = parser.parse_args(argv)
    projects = {name: project_named(name) for name in arguments.names or all_names()}
    if arguments.short:
        projects = {name: each for name, each in projects.items() if not (each.packages or each.release)}
    if not projects:
        not_run("--short leaves out all of these projects, which need packages")
    program = (arguments.codeopt,) if arguments.codeopt else (sys.executable, "-m", "codeopt")
    missed = 0
    with tempfile.TemporaryDirectory(prefix="codeopt-environment-") as folder:
        pythons: dict[str, str] = {}
        for name, project in projects.items():
            release = project.release
            if release not in pythons:
                alike = [each for each in projects.values() if each.release == release]
                named = "" if release else arguments.python
                pythons[release] = named or environment(alike, release, Path(folder) / f"venv{release}")
            if not pythons[release]:
                print(f"left out {name}: there is no Python {release} here")
                continue
            own = (pythons[release], "-m", "codeopt") if release else program
            missed += _row(name, project, Asked(own, pythons[release], arguments.sandbox))
    return 1 if missed else 0


def _row(name: str, project: ChangedProject, asked: Asked) -> int:
    """Judge both changes of a project and print a line for each; the number that was judged wrong."""
    missed = 0
    for which, change in (("right", project.right), ("wrong", project.wrong)):
        started, before = time.monotonic(), cpu_of_children()
        verdict, status, said = compared(project, change, asked)
        good = (verdict, status) == EXPECTED[which]
        missed += not good
        took, cpu_s = time.monotonic() - started, cpu_of_children() - before
        command = project.command or " ".join(("compare", *project.arguments))
        mark = "ok  " if good else "MISS"
        spent = f"{cpu_s:4.0f} CPU s, {took:4.0f} s"
        print(f"{mark} {name:<18} {which:<6} {verdict:<9} {spent}  {command}: {said[:160]}", flush=True)
    return missed


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
