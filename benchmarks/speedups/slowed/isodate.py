"""isodate: see the package's docstring."""

from benchmarks.speedups.slowed import Slowed

SLOWED = Slowed(
    "isodate",
    kind="a cache removed",
    tests="tests",
    script="""\
from isodate import parse_date, parse_datetime

days = [f"20{k % 60 + 10}-{k % 12 + 1:02}-{k % 28 + 1:02}" for k in range(30000)]
print(sum(parse_date(day).toordinal() for day in days))
print(parse_date("+1981-04-05", expanded=True))
print(sum(parse_datetime(f"{day}T10:{k % 60:02}:07Z").minute for k, day in enumerate(days[:2000])))
""",
    file="src/isodate/isodates.py",
    qualname="build_date_regexps",
    slow=(
        (
            "        DATE_REGEX_CACHE[(yeardigits, expanded)] = cache_entry\n",
            "        return cache_entry\n",
        ),
    ),
    wrong=(
        (
            "    if (yeardigits, expanded) not in DATE_REGEX_CACHE:\n",
            "    if yeardigits not in DATE_REGEX_CACHE:\n",
        ),
        (
            "        DATE_REGEX_CACHE[(yeardigits, expanded)] = cache_entry\n",
            "        DATE_REGEX_CACHE[yeardigits] = cache_entry\n",
        ),
        (
            "    return DATE_REGEX_CACHE[(yeardigits, expanded)]\n",
            "    return DATE_REGEX_CACHE[yeardigits]\n",
        ),
    ),
)
