"""`codeopt init`: files that their platforms understand, and steps that do what they say."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from codeopt.cli.main import build_parser
from codeopt.core import plugins
from codeopt.core.version import __version__
from tests.codeopt.command import codeopt, environment
from tests.codeopt.review.pull_request import BASE, BRANCH, propose
from tests.support.reviews import accepted
from tests.support.runner import run_step
from tests.support.wheels import ROOT, checkout, pack

WORKFLOW = ".github/workflows/codeopt.yml"
EXPRESSION = "${{"
WRITES = {
    "--github": [WORKFLOW],
    "--gitlab": [".gitlab/codeopt.yml", ".gitlab-ci.yml"],
    "--pre-commit": [".pre-commit-config.yaml"],
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where everything was written, and the project's own action."""
    folder = tmp_path_factory.mktemp("written")
    done = codeopt("init", *WRITES, cwd=folder)
    assert (done.status, done.out) == (0, "")
    (folder / "action.yml").write_text((ROOT / "action.yml").read_text())
    return folder


def load(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


def tool(name: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / name), *arguments]
    return subprocess.run(command, cwd=cwd, env=environment(), capture_output=True, text=True, check=False)


@pytest.mark.parametrize("flag", WRITES)
def test_it_writes_what_it_says_and_nothing_twice(flag: str, tmp_path: Path) -> None:
    done = codeopt("init", flag, cwd=tmp_path)
    files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert (done.status, files) == (0, set(WRITES[flag]))
    assert all(f"wrote {name}" in done.err for name in files)
    first = tmp_path / WRITES[flag][0]
    first.write_text("mine\n")
    again = codeopt("init", flag, cwd=tmp_path)
    assert first.read_text() == "mine\n"
    if flag == "--pre-commit":
        assert (again.status, "codeopt check" in again.out) == (0, True)
        return
    assert (again.status, len(again.facts)) == (2, 1)
    assert codeopt("init", flag, "--force", cwd=tmp_path).status == 0
    assert first.read_text() != "mine\n"


def test_files_of_others_are_never_replaced(tmp_path: Path) -> None:
    (tmp_path / ".gitlab-ci.yml").write_text("stages: [test]\n")
    done = codeopt("init", "--gitlab", "--force", cwd=tmp_path)
    assert (done.status, yaml.safe_load(done.out)) == (0, {"include": [{"local": ".gitlab/codeopt.yml"}]})
    assert (tmp_path / ".gitlab-ci.yml").read_text() == "stages: [test]\n"
    (tmp_path / ".gitlab-ci.yml").write_text("stages: [test]\n" + done.out)
    assert codeopt("init", "--gitlab", "--force", cwd=tmp_path).out == ""


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".github").symlink_to("elsewhere")
    done = codeopt("init", "--github", cwd=tmp_path)
    assert (done.status, list((tmp_path / "elsewhere").iterdir())) == (2, [])


def test_it_asks_what_for(tmp_path: Path) -> None:
    assert codeopt("init", cwd=tmp_path).status == 2


@pytest.mark.parametrize(
    ("schema", "file"),
    [("github-workflows", WORKFLOW), ("github-actions", "action.yml"), ("gitlab-ci", ".gitlab/codeopt.yml"),
     ("gitlab-ci", ".gitlab-ci.yml")],
)  # fmt: skip
def test_it_fits_the_schema(written: Path, schema: str, file: str) -> None:
    done = tool("check-jsonschema", "--builtin-schema", f"vendor.{schema}", file, cwd=written)
    assert done.returncode == 0, done.stdout


def test_an_auditor_finds_nothing(written: Path) -> None:
    done = tool("zizmor", "--offline", "--format=json", WORKFLOW, "action.yml", cwd=written)
    assert [(one["ident"], one["desc"]) for one in json.loads(done.stdout)] == []


def test_the_workflow_may_do_little_and_takes_nothing_that_can_move(written: Path) -> None:
    workflow = load(written / WORKFLOW)
    (job,) = workflow["jobs"].values()
    assert workflow["permissions"] == {}
    assert job["permissions"] == {"contents": "read", "pull-requests": "write"}
    assert workflow[True] == "pull_request"
    uses = re.findall(r"uses: (\S+)(.*)", (written / WORKFLOW).read_text())
    assert len(uses) == 4
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", name) and re.match(r" # v\d", note) for name, note in uses)
    assert not any(EXPRESSION in step.get("run", "") for step in job["steps"])
    assert f"codeopt=={__version__}" in (written / WORKFLOW).read_text()


def test_the_store_is_cached_and_restored_after_the_change_is_installed(written: Path) -> None:
    """What the change runs on the job's machine could otherwise write verdicts into what is restored later."""
    (job,) = load(written / WORKFLOW)["jobs"].values()
    names = [step.get("name") or step["uses"].partition("@")[0] for step in job["steps"]]
    assert names.index("Install what the project's tests need") < names.index("actions/cache") < names.index("Review")
    (cache,) = (step["with"] for step in job["steps"] if step.get("uses", "").startswith("actions/cache@"))
    assert cache["path"] == "${{ runner.temp }}/codeopt-cache"
    assert "pull_request.number" in cache["restore-keys"]
    gitlab = load(written / ".gitlab/codeopt.yml")["codeopt"]
    assert gitlab["cache"]["paths"] == [".codeopt/cache/"]
    (review,) = (step for step in job["steps"] if step.get("name") == "Review")
    assert '--trust-store "$RUNNER_TEMP/codeopt-cache" ' in review["run"]
    assert "--trust-store .codeopt/cache " in gitlab["script"][-1]


