"""How much a difference between draft and original counts, on inputs that nobody has seen."""

from __future__ import annotations

from enum import StrEnum


class Strictness(StrEnum):
    """Of `--changed-inputs`; what each means is in workloads/program/differential.py."""

    AUTO = "auto"
    STRICT = "strict"
    LENIENT = "lenient"
    OFF = "off"
