"""Functions of idna: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "idna.intranges:intranges_from_list",
        slow="""
def intranges_from_list(list_):
    found = []
    for value in sorted(list_):
        if found and found[-1][1] == value:
            found = found[:-1] + [(found[-1][0], value + 1)]
        else:
            found = found + [(value, value + 1)]
    return tuple(_encode_range(start, end) for start, end in found)
""",
        wrong="""
def intranges_from_list(list_):
    starts, ends, numbers = [], [], set(list_)
    for value in sorted(numbers):
        if value - 1 not in numbers:
            starts.append(value)
        if value + 1 not in numbers:
            ends.append(value + 1)
    return tuple(map(_encode_range, starts, ends))
""",
        calls="""
CALLS = [((sorted(set(ints(n, 30))),), {}) for n in range(12)]
BIG = [((sorted(set(ints(3000, 9000))),), {}) for _ in range(2)]
""",
    ),
]
