"""The Django project that a module is part of."""

from __future__ import annotations

import re
from pathlib import Path

from codeopt.workloads.sandbox_view.view import Module
from codeopt_sandbox.plain_files import read_text

MANAGE = "manage.py"
_SETTINGS = re.compile(r"""DJANGO_SETTINGS_MODULE["']\s*[,\]]\s*(?:=\s*)?["']([\w.]+)["']""")


def settings_module(module: Module) -> str:
    """Return the name of its settings in the nearest manage.py above the module, or an empty text."""
    for folder in module.path.parents:
        if not folder.is_relative_to(module.root):
            break
        text = _read(folder / MANAGE)
        if "django" in text:
            found = _SETTINGS.search(text)
            return found[1] if found else ""
    return ""


def _read(path: Path) -> str:
    return read_text(path, "replace") if path.is_file() else ""
