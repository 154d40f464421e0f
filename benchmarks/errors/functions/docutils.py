"""Functions of docutils: see the package's docstring."""

from benchmarks.errors.functions import Case

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
    Case(
        "docutils.nodes:make_id",
        slow="""
def make_id(string):
    for _ in range(5):
        id = string.lower().translate(_non_id_translate_digraphs).translate(_non_id_translate)
        id = "".join([c for c in unicodedata.normalize("NFKD", id) if ord(c) < 128])
        id = _non_id_at_ends.sub("", _non_id_chars.sub("-", " ".join(id.split())))
    return id
""",
        wrong="""
def make_id(string):
    id = unicodedata.normalize("NFKD", string.lower()).encode("ascii", "ignore").decode("ascii")
    return _non_id_at_ends.sub("", _non_id_chars.sub("-", id))
""",
    ),
]
