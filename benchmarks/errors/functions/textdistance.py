"""Functions of textdistance: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "textdistance.algorithms.edit_based:Hamming.__call__",
        slow="""
def __call__(self, *sequences):
    sequences = self._get_sequences(*sequences)
    result = self.quick_answer(*sequences)
    if result is not None:
        assert isinstance(result, int)
        return result
    rows = list(zip(*sequences) if self.truncate else zip_longest(*sequences))
    found = 0
    while rows:
        found += not self.test_func(*rows[0])
        rows = rows[1:]
    return found
""",
        wrong="""
def __call__(self, *sequences):
    sequences = self._get_sequences(*sequences)
    result = self.quick_answer(*sequences)
    if result is not None:
        assert isinstance(result, int)
        return result
    found = sum(not self.test_func(*es) for es in zip(*sequences))
    return found if self.truncate else found + max(map(len, sequences)) - min(map(len, sequences))
""",
        calls="""
from textdistance import Hamming
def either(x, y): return x == y or None in (x, y)
KINDS = [Hamming(), Hamming(truncate=True), Hamming(qval=2), Hamming(external=False), Hamming(qval=None), Hamming(test_func=operator.eq)]
CALLS = [((kind, word(n), word(2 * n % 7)), {}) for n in range(8) for kind in KINDS]
CALLS += [((Hamming(), 'ab', 'abc', 'b'), {}), ((Hamming(), [1, None], [1]), {}), ((Hamming(),), {}), ((Hamming(), 'a'), {})]
BIG = [((Hamming(external=False), word(4000), word(4000)), {}) for _ in range(2)]
""",
    ),
]
