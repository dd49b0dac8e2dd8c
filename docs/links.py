"""Checks the links of a built book: links.py FOLDER. Every link to a page, an anchor or a file of the book must lead somewhere."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page, and what can be linked to in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.anchors.update(value for key in ("id", "name") if (value := values.get(key)))
        self.links += [value for key in ("href", "src") if tag != "base" and (value := values.get(key))]


def broken(folder: Path) -> list[str]:
    """What is wrong with the pages of a folder, a line for each link."""
    # The pages of notebooks come from another program, which makes links to its own anchors by script.
    paths = [path for path in folder.rglob("*.html") if path.parent.name != "notebooks" or path.name in ("README.html", "index.html")]
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in sorted(paths)}
    reached, wrong = set(), []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target != path:
                reached.add(target)
            name = path.relative_to(folder)
            if not target.is_file():
                wrong.append(f"{name}: {link}: there is no such file in the book")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                wrong.append(f"{name}: {link}: there is no such anchor on the page")
    # Pages of the builder itself, which are not linked.
    own = {"404.html", "index.html", "print.html", "toc.html"}
    lost = [path for path in pages if path not in reached and path.name not in own]
    wrong += [f"{path.relative_to(folder)}: no page links to it" for path in lost]
    print(f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links, {len(wrong)} of them broken")
    return wrong


if __name__ == "__main__":
    found = broken(Path(sys.argv[1]).resolve())
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    sys.exit(bool(found))
