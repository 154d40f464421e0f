"""Functions of toolz: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "toolz.itertoolz:groupby",
        slow="""
def groupby(key, seq):
    if not callable(key):
        key = getter(key)
    rv = {}
    for item in list(seq):
        rv[key(item)] = rv.get(key(item), []) + [item]
    return rv
""",
        wrong="""
def groupby(key, seq):
    if not callable(key):
        key = getter(key)
    rv = {}
    for item in sorted(seq, key=key):
        rv.setdefault(key(item), []).append(item)
    return rv
""",
        calls="""
CALLS = [((len, [word(draw.randrange(9)) for _ in range(n)]), {}) for n in range(12)] + [((0, ['ab', 'ac', 'b']), {})]
BIG = [((len, [word(draw.randrange(9)) for _ in range(3000)]), {}) for _ in range(2)]
""",
    ),
    Case(
        "toolz.itertoolz:frequencies",
        slow="""
def frequencies(seq):
    seq = list(seq)
    return {item: seq.count(item) for item in seq}
""",
        wrong="""
def frequencies(seq):
    d = {}
    for item in seq:
        d[item] = d.get(item, 0) + 1
    return collections.defaultdict(int, d)
""",
        calls="""
CALLS = [((ints(n),), {}) for n in range(12)]
BIG = [((ints(2000),), {}) for _ in range(2)]
""",
    ),
    Case(
        "toolz.itertoolz:unique",
        slow="""
def unique(seq, key=None):
    seen = []
    for item in seq:
        val = item if key is None else key(item)
        if val not in seen:
            seen.append(val)
            yield item
""",
        wrong="""
def unique(seq, key=None):
    d = {}
    for item in seq:
        d[item if key is None else key(item)] = item
    yield from d.values()
""",
        calls="""
CALLS = [((ints(n, 1 + n),), {}) for n in range(12)] + [((ints(n), abs), {}) for n in range(3)] + [(([1, -1, 2], abs), {})]
BIG = [((ints(3000, 3000),), {}) for _ in range(2)]
""",
    ),
    Case(
        "toolz.itertoolz:isdistinct",
        slow="""
def isdistinct(seq):
    if iter(seq) is seq:
        seen = []
        for x in seq:
            if x in seen:
                return False
            seen = seen + [x]
        return True
    seq = list(seq)
    hash(tuple(seq))
    return all(seq.index(x) == i for i, x in enumerate(seq))
""",
        wrong="""
def isdistinct(seq):
    seq = list(seq)
    return all(a != b for a, b in zip(seq, seq[1:]))
""",
        calls="""
CALLS = [((list(range(n)),), {}) for n in range(8)] + [((ints(n),), {}) for n in range(3, 12)] + [((iter(ints(n)),), {}) for n in range(9)]
BIG = [((list(range(n, n + 1500)),), {}) for n in range(2)]
""",
    ),
    Case(
        "toolz.itertoolz:diff",
        slow="""
def diff(*seqs, **kwargs):
    N = len(seqs)
    if N == 1 and isinstance(seqs[0], list):
        seqs = seqs[0]
        N = len(seqs)
    if N < 2:
        raise TypeError('Too few sequences given (min 2 required)')
    default = kwargs.get('default', no_default)
    iters = list(zip(*seqs)) if default == no_default else list(zip_longest(*seqs, fillvalue=default))
    key = kwargs.get('key', None)
    while iters:
        items = iters.pop(0)
        vals = items if key is None else tuple(map(key, items))
        if sum(1 for v in vals for w in vals if v == w) != N * N:
            yield items
""",
        wrong="""
def diff(*seqs, **kwargs):
    if len(seqs) == 1 and isinstance(seqs[0], list):
        seqs = seqs[0]
    if len(seqs) < 2:
        raise TypeError('Too few sequences given (min 2 required)')
    default = kwargs.get('default', None)
    key = kwargs.get('key', None) or (lambda x: x)
    for items in zip_longest(*seqs, fillvalue=default):
        if len(set(map(key, items))) > 1:
            yield items
""",
        calls="""
CALLS = [((ints(n), ints(n)), {}) for n in range(10)] + [((ints(3), ints(5)), {'default': None}), (([1, 2], [1, -2]), {'key': abs})]
BIG = [((ints(20000, 2), ints(20000, 2)), {}) for _ in range(2)]
""",
    ),
    Case(
        "toolz.dicttoolz:merge_with",
        slow="""
def merge_with(func, *dicts, **kwargs):
    if len(dicts) == 1 and not isinstance(dicts[0], Mapping):
        dicts = dicts[0]
    factory = _get_factory(merge_with, kwargs)
    values = {}
    for d in dicts:
        for k, v in list(d.items()):
            values[k] = values.get(k, []) + [v]
    result = factory()
    for k in values:
        result[k] = func(list(values[k]))
    return result
""",
        wrong="""
def merge_with(func, *dicts, **kwargs):
    factory = _get_factory(merge_with, kwargs)
    result = factory()
    for k in sorted({k for d in dicts for k in d}):
        result[k] = func([d[k] for d in dicts if k in d])
    return result
""",
        calls="""
CALLS = [((sum, dict(enumerate(ints(n))), dict(enumerate(ints(n // 2)))), {}) for n in range(12)] + [((sum, [{1: 2}, {1: 3}]), {}), ((max, {'b': 1}, {'a': 1}), {})]
BIG = [((len, *[{1: i, 2: i} for i in range(3000)]), {}), ((len, *[{3: i, 2: i} for i in range(3000)]), {})]
""",
    ),
    Case(
        "toolz.dicttoolz:valmap",
        slow="""
def valmap(func, d, factory=dict):
    rv = factory()
    for k in list(d):
        rv = factory(rv)
        rv.update({k: func(d[k])})
    return rv
""",
        wrong="""
def valmap(func, d, factory=dict):
    rv = d
    for k in rv:
        rv[k] = func(rv[k])
    return rv
""",
        calls="""
CALLS = [((abs, dict(enumerate(ints(n)))), {}) for n in range(12)]
BIG = [((str, {i: i + k for i in range(1200)}), {}) for k in range(2)]
""",
    ),
    Case(
        "toolz.dicttoolz:get_in",
        slow="""
def get_in(keys, coll, default=None, no_default=False):
    try:
        for at in range(len(list(keys))):
            found = coll
            for key in keys[:at + 1]:
                found = found[key]
        return found if len(keys) else coll
    except (KeyError, IndexError, TypeError):
        if no_default:
            raise
        return default
""",
        wrong="""
def get_in(keys, coll, default=None, no_default=False):
    for key in keys:
        if key not in coll:
            if no_default:
                raise KeyError(key)
            return default
        coll = coll[key]
    return coll
""",
        calls="""
def deep(n):
    return {'a': deep(n - 1)} if n else [1, {'b': 2}]
CALLS = [((['a'] * n, deep(n)), {}) for n in range(8)] + [((['a', 'b'], {'a': {}}, 7), {}), ((['a'], {}), {'no_default': True}), (([0], [5]), {}), (([3], [5], 1), {}), (([1], [5, 6]), {}), ((['x'], [1]), {})]
BIG = [((['a'] * 60, deep(60 + i)), {}) for i in range(300)]
""",
    ),
]
