"""The steps of a workflow or an action, run as the runner of GitHub Actions runs them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SHELLS = {
    None: ["bash", "-e"],
    "bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail"],
}
"""With the file of the script as the last argument; the first is for steps that name none."""


def run_step(
    step: Mapping[str, Any], folder: Path, environment: Mapping[str, str], values: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """One `run` step in `folder`; `values` is what each expression `${{ ... }}` stands for."""
    own = {name: evaluate(str(value), values) for name, value in step.get("env", {}).items()}
    script = Path(environment["RUNNER_TEMP"]) / "step.sh"
    script.write_text(evaluate(step["run"], values))
    return subprocess.run(
        [*SHELLS[step.get("shell")], str(script)],
        cwd=folder, env={**environment, **own}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240,
        check=False,
    )  # fmt: skip


def evaluate(text: str, values: Mapping[str, str]) -> str:
    """Expressions replaced by their values, whatever these hold: what a script must not rely on."""
    return re.sub(r"\$\{\{\s*(.*?)\s*\}\}", lambda match: values[match.group(1)], text)
