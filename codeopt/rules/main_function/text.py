"""The text of a program whose module-level code moves into a function. Part of main_function."""

from __future__ import annotations

import ast

from codeopt.rules import AnalyzedProgram, Edit, compiles, first_line, last_line, physical_lines
from codeopt.rules.main_function.units import Split, inside_strings

GUARD = '__name__ == "__main__"'


def guarded(program: AnalyzedProgram, split: Split, name: str) -> str | None:
    """`if __name__ == "__main__":` with everything in it: its block becomes the function, and calls it."""
    match split.body:
        case [ast.If(test, [first, *_], []) as guard] if program.source(test).replace("'", '"') == GUARD:
            start, end = program.span(guard)
            below = program.text[end:].partition("\n")[2]
            if first.lineno == guard.lineno or below.strip() or program.has(guard, ast.Global):
                return None
            colon = program.text.index(":", program.span(test)[1])
            nl = program.newline
            call = f"{nl}{nl}{nl}{program.text[start:colon]}:{nl}{program.indent}{name}(){nl}"
            new = f"{program.text[:start]}def {name}(){program.text[colon:].rstrip()}{call}"
            return new if compiles(new) else None
    return None


def assemble(program: AnalyzedProgram, split: Split, declarations: list[Edit], name: str) -> str | None:
    """Header, what is kept, the new function with what is moved, and its call."""
    text = program.spliced(declarations)
    if text is None:
        return None
    lines = physical_lines(text)
    first = first_line(program.tree.body[0])
    header = "".join(lines[: first - 1])
    kept = "".join("".join(lines[max(unit.first, first) - 1 : unit.last]) for unit in split.kept)
    kept = kept if header else kept.lstrip("\r\n")
    verbatim = inside_strings(text)
    numbered = [
        (number, line)
        for unit in split.moved
        for number, line in enumerate(lines[max(unit.first, first) - 1 : unit.last], max(unit.first, first))
    ]
    moved = _indented(numbered, verbatim, program.indent)
    below = "".join(lines[last_line(program.tree.body[-1]) :])
    nl = program.newline
    top = (header + kept).rstrip() + nl * 3 if (header + kept).strip() else ""
    new = f"{top}def {name}():{nl}{''.join(moved).strip(nl)}{nl * 3}{name}(){nl}{below.lstrip(nl)}"
    return new if compiles(new) and _same_code(text, split, new, name) else None


def _indented(numbered: list[tuple[int, str]], verbatim: set[int], indent: str) -> list[str]:
    """The lines as the body of a function, where one blank line parts what two part at module level."""
    moved: list[str] = []
    after_blank = False
    for number, line in numbered:
        blank = number not in verbatim and not line.strip()
        if not (blank and after_blank):
            moved.append(line if blank or number in verbatim else indent + line)
        after_blank = blank
    return moved


def _same_code(text: str, split: Split, new: str, name: str) -> bool:
    """Whether the new function holds exactly the moved statements: indentation did not touch a string or a block."""
    lines = {first_line(statement) for statement in split.body}
    expected = [ast.dump(statement) for statement in ast.parse(text).body if first_line(statement) in lines]
    function = next(s for s in ast.parse(new).body if isinstance(s, ast.FunctionDef) and s.name == name)
    return [ast.dump(statement) for statement in function.body] == expected
