"""Writers of drafts: a language model, or the built-in rules. One proposer a file."""

from __future__ import annotations
