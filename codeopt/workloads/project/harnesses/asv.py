"""ASV (airspeed velocity): a folder of `time_*` functions, which ASV runs in environments that it builds.

It needs the network and git for those, so the bodies are run without it, by its conventions: setup, teardown, params.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace

from codeopt.workloads.project.command import ProjectCommand
from codeopt.workloads.project.files import ProjectFiles
from codeopt.workloads.project.harnesses import RESULT
from codeopt_sandbox.guest_bundle import loading
from codeopt_sandbox.outcome import Files

NAME = "asv"
CONFIG = "asv.conf.json"
_FOLDER = re.compile(rb'"benchmark_dir"\s*:\s*"([^"]+)"')
ACTIONS = frozenset({"run", "dev", "continuous", "quickstart"})
RUN = """\
{bundle}
_bundle.load("tests.asv_bodies").main({folder!r}, {pattern!r}, {loops}, {result!r})
"""


def matches(command: ProjectCommand, project: ProjectFiles) -> bool:
    """`asv run` and the like, in a project that has its settings."""
    words = command.words
    by_module = words[:2] == ("-m", "asv")
    by_tool = words[:1] == ("-c",) and "sys.argv[0] = 'asv'" in words[1]
    configured = any(path == CONFIG for path, _ in project.files)
    return (by_module or by_tool) and bool(ACTIONS & set(words[2:])) and configured


def fixed(command: ProjectCommand, project: ProjectFiles, loops: int) -> tuple[ProjectCommand, Files]:
    """The bodies, run by ourselves."""
    content = next(text for path, text in project.files if path == CONFIG)
    found = _FOLDER.search(content)
    folder = found[1].decode() if found else "benchmarks"
    bundle = loading("tests/asv_bodies", "tests/__init__")
    text = RUN.format(bundle=bundle, folder=folder, pattern=_pattern(command.words), loops=loops, result=RESULT)
    return replace(command, words=("-c", text)), ()


def _pattern(words: tuple[str, ...]) -> str:
    """Pattern in `-b REGEX`, `--bench REGEX` or `--bench=REGEX`."""
    for at, word in enumerate(words):
        if word in ("-b", "--bench") and at + 1 < len(words):
            return words[at + 1]
        if word.startswith("--bench="):
            return word.partition("=")[2]
    return ""


def read(content: bytes) -> Iterator[tuple[str, list[float]]]:
    """Yield names and seconds from the file that `asv_bodies` writes."""
    for each in json.loads(content):
        yield each["name"], each["seconds"]
