"""Runs the bodies of an ASV suite by its conventions: `time_*` of modules and classes, setup, teardown, params."""

from __future__ import annotations

import importlib
import itertools
import json
import os
import pkgutil
import re
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def main(folder: str, pattern: str, loops: int, result: str) -> None:
    """Each body so often; names are printed, seconds written."""
    folder = os.path.abspath(folder)  # noqa: PTH100  what a user imports is left alone
    sys.path.insert(0, os.path.dirname(folder))  # noqa: PTH120
    rows = []
    for name, holder, body in _bodies(os.path.basename(folder), folder):  # noqa: PTH119
        for given in _given(holder, body):
            full = name + ("(" + ", ".join(map(repr, given)) + ")" if given else "")
            if re.search(pattern, full):
                print(full)  # noqa: T201  what the command prints
                rows.append({"name": full, "seconds": _timed(holder, body, given, loops)})
    os.makedirs(os.path.dirname(result), exist_ok=True)  # noqa: PTH103, PTH120
    with open(result, "w") as file:  # noqa: PTH123
        json.dump(rows, file)


def _bodies(package: str, folder: str) -> Iterator[tuple[str, Any, Any]]:
    """Name, the object that has setup and params, and what is called."""
    for found in sorted(pkgutil.walk_packages([folder], package + "."), key=lambda module: module.name):
        if found.ispkg:
            continue
        module = importlib.import_module(found.name)
        short = found.name.partition(".")[2]
        for name, value in sorted(vars(module).items()):
            if name.startswith("time_") and callable(value):
                yield f"{short}.{name}", value, value
            elif isinstance(value, type) and value.__module__ == module.__name__ and not name.startswith("_"):
                suite = value()
                for each in sorted(dir(value)):
                    if each.startswith("time_"):
                        yield f"{short}.{name}.{each}", suite, getattr(suite, each)


def _given(holder: Any, body: Any) -> Iterator[tuple[Any, ...]]:
    """Combinations of the parameters."""
    params = getattr(body, "params", None) or getattr(holder, "params", None) or []
    if params and not isinstance(params[0], (list, tuple)):
        params = [params]
    return itertools.product(*params)


def _timed(holder: Any, body: Any, given: tuple[Any, ...], loops: int) -> list[float]:
    """Seconds of each call; setup before the first and teardown after the last, as between ASV's samples."""
    setup, teardown = getattr(holder, "setup", None), getattr(holder, "teardown", None)
    if setup is not None:
        try:
            setup(*given)
        except NotImplementedError:  # how a suite skips a combination
            return []
    seconds = []
    for _ in range(loops):
        started = time.perf_counter()
        body(*given)
        seconds.append(time.perf_counter() - started)
    if teardown is not None:
        teardown(*given)
    return seconds
