"""Faster Python programs, measured and verified.

from codeopt import improve
result = improve("slow.py")
"""

from codeopt.core.version import __version__ as __version__

TYPE_CHECKING = False
# Nothing of the standard library is imported above, `__future__` and `typing` included: `python -m codeopt` runs this
# before it can drop the current folder, which may hold modules of these names.
if TYPE_CHECKING:
    from codeopt.api import improve
    from codeopt.core.errors import CodeoptError
    from codeopt.report.result import Result

__all__ = ["CodeoptError", "Result", "__version__", "improve"]


def __getattr__(name: str) -> object:
    from importlib import import_module

    homes = {"CodeoptError": "codeopt.core.errors", "Result": "codeopt.report.result", "improve": "codeopt.api"}
    if name in homes:
        return getattr(import_module(homes[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
