"""The server for coding agents: five tools of the Model Context Protocol, each a request in a process of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal, TypeVar

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations
from pydantic import Field

from codeopt.core.errors import CodeoptError, UsageError
from codeopt.core.flag import FlagUse
from codeopt.core.version import __version__
from codeopt.engine.open_model import RULES
from codeopt.serving.mcp_arguments import checked_tool
from codeopt.serving.mcp_options import Places, with_options
from codeopt.serving.mcp_schemas import (
    CheckAnswer,
    CompareAnswer,
    ImproveAnswer,
    ProfileAnswer,
    RecordAnswer,
    ToolAnswer,
)
from codeopt.serving.request import Operation, OperationRequest, ServerPolicy
from codeopt.serving.root import Root
from codeopt.serving.worker_pool import WorkerPool

INSTRUCTIONS = """\
codeopt judges changes to Python code: nothing is believed that was not run. To make something faster: `profile` the \
function or program, edit the file, `compare`: the answer is "faster", with its interval, or "wrong" with the input \
on which the change does something else. A whole project goes the same way: `profile` with `run`, the command that is \
slow, edit files, `compare` with that `run`. `check` finds slow functions of a project by its tests, `improve` drafts \
and verifies a change itself. All paths are below the server's root. Code runs in a sandbox; no file changes unless \
`improve` is asked to `write`."""

MAX_FILE_CHARS = 1 << 20
"""Longest text of a file that a client sends, characters."""
Target = Annotated[
    str,
    Field(
        max_length=4096,
        description="path/to/file.py::function or path/to/file.py::Class.method; path/to/program.py alone is a program "
        "that reads standard input, with cases next to it",
    ),
]
WholeFile = Annotated[str | None, Field(max_length=MAX_FILE_CHARS)]
_RUN = FlagUse(help="command of the project, run in the sandbox; the target is then its folder, such as '.'")
REQUEST_S = 600.0
"""Wall-clock limit of a request that names none, seconds."""
_REQUEST_S = FlagUse(
    help=f"wall-clock limit of the request, and of a comparison in it, seconds; default: {REQUEST_S:g}, and 30"
)
_PAIRS_S = FlagUse(help="time for the pairs of the comparison, seconds; default: 30")
_GAIN = FlagUse(help="least gain worth having, as a share: 0.02 is 1.02x; default: 0.05")
_LIMIT = FlagUse(help="limit on a slowdown that is tested and answered as `limit`, as a share: 0.05 is 5% more time")
_JUDGED = "max_seconds min_gain run strict calls cases args"
_USES = {"run": _RUN, "min_gain": _GAIN}
PATHS: Mapping[str, Callable[[Root, Any], Any]] = {"calls": Root.inside, "cases": Root.tree, "args": Root.arguments}
"""Options that name files, and the check that keeps them below the root."""
A = TypeVar("A", bound=ToolAnswer)


