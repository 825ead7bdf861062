"""Checks links, anchors, and that no page loads anything from another host: check.py SITE. Exits 1 if something is wrong."""

import pathlib
import sys
import urllib.parse
from html.parser import HTMLParser

site = pathlib.Path(sys.argv[1]).resolve()
LOADED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("video", "src"), ("link", "href")}


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.path, self.anchors, self.links, self.loaded, self.images = path, {"", "top"}, [], [], []
        self.feed(path.read_text(encoding="utf-8", errors="replace"))

    def handle_starttag(self, tag, pairs):
        attributes = dict(pairs)
        for name in ("id", "name"):
            if attributes.get(name):
                self.anchors.add(attributes[name])
        if tag == "a" and attributes.get("href"):
            self.links.append((self.getpos()[0], attributes["href"]))
        if tag == "img" and not attributes.get("alt"):
            self.images.append(self.getpos()[0])
        for each, name in LOADED:
            if tag == each and attributes.get(name) and attributes.get("rel") not in ("canonical", "next", "prev", "alternate"):
                self.loaded.append((self.getpos()[0], attributes[name]))


pages = {path: Page(path) for path in site.rglob("*.html") if "api" not in path.relative_to(site).parts[:1]}
anchors = {}
wrong, links = [], 0


def anchors_of(path):
    if path in pages:
        return pages[path].anchors
    if path not in anchors:
        anchors[path] = Page(path).anchors if path.suffix == ".html" else {""}
    return anchors[path]


for path, page in sorted(pages.items()):
    where = path.relative_to(site)
    for line in page.images:
        wrong.append(f"{where}: line {line}: an image has no text that says what it shows")
    for line, url in page.loaded + page.links:
        links += 1
        parts = urllib.parse.urlsplit(url)
        is_loaded = (line, url) in page.loaded
        if parts.scheme or parts.netloc:
            if is_loaded and parts.scheme != "data":
                wrong.append(f"{where}: line {line}: loads {url} from another host")
            continue
        if where.name == "404.html":
            continue
        target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
        if target.is_dir():
            target = target / "index.html"
        if not target.is_file():
            wrong.append(f"{where}: line {line}: {url} is not there")
        elif not is_loaded and urllib.parse.unquote(parts.fragment) not in anchors_of(target) and "api" not in target.relative_to(site).parts[:1]:
            wrong.append(f"{where}: line {line}: {url}: the page has no such anchor")
for style in site.rglob("*.css"):
    if "api" not in style.relative_to(site).parts[:1] and "url(http" in style.read_text():
        wrong.append(f"{style.relative_to(site)}: loads from another host")
print("\n".join(wrong), file=sys.stderr) if wrong else None
print(f"docs: {len(pages)} pages, {links} links, {len(wrong)} wrong", file=sys.stderr)
sys.exit(1 if wrong else 0)
