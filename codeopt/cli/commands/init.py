"""Write the configuration for GitHub, GitLab or pre-commit.

Only new files are written; what belongs into a file that is there already goes to standard output.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from codeopt.cli.command import command
from codeopt.core.errors import UsageError
from codeopt.core.plugins import install_command
from codeopt.core.version import __version__
from codeopt_sandbox.plain_files import read_text


@dataclass(frozen=True)
class CiTemplate:
    """One file to write."""

    path: str
    text: str
    """The name of its text in codeopt/cli/ci_templates."""
    shared: bool = False
    """Others have their lines in it too: it is never replaced."""


TEMPLATES = {
    "github": (CiTemplate(".github/workflows/codeopt.yml", "github.yml"),),
    "gitlab": (
        CiTemplate(".gitlab/codeopt.yml", "gitlab.yml"),
        CiTemplate(".gitlab-ci.yml", "gitlab-ci.yml", shared=True),
    ),
    "pre-commit": (CiTemplate(".pre-commit-config.yaml", "pre-commit.yaml", shared=True),),
    "mcp": (
        CiTemplate(".mcp.json", "mcp.json", shared=True),
        CiTemplate(".cursor/mcp.json", "mcp.json", shared=True),
        CiTemplate(".vscode/mcp.json", "vscode-mcp.json", shared=True),
    ),
}
NEXT = {
    "github": "add OPENAI_API_KEY to the repository's secrets if a model is to write the changes, not rules alone",
    "gitlab": "add the masked variables REVIEWDOG_GITLAB_API_TOKEN for comments, OPENAI_API_KEY for a model",
    "pre-commit": "pre-commit install --hook-type pre-push",
    "mcp": "start your agent in this folder",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--github", action="store_true", help="a GitHub Actions workflow that reviews pull requests")
    parser.add_argument("--gitlab", action="store_true", help="a GitLab CI job that reviews merge requests")
    parser.add_argument("--pre-commit", action="store_true", help="a pre-commit hook that needs no model")
    told = "what CI installs: git+URL@COMMIT, a wheel, codeopt==VERSION [default: as here]"
    parser.add_argument("--source", metavar="WHERE", help=told)
    parser.add_argument("--mcp", action="store_true", help="codeopt mcp in the files that coding agents read")
    parser.add_argument("--force", action="store_true", help="replace files that an earlier `codeopt init` wrote")


@command(
    examples=(
        "codeopt init --github",
        "codeopt init --gitlab --source git+https://example.org/codeopt@0123456789012345678901234567890123456789",
    )
)
def run(arguments: argparse.Namespace) -> int:
    """Write the files below the current folder. Raises UsageError where one is in the way."""
    kinds = [kind for kind in TEMPLATES if getattr(arguments, kind.replace("-", "_"))]
    if not kinds:
        raise UsageError("no system is named", hint="codeopt init --github, --gitlab, --pre-commit, --mcp")
    templates = [template for kind in kinds for template in TEMPLATES[kind]]
    root = Path.cwd()
    source, setup = source_of(arguments.source, root), find_setup(root)
    for template in templates:
        _refuse(root, template, arguments.force)
    for template in templates:
        _write(root, template, _text(template, source, setup))
    for line in _told(source, arguments.source, setup) if {*kinds} - {"pre-commit", "mcp"} else ():
        print(line, file=sys.stderr)
    for kind in kinds:
        print(f"Next: {NEXT[kind]}", file=sys.stderr)
    if "mcp" in kinds and not find_spec("mcp"):
        print(f"      before that: {install_command('mcp')}", file=sys.stderr)
    return 0


def _refuse(root: Path, template: CiTemplate, force: bool) -> None:
    path = root / template.path
    if path.is_symlink() or any((root / folder).is_symlink() for folder in Path(template.path).parents):
        raise UsageError(f"{template.path} leads elsewhere: nothing is written through a symbolic link")
    if path.exists() and not template.shared and not force:
        raise UsageError(f"{template.path} exists", hint="--force replaces it")


def _told(source: str, given: str | None, setup: ProjectSetup) -> Iterator[str]:
    """The facts found about the project, and their sources. given: the source that the user named."""
    yield f"the project is installed by {setup.tool}" + (f", from {', '.join(setup.keys)}" if setup.keys else "")
    if given is not None:
        yield f"codeopt is installed from {source}"
    elif _installed_from():
        yield f"codeopt is installed from {source}, as it is here"
    elif not _noted():
        yield f"codeopt is installed from {source}, as it is here: from your package index"
    else:  # a checkout, a folder or a file of this machine: nothing says that its release is anywhere else
        yield (
            f"codeopt would be installed from {source}, but this one was not: it is a checkout or a file. "
            "Unless your package index has that release, the job fails at its first step: name a source that is there, "
            "--source git+URL@COMMIT or a wheel of the repository"
        )


def _write(root: Path, template: CiTemplate, text: str) -> None:
    """The file; of a shared one that is there, what to add to it."""
    from codeopt.core.program import write_whole

    path = root / template.path
    if template.shared and path.exists():
        if text in read_text(path, "replace"):
            return
        print(f"add this to {template.path}:", file=sys.stderr)
        print(text, end="")
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write {template.path}: {error.strerror}") from error
    write_whole(path, text)
    print(f"wrote {template.path}", file=sys.stderr)


def _text(template: CiTemplate, source: str, setup: ProjectSetup) -> str:
    """One of the texts that come with the package, for this project."""
    text = _template(template.text)
    if template.text == "github.yml":
        project = [" " * 10 + line for line in setup.shell('"$RUNNER_TEMP/project"', '"$RUNNER_TEMP/tools"')]
    else:
        project = []
        for line in setup.shell("/opt/project", "/opt/tools"):
            if ": " in line or line[:1] in "\"'@[{":  # YAML would read something else
                line = "'" + line.replace("'", "''") + "'"
            project.append(f"    - {line}")
    values = {"SOURCE": source, "PROJECT_PYTHON": _project_python(setup), "PROJECT": "\n".join(project)}
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text


def _template(name: str) -> str:
    return (files("codeopt.cli") / "ci_templates" / name).read_text("utf-8")


def _project_python(setup: ProjectSetup) -> str:
    """The project's own Python, after codeopt has got its one; with a cache of what pip and the others download."""
    if not setup.version_file:
        return ""
    lines = [
        "      - uses: actions/setup-python@5fda3b95a4ea91299a34e894583c3862153e4b97 # v7.0.0",
        "        with:",
        f"          python-version-file: {setup.version_file}",
    ]
    if setup.keys:
        lines += [
            "          cache: pip",
            "          cache-dependency-path: |",
            *(f"            {key}" for key in setup.keys),
        ]
    return "\n".join([*lines, ""])


