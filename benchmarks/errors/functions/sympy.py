"""Functions of sympy: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "sympy.utilities.iterables:runs",
        slow="""
def runs(seq, op=gt):
    found = []
    for item in seq:
        if found and op(item, found[-1][-1]):
            found = found[:-1] + [found[-1] + [item]]
        else:
            found = found + [[item]]
    return found
""",
        wrong="""
def runs(seq, op=gt):
    found = []
    for item in seq:
        if found and op(item, found[-1][0]):
            found[-1].append(item)
        else:
            found.append([item])
    return found
""",
    ),
]
