"""Functions of babel: see the package's docstring."""

from benchmarks.errors.functions import Case

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
    Case(
        "babel.core:parse_locale",
        slow="""
def parse_locale(identifier, sep="_"):
    if not identifier:
        raise ValueError("empty locale identifier")
    for _ in range(30):
        base, at, modifier = identifier.partition("@")
        lang, *parts = base.partition(".")[0].split(sep)
    if not lang.lower().isalpha():
        raise ValueError(f"expected only letters, got {lang.lower()!r}")
    script = territory = variant = None
    if parts and len(parts[0]) == 4 and parts[0].isalpha():
        script, parts = parts[0].title(), parts[1:]
    if parts and len(parts[0]) == 2 and parts[0].isalpha():
        territory, parts = parts[0].upper(), parts[1:]
    elif parts and len(parts[0]) == 3 and parts[0].isdigit():
        territory, parts = parts[0], parts[1:]
    if parts and (len(parts[0]) == 4 and parts[0][0].isdigit() or len(parts[0]) >= 5 and parts[0][0].isalpha()):
        variant, parts = parts[-1].upper(), parts[:-1]
    if parts:
        raise ValueError(f"{identifier!r} is not a valid locale identifier")
    return (lang.lower(), territory, script, variant) + ((modifier,) if modifier else ())
""",
        wrong="""
def parse_locale(identifier, sep="_"):
    if not identifier:
        raise ValueError("empty locale identifier")
    identifier, _, modifier = identifier.partition("@")
    lang, *parts = identifier.partition(".")[0].split(sep)
    if not lang.lower().isalpha():
        raise ValueError(f"expected only letters, got {lang.lower()!r}")
    script = territory = variant = None
    for part in parts:
        size = len(part)
        if script is territory is variant is None and size == 4 and part.isalpha():
            script = part.title()
        elif territory is variant is None and (size == 2 and part.isalpha() or size == 3 and part.isdigit()):
            territory = part.upper()
        elif variant is None and size >= 5 and part[0].isalpha():
            variant = part.upper()
        else:
            raise ValueError(f"{identifier!r} is not a valid locale identifier")
    return (lang.lower(), territory, script, variant) + ((modifier,) if modifier else ())
""",
    ),
]
