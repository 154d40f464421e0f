"""The server for coding agents: five tools of the Model Context Protocol, each a request in a process of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from codeopt.core.errors import CodeoptError, UsageError
from codeopt.core.version import __version__
from codeopt.engine.open_model import RULES
from codeopt.serving.mcp_schemas import (
    CheckAnswer,
    CompareAnswer,
    ImproveAnswer,
    ProfileAnswer,
    RecordAnswer,
    ToolAnswer,
)
from codeopt.serving.request import Errand, ErrandRequest, Permissions
from codeopt.serving.root import Root
from codeopt.serving.worker_pool import Caller

INSTRUCTIONS = """\
codeopt judges changes to Python code: nothing is believed that was not run. To make something faster: `profile` the \
function or program, edit the file, `compare`: the answer is "faster", with its interval, or "rejected" with the input \
on which the change does something else. `check` finds slow functions of a project by its tests, `improve` drafts and \
verifies a change itself. All paths are below the server's root. Code runs in a sandbox; no file changes unless \
`improve` is asked to `write`."""

MIB = 1 << 20
Target = Annotated[
    str,
    Field(
        max_length=4096,
        description="path/to/file.py::function or path/to/file.py::Class.method; path/to/program.py alone is a program "
        "that reads standard input, with cases beside it",
    ),
]
WholeFile = Annotated[str | None, Field(max_length=MIB)]
Place = Annotated[str, Field(max_length=4096)]
Places = Annotated[list[Place], Field(max_length=100)]
Run = Annotated[
    str | None,
    Field(
        max_length=4096,
        description="A command of the project, run in the sandbox; the target is then its folder, such as '.'",
    ),
]
Seconds = Annotated[float, Field(gt=0, le=3600)]
A = TypeVar("A", bound=ToolAnswer)


