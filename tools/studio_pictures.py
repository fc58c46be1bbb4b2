"""The pictures of docs/studio.md: a studio with the demo in it, photographed page by page in a browser.

    python tools/studio_pictures.py docs/pictures
    python tools/studio_pictures.py shots --all --languages en,zh,zh-hant --scheme dark --wide 390   # to look at

Starts a real server on a new data folder, takes the teahouse in, lets the items through, builds a release, and opens
pages in Chromium (`KEJU_CHROMIUM`, default /usr/bin/chromium).
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import tempfile
import threading
from pathlib import Path

from PIL import Image

WIDTH, HEIGHT = 1200, 900
PAGES = {
    "project": "",
    "items": "items",
    "item": "items/{item}",
    "editor": "items/{draft}/edit",
    "assets": "assets",
    "sources": "sources",
    "people": "people",
    "rounds": "rounds",
    "work": "work",
    "progress": "dashboard",
    "import": "import",
    "models": "models",
    "release": "releases/{release}",
    "log": "log",
}
IN_DOCS = ("editor", "item", "models", "release")
LANGUAGES = {"en": "en", "zh": "zh-hans", "zh-hant": "zh-hant"}


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


def photograph(address: str, token: str, names: dict[str, str], args: argparse.Namespace) -> None:
    """The pages that are asked for, in each language."""
    from playwright.sync_api import sync_playwright

    chromium = os.environ.get("KEJU_CHROMIUM", "/usr/bin/chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": args.wide, "height": HEIGHT}, color_scheme=args.scheme)
        page.goto(f"{address}/enter/{token}")
        page.click("main button")
        for short in args.languages.split(","):
            page.click(f'form.language button[value="{LANGUAGES[short]}"]')
            for name, path in PAGES.items():
                if args.all or name in IN_DOCS:
                    answer = page.goto(f"{address}/projects/teahouse/{path.format(**names)}")
                    if answer is None or not answer.ok:
                        raise SystemExit(f"{name}: {answer and answer.status}")
                    kept(page.screenshot(full_page=args.whole), args.out / f"studio-{name}-{short}.png")
        browser.close()


def kept(data: bytes, file: Path) -> None:
    """Write a picture with a palette: a third of the size."""
    with Image.open(io.BytesIO(data)) as picture:
        picture.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(file, optimize=True)


def main(args: argparse.Namespace) -> None:
    args.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright runs a loop in this thread
        from keju.studio import serving

        serving.set_up(data)
        names = filled(data)
        from django.contrib.auth.models import User

        from keju.studio.signing_in import new_link

        token = new_link(User.objects.get(username="Mei Lin"))
        ports: list[int] = []
        ready = threading.Event()

        def bound(port: int) -> None:
            ports.append(port)
            ready.set()

        threading.Thread(target=serving.serve, args=("127.0.0.1", 0, bound), daemon=True).start()
        ready.wait(30)
        photograph(f"http://127.0.0.1:{ports[0]}", token, names, args)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--all", action="store_true", help="every page, not those of the docs alone")
    parser.add_argument("--languages", default="en,zh")
    parser.add_argument("--scheme", choices=("light", "dark"), default="light")
    parser.add_argument("--wide", type=int, default=WIDTH)
    parser.add_argument("--whole", action="store_true", help="to the end of each page")
    sys.exit(main(parser.parse_args()))
