"""Functions of more_itertools: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "more_itertools.more:chunked",
        slow="""
def chunked(iterable, n, strict=False):
    if n is not None and n < 0:
        raise ValueError('n must be at least 0')
    if strict and n is None:
        raise ValueError('n must not be None when using strict mode.')
    def ret():
        it = iter(iterable)
        while chunk := take(n, it):
            it = iter(list(it))
            if strict and len(chunk) != n:
                raise ValueError('iterable is not divisible by n.')
            yield chunk
    return ret()
""",
        wrong="""
def chunked(iterable, n, strict=False):
    items = list(iterable)
    if n is None:
        return iter([items])
    if n < 0:
        raise ValueError('n must be at least 0')
    if strict and len(items) % n:
        raise ValueError('iterable is not divisible by n.')
    return iter([items[i : i + n] for i in range(0, len(items), n)])
""",
        calls="""
CALLS = [((ints(n), 1 + n % 4), {}) for n in range(12)] + [((ints(4), None), {}), ((ints(5), 2, True), {}), ((ints(6), 2, True), {})]
BIG = [((ints(20000), 3), {}) for _ in range(2)]
""",
    ),
    Case(
        "more_itertools.more:split_at",
        slow="""
def split_at(iterable, pred, maxsplit=-1, keep_separator=False):
    buf, it = [], list(iterable)
    while it and maxsplit != 0:
        item = it.pop(0)
        if pred(item):
            yield buf
            if keep_separator:
                yield [item]
            buf = []
            maxsplit -= 1
        else:
            buf = buf + [item]
    yield buf + it
""",
        wrong="""
def split_at(iterable, pred, maxsplit=-1, keep_separator=False):
    buf = []
    for item in iterable:
        if maxsplit and pred(item):
            if buf:
                yield buf
            if keep_separator:
                yield [item]
            buf = []
            maxsplit -= 1
        else:
            buf.append(item)
    yield buf
""",
        calls="""
CALLS = [((ints(n, 4), (lambda x: x == 1)), {}) for n in range(12)] + [((ints(9, 3), bool, k, s), {}) for k in (-1, 0, 1, 2) for s in (True, False)]
BIG = [((ints(8000, 99), (lambda x: x == 1)), {}) for _ in range(2)]
""",
    ),
    Case(
        "more_itertools.more:unique_to_each",
        slow="""
def unique_to_each(*iterables):
    pool = [list(it) for it in iterables]
    return [[x for x in it if sum(x in set(other) for other in pool) == 1] for it in pool]
""",
        wrong="""
def unique_to_each(*iterables):
    pool = [list(it) for it in iterables]
    counts = Counter(chain.from_iterable(pool))
    return [[x for x in it if counts[x] == 1] for it in pool]
""",
        calls="""
CALLS = [((ints(n, 9), ints(n, 9), ints(2, 9)), {}) for n in range(12)]
BIG = [((ints(300, 400), ints(300, 400), ints(200, 500)), {}) for _ in range(2)]
""",
    ),
    Case(
        "more_itertools.more:interleave_longest",
        slow="""
def interleave_longest(*iterables):
    pool = [list(it) for it in iterables]
    while any(pool):
        for it in pool:
            if it:
                yield it.pop(0)
""",
        wrong="""
def interleave_longest(*iterables):
    for xs in zip_longest(*iterables):
        for x in xs:
            if x is not None:
                yield x
""",
        calls="""
