"""Build the site of the documentation, English at its root and Chinese below `zh/`: whole, or not at all.

    python tools/site.py [FOLDER]     (default: site; what lies there before goes)

The pages of `docs/` stay plain Markdown that a code host shows. Here they are put together with the reference, which
`tools/reference` makes from the code, and handed to Zensical once for each language, strict. A page that has no Chinese
yet stands in the Chinese site in English and says so. What ends the build: a link that leads nowhere, a page that the
navigation lacks, a title in the Chinese navigation that is wrong about its page's language.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import tomli_w

sys.path.insert(0, str(Path(__file__).parent))
from reference import pages as reference_pages

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
THEME = ROOT / "tools" / "theme"
REPOSITORY = "https://github.com/keju-exam/keju"
LANGUAGES = ("en", "zh")
ENGLISH = "（英文）"
"""What a title in the Chinese navigation ends with where the page is in English."""
NOTE = '!!! note ""\n\n    本页还没有中文，以下为英文。\n\n'
CHINESE = r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]"
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
ROW, CODE = re.compile(r"^\|.*$", re.MULTILINE), re.compile(r"`[^`]*`")
"""A row of a table and the code in it: code hosts want a bar there escaped, and Zensical does not."""
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


class Broken(Exception):
    """The site cannot be built; the message names each place."""


@cache
def written(language: str) -> dict[str, Path]:
    """Path in the site of that language → the file of `docs/` that is written in it."""
    top = DOCS / "zh" if language == "zh" else DOCS
    pages = {path.relative_to(top).as_posix(): path for path in sorted(top.rglob("*.md"))}
    return {page: path for page, path in pages.items() if language == "zh" or not page.startswith("zh/")}


def assembled(language: str) -> dict[str, str]:
    """Path → Markdown of every page of the site of that language."""
    made = {page: _adapted(path, page, language) for page, path in written(language).items()}
    made |= reference_pages(language)
    if language == "zh":
        english = {page: _adapted(path, page, language) for page, path in written("en").items() if page not in made}
        english |= {page: text for page, text in reference_pages("en").items() if page not in made}
        made |= {page: NOTE + text for page, text in english.items()}
    return made


def _adapted(source: Path, page: str, language: str) -> str:
    """The page with links as they lead in the site, and file names of blocks as their titles."""
    text = source.read_text(encoding="utf-8")
    parts, end = [], 0
    for fence in FENCE.finditer(text):
        parts += [_linked(text[end : fence.start()], source, page, language), _titled(fence[0])]
        end = fence.end()
    return "".join([*parts, _linked(text[end:], source, page, language)])


def _titled(fence: str) -> str:
    return re.sub(r"\A```(\w+) (\S+)$", r'```\1 title="\2"', fence, count=1, flags=re.MULTILINE)


def _linked(text: str, source: Path, page: str, language: str) -> str:
    text = re.sub(r"^([^\s\-|>#\d].*)\n(- )", r"\1\n\n\2", text, flags=re.MULTILINE)  # a list needs a blank line here
    text = re.sub(rf"(?<={CHINESE})\n *(?={CHINESE})", "", text)  # a browser puts a blank where a line ends
    text = ROW.sub(lambda row: CODE.sub(lambda code: code[0].replace("\\|", "|"), row[0]), text)
    return LINK.sub(lambda link: _led(link, source, page, language), text)


def _led(link: re.Match[str], source: Path, page: str, language: str) -> str:
    """One link of a page: to a page of this site, to the other language's, or to the repository."""
    picture, words, target = link.groups()
    name, _, anchor = target.partition("#")
    if not name or urlsplit(target).scheme:
        return link[0]
    there = Path(posixpath.normpath((source.parent / name).as_posix()))
    if not there.is_relative_to(DOCS):
        return f"{picture}[{words}]({_in_repository(there, source)}{'#' * bool(anchor)}{anchor})"
    own = "zh" if there.is_relative_to(DOCS / "zh") else "en"
    path = there.relative_to(DOCS / "zh" if own == "zh" else DOCS).as_posix()
    if language != own and (own == "zh" or (path in written("zh") and source.is_relative_to(DOCS / "zh"))):
        here = posixpath.dirname(posixpath.join("zh" if language == "zh" else "", page)) or "."
        way = posixpath.relpath(_address(path, own) or ".", here)  # as Markdown links lead: from the page's own folder
        return f'<a href="{way}/{"#" * bool(anchor)}{anchor}">{words}</a>'
    if language != own and path in written("zh") and anchor not in _anchors(written("zh")[path]):
        anchor = ""  # an English page in the Chinese site, and the Chinese page has other headings
    way = posixpath.relpath(path, posixpath.dirname(page) or ".")
    return f"{picture}[{words}]({way}{'#' * bool(anchor)}{anchor})"


def _in_repository(there: Path, source: Path) -> str:
    if not there.exists():
        raise Broken(f"{source}: no file {there}")
    kind = "tree" if there.is_dir() else "blob"
    return f"{REPOSITORY}/{kind}/main/{there.relative_to(ROOT).as_posix()}"


