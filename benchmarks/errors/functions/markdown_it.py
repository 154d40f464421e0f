"""Functions of markdown-it-py: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "markdown_it.common.utils:unescapeAll",
        slow=r"""
def unescapeAll(string):
    out = ""
    while string:
        match = UNESCAPE_ALL_RE.match(string)
        if match is None:
            out, string = "".join([*out, string[0]]), string[1:]
        else:
            out += match[1] or replaceEntityPattern(match[0], match[2])
            string = string[match.end():]
    return out
""",
        wrong=r"""
def unescapeAll(string):
    string = re.sub(r"&([a-z#][a-z0-9]{1,31});", lambda m: replaceEntityPattern(m[0], m[1]), string, flags=re.I)
    if "\\" not in string:
        return string
    return re.sub(r"\\([!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~])", r"\1", string)
""",
        calls=r"""
CALLS = [((text,), {}) for text in ("plain", "a&amp;b", "\\*no\\*", "&copy; 2020", "x \\& y", "&#65;&#x42;", "a\\", "&no;")]
CALLS += [((word(n, "ab &;\\"),), {}) for n in range(6)]
BIG = [((word(3000, "abcdef &;\\"),), {}) for _ in range(2)]
""",
    ),
]
