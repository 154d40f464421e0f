"""The syntax tree of a text, whatever the text is."""

from __future__ import annotations

import ast
import warnings


def parse(source: str) -> ast.Module:
    """The syntax tree of a text.

    Raises SyntaxError for every way in which a text can fail to be a program.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a wrong escape in a string is no concern of ours
            return ast.parse(source)
    except (ValueError, RecursionError, MemoryError) as error:  # a null byte; nesting beyond the parser's stack
        raise SyntaxError(f"cannot be parsed: {error or 'nested too deeply'}") from error
