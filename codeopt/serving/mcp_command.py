"""Serve coding agents: tools to profile, compare, improve and check code of this project (Model Context Protocol).

Standard input and output are the connection, or with --http an address of this machine. Code runs in a sandbox that
isolates; nothing outside of the root is read, and no file changes unless a client asks `improve` to write.
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
from codeopt.core.errors import UsageError
from codeopt.serving.flags import add_permission_arguments, permissions_of, require_extra

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

ORDER = 9.5
FIRST = ("--root", "--model", "--max-cost", "--http", "--allow-commands")
OFTEN = ("--max-seconds", "--python", "--sandbox", "--memory", "--parallel")
EXAMPLES = ("codeopt mcp", "codeopt mcp --root . --http 0")
OTHERS_FILES = True
"""Agents write files of the current folder: nothing is imported from there."""
FLAGS_ONLY = True
"""Nor do their settings count: an agent that may write pyproject.toml must not choose sandbox, Python or model."""
LOOPBACK = "127.0.0.1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags."""
    parser.add_argument(
        "--root", type=Path, default=Path(), metavar="DIR", help="the folder that clients may speak of (this one)"
    )
    parser.add_argument(
        "--http", type=int, metavar="PORT",
        help=f"streamable HTTP on {LOOPBACK}; 0 takes a free port; the address, with its secret, is printed",
    )  # fmt: skip
    allowed = add_permission_arguments(parser, "mcp")
    allowed.add_argument(
        "--allow-commands", action="store_true", help="record may run commands of a client, which are not isolated"
    )
    allowed.add_argument(
        "--parallel", type=flags.count, default=1, metavar="N",
        help="requests at a time; two measure less exactly than one (%(default)d)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Serve until the connection ends. Raises UsageError."""
    require_extra("mcp", "mcp")
    from codeopt.serving.mcp_server import make_server
    from codeopt.serving.root import Root
    from codeopt.serving.worker_pool import Caller

    root, permissions = Root.of(arguments.root), permissions_of(arguments)
    server = make_server(root, Caller(root.path, arguments.parallel, seconds=arguments.max_seconds), permissions)
    if arguments.http is None:
        server.run()
    else:
        asyncio.run(_serve_http(server, arguments.http))
    return 0


async def _serve_http(server: MCPServer[None], port: int) -> None:
    """Other users of this machine reach its addresses, too: the path is a secret."""
    import uvicorn

    try:
        listening = socket.create_server((LOOPBACK, port))
    except (OSError, OverflowError) as error:
        raise UsageError(f"--http {port}: {error}") from error
    path = f"/{token_urlsafe(16)}/mcp"
    app = server.streamable_http_app(streamable_http_path=path, host=LOOPBACK)
    config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=5)
    print(f"http://{LOOPBACK}:{listening.getsockname()[1]}{path}", flush=True)
    print("codeopt mcp: give an agent this address; Ctrl-C ends it", file=sys.stderr, flush=True)
    await uvicorn.Server(config).serve(sockets=[listening])
