"""For `pytest-benchmark compare before.json after.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from statistics import fmean, median, quantiles, stdev
from typing import Any

from codeopt.cli.exports import Rows


def text(rows: Rows, when: datetime, machine: Mapping[str, str]) -> str:
    """Format rows like the JSON of pytest-benchmark's --benchmark-json."""
    about = {**machine, "python_implementation": "CPython", "processor": "", "machine": "", "release": "", "cpu": {}}
    commit = {"id": "unversioned", "dirty": False, "branch": "", "project": ""}
    found = {"machine_info": about, "commit_info": commit, "benchmarks": [_benchmark(*row) for row in rows]}
    return json.dumps(found | {"datetime": when.isoformat(), "version": "5.0.0"})


def _benchmark(name: str, values: Sequence[float]) -> dict[str, Any]:
    options = {"disable_gc": False, "timer": "perf_counter", "min_rounds": 5, "max_time": 1.0, "min_time": 5e-06}
    about = {"group": None, "name": name.rpartition("::")[2], "fullname": name, "params": None, "param": None}
    return about | {"extra_info": {}, "options": options | {"warmup": False}, "stats": _stats(values)}


def _stats(values: Sequence[float]) -> dict[str, Any]:
    first, middle, third = quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3
    mean, spread = fmean(values), stdev(values) if len(values) > 1 else 0.0
    outside = sum(abs(value - mean) > spread for value in values)
    far = sum(not first - 1.5 * (third - first) <= value <= third + 1.5 * (third - first) for value in values)
    whole = {"min": min(values), "max": max(values), "mean": mean, "stddev": spread, "rounds": len(values)}
    quarters = {"median": median(values), "iqr": third - first, "q1": first, "q3": third}
    outliers = {"iqr_outliers": far, "stddev_outliers": outside, "outliers": f"{outside};{far}"}
    ends = {"ld15iqr": min(values), "hd15iqr": max(values), "ops": 1 / mean if mean else 0.0, "total": sum(values)}
    return whole | quarters | outliers | ends | {"data": list(values), "iterations": 1}
