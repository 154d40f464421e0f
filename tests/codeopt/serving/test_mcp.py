"""`codeopt mcp`, spoken to by the SDK's own client: an agent's work, and clients that mean no good."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import ToolAnnotations

from codeopt.cli.command_flags import flags_of_all
from codeopt.serving.mcp_server import INSTRUCTIONS, PATHS, AgentTools, checked_tool
from codeopt.serving.request import Root, ServerPolicy
from codeopt.serving.worker_pool import WorkerPool
from tests.codeopt.command import codeopt, environment
from tests.codeopt.serving.projects import ENDLESS, RIGHT, SLOW, TARGET, WRONG, Process, contents, family, make_project
from tests.sandbox.machine import until

ARGUMENTS = ("-P", "-m", "codeopt", "mcp", "--sandbox", "bubblewrap", "--python", sys.executable)
GONE_S = 60.0
ALIKE = SLOW.replace("count += 1", "count = count + 1")
"""As fast as the original."""


@asynccontextmanager
async def over_stdio(root: Path, *flags: str, mark: str = "") -> AsyncIterator[Client]:
    parameters = StdioServerParameters(
        command=sys.executable, args=[*ARGUMENTS, *flags], cwd=root, env=environment(MARK=mark)
    )
    async with Client(parameters) as client:
        yield client


@contextmanager
def http_server(root: Path, mark: str) -> Iterator[str]:
    """The address of a server of its own."""
    command = [sys.executable, *ARGUMENTS, "--http", "0", "--root", str(root)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment(MARK=mark)
    ) as server:
        try:
            assert server.stdout
            yield server.stdout.readline().strip()
        finally:
            server.terminate()
            server.wait(GONE_S)


async def answer(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    found = await client.call_tool(tool, arguments)
    assert not found.is_error, found.content
    assert (found.structured_content, len(found.content)) == (None, 1)  # one form of an answer
    told: dict[str, Any] = json.loads(found.content[0].text)  # type: ignore[union-attr]
    assert not [name for name, value in told.items() if value in (None, "", [], {})]
    return told


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    found = await client.call_tool(tool, arguments)
    assert found.is_error, found.content
    return found.content[0].text  # type: ignore[union-attr]


def test_an_agent_has_its_edit_judged(tmp_path: Path) -> None:
    """The workspace's own settings choose no sandbox, and nothing is written."""
    project = make_project(tmp_path)
    before = contents(project)

    async def conversation() -> None:
        async with over_stdio(project) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert sorted(tools) == ["check", "compare", "improve", "profile"]
            schemas = [tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in tools.values()]
            assert len(json.dumps(schemas)) + len(INSTRUCTIONS) <= 8192
            wrong = await answer(client, "compare", target=TARGET, new_source=WRONG)
            assert wrong["verdict"] == "wrong"
            assert "expected returns" in wrong["reason"]
            assert "got returns" in wrong["reason"]
            assert wrong["sandbox"] == "bubblewrap"
            assert "limit" not in wrong
            right = await answer(client, "compare", target=TARGET, new_source=RIGHT, fail_if_slower=0.05)
            assert (right["limit"]["limit"], right["limit"]["answer"]) == (0.05, "pass")
            small = await answer(client, "compare", target=TARGET, new_source=ALIKE, min_gain=50)
            assert (small["verdict"], small["reason"]) == ("same", "less than 5000% faster")

    asyncio.run(conversation())
    assert contents(project) == before


