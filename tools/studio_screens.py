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
    page.goto(f"{address}/enter/{new_link(user)}")
    page.click("main button")
    return page


# The pictures of the docs


def filled(data: Path) -> dict[str, str]:
    """A project made of the demo; what its pages are called by."""
    import keju
    from keju.release.prose import QUESTIONS
    from keju.studio import importer, model_marks, release_builder
    from keju.studio.founding import found
    from keju.studio.models import Item, Membership, Release, Role, Source
    from keju.studio.release_form import begun
    from keju.studio.signing_in import new_person

    owner = new_person("Mei Lin", kind="owner")
    project = found("teahouse", "Teahouse", "custom", owner)
    for name, role in (("Guo An", Role.AUTHOR), ("Tang Wen", Role.EXPERT), ("He Jing", Role.ANNOTATOR)):
        Membership.objects.create(project=project, user=new_person(name), roles=[role])
    source = Source.objects.create(
        project=project, title="Drawings and voices of the team", stream="made for this set", licence="own"
    )
    teahouse = keju.load("teahouse")
    importer.take(project, owner, teahouse, source)
    for model in ("baseline/random", "baseline/always-a", "baseline/longest-option"):
        keju.run(teahouse, model, out=data / "runs")
    model_marks.take_runs(project, owner, data / "runs")
    draft = project.items.order_by("code").first()
    assert draft is not None
    Item.objects.filter(project=project).exclude(pk=draft.pk).update(state=Item.State.ACCEPTED)
    config = {
        **begun(project),
        "description": "Questions on opera and daily life.",
        "changes": "First release.",
        "url": "https://example.org/teahouse",
        "creators": "Mei Lin; Lin; Mei; Opera School",
        "keywords": "opera, daily life",
        "collection_types": "Manual Human Curation",
        "collection_start": "2025-09-01",
        "collection_end": "2026-01-31",
        "date": "2026-03-31",
        "recognisable": "no",
        **{key: "Told in docs." for key, question in QUESTIONS.items() if question.required},
    }
    release = Release.objects.create(project=project, version="1.0.0", config=config, built_by=owner)
    if blocked := release_builder.build(release, owner):
        raise SystemExit(f"the demo's release is blocked: {blocked[:3]}")
    accepted = project.items.filter(state=Item.State.ACCEPTED).order_by("code").first()
    assert accepted is not None
    return {"item": str(accepted.pk), "draft": str(draft.pk), "release": str(release.pk)}


def docs(out: Path) -> int:
    """The pictures that docs/studio.md shows, in the languages of the docs."""
    out.mkdir(parents=True, exist_ok=True)
    with serving() as (address, data):
        from django.contrib.auth.models import User

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

    pages = PROJECT_PAGES if who in OWN else [page for page in PAGES if page in PROJECT_PAGES or page.name in OUTSIDE]
    seen = set()
    for page, _item, path in visits(world, pages, who):
        wanted = page.name in OWN[who] if who in OWN else not page.name.startswith(NO_PAGES)
        if wanted and page.name not in seen and (not only or page.name in only):
            seen.add(page.name)
            yield page.name, path


def every(out: Path, languages: list[str], looks: list[str], people: list[str], only: list[str]) -> int:
    """Every page that these people can read; how many things were odd."""
    here = Path(__file__).resolve().parents[1]
    sys.path[:0] = [str(here), str(here / "tests" / "studio")]
    odd = 0
    with serving() as (address, _data), chromium() as browser:
        from tests.studio.worlds import furnished

        world = furnished()
        for look in looks:
            for who in people:
                page = signed_in(browser, address, world.people[who], look)
                for language in languages:
                    page.click(f'form.language button[value="{language}"]')
                    folder = out / f"{language}-{look}"
                    folder.mkdir(parents=True, exist_ok=True)
                    for name, path in pages_of(world, who, only):
                        file = folder / f"{who.replace(' ', '-')}-{name}.png"
                        for text in photographed(page, address + path, file):
                            print(f"{language}-{look} {who} {name}: {text}", file=sys.stderr)
                            odd += 1
                page.context.close()
    return min(odd, 1)


def photographed(page: Any, url: str, file: Path) -> list[str]:
    """Photograph one page; what is odd about it."""
    status = page.request.get(url).status
    if status != 200:  # the address of a form, or a page of somebody else
        return [str(status)] if status >= 500 else []
    said: list[str] = []

    def heard(message: Any) -> None:
        if message.type in {"error", "warning"}:
            said.append(message.text)

    page.on("console", heard)
    page.goto(url)
    if page.evaluate("document.documentElement.scrollWidth > innerWidth + 1"):
        said.append("wider than its window")
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
    parser.add_argument("--people", default=",".join(["owner", *OWN]))
    parser.add_argument("--only", default="", help="names of addresses, as Django knows them")
    sys.exit(main(parser.parse_args()))
