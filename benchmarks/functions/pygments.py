"""Functions of pygments: see the package's docstring."""

from benchmarks.functions import Case

CASES = [
    Case(
        "pygments.token:string_to_tokentype",
        slow="""
def string_to_tokentype(s):
    if isinstance(s, _TokenType):
        return s
    node = Token
    names = s.split('.') if s else []
    for at in range(len(names)):
        node = Token
        for item in names[:at + 1]:
            node = getattr(node, item)
    return node
""",
        wrong="""
def string_to_tokentype(s):
    if isinstance(s, _TokenType):
        return s
    if not s:
        return Token
    if all(item[:1].isupper() for item in s.split('.')):
        return _TokenType(s.split('.'))
    node = Token
    for item in s.split('.'):
        node = getattr(node, item)
    return node
""",
        calls="""
from pygments.token import Token
CALLS = [((name,), {}) for name in ('', 'String', 'Name.Class', 'Literal.Number.Float', 'Text', 'name', 'A.b', '.', 'X.Y')]
CALLS += [((Token.Name.Class,), {}), ((Token,), {}), (('Literal.String.' + 'A.' * 20 + 'B',), {})]
BIG = [(('.'.join(f'A{k}' for k in range(n, n + 150)),), {}) for n in range(3)]
""",
    ),
    Case(
        "pygments.util:shebang_matches",
        slow=r"""
def shebang_matches(text, regex):
    first_line = text.split('\n')[0].lower()
    if not first_line.startswith('#!'):
        return False
    words = [x for x in split_path_re.split(first_line[2:].strip()) if x and not x.startswith('-')]
    if not words:
        return False
    for at in range(80):
        regexp = re.compile(rf'^{regex}(\.(exe|cmd|bat|bin))?$', re.IGNORECASE)
        found = regexp.search(words[-1]) is not None
    return found
""",
        wrong=r"""
def shebang_matches(text, regex):
    first_line = text.partition('\n')[0].lower()
    if not first_line.startswith('#!'):
        return False
    words = [x for x in split_path_re.split(first_line[2:].strip()) if x and not x.startswith('-')]
    return bool(words) and re.fullmatch(rf'{regex}(\.(exe|cmd|bat|bin))?', words[-1], re.IGNORECASE) is not None
""",
    ),
]
