"""How figures are said."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


def money(usd: float | None) -> str:
    """US dollars; unknown is never nought."""
    return "price not known" if usd is None else f"{usd:.4f} USD"
