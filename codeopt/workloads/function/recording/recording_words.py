"""What a recording gave, said to its user."""

from __future__ import annotations

from codeopt.core.errors import ProgramError
from codeopt.core.sanitize import inline
from codeopt.core.target import Target
from codeopt.workloads.function.recording.recording import Recording


def said_of(found: Recording, target: Target) -> list[str]:
    """What a recording gave, in lines. Raises ProgramError when the function was never called."""
    ended = f" (the command ended with status {found.status})" if found.status else ""
    command = inline(" ".join(found.program), 200)
    if not found.called:
        raise ProgramError(f"{command} never called {target.name}: {_why_never(found, target)}{ended}")
    known = f", {found.kept} with those that were known" if found.kept > found.new else ""
    lines = [f"ran {command}", f"{found.new} new calls of {target.name} in {found.path}{known}{ended}"]
    if found.lost:
        lines.append(f"some cannot be written down ({inline('; '.join(found.lost[:3]), 200)})")
    return lines


def _why_never(found: Recording, target: Target) -> str:
    if not found.processes:
        return "it started no Python (3.8 or later) that could be watched; -I, -E and -S keep the recorder out"
    if not found.loaded:
        several = "none of its Python processes" if found.processes > 1 else "its Python process never"
        return f"{several} loaded {target.path} (an installed copy of it is another file)"
    return f"{target.path} was loaded, the function was not called"
