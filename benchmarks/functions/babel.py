"""Functions of babel: see the package's docstring."""

from benchmarks.functions import Case

CASES = [
    Case(
        "babel.messages.pofile:unescape",
        slow=r"""
def unescape(string):
    known = {'n': '\n', 't': '\t', 'r': '\r', '\\': '\\', '"': '"'}
    out, rest = '', string[1:-1]
    while rest:
        if rest[0] == '\\' and rest[1:2] and rest[1] in known:
            out, rest = ''.join([*out, known[rest[1]]]), rest[2:]
        else:
            out, rest = ''.join([*out, rest[0]]), rest[1:]
    return out
""",
        wrong=r"""
def unescape(string):
    string = string[1:-1].replace('\\n', '\n').replace('\\t', '\t').replace('\\r', '\r')
    return string.replace('\\"', '"').replace('\\\\', '\\')
""",
    ),
]
