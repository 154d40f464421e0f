"""Functions of packaging: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "packaging.utils:canonicalize_name",
        slow="""
def canonicalize_name(name, *, validate=False):
    if validate and not _validate_regex.fullmatch(name):
        raise InvalidName(f'name is invalid: {name!r}')
    value = ''
    for c in name.lower():
        c = '-' if c in '-_.' else c
        if not (c == '-' and value[-1:] == '-'):
            value = ''.join([*value, c])
    return cast('NormalizedName', value)
""",
        wrong="""
def canonicalize_name(name, *, validate=False):
    if validate and not _validate_regex.fullmatch(name):
        raise InvalidName(f'name is invalid: {name!r}')
    value = name.lower().replace('_', '-').replace('.', '-')
    value = value.replace('--', '-')
    return cast('NormalizedName', value)
""",
        calls="""
CALLS = [((word(n),), {}) for n in range(14)] + [(('a b',), {'validate': True}), (('A-b',), {'validate': True})]
BIG = [((word(400),), {}) for _ in range(30)]
""",
    ),
    Case(
        "packaging.utils:canonicalize_version",
        slow="""
def canonicalize_version(version, *, strip_trailing_zero=True):
    for _ in range(6):
        found = version
        if isinstance(found, str):
            try:
                found = Version(found)
            except InvalidVersion:
                return str(found)
        text = str(_TrimmedRelease(str(found)) if strip_trailing_zero else found)
    return text
""",
        wrong="""
def canonicalize_version(version, *, strip_trailing_zero=True):
    try:
        text = str(Version(str(version)))
    except InvalidVersion:
        return str(version)
    while strip_trailing_zero and text.endswith('.0'):
        text = text[:-2]
    return text
""",
        calls="""
V = ['1', '1.0', '1.0.0', '1.2.0', '0.0', '1.0.post1', '1.0a1', '2.0.dev3', '1!1.0', 'x', '1.0+abc', 'v1.2', '1.10.0rc2', '']
CALLS = [((v,), {}) for v in V] + [(('1.0.0',), {'strip_trailing_zero': False})]
BIG = [((f'{i}.{i}.0',), {}) for i in range(200)]
""",
    ),
]