@dataclass(frozen=True)
class AgentTools:
    """The tools, below one root."""

    root: Root
    caller: Caller
    permissions: Permissions

    async def profile(
        self,
        ctx: Context,
        target: Target,
        run: Run = None,
        calls: Annotated[Place | None, Field(description="Python file with CALLS, for a function")] = None,
        cases: Annotated[Place | None, Field(description="Folder of cases, for a program")] = None,
        args: Annotated[Places | None, Field(description="Arguments of a program")] = None,
    ) -> ProfileAnswer:
        """Where the time goes: hot lines with their share, functions, memory; of a project's command, which functions
        of it. Runs the code in a sandbox."""
        options = self._options(calls, cases, args) | {"run": run}
        return await self._ask(Errand.PROFILE, ProfileAnswer, ctx, target=target, options=options)

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
            str, Field(max_length=200, description="git commit whose text is the old one, where the file was edited")
        ] = "HEAD",
        strict: Annotated[bool, Field(description="Differences beyond the known inputs reject, too")] = False,
        calls: Annotated[Place | None, Field(description="Python file with CALLS, for a function")] = None,
        cases: Annotated[Place | None, Field(description="Folder of cases, for a program")] = None,
        args: Annotated[Places | None, Field(description="Arguments of a program")] = None,
    ) -> CompareAnswer:
        """Is a change right, and faster? With new_source the file as it is stays the old one; without it the file as
        it is now is the new one, and the old is that of git. Wrong changes are rejected with a counterexample."""
        options = self._options(calls, cases, args) | {"strict": strict}
        return await self._ask(
            Errand.COMPARE, CompareAnswer, ctx, target=target, options=options, old_source=old_source,
            new_source=new_source, base=base,
        )  # fmt: skip

    async def improve(
        self,
        ctx: Context,
        target: Target,
        drafts: Annotated[
            Literal["rules", "model"], Field(description="Who drafts: built-in rules, or the server's language model")
        ] = "rules",
        write: Annotated[bool, Field(description="Put what was accepted in place; else it is only answered")] = False,
        max_rounds: Annotated[int | None, Field(ge=1, le=50)] = None,
        max_seconds: Seconds = 600.0,
        run: Run = None,
        strict: Annotated[bool, Field(description="Differences beyond the known inputs reject, too")] = False,
        calls: Annotated[Place | None, Field(description="Python file with CALLS, for a function")] = None,
        cases: Annotated[Place | None, Field(description="Folder of cases, for a program")] = None,
        args: Annotated[Places | None, Field(description="Arguments of a program")] = None,
    ) -> ImproveAnswer:
        """Draft, judge, time and confirm a faster version, of a project's command as a diff of several files. No file
        changes unless `write` is true."""
        options = self._options(calls, cases, args) | {"strict": strict, "max_rounds": max_rounds, "run": run}
        options["model"] = self._model(drafts)
        return await self._ask(
            Errand.IMPROVE, ImproveAnswer, ctx, target=target, options=options, write=write, max_seconds=max_seconds
        )

    async def check(
        self,
        ctx: Context,
        paths: Annotated[Places | None, Field(description="Files and folders; default: the whole root")] = None,
        max_functions: Annotated[int, Field(ge=1, le=100)] = 10,
        min_share: Annotated[float, Field(ge=0, le=1, description="Of the tests' time that is worth a look")] = 0.05,
        max_seconds: Seconds = 600.0,
    ) -> CheckAnswer:
        """Which functions are slow under their tests, and which of them the built-in rules make faster, verified."""
        named = tuple(self._checked(self.root.inside, each) for each in paths or ["."])
        return await self._ask(
            Errand.CHECK, CheckAnswer, ctx, options=self._options(), paths=named, max_functions=max_functions,
            min_share=min_share, max_seconds=max_seconds,
        )  # fmt: skip

    async def record(
        self,
        ctx: Context,
        target: Target,
        command: Annotated[Places, Field(min_length=1, description="Words of a command that calls the function")],
    ) -> RecordAnswer:
        """Run a command of the project, not isolated, and keep the calls of a function that it makes: what the other
        tools know of the function by. Only where the server was started with --allow-commands."""
        if not self.permissions.commands:
            raise ToolError(
                "record runs a command that is not isolated, which the user of this server has not allowed: "
                "codeopt mcp --allow-commands does"
            )
        options = self._options()
        return await self._ask(Errand.RECORD, RecordAnswer, ctx, target=target, options=options, command=tuple(command))

    def _options(
        self, calls: str | None = None, cases: str | None = None, args: list[str] | None = None
    ) -> dict[str, Any]:
        """What holds for every request, and what a client adds. Raises ToolError."""
        options = dict(self.permissions.options)
        if calls is not None:
            options["calls"] = self._checked(self.root.inside, calls)
        if cases is not None:
            options["cases"] = self._checked(self.root.tree, cases)
        if args is not None:
            options["args"] = self._checked(self.root.arguments, args)
        return options

    def _model(self, drafts: str) -> str:
        if drafts == "rules":
            return RULES
        if self.permissions.model is None:
            raise ToolError("this server was started without a language model: codeopt mcp --model NAME allows one")
        return self.permissions.model

    async def _ask(self, errand: Errand, answer: type[A], ctx: Context, **fields: Any) -> A:
        """Have it done. Raises ToolError with the line that the command would print."""
        if "target" in fields:
            fields["target"] = self._checked(self.root.target, fields["target"])
        told = 0

        async def tell(line: str) -> None:
            nonlocal told
            told += 1
            await ctx.report_progress(told, None, line)

        try:
            return answer.model_validate(await self.caller.call(ErrandRequest(errand, **fields), tell))
        except CodeoptError as error:
            raise ToolError(str(error)) from error

    def _checked(self, check: Any, given: Any) -> Any:
        try:
            return check(given)
        except UsageError as error:
            raise ToolError(str(error)) from error


def make_server(root: Root, caller: Caller, permissions: Permissions) -> MCPServer[None]:
    """The server, ready to run."""

    @asynccontextmanager
    async def open_caller(_: MCPServer[None]) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await caller.close()

    server: MCPServer[None] = MCPServer(
        "codeopt", version=__version__, instructions=INSTRUCTIONS, lifespan=open_caller, log_level="WARNING"
    )
    tools = AgentTools(root, caller, permissions)
    for tool, reads in ((tools.profile, True), (tools.compare, True), (tools.check, True),
                        (tools.improve, False), (tools.record, False)):  # fmt: skip
        server.add_tool(
            tool, structured_output=True,
            annotations=ToolAnnotations(read_only_hint=reads, destructive_hint=False, open_world_hint=False),
        )  # fmt: skip
    return server
