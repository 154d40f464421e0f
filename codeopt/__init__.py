"""Faster Python programs, measured and verified.

from codeopt import improve
result = improve("slow.py")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codeopt.core.lazy_exports import lazy_exports as _lazy_exports
from codeopt.core.version import __version__ as __version__

if TYPE_CHECKING:
    from codeopt.api import improve
    from codeopt.core.errors import CodeoptError
    from codeopt.report.result import Result

__all__ = ["CodeoptError", "Result", "__version__", "improve"]

__getattr__ = _lazy_exports(
    __name__,
    {
        "CodeoptError": "codeopt.core.errors",
        "Result": "codeopt.report.result",
        "improve": "codeopt.api",
        # the old names of what codeopt.selfrefine offers, for one release
        "Aspect": "codeopt.selfrefine",
        "TextCheck": "codeopt.selfrefine",
        "TextTask": "codeopt.selfrefine",
    },
)
