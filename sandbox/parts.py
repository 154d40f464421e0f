"""Programs for the guest that are put together from parts, because the sandbox runs one text."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def text_of(*parts: str) -> str:
    """The modules of sandbox.guest with these names, one after another: they share one namespace."""
    return "".join(files("sandbox.guest").joinpath(f"{part}.py").read_text("utf-8") for part in parts)
