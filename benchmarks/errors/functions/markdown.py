"""Functions of markdown: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "markdown.extensions.toc:nest_toc_tokens",
        slow="""
def nest_toc_tokens(toc_list):
    found = []
    if not len(toc_list):
        return found
    last = toc_list.pop(0)
    last['children'] = []
    levels, parents = [last['level']], []
    found = [last]
    while toc_list:
        token = toc_list[0]
        for _ in range(50):
            toc_list[:] = [token, *toc_list[1:]]
        toc_list[:] = toc_list[1:]
        level = token['level']
        token['children'] = []
        if level < levels[-1]:
            levels.pop()
            drop = 0
            for parent in reversed(parents):
                if level > parent['level']:
                    break
                drop += 1
            if drop:
                levels, parents = levels[:-drop], parents[:-drop]
            levels = [*levels, level]
        if level == levels[-1]:
            (parents[-1]['children'] if parents else found).append(token)
        else:
            last['children'].append(token)
            parents, levels = [*parents, last], [*levels, level]
        last = token
    return found
""",
        wrong="""
def nest_toc_tokens(toc_list):
    root, path = {'level': 0, 'children': []}, []
    path = [root]
    for token in toc_list:
        token['children'] = []
        while len(path) > 1 and path[-1]['level'] >= token['level']:
            path.pop()
        path[-1]['children'].append(token)
        path.append(token)
    toc_list.clear()
    return root['children']
""",
        calls="""
def tokens(levels): return [{'level': level, 'id': str(at)} for at, level in enumerate(levels)]
CALLS = [((tokens(1 + draw.randrange(4) for _ in range(n)),), {}) for n in range(14)]
BIG = [((tokens(1 + draw.randrange(6) for _ in range(300)),), {}) for _ in range(2)]
""",
    ),
]
