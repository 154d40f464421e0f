"""A package outside of codeopt that plugs in by entry points, written as docs/extend/writing-a-plug-in.md shows it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILE = re.compile(r"^`(house_rules/\w+\.py)`[^\n]*:\n\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LAST = re.compile(r"^## Its test\n.*?^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RULE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def page(name: str) -> str:
    """A page of the documents."""
    return (ROOT / "docs" / name).read_text("utf-8")


def write_package(folder: Path) -> dict[str, str]:
    """Write the page's files, installed in `folder` by entry points; answer the environment that finds them."""
    text = page("extend/writing-a-plug-in.md")
    files = dict(FILE.findall(text))
    files["house_rules/cube.py"] = RULE.findall(page("extend/writing-a-rule.md"))[0]
    files["house_rules/__init__.py"] = ""
    files["test_plug_in.py"] = LAST.findall(text)[0]
    (project,) = re.findall(r"^```toml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    about = tomllib.loads(project)["project"]
    groups = about["entry-points"]
    points = "\n".join(
        line for group, named in groups.items() for line in (f"[{group}]", *(f"{n} = {v}" for n, v in named.items()))
    )
    files["house_rules-1.0.dist-info/METADATA"] = f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: 1.0\n"
    files["house_rules-1.0.dist-info/entry_points.txt"] = points
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content, "utf-8")
    return {"PYTHONPATH": f"{ROOT}:{ROOT / 'sandbox'}:{folder}"}
