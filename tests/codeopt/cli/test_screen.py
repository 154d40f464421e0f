"""Words of the screen: the real error of what failed, no empty tables, help for a bare command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from codeopt.core.words import error_line
from tests.codeopt.command import codeopt
from tests.support.files import make_repository, write_files

TRACEBACK = "Traceback (most recent call last):\n  File \"a.py\", line 1\nModuleNotFoundError: No module named 'x'\n"


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (f"{TRACEBACK}\nsee the log for more\n", "ModuleNotFoundError: No module named 'x'"),
        ("ImportError while loading conftest\nE   ModuleNotFoundError: y\n=== 1 error", "ModuleNotFoundError: y"),
        ("ERROR: usage: pytest [options]\n  inifile: None\n  rootdir: /tmp\n", "ERROR: usage: pytest [options]"),
        (f"{TRACEBACK}core.exceptions.ImproperlyConfigured: no\nbye\n", "core.exceptions.ImproperlyConfigured: no"),
        ("no luck\nbye\n", "bye"),
        ("", ""),
    ],
)  # fmt: skip
def test_the_line_that_says_why(said: str, line: str) -> None:
    assert error_line(said) == line


def test_a_failing_command_is_told_by_its_error(tmp_path: Path) -> None:
    text = "import atexit\natexit.register(print, 'bye')\nraise ValueError('this is why')\n"
    make_repository(tmp_path, {"it.py": text}, "one")
    done = codeopt("profile", ".", "--run", "python it.py", cwd=tmp_path)
    assert "ValueError: this is why" in done.err


def test_codeopt_alone_lists_the_commands(tmp_path: Path) -> None:
    alone, asked = codeopt(cwd=tmp_path), codeopt("--help", cwd=tmp_path)
    assert (alone.status, alone.out) == (0, asked.out)


@pytest.mark.parametrize("status", [401, None], ids=["a refused key", "no server"])
def test_a_wrong_key_or_server_is_told_before_the_original_is_run(tmp_path: Path, status: int | None) -> None:
    write_files(tmp_path, {"it.py": "open('ran', 'w')\nprint(1)\n"})
    with refusing_server(status) as url:
        env = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "wrong"}
        done = codeopt("improve", "it.py", "--model", "gpt-5", "--sandbox", "process", cwd=tmp_path, env=env)
    said = "refuses the key in OPENAI_API_KEY (status 401)" if status else "cannot reach the model's server"
    assert (done.status, said in done.err) == (4, True), done.err
    assert "original" not in done.err


@contextmanager
def refusing_server(status: int | None) -> Iterator[str]:
    """The address of a server that answers everything with a status; None: nobody listens there."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status or 500)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    address = f"http://127.0.0.1:{server.server_port}/v1"
    if status is None:
        server.server_close()
        yield address
        return
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield address
    server.shutdown()
    server.server_close()
    thread.join()
