"""Finds the kind of a target."""

from __future__ import annotations

from types import ModuleType

from codeopt.core import plugins
from codeopt.core.errors import UsageError
from codeopt.core.options import ImproveOptions
from codeopt.core.target import Target
from codeopt.workloads._protocol import WorkloadKind, read_file

KINDS = "codeopt.workloads"
"""The folder, and the group of entry points."""
SHARED = ("contract", "sandbox_view", "source")
"""Folders beside the kinds that are none."""


def kind_of(target: Target, options: ImproveOptions) -> WorkloadKind:
    """The kind that is named, or the first that recognises the target. Raises UsageError."""
    if options.contract and not target.name:
        raise UsageError(f"--contract is for functions (FILE::FUNCTION): {target} has no parameters")
    names = [name for name in plugins.names(KINDS) if name not in SHARED] if not options.workload else []
    kinds = [kind_in(plugins.load(KINDS, name)) for name in names]
    for kind in sorted(kinds, key=lambda each: -each.priority):
        if kind.matches(target, options):
            return kind
    if not options.workload:
        raise UsageError(f"nothing here knows how to improve {target}")
    return kind_in(plugins.load(KINDS, options.workload))


def kind_in(module: ModuleType) -> WorkloadKind:
    """The kind of target that a module makes. Raises UsageError where there is none."""
    values = vars(module)
    found = values.get("open_workload")
    if isinstance(found, WorkloadKind):
        return found
    if not callable(found):
        raise UsageError(f"{module.__name__} is no workload: it does not define open_workload")
    plugins.warn_once(
        f"the workload {module.__name__} is of the old form, which the next release refuses: decorate its "
        "open_workload() with @workload(matches) (docs/writing-a-plug-in.md)"
    )
    return WorkloadKind(
        found, values.get("matches", _nothing), values.get("read", read_file), values.get("PRIORITY", 0)
    )


def _nothing(target: Target, options: ImproveOptions) -> bool:
    """Recognise nothing: a kind of the old form may only ever be named."""
    return False
