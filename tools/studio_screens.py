"""The studio photographed: the pictures of the docs, and every page as every kind of person sees it, to be looked at.

    python tools/studio_screens.py docs docs/pictures
    python tools/studio_screens.py all shots --languages en,zh-hans --looks light,dark,phone --people owner,annotator
    python tools/studio_screens.py all shots --only settings,audit --people owner

Each starts a real server on a new data folder and opens Chromium (`KEJU_CHROMIUM`, default /usr/bin/chromium). `docs`
has the teahouse in it, let through and built into a release; `all` has one of everything (`tests/studio/worlds.py`) and
writes SHOTS/LANGUAGE-LOOK/PERSON-PAGE.png. A page that breaks, whose content is wider than its window, or that the
browser's console complains of is told on stderr, and the exit status is then 1.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from PIL import Image

LANGUAGES = ("en", "zh-hans", "zh-hant")
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1200, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1200, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
}
IN_DOCS = {
    "editor": "items/{draft}/edit",
    "item": "items/{item}",
    "models": "models",
    "release": "releases/{release}",
}
SHORT = {"en": "en", "zh-hans": "zh"}
"""Languages of the docs, as their pictures are named."""
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
NO_PAGES += ("job",)  # a part of pages
NOBODY = "nobody"
OTHERS = ("administrator", "finished", "newcomer", "late", NOBODY)
"""People of `studio_states`."""
OUTSIDE = ("home", "project-new", "account", "password", "tokens")
"""Pages that are not of a project, as the owner sees them."""


@contextmanager
def serving() -> Iterator[tuple[str, Path]]:
    """A studio on a new data folder: its address, its folder."""
    with tempfile.TemporaryDirectory() as folder:
        from keju.studio import serving

        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright runs a loop in this thread
        serving.set_up(Path(folder))
        ports: list[int] = []
        ready = threading.Event()

        def bound(port: int) -> None:
            ports.append(port)
            ready.set()

        threading.Thread(target=serving.serve, args=("127.0.0.1", 0, bound), daemon=True).start()
        ready.wait(30)
        yield f"http://127.0.0.1:{ports[0]}", Path(folder)


@contextmanager
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = os.environ.get("KEJU_CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


def signed_in(browser: Any, address: str, user: Any, look: str) -> Any:
    from keju.studio.signing_in import new_link

    page = browser.new_context(**LOOKS[look]).new_page()
    if user is None:
        return page
    page.goto(f"{address}/enter/{new_link(user)}")
    page.click("main button")
    return page


# The pictures of the docs


def docs(out: Path) -> int:
    """The pictures that docs/studio.md shows, in the languages of the docs."""
    out.mkdir(parents=True, exist_ok=True)
    with serving() as (address, data):
        from django.contrib.auth.models import User
        from studio_teahouse import filled

        names = filled(data)  # before there is a browser: its loop would be in the way of the runs
        with chromium() as browser:
            page = signed_in(browser, address, User.objects.get(username="Mei Lin"), "light")
            for language, short in SHORT.items():
                page.click(f'form.language button[value="{language}"]')
                for name, path in IN_DOCS.items():
                    answer = page.goto(f"{address}/projects/teahouse/{path.format(**names)}")
                    if answer is None or not answer.ok:
                        raise SystemExit(f"{name}: {answer and answer.status}")
                    kept(page.screenshot(), out / f"studio-{name}-{short}.png")
    return 0


def kept(data: bytes, file: Path) -> None:
    """Write a picture with a palette: a third of the size."""
    with Image.open(io.BytesIO(data)) as picture:
        picture.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(file, optimize=True)


# Every page


def pages_of(world: Any, who: str, only: list[str]) -> Iterator[tuple[str, str]]:
    """(name, path) of what can be read."""
    from tests.studio.worlds import PAGES, PROJECT_PAGES, visits

    if who not in OWN and who != "owner":
        return
    pages = PROJECT_PAGES if who in OWN else [page for page in PAGES if page in PROJECT_PAGES or page.name in OUTSIDE]
    seen = set()
    for page, _item, path in visits(world, pages, who):
        wanted = page.name in OWN[who] if who in OWN else not page.name.startswith(NO_PAGES)
        if wanted and page.name not in seen and (not only or page.name in only):
            seen.add(page.name)
            yield page.name, path


def every(out: Path, languages: list[str], looks: list[str], people: list[str], only: list[str]) -> int:
    """Every page that these people can read, and the states of `studio_states`; 1 where something was odd."""
    here = Path(__file__).resolve().parents[1]
    sys.path[:0] = [str(here), str(here / "tests" / "studio")]
    odd = 0
    with serving() as (address, data):
        from studio_states import prepared

        world, states = prepared(data)
        states = [state for state in states if (state.who or NOBODY) in people and (not only or state.name in only)]
        walks = {who: list(pages_of(world, who, only)) for who in people}  # before forms change the world
        with chromium() as browser:
            for look in looks:
                for who in people:
                    page = signed_in(browser, address, world.people.get(who), look)
                    for language in languages:
                        page.goto(f"{address}/sign-in" if who == NOBODY else address)
                        page.click(f'form.language button[value="{language}"]')
                        folder = out / f"{language}-{look}"
                        folder.mkdir(parents=True, exist_ok=True)
                        told = f"{language}-{look} {who}"
                        for name, path in walks[who]:
                            file = folder / f"{who.replace(' ', '-')}-{name}.png"
                            odd += complained(f"{told} {name}", photographed(page, address + path, file))
                        for state in states:
                            if (state.who or NOBODY) == who:
                                file = folder / f"{who.replace(' ', '-')}-{state.name}.png"
                                odd += complained(f"{told} {state.name}", shown(page, address, state, file))
                    page.context.close()
    return min(odd, 1)


def complained(where: str, texts: list[str]) -> int:
    for text in texts:
        print(f"{where}: {text}", file=sys.stderr)
    return len(texts)


SENT = count(1)
"""What makes each form that is sent another one."""


def shown(page: Any, address: str, state: Any, file: Path) -> list[str]:
    """Photograph a state: opened as any page, or the answer to a form."""
    if state.files:
        page.goto(address + state.path)
        chosen = [{"name": name, "mimeType": "image/png", "buffer": b"not a picture"} for name in state.files]
        page.set_input_files("#files", chosen)
        page.locator("#uploads .refused").nth(len(chosen) - 1).wait_for()
        page.screenshot(path=file, full_page=True)
        return []
    if state.sent is None:
        return photographed(page, address + state.path, file, refused=True)
    n = next(SENT)
    token = next((one["value"] for one in page.context.cookies() if one["name"] == "csrftoken"), "")
    headers = {"accept": "text/html", "referer": address, **({} if state.bare else {"x-csrftoken": token})}
    form = {name: text.format(n=n) for name, text in state.sent.items()}
    answer = page.request.post(address + state.path.format(n=n), form=form, headers=headers)
    if "html" not in answer.headers.get("content-type", ""):
        return [f"{answer.status} {answer.headers.get('content-type')}: {answer.text()[:200]}"]
    body, seen = answer.body(), f"{address}/seen"
    page.context.route(seen, lambda route: route.fulfill(status=200, body=body, headers={"content-type": "text/html"}))
    said = photographed(page, seen, file, refused=True)
    page.context.unroute(seen)
    return [f"answered {answer.status}", *said] if answer.status >= 500 else said


def photographed(page: Any, url: str, file: Path, *, refused: bool = False) -> list[str]:
    """Photograph one page; what is odd about it. `refused` photographs what is answered with an error as well."""
    answer = page.request.get(url)
    html = "<html" in answer.text()[:200] if "html" in answer.headers.get("content-type", "") else False
    if not html or (answer.status != 200 and not refused):  # a file, a part of a page, a page of somebody else
        return [str(answer.status)] if answer.status >= 500 else []
    said: list[str] = []

    def heard(message: Any) -> None:
        if message.type in {"error", "warning"} and not message.text.startswith("Failed to load resource"):
            said.append(message.text)

    page.on("console", heard)
    page.goto(url)
    if page.evaluate("document.documentElement.scrollWidth > innerWidth + 1"):
        said.append("wider than its window")
    page.evaluate("document.querySelectorAll('img[loading]').forEach(img => img.loading = 'eager')")
    page.wait_for_load_state("networkidle")
    page.screenshot(path=file, full_page=True)
    page.remove_listener("console", heard)
    return said


def main(args: argparse.Namespace) -> int:
    if args.what == "docs":
        return docs(args.out)
    chosen = [text.split(",") if text else [] for text in (args.languages, args.looks, args.people, args.only)]
    return every(args.out, *chosen)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=("docs", "all"))
    parser.add_argument("out", type=Path)
    parser.add_argument("--languages", default=",".join(LANGUAGES))
    parser.add_argument("--looks", default=",".join(LOOKS))
    parser.add_argument("--people", default=",".join(["owner", *OWN, *OTHERS]))
    parser.add_argument("--only", default="", help="names of addresses, as Django knows them")
    sys.exit(main(parser.parse_args()))
