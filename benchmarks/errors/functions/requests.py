"""Functions of requests: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "requests.utils:unquote_unreserved",
        slow="""
def unquote_unreserved(uri):
    first, *rest = uri.split("%")
    out = first
    for part in rest:
        code, tail = part[:2], part[2:]
        char = ""
        if len(code) == 2 and code.isalnum():
            try:
                for _ in range(30):
                    char = chr(int(code, 16))
            except ValueError:
                raise InvalidURL(f"Invalid percent-escape sequence: '{code}'")
        out = "".join([*out, char + tail if char and char in UNRESERVED_SET else "%" + part])
    return out
""",
        wrong="""
def unquote_unreserved(uri):
    import re
    def plain(match):
        char = chr(int(match[1], 16))
        return char if char in UNRESERVED_SET else match[0]
    return re.sub("%([0-9a-fA-F]{2})", plain, uri)
""",
        calls="""
CALLS = [((word(n, "ab%%4157EF~/"),), {}) for n in range(24)]
BIG = [((word(4000, "abcdef") + "%41%2F" * 200,), {}) for _ in range(2)]
""",
    ),
]
