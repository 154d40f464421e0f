"""Faster Python programs, measured and verified.

from codeopt import improve
result = improve("slow.py")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from codeopt.api import improve
    from codeopt.core.errors import CodeoptError
    from codeopt.report.result import Result
    from codeopt.selfrefine.text_task import Aspect, TextCheck, TextTask

__all__ = ["Aspect", "CodeoptError", "Result", "TextCheck", "TextTask", "__version__", "improve"]
__version__ = "0.1.0"

_HOMES = {
    "CodeoptError": "codeopt.core.errors",
    "Result": "codeopt.report.result",
    "improve": "codeopt.api",
    "Aspect": "codeopt.selfrefine.text_task",
    "TextCheck": "codeopt.selfrefine.text_task",
    "TextTask": "codeopt.selfrefine.text_task",
}
"""Loaded when first asked for: `codeopt --help` needs none of it."""


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
