"""Arguments of tools that are options: name, type, default and help are those of the table of options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

from pydantic import Field

from codeopt.cli.command_flags import flags_of_all
from codeopt.core.converters import texts
from codeopt.core.flag import Flag, FlagUse

Place = Annotated[str, Field(max_length=4096)]
Places = Annotated[list[Place], Field(max_length=100)]
_TYPES: Mapping[Callable[..., Any], Any] = {Path: Place, texts: Places}
"""Types of arguments whose converter says another one than a client can send."""
_LIMITS: Mapping[str, Any] = {
    "max_rounds": Field(ge=1, le=50), "max_seconds": Field(gt=0, le=3600), "max_functions": Field(ge=1, le=100),
    "min_share": Field(ge=0, le=1), "run": Field(max_length=4096), "fail_if_slower": Field(ge=0, lt=100),
    "min_gain": Field(gt=0, lt=100),
}  # fmt: skip
"""Bounds of what a client may ask for, where they are narrower than the option's own."""
F = TypeVar("F", bound=Callable[..., Any])


def with_options(names: str, **changed: FlagUse) -> Callable[[F], F]:
    """Give a tool, which takes `**options`, the options of these names; changed: what differs for the tool."""
    rows = {row.name: row for row in flags_of_all()}
    more = [_parameter(replace(rows[name], **changed.get(name, {}))) for name in names.split()]

    def decorate(function: F) -> F:
        own = inspect.signature(function, eval_str=True)
        first = [
            parameter for parameter in own.parameters.values() if parameter.kind is not inspect.Parameter.VAR_KEYWORD
        ]
        function.__signature__ = own.replace(parameters=[*first, *more])  # type: ignore[attr-defined]
        return function

    return decorate


def _parameter(row: Flag) -> inspect.Parameter:
    says = row.convert if isinstance(row.convert, type) else get_type_hints(row.convert)["return"]
    kind: Any = _TYPES.get(row.convert, says)
    told = Field(description=row.help[:1].upper() + row.help[1:])
    limited: Any = Annotated[kind, _LIMITS[row.name]] if row.name in _LIMITS else kind
    annotation: Any = Annotated[limited | None if row.default is None else limited, told]
    return inspect.Parameter(row.name, inspect.Parameter.KEYWORD_ONLY, default=row.default, annotation=annotation)