@pytest.mark.full
def test_over_http_it_is_the_same_behind_a_secret(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    mark = f"mark-{tmp_path.name}-secret"

    async def conversation(address: str) -> None:
        async with Client(address) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert tools == {"check", "compare", "improve", "profile"}
            assert "cannot read" in (await refusal(client, "profile", target="nothing.py")).lower()

    with http_server(project, mark) as address:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{20,}/mcp", address)
        asyncio.run(conversation(address))
        without_secret = re.sub(r"/[\w-]{20,}/", "/", address)
        assert status_of(without_secret) == 404
        assert status_of(address, Host="evil.example") == 421
    assert until(lambda: not family(mark), GONE_S), family(mark)


def status_of(address: str, **headers: str) -> int:
    import httpx2

    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    return httpx2.post(address, json=body, headers=headers).status_code


def test_a_hostile_client_reaches_nothing_outside_of_the_root(tmp_path: Path) -> None:
    root = tmp_path / "root"
    project, secret = make_project(root), tmp_path / "secret.py"
    secret.write_text(SLOW)
    (project / "link.py").symlink_to(secret)
    (project / "cases").mkdir()
    (project / "cases" / "1.in").symlink_to(secret)
    (project / "loop.py").symlink_to("loop.py")
    (project / "program.py").write_text("print(input())\n")

    async def conversation() -> None:
        async with over_stdio(project) as client:
            for target in (
                "../secret.py::repeated",
                str(secret),
                "link.py::repeated",
                "/etc/passwd",
                "a/../../secret.py",
            ):
                assert "leads out of" in await refusal(client, "profile", target=target), target
            assert "leads out of" in await refusal(client, "profile", target="program.py")  # by its cases
            assert "leads out of" in await refusal(client, "check", paths=[".."])
            check = await answer(client, "check", paths=["program.py", "cases"])
            assert [(each["file"], "leads out of" in each["reason"]) for each in check["functions"]] == [
                ("program.py", True)
            ]
            for argument in ("/etc/passwd", "--file=../secret.py", "link.py"):
                words = await refusal(client, "profile", target="words.py", args=[argument])
                assert "leads out of" in words, argument
            assert "leads out of" in await refusal(client, "profile", target=TARGET, calls="../secret.py")
            assert "no path" in await refusal(client, "profile", target="loop.py")
            assert "null character" in await refusal(client, "profile", target="a\0b.py")
            assert await refusal(client, "compare", target=TARGET, new_source="x" * (2 << 20))
            assert await refusal(client, "compare", target="x" * 100_000)
            assert "git knows no commit" in await refusal(client, "compare", target=TARGET, base="--output=x")
            assert "invalid syntax" in await refusal(client, "compare", target=TARGET, new_source="def (")
            assert "--model" in await refusal(client, "improve", target=TARGET, source="model")

    asyncio.run(conversation())
    assert not (project / "here").exists()


WRONG_ARGUMENTS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("profile", {"taget": TARGET}, "there is no argument 'taget' (there are: target, run, calls, cases, args)"),
    ("profile", {"taget": TARGET}, "the argument 'target' is missing"),
    ("profile", {"target": TARGET, "line\nbreak": 1}, "there is no argument"),
    ("profile", {"target": 3}, "'target' should be a valid string"),
    ("profile", {"target": TARGET, "args": ["a", 2]}, "'args[1]' should be a valid string"),
    ("compare", {}, "the argument 'target' is missing"),
    ("compare", {"target": TARGET, "source": RIGHT}, "there is no argument 'source'"),
    ("compare", {"target": TARGET, "min_gain": 0}, "'min_gain' should be greater than 0"),
    ("compare", {"target": TARGET, "strict": "yes"}, "'strict' should be a valid boolean"),
    ("improve", {"target": TARGET, "rounds": 3}, "there is no argument 'rounds'"),
    ("improve", {"target": TARGET, "max_rounds": 0}, "'max_rounds' should be greater than or equal to 1"),
    ("improve", {"target": TARGET, "source": "both"}, "'source' should be 'rules' or 'model'"),
    ("improve", {"target": TARGET, "write": "yes"}, "'write' should be a valid boolean"),
    ("check", {"path": "words.py"}, "there is no argument 'path'"),
    ("check", {"paths": "words.py"}, "'paths' should be a valid list"),
    ("check", {"max_seconds": "soon"}, "'max_seconds' should be a valid number"),
    ("profile", {}, "the argument 'target' is missing"),
    ("profile", {"target": TARGET, "shell": True}, "there is no argument 'shell'"),
)


def test_a_wrong_argument_of_any_tool_is_one_line(tmp_path: Path) -> None:
    project = make_project(tmp_path)

    async def conversation() -> None:
        async with over_stdio(project) as client:
            for tool in (await client.list_tools()).tools:
                assert tool.input_schema["additionalProperties"] is False, tool.name
            for tool_name, arguments, words in WRONG_ARGUMENTS:
                line = await refusal(client, tool_name, **arguments)
                assert line.startswith(f"{tool_name}: "), line
                assert words in line, line
                assert "\n" not in line, line
                assert "pydantic" not in line, line

    asyncio.run(conversation())


