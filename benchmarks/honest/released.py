"""Speed-ups that packages released; none of these packages is in benchmarks/functions."""

from benchmarks.honest import Upstream

RELEASES = [
    Upstream(
        "rsa", "4.0", "4.9", "rsa/transform.py", "bytes2int",
        calls="""
CALLS = [((bytes(ints(n, 256)),), {}) for n in range(1, 16)]
BIG = [((bytes(ints(3000, 256)),), {}) for _ in range(2)]
""",
        with_packages=("pyasn1",),
    ),
    Upstream(
        "rsa", "4.0", "4.9", "rsa/transform.py", "int2bytes",
        calls="""
CALLS = [((draw.getrandbits(n * 9 + 1),), {}) for n in range(16)] + [((300, 4), {}), ((-1,), {}), ((1 << 40, 2), {})]
BIG = [((draw.getrandbits(20000),), {}) for _ in range(2)]
""",
        with_packages=("pyasn1",),
    ),
    Upstream(
        "ecdsa", "0.13.3", "0.19.0", "ecdsa/ecdsa.py", "int_to_string",
        calls="""
CALLS = [((draw.getrandbits(n * 9 + 1),), {}) for n in range(16)]
BIG = [((draw.getrandbits(9000),), {}) for _ in range(2)]
""",
        with_packages=("six",),
    ),
    Upstream(
        "ecdsa", "0.13.3", "0.19.0", "ecdsa/numbertheory.py", "factorization",
        calls="""
CALLS = [((n,), {}) for n in (1, 2, 3, 4, 12, 97, 360, 1001, 1024, 9973, 10403, 99990)]
BIG = [((10007 * 10009 * n,), {}) for n in (1, 3, 7)]
""",
        with_packages=("six",),
    ),
    Upstream(
        "wcwidth", "0.2.13", "0.5.3", "wcwidth/wcwidth.py", "wcswidth",
        calls="""
CALLS = [((word(n),), {}) for n in range(12)] + [(("コンニチハ",), {}), (("cafe\\u0301",), {}), (("a\\x1b",), {})]
BIG = [((word(3000),), {}) for _ in range(2)]
""",
    ),
    Upstream(
        "pypdf", "3.1.0", "4.3.1", "pypdf/filters.py", "FlateDecode._decode_png_prediction",
        calls="""
def rows(kinds, width): return bytes(b for kind in kinds for b in [kind, *ints(width - 1, 256)])
def call(kinds, width):
    data = rows(kinds, width)
    return ((data, width, len(data)), {})
CALLS = [call([draw.randrange(5) for _ in range(n)], 5) for n in range(1, 12)]
BIG = [call([2] * 60, 301) for _ in range(2)]
""",
    ),
]  # fmt: skip
