"""Functions of sqlparse: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "sqlparse.utils:remove_quotes",
        slow="""
def remove_quotes(val):
    if val is None:
        return
    if val[0] in ('"', "'", '`') and val[0] == val[-1]:
        rest = ''
        for at in range(1, len(val) - 1):
            rest = ''.join([rest, val[at]])
        val = rest
    return val
""",
        wrong="""
def remove_quotes(val):
    if val is None:
        return
    return val.strip(val[0]) if val[0] in ('"', "'", '`') else val
""",
        calls="""
CALLS = [((q + word(n) + q,), {}) for n in range(6) for q in ('"', "'", '`', '')] + [((None,), {}), (('"a',), {})]
BIG = [((repr(word(2000)),), {}) for _ in range(4)]
""",
    ),
    Case(
        "sqlparse.utils:split_unquoted_newlines",
        slow=r"""
def split_unquoted_newlines(stmt):
    text = str(stmt)
    for _ in range(3):
        lines, line, pos = [], '', 0
        while pos < len(text):
            char = text[pos]
            if char in '\r\n':
                lines.append(line)
                line = ''
                pos += 2 if text[pos:].startswith('\r\n') else 1
                continue
            if char in _STRING_CONTENT:
                end = _STRING_CONTENT[char].match(text, pos + 1).end()
                if end < len(text) and text[end] == char:
                    line += text[pos : end + 1]
                    pos = end + 1
                    continue
            line += char
            pos += 1
    return [*lines, line]
""",
        wrong=r"""
def split_unquoted_newlines(stmt):
    lines, line, quote = [], '', ''
    for char in str(stmt).replace('\r\n', '\n'):
        if char in '\r\n' and not quote:
            lines.append(line)
            line = ''
            continue
        if char in '"\'':
            quote = '' if quote == char else quote or char
        line += char
    return [*lines, line]
""",
        calls=r"""
CALLS = [((word(n, 'ab\'"\n'),), {}) for n in range(20)] + [(("a '\n' b\nc\r\nd 'x",), {})]
BIG = [((word(3000, 'abcd\n'),), {}) for _ in range(4)]
""",
    ),
]
