"""All flags for a page, an index and a table: `python -m docs.flags` writes them into flags.md."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from codeopt.cli.command_flags import flags_of_all, settings_by_key
from codeopt.cli.main import build_parser
from codeopt.cli.parser import HelpAll, commands_of
from codeopt.core import plugins
from codeopt.core.flag import Flag, FlagUse, SettableBy

FLAGS = Path(__file__).with_name("flags.md")
BEGIN = "<!-- flags: written by python -m docs.flags -->"
END = "<!-- end of flags -->"
_HEAD = "| flag | meaning | default | in `pyproject.toml` | commands |\n|---|---|---|---|---|"
_IN_A_PROJECT = {
    SettableBy.EACH_TIME: "",
    SettableBy.WRITTEN: "inside the project",
    SettableBy.SANDBOX: "not `process`",
    SettableBy.PLUG_IN: "no module, no file",
    SettableBy.RULES: "no module",
    SettableBy.MODEL: "no module, no file",
    SettableBy.USER: "",
    SettableBy.VARIABLES: "`NAME=VALUE`",
    SettableBy.READ: "inside the project",
}


def written_into(page: str) -> str:
    """The page with the table between its two marks."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{index()}\n\n{table()}\n\n{END}{rest.partition(END)[2]}"


def index() -> str:
    """A link to each row, in lines."""
    links = [f"[`{name}`](#{anchor(name)})" for name in _sorted_names()]
    return textwrap.fill(" ".join(links), 120, break_long_words=False, break_on_hyphens=False)


def table() -> str:
    """One row a flag, by name."""
    rows = _rows()
    return "\n".join([_HEAD, *(rows[name] for name in _sorted_names())])


def anchor(name: str) -> str:
    """Name of the place of a flag on the page: `flag-max-rounds`, or of a setting without one: `setting-search`."""
    return f"flag-{name[2:]}" if name.startswith("--") else f"setting-{name}"


def _sorted_names() -> list[str]:
    return sorted(_rows(), key=lambda name: name.removeprefix("--"))


@cache
def _rows() -> Mapping[str, str]:
    rows = dict(_rows_of_commands(_parsers()))
    return rows | {_shown(flag): _row(flag) for flag in flags_of_all() if flag.commands}


def _row(flag: Flag) -> str:
    default = flag.default_in_words
    others = {name: flag.of(name).default_in_words for name, use in flag.commands.items() if _has_default(use)}
    told = "; ".join(filter(None, [default, *(f"{name}: {words}" for name, words in others.items() if words)]))
    names = " ".join(f"`{name}`" for name in (flag.short, _shown(flag)) if name)
    return _cells(_shown(flag), names, flag.help, told, flag.setting, tuple(flag.commands))


def _shown(flag: Flag) -> str:
    return flag.long if flag.has_flag else flag.key


def _has_default(use: FlagUse) -> bool:
    return "unset" in use or "default" in use


def _rows_of_commands(parsers: Mapping[str, argparse.ArgumentParser]) -> Iterator[tuple[str, str]]:
    """Yield rows of flags that only one command has, which the tables above do not contain."""
    found: dict[str, tuple[argparse.Action, list[str]]] = {}
    for command, parser in parsers.items():
        for action in parser._actions:
            long = next((option for option in action.option_strings if option.startswith("--")), "")
            if not long or action.help == argparse.SUPPRESS or isinstance(action, argparse._HelpAction | HelpAll):
                continue
            found.setdefault(long, (action, []))[1].append(command)
    for long, (action, commands) in found.items():
        said = (action.help or "") % {"default": action.default}
        setting = settings_by_key()[long[2:]]
        yield long, _cells(long, f"`{long}`", said, "", setting, tuple(commands))


def _cells(long: str, names: str, meaning: str, default: str, setting: SettableBy, commands: tuple[str, ...]) -> str:
    allowed = _IN_A_PROJECT.get(setting, "yes")
    cells = (f'<a id="{anchor(long)}"></a>{names}', meaning, default, allowed, ", ".join(sorted(commands)))
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def _parsers() -> Mapping[str, argparse.ArgumentParser]:
    commands = {name: plugins.load("codeopt.commands", name) for name in plugins.names("codeopt.commands")}
    return commands_of(build_parser(commands))


if __name__ == "__main__":
    FLAGS.write_text(written_into(FLAGS.read_text("utf-8")), "utf-8")
