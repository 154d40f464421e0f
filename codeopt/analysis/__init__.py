"""Facts about a program that follow from reading it: scopes, types, effects, escape, liveness, bounds, loops.

`parse(text)` gives an `AnalyzedProgram`, which answers questions such as `program.types.is_int(node)`;
docs/extend/analysis.md says what the answers rest on.
"""

from codeopt.analysis.effects import Effects
from codeopt.analysis.nesting import Loop
from codeopt.analysis.nodes import (
    SIGNED,
    SUM_OF,
    blocks,
    bound_name,
    divides,
    first_line,
    is_bare_constant,
    is_simple,
    last_line,
    names_in,
    reads_line,
    sets_constant,
    spans_lines,
)
from codeopt.analysis.program import AnalyzedProgram, ShownTypes, parse
from codeopt.analysis.scopes import QUIET_MODULES, Comprehension, Use, Variable
from codeopt.analysis.syntax import Edit, Edits, RefusalReason, compiles, physical_lines, together
from codeopt.analysis.values import (
    FLOAT,
    INT,
    NUMBERS,
    SCALARS,
    STR,
    WHOLE,
    Container,
    Values,
    deep,
    hashable,
    hashable_or_empty,
)

__all__ = [
    "AnalyzedProgram",
    "Comprehension",
    "Container",
    "Edit",
    "Edits",
    "Effects",
    "FLOAT",
    "INT",
    "Loop",
    "NUMBERS",
    "QUIET_MODULES",
    "RefusalReason",
    "SCALARS",
    "SIGNED",
    "STR",
    "SUM_OF",
    "ShownTypes",
    "Use",
    "Values",
    "Variable",
    "WHOLE",
    "blocks",
    "bound_name",
    "compiles",
    "deep",
    "divides",
    "first_line",
    "hashable",
    "hashable_or_empty",
    "is_bare_constant",
    "is_simple",
    "last_line",
    "names_in",
    "parse",
    "physical_lines",
    "reads_line",
    "sets_constant",
    "spans_lines",
    "together",
]
