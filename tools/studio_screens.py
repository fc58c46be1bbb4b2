"""Every page of the studio as every kind of person sees it, photographed to be looked at.

    python tools/studio_screens.py FOLDER [en,zh-hans,zh-hant] [light,dark,phone] [owner,annotator,…]

Starts a server on a new data folder with one of everything in it (`tests/studio/worlds.py`), opens each address that
can be read in Chromium (`KEJU_CHROMIUM`, default /usr/bin/chromium), and writes FOLDER/LANGUAGE-LOOK/PERSON-PAGE.png.
A page that breaks, or whose content is wider than its window, is told on stderr.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "zh-hans", "zh-hant")
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1200, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1200, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
}
PEOPLE = (
    "owner",
    "author",
    "expert",
    "linguist",
    "formatter",
    "annotator",
    "blind expert",
    "adjudicator",
    "participant",
)
OWN = {
    "author": ("item", "item-edit", "item-new", "items", "assets", "work"),
    "expert": ("assignment", "work", "item", "screen", "dispute"),
    "linguist": ("assignment",),
    "formatter": ("screen", "assignment"),
    "annotator": ("assignment", "items", "work", "dashboard", "project"),
    "blind expert": ("assignment",),
    "adjudicator": ("dispute", "disputes"),
    "participant": ("sitting",),
}
"""Pages that look otherwise than to the owner, who sees all that an owner can."""
NO_PAGES = ("media", "thumbnail", "audit-export", "sitting-answers", "release-zip", "source-consent", "aid-", "new-")


def pages_of(world: Any, who: str) -> Iterator[tuple[str, str]]:
    """(name, path) of what can be read."""
    from tests.studio.worlds import PROJECT_PAGES, visits

    seen = set()
    for page, _item, path in visits(world, PROJECT_PAGES, who):
        wanted = page.name in OWN[who] if who in OWN else not page.name.startswith(NO_PAGES)
        if wanted and page.name not in seen:
            seen.add(page.name)
            yield page.name, path


def photograph(address: str, world: Any, out: Path, languages: list[str], looks: list[str], people: list[str]) -> None:
    from django.contrib.auth.models import User
    from playwright.sync_api import sync_playwright

    from keju.studio.signing_in import new_link

    with sync_playwright() as playwright:
        chromium = os.environ.get("KEJU_CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for look in looks:
            for who in people:
                page = browser.new_context(**LOOKS[look]).new_page()
                page.goto(f"{address}/enter/{new_link(User.objects.get(pk=world.people[who].pk))}")
                page.click("main button")
                for language in languages:
                    page.click(f'form.language button[value="{language}"]')
                    folder = out / f"{language}-{look}"
                    folder.mkdir(parents=True, exist_ok=True)
                    for name, path in pages_of(world, who):
                        status = page.request.get(address + path).status
                        if status >= 500:
                            print(f"{who} {name}: {status}", file=sys.stderr)
                        if status != 200:  # the address of a form, or a page of somebody else
                            continue
                        page.goto(address + path)
                        if page.evaluate("document.documentElement.scrollWidth > innerWidth + 1"):
                            print(f"{language}-{look} {who} {name}: wider than its window", file=sys.stderr)
                        page.screenshot(path=folder / f"{who.replace(' ', '-')}-{name}.png", full_page=True)
                page.context.close()
        browser.close()


def main(out: Path, languages: list[str], looks: list[str], people: list[str]) -> None:
    here = Path(__file__).resolve().parents[1]
    sys.path[:0] = [str(here), str(here / "tests" / "studio")]
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright runs a loop in this thread
    with tempfile.TemporaryDirectory() as folder:
        from keju.studio import serving

        serving.set_up(Path(folder))
        from tests.studio.worlds import furnished

        world = furnished()
        ports: list[int] = []
        ready = threading.Event()

        def bound(port: int) -> None:
            ports.append(port)
            ready.set()

        threading.Thread(target=serving.serve, args=("127.0.0.1", 0, bound), daemon=True).start()
        ready.wait(30)
        photograph(f"http://127.0.0.1:{ports[0]}", world, out, languages, looks, people)


if __name__ == "__main__":
    asked = [argument.split(",") for argument in sys.argv[2:]]
    chosen = [*asked, *[list(all_) for all_ in (LANGUAGES, LOOKS, PEOPLE)][len(asked) :]]
    main(Path(sys.argv[1]), *chosen)