OPTIONS = {
    "profile": {"run", "calls", "cases", "args"},
    "compare": {"fail_if_slower", "max_seconds", "min_gain", "run", "strict", "calls", "cases", "args"},
    "improve": {"max_rounds", "max_seconds", "min_gain", "run", "strict", "calls", "cases", "args"},
    "check": {"max_functions", "min_share", "max_seconds"},
}
OWN_WORDS = {"run", "max_seconds", "fail_if_slower", "min_gain"}
"""Options that a tool says in words of its own."""


@pytest.mark.parametrize("name", OPTIONS)
def test_an_argument_that_is_an_option_is_as_the_table_says(name: str) -> None:
    root = Root.of(Path.cwd())
    tools = AgentTools(root, WorkerPool(root.path), ServerPolicy({}))
    shown = checked_tool(getattr(tools, name), annotations=ToolAnnotations()).parameters["properties"]
    rows = {row.name: row for row in flags_of_all()}
    for option in OPTIONS[name]:
        row, said = rows[option], shown[option]
        assert option in OWN_WORDS or said["description"].lower() == row.help.lower()
        assert option in {"max_functions", "max_seconds"} or said.get("default") == row.default
        if row.convert is Path:
            assert option in PATHS, "it would be opened outside of the root"
    taken = {each for each in shown if each in rows} - {"base", "write"}
    assert taken == OPTIONS[name]


@pytest.mark.full
@pytest.mark.parametrize("ending", ["cancelled", "cut", "killed"])
def test_what_a_client_gives_up_ends_with_its_sandbox(ending: str, tmp_path: Path) -> None:
    """Twelve at once: some are refused, the others end where nobody wants them any more."""
    project = make_project(tmp_path)
    mark = f"mark-{tmp_path.name}-{ending}"

    async def conversation() -> None:
        async with over_stdio(project, "--timeout", "200", mark=mark) as client:
            running = asyncio.Event()

            async def tell(progress: float, total: float | None, message: str | None) -> None:
                if message and "case" in message:
                    running.set()

            arguments = {"target": "endless/endless.py", "new_source": ENDLESS + "\n"}
            calls = [
                asyncio.create_task(client.call_tool("compare", arguments, progress_callback=tell)) for _ in range(12)
            ]
            done, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
            assert "under way or waiting" in done.pop().result().content[0].text  # type: ignore[union-attr]
            await asyncio.wait_for(running.wait(), GONE_S)
            assert await asyncio.to_thread(until, lambda: len(boxes(mark)) >= 1, GONE_S), family(mark)
            ran.extend(family(mark))
            if ending == "killed":
                os.kill(ran[0].number, signal.SIGKILL)
            if ending == "cancelled":  # the server lives and has room again
                for call in calls:
                    call.cancel()
                assert await asyncio.to_thread(until, lambda: len(family(mark)) == 1, GONE_S), family(mark)
                assert "cannot read" in (await refusal(client, "profile", target="nothing.py")).lower()
        await asyncio.gather(*calls, return_exceptions=True)

    ran: list[Process] = []
    asyncio.run(conversation())
    assert until(lambda: not any(each.alive for each in ran), GONE_S), [each for each in ran if each.alive]
    assert until(lambda: not family(mark), GONE_S), family(mark)


def boxes(mark: str) -> list[Process]:
    """Sandboxes of a server."""
    return [each for each in family(mark) if "bwrap" in each.command]


def test_the_configuration_that_agents_read(tmp_path: Path) -> None:
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "mcp.json").write_text("{}")
    done = codeopt("init", "--mcp", cwd=tmp_path)
    assert done.status == 0, done.err
    servers = json.loads((tmp_path / ".mcp.json").read_text())["mcpServers"]
    assert servers == {"codeopt": {"command": "codeopt", "args": ["mcp"]}}
    assert json.loads((tmp_path / ".vscode" / "mcp.json").read_text())["servers"]["codeopt"]["type"] == "stdio"
    assert (tmp_path / ".cursor" / "mcp.json").read_text() == "{}"  # what is there is the user's own
    assert json.loads(done.out)["mcpServers"] == servers
