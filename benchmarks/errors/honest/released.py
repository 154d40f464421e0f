"""Speed-ups that packages released; none of these packages is in benchmarks/errors/functions."""

from benchmarks.errors.honest import Upstream

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
    Upstream(
        "websockets", "9.1", "10.4", "websockets/utils.py", "apply_mask",
        calls="""
def octets(n): return bytes(ints(n, 256))
CALLS = [((octets(n), octets(4)), {}) for n in range(12)] + [((b"hello", bytes(4)), {}), ((b"hello", b"abc"), {})]
BIG = [((octets(8000), octets(4)), {}) for _ in range(2)]
""",
    ),
    Upstream(
        "charset-normalizer", "2.0.12", "2.1.0", "charset_normalizer/cd.py", "characters_popularity_compare",
        calls="""
TONGUES = ["English", "French", "Polish", "Russian", "Greek", "Turkish", "Hebrew"]
LATIN = "etaoinshrdlucmfwypvbgkjqxz"
ACCENTS = "".join(map(chr, range(0xE0, 0xF6)))
CYRILLIC = "".join(map(chr, range(0x430, 0x450)))
def seen(letters, n): return draw.sample(letters, n)
CALLS = [((TONGUES[n % 7], seen(LATIN, n + 1)), {}) for n in range(10)]
CALLS += [(("Russian", seen(CYRILLIC, 15)), {}), (("French", seen(LATIN + ACCENTS, 20)), {}), (("Elvish", ["a"]), {})]
BIG = [((tongue, seen(LATIN + ACCENTS, 45)), {}) for tongue in ("English", "French")]
""",
    ),
    Upstream(
        "mnemonic", "0.18", "0.19", "mnemonic/mnemonic.py", "Mnemonic.to_seed",
        calls="""
WORDS = "legal winner thank year wave sausage worth useful letter advice cage above abandon about zoo".split()
def phrase(n): return " ".join(draw.choices(WORDS, k=n))
CALLS = [((phrase(n),), {}) for n in (12, 15, 18, 21, 24)] + [((phrase(12), word(n)), {}) for n in range(6)]
CALLS += [((phrase(12), "d\\u00e9j\\u00e0"), {}), (("", ""), {})]
BIG = [((phrase(24), "TREZOR"), {}) for _ in range(2)]
""",
        with_packages=("pbkdf2",),
    ),
    Upstream(
        "icalendar", "3.8.4", "3.9.2", "icalendar/parser.py", "foldline",
        calls="""
def line(n): return "DESCRIPTION:" + word(n, string.ascii_letters + " ,;")
CALLS = [((line(n * 25),), {}) for n in range(10)] + [(("",), {}), (("SUMMARY:" + "d\\u00e9j\\u00e0 " * 20,), {})]
CALLS += [((line(60), 20), {}), ((line(200),), {"limit": 40}), ((line(100), 75, "\\r\\n\\t"), {})]
BIG = [((line(4000),), {}) for _ in range(2)]
""",
        with_packages=("pytz", "python-dateutil", "six"),
    ),
    Upstream(
        "eth-utils", "1.8.4", "2.0.0", "eth_utils/hexadecimal.py", "is_hex",
        calls="""
def digits(n): return word(n, string.hexdigits)
CALLS = [(("0x" + digits(n),), {}) for n in range(8)] + [((digits(n),), {}) for n in range(4)]
CALLS += [(("0xgg",), {}), (("hello",), {}), (("0X1f",), {}), ((b"0x1f",), {}), ((31,), {})]
BIG = [(("0x" + digits(6000),), {}) for _ in range(2)]
""",
        with_packages=("toolz", "eth-typing", "eth-hash", "typing-extensions"),
    ),
]  # fmt: skip
