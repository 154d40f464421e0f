"""A script of pandas that is the command itself: 20 MB of rows, one of its columns made row by row."""

from benchmarks.errors.changes import ChangedProject, Replacement

ROWS = 420_000
REPORT = '''\
import sys

import pandas as pd


def add_band(frame):
    """A column that says which sales are large."""
    frame["band"] = [
        "large" if row.amount >= 500 else "small" if row.amount >= 0 else "none" for row in frame.itertuples()
    ]
    return frame


def main(path):
    frame = add_band(pd.read_csv(path))
    found = frame.groupby(["shop", "band"], dropna=False).agg(count=("amount", "size"), total=("amount", "sum"))
    print(found.round(2).to_string())


main(sys.argv[1])
'''
SLOW = """[
        "large" if row.amount >= 500 else "small" if row.amount >= 0 else "none" for row in frame.itertuples()
    ]"""
RIGHT = '''"none"
    frame.loc[frame["amount"] >= 0, "band"] = "small"
    frame.loc[frame["amount"] >= 500, "band"] = "large"'''
WRONG = '''"small"
    frame.loc[frame["amount"] >= 500, "band"] = "large"'''


def _data() -> dict[str, str]:
    """Sales of which some have no amount."""
    amounts = (f"{number * 7919 % 100_000 / 100}" if number % 50 else "" for number in range(ROWS))
    rows = (
        f"{number},shop {number % 23},customer of the {number % 97} street,{amount}"
        for number, amount in enumerate(amounts)
    )
    return {"sales.csv": "id,shop,customer,amount\n" + "\n".join(rows) + "\n"}


PROJECT = ChangedProject(
    "python report.py sales.csv",
    {"report.py": REPORT},
    right=(Replacement("report.py", SLOW, RIGHT),),
    wrong=(Replacement("report.py", SLOW, WRONG),),
    packages=("pandas",),
    data=_data,
)
