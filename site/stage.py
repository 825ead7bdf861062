"""Prepares what the generator reads: the pages of docs/ and those outside of it that they link to, with the navigation.

    stage.py HOME WORK

Pages are written for GitHub and for the site alike. Three things differ on the site: a drawing (an SVG) is a part of its page,
so that it follows the page's colours; a file outside of docs/ that a page links to is a page of its own; and navigation.txt
says where each page stands. Pages that it does not name come last in the section of their directory.
"""

import json
import os
import pathlib
import re
import shutil
import sys

home, work = (pathlib.Path(each).resolve() for each in sys.argv[1:3])
docs = home / "docs"
pages = work / "pages"
here = pathlib.Path(__file__).resolve().parent

LINK = re.compile(r"(!?\[(?:[^\]\[]|\[[^\]]*\])*\]\()([^)\s#]*)(#[^)\s]*)?\)")
FENCE = re.compile(r"^( *```.*?^ *```)", re.MULTILINE | re.DOTALL)
DRAWING = re.compile(r"^!\[([^\]]*)\]\(([^)]*\.svg)\)$", re.MULTILINE)
LANGUAGES = {".java": "java", ".py": "python", ".sh": "bash", ".xml": "xml", ".yaml": "yaml", ".yml": "yaml", ".json": "json"}


def fail(text):
    sys.exit(f"docs: {text}")


def title(path):
    for line in path.read_text().splitlines():
        if line.startswith("# "):
            return re.sub(r"[`*]", "", line[2:]).strip()
    fail(f"{path.relative_to(home)} has no line '# title'")


def staged(path):
    """Returns where a file or directory of the repository is on the site."""
    if path.is_relative_to(docs):
        return pages / path.relative_to(docs)
    # The generator leaves out what begins with a dot.
    at = pages / "project" / str(path.relative_to(home)).lstrip(".")
    if path.suffix == ".md":
        return at
    return at / "index.md" if path.is_dir() else at.with_name(path.name + ".md")


outside = []


def rewrite(source, text):
    """Returns a page's text with links that lead somewhere on the site."""

    def link(match):
        before, target, anchor = match.group(1), match.group(2), match.group(3) or ""
        if not target or re.match(r"[a-z]+:", target):
            return match.group(0)
        path = (source.parent / target).resolve()
        if not path.exists():
            fail(f"{source.relative_to(home)} links to {target}, which is not there")
        if not path.is_relative_to(home):
            fail(f"{source.relative_to(home)} links to {target}, outside of the repository")
        if path.is_dir():
            path = path / "README.md" if (path / "README.md").exists() else path
            if path.is_dir() and path.is_relative_to(docs):
                fail(f"{source.relative_to(home)} links to the directory {target}, which has no README.md")
        if not path.is_relative_to(docs) and path not in outside:
            outside.append(path)
        return f"{before}{os.path.relpath(staged(path), staged(source).parent)}{anchor})"

    def drawing(match):
        alt, target = match.groups()
        svg = (source.parent / target).read_text()
        svg = re.sub(r"<\?xml.*?\?>|<!--.*?-->|<style>.*?</style>", "", svg, flags=re.DOTALL)
        svg = re.sub(r"\n\s*", " ", svg).strip()
        label = alt.replace("&", "&amp;").replace('"', "&quot;")
        return f'<div class="drawing" tabindex="0" role="group" aria-label="Drawing">{svg.replace("<svg ", f"""<svg role="img" aria-label="{label}" """, 1)}</div>'

    parts = FENCE.split(text)
    for index in range(0, len(parts), 2):
        parts[index] = LINK.sub(link, DRAWING.sub(drawing, parts[index]))
    return "".join(parts)


def listing(directory):
    """Returns the page of a directory, which names its files."""
    lines = [f"# {directory.relative_to(home)}", ""]
    for path in sorted(directory.rglob("*")):
        if path.is_file() and "target" not in path.relative_to(home).parts:
            if path not in outside:
                outside.append(path)
            lines.append(f"- [{path.relative_to(directory)}]({os.path.relpath(staged(path), staged(directory).parent)})")
    return "\n".join(lines) + "\n"


def stage_all():
    shutil.rmtree(pages, ignore_errors=True)
    for path in sorted(docs.rglob("*")):
        if path.is_dir():
            continue
        to = staged(path)
        to.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            to.write_text(rewrite(path, path.read_text()))
        else:
            shutil.copyfile(path, to)
    for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"):
        if home / name not in outside:
            outside.append(home / name)
    # Grows while it is gone through: pages outside of docs/ link to others.
    for path in outside:
        to = staged(path)
        to.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            to.write_text(rewrite(path, path.read_text()))
        elif path.is_dir():
            to.write_text(listing(path))
        else:
            fence = "```" + LANGUAGES.get(path.suffix, "text")
            to.write_text(f"# {path.name}\n\n`{path.relative_to(home)}`\n\n{fence}\n{path.read_text().rstrip()}\n```\n")
    shutil.copytree(here / "assets", pages / "assets", dirs_exist_ok=True)


def entry(path):
    return {title(path): path.relative_to(pages).as_posix()}


def navigation():
    """Reads navigation.txt: a section at the margin, its pages and sections below it indented by two more."""
    named, result = set(), []
    levels = [(-1, result)]
    places = {}
    for number, line in enumerate((here / "navigation.txt").read_text().splitlines(), 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        depth = len(line) - len(line.lstrip())
        while levels[-1][0] >= depth:
            levels.pop()
        optional = text.endswith(" ?")
        text = text.removesuffix(" ?")
        name, _, target = text.rpartition(" = ")
        if target.endswith(".html"):
            levels[-1][1].append({name: target})
        elif target.endswith(".md"):
            page = pages / target
            if page.exists():
                levels[-1][1].append({name: target} if name else entry(page))
                named.add(page)
            elif not optional:
                fail(f"site/navigation.txt, line {number}: docs/{target} is not there")
        elif target.endswith("/*"):
            places[target[:-2]] = levels[-1][1]
        else:
            section = []
            levels[-1][1].append({text: section})
            levels.append((depth, section))
    for directory, section in places.items():
        for page in sorted((pages / directory).glob("*.md")):
            if page not in named:
                named.add(page)
                section.append(entry(page))
    unnamed = [page for page in sorted(pages.rglob("*.md")) if page not in named and "project" not in page.parts]
    if unnamed:
        fail(f"no place in site/navigation.txt for {unnamed[0].relative_to(pages)}")
    return result


def toml(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml(each)}" for key, each in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


stage_all()
settings = (here / "zensical.toml").read_text()
(work / "zensical.toml").write_text(settings.replace("[project]\n", f"[project]\nnav = {toml(navigation())}\n", 1))
print(sum(1 for _ in pages.rglob("*.md")))
