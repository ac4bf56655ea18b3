"""The manual: tools/site.py makes it without a warning, every link and anchor in it leads somewhere, every page of docs/ is in its
menu, nothing is fetched from elsewhere, and no Markdown is left unread.

usage: site.py SOURCE BUILD
"""
import html.parser
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

from help_text import check, commands


# What stands in these is no prose: a heading may begin with a number and a period.
SILENT = ("pre", "code", "script", "style", "nav", "h1", "h2", "h3", "h4", "h5", "h6")


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.fetched, self.text, self.skip = set(), [], [], [], 0
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids.update(given[name] for name in ("id", "name") if given.get(name))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        fetched = given.get("src") or (given.get("href") if tag == "link" else None)
        if fetched:
            self.fetched.append(fetched)
        self.skip += tag in SILENT

    def handle_endtag(self, tag):
        self.skip -= tag in SILENT

    def handle_data(self, data):
        if not self.skip:
            self.text.append(data)


def make(source, build):
    return subprocess.run(["/usr/bin/python3", "-B", os.path.join(source, "tools/site.py"), source, build], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL)


def check_site(source, site, names):
    pages = {}
    for folder, _, files in os.walk(site):
        pages.update({os.path.join(folder, name): Page(os.path.join(folder, name)) for name in files if name.endswith(".html")})
    wrong, links, anchors = [], 0, 0
    for path, page in pages.items():
        shown = os.path.relpath(path, site)
        base = site if shown == "404.html" else os.path.dirname(path)  # it is shown in place of any page, so its links begin with /
        for link in page.links + page.fetched:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.fetched:
                    wrong.append(f"{shown} fetches {link}")
                continue
            target = os.path.normpath(os.path.join(base, urllib.parse.unquote(parts.path).lstrip("/" if shown == "404.html" else ""))) if parts.path else path
            if os.path.isdir(target):
                target = os.path.join(target, "index.html")
            links += 1
            if not os.path.exists(target):
                wrong.append(f"{shown}: {link} leads nowhere")
            elif parts.fragment and target in pages:
                anchors += 1
                if urllib.parse.unquote(parts.fragment) not in pages[target].ids:
                    wrong.append(f"{shown}: {link}: there is no such heading")
        text = "".join(page.text)
        for left in re.findall(r"\]\([^)\s]*\)|```|~~~|\*\*\w|^\|.*\|$|^(?:[-*] |[0-9]+\. ).*$|^#+ .*$", text, re.MULTILINE):
            wrong.append(f"{shown}: Markdown that was not read: {left[:80]!r}")
    for folder, _, files in os.walk(site):
        for name in files:
            if name.endswith(".css"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    wrong += [f"{name} fetches {url}" for url in re.findall(r"(?:url\(|@import )['\"]?(?:https?:)?//[^)\s]+", file.read())]
    menu = {os.path.normpath(link.partition("#")[0]) for link in pages[os.path.join(site, "index.html")].links if not link.startswith("http")}
    for name in sorted(os.listdir(os.path.join(source, "docs"))):
        place = "index.html" if name == "README.md" else name.replace(".md", ".html")
        if name.endswith(".md") and place not in menu and place != "index.html":
            wrong.append(f"docs/{name} is not in the menu")
    headers = os.listdir(os.path.join(source, "include/scree"))
    for place in [f"commands/{name}.html" for name in names] + [f"source/include/scree/{name}.html" for name in headers]:
        if os.path.join(site, place) not in pages:
            wrong.append(f"there is no {place}")
    check(not wrong, "\n".join(wrong[:50]))
    check(links and anchors, f"{len(pages)} pages, {links} links, {anchors} anchors")
    print(f"{len(pages)} pages, {links} links, {anchors} of them to headings")


def refuses(source, scratch, program, what, change, wanted):
    """tools/site.py fails for a copy of the documents with this change, and its message has the wanted name."""
    copy, build = os.path.join(scratch, "copy"), os.path.join(scratch, "copy-build")
    for folder in (copy, build):
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
    os.symlink(program, os.path.join(build, "scree"))
    for name in os.listdir(source):
        if name in ("docs", "mkdocs.yml"):
            (shutil.copytree if name == "docs" else shutil.copy)(os.path.join(source, name), os.path.join(copy, name))
        elif name not in (".git", "build"):
            os.symlink(os.path.join(source, name), os.path.join(copy, name))
    with open(os.path.join(copy, change[0]), "a") as out:
        out.write(change[1])
    done = make(copy, build)
    check(done.returncode != 0 and wanted in done.stdout, f"{what}: gave {done.returncode}: {done.stdout[-500:]}")


def main():
    source, program = os.path.abspath(sys.argv[1]), os.path.abspath(os.path.join(sys.argv[2], "scree"))
    check(shutil.which("mkdocs"), "mkdocs is not here; `tools/setup docs` installs it")
    with tempfile.TemporaryDirectory() as scratch:
        build = os.path.join(scratch, "build")
        os.mkdir(build)
        os.symlink(program, os.path.join(build, "scree"))
        done = make(source, build)
        check(done.returncode == 0 and "WARNING" not in done.stdout, f"tools/site.py gave {done.returncode}: {done.stdout[-2000:]}")
        check_site(source, os.path.join(build, "site"), commands(program))
        refuses(source, scratch, program, "a page that no menu names", ("docs/stray.md", "# Stray\n"), "docs/stray.md")
        refuses(source, scratch, program, "a link to nothing", ("docs/api.md", "\n[gone](gone.md)\n"), "gone.md")


if __name__ == "__main__":
    main()
