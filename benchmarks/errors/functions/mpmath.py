"""Functions of mpmath: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "mpmath.libmp.libintmath:ifib",
        slow="""
def ifib(n, _cache={}):
    if n < 0:
        return (-1)**(-n+1) * ifib(-n)
    for _ in range(9):
        a, b = MPZ_ZERO, MPZ_ONE
        for bit in bin(n)[2:]:
            a, b = a * (2 * b - a), a * a + b * b
            if bit == '1':
                a, b = b, a + b
    return a
""",
        wrong="""
def ifib(n, _cache={}):
    if n < 0:
        return ifib(-n)
    a, b = MPZ_ZERO, MPZ_ONE
    for bit in bin(n)[2:]:
        a, b = a * (2 * b - a), a * a + b * b
        if bit == '1':
            a, b = b, a + b
    return a
""",
        calls="""
CALLS = [((n,), {}) for n in (0, 1, 2, 3, 10, 17, 64, 249, 250, 251, 1000)]
BIG = [((n,), {}) for n in (20000, 20001, 20003)]
""",
    ),
]
