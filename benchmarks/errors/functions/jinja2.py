"""Functions of jinja2: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "jinja2.filters:do_batch",
        slow="""
def do_batch(value, linecount, fill_with=None):
    tmp = []
    for item in value:
        if len(tmp) == linecount:
            yield tmp
            tmp = []
        tmp = [*tmp, item]
    if tmp:
        while fill_with is not None and len(tmp) < linecount:
            tmp = [*tmp, fill_with]
        yield tmp
""",
        wrong="""
def do_batch(value, linecount, fill_with=None):
    items = list(value)
    if linecount <= 0 and items:
        yield from ([], items) if not linecount else (items,)
        return
    for at in range(0, len(items), linecount or 1):
        tmp = items[at:at + linecount]
        if fill_with is not None:
            tmp += [fill_with] * (linecount - len(tmp))
        yield tmp
""",
        calls="""
CALLS = [((ints(n), 1 + n % 4, fill), {}) for n in range(8) for fill in (None, 0, 'x')]
CALLS += [((map(int, ['1', '2', '3', 'x']), 2), {}), ((iter('abcde'), 2, 'z'), {})]
BIG = [((ints(6000), 900, 0), {}) for _ in range(2)]
""",
    ),
]