# The source from which CI installs codeopt: that of `--source`, else that of this very installation.


PINNED = re.compile(r"git\+(https|ssh|file)://[\w.~:/@%+-]+@[0-9a-f]{40}")
RELEASE = re.compile(r"codeopt==\d[\w.+!-]*")
WHEEL = re.compile(r"(https://)?[\w.~:/%+-]+\.whl")


def source_of(given: str | None, root: Path) -> str:
    """The requirement for pip: nothing that moves, and nothing that a shell would read. Raises UsageError.

    root: folder that a wheel lies in.
    """
    if given is None:
        return _installed_from() or f"codeopt=={__version__}"
    if not any(kind.fullmatch(given) for kind in (PINNED, RELEASE, WHEEL)):
        hint = "give git+URL@COMMIT with all 40 digits of a commit, a wheel, or codeopt==VERSION"
        raise UsageError(f"--source {given} cannot be installed", hint=hint)
    if WHEEL.fullmatch(given) and not given.startswith("https://") and not (root / given).is_file():
        raise UsageError(f"--source {given}: this folder has no such wheel", hint="CI installs it from this folder")
    return given


def _noted() -> dict[str, Any]:
    """pip's record of the source of this installation (direct_url.json). Empty for a package index."""
    try:
        noted = distribution("codeopt").read_text("direct_url.json")
    except PackageNotFoundError:
        return {"url": "file:///"}  # it is run from its folder
    found: dict[str, Any] = json.loads(noted or "{}")
    return found


