"""Functions of mistune: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "mistune.util:escape",
        slow="""
def escape(s, quote=True):
    table = {'&': '&amp;', '<': '&lt;', '>': '&gt;'}
    if quote:
        table['"'] = '&quot;'
    out = ''
    for c in s:
        out = ''.join([out, table.get(c, c)])
    return out
""",
        wrong="""
def escape(s, quote=True):
    s = s.replace('<', '&lt;')
    s = s.replace('>', '&gt;')
    s = s.replace('&', '&amp;') if '&lt;' not in s and '&gt;' not in s else s
    return s.replace('"', '&quot;') if quote else s
""",
        calls="""
CALLS = [((word(n, 'ab<>&"'),), {}) for n in range(12)] + [((word(9, '<"&'), False), {})]
BIG = [((word(2000, 'abc<>&'),), {}) for _ in range(3)]
""",
    ),
    Case(
        "mistune.util:unikey",
        slow="""
def unikey(s):
    out = ''
    for part in s.split():
        for c in (' ' if out else '') + part:
            out = ''.join([*out, c])
    return out.lower().upper()
""",
        wrong="""
def unikey(s):
    return re.sub(' +', ' ', s).strip().upper()
""",
        calls=r"""
CALLS = [((word(n, 'aB c\t\n'),), {}) for n in range(14)]
BIG = [((word(900, 'ab cd'),), {}) for _ in range(3)]
""",
    ),
]
