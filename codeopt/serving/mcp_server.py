"""The server for coding agents: four tools of the Model Context Protocol, each a request in a process of its own."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_type_hints

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations
from pydantic import Field, ValidationError

from codeopt.cli.command_flags import flags_of_all
from codeopt.core.errors import CodeoptError, UsageError
from codeopt.core.flag import FlagUse, texts
from codeopt.core.sanitize import inline
from codeopt.core.version import __version__
from codeopt.engine.open_session import RULES
from codeopt.serving.request import Operation, OperationRequest, Root, ServerPolicy
from codeopt.serving.worker_pool import WorkerPool

INSTRUCTIONS = """\
codeopt runs Python code to measure it. To make something faster: `profile` the function or program, edit the file, \
then `compare`. The verdict is "faster" with its interval, or "wrong" with the input that shows the difference. For a \
whole project give `run`, its slow command, to both. `check` finds slow functions by their tests, `improve` writes and \
verifies a change. Paths are below the server's root. Code runs in a sandbox. Only `improve` with `write` changes \
files."""

DECISIVE = ("verdict", "accepted", "ratio", "ci_low", "ci_high", "speedup", "reason", "caveats")
"""Fields of an answer that come first."""
MAX_FILE_CHARS = 1 << 20
"""Longest text of a file that a client sends, characters."""
Target = Annotated[
    str,
    Field(
        max_length=4096,
        description="file.py::function, file.py::Class.method, or a script file.py with its cases next to it",
    ),
]
WholeFile = Annotated[str | None, Field(max_length=MAX_FILE_CHARS)]
_RUN = FlagUse(help="command of a project; the target is then its folder, such as '.'")
REQUEST_S = 600.0
"""Wall-clock limit of a request that names none, seconds."""
_REQUEST_S = FlagUse(help=f"time limit in seconds; default: {REQUEST_S:g}, and 30 for a comparison")
_PAIRS_S = FlagUse(help="time limit of the timing in seconds; default: 30")
_GAIN = FlagUse(help="minimum gain as a share: 0.02 is 1.02x; default: 0.05")
_LIMIT = FlagUse(help="limit of a slowdown as a share: 0.05 is 5% more time; answered as `limit`")
_JUDGED = "max_seconds min_gain run strict calls cases args"
_USES = {"run": _RUN, "min_gain": _GAIN}
PATHS: Mapping[str, Callable[[Root, Any], Any]] = {"calls": Root.inside, "cases": Root.tree, "args": Root.arguments}
"""Options that name files, and the check that keeps them below the root."""


