"""A simulation with numpy that is the command itself: a lattice whose cells are looked at one by one."""

from benchmarks.errors.changes import ChangedProject, Replacement

SIMULATION = '''\
"""Heat that spreads over a plate whose edge is cold."""

import sys

import numpy as np


def step(plate, rate):
    """The plate a moment later."""
    after = plate.copy()
    for y in range(1, plate.shape[0] - 1):
        for x in range(1, plate.shape[1] - 1):
            around = plate[y - 1, x] + plate[y + 1, x] + plate[y, x - 1] + plate[y, x + 1]
            after[y, x] = plate[y, x] + rate * (around - 4 * plate[y, x])
    return after


def main(size, steps):
    plate = np.zeros((size, size))
    plate[size // 3 : size // 2, size // 4 : size // 2] = np.arange(1.0, 1.0 + size // 2 - size // 4)
    for _ in range(steps):
        plate = step(plate, 0.125)
    print(f"{plate.sum():.6f} {plate.max():.6f} {plate[1].sum():.6f}")


main(int(sys.argv[1]), int(sys.argv[2]))
'''
LOOP = SIMULATION[SIMULATION.index("    after = ") : SIMULATION.index("    return after")]
RIGHT = """\
    after = plate.copy()
    middle = plate[1:-1, 1:-1]
    around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
    after[1:-1, 1:-1] = middle + rate * (around - 4 * middle)
"""
WRONG = """\
    around = np.roll(plate, 1, 0) + np.roll(plate, -1, 0) + np.roll(plate, 1, 1) + np.roll(plate, -1, 1)
    after = plate + rate * (around - 4 * plate)
"""
PROJECT = ChangedProject(
    "python simulate.py 60 120",
    {"simulate.py": SIMULATION},
    right=(Replacement("simulate.py", LOOP, RIGHT),),
    wrong=(Replacement("simulate.py", LOOP, WRONG),),
    packages=("numpy",),
)
