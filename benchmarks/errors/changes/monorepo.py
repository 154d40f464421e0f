"""Two packages in one repository, both installed in place; the changed one is imported by the other, which is run."""

from benchmarks.errors.changes import ChangedProject, Replacement

NAMES = '''\
"""Names."""


def distinct(names: list[str]) -> list[str]:
    """The distinct names in lower case, in order."""
    seen: list[str] = []
    for name in names:
        if name.lower() not in seen:
            seen.append(name.lower())
    return seen
'''
REPORT = '''\
"""A report."""

import sys

from names_lib import distinct


def main(count: int) -> None:
    """Print it."""
    found = distinct([f"{'Nn'[n % 3 == 0]}ame {n * 7919 % 1700}" for n in range(count)])
    print(len(found), found[:3], found[-3:])


if __name__ == "__main__":
    main(int(sys.argv[1]))
'''
TESTS = "from names_lib import distinct\n\n\ndef test_distinct():\n    assert distinct(['B', 'a', 'b']) == ['b', 'a']\n"
BUILD = "[build-system]\nrequires = ['setuptools']\nbuild-backend = 'setuptools.build_meta'\n"
FILE = "packages/names/src/names_lib/__init__.py"
SLOW = NAMES[NAMES.index("    seen: list") :]
PROJECT = ChangedProject(
    "python -m report_lib 6000",
    {FILE: NAMES, "packages/names/tests/test_names.py": TESTS,
     "packages/names/pyproject.toml": f"{BUILD}[project]\nname = 'names-lib'\nversion = '1'\n",
     "packages/report/src/report_lib/__init__.py": "", "packages/report/src/report_lib/__main__.py": REPORT,
     "packages/report/pyproject.toml": f"{BUILD}[project]\nname = 'report-lib'\nversion = '1'\n"},
    right=(Replacement(FILE, SLOW, "    return list(dict.fromkeys(map(str.lower, names)))\n"),),
    wrong=(Replacement(FILE, SLOW, "    return [name.lower() for name in dict.fromkeys(names)]\n"),),
    packages=("pytest",),
    installed_in_place=("packages/names", "packages/report"),
)  # fmt: skip
