"""Prices of models, which only the user's own file may have."""

from __future__ import annotations

from pathlib import Path

import pytest


def set_prices(monkeypatch: pytest.MonkeyPatch, home: Path, model: str, *prices: float) -> None:
    """Write the user's own file of settings, with a model's prices of input and output in USD per million tokens.

    Without prices the file is empty.
    """
    table = '[prices."{}"]\ninput = {}\noutput = {}\n'.format(model, *prices) if prices else ""
    (home / "codeopt").mkdir(parents=True, exist_ok=True)
    (home / "codeopt" / "config.toml").write_text(table)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