def _installed_from() -> str:
    """`git+URL@COMMIT` where pip noted that. Empty for a release, a checkout, an archive."""
    found = _noted()
    source = f"git+{found.get('url')}@{found.get('vcs_info', {}).get('commit_id')}"
    return source if PINNED.fullmatch(source) else ""


# Commands that install a project for its tests: by the tool of its lock file, else by pip from its requirements.


LOCKS = {"uv.lock": "uv", "poetry.lock": "poetry", "pdm.lock": "pdm"}
EXTRA = {"uv": " --extra ", "poetry": " --extras ", "pdm": " --group "}
FOR_TESTS = ("test", "tests", "testing", "dev")
"""Extras and dependency groups of these names are what tests need."""
REQUIREMENTS = re.compile(r"((dev|tests?|testing)[-_.])?requirements([-_.](dev|tests?|testing))?\.(txt|in)")


@dataclass(frozen=True)
class ProjectSetup:
    """The commands that make an environment, with `@ENV@` for its folder and `@TOOLS@` for one of a tool's own."""

    tool: str
    """uv, poetry, pdm or pip."""
    commands: tuple[str, ...]
    keys: tuple[str, ...] = ()
    """Files that change when the environment does."""
    version_file: str = ""
    """The file that says which Python. Empty without such a file."""

    def shell(self, env: str, tools: str) -> list[str]:
        """The commands, for these folders."""
        return [command.replace("@ENV@", env).replace("@TOOLS@", tools) for command in self.commands]


def find_setup(root: Path) -> ProjectSetup:
    """Find how to install the project in a folder. Raises UsageError for a pyproject.toml that cannot be read."""
    table = _pyproject(root)
    tool, lock = next(((tool, name) for name, tool in LOCKS.items() if (root / name).is_file()), ("pip", ""))
    extras = _named(table.get("project", {}).get("optional-dependencies", {}))
    groups = _named(table.get("dependency-groups", {}))
    version_file = _version_file(root, table)
    if tool != "pip":
        options = "".join(EXTRA[tool] + name for name in extras)
        commands = _template(f"{tool}.sh").replace("@EXTRAS@", options).splitlines()
        return ProjectSetup(tool, tuple(commands), (lock,), version_file)
    files = sorted(path.name for path in root.iterdir() if path.is_file() and REQUIREMENTS.fullmatch(path.name))
    installable = "project" in table or "build-system" in table or (root / "setup.py").is_file()
    what = [f"-r {name}" for name in files if name.endswith(".txt")] + [f"--group {name}" for name in groups]
    if installable:
        what.append(f'-e ".[{",".join(extras)}]"' if extras else "-e .")
    keys = (*files, *(["pyproject.toml"] if table else []))
    return ProjectSetup("pip", tuple(_pip(what, newest=bool(groups))), keys, version_file)


def _pip(what: list[str], *, newest: bool) -> Iterable[str]:
    yield "python -m venv @ENV@"
    if newest:  # --group is there from pip 25.1 on
        yield "@ENV@/bin/pip install --quiet --upgrade pip"
    if what:
        yield f"@ENV@/bin/pip install --quiet pytest {' '.join(what)}"
        return
    yield "@ENV@/bin/pip install --quiet pytest"
    yield "if [ -f requirements.txt ]; then @ENV@/bin/pip install --quiet -r requirements.txt; fi"


def _named(table: Mapping[str, Any]) -> list[str]:
    return [name for name in FOR_TESTS if name in table]


def _version_file(root: Path, table: Mapping[str, Any]) -> str:
    if (root / ".python-version").is_file():
        return ".python-version"
    by_poetry = table.get("tool", {}).get("poetry", {}).get("dependencies", {}).get("python")
    return "pyproject.toml" if table.get("project", {}).get("requires-python") or by_poetry else ""


def _pyproject(root: Path) -> dict[str, Any]:
    path = root / "pyproject.toml"
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(read_text(path))
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {path}: {error}") from error