CALLS = [((ints(n), ints(n // 2)), {}) for n in range(12)] + [(([1, None], [None]), {}), ((), {})]
BIG = [((ints(30000), ints(20000)), {}) for _ in range(2)]
""",
    ),
    Case(
        "more_itertools.recipes:all_equal",
        slow="""
def all_equal(iterable, key=None):
    last = []
    for x in iterable:
        item = x if key is None else key(x)
        if any(not (item is other or item == other) for other in last * 9):
            return False
        last = [item]
    return True
""",
        wrong="""
def all_equal(iterable, key=None):
    return len({x if key is None else key(x) for x in iterable}) == 1
""",
        calls="""
CALLS = [(([n % 3] * n,), {}) for n in range(9)] + [((ints(n, 2),), {}) for n in range(6)] + [(([1, -1], abs), {})]
BIG = [(([n] * 8000,), {}) for n in range(2)]
""",
    ),
    Case(
        "more_itertools.recipes:sieve",
        slow="""
def sieve(n):
    if n > 2:
        yield 2
    room = bytearray((0, 1)) * (n // 2)
    isqrt(n)
    for i in range(3, n, 2):
        if all(i % d for d in range(2, isqrt(i) + 1)):
            yield i
""",
        wrong="""
def sieve(n):
    if n > 2:
        yield 2
    for i in range(3, n + 1, 2):
        if all(i % d for d in range(3, isqrt(i) + 1, 2)):
            yield i
""",
        calls="""
CALLS = [((n,), {}) for n in range(14)] + [((100,), {})]
BIG = [((n,), {}) for n in (20000, 20500)]
""",
    ),
    Case(
        "more_itertools.recipes:polynomial_from_roots",
        slow="""
def polynomial_from_roots(roots):
    poly = [1]
    for root in roots:
        new = [0] * (len(poly) + 1)
        for i in range(len(poly)):
            for j, c in enumerate((1, -root)):
                new = [v + poly[i] * c if at == i + j else v for at, v in enumerate(new)]
        poly = new
    return poly
""",
        wrong="""
def polynomial_from_roots(roots):
    poly = [1]
    for root in roots:
        poly = [a - abs(root) * b for a, b in zip([*poly, 0], [0, *poly])]
    return poly
""",
        calls="""
CALLS = [((ints(n, 9),), {}) for n in range(12)]
BIG = [((ints(40, 9),), {}) for _ in range(2)]
""",
    ),
    Case(
        "more_itertools.recipes:unique_everseen",
        slow="""
def unique_everseen(iterable, key=None):
    seen = []
    for element in iterable:
        k = element if key is None else key(element)
        hash(k)
        if k not in seen:
            seen.append(k)
            yield element
""",
        wrong="""
def unique_everseen(iterable, key=None):
    last = object()
    for element in iterable:
        k = element if key is None else key(element)
        if k != last:
            last = k
            yield element
""",
        calls="""
CALLS = [((ints(n, 3 + n),), {}) for n in range(12)] + [(([1, -1, 2], abs), {})]
BIG = [((ints(3000, 3000),), {}) for _ in range(2)]
""",
    ),
    Case(
        "more_itertools.more:windowed",
        slow="""
def windowed(seq, n, fillvalue=None, step=1):
    if n <= 0:
        raise ValueError('n must be > 0')
    if step < 1:
        raise ValueError('step must be >= 1')
    iterator = iter(seq)
    window = list(islice(iterator, n))
    if not window:
        return
    if len(window) < n:
        yield tuple(window) + (fillvalue,) * (n - len(window))
        return
    yield tuple(window)
    while True:
        kept, more = window[step:], []
        for item in islice(iterator, step):
            more = more + [item]
        new = more[max(0, step - n):]
        if not new:
            return
        window = []
        for item in kept + new:
            window = window + [item]
        if len(more) < step:
            yield tuple(window) + (fillvalue,) * (n - len(window))
            return
        yield tuple(window)
""",
        wrong="""
def windowed(seq, n, fillvalue=None, step=1):
    if n <= 0:
        raise ValueError('n must be > 0')
    if step < 1:
        raise ValueError('step must be >= 1')
    items = list(seq)
    for at in range(0, max(1, len(items) - n + step), step) if items else ():
        window = tuple(items[at:at + n])
        yield window + (fillvalue,) * (n - len(window))
""",
        calls="""
CALLS = [((ints(n), 1 + n % 4), {}) for n in range(12)] + [((iter([1, 2, 3]), 2), {})]
BIG = [((ints(2000), 150), {}) for _ in range(2)]
""",
    ),
]
