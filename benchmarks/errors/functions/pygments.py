"""Functions of pygments: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "pygments.util:shebang_matches",
        slow=r"""
def shebang_matches(text, regex):
    first_line = text.split('\n')[0].lower()
    if not first_line.startswith('#!'):
        return False
    for _ in range(30):
        words = [x for x in split_path_re.split(first_line[2:].strip()) if x and not x.startswith('-')]
    if not words:
        return False
    for _ in range(30):
        regexp = re.compile(rf'^{regex}(\.(exe|cmd|bat|bin))?$', re.IGNORECASE)
        found = regexp.search(words[-1]) is not None
    return found
""",
        wrong=r"""
def shebang_matches(text, regex):
    first_line = text.partition('\n')[0].lower()
    if not first_line.startswith('#!'):
        return False
    words = [x for x in split_path_re.split(first_line[2:].strip()) if x]
    return bool(words) and re.search(rf'^{regex}(\.(exe|cmd|bat|bin))?$', words[-1], re.IGNORECASE) is not None
""",
    ),
]
