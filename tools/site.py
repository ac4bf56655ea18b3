"""tools/site.py SOURCE BUILD: makes the manual, BUILD/site/index.html, from docs/ by mkdocs. `make docs` calls it.

The pages in docs/ are read in two places: where the repository is shown, with links like ../include/scree/index.h, and in the
site, which holds no such files. So the pages are copied to BUILD/site-pages with these changes, and mkdocs works there:

- a link to a file outside docs/ leads to a page that shows the file; to a folder, to a list of its files
- README.md, the list of pages, becomes index.md, the first page
- a list right below a line of text gets the empty line between them that mkdocs' Markdown wants
- a page for each command shows its --help, made by the program that was just built

mkdocs.yml at the root has the pages' order. A page that it names must be there, and one that is there must be named.
"""
import glob
import html
import os
import re
import shutil
import subprocess
import sys

try:
    import yaml
except ImportError as error:
    sys.exit(f"tools/site.py: it needs YAML and mkdocs (make docs installs both): {error}")

LARGEST = 200_000  # bytes of a file that is shown; of a larger one only its name is
LANGUAGES = {".c": "c", ".h": "c", ".py": "python", ".yaml": "yaml", ".cmake": "cmake", ".sh": "sh"}
RENAMED = {"docs/README.md": "index.md"}
FENCE = re.compile(r"^ *(```|~~~)")
ITEM = re.compile(r"^(?:[-*+]|[0-9]+\.) ")
LINK = re.compile(r"(`+)(?:.|\n)*?\1|(\]\()([^)\s]+)(\))")  # code spans first: what looks like a link in them is none


class Site:
    def __init__(self, source, build):
        self.source, self.build = os.path.abspath(source), os.path.abspath(build)
        self.pages = os.path.join(self.build, "site-pages")
        self.waiting, self.made, self.wrong = [], set(), []
        shutil.rmtree(self.pages, ignore_errors=True)

    def place(self, path):
        """Where the page for a file or folder of the repository is in the site; asks for it to be made."""
        path = os.path.normpath(path)
        full = os.path.join(self.source, path)
        if path in RENAMED:
            place = RENAMED[path]
        elif path.startswith("docs/"):
            place = path[len("docs/"):]
        elif os.path.isdir(full):
            place = f"source/{path}/list.md"
        elif path.endswith(".md"):
            place = f"source/{path}"
        else:
            place = f"source/{path}.md"
        if place not in self.made:
            self.made.add(place)
            self.waiting.append((path, place))
        return place

    def link(self, path, place, target):
        """A link in the page made from `path`, for the site."""
        file, hash, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target) or not file:
            return target
        meant = os.path.normpath(os.path.join(os.path.dirname(path), file))
        if meant.startswith("..") or not os.path.exists(os.path.join(self.source, meant)):
            self.wrong.append(f"{path}: there is no {target}")
            return target
        return os.path.relpath(self.place(meant), os.path.dirname(place)) + hash + anchor

    def markdown(self, path, place, text):
        """A page with its links for the site, and empty lines before lists."""
        out, prose, fence = [], [], None

        def close():
            block = "\n".join(prose)
            out.extend(LINK.sub(lambda m: m[0] if m[1] else m[2] + self.link(path, place, m[3]) + m[4], block).split("\n") if prose else [])
            prose.clear()

        for line in text.split("\n"):
            mark = FENCE.match(line)
            if fence is None and mark:
                close()
                fence = mark[1]
                out.append(re.sub(r"^( *```\w+) .*", r"\1", line))  # without the file that a block of the sources is of
            elif fence is not None:
                out.append(line)
                fence = None if mark and mark[1] == fence else fence
            else:
                before = prose[-1] if prose else ""
                if ITEM.match(line) and before.strip() and not ITEM.match(before) and not before.startswith(" "):
                    prose.append("")
                prose.append(line)
        close()
        return "\n".join(out)

    def folder_list(self, path, place):
        rows = [f"# {path}", ""]
        for name in sorted(os.listdir(os.path.join(self.source, path))):
            full = os.path.join(self.source, path, name)
            if name.startswith((".", "__")) or os.path.isdir(full):
                continue
            with open(full, "rb") as file:
                small = os.path.getsize(full) <= LARGEST and b"\0" not in file.read(4096)  # and text
            rows.append(f"- [{name}]({os.path.relpath(self.place(os.path.join(path, name)), os.path.dirname(place))})" if small else f"- {name}")
        return "\n".join(rows) + "\n"

    def write(self, place, text):
        target = os.path.join(self.pages, place)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as out:
            out.write(text)

    def make(self, path, place):
        full = os.path.join(self.source, path)
        if os.path.isdir(full):
            self.write(place, self.folder_list(path, place))
            return
        if path.startswith("docs/") and not path.endswith(".md"):  # pictures
            os.makedirs(os.path.dirname(os.path.join(self.pages, place)), exist_ok=True)
            shutil.copyfile(full, os.path.join(self.pages, place))
            return
        with open(full, encoding="utf-8") as file:
            text = file.read()
        if path.endswith(".md"):
            self.write(place, self.markdown(path, place, text))
        else:
            language = LANGUAGES.get(os.path.splitext(path)[1], "text")
            self.write(place, f"# {path}\n\n~~~~{language}\n{text.rstrip()}\n~~~~\n")

    def all(self):
        while self.waiting:
            self.make(*self.waiting.pop())

    def commands(self):
        """Pages of --help, as entries for the nav."""
        program = os.path.join(self.build, "scree")

        def reported(*words):
            return subprocess.run([program, *words], stdout=subprocess.PIPE, text=True, check=True).stdout

        def joined(lines):
            """Rows without the line breaks of the terminal: a line that begins deeper than the rows continues the row before."""
            rows = []
            for line in lines:
                if rows and re.match(r" {9,}\S", line):
                    rows[-1] += " " + line.strip()
                else:
                    rows.append(line)
            return rows

        def page(text):
            """--help as a page: text wraps, and options are a list."""
            about, usage, *parts = text.rstrip().split("\n\n")
            out = [f"<p>{html.escape(' '.join(about.split()).split(': ', 1)[1])}</p>", f"<p><code>{html.escape(' '.join(usage.split()).split(': ', 1)[1])}</code></p>"]
            for part in parts:
                head, *lines = part.split("\n")
                if head.startswith("example") and head.endswith(":"):
                    out.append("<pre>" + html.escape("\n".join(line.strip() for line in lines)) + "</pre>")
                elif head in ("options:", "common options:"):
                    rows = [re.fullmatch(r" *(-\w, )?(--[a-z0-9-]+(?: \S+)?) +(\S.*)", line).groups("") for line in joined(lines)]
                    out += ["<dl>"] + [f"<dt><code>{html.escape(letter + name)}</code></dt><dd>{html.escape(what)}</dd>" for letter, name, what in rows] + ["</dl>"]
                elif head.endswith(":") and lines:
                    rows = [line.split(None, 1) for line in joined(lines)]
                    out += ["<dl>"] + [f"<dt><code>{html.escape(name)}</code></dt><dd>{html.escape(what)}</dd>" for name, what in rows] + ["</dl>"]
                else:
                    out.append(f"<p>{html.escape(' '.join(part.split()))}</p>")
            return "\n".join(out)

        overview, entries = reported("--help"), []
        names = [""]
        for name in re.findall(r"^  ([a-z]+) ", overview, re.MULTILINE):
            _, methods, rest = reported(name, "--help").partition("\nmethods:\n")
            names += [name] + [f"{name} {method}" for method in re.findall(r"^  ([a-z]+) ", rest.split("\n\n")[0], re.MULTILINE) if methods]
        for name in names:
            place = f"commands/{name.replace(' ', '-') or 'scree'}.md"
            text = page(reported(*name.split(), "--help")) if name else f"~~~~text\n{overview.rstrip()}\n~~~~"
            self.write(place, f"# scree {name}".rstrip() + f"\n\n{text}\n")
            entries.append({f"scree {name}".rstrip(): place})
        return entries

    def nav(self, entries):
        """The nav of mkdocs.yml with the names that pages have here."""
        out = []
        for entry in entries:
            (title, what), = entry.items() if isinstance(entry, dict) else [(None, entry)]
            if what == "COMMANDS":
                out.extend(self.commands())
            elif what == "HEADERS":
                headers = sorted(glob.glob(os.path.join(self.source, "include/scree/*.h")))
                out.extend({os.path.basename(h): self.place(os.path.relpath(h, self.source))} for h in headers)
            elif isinstance(what, list):
                below = self.nav(what)
                out.extend([{title: below}] if below else [])
            elif os.path.exists(os.path.join(self.source, "docs", what)):
                place = self.place("docs/" + what)
                out.append({title: place} if title else place)
            else:
                self.wrong.append(f"mkdocs.yml names {what}, which is not in docs/")
        return out


