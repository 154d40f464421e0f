"""Prompts of a task: templates with checked variables."""

from __future__ import annotations

from dataclasses import dataclass, fields
from string import Template


@dataclass(frozen=True)
class Prompts:
    """The templates of one task. Values go in by `substitute`, so a program with `$` in it stays as it is."""

    system: Template
    """Who the model is and what counts: `$guidance`, `$rules`."""
    critique: Template
    """After the history: what a critique of the newest program must say: `$hints`, `$answer`."""
    refine: Template
    """After the history: what the next program must do: `$hints`, `$answer`."""
    first_critique: Template | None = None
    """In place of `critique` if there is no draft yet. None: `critique`."""

    @staticmethod
    def of(system: str, critique: str, refine: str) -> Prompts:
        """Make the prompts of three plain texts.

        Raises:
            ValueError: A variable is missing or unknown.
        """
        return Prompts(Template(system), Template(critique), Template(refine))

    def __post_init__(self) -> None:
        """Raise ValueError for a missing or unknown variable: when the task is loaded, not in the middle of a run."""
        for field in fields(self):
            wanted = {"guidance", "rules"} if field.name == "system" else {"hints", "answer"}
            template = getattr(self, field.name)
            found = set(template.get_identifiers()) if template is not None else wanted
            if found != wanted:
                raise ValueError(
                    f"the {field.name} template must use exactly {sorted(wanted)}, it uses {sorted(found)}"
                )
