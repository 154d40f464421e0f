"""One row of the table of options, what turns its words into a value, and the files of settings that hold some."""

from __future__ import annotations

import ast
import math
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, dataclass, field, replace
from enum import Enum, auto
from pathlib import Path
from typing import Any, TypedDict

from codeopt.core.errors import UsageError
from codeopt.core.ownership import read_given, require_own, top_of
from codeopt.core.sanitize import inline
from codeopt_sandbox.comparing import Observable
from codeopt_sandbox.plain_files import read_text
from codeopt_sandbox.verdict import open_checker

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


def text(value: Any) -> str:
    """A text or a path, as text. Raises TypeError."""
    found: str = os.fspath(value)
    return found


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


# Converters of option values, the same for flags, variables, settings and keywords of the Python API.

MIN_EXAMPLES = 10
"""Fewest generated inputs that say anything."""
_NO_PART: dict[type[ast.AST], str] = {
    ast.Await: "`await`", ast.Yield: "`yield`", ast.YieldFrom: "`yield`", ast.NamedExpr: "`:=`",
}  # fmt: skip
"""Parts that no expression may have."""
_UNITS_S = {"s": 1.0, "m": 60.0, "h": 3600.0}


class BadValue(ValueError):
    """Error for an invalid value of the right type. Its message has the reason."""


def positive(value: Any) -> float:
    """A number above zero. Raises ValueError."""
    number = float(value)
    if not 0 < number < math.inf:
        raise BadValue(f"{value} is not a number above zero")
    return number


def duration(value: Any) -> float:
    """Seconds of 90, 90s, 15m or 1h. Raises ValueError."""
    if isinstance(value, str) and value[-1:] in _UNITS_S:
        return positive(value[:-1]) * _UNITS_S[value[-1]]
    return positive(value)


def count_or_zero(value: Any) -> int:
    """A whole number, 0 or more. Raises ValueError."""
    return 0 if str(value) == "0" else count(value)


def count(value: Any) -> int:
    """A whole number above zero. Raises ValueError."""
    number = int(value)
    if number < 1 or number != float(value):
        raise BadValue(f"{value} is not a whole number above zero")
    return number


def examples(value: Any) -> int:
    """A whole number, MIN_EXAMPLES or more. Raises ValueError."""
    number = count(value)
    if number < MIN_EXAMPLES:
        raise BadValue(f"{value} are too few to say anything; at least {MIN_EXAMPLES}")
    return number


def share(value: Any) -> float:
    """5% or 0.05. Raises ValueError."""
    percent = isinstance(value, str) and value.endswith("%")
    try:
        number = float(value[:-1]) / 100 if percent else float(value)
    except ValueError:
        number = math.nan
    if not 0 <= number < 100:
        raise BadValue(f"{value} is not a share such as 5% or 0.05")
    return number


def share_above_zero(value: Any) -> float:
    """5% or 0.05, and more than nothing. Raises ValueError."""
    if not (found := share(value)):
        raise BadValue(f"{value} is not above zero")
    return found


def checker_name(value: Any) -> str:
    """tokens, exact, float:TOLERANCE or FILE::accept. Raises ValueError."""
    file, separator, function = str(value).rpartition("::")
    if not separator:
        try:
            open_checker(str(value))
        except ValueError as error:
            raise BadValue(str(error)) from error
        return str(value)
    # It must be a function at the top of a Python file, which is read and not run.
    try:
        tree = ast.parse(read_given(Path(file)))
    except OSError as error:
        raise BadValue(f"cannot read {file}: {error.strerror}") from error
    except (SyntaxError, ValueError) as error:
        raise BadValue(f"{file} is no Python file: {error}") from error
    if not any(isinstance(node, ast.FunctionDef) and node.name == function for node in tree.body):
        raise BadValue(f"{file} defines no function {function!r}")
    return str(value)


def expression(value: Any) -> str:
    """Return a Python expression, which is only read. Empty for none. Raises ValueError."""
    found = str(value).strip()
    try:
        tree = ast.parse(found, mode="eval") if found else ast.Constant(None)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        raise BadValue(f"{inline(found)!r} is no Python expression: {said}") from error
    kind = next((_NO_PART[type(node)] for node in ast.walk(tree) if type(node) in _NO_PART), "")
    if kind:
        raise BadValue(f"{inline(found)!r} must only look at the arguments: it may not have {kind}")
    return found


def names(value: Any) -> tuple[str, ...]:
    """The parts of a text between commas, or of a sequence, without blanks around them."""
    parts = value.split(",") if isinstance(value, str) else value
    return tuple(part.strip() for part in parts if part.strip())


def observables(value: Any) -> tuple[Observable, ...]:
    """Parts of answers by their names. Raises ValueError."""
    return tuple(map(Observable, names(value)))


def texts(value: Any) -> tuple[str, ...]:
    """A sequence of texts or paths. Raises ValueError."""
    if isinstance(value, str):
        raise BadValue("must be a sequence of texts")
    return tuple(os.fspath(each) for each in value)


def paths(value: Any) -> tuple[Path, ...]:
    """One path or several."""
    one = isinstance(value, str | os.PathLike)
    return tuple(Path(os.fspath(each)) for each in ([value] if one else value))


MAX_BYTES = 4 << 20
"""Most bytes of a file of settings."""


def read_settings(start: Path) -> tuple[dict[str, Any], Path | None]:
    """[tool.codeopt] of the nearest pyproject.toml at or above `start`, and where that was. Raises UsageError."""
    for folder in (start, *start.parents):
        path = folder / "pyproject.toml"
        if os.path.lexists(path):
            table = _loaded(path).get("tool", {}).get("codeopt", {})
            return (table if isinstance(table, dict) else {}), path
    return {}, None


def user_file() -> Path | None:
    """Return the path of the user's own settings, None for a user without a home. Their keys are at the top level."""
    named = Path(os.environ.get("XDG_CONFIG_HOME") or "")
    home = os.path.expanduser("~")  # noqa: PTH111 - Path.home() raises where there is none
    folder = named if named.is_absolute() else Path(home, ".config")
    return folder / "codeopt" / "config.toml" if folder.is_absolute() else None


def read_user_settings() -> tuple[dict[str, Any], Path | None]:
    """The user's own settings, and where they are. Raises UsageError; also for a file that came with the project, whose
    folder is the user's home."""
    path = user_file()
    if path is None or not os.path.lexists(path):
        return {}, None
    if path.resolve().is_relative_to(top_of(Path.cwd())):
        require_own(path, f"the file {path}")
    return _loaded(path), path


def _loaded(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(path, limit=MAX_BYTES))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"cannot read {path}: {error}") from error