def test_the_action_hands_its_inputs_over_as_variables() -> None:
    action = load(ROOT / "action.yml")
    own_python, install, reviewdog, *steps = action["runs"]["steps"]
    assert re.fullmatch(r"reviewdog/action-setup@[0-9a-f]{40}", reviewdog["uses"])
    steps = [install, *steps]
    assert re.fullmatch(r"actions/setup-python@[0-9a-f]{40}", own_python["uses"])
    assert own_python["with"]["update-environment"] is False  # the job's Python stays the project's
    for step in steps:
        assert step["shell"] == "bash"
        assert EXPRESSION not in step["run"]
    used = {value for step in steps for value in step.get("env", {}).values()}
    own = f"{EXPRESSION} steps.{own_python['id']}.outputs.python-path }}}}"
    assert used == {own, *(f"{EXPRESSION} inputs.{name} }}}}" for name in action["inputs"])}


def test_hooks_and_jobs_call_commands_that_exist(written: Path) -> None:
    """With flags that they have."""
    parser = build_parser({name: plugins.load("codeopt.commands", name) for name in plugins.names("codeopt.commands")})
    hooks = [*load(ROOT / ".pre-commit-hooks.yaml"), *load(written / ".pre-commit-config.yaml")["repos"][0]["hooks"]]
    entries = [hook["entry"] for hook in hooks]
    last = load(written / ".gitlab/codeopt.yml")["codeopt"]["script"][-1].replace("\\\n", " ")
    entries += re.findall(r"bin/(codeopt .*?) \|\|", last)
    assert len(entries) == 4
    for entry in entries:
        name, *arguments = shlex.split(entry.replace("$format", "gitlab"))
        assert name == "codeopt"
        parser.parse_args(arguments)
    for hook in hooks:
        assert hook["require_serial"] is True
        assert set(hook["stages"]) <= {"pre-push", "manual"}


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a runner that reaches a package index of its own only."""
    home = tmp_path_factory.mktemp("runner")
    for name in ("bin", "temp", "wheels"):
        (home / name).mkdir()
    for name in ("python", "python3"):  # no links: an environment made by one would lead to it, not to the real thing
        (home / "bin" / name).write_text(f'#!/bin/sh\nexec "{sys.base_prefix}/bin/python3" "$@"\n')
        (home / "bin" / name).chmod(0o755)
    checkout(home / "wheels")
    for name in ("pytest", "pluggy", "iniconfig", "packaging", "pygments"):
        pack(name, home / "wheels")
    kept = {name: value for name, value in environment().items() if not name.startswith(("GITHUB_", "CI_", "PYTHON"))}
    quick = {"CODEOPT_NO_PROFILE": "1", "CODEOPT_MUTATED_INPUTS": "off", "CODEOPT_SELECT": "isqrt_trial_division"}
    return {
        **kept,
        **quick,
        "PATH": f"{home / 'bin'}{os.pathsep}{os.defpath}",
        "PIP_FIND_LINKS": str(home / "wheels"),
        "PIP_NO_INDEX": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "RUNNER_TEMP": str(home / "temp"),
    }


@pytest.fixture
def reviewdog(runner: dict[str, str]) -> Path:
    """What a stand-in for reviewdog got, whose release no test can fetch: a line with its arguments, then its input."""
    got = Path(runner["RUNNER_TEMP"]) / "reviewdog-got"
    stand_in = Path(runner["PATH"].split(os.pathsep)[0]) / "reviewdog"
    stand_in.write_text(f'#!/bin/sh\n{{ echo "$@"; cat; }} > "{got}"\n')
    stand_in.chmod(0o755)
    return got


POSTED = "-f=rdjson -name=codeopt -reporter=github-pr-review -filter-mode=nofilter"


@pytest.mark.full
def test_the_workflow_reviews_a_pull_request(
    written: Path, runner: dict[str, str], reviewdog: Path, tmp_path: Path
) -> None:
    """All of its steps on a branch with a slow function: reviewdog gets a faster one."""
    slow = {name: BRANCH[name] for name in ("shop/stock.py", "tests/test_stock.py")}
    work = propose(tmp_path / "work", BASE, slow)
    (job,) = load(written / WORKFLOW)["jobs"].values()
    variables = {**runner, "GITHUB_ACTIONS": "true", "GITHUB_BASE_REF": "main"}
    values = {"github.token": "secret-token", "secrets.OPENAI_API_KEY": ""}
    for step in job["steps"]:
        if "run" in step:
            done = run_step(step, work, variables, values)
            assert done.returncode == 0, done.stderr
    arguments, _, report = reviewdog.read_text().partition("\n")
    assert arguments == POSTED
    (found,) = json.loads(report)["diagnostics"]
    assert found["location"]["path"] == "shop/stock.py"
    better = accepted(slow["shop/stock.py"], found)
    assert better != slow["shop/stock.py"]
    (work / "shop/stock.py").write_text(better)
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "tests"], cwd=work, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout
