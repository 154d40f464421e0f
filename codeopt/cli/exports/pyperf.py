"""For `python -m pyperf compare_to before.json after.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime

from codeopt.cli.exports import Rows


def text(rows: Rows, when: datetime, machine: Mapping[str, str]) -> str:
    """Version 1.0 of its format: a run has values, in seconds."""
    benchmarks = [
        {"metadata": {"name": name}, "runs": [{"values": [value for value in values if value > 0]}]}
        for name, values in rows
    ]
    common = {"unit": "second", "hostname": machine["node"], "python_version": machine["python_version"]}
    date = when.replace(tzinfo=None).isoformat(" ")
    known = {name: value for name, value in {**common, "date": date}.items() if value}  # an empty one is refused
    return json.dumps({"version": "1.0", "metadata": known, "benchmarks": benchmarks})