def mend_theme(folder):
    """Debian's mkdocs 1.4.2 names two scripts that its package has under another name, or not at all; the menu needs the first."""
    jquery = sorted(glob.glob(os.path.join(folder, "js/jquery-*.min.js")))
    wanted = os.path.join(folder, "js/jquery-3.6.0.min.js")
    if jquery and not os.path.exists(wanted):
        shutil.copyfile(jquery[0], wanted)
    extra = os.path.join(folder, "js/theme_extra.js")
    if not os.path.exists(extra):
        with open(extra, "w", encoding="utf-8") as out:
            out.write("// Missing in the package; site.css has what it would do.\n")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: tools/site.py SOURCE BUILD")
    site = Site(sys.argv[1], sys.argv[2])
    with open(os.path.join(site.source, "mkdocs.yml"), encoding="utf-8") as file:
        config = yaml.safe_load(file)
    config["nav"] = site.nav(config["nav"])
    named = set(site.made)
    for page in sorted(glob.glob(os.path.join(site.source, "docs/*.md"))):
        if site.place(os.path.relpath(page, site.source)) not in named:
            site.wrong.append(f"{os.path.relpath(page, site.source)} is not in the nav of mkdocs.yml")
    site.all()
    if site.wrong:
        sys.exit("\n".join(site.wrong))
    shutil.copyfile(os.path.join(site.source, "tools/site.css"), os.path.join(site.pages, "site.css"))
    config["extra_css"] = ["site.css"]
    config["docs_dir"], config["site_dir"] = site.pages, os.path.join(site.build, "site")
    target = os.path.join(site.build, "mkdocs.yml")
    with open(target, "w", encoding="utf-8") as out:
        yaml.safe_dump(config, out, sort_keys=False)
    code = subprocess.run(["mkdocs", "--quiet", "build", "--strict", "--clean", "-f", target]).returncode
    if code == 0:
        mend_theme(config["site_dir"])
    sys.exit(code)


if __name__ == "__main__":
    main()
