"""One row of the table of options: everything that the command line, a variable, a setting and a page say of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, dataclass, field, replace
from enum import Enum, auto
from typing import Any, TypedDict

from codeopt.core.converters import text

PREFIX = "CODEOPT_"
"""Beginning of each environment variable that is a setting."""


class SettableBy(Enum):
    """Sources that may set a value. A project's pyproject.toml may come with a download."""

    PROJECT = auto()
    """The file and the environment may give it."""
    OF_A_CHANGE = auto()
    """Like PROJECT, even in a change under review. It reaches no money, key, server, file or sandbox, and does not
    decide which candidates are right.
    """
    EACH_TIME = auto()
    """The command line alone gives it, each time."""
    WRITTEN = auto()
    """PROJECT, but a path in a project's file must lie inside of the project."""
    SANDBOX = auto()
    """PROJECT, but `process`, which isolates nothing, is refused in a project's file."""
    PLUG_IN = auto()
    """PROJECT, but a module or a file, which is loaded unprotected, is refused in a project's file."""
    RULES = auto()
    """Sources of OF_A_CHANGE, but no rule by its dotted path from a project's file: it is loaded unprotected."""
    MODEL = auto()
    """Like PLUG_IN, except that a dot alone does not make it a module: `gpt-4.1`."""
    USER = auto()
    """The environment and the user's own file may give it, a project's file may not.

    It names a server, a secret, a weaker sandbox, or a file to write in a place that the user does not look at.
    """
    VARIABLES = auto()
    """PROJECT, but NAME alone, which passes a variable of the user's on, is refused in a project's file."""
    READ = auto()
    """PROJECT, but a path in a project's file must lie inside of the project, and hold no secret by its name."""


class FlagKind(Enum):
    """Number of times that a flag is given, and number of its values."""

    VALUE = auto()
    SWITCH = auto()
    LIST = auto()
    """Given once for each value."""
    PAIR = auto()


class FlagUse(TypedDict, total=False):
    """Fields of a Flag that are different for one command."""

    help: str
    unset: str
    default: Any
    choices: tuple[str, ...]
    metavar: str | tuple[str, ...] | None
    group: str
    required: bool


def uses(names: str, **changed: FlagUse) -> dict[str, FlagUse]:
    """Flags of a command, or commands of a flag: `uses("improve batch", review=FlagUse(help="of all functions"))`."""
    return {**{name: FlagUse() for name in names.split()}, **changed}


def under(group: str, names: str) -> dict[str, FlagUse]:
    """Uses of flags below another heading."""
    return {name: FlagUse(group=group) for name in names.split()}


@dataclass(frozen=True)
class Flag:
    """An option of one or more commands."""

    name: str
    """Field of ImproveOptions, or attribute of the parsed arguments."""
    help: str
    """A line that makes sense without the flag's name and leaves out the default."""
    convert: Callable[[Any], Any] = text
    """Makes the value of what was given; for a list, of all that was given. Raises ValueError, TypeError."""
    item: Callable[[Any], Any] | None = None
    """Makes one value of a list; None: it is no list."""
    default: Any = None
    unset: str = ""
    """Description of the behaviour without the flag, if the default does not show it."""
    option: str = ""
    """The long option. Empty: the name with dashes."""
    short: str = ""
    metavar: str | tuple[str, ...] | None = None
    choices: tuple[str, ...] = ()
    group: str = ""
    """Heading in --help-all. Empty: it has no heading."""
    commands: Mapping[str, FlagUse] = field(default_factory=dict)
    """Commands that have it, each with what differs there."""
    setting: SettableBy = field(kw_only=True)
    """Sources of the value, for every flag.

    Alone or together with others, a project's file may reach no secret, server, file outside of the project, or weaker
    sandbox.
    """
    required: bool = False
    has_flag: bool = True
    """False: [tool.codeopt] or the variable alone gives it, under the same name."""

    @property
    def kind(self) -> FlagKind:
        """Number of its values."""
        if self.item is not None:
            return FlagKind.LIST
        if isinstance(self.metavar, tuple):
            return FlagKind.PAIR
        return FlagKind.SWITCH if self.default is False else FlagKind.VALUE

    @property
    def long(self) -> str:
        """`--max-rounds`."""
        return self.option or f"--{self.name.replace('_', '-')}"

    @property
    def key(self) -> str:
        """Key in [tool.codeopt]. Empty if the flag is not a setting."""
        return "" if self.setting is SettableBy.EACH_TIME else self.long.removeprefix("--")

    @property
    def default_in_words(self) -> str:
        """Return the behaviour without the flag. Empty for a switch, and for a default without a description."""
        if self.unset or self.default in (None, "", ()) or isinstance(self.default, bool):
            return self.unset
        return f"{self.default:g}" if isinstance(self.default, float) else str(self.default)

    def of(self, command: str) -> Flag:
        return replace(self, **self.commands[command])


def variable(key: str) -> str:
    """The environment variable of a key: CODEOPT_MAX_ROUNDS for `max-rounds`."""
    return PREFIX + key.upper().replace("-", "_")


def option(
    default: Any,
    metavar: str | None,
    help: str,
    convert: Callable[[Any], Any] = text,
    *,
    setting: SettableBy = SettableBy.PROJECT,
    choices: Iterable[str] = (),
    **more: Any,
) -> Any:
    """Make a field of a dataclass that is a row of the table. `more` are fields of Flag."""
    row = {"metavar": metavar or None, "help": help, "convert": convert, "setting": setting, "choices": tuple(choices)}
    return field(default=default, metadata={"flag": row | more})


def flag_of(row: Field[Any], commands: Mapping[str, Mapping[str, FlagUse]]) -> Flag:
    """The row of the table that a field made by `option` is. commands: the flags of each."""
    own = {command: flags[row.name] for command, flags in commands.items() if row.name in flags}
    return Flag(name=row.name, default=row.default, commands=own, **row.metadata["flag"])
