"""What users write for a server, and the URL that it means."""

from __future__ import annotations

import pytest

from codeopt.models._server import endpoint, full_url


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("localhost:11434", "http://localhost:11434/v1"),
        ("127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("[::1]:8000", "http://[::1]:8000/v1"),
        ("localhost", "http://localhost/v1"),
        ("http://gpu-box:8000", "http://gpu-box:8000/v1"),
        ("https://example.org/api/openai", "https://example.org/api/openai"),
        ("http://gpu-box:8000/", "http://gpu-box:8000/"),
        ("example.org", "https://example.org/v1"),
        (" https://example.org/v1 ", "https://example.org/v1"),
    ],
)
def test_full_url(written: str, meant: str) -> None:
    assert full_url(written) == meant


def test_the_regional_hosts_of_openai_are_its_own_and_lookalikes_are_not() -> None:
    environ = {"OPENAI_API_KEY": "sk-1"}
    assert endpoint("https://eu.api.openai.com/v1", None, environ).key == "sk-1"
    assert endpoint("https://api.openai.com.example.org/v1", None, environ).key == "none"
    assert endpoint("https://example.org/api.openai.com", None, environ).key == "none"


def test_messages_never_show_the_password_of_a_url() -> None:
    assert endpoint("http://me:hunter2@gpu-box:8000/v1", None, {}).host == "gpu-box:8000"
