"""Every test here starts without the caller's keys and servers, and may start servers of its own."""

from __future__ import annotations

import os

import pytest

from tests.support.wire_server import wire as wire


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("OPENAI_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
