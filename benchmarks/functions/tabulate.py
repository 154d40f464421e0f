"""Functions of tabulate: see the package's docstring."""

from benchmarks.functions import Case

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
]
