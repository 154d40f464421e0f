"""A command line tool of click in src layout: a command that looks for each line in a list of those it has shown."""

from benchmarks.errors.changes import ChangedProject, Replacement

CLI = '''\
"""Lines of files."""

import click

from lines.seen import Seen


@click.group()
def cli() -> None:
    """Lines of files."""


@cli.command()
@click.argument("file", type=click.File())
@click.option("--ignore-case", is_flag=True)
def distinct(file, ignore_case) -> None:
    """Each line once, as it stands first."""
    seen = Seen(ignore_case)
    for line in file:
        if seen.is_new(line.rstrip("\\n")):
            click.echo(line, nl=False)


if __name__ == "__main__":
    cli()
'''
SEEN = '''\
"""Lines that were seen so far."""


class Seen:
    """Lines that were there before."""

    def __init__(self, ignore_case=False):
        self.ignore_case = ignore_case
        self.lines = []

    def is_new(self, line):
        """Whether a line is there for the first time."""
        key = line.casefold() if self.ignore_case else line
        if key in self.lines:
            return False
        self.lines.append(key)
        return True
'''
TEST = """\
from click.testing import CliRunner

from lines.cli import cli


def test_each_line_once(tmp_path):
    (tmp_path / "it").write_text("a\\nA\\na\\n")
    found = CliRunner().invoke(cli, ["distinct", str(tmp_path / "it")])
    assert found.output == "a\\nA\\n"
"""
FILE = "src/lines/seen.py"
TO_SET = (
    Replacement(FILE, "self.lines = []", "self.lines = set()"),
    Replacement(FILE, "self.lines.append(key)", "self.lines.add(key)"),
)
PROJECT = ChangedProject(
    "python -m lines.cli distinct --ignore-case words.txt",
    {"src/lines/__init__.py": "", "src/lines/cli.py": CLI, FILE: SEEN, "tests/test_cli.py": TEST,
     "pyproject.toml": "[project]\nname = 'lines'\nversion = '1'\n[tool.pytest.ini_options]\npythonpath = ['src']\n"},
    right=TO_SET,
    wrong=(*TO_SET, Replacement(FILE, "line.casefold() if self.ignore_case else line", "line")),
    packages=("click", "pytest"),
    data=lambda: {"words.txt": "".join(f"{'Ww'[n // 2300 % 2]}ord {n * 7919 % 2300}\n" for n in range(6000))},
)  # fmt: skip
