import sys


def tree(n, step=1, start=0):
    made = sys.modules["trees"].Tree()
    for key in range(start, start + n * step, step):
        made.add(key, f"v{key % 7}")
    return made


CALLS = [((tree(n, 1 + n % 3), tree(n + 2, 2, n % 2)), {}) for n in range(12)]
CALLS += [((tree(6), tree(6), {2, 4}), {}), ((tree(3), tree(3, 5)), {"keep": ()})]
BIG = [((tree(260, 2), tree(240, 3)), {}), ((tree(250), tree(250, 2, 7), {8, 40}), {})]
