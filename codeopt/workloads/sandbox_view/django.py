"""The Django project that a module is part of."""

from __future__ import annotations

import re
from pathlib import Path

from codeopt.workloads.sandbox_view.view import Module

MANAGE = "manage.py"
_SETTINGS = re.compile(r"""DJANGO_SETTINGS_MODULE["']\s*[,\]]\s*(?:=\s*)?["']([\w.]+)["']""")


def settings_module(module: Module) -> str:
    """Name of its settings, as the nearest manage.py above the module has it; empty where there is none."""
    for folder in module.path.parents:
        if not folder.is_relative_to(module.root):
            break
        text = _read(folder / MANAGE)
        if "django" in text:
            found = _SETTINGS.search(text)
            return found[1] if found else ""
    return ""


def _read(path: Path) -> str:
    return path.read_text("utf-8", "replace") if path.is_file() else ""
