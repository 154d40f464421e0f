"""Finds the kind of a target."""

from __future__ import annotations

from types import ModuleType

from codeopt.core import plugins
from codeopt.core.errors import UsageError
from codeopt.core.options import ImproveOptions
from codeopt.core.target import Target
from codeopt.workloads._protocol import WorkloadKind

KINDS = "codeopt.workloads"
"""The folder, and the group of entry points."""
SHARED = ("contract", "generated", "sandbox_view", "source", "tests")
"""Folders of this package that are not kinds."""


def kind_of(target: Target, options: ImproveOptions) -> WorkloadKind:
    """The kind that is named, or the first that recognises the target. Raises UsageError."""
    if options.contract and not target.name:
        raise UsageError(f"--contract is for functions, and {target} has no parameters", hint="name FILE::FUNCTION")
    names = [name for name in plugins.names(KINDS) if name not in SHARED] if not options.workload else []
    kinds = [kind_in(plugins.load(KINDS, name)) for name in names]
    for kind in sorted(kinds, key=lambda each: -each.priority):
        if kind.matches(target, options):
            return kind
    if not options.workload:
        raise UsageError(f"nothing here knows how to improve {target}")
    return kind_in(plugins.load(KINDS, options.workload))


def kind_in(module: ModuleType) -> WorkloadKind:
    """Return the kind of target that a module defines.

    Raises:
        UsageError: The module does not define one.
    """
    return plugins.made_by(module, "workload", "open_workload", WorkloadKind, "@workload(matches)")
