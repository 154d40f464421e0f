"""Whether a tag may be released: python .github/check_release.py v1.2.3 https://HOST/OWNER/NAME"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path


def faults(tag: str, repository: str, root: Path) -> list[str]:
    """What is wrong, a sentence each."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    version = project["version"]
    found = []
    if tag != f"v{version}":
        found.append(f"the tag is {tag}, the version in pyproject.toml {version}")
    if not re.search(rf"^## \[{re.escape(version)}\]", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE):
        found.append(f"CHANGELOG.md has no section [{version}]")
    if f'__version__ = "{version}"' not in (root / "codeopt" / "core" / "version.py").read_text("utf-8"):
        found.append(f"codeopt.core.version.__version__ is not {version}")
    found += [
        f"project.urls: {name} is {url}, which is not below {repository}"
        for name, url in project["urls"].items()
        if url != repository and not url.startswith(f"{repository}/")
    ]
    return found


if __name__ == "__main__":
    said = faults(sys.argv[1], sys.argv[2], Path(__file__).parents[1])
    sys.exit("\n".join(said) if said else 0)
