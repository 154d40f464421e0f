"""`codeopt compare --base HEAD --run` on projects of five kinds, each with a right and a wrong change.

    python -m benchmarks.changed_projects [NAME ...] [--python PATH] [--sandbox NAME] [--short]

Flask with SQLAlchemy, Django, pandas, asyncio, multiprocessing: what such code is called with (a session, a request, a
frame of 20 MB, a queue) can mostly not be written down, so that the whole command judges. Makes an environment with
the packages by pip, unless PATH names a Python that has them; --short leaves out the projects that need any. `ok` says
that the right change is faster, and that the wrong one is rejected with exit status 1.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Sequence
from pathlib import Path

from benchmarks import not_run
from benchmarks.changes import ChangedProject, Replacement, all_names, edit, project_named, write

EXPECTED = {"right": ("faster", 0), "wrong": ("rejected", 1)}
"""Verdict and exit status of each change."""


def compared(project: ChangedProject, change: tuple[Replacement, ...], flags: Sequence[str]) -> tuple[str, int, str]:
    """Verdict on a change, exit status, and ratio or reason."""
    with tempfile.TemporaryDirectory(prefix="codeopt-changed-") as folder:
        root = write(project, Path(folder) / "project")
        edit(root, change)
        words = [sys.executable, "-m", "codeopt", "compare", "--base", "HEAD", "--run", project.command, "--json", "-q"]
        done = subprocess.run([*words, *flags], cwd=root, capture_output=True, text=True, check=False)
    if not done.stdout:
        return "", done.returncode, done.stderr.strip()
    found = json.loads(done.stdout)
    return found["verdict"], done.returncode, found["reason"] or f"{found['ratio']:.2f}x"


def environment(packages: Sequence[str], folder: Path) -> str:
    """Python of a new environment with some packages."""
    venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages], check=True)
    return python


def main(argv: list[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(all_names()))
    parser.add_argument("--python", help="Python that has the packages")
    parser.add_argument("--sandbox", default="auto")
    parser.add_argument("--short", action="store_true", help="only projects of the standard library")
    arguments = parser.parse_args(argv)
    projects = {name: project_named(name) for name in arguments.names or all_names()}
    projects = {name: each for name, each in projects.items() if not (arguments.short and each.packages)}
    if not projects:
        not_run("--short leaves out all of these projects, which need packages")
    packages = sorted({package for each in projects.values() for package in each.packages})
    missed = 0
    with tempfile.TemporaryDirectory(prefix="codeopt-environment-") as folder:
        python = arguments.python or (environment(packages, Path(folder) / "venv") if packages else sys.executable)
        flags = ("--python", python, "--sandbox", arguments.sandbox, "--memory", "1024")
        for name, project in projects.items():
            for which, change in (("right", project.right), ("wrong", project.wrong)):
                started = time.monotonic()
                verdict, status, said = compared(project, change, flags)
                good = (verdict, status) == EXPECTED[which]
                missed += not good
                took = time.monotonic() - started
                print(f"{'ok  ' if good else 'MISS'} {name:<16} {which:<6} {verdict:<9} {took:4.0f} s  {said[:160]}")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
