"""Benchmarks before and after a patch, in files that other tools compare: `before.json` and `after.json`."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean, median, quantiles, stdev
from typing import Any

from codeopt.core.errors import UsageError
from codeopt.core.program import write_whole

Rows = Sequence[tuple[str, Sequence[float]]]
"""Names of benchmarks, with seconds of calls."""


def check_export(name: str, folder: Path) -> None:
    """Refuse before anything is run what could not be written after it. Raises UsageError."""
    if name.replace("_", "-") not in FORMATS:
        known = ", ".join(FORMATS)
        raise UsageError(f"--export: unknown format {name!r}", hint=f"give {known}, and a folder after it")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--export: {folder} is a file", hint="name a folder for before.json and after.json")


def export(name: str, folder: Path, found: Mapping[str, Any] | None) -> str:
    """Write both files; a line that says what was done. found: `benchmarks` of a result. Raises UsageError."""
    rows = [row for row in found["rows"] if row["ratio"] is not None] if found else []
    if not rows:
        why = "no patch was accepted" if found else "the command runs none of pytest-benchmark, pyperf or ASV"
        return f"export     nothing: there are no benchmarks to compare, as {why}"
    when = datetime.now(UTC)
    machine = {"node": platform.node(), "python_version": platform.python_version(), "system": platform.system()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--export: cannot make {folder}: {error.strerror}") from error
    for side in ("before", "after"):
        text = FORMATS[name.replace("_", "-")]([(row["name"], row[side]) for row in rows], when, machine)
        write_whole(folder / f"{side}.json", text)
    return f"export     {folder / 'before.json'} and after.json, for {name}"


def pyperf_text(rows: Rows, when: datetime, machine: Mapping[str, str]) -> str:
    """For `python -m pyperf compare_to before.json after.json`: version 1.0, a run has values, in seconds."""
    benchmarks = [
        {"metadata": {"name": name}, "runs": [{"values": [value for value in values if value > 0]}]}
        for name, values in rows
    ]
    common = {"unit": "second", "hostname": machine["node"], "python_version": machine["python_version"]}
    date = when.replace(tzinfo=None).isoformat(" ")
    known = {name: value for name, value in {**common, "date": date}.items() if value}  # an empty one is refused
    return json.dumps({"version": "1.0", "metadata": known, "benchmarks": benchmarks})


def pytest_benchmark_text(rows: Rows, when: datetime, machine: Mapping[str, str]) -> str:
    """For `pytest-benchmark compare before.json after.json`: like the JSON of its --benchmark-json."""
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


FORMATS = {"pyperf": pyperf_text, "pytest-benchmark": pytest_benchmark_text}
"""Writers of a file: rows, date and machine to text."""
