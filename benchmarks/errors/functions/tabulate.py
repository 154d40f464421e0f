"""Functions of tabulate: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "tabulate:_column_type",
        slow="""
def _column_type(strings, has_invisible=True, numparse=True):
    found = bool
    seen = []
    for s in strings:
        seen = [*seen, s]
        for each in seen[-6:]:
            found = _more_generic(found, _type(each, has_invisible, numparse))
    return found
""",
        wrong="""
def _column_type(strings, has_invisible=True, numparse=True):
    found = type(None)
    for s in strings:
        found = _more_generic(found, _type(s, has_invisible, numparse))
        if found is str:
            break
    return found
""",
    ),
    Case(
        "tabulate:_afterpoint",
        slow="""
def _afterpoint(string):
    for _ in range(20):
        number = _isnumber(string) or _isnumber_with_thousands_separator(string)
        whole = number and _isint(string)
    if not number or whole:
        return -1
    for mark in ".eE":
        tail = string.rpartition(mark)
        if tail[1] and (mark == "." or max(string.rfind("e"), string.rfind("E")) == len(tail[0])):
            return len(tail[2])
    return -1
""",
        wrong="""
def _afterpoint(string):
    if not (_isnumber(string) or _isnumber_with_thousands_separator(string)) or _isint(string):
        return -1
    at = max(string.rfind("."), string.lower().rfind("e"))
    return len(string) - at - 1 if at >= 0 else -1
""",
    ),
]
