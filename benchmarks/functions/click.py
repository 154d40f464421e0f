"""Functions of click: see the package's docstring."""

from benchmarks.functions import Case

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
]