# Arguments of tools that are options: name, type, default and help are those of the table of options.

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
    more = []
    for row in (replace(rows[name], **changed.get(name, {})) for name in names.split()):
        says = row.convert if isinstance(row.convert, type) else get_type_hints(row.convert)["return"]
        kind: Any = _TYPES.get(row.convert, says)
        told = Field(description=row.help[:1].upper() + row.help[1:])
        limited: Any = Annotated[kind, _LIMITS[row.name]] if row.name in _LIMITS else kind
        annotation: Any = Annotated[limited | None if row.default is None else limited, told]
        only = inspect.Parameter.KEYWORD_ONLY
        more.append(inspect.Parameter(row.name, only, default=row.default, annotation=annotation))

    def decorate(function: F) -> F:
        own = inspect.signature(function, eval_str=True)
        first = [each for each in own.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
        function.__signature__ = own.replace(parameters=[*first, *more])  # type: ignore[attr-defined]
        return function

    return decorate


@dataclass(frozen=True)
class AgentTools:
    """The four tools, below one root. Each raises ToolError with one line."""

    root: Root
    pool: WorkerPool
    policy: ServerPolicy

    @with_options("run calls cases args", run=_RUN)
    async def profile(self, ctx: Context, target: Target, **options: Any) -> str:
        """Show where the time goes: slow lines, functions and memory; with `run` the functions of a project."""
        return await self._ask(Operation.PROFILE, ctx, target=target, options=self._options(options))

    @with_options(f"fail_if_slower {_JUDGED}", **_USES, fail_if_slower=_LIMIT, max_seconds=_PAIRS_S)
    async def compare(
        self,
        ctx: Context,
        target: Target,
        new_source: Annotated[
            WholeFile, Field(description="Text of the changed file; default: the file as it is")
        ] = None,
        old_source: Annotated[
            WholeFile, Field(description="Text of the file before the change; default: that of base")
        ] = None,
        base: Annotated[str, Field(max_length=200, description="git commit of the old version")] = "HEAD",
        **options: Any,
    ) -> str:
        """Compare two versions: same results? Which is faster? With new_source the present file is the old version;
        without it the present file is the new version, and the old one is that of git. With `run` the whole project
        as it is now is the new version. The verdict `wrong` comes with a counterexample."""
        limit = options.pop("fail_if_slower")
        more = {"old_source": old_source, "new_source": new_source, "base": base, "limit": limit}
        given = self._options(options)
        return await self._ask(Operation.COMPARE, ctx, target=target, options=given, **more)

    @with_options(f"max_rounds {_JUDGED}", **_USES, max_seconds=_REQUEST_S)
    async def improve(
        self,
        ctx: Context,
        target: Target,
        source: Annotated[
            Literal["rules", "model"],
            Field(description="Author of the change: built-in rules, or the server's model"),
        ] = "rules",
        write: Annotated[bool, Field(description="Write the result to the files; otherwise only show it")] = False,
        **options: Any,
    ) -> str:
        """Find a faster version with the same results; with `run` a diff of a project that makes its command faster."""
        max_seconds = options["max_seconds"] or REQUEST_S
        options = self._options(options) | {"model": self._model(source)}
        return await self._ask(
            Operation.IMPROVE, ctx, target=target, options=options, write=write, max_seconds=max_seconds
        )

    @with_options("max_functions min_share max_seconds", max_functions=FlagUse(default=10), max_seconds=_REQUEST_S)
    async def check(
        self,
        ctx: Context,
        paths: Annotated[Places | None, Field(description="Files and folders; default: the root")] = None,
        **limits: Any,
    ) -> str:
        """List the functions that are slow under their tests, and those that the built-in rules make faster."""
        named = tuple(self._checked(self.root.inside, each) for each in paths or ["."])
        options = self._options({"max_seconds": limits["max_seconds"]})
        limits["max_seconds"] = limits["max_seconds"] or REQUEST_S
        return await self._ask(Operation.CHECK, ctx, options=options, paths=named, **limits)

    def _options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Options of the server's policy with those that a client adds. Raises ToolError."""
        options = dict(self.policy.options)
        for name, value in given.items():
            if value is not None:
                options[name] = self._checked(partial(PATHS[name], self.root), value) if name in PATHS else value
        return options

    def _model(self, source: str) -> str:
        """Return the name of the model that writes changes. Raises ToolError if the server has no model."""
        if source == "rules":
            return RULES
        if self.policy.model is None:
            raise ToolError("this server was started without a language model: codeopt mcp --model NAME allows one")
        return self.policy.model

    async def _ask(self, operation: Operation, ctx: Context, **fields: Any) -> str:
        """Do an operation; return the JSON of the command. Raises ToolError with the line that it would print."""
        if "target" in fields:
            fields["target"] = self._checked(self.root.target, fields["target"])
        told = 0

        async def on_progress(line: str, done: float | None = None) -> None:
            nonlocal told
            told += 1
            await ctx.report_progress(told, None, line)

        try:
            found = await self.pool.call(OperationRequest(operation, **fields), on_progress)
            return answer_text(found)
        except CodeoptError as error:
            raise ToolError(error.words) from error

    def _checked(self, check: Any, given: Any) -> Any:
        try:
            return check(given)
        except UsageError as error:
            raise ToolError(error.words) from error


def answer_text(found: dict[str, Any]) -> str:
    """Format the JSON of a command for an agent: what decides first, without empty fields."""
    first = {name: found[name] for name in DECISIVE if name in found}
    return json.dumps(_filled(first | found), ensure_ascii=False)


def _filled(part: Any) -> Any:
    """Leave out fields without a value: an agent pays for each."""
    if isinstance(part, dict):
        filled = {name: _filled(value) for name, value in part.items()}
        return {name: value for name, value in filled.items() if value not in (None, "", [], {})}
    return [_filled(each) for each in part] if isinstance(part, list | tuple) else part


def make_server(root: Root, pool: WorkerPool, policy: ServerPolicy) -> MCPServer[None]:
    """Make the server, ready to run."""

    @asynccontextmanager
    async def open_pool(_: MCPServer[None]) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await pool.close()

    tools = AgentTools(root, pool, policy)
    reading = [_tool(each, read_only=True) for each in (tools.profile, tools.compare, tools.check)]
    named = partial(MCPServer, "codeopt", version=__version__, instructions=INSTRUCTIONS)
    return named(lifespan=open_pool, log_level="WARNING", tools=[*reading, _tool(tools.improve, read_only=False)])


def _tool(function: Callable[..., Any], *, read_only: bool) -> Tool:
    hints = ToolAnnotations(read_only_hint=read_only, destructive_hint=False, open_world_hint=False)
    return checked_tool(function, annotations=hints)


# Tools that check their arguments: an unknown, missing or ill-typed one is an error in one line.

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
    tool = CheckedTool.from_function(
        function, description=inspect.getdoc(function), annotations=annotations, structured_output=False
    )
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
