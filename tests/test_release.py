"""The workflows are sound; the release's is pinned and refuses a tag that is not the version, or links elsewhere."""

from __future__ import annotations

import json
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"
CHECK = ROOT / ".github" / "check_release.py"
REPOSITORY = "https://github.com/OWNER/codeopt"


def tool(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / name), *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def jobs() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(WORKFLOW.read_text())["jobs"]
    return found


def test_each_fits_the_schema_and_an_auditor_finds_nothing() -> None:
    done = tool("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *map(str, WORKFLOWS))
    assert done.returncode == 0, done.stdout
    done = tool("zizmor", "--offline", "--format=json", *map(str, WORKFLOWS))
    assert [(one["ident"], one["desc"]) for one in json.loads(done.stdout)] == []


def test_only_the_job_that_builds_nothing_may_publish() -> None:
    assert [name for name, job in jobs().items() if "id-token" in job["permissions"]] == ["publish"]
    steps = jobs()["publish"]["steps"]
    assert not any("run" in step for step in steps)
    assert all(
        re.search(r"@[0-9a-f]{40}$", step["uses"]) for job in jobs().values() for step in job["steps"] if "uses" in step
    )


@pytest.fixture
def faults(tmp_path: Path) -> Callable[[str, str], list[str]]:
    """Of a tag and a repository, in a copy of the project that could be released."""
    (tmp_path / "codeopt" / "core").mkdir(parents=True)
    for name in ("pyproject.toml", "CHANGELOG.md", "codeopt/core/version.py"):
        shutil.copy(ROOT / name, tmp_path / name)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    with (tmp_path / "CHANGELOG.md").open("a") as changes:
        changes.write(f"\n## [{version}] - 2030-01-31\n")
    check = runpy.run_path(str(CHECK))["faults"]
    return lambda tag, repository: check(tag.replace("VERSION", version), repository, tmp_path)


def test_a_tag_that_is_the_version_may_be_released(faults: Callable[[str, str], list[str]]) -> None:
    assert faults("vVERSION", REPOSITORY) == []


@pytest.mark.parametrize(
    ("tag", "repository", "says"),
    [
        ("v9.9.9", REPOSITORY, "the tag is v9.9.9"),
        ("vVERSION", "https://github.com/somebody/codeopt", "which is not below https://github.com/somebody/codeopt"),
        ("vVERSION", f"{REPOSITORY}-mirror", "which is not below"),
    ],
)
def test_others_may_not(faults: Callable[[str, str], list[str]], tag: str, repository: str, says: str) -> None:
    assert any(says in fault for fault in faults(tag, repository))


def test_the_command_ends_with_what_is_wrong() -> None:
    done = subprocess.run([sys.executable, str(CHECK), "v0", REPOSITORY], capture_output=True, text=True)
    assert done.returncode == 1
    assert "the tag is v0" in done.stderr
