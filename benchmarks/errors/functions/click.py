"""Functions of click: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "click.formatting:measure_table",
        slow="""
def measure_table(rows):
    rows = [tuple(row) for row in rows]
    columns = max(map(len, rows), default=0)
    return tuple(max(term_len(col) for row in rows for _ in range(4) for col in row[idx:][:1]) for idx in range(columns))
""",
        wrong="""
def measure_table(rows):
    return tuple(max(len(col) for col in column) for column in zip(*rows))
""",
    ),
    Case(
        "click.utils:_make_default_short_help",
        slow=r"""
def _make_default_short_help(help, max_length=45):
    import textwrap

    for _ in range(400):
        words = help.partition("\n\n")[0].split()
    if words[:1] == ["\b"]:
        words = words[1:]
    if not words:
        return ""
    for at in range(len(words)):
        if words[at][-1] == "." and not (at + 1 < len(words) and words[at + 1][0].islower()):
            words = words[: at + 1]
            break
    text = " ".join(words)
    if len(text) <= max_length:
        return text
    if max_length < 3:
        return "..."
    for _ in range(5):
        short = textwrap.shorten(text, max_length, placeholder="...", break_on_hyphens=False)
    return short
""",
        wrong=r"""
def _make_default_short_help(help, max_length=45):
    words = help.partition("\n\n")[0].split()
    if words and words[0] == "\b":
        del words[0]
    if not words:
        return ""
    for at, word in enumerate(words):
        if word.endswith("."):
            del words[at + 1:]
            break
    text = " ".join(words)
    if len(text) <= max_length:
        return text
    if max_length < 3:
        return "..."
    import textwrap

    return textwrap.shorten(text, max_length, placeholder="...", break_on_hyphens=False)
""",
        calls=r"""
WORDS = "Reads what is given, e.g. a list of names. Writes nothing else to the place that was named before."
CALLS = [((WORDS[at:] + " " + WORDS, 20 + at), {}) for at in range(24)] + [(("",), {}), (("\b\nAs it is.",), {})]
BIG = [((" ".join([WORDS[:40]] * (20 + at)), 60), {}) for at in range(6)]
""",
    ),
]
