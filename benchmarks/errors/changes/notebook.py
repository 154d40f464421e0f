"""A notebook with magics, compared with a copy that has one function changed."""

import json

from benchmarks.errors.changes import ChangedProject, Replacement

CELLS = (
    "%matplotlib inline\n!pip install -q nothing-else",
    "def distinct(words):\n    seen = []\n    for word in words:\n        if word not in seen:\n"
    "            seen.append(word)\n    return seen",
    "%%time\nfound = distinct([f'w{n * 7919 % 1900}' for n in range(9000)])\nprint(len(found), found[:3], found[-3:])",
)
TEXT = json.dumps({
    "nbformat": 4, "nbformat_minor": 5, "metadata": {},
    "cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in CELLS],
})  # fmt: skip
PROJECT = ChangedProject(
    "",
    {"before.ipynb": TEXT, "analysis.ipynb": TEXT},
    right=(Replacement("analysis.ipynb", "return seen", "return list(dict.fromkeys(words))"),
           Replacement("analysis.ipynb", "for word in words:", "for word in ():")),
    wrong=(Replacement("analysis.ipynb", "return seen", "return sorted(set(words))"),
           Replacement("analysis.ipynb", "for word in words:", "for word in ():")),
    arguments=("before.ipynb", "analysis.ipynb"),
)  # fmt: skip
