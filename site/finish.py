"""Puts what was built beside other versions: finish.py WORK VERSION."""

import json
import os
import pathlib
import shutil
import sys

SHIM = "https://unpkg.com/iframe-worker/shim"

work, version = pathlib.Path(sys.argv[1]), sys.argv[2]
site = work / "site"
to = site / version
shutil.rmtree(to, ignore_errors=True)
shutil.copytree(work / "built", to)
# The theme would fetch the script that lets search work from a file.
for page in to.rglob("*.html"):
    text = page.read_text()
    if SHIM in text:
        root = os.path.relpath(to, page.parent)
        page.write_text(text.replace(SHIM, f"{root}/assets/iframe-worker.js"))
if (work / "api").is_dir():
    shutil.copytree(work / "api", to / "api")
else:
    (to / "api").mkdir()
    (to / "api" / "index.html").write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>API reference</title>'
        '<p>This copy was built with --no-api. <a href="../index.html">Back</a></p></html>\n'
    )
versions = sorted((each.name for each in site.iterdir() if each.is_dir()), reverse=True)
(site / "versions.json").write_text(json.dumps([{"version": each, "title": each, "aliases": []} for each in versions]))
(site / "index.html").write_text(
    f'<!doctype html><html lang="en"><meta charset="utf-8"><title>tutti</title><meta http-equiv="refresh" content="0; url={versions[0]}/index.html">'
    f'<a href="{versions[0]}/index.html">tutti {versions[0]}</a></html>\n'
)
