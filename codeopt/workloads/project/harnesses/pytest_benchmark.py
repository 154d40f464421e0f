"""pytest-benchmark: tests that take its fixture `benchmark`, which runs each body as often as fits into a second."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace

from codeopt.workloads.project.command import WATCH, ProjectCommand
from codeopt.workloads.project.files import ProjectFiles
from codeopt.workloads.project.harnesses import RESULT
from codeopt_sandbox.outcome import Files

NAME = "pytest-benchmark"
_TEST = re.compile(rb"^\s*(async )?def test_\w*\([^)]*\bbenchmark\b", re.MULTILINE)
FOLDER = f"{WATCH}/plugin"
"""Folder of the plug-in. Unlike WATCH, a profiler does not remove it from the import path."""
PLUGIN = """\
from pytest_benchmark.fixture import BenchmarkFixture


def fixed(self, function, *args, **kwargs):
    return self.pedantic(function, args=args, kwargs=kwargs, rounds={loops}, iterations=1)


BenchmarkFixture.__call__ = fixed
"""
"""Patch of the tool: each body runs a fixed number of rounds; a test that gives its rounds itself (benchmark.pedantic)
keeps them."""


def matches(command: ProjectCommand, project: ProjectFiles) -> bool:
    """pytest, on a project that has such tests."""
    words = command.words
    by_module = words[:2] == ("-m", "pytest")
    by_tool = words[:1] == ("-c",) and "sys.argv[0] = 'pytest'" in words[1]
    off = {"--benchmark-disable", "--benchmark-skip"} & set(words)
    return (
        (by_module or by_tool)
        and not off
        and any(_TEST.search(text) for path, text in project.files if path.endswith(".py"))
    )


def fixed(command: ProjectCommand, project: ProjectFiles, loops: int) -> tuple[ProjectCommand, Files]:
    """Return the command with a plug-in that gives each body a fixed number of rounds."""
    more = ("-p", "codeopt_bodies", f"--benchmark-json={RESULT}", "--benchmark-quiet")
    plugin = (f"{FOLDER}/codeopt_bodies.py", PLUGIN.format(loops=loops).encode())
    given = dict(command.variables).get("PYTHONPATH")
    path = ("PYTHONPATH", os.pathsep.join(filter(None, [FOLDER, given])))
    return replace(command, words=(*command.words, *more), variables=(*command.variables, path)), (plugin,)


def read(content: bytes) -> Iterator[tuple[str, list[float]]]:
    """Names and seconds in its JSON."""
    for each in json.loads(content)["benchmarks"]:
        yield each["fullname"], each["stats"]["data"]
