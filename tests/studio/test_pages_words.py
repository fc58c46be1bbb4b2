"""What every page says in each language: nothing is left in English, in the other script, or as a code."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from building import client_of
from walking import ask
from worlds import PAGES, ROLES, World, visits

from keju.script import script_of

PEOPLE = [*ROLES, "participant"]
SAID = ("alt", "aria-label", "placeholder", "title")
"""Attributes that people read or hear; of `data-…`, those that hold a message for a script to show."""
DATA = re.compile(
    r"(?:· )?(?:person|annotator|participant)-\d+.*|(?:净|still)-\d+\.png|round( · \w+)?|screening|sitting"
    r"|expert|format|Archive|One|a script|teahouse"
    r"|The picture shows someone else\.|The second option is right as well\."
    r"|semantic|own|.+ · kunqu|.+ · peking|baseline/random.*|看脸谱|COMMENT-SECRET|戏曲 \d+( · .*)?"
)
"""What the people of the world wrote, which is in no language of the interface."""
NAMES = re.compile(
    r"科舉|[简繁][体體](中文)?|CC0?-.*|Ctrl\+Enter|OpenAPI|SHA-256|tco|train|val|test"
    r"|[\d.]+ KB · image/png|[\d\s\nA-D,-]+"
)
FOR_SCRIPTS = re.compile(r"/.*|(?:item|assignment|asset|screen|dispute)[:_]\d+|image|audio|sha256|\[.*\]|\{.*\}")


class Words(HTMLParser):
    """The texts of a page that are in the language of the interface."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.skipped: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        if self.skipped or tag in {"script", "style", "code"} or ("lang" in told and tag != "html"):
            if tag not in {"input", "img", "br"}:  # these have no end
                self.skipped.append(tag)
            return
        said = [name for name in SAID if name in told and (tag, name) != ("td", "title")]  # the log tells codes there
        self.found += [told[name] for name in said]
        self.found += [v for n, v in told.items() if n.startswith("data-") and not FOR_SCRIPTS.fullmatch(v)]

    def handle_endtag(self, tag: str) -> None:
        if tag in self.skipped:
            while self.skipped.pop() != tag:  # an element that was never closed
                pass

    def handle_data(self, data: str) -> None:
        if not self.skipped:
            self.found.append(" ".join(data.split()))


def readings(world: World, who: str, language: str) -> dict[str, set[str]]:
    """The texts of every page that this person can open, without what people wrote: name of the page → texts."""
    client, found = client_of(world.people[who]), {}
    client.cookies["django_language"] = language
    for page, _item, path in visits(world, PAGES, who):
        seen = ask(client, "get", path)
        if seen.status == 200 and "<html" in seen.text[:200]:
            texts = {text for text in Words(seen.text).found if not DATA.fullmatch(text)}
            found[page.name] = found.get(page.name, set()) | texts
    return found


@pytest.mark.parametrize("who", PEOPLE)
def test_every_page_is_in_the_readers_language_and_script(world: World, who: str) -> None:
    english = readings(world, who, "en")
    assert len(english) >= (5 if who == "participant" else 9)
    wrong = []
    for language, other in (("zh-hans", "hant"), ("zh-hant", "hans")):
        for name, texts in readings(world, who, language).items():
            wrong += [
                f"{name}: {t}" for t in texts & english[name] if re.search("[A-Za-z]{2}", t) and not NAMES.fullmatch(t)
            ]
            wrong += [f"{name} in {language}: {t}" for t in texts if script_of(t) == other and not NAMES.fullmatch(t)]
    assert wrong == []


def test_languages_of_items_are_called_by_their_names(world: World) -> None:
    for name, texts in readings(world, "owner", "en").items():
        codes = [text for text in texts if re.search(r"\bzh-han", text, re.IGNORECASE)]
        assert name == "settings" or codes == [], name
