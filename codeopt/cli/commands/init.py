"""Write the configuration for GitHub, GitLab or pre-commit.

Only new files are written; what belongs into a file that is there already goes to standard output.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from codeopt.cli.command import command
from codeopt.cli.install_source import SourceOrigin, origin_of, source_of
from codeopt.cli.project_setup import ProjectSetup, find_setup
from codeopt.core.errors import UsageError
from codeopt.core.plugins import install_command
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
    parser.add_argument(
        "--source",
        metavar="WHERE",
        help="what CI installs: git+URL@COMMIT, a wheel, codeopt==VERSION [default: as here]",
    )
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
    for line in _told(source, origin_of(arguments.source), setup) if {*kinds} - {"pre-commit", "mcp"} else ():
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


def _told(source: str, origin: SourceOrigin, setup: ProjectSetup) -> Iterator[str]:
    """The facts found about the project, and their sources."""
    yield f"the project is installed by {setup.tool}" + (f", from {', '.join(setup.keys)}" if setup.keys else "")
    if origin is SourceOrigin.LOCAL:
        yield (
            f"codeopt would be installed from {source}, but this one was not: it is a checkout or a file. "
            "Unless your package index has that release, the job fails at its first step: name a source that is there, "
            "--source git+URL@COMMIT or a wheel of the repository"
        )
        return
    where = {SourceOrigin.INDEX: ", as it is here: from your package index", SourceOrigin.REPOSITORY: ", as it is here"}
    yield f"codeopt is installed from {source}{where.get(origin, '')}"


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
    from importlib.resources import files

    text = (files("codeopt.cli") / "ci_templates" / template.text).read_text("utf-8")
    if template.text == "github.yml":
        project = [" " * 10 + line for line in setup.shell('"$RUNNER_TEMP/project"', '"$RUNNER_TEMP/tools"')]
    else:
        project = [f"    - {_scalar(line)}" for line in setup.shell("/opt/project", "/opt/tools")]
    values = {"SOURCE": source, "PROJECT_PYTHON": _project_python(setup), "PROJECT": "\n".join(project)}
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text


def _scalar(line: str) -> str:
    """A line as YAML: quoted where it would mean something else."""
    return "'" + line.replace("'", "''") + "'" if ": " in line or line[:1] in "\"'@[{" else line


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
