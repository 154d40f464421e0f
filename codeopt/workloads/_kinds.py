"""Finds the kind of a target."""

from __future__ import annotations

from types import ModuleType
from typing import cast

from codeopt.core import plugins
from codeopt.core.errors import UsageError
from codeopt.core.options import ImproveOptions
from codeopt.core.program import read_program
from codeopt.core.target import Target
from codeopt.workloads._protocol import WorkloadKind

KINDS = "codeopt.workloads"
"""The folder, and the group of entry points."""
SHARED = ("contract", "sandbox_view", "source")
"""Folders beside the kinds that are none."""


def kind_of(target: Target, options: ImproveOptions) -> WorkloadKind:
    """The kind that is named, or the first that recognises the target. Raises UsageError."""
    names = [name for name in plugins.names(KINDS) if name not in SHARED] if not options.workload else []
    modules = [plugins.load(KINDS, name) for name in names]
    for module in sorted(modules, key=lambda each: -getattr(each, "PRIORITY", 0)):
        if module.matches(target, options):
            return _as_kind(module)
    if not options.workload:
        raise UsageError(f"nothing here knows how to improve {target}")
    return _as_kind(plugins.load(KINDS, options.workload))


def _as_kind(module: ModuleType) -> WorkloadKind:
    if not hasattr(module, "open_workload"):
        raise UsageError(f"{module.__name__} is no workload: it does not define open_workload")
    if not hasattr(module, "read"):
        module.read = lambda target: read_program(target.path)  # type: ignore[attr-defined]
    return cast(WorkloadKind, module)
