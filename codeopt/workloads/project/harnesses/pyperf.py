"""pyperf: a script that makes a `pyperf.Runner`, which runs each body in twenty processes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from math import ceil

from codeopt.workloads.project.command import ProjectCommand
from codeopt.workloads.project.files import ProjectFiles
from codeopt.workloads.project.harnesses import RESULT
from codeopt_sandbox.outcome import Files

NAME = "pyperf"
VALUES = 5
_IMPORT = re.compile(rb"^\s*(import pyperf|from pyperf import)\b", re.MULTILINE)


def matches(command: ProjectCommand, project: ProjectFiles) -> bool:
    """A script that imports it."""
    return any(path == command.script and _IMPORT.search(text) for path, text in project.files)


def fixed(command: ProjectCommand, project: ProjectFiles, loops: int) -> tuple[ProjectCommand, Files]:
    """Return the command with one worker process and a fixed number of values and loops. Its last flags count."""
    values = min(loops, VALUES)
    each = ceil(loops / values)
    fixed = (f"--values={values}", f"--loops={each}")
    more = ("--copy-env", "--processes=1", "--warmups=0", *fixed, "--quiet", f"-o{RESULT}")
    return replace(command, words=(*command.words, *more)), (KEEPER,)


KEEPER = (RESULT.rpartition("/")[0] + "/README", b"What is measured is written here.\n")
"""Makes the folder: pyperf makes none."""


def read(content: bytes) -> Iterator[tuple[str, list[float]]]:
    """Yield names and seconds from pyperf's JSON. Metadata that all benchmarks share is at the top."""
    found = json.loads(content)
    for each in found["benchmarks"]:
        name = each.get("metadata", {}).get("name") or found["metadata"]["name"]
        yield name, [value for run in each["runs"] for value in run.get("values", ())]
