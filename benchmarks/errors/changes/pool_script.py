"""A script of multiprocessing: the children of a pool count words in a list."""

from benchmarks.errors.changes import ChangedProject, Replacement

COUNT = '''\
def distinct(words):
    """How many different words there are, upper and lower case being the same."""
    seen = []
    for word in words:
        if word.lower() not in seen:
            seen.append(word.lower())
    return len(seen)
'''
RUN = """\
import multiprocessing
import sys

from counting.words import distinct

if __name__ == "__main__":
    count = int(sys.argv[1])
    parts = [[f"{'Word' if k % 3 else 'word'}{(k * part) % count}" for k in range(count)] for part in range(1, 9)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(distinct, parts))
"""
PROJECT = ChangedProject(
    "python run.py 1500",
    {"counting/__init__.py": "", "counting/words.py": COUNT, "run.py": RUN},
    right=(Replacement("counting/words.py", COUNT, COUNT.partition("    seen")[0]
                       + "    return len({word.lower() for word in words})\n"),),
    wrong=(Replacement("counting/words.py", COUNT, COUNT.partition("    seen")[0] + "    return len(set(words))\n"),),
)  # fmt: skip
