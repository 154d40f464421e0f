"""What known models cost, and only at their own servers; the table goes before it."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.options import ImproveOptions
from codeopt.engine.open_model import open_chosen_model

pytest.importorskip("genai_prices")


@pytest.mark.parametrize(
    ("url", "table", "dollars"),
    [
        (None, "", 12.5),  # 2.50 for a million tokens in, 10.00 out
        (None, '[tool.codeopt.prices."gpt-4o"]\ninput = 1\noutput = 2\n', 3.0),
        ("http://127.0.0.1:9/v1", "", None),
    ],
)
def test_a_price_is_known_at_the_models_own_server(
    url: str | None, table: str, dollars: float | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text(table)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    model = open_chosen_model(ImproveOptions.of({"model": "gpt-4o", "base_url": url}), pytest.fail)
    price = getattr(model, "_price")  # noqa: B009  private, and the only place where it shows without a server
    assert (price and price.cost(1_000_000, 1_000_000)) == dollars
