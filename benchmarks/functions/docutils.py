"""Functions of docutils: see the package's docstring."""

from benchmarks.functions import Case

CASES = [
    Case(
        "docutils.utils:column_width",
        slow="""
def column_width(text):
    width = 0
    for at in range(len(text)):
        for _ in range(20):
            char = text[at:][:1]
            step = east_asian_widths[unicodedata.east_asian_width(char)] - bool(find_combining_chars(char))
        width += step
    return width
""",
        wrong="""
def column_width(text):
    return len(text) + sum(unicodedata.east_asian_width(c) in 'WF' for c in text)
""",
    ),
]
