"""Functions of sympy: see the package's docstring."""

from benchmarks.functions import Case

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
    Case(
        "sympy.combinatorics.permutations:Permutation.inversions",
        slow="""
def inversions(self):
    a = self.array_form
    return sum(sum(1 for c in a[i:] if c < b) for i, b in enumerate(a) for _ in range(3)) // 3
""",
        wrong="""
def inversions(self):
    found = 0
    a = self._array_form
    for i in range(1, len(a)):
        item = a[i]
        while i and a[i - 1] > item:
            a[i] = a[i - 1]
            i -= 1
            found += 1
        a[i] = item
    return found
""",
        tests="sympy.combinatorics.tests.test_permutations",
    ),
]
