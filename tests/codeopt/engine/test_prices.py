"""What known models cost, and only at their own servers; the user's own table goes before it."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.errors import UsageError
from codeopt.core.options import ImproveOptions
from codeopt.engine.open_session import open_chosen_model
from tests.support.prices import set_prices

pytest.importorskip("genai_prices")


@pytest.mark.parametrize(
    ("url", "own", "dollars"),
    [
        (None, (), 12.5),  # 2.50 for a million tokens in, 10.00 out
        (None, (1, 2), 3.0),
        ("http://127.0.0.1:9/v1", (), None),
    ],
)
def test_a_price_is_known_at_the_models_own_server(
    url: str | None, own: tuple[float, ...], dollars: float | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_prices(monkeypatch, tmp_path, "gpt-4o", *own)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    model = open_chosen_model(ImproveOptions.of({"model": "gpt-4o", "base_url": url}), pytest.fail)
    price = getattr(model, "_price")  # noqa: B009  private, and the only place where it shows without a server
    assert (price and price.cost(1_000_000, 1_000_000)) == dollars


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("prices = 3", 'prices is not a table, such as [prices."NAME"]'),
        ("[prices]\ngpt-4o = 3", '[prices."gpt-4o"] needs the numbers input and output'),
        ("[prices.gpt-4o]\ninput = 1", '[prices."gpt-4o"] needs the numbers input and output'),
    ],
)
def test_a_wrong_table_of_prices_is_named(
    table: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_prices(monkeypatch, tmp_path, "gpt-4o")
    file = tmp_path / "codeopt" / "config.toml"
    file.write_text(table)
    with pytest.raises(UsageError) as error:
        open_chosen_model(ImproveOptions.of({"model": "gpt-4o"}), pytest.fail)
    assert str(error.value) == f"{file}: {said}"
