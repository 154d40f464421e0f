"""Functions of installed, well-known packages, each against a slower equal of itself and an almost equal wrong one.

    python -m benchmarks.functions_of_packages [NAME ...] [--results FILE]

For each: the wrong version must be rejected with a counterexample, the slow one be slower, and the original put back in its place
be faster. Only calls are given, as a developer would in a --calls file; how much evidence came of them is reported. Needs the
packages toolz, more-itertools, packaging, python-dateutil, sqlparse, mistune, jsonschema and networkx.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from codeopt.functions.compare import compare_functions
from codeopt.functions.flags import Chosen
from codeopt.functions.putback import put_back
from codeopt.functions.target import Function, read_function
from sandbox import Options, Sandbox, open_sandbox
from sandbox.compare import Rule


@dataclass(frozen=True)
class Case:
    """One function: where it is, the two other versions, and calls."""

    target: str
    slow: str
    wrong: str
    calls: str


HEAD = """\
import operator, random, re, string
draw = random.Random(7)
def ints(n, top=50): return [draw.randrange(top) for _ in range(n)]
def word(n, letters="abcde-_."): return "".join(draw.choice(letters) for _ in range(n))
"""

CASES = [
    Case(
        "toolz.itertoolz:groupby",
        "def groupby(key, seq):\n    if not callable(key):\n        key = getter(key)\n    rv = {}\n    for item in list(seq):\n        rv[key(item)] = rv.get(key(item), []) + [item]\n    return rv\n",
        "def groupby(key, seq):\n    if not callable(key):\n        key = getter(key)\n    rv = {}\n    for item in sorted(seq, key=key):\n        rv.setdefault(key(item), []).append(item)\n    return rv\n",
        "CALLS = [((len, [word(draw.randrange(9)) for _ in range(n)]), {}) for n in range(12)] + [((0, ['ab', 'ac', 'b']), {})]\nBIG = [((len, [word(draw.randrange(9)) for _ in range(3000)]), {}) for _ in range(2)]",
    ),
    Case(
        "toolz.itertoolz:frequencies",
        "def frequencies(seq):\n    seq = list(seq)\n    return {item: seq.count(item) for item in seq}\n",
        "def frequencies(seq):\n    d = {}\n    for item in seq:\n        d[item] = d.get(item, 0) + 1\n    return collections.defaultdict(int, d)\n",
        "CALLS = [((ints(n),), {}) for n in range(12)]\nBIG = [((ints(2000),), {}) for _ in range(2)]",
    ),
    Case(
        "toolz.itertoolz:unique",
        "def unique(seq, key=None):\n    seen = []\n    for item in seq:\n        val = item if key is None else key(item)\n        if val not in seen:\n            seen.append(val)\n            yield item\n",
        "def unique(seq, key=None):\n    d = {}\n    for item in seq:\n        d[item if key is None else key(item)] = item\n    yield from d.values()\n",
        "CALLS = [((ints(n, 1 + n),), {}) for n in range(12)] + [((ints(n), abs), {}) for n in range(3)] + [(([1, -1, 2], abs), {})]\nBIG = [((ints(3000, 3000),), {}) for _ in range(2)]",
    ),
    Case(
        "toolz.itertoolz:isdistinct",
        "def isdistinct(seq):\n    if iter(seq) is seq:\n        seen = []\n        for x in seq:\n            if x in seen:\n                return False\n            seen = seen + [x]\n        return True\n    seq = list(seq)\n    hash(tuple(seq))\n    return all(seq.index(x) == i for i, x in enumerate(seq))\n",
        "def isdistinct(seq):\n    seq = list(seq)\n    return all(a != b for a, b in zip(seq, seq[1:]))\n",
        "CALLS = [((list(range(n)),), {}) for n in range(8)] + [((ints(n),), {}) for n in range(3, 12)] + [((iter(ints(n)),), {}) for n in range(9)]\nBIG = [((list(range(n, n + 1500)),), {}) for n in range(2)]",
    ),
    Case(
        "toolz.itertoolz:diff",
        "def diff(*seqs, **kwargs):\n    N = len(seqs)\n    if N == 1 and isinstance(seqs[0], list):\n        seqs = seqs[0]\n        N = len(seqs)\n    if N < 2:\n        raise TypeError('Too few sequences given (min 2 required)')\n    default = kwargs.get('default', no_default)\n    iters = list(zip(*seqs)) if default == no_default else list(zip_longest(*seqs, fillvalue=default))\n    key = kwargs.get('key', None)\n    while iters:\n        items = iters.pop(0)\n        vals = items if key is None else tuple(map(key, items))\n        if sum(1 for v in vals for w in vals if v == w) != N * N:\n            yield items\n",
        "def diff(*seqs, **kwargs):\n    if len(seqs) == 1 and isinstance(seqs[0], list):\n        seqs = seqs[0]\n    if len(seqs) < 2:\n        raise TypeError('Too few sequences given (min 2 required)')\n    default = kwargs.get('default', None)\n    key = kwargs.get('key', None) or (lambda x: x)\n    for items in zip_longest(*seqs, fillvalue=default):\n        if len(set(map(key, items))) > 1:\n            yield items\n",
        "CALLS = [((ints(n), ints(n)), {}) for n in range(10)] + [((ints(3), ints(5)), {'default': None}), (([1, 2], [1, -2]), {'key': abs})]\nBIG = [((ints(20000, 2), ints(20000, 2)), {}) for _ in range(2)]",
    ),
    Case(
        "toolz.dicttoolz:merge_with",
        "def merge_with(func, *dicts, **kwargs):\n    if len(dicts) == 1 and not isinstance(dicts[0], Mapping):\n        dicts = dicts[0]\n    factory = _get_factory(merge_with, kwargs)\n    values = {}\n    for d in dicts:\n        for k in list(d):\n            values[k] = values.get(k, []) + [d[k]]\n    result = factory()\n    for k in values:\n        result[k] = func(list(values[k]))\n    return result\n",
        "def merge_with(func, *dicts, **kwargs):\n    factory = _get_factory(merge_with, kwargs)\n    result = factory()\n    for k in sorted({k for d in dicts for k in d}):\n        result[k] = func([d[k] for d in dicts if k in d])\n    return result\n",
        "CALLS = [((sum, dict(enumerate(ints(n))), dict(enumerate(ints(n // 2)))), {}) for n in range(12)] + [((sum, [{1: 2}, {1: 3}]), {}), ((max, {'b': 1}, {'a': 1}), {})]\nBIG = [((len, *[{1: i, 2: i} for i in range(3000)]), {}), ((len, *[{3: i, 2: i} for i in range(3000)]), {})]",
    ),
    Case(
        "toolz.dicttoolz:valmap",
        "def valmap(func, d, factory=dict):\n    rv = factory()\n    for k in list(d):\n        rv = factory(rv)\n        rv.update({k: func(d[k])})\n    return rv\n",
        "def valmap(func, d, factory=dict):\n    rv = d\n    for k in rv:\n        rv[k] = func(rv[k])\n    return rv\n",
        "CALLS = [((abs, dict(enumerate(ints(n)))), {}) for n in range(12)]\nBIG = [((str, {i: i + k for i in range(1200)}), {}) for k in range(2)]",
    ),
    Case(
        "toolz.dicttoolz:get_in",
        "def get_in(keys, coll, default=None, no_default=False):\n    try:\n        for at in range(len(list(keys))):\n            found = coll\n            for key in keys[:at + 1]:\n                found = found[key]\n        return found if len(keys) else coll\n    except (KeyError, IndexError, TypeError):\n        if no_default:\n            raise\n        return default\n",
        "def get_in(keys, coll, default=None, no_default=False):\n    for key in keys:\n        if key not in coll:\n            if no_default:\n                raise KeyError(key)\n            return default\n        coll = coll[key]\n    return coll\n",
        "def deep(n):\n    return {'a': deep(n - 1)} if n else [1, {'b': 2}]\nCALLS = [((['a'] * n, deep(n)), {}) for n in range(8)] + [((['a', 'b'], {'a': {}}, 7), {}), ((['a'], {}), {'no_default': True}), (([0], [5]), {}), (([3], [5], 1), {}), (([1], [5, 6]), {}), ((['x'], [1]), {})]\nBIG = [((['a'] * 60, deep(60 + i)), {}) for i in range(300)]",
    ),
    Case(
        "more_itertools.more:chunked",
        "def chunked(iterable, n, strict=False):\n    if n is not None and n < 0:\n        raise ValueError('n must be at least 0')\n    if strict and n is None:\n        raise ValueError('n must not be None when using strict mode.')\n    def ret():\n        it = iter(iterable)\n        while chunk := take(n, it):\n            it = iter(list(it))\n            if strict and len(chunk) != n:\n                raise ValueError('iterable is not divisible by n.')\n            yield chunk\n    return ret()\n",
        "def chunked(iterable, n, strict=False):\n    items = list(iterable)\n    if n is None:\n        return iter([items])\n    if n < 0:\n        raise ValueError('n must be at least 0')\n    if strict and len(items) % n:\n        raise ValueError('iterable is not divisible by n.')\n    return iter([items[i : i + n] for i in range(0, len(items), n)])\n",
        "CALLS = [((ints(n), 1 + n % 4), {}) for n in range(12)] + [((ints(4), None), {}), ((ints(5), 2, True), {}), ((ints(6), 2, True), {})]\nBIG = [((ints(20000), 3), {}) for _ in range(2)]",
    ),
    Case(
        "more_itertools.more:split_at",
        "def split_at(iterable, pred, maxsplit=-1, keep_separator=False):\n    buf, it = [], list(iterable)\n    while it and maxsplit != 0:\n        item = it.pop(0)\n        if pred(item):\n            yield buf\n            if keep_separator:\n                yield [item]\n            buf = []\n            maxsplit -= 1\n        else:\n            buf = buf + [item]\n    yield buf + it\n",
        "def split_at(iterable, pred, maxsplit=-1, keep_separator=False):\n    buf = []\n    for item in iterable:\n        if maxsplit and pred(item):\n            if buf:\n                yield buf\n            if keep_separator:\n                yield [item]\n            buf = []\n            maxsplit -= 1\n        else:\n            buf.append(item)\n    yield buf\n",
        "CALLS = [((ints(n, 4), (lambda x: x == 1)), {}) for n in range(12)] + [((ints(9, 3), bool, k, s), {}) for k in (-1, 0, 1, 2) for s in (True, False)]\nBIG = [((ints(8000, 99), (lambda x: x == 1)), {}) for _ in range(2)]",
    ),
    Case(
        "more_itertools.more:unique_to_each",
        "def unique_to_each(*iterables):\n    pool = [list(it) for it in iterables]\n    return [[x for x in it if sum(x in set(other) for other in pool) == 1] for it in pool]\n",
        "def unique_to_each(*iterables):\n    pool = [list(it) for it in iterables]\n    counts = Counter(chain.from_iterable(pool))\n    return [[x for x in it if counts[x] == 1] for it in pool]\n",
        "CALLS = [((ints(n, 9), ints(n, 9), ints(2, 9)), {}) for n in range(12)]\nBIG = [((ints(300, 400), ints(300, 400), ints(200, 500)), {}) for _ in range(2)]",
    ),
    Case(
        "more_itertools.more:interleave_longest",
        "def interleave_longest(*iterables):\n    pool = [list(it) for it in iterables]\n    while any(pool):\n        for it in pool:\n            if it:\n                yield it.pop(0)\n",
        "def interleave_longest(*iterables):\n    for xs in zip_longest(*iterables):\n        for x in xs:\n            if x is not None:\n                yield x\n",
        "CALLS = [((ints(n), ints(n // 2)), {}) for n in range(12)] + [(([1, None], [None]), {}), ((), {})]\nBIG = [((ints(30000), ints(20000)), {}) for _ in range(2)]",
    ),
    Case(
        "more_itertools.recipes:all_equal",
        "def all_equal(iterable, key=None):\n    items = [x if key is None else key(x) for x in iterable]\n    return all(a == b for i, a in enumerate(items) for b in items[max(0, i - 9) : i])\n",
        "def all_equal(iterable, key=None):\n    return len({x if key is None else key(x) for x in iterable}) == 1\n",
        "CALLS = [(([n % 3] * n,), {}) for n in range(9)] + [((ints(n, 2),), {}) for n in range(6)] + [(([1, -1], abs), {})]\nBIG = [(([n] * 8000,), {}) for n in range(2)]",
    ),
    Case(
        "more_itertools.recipes:sieve",
        "def sieve(n):\n    if n > 2:\n        yield 2\n    room = bytearray((0, 1)) * (n // 2)\n    isqrt(n)\n    for i in range(3, n, 2):\n        if all(i % d for d in range(2, isqrt(i) + 1)):\n            yield i\n",
        "def sieve(n):\n    if n > 2:\n        yield 2\n    for i in range(3, n + 1, 2):\n        if all(i % d for d in range(3, isqrt(i) + 1, 2)):\n            yield i\n",
        "CALLS = [((n,), {}) for n in range(14)] + [((100,), {})]\nBIG = [((n,), {}) for n in (20000, 20500)]",
    ),
    Case(
        "more_itertools.recipes:polynomial_from_roots",
        "def polynomial_from_roots(roots):\n    poly = [1]\n    for root in roots:\n        new = [0] * (len(poly) + 1)\n        for i in range(len(poly)):\n            for j, c in enumerate((1, -root)):\n                new = [v + poly[i] * c if at == i + j else v for at, v in enumerate(new)]\n        poly = new\n    return poly\n",
        "def polynomial_from_roots(roots):\n    poly = [1]\n    for root in roots:\n        poly = [a - abs(root) * b for a, b in zip([*poly, 0], [0, *poly])]\n    return poly\n",
        "CALLS = [((ints(n, 9),), {}) for n in range(12)]\nBIG = [((ints(40, 9),), {}) for _ in range(2)]",
    ),
    Case(
        "more_itertools.recipes:unique_everseen",
        "def unique_everseen(iterable, key=None):\n    seen = []\n    for element in iterable:\n        k = element if key is None else key(element)\n        hash(k)\n        if k not in seen:\n            seen.append(k)\n            yield element\n",
        "def unique_everseen(iterable, key=None):\n    last = object()\n    for element in iterable:\n        k = element if key is None else key(element)\n        if k != last:\n            last = k\n            yield element\n",
        "CALLS = [((ints(n, 3 + n),), {}) for n in range(12)] + [(([1, -1, 2], abs), {})]\nBIG = [((ints(3000, 3000),), {}) for _ in range(2)]",
    ),
    Case(
        "packaging.utils:canonicalize_name",
        "def canonicalize_name(name, *, validate=False):\n    if validate and not _validate_regex.fullmatch(name):\n        raise InvalidName(f'name is invalid: {name!r}')\n    value = ''\n    for c in name.lower():\n        c = '-' if c in '-_.' else c\n        if not (c == '-' and value[-1:] == '-'):\n            value = ''.join([*value, c])\n    return cast('NormalizedName', value)\n",
        "def canonicalize_name(name, *, validate=False):\n    if validate and not _validate_regex.fullmatch(name):\n        raise InvalidName(f'name is invalid: {name!r}')\n    value = name.lower().replace('_', '-').replace('.', '-')\n    value = value.replace('--', '-')\n    return cast('NormalizedName', value)\n",
        "CALLS = [((word(n),), {}) for n in range(14)] + [(('a b',), {'validate': True}), (('A-b',), {'validate': True})]\nBIG = [((word(400),), {}) for _ in range(30)]",
    ),
    Case(
        "packaging.utils:canonicalize_version",
        "def canonicalize_version(version, *, strip_trailing_zero=True):\n    for _ in range(6):\n        found = version\n        if isinstance(found, str):\n            try:\n                found = Version(found)\n            except InvalidVersion:\n                return str(found)\n        text = str(_TrimmedRelease(str(found)) if strip_trailing_zero else found)\n    return text\n",
        "def canonicalize_version(version, *, strip_trailing_zero=True):\n    try:\n        text = str(Version(str(version)))\n    except InvalidVersion:\n        return str(version)\n    while strip_trailing_zero and text.endswith('.0'):\n        text = text[:-2]\n    return text\n",
        "V = ['1', '1.0', '1.0.0', '1.2.0', '0.0', '1.0.post1', '1.0a1', '2.0.dev3', '1!1.0', 'x', '1.0+abc', 'v1.2', '1.10.0rc2', '']\nCALLS = [((v,), {}) for v in V] + [(('1.0.0',), {'strip_trailing_zero': False})]\nBIG = [((f'{i}.{i}.0',), {}) for i in range(200)]",
    ),
    Case(
        "dateutil.easter:easter",
        "def easter(year, method=EASTER_WESTERN):\n    if not (1 <= method <= 3):\n        raise ValueError('invalid method')\n    for _ in range(20):\n        y = year\n        g = y % 19\n        e = 0\n        if method < 3:\n            i = (19*g + 15) % 30\n            j = (y + y//4 + i) % 7\n            if method == 2:\n                e = 10\n                if y > 1600:\n                    e = e + y//100 - 16 - (y//100 - 16)//4\n        else:\n            c = y//100\n            h = (c - c//4 - (8*c + 13)//25 + 19*g + 15) % 30\n            i = h - (h//28)*(1 - (h//28)*(29//(h + 1))*((21 - g)//11))\n            j = (y + y//4 + i + 2 - c + c//4) % 7\n        p = i - j + e\n        d = 1 + (p + 27 + (p + 6)//40) % 31\n        m = 3 + (p + 26)//30\n    return datetime.date(int(y), int(m), int(d))\n",
        "def easter(year, method=EASTER_WESTERN):\n    if not (1 <= method <= 3):\n        raise ValueError('invalid method')\n    y = year\n    g = y % 19\n    e = 0\n    if method < 3:\n        i = (19*g + 15) % 30\n        j = (y + y//4 + i) % 7\n        if method == 2:\n            e = 13\n    else:\n        c = y//100\n        h = (c - c//4 - (8*c + 13)//25 + 19*g + 15) % 30\n        i = h - (h//28)\n        j = (y + y//4 + i + 2 - c + c//4) % 7\n    p = i - j + e\n    d = 1 + (p + 27 + (p + 6)//40) % 31\n    m = 3 + (p + 26)//30\n    return datetime.date(int(y), int(m), int(d))\n",
        "CALLS = [((1990 + 7 * n, 1 + n % 3), {}) for n in range(14)] + [((2000,), {}), ((2000, 4), {})]\nBIG = [((1500 + n, 1 + n % 3), {}) for n in range(300)]",
    ),
    Case(
        "sqlparse.utils:remove_quotes",
        "def remove_quotes(val):\n    if val is None:\n        return\n    if val[0] in ('\"', \"'\", '`') and val[0] == val[-1]:\n        rest = ''\n        for at in range(1, len(val) - 1):\n            rest = ''.join([rest, val[at]])\n        val = rest\n    return val\n",
        "def remove_quotes(val):\n    if val is None:\n        return\n    return val.strip(val[0]) if val[0] in ('\"', \"'\", '`') else val\n",
        "CALLS = [((q + word(n) + q,), {}) for n in range(6) for q in ('\"', \"'\", '`', '')] + [((None,), {}), (('\"a',), {})]\nBIG = [((repr(word(2000)),), {}) for _ in range(4)]",
    ),
    Case(
        "sqlparse.utils:split_unquoted_newlines",
        "def split_unquoted_newlines(stmt):\n    text = str(stmt)\n    for _ in range(3):\n        lines, line, pos = [], '', 0\n        while pos < len(text):\n            char = text[pos]\n            if char in '\\r\\n':\n                lines.append(line)\n                line = ''\n                pos += 2 if text[pos:].startswith('\\r\\n') else 1\n                continue\n            if char in _STRING_CONTENT:\n                end = _STRING_CONTENT[char].match(text, pos + 1).end()\n                if end < len(text) and text[end] == char:\n                    line += text[pos : end + 1]\n                    pos = end + 1\n                    continue\n            line += char\n            pos += 1\n    return [*lines, line]\n",
        "def split_unquoted_newlines(stmt):\n    lines, line, quote = [], '', ''\n    for char in str(stmt).replace('\\r\\n', '\\n'):\n        if char in '\\r\\n' and not quote:\n            lines.append(line)\n            line = ''\n            continue\n        if char in '\"\\'':\n            quote = '' if quote == char else quote or char\n        line += char\n    return [*lines, line]\n",
        "CALLS = [((word(n, 'ab\\'\"\\n'),), {}) for n in range(20)] + [((\"a '\\n' b\\nc\\r\\nd 'x\",), {})]\nBIG = [((word(3000, 'abcd\\n'),), {}) for _ in range(4)]",
    ),
    Case(
        "mistune.util:escape",
        "def escape(s, quote=True):\n    table = {'&': '&amp;', '<': '&lt;', '>': '&gt;'}\n    if quote:\n        table['\"'] = '&quot;'\n    out = ''\n    for c in s:\n        out = ''.join([out, table.get(c, c)])\n    return out\n",
        "def escape(s, quote=True):\n    s = s.replace('<', '&lt;')\n    s = s.replace('>', '&gt;')\n    s = s.replace('&', '&amp;') if '&lt;' not in s and '&gt;' not in s else s\n    return s.replace('\"', '&quot;') if quote else s\n",
        "CALLS = [((word(n, 'ab<>&\"'),), {}) for n in range(12)] + [((word(9, '<\"&'), False), {})]\nBIG = [((word(2000, 'abc<>&'),), {}) for _ in range(3)]",
    ),
    Case(
        "mistune.util:unikey",
        "def unikey(s):\n    out = ''\n    for part in s.split():\n        for c in (' ' if out else '') + part:\n            out = ''.join([*out, c])\n    return out.lower().upper()\n",
        "def unikey(s):\n    return re.sub(' +', ' ', s).strip().upper()\n",
        "CALLS = [((word(n, 'aB c\\t\\n'),), {}) for n in range(14)]\nBIG = [((word(900, 'ab cd'),), {}) for _ in range(3)]",
    ),
    Case(
        "jsonschema._utils:uniq",
        "def uniq(container):\n    seen = []\n    for e in container:\n        e = unbool(e)\n        for i in seen:\n            if equal(i, e):\n                return False\n        seen.append(e)\n    return True\n",
        "def uniq(container):\n    try:\n        return len(set(container)) == len(container)\n    except TypeError:\n        return all(a != b for i, a in enumerate(container) for b in container[:i])\n",
        "CALLS = [((ints(n, 30),), {}) for n in range(10)] + [(([[1], [2]],), {}), (([{'a': 1}, {'a': 1}],), {}), (([1, True],), {}), ((['a', 1],), {})]\nBIG = [((list(range(k, 400 + k)),), {}) for k in range(2)]",
    ),
    Case(
        "networkx.utils.misc:groups",
        "def groups(many_to_one):\n    return {k: {v for v, other in many_to_one.items() if other == k} for k in many_to_one.values()}\n",
        "def groups(many_to_one):\n    one_to_many = defaultdict(set)\n    for v, k in many_to_one.items():\n        one_to_many[k].add(v)\n    return one_to_many\n",
        "CALLS = [((dict(enumerate(ints(n, 5))),), {}) for n in range(12)]\nBIG = [((dict(enumerate(ints(600, 300))),), {}) for _ in range(2)]",
    ),
    Case(
        "networkx.utils.misc:flatten",
        "def flatten(obj, result=None):\n    if not isinstance(obj, Iterable | Sized) or isinstance(obj, str):\n        return obj\n    if result is None:\n        result = []\n    for item in obj:\n        if not isinstance(item, Iterable | Sized) or isinstance(item, str):\n            result[:] = result + [item]\n        else:\n            flatten(item, result)\n    return tuple(result)\n",
        "def flatten(obj, result=None):\n    if not isinstance(obj, Iterable | Sized) or isinstance(obj, str):\n        return obj\n    out = [] if result is None else result\n    for item in obj:\n        out.extend(flatten(item) if isinstance(item, (list, tuple)) else [item])\n    return tuple(out)\n",
        "CALLS = [(([ints(n), [ints(2), 'ab'], n],), {}) for n in range(10)] + [((5,), {}), (('abc',), {}), (([{1}, [2]],), {}), (([1], [0]), {})]\nBIG = [(([ints(1500), [ints(900)]],), {}) for _ in range(2)]",
    ),
]  # fmt: skip


def open_with(mounts: tuple[tuple[str, str], ...]) -> Sandbox:
    """Bubblewrap has no daemon to wait for."""
    return open_sandbox("bubblewrap", options=Options(mounts=mounts))


def versions(case: Case, folder: Path) -> list[Function]:
    """The original, the slow and the wrong one, all in the place of the installed module."""
    module, _, name = case.target.partition(":")
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    path = Path(spec.origin)
    original = read_function(path, name)
    found = [original]
    for text in (case.slow, case.wrong):
        other = folder / path.name
        other.write_text(put_back(original.source, name, text))
        found.append(replace(read_function(other, name), path=path))
    return found


def judge(case: Case, folder: Path) -> dict[str, Any]:
    """The three verdicts."""
    original, slow, wrong = versions(case, folder)
    calls = folder / "calls.py"
    calls.write_text(HEAD + case.calls + "\n")
    options, rule = Chosen(calls=calls, use_tests=False), Rule(max_pairs=20, max_seconds=10.0)
    return {
        "wrong": compare_functions(original, wrong, options, open_with, rule),
        "slow": compare_functions(original, slow, options, open_with, rule),
        "back": compare_functions(slow, original, options, open_with, rule),
    }


def row(case: Case, found: dict[str, Any], seconds: float) -> dict[str, Any]:
    """What one function showed, as one line of JSON."""
    evidence = found["back"]["evidence"] or {}
    verdicts = {name: found[name]["verdict"] for name in ("wrong", "slow", "back")}
    return {
        "target": case.target,
        **verdicts,
        "right": tuple(verdicts.values()) == ("rejected", "slower", "faster"),
        "ratio": found["back"]["ratio"],
        "sources": evidence.get("sources", {}),
        "line_coverage": evidence.get("line_coverage", 0.0),
        "counterexample": found["wrong"]["reason"],
        "reasons": {name: found[name]["reason"] for name in ("slow", "back") if found[name]["reason"]},
        "seconds": round(seconds),
    }


def line(row: dict[str, Any]) -> str:
    """For the screen."""
    verdicts = ", ".join(row[name] for name in ("wrong", "slow", "back"))
    sources = ", ".join(f"{count} {name}" for name, count in row["sources"].items())
    text = f"{'ok ' if row['right'] else 'BAD'} {row['target']:<44} {verdicts:<26} {row['ratio'] or 0:7.2f}x  "
    text += f"{sources}  {row['line_coverage']:.0%}  {row['seconds']} s\n      {row['counterexample'][:150]}"
    return text if row["right"] else f"{text}\n      {row['reasons']}"


def table(rows: list[dict[str, Any]]) -> str:
    """The sums, by package, as Markdown."""
    packages: dict[str, list[dict[str, Any]]] = {}
    for each in rows:
        packages.setdefault(each["target"].partition(".")[0], []).append(each)
    lines = ["| package | functions | wrong ones rejected | slow ones slower | put back faster | calls by source |"]
    lines.append("|---|--:|--:|--:|--:|---|")
    for name, found in [*packages.items(), ("**all**", rows)]:
        counts: Counter[str] = Counter()
        for each in found:
            counts.update(each["sources"])
        right = [sum(e[key] == want for e in found) for key, want in WANTED.items()]
        sources = ", ".join(f"{count} {source}" for source, count in counts.most_common())
        lines.append(f"| {name} | {len(found)} | {right[0]} | {right[1]} | {right[2]} | {sources} |")
    return "\n".join(lines)


WANTED = {"wrong": "rejected", "slow": "slower", "back": "faster"}


def main() -> None:
    """One line a function, then the sums."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="only functions whose name has one of these in it")
    parser.add_argument("--results", type=Path, help="a file of JSON lines: what is in it is not measured again")
    arguments = parser.parse_args()
    chosen = [c for c in CASES if not arguments.names or any(name in c.target for name in arguments.names)]
    known = {}
    if arguments.results and arguments.results.is_file():
        known = {each["target"]: each for each in map(json.loads, arguments.results.read_text().splitlines())}
    rows = []
    for case in chosen:
        if case.target not in known:
            started = time.monotonic()
            with tempfile.TemporaryDirectory() as folder:
                known[case.target] = row(case, judge(case, Path(folder)), time.monotonic() - started)
            print(line(known[case.target]), flush=True)
            if arguments.results:
                with arguments.results.open("a") as file:
                    file.write(json.dumps(known[case.target]) + "\n")
        rows.append(known[case.target])
    print(table(rows))


if __name__ == "__main__":
    main()
