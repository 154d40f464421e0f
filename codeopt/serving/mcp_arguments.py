"""Tools that check their arguments: an unknown, missing or ill-typed one is an error in one line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations
from pydantic import ValidationError

from codeopt.core.sanitize import inline

MAX_NAME_CHARS = 60
"""Longest part of a client's own name of an argument that is quoted, characters."""
MAX_PROBLEMS = 5
"""Largest number of shown problems of one call."""
_SUBJECT = re.compile(r"^(Input|Value|String|List) ")
"""Subject of pydantic's messages, which the argument's name replaces."""


class CheckedTool(Tool):
    """A tool whose arguments are exactly those of its schema, with their types.

    The SDK itself ignores unknown arguments, reads "yes" as true, and answers a wrong one with pydantic's text of
    several lines. Lists that a client sends as JSON in a string are accepted, as some clients always send them so.
    """

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        """Check the arguments, then run the tool. Raises ToolError with one line."""
        if problems := self.problems(arguments):
            raise ToolError(f"{self.name}: {'; '.join(problems[:MAX_PROBLEMS])}")
        return await super().run(arguments, context, convert_result)

    def problems(self, arguments: Mapping[str, Any]) -> list[str]:
        """One phrase for each argument that does not fit the schema."""
        known = self.fn_metadata.arg_model.model_fields
        unknown = [name for name in arguments if name not in known]
        found = [f"there is no argument {inline(name, MAX_NAME_CHARS)!r}" for name in unknown]
        if unknown:
            found[-1] += f" (there are: {', '.join(known)})"
        try:
            given = self.fn_metadata.pre_parse_json({name: arguments[name] for name in arguments if name in known})
            self.fn_metadata.arg_model.model_validate(given, strict=True)
        except ValidationError as error:
            found += [_phrase(each) for each in error.errors(include_url=False, include_input=False)]
        return found


def checked_tool(function: Callable[..., Any], *, annotations: ToolAnnotations) -> CheckedTool:
    """Make a tool of a function, with a schema that forbids further arguments."""
    tool = CheckedTool.from_function(function, annotations=annotations, structured_output=False)
    assert isinstance(tool, CheckedTool)
    tool.parameters["additionalProperties"] = False
    _untitle(tool.parameters)
    return tool


def _untitle(schema: Any) -> None:
    """Take out what pydantic adds to a schema and no model needs: titles that repeat names, and defaults of null."""
    if isinstance(schema, dict):
        if isinstance(schema.get("title"), str):
            del schema["title"]
        if "default" in schema and schema["default"] is None:
            del schema["default"]
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        _untitle(part)


def _phrase(problem: Mapping[str, Any]) -> str:
    """`'max_rounds' should be less than or equal to 50`, with the place in a list: `'args[2]'`."""
    name, *places = problem["loc"]
    argument = f"{name}{''.join(f'[{place}]' for place in places if isinstance(place, int))}"
    if problem["type"] == "missing":
        return f"the argument {argument!r} is missing"
    return f"{argument!r} {inline(_SUBJECT.sub('', problem['msg']), 200)}"