@dataclass(frozen=True)
class AgentTools:
    """The five tools, below one root. Each raises ToolError with one line."""

    root: Root
    pool: WorkerPool
    policy: ServerPolicy

    @with_options("run calls cases args", run=_RUN)
    async def profile(self, ctx: Context, target: Target, **options: Any) -> ProfileAnswer:
        """Measure where the time goes: hot lines with their share, functions, memory; with `run` the functions of a
        project that its command spends its time in. Runs the code in a sandbox."""
        return await self._ask(Operation.PROFILE, ProfileAnswer, ctx, target=target, options=self._options(options))

    @with_options(f"fail_if_slower {_JUDGED}", **_USES, fail_if_slower=_LIMIT, max_seconds=_PAIRS_S)
    async def compare(
        self,
        ctx: Context,
        target: Target,
        new_source: Annotated[
            WholeFile, Field(description="The whole file, changed; default: the file as it is")
        ] = None,
        old_source: Annotated[
            WholeFile, Field(description="The whole file before the change; default: see base")
        ] = None,
        base: Annotated[
            str, Field(max_length=200, description="git commit that is the old version of edited files")
        ] = "HEAD",
        **options: Any,
    ) -> CompareAnswer:
        """Judge a change: is it right, and faster? With new_source the file as it is stays the old version; without it
        the file as it is now is the new version, and the old one is that of git. With `run` the whole project as it is
        is the new version, whatever files of it were edited. A wrong change is rejected with a counterexample."""
        limit = options.pop("fail_if_slower")
        more = {"old_source": old_source, "new_source": new_source, "base": base, "limit": limit}
        given = self._options(options)
        return await self._ask(Operation.COMPARE, CompareAnswer, ctx, target=target, options=given, **more)

    @with_options(f"max_rounds {_JUDGED}", **_USES, max_seconds=_REQUEST_S)
    async def improve(
        self,
        ctx: Context,
        target: Target,
        source: Annotated[
            Literal["rules", "model"],
            Field(description="Who writes the change: built-in rules, or the server's language model"),
        ] = "rules",
        write: Annotated[bool, Field(description="Put what was accepted in place; else it is only answered")] = False,
        **options: Any,
    ) -> ImproveAnswer:
        """Draft, judge, time and confirm a faster version; with `run` a diff of several files that makes a project's
        command faster. No file changes unless `write` is true."""
        max_seconds = options["max_seconds"] or REQUEST_S
        options = self._options(options) | {"model": self._model(source)}
        return await self._ask(
            Operation.IMPROVE, ImproveAnswer, ctx, target=target, options=options, write=write, max_seconds=max_seconds
        )

    @with_options("max_functions min_share max_seconds", max_functions=FlagUse(default=10), max_seconds=_REQUEST_S)
    async def check(
        self,
        ctx: Context,
        paths: Annotated[Places | None, Field(description="Files and folders; default: the whole root")] = None,
        **limits: Any,
    ) -> CheckAnswer:
        """Rank functions by the time that they take under their tests, and try the built-in rules on the slow ones,
        verified."""
        named = tuple(self._checked(self.root.inside, each) for each in paths or ["."])
        options = self._options({"max_seconds": limits["max_seconds"]})
        limits["max_seconds"] = limits["max_seconds"] or REQUEST_S
        return await self._ask(Operation.CHECK, CheckAnswer, ctx, options=options, paths=named, **limits)

    async def record(
        self,
        ctx: Context,
        target: Target,
        command: Annotated[Places, Field(min_length=1, description="Words of a command that calls the function")],
    ) -> RecordAnswer:
        """Run a command of the project, not isolated, and keep the calls that it makes of a function, as evidence for
        the other tools. Only where the server was started with --allow-commands."""
        self._require_commands()
        return await self._ask(
            Operation.RECORD, RecordAnswer, ctx, target=target, options=self._options({}), command=tuple(command)
        )

    def _require_commands(self) -> None:
        """Refuse a client's command unless the user allowed it. Raises ToolError."""
        if not self.policy.commands:
            raise ToolError(
                "record runs a command that is not isolated, which the user of this server has not allowed: "
                "codeopt mcp --allow-commands does"
            )

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

    async def _ask(self, operation: Operation, answer: type[A], ctx: Context, **fields: Any) -> A:
        """Do an operation. Raises ToolError with the line that the command would print."""
        if "target" in fields:
            fields["target"] = self._checked(self.root.target, fields["target"])
        told = 0

        async def on_progress(line: str, done: float | None = None) -> None:
            nonlocal told
            told += 1
            await ctx.report_progress(told, None, line)

        try:
            return answer.model_validate(await self.pool.call(OperationRequest(operation, **fields), on_progress))
        except CodeoptError as error:
            raise ToolError(error.words) from error

    def _checked(self, check: Any, given: Any) -> Any:
        try:
            return check(given)
        except UsageError as error:
            raise ToolError(error.words) from error


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
    writing = [_tool(each, read_only=False) for each in (tools.improve, tools.record)]
    named = partial(MCPServer, "codeopt", version=__version__, instructions=INSTRUCTIONS)
    return named(lifespan=open_pool, log_level="WARNING", tools=[*reading, *writing])


def _tool(function: Callable[..., Any], *, read_only: bool) -> Tool:
    hints = ToolAnnotations(read_only_hint=read_only, destructive_hint=False, open_world_hint=False)
    return checked_tool(function, annotations=hints)
