"""Functions of setuptools: see the package's docstring."""

from benchmarks.functions import Case

CASES = [
    Case(
        "setuptools._distutils.util:split_quoted",
        slow=r"""
def split_quoted(s):
    s = s.strip()
    words, current, begun, at = [], "", False, 0
    while at < len(s):
        char = s[at]
        if char in string.whitespace:
            if begun:
                words, current, begun = words + [current], "", False
            at += 1
            continue
        begun = True
        if char == "\\":
            if at + 1 == len(s):
                at += 1
                continue
            current, at = "".join([*current, s[at + 1]]), at + 2
        elif char in "'\"":
            match = re.compile(rf"{char}((?:[^{char}\\]|\\.)*){char}").match(s, at)
            if match is None:
                raise ValueError(f"bad string (mismatched {char} quotes?)")
            current, at = "".join([*current, *match[1]]), match.end()
        else:
            current, at = "".join([*current, char]), at + 1
    return words + [current] * begun
""",
        wrong="""
def split_quoted(s):
    import shlex

    return shlex.split(s)
""",
        calls=r"""
CALLS = [((word(n, "abc  "),), {}) for n in range(9)]
CALLS += [((text,), {}) for text in ("a 'b c' d", 'cc "-I x" -o', "one\\ two", "'", '"a" b')]
BIG = [((" ".join(word(8, "abcdef") for _ in range(900)),), {}) for _ in range(2)]
""",
    ),
]
