"""Walks the built site as a stranger does: from the home page each flag is two clicks away, and the search knows it.

python -m tests.support.site_walk site
"""

from __future__ import annotations

import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

FLAG = re.compile(r"`(--[a-z][\w-]*)`")


class Page(HTMLParser):
    """Links and anchors of one page of the built site."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.file = file
        self.links: set[tuple[Path, str]] = set()
        """Files of the site with the anchor that is linked to there; empty: the whole page."""
        self.anchors: set[str] = set()
        self.feed(file.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag links to and what can be linked to there."""
        found = dict(attrs)
        if name := found.get("id"):
            self.anchors.add(name)
        href = found.get("href") or ""
        if tag == "a" and href and "://" not in href and not href.startswith("mailto:"):
            path, anchor = urldefrag(unquote(href))
            target = (self.file.parent / path).resolve() if path else self.file
            self.links.add((target / "index.html" if target.is_dir() else target, anchor))


def flags_of(page: Path) -> list[str]:
    """Flags of the table in the page's source."""
    rows = [line for line in page.read_text("utf-8").splitlines() if line.startswith('| <a id="flag-')]
    return [FLAG.findall(row)[0] for row in rows]


def lost_flags(site: Path, flags: list[str]) -> list[str]:
    """Flags that no two clicks from the home page lead to: a link to a page, and one to a place that is there."""
    home = Page(site / "index.html")
    pages = [Page(file) for file in {file for file, _ in home.links} if file.is_file() and file.suffix == ".html"]
    reached = {anchor for page in pages for file, anchor in page.links if file == page.file and anchor in page.anchors}
    return [flag for flag in flags if f"flag-{flag.removeprefix('--')}" not in reached]


def unknown_to_the_search(site: Path, flags: list[str]) -> list[str]:
    """Flags that the index of the search does not have in the text of any page."""
    index = json.loads((site / "search" / "search_index.json").read_text("utf-8"))
    texts = " ".join(each["text"] for each in index["docs"])
    return [flag for flag in flags if flag not in texts]


def main(site: Path) -> int:
    """Print what is lost; 1 where anything is."""
    flags = flags_of(Path("docs/flags.md"))
    lost, unknown = lost_flags(site.resolve(), flags), unknown_to_the_search(site, flags)
    print(f"{len(flags)} flags, {len(lost)} not two clicks from the home page, {len(unknown)} not found by the search")
    print("\n".join([*lost, *unknown]))
    return int(bool(not flags or lost or unknown))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
