"""Serve coding agents (Model Context Protocol).

Standard input and output are the connection, or with --http an address of this machine. Code runs in a sandbox that
isolates; nothing outside of the root is read, and no file changes unless a client asks `improve` to write;
evidence of originals is kept in your cache folder (--no-cache: it is not).
"""

from __future__ import annotations

import argparse
import asyncio
import socket
import sys
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING

from codeopt.cli import flags
from codeopt.cli.command import command
from codeopt.core.errors import UsageError
from codeopt.serving.request import add_policy_arguments, policy_of, require_extra

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

LOOPBACK = "127.0.0.1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `codeopt mcp`."""
    told = "folder that clients may read and run [default: this folder]"
    parser.add_argument("--root", type=Path, default=Path(), metavar="DIR", help=told)
    told = f"serve HTTP on {LOOPBACK}, and print the address with its secret; 0 is a free port"
    parser.add_argument("--http", type=int, metavar="PORT", help=told)
    allowed = add_policy_arguments(parser, "mcp")
    told = "requests at a time: two measure less exactly [default: %(default)d]"
    allowed.add_argument("--parallel", type=flags.count, default=1, metavar="N", help=told)


@command(
    examples=("codeopt mcp", "codeopt mcp --root . --http 0"),
    first=("--root", "--model", "--max-cost", "--http"),
    often=("--max-seconds", "--python", "--sandbox", "--memory", "--parallel"),
    others_files=True,
    flags_only=True,
)
def run(arguments: argparse.Namespace) -> int:
    """Serve until the connection ends. Raises UsageError."""
    require_extra("mcp", "mcp")
    from codeopt.serving.mcp_server import make_server
    from codeopt.serving.request import Root
    from codeopt.serving.worker_pool import WorkerPool

    root, policy = Root.of(arguments.root), policy_of(arguments)
    server = make_server(root, WorkerPool(root.path, arguments.parallel, max_seconds=arguments.max_seconds), policy)
    if arguments.http is None:
        server.run()
    else:
        asyncio.run(_serve_http(server, arguments.http))
    return 0


async def _serve_http(server: MCPServer[None], port: int) -> None:
    """Serve below a secret path, as other users of this machine also reach its addresses. Raises UsageError."""
    import uvicorn

    try:
        listening = socket.create_server((LOOPBACK, port))
    except (OSError, OverflowError) as error:
        raise UsageError(f"--http {port}: {error}") from error
    path = f"/{token_urlsafe(16)}/mcp"
    app = server.streamable_http_app(streamable_http_path=path, host=LOOPBACK)
    # time that open HTTP connections have to end when the server stops, seconds
    config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=5)
    print(f"http://{LOOPBACK}:{listening.getsockname()[1]}{path}", flush=True)
    print("codeopt mcp: give an agent this address; Ctrl-C ends it", file=sys.stderr, flush=True)
    await uvicorn.Server(config).serve(sockets=[listening])
