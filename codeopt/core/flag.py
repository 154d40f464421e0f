"""One row of the table of options: everything that the command line, a variable, a setting and a page say of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, replace
from enum import Enum, auto
from typing import Any, TypedDict

from codeopt.core.converters import text

PREFIX = "CODEOPT_"
"""Beginning of each environment variable that is a setting."""


class SettableBy(Enum):
    """Whether pyproject.toml and the environment may give a value; the file may have been downloaded with a project."""

    PROJECT = auto()
    """The file and the environment may give it."""
    OF_A_CHANGE = auto()
    """As PROJECT, even in a change under review: it reaches no money, key, server, file or sandbox, and does not decide
    which drafts are right."""
    EACH_TIME = auto()
    """The command line alone gives it, each time."""
    WRITTEN = auto()
    """As PROJECT; a path in a project's file must lie inside of the project."""
    SANDBOX = auto()
    """As PROJECT; `process`, which isolates nothing, is refused in a project's file."""
    PLUG_IN = auto()
    """As PROJECT; a module or a file, which is loaded unprotected, is refused in a project's file."""
    RULES = auto()
    """Sources of OF_A_CHANGE, but no rule by its dotted path from a project's file: it is loaded unprotected."""
    MODEL = auto()
    """As PLUG_IN, where a dot alone makes no module: `gpt-4.1`."""
    SECRET = auto()
    """The environment may give it, and no file: it names a secret of the user's."""
    PYTHON = auto()
    """As PROJECT; an interpreter that git tracks is refused in a project's file."""


class FlagKind(Enum):
    """How often a flag is given and with how many values."""

    VALUE = auto()
    SWITCH = auto()
    LIST = auto()
    """Given once for each value."""
    PAIR = auto()
    """Two values."""


class FlagUse(TypedDict, total=False):
    """Fields of a Flag that are different for one command."""

    help: str
    unset: str
    default: Any
    choices: tuple[str, ...]
    metavar: str | tuple[str, ...] | None
    short: str
    group: str
    aliases: tuple[str, ...]
    required: bool


def on(commands: str, **changed: FlagUse) -> dict[str, FlagUse]:
    """Commands that have a flag: `on("improve batch", review=FlagUse(short="-m"))`."""
    return {**{name: FlagUse() for name in commands.split()}, **changed}


@dataclass(frozen=True)
class Flag:
    """An option of one or more commands."""

    name: str
    """Field of ImproveOptions, or attribute of the parsed arguments."""
    help: str
    """A line that makes sense without the flag's name; the default is not part of it."""
    convert: Callable[[Any], Any] = text
    """Makes the value of what was given; for a list, of all that was given. Raises ValueError, TypeError."""
    item: Callable[[Any], Any] = text
    """Makes one value of a list."""
    default: Any = None
    unset: str = ""
    """The behaviour without the flag, in words, where the default does not say it."""
    option: str = ""
    """The long option; empty: the name with dashes."""
    short: str = ""
    metavar: str | tuple[str, ...] | None = None
    choices: tuple[str, ...] = ()
    kind: FlagKind = FlagKind.VALUE
    group: str = ""
    """Heading in --help-all; empty: none of its own."""
    commands: Mapping[str, FlagUse] = field(default_factory=dict)
    """Commands that have it, each with what differs there."""
    setting: SettableBy = SettableBy.PROJECT
    aliases: tuple[str, ...] = ()
    """Old long options, hidden from help, which still work."""
    required: bool = False

    @property
    def long(self) -> str:
        """`--max-rounds`."""
        return self.option or f"--{self.name.replace('_', '-')}"

    @property
    def key(self) -> str:
        """Key in [tool.codeopt]; empty where the flag is no setting."""
        return "" if self.setting is SettableBy.EACH_TIME else self.long.removeprefix("--")

    @property
    def default_in_words(self) -> str:
        """The behaviour without the flag; empty for a switch and where nothing is to be said."""
        if self.unset or self.default in (None, "", ()) or isinstance(self.default, bool):
            return self.unset
        return f"{self.default:g}" if isinstance(self.default, float) else str(self.default)

    def of(self, command: str) -> Flag:
        """The flag as a command has it."""
        return replace(self, **self.commands[command])


def variable(key: str) -> str:
    """The environment variable of a key: CODEOPT_MAX_ROUNDS for `max-rounds`."""
    return PREFIX + key.upper().replace("-", "_")


def option(default: Any, help: str, convert: Callable[[Any], Any] = text, **more: Any) -> Any:
    """A field of a dataclass that is a row of the table; `more` are fields of Flag."""
    return field(default=default, metadata={"flag": {"help": help, "convert": convert, **more}})


def flag_of(row: Field[Any]) -> Flag:
    """The row of the table that a field made by `option` is."""
    return Flag(name=row.name, default=row.default, **row.metadata["flag"])
