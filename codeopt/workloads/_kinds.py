"""Finds the kind of a target."""

from __future__ import annotations

from types import ModuleType
from typing import cast

from codeopt import registry
from codeopt.errors import UsageError
from codeopt.options import ImproveOptions
from codeopt.program import read_program
from codeopt.target import Target
from codeopt.workloads._protocol import WorkloadKind

KINDS = "codeopt.workloads"
"""The folder, and the group of entry points."""


def kind_of(target: Target, options: ImproveOptions) -> WorkloadKind:
    """The kind that is named, or the first that recognises the target. Raises UsageError."""
    modules = [registry.load(KINDS, name) for name in registry.names(KINDS)] if not options.workload else []
    for module in sorted(modules, key=lambda each: -getattr(each, "PRIORITY", 0)):
        if module.matches(target, options):
            return _as_kind(module)
    if not options.workload:
        raise UsageError(f"nothing here knows how to improve {target}")
    return _as_kind(registry.load(KINDS, options.workload))


def _as_kind(module: ModuleType) -> WorkloadKind:
    if not hasattr(module, "open_workload"):
        raise UsageError(f"{module.__name__} is no workload: it does not define open_workload")
    if not hasattr(module, "read"):
        module.read = lambda target: read_program(target.path)  # type: ignore[attr-defined]
    return cast(WorkloadKind, module)
