"""The list of codeopt's own commands, told without loading one of them."""

from __future__ import annotations

from codeopt.cli.parser import CommandParser
from codeopt.core import plugins
from codeopt.core.version import __version__

EXAMPLES = (
    "codeopt improve slow.py                      a program, with the cases beside it",
    "codeopt improve mod.py::f --model gpt-5      a function, by a language model",
    "codeopt compare old.py new.py                which is faster, and is it right?",
    "codeopt COMMAND --help                       flags and examples of each",
)
SUMMARIES = {
    "improve": "Improve a program: draft, run, compare, profile, critique, refine.",
    "compare": (
        "Compare two programs: which is faster, by how much, and how sure; or, with --base, all that a change touches."
    ),
    "profile": "Profile a program on its longest case: hot lines with their source, Python/native split, memory.",
    "review": (
        "Suggest improvements of what a change touches, measured and verified: for a pull request, before it is merged."
    ),
    "check": (
        "Say which functions are slow under their tests and what the built-in rules would do: a gate that asks no"
        " model."
    ),
    "findings": "List the verdicts that are kept of this project: what can be faster, since when, and if it holds.",
    "batch": (
        "Improve every program of a problem set, with one table at the end; the same command again goes on where "
        "it stopped."
    ),
    "record": (
        "Record real calls of a function: those of your own command, or of the project's tests where none is given."
    ),
    "report": (
        "Show what a batch or a run has found: tables, JSON, CSV, one HTML page; a batch also beside another one."
    ),
    "runs": "List the saved runs, the newest first.",
    "show": "Show a saved run: each draft, what came of it, what it cost; as text, JSON or one HTML page.",
    "diff": "Print what a saved run would change, as a unified diff that `git apply` and `patch -p1` take.",
    "apply": "Put the result of a saved run in place, if the file still is what the run began with.",
    "clean": "Empty the store of evidence, from which the next command takes what it knows of an unchanged original.",
    "import": "Turn a foreign data set into one that `codeopt batch` runs, and note what was left out and why.",
    "doctor": (
        "Examine this machine: its own share of false alarms, the sandbox's promises and costs, and what is missing."
    ),
    "sandbox": (
        "Run a program on its cases, isolated, and judge it, no more; `codeopt sandbox check` tries the sandbox itself."
    ),
    "rules": "List the built-in rewrite rules, explain one with its example, or all of them on a file.",
    "init": "Write what a CI system needs to review changes: a workflow, a job, a hook.",
    "refine": (
        "Refine a text: a task of the Self-Refine paper (acronym, sentiment_reversal, ...), or your own, on one input."
    ),
    "mcp": (
        "Serve coding agents: tools to profile, compare, improve and check code of this project (Model Context "
        "Protocol)."
    ),
    "lsp": (
        "Serve an editor: slow functions as diagnostics and lenses, verified changes as code actions (language server)."
    ),
    "completion": "Print what makes a shell complete commands, flags and their values.",
    "tasks": "List the tasks that there are, or write a file for one of your own.",
    "schema": "Print the JSON Schema of what a command prints with --json.",
}
"""Commands that codeopt itself brings, in the order of the help, and the first line of each one's docstring."""


def top_parser() -> CommandParser:
    """The parser of `codeopt` without its commands."""
    parser = CommandParser("codeopt", description="Faster Python programs, measured and verified.", allow_abbrev=False)
    parser.examples = EXAMPLES
    parser.add_argument("--version", action="version", version=f"codeopt {__version__}")
    return parser


def list_of_commands() -> str:
    """The help of `codeopt`, of its own commands alone."""
    parser = top_parser()
    choices = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, line in SUMMARIES.items():
        choices.add_parser(name, help=line)
    return parser.format_help()


def no_others() -> bool:
    """No other package brings a command, which would have to be loaded to say what it is."""
    entries = plugins.installed("codeopt.commands")
    return SUMMARIES.keys() == set(plugins.names("codeopt.commands")) and all(
        entry.value.startswith("codeopt.") for entry in entries
    )
