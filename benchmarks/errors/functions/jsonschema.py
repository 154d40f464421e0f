"""Functions of jsonschema: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "jsonschema._utils:uniq",
        slow="""
def uniq(container):
    seen = []
    for e in container:
        e = unbool(e)
        for i in seen:
            if equal(i, e):
                return False
        seen.append(e)
    return True
""",
        wrong="""
def uniq(container):
    try:
        return len(set(container)) == len(container)
    except TypeError:
        return all(a != b for i, a in enumerate(container) for b in container[:i])
""",
        calls="""
CALLS = [((ints(n, 30),), {}) for n in range(10)] + [(([[1], [2]],), {}), (([{'a': 1}, {'a': 1}],), {}), (([1, True],), {}), ((['a', 1],), {})]
BIG = [((list(range(k, 400 + k)),), {}) for k in range(2)]
""",
    ),
]
