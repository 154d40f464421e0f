"""Functions of networkx: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "networkx.utils.misc:groups",
        slow="""
def groups(many_to_one):
    return {k: {v for v, other in many_to_one.items() if other == k} for k in many_to_one.values()}
""",
        wrong="""
def groups(many_to_one):
    one_to_many = defaultdict(set)
    for v, k in many_to_one.items():
        one_to_many[k].add(v)
    return one_to_many
""",
        calls="""
CALLS = [((dict(enumerate(ints(n, 5))),), {}) for n in range(12)]
BIG = [((dict(enumerate(ints(600, 300))),), {}) for _ in range(2)]
""",
    ),
    Case(
        "networkx.utils.misc:flatten",
        slow="""
def flatten(obj, result=None):
    if not isinstance(obj, Iterable | Sized) or isinstance(obj, str):
        return obj
    if result is None:
        result = []
    for item in obj:
        if not isinstance(item, Iterable | Sized) or isinstance(item, str):
            result[:] = result + [item]
        else:
            flatten(item, result)
    return tuple(result)
""",
        wrong="""
def flatten(obj, result=None):
    if not isinstance(obj, Iterable | Sized) or isinstance(obj, str):
        return obj
    out = [] if result is None else result
    for item in obj:
        out.extend(flatten(item) if isinstance(item, (list, tuple)) else [item])
    return tuple(out)
""",
        calls="""
CALLS = [(([ints(n), [ints(2), 'ab'], n],), {}) for n in range(10)] + [((5,), {}), (('abc',), {}), (([{1}, [2]],), {}), (([1], [0]), {})]
BIG = [(([ints(1500), [ints(900)]],), {}) for _ in range(2)]
""",
    ),
    Case(
        "networkx.algorithms.graphical:is_valid_degree_sequence_havel_hakimi",
        slow="""
@nx._dispatchable(graphs=None)
def is_valid_degree_sequence_havel_hakimi(deg_sequence):
    try:
        dmax, dmin, dsum, n, num_degs = _basic_graphical_tests(deg_sequence)
    except nx.NetworkXUnfeasible:
        return False
    left = [degree for degree, count in enumerate(num_degs) for _ in range(count) if degree]
    while left:
        left.sort()
        largest = left.pop()
        if largest > len(left):
            return False
        left = [d for d in left[:len(left) - largest] + [d - 1 for d in left[len(left) - largest:]] if d]
    return True
""",
        wrong="""
@nx._dispatchable(graphs=None)
def is_valid_degree_sequence_havel_hakimi(deg_sequence):
    try:
        dmax, dmin, dsum, n, num_degs = _basic_graphical_tests(deg_sequence)
    except nx.NetworkXUnfeasible:
        return False
    if n == 0 or 4 * dmin * n >= (dmax + dmin + 1) * (dmax + dmin + 1):
        return True
    left = [degree for degree, count in enumerate(num_degs) for _ in range(count) if degree]
    left.reverse()
    for at, largest in enumerate(left):
        if largest > sum(map(bool, left[at + 1:])):
            return False
        for place in range(at + 1, at + 1 + largest):
            left[place] -= 1
    return True
""",
        calls="""
CALLS = [((ints(n, 6),), {}) for n in range(14)]
BIG = [(([90] * 60 + ints(700, 12) + [1],), {}), (([80] * 50 + ints(800, 12) + [1, 1],), {})]
""",
    ),
]
