"""Functions of boltons: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "boltons.iterutils:bucketize",
        slow="""
def bucketize(src, key=bool, value_transform=None, key_filter=None):
    if not is_iterable(src):
        raise TypeError('expected an iterable')
    if isinstance(key, list):
        if len(key) != len(src):
            raise ValueError("key and src have to be the same length")
        pairs = zip(key, src)
    elif isinstance(key, str):
        pairs = ((getattr(val, key, val), val) for val in src)
    elif callable(key):
        pairs = ((key(val), val) for val in src)
    else:
        raise TypeError('expected key to be callable or a string or a list')
    if value_transform is not None and not callable(value_transform):
        raise TypeError('expected callable value transform function')
    ret = {}
    for name, val in pairs:
        if key_filter is None or key_filter(name):
            val = val if value_transform is None else value_transform(val)
            ret = {**ret, name: ret.get(name, []) + [val]}
    return ret
""",
        wrong="""
def bucketize(src, key=bool, value_transform=None, key_filter=None):
    if not is_iterable(src):
        raise TypeError('expected an iterable')
    if isinstance(key, list):
        pairs = zip(key, src)
    elif isinstance(key, str):
        pairs = ((getattr(val, key, val), val) for val in src)
    elif callable(key):
        pairs = ((key(val), val) for val in src)
    else:
        raise TypeError('expected key to be callable or a string or a list')
    if value_transform is None:
        value_transform = lambda x: x
    if not callable(value_transform):
        raise TypeError('expected callable value transform function')
    ret = {}
    for name, val in pairs:
        if key_filter is None or key_filter(name):
            ret.setdefault(name, []).append(value_transform(val))
    return ret
""",
    ),
    Case(
        "boltons.iterutils:split_iter",
        slow="""
def split_iter(src, sep=None, maxsplit=None):
    if not is_iterable(src):
        raise TypeError('expected an iterable')
    if maxsplit is not None:
        maxsplit = int(maxsplit)
        if maxsplit == 0:
            yield list(src)
            return
    if callable(sep):
        sep_func = sep
    elif not is_scalar(sep):
        sep = frozenset(sep)
        sep_func = sep.__contains__
    else:
        def sep_func(x): return x == sep
    group, count, seen = (), 0, ()
    for s in src:
        seen = seen + (s,) * 5
        if (maxsplit is None or count < maxsplit) and sep_func(s):
            if sep is None and not group:
                continue
            count += 1
            yield list(group)
            group = ()
        else:
            group = group + (s,)
    if group or sep is not None:
        yield list(group)
""",
        wrong="""
def split_iter(src, sep=None, maxsplit=None):
    if not is_iterable(src):
        raise TypeError('expected an iterable')
    if maxsplit is not None:
        maxsplit = int(maxsplit)
        if maxsplit == 0:
            yield list(src)
            return
    if callable(sep):
        sep_func = sep
    elif not is_scalar(sep):
        sep = frozenset(sep)
        sep_func = sep.__contains__
    else:
        def sep_func(x): return x == sep
    group, count = [], 0
    for s in src:
        if count != maxsplit and sep_func(s):
            if sep is None and not group:
                continue
            count += 1
            yield group
            group = []
        else:
            group.append(s)
    if group or sep is not None:
        yield group
""",
    ),
    Case(
        "boltons.strutils:parse_int_list",
        slow="""
def parse_int_list(range_string, delim=',', range_delim='-'):
    found = []
    for part in range_string.strip().split(delim):
        if range_delim in part:
            limits = sorted(int(limit) for limit in part.split(range_delim))
            for value in range(limits[0], limits[-1] + 1):
                found = found + [value]
        elif part:
            found = found + [int(part)]
    return sorted(found)
""",
        wrong="""
def parse_int_list(range_string, delim=',', range_delim='-'):
    output = []
    for x in filter(None, range_string.strip().split(delim)):
        start, _, end = x.partition(range_delim)
        output += range(int(start), int(end) + 1) if end else [int(start)]
    return sorted(output)
""",
        calls="""
CALLS = [((",".join(map(str, ints(n, 60))),), {}) for n in range(12)]
BIG = [((",".join(f"{i}-{i + 3}" for i in ints(700, 900)),), {}) for _ in range(2)]
""",
    ),
]