def _address(page: str, language: str) -> str:
    """Where a page lies in the whole site, as a folder."""
    folder = page.removesuffix("index.md").removesuffix(".md").rstrip("/")
    return posixpath.join("zh" if language == "zh" else "", folder).rstrip("/")


def _anchors(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", path.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@cache
def _settings(language: str) -> dict[str, Any]:
    """`zensical.toml`, with what `zensical.zh.toml` says instead."""
    settings = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))
    if language == "zh":
        own = tomllib.loads((ROOT / "zensical.zh.toml").read_text(encoding="utf-8"))["project"]
        settings["project"] |= own | {"theme": settings["project"]["theme"] | own["theme"]}
    return settings


def titles(language: str) -> dict[str, str]:
    """Path → title of every page in the navigation."""

    def walk(entries: list[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
        for entry in entries:
            for title, what in entry.items():
                yield from [(what, title)] if isinstance(what, str) else walk(what)

    return dict(walk(_settings(language)["project"]["nav"]))


def misnamed(pages: Mapping[str, str], language: str) -> list[str]:
    """What is wrong with the navigation: pages that it lacks or that do not exist, and marks of language."""
    shown = titles(language)
    faults = [f"the navigation ({language}) lacks {page}" for page in sorted(pages.keys() - shown.keys())]
    faults += [f"the navigation ({language}) names {page}, which is no page" for page in shown.keys() - pages.keys()]
    for page in shown.keys() & pages.keys() if language == "zh" else ():
        if shown[page].endswith(ENGLISH) != pages[page].startswith(NOTE):
            faults.append(f"zensical.zh.toml: “{shown[page]}” is wrong about the language of {page}")
    return sorted(faults)


def build(target: Path) -> None:
    """Both sites into `target`. Raises `Broken`, and then `target` is as it was."""
    trees = {language: assembled(language) for language in LANGUAGES}
    faults = [fault for language in LANGUAGES for fault in misnamed(trees[language], language)]
    if faults:
        raise Broken("\n".join(faults))
    with tempfile.TemporaryDirectory() as folder:
        for language in LANGUAGES:
            other = trees["zh" if language == "en" else "en"]
            _built(language, trees[language], [page for page in trees[language] if page not in other], Path(folder))
        site = Path(folder) / "en" / "site"
        shutil.move(Path(folder) / "zh" / "site", site / "zh")
        if faults := sorted(dangling(site)):
            raise Broken("\n".join(faults))
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(site, target)


def _built(language: str, pages: Mapping[str, str], alone: list[str], folder: Path) -> None:
    """One language's site in `folder`/LANGUAGE/site; `alone` are pages that the other language lacks."""
    place = folder / language
    for page, text in pages.items():
        path = place / "pages" / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    shutil.copytree(DOCS / "pictures", place / "pages" / "pictures")
    shutil.copy(THEME / "site.css", place / "pages" / "site.css")
    settings = _settings(language)
    settings["project"] |= {"docs_dir": "pages", "site_dir": "site"}
    settings["project"]["theme"]["custom_dir"] = str(THEME)
    settings["project"].setdefault("extra", {})["alone"] = [_address(page, "en") + "/" for page in alone]
    (place / "zensical.toml").write_text(tomli_w.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", str(place / "zensical.toml")]
    done = subprocess.run(command, cwd=place, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        said = re.sub(r"\x1b\[[\d;]*m", "", done.stdout + done.stderr).partition("Traceback")[0]
        raise Broken(f"{language}:\n{said}")


LOADS = ("stylesheet", "preconnect", "preload", "icon")
"""What `rel` makes a browser fetch."""


class _Page(HTMLParser):
    """What a page leads to and what in it can be led to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = {"", "__skip"}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        targets = [target for name in ("href", "src") if (target := told.get(name))]
        self.targets += targets
        if tag in ("script", "img") or told.get("rel") in LOADS:
            self.loaded += targets
        self.anchors |= {name for key in ("id", "name") if (name := told.get(key))}


def dangling(site: Path) -> Iterator[str]:
    """Links and sources within a built site that lead nowhere, and those that load something from elsewhere."""
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html") if path.name != "404.html"}
    for path, page in pages.items():
        for target in page.targets:
            name, _, anchor = target.partition("#")
            if urlsplit(target).scheme or target.startswith("//"):
                if target in page.loaded:
                    yield f"{path.relative_to(site)}: {target} is loaded from elsewhere"
                continue
            there = (path.parent / unquote(name)).resolve() if name else path
            there = there / "index.html" if there.is_dir() else there
            if not there.is_file() or (there in pages and unquote(anchor) not in pages[there].anchors):
                yield f"{path.relative_to(site)}: {target} leads nowhere"


def main(arguments: list[str]) -> int:
    """Build into the folder that the command line names; the exit code."""
    target = Path(arguments[0]) if arguments else ROOT / "site"
    try:
        build(target)
    except Broken as broken:
        print(f"the site is not built:\n{broken}", file=sys.stderr)
        return 1
    print(f"{target}/index.html, {target}/zh/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
