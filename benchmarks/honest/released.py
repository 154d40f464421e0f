"""Speed-ups that packages released; none of these packages is in benchmarks/functions."""

from benchmarks.honest import Upstream

RELEASES = [
    Upstream(
        "rsa", "3.4.2", "4.9", "rsa/common.py", "bit_size",
        calls="""
CALLS = [((draw.getrandbits(n * 9 + 1),), {}) for n in range(16)] + [((-5,), {}), ((1 << 64,), {})]
BIG = [((draw.getrandbits(4096),), {}) for _ in range(2)]
""",
        with_packages=("pyasn1",),
    ),
    Upstream(
        "rsa", "3.4.2", "4.9", "rsa/common.py", "byte_size",
        calls="""
CALLS = [((draw.getrandbits(n * 9 + 1),), {}) for n in range(16)] + [((1 << 1024,), {}), (((1 << 1024) - 1,), {})]
BIG = [((draw.getrandbits(4096),), {}) for _ in range(2)]
""",
        with_packages=("pyasn1",),
    ),
    Upstream(
        "pypdf", "3.1.0", "4.3.1", "pypdf/generic/_base.py", "encode_pdfdocencoding",
        calls="""
CALLS = [((word(n),), {}) for n in range(12)] + [(("d\\u00e9j\\u00e0 \\u2022",), {}), (("\\u4e2d",), {})]
BIG = [((word(6000),), {}) for _ in range(2)]
""",
    ),
    Upstream(
        "qrcode", "5.3", "6.1", "qrcode/util.py", "_lost_point_level2",
        calls="""
def modules(n): return [[draw.random() < 0.5 for _ in range(n)] for _ in range(n)]
CALLS = [((modules(n), n), {}) for n in range(1, 12)]
BIG = [((modules(57), 57), {}) for _ in range(2)]
""",
        with_packages=("six",),
    ),
    Upstream(
        "hpack", "3.0.0", "4.0.0", "hpack/table.py", "HeaderTable.search",
        calls="""
import hpack.table
def table(n):
    made = hpack.table.HeaderTable()
    for at in range(n):
        made.add(b"x-%d" % (at % 5), b"%d" % at)
    return made
ASKED = [(b":status", b"204"), (b":status", b"999"), (b"cookie", b"a"), (b"x-1", b"1"), (b"x-1", b"z"), (b"x-9", b"")]
CALLS = [((table(n), *ASKED[n % 6]), {}) for n in range(18)]
BIG = [((table(2), *pair), {}) for pair in [(b"user-agent", b"a"), (b"vary", b"b")]]
""",
        with_packages=("hyperframe",),
    ),
    Upstream(
        "XlsxWriter", "1.2.0", "3.2.0", "xlsxwriter/xmlwriter.py", "XMLwriter._escape_attributes",
        calls="""
import xlsxwriter.xmlwriter
def call(text): return ((xlsxwriter.xmlwriter.XMLwriter(), text), {})
CALLS = [call(word(n, "ab<>&\\"\\n ")) for n in range(12)] + [call(5), call("plain")]
BIG = [call(word(600, "abcdefgh<>& ")) for _ in range(2)]
""",
    ),
    Upstream(
        "PyMySQL", "0.6.7", "0.7.11", "pymysql/converters.py", "escape_string",
        calls="""
CALLS = [((word(n, "ab'\\"\\n\\0\\\\ "),), {}) for n in range(14)] + [(("it's",), {})]
BIG = [((word(3000, "abcdefgh' "),), {}) for _ in range(2)]
""",
    ),
    Upstream(
        "hashids", "1.1.0", "1.3.1", "hashids.py", "_unhash",
        calls="""
LETTERS = "abdegjklmnopqrvwxyzABDEGJKLMNOPQRVWXYZ1234567890"
CALLS = [((word(n, LETTERS), LETTERS), {}) for n in range(12)] + [(("a!", "ab"), {}), (("101", "01"), {})]
BIG = [((word(400, LETTERS), LETTERS), {}) for _ in range(2)]
""",
    ),
    Upstream(
        "hashids", "1.1.0", "1.3.1", "hashids.py", "_reorder",
        calls="""
CALLS = [((word(n), word(n % 5 + 1)), {}) for n in range(14)] + [(("abc", ""), {})]
BIG = [((word(3000), word(20)), {}) for _ in range(2)]
""",
    ),
]  # fmt: skip
