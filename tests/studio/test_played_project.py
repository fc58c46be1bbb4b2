"""A whole project, from the first link to a release that models are run on, played through the pages by twelve people.

Where people write and answer with their hands it is Chromium; what is the same many times over goes through Django's
client, with the same forms.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from building import content
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from playwright.sync_api import expect
from test_editor_browser import PASTE, kept
from test_release import CONFIG, drawn

import keju
from keju.studio.benchmarks import item_of
from keju.studio.journal import first_broken
from keju.studio.models import Asset, Batch, Dispute, Event, Item, Project, Release
from keju.studio.serving import first_link

pytest.importorskip("mlcroissant", reason="the extra `release` is not installed")
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.timeout(300)]

TEAM = {
    "lin": ["author"],
    "zhao": ["author"],
    "guo": ["expert"],
    "qin": ["expert"],
    "bai": ["linguist"],
    "he": ["formatter"],
    "xu": ["annotator"],
    "yu": ["annotator"],
    "tang": ["adjudicator"],
}
HOME = "/projects/opera"
STEMS = ["这是什么行当？", "他是谁？", "她在唱哪一出？", "这是哪个剧种？", "他手里拿的是什么？", "这身衣服叫什么？"]
RATED = {"clarity": 5, "plausibility": 5, "appropriateness": 4}
SURE = {"confidence": 4}
POINTS = ["meaning", "terms", "options", "not_literal"]


class Player:
    """One person with a browser of their own."""

    def __init__(self, address: str) -> None:
        self.client = Client()
        self.client.get(address)  # as a mail program that looks ahead
        assert self.client.post(address).status_code == 302
        self.user = User.objects.get(pk=self.client.session["_auth_user_id"])

    def post(self, path: str, told: dict[str, Any] | None = None) -> Any:
        """Send a form; it must be taken."""
        answer = self.client.post(f"{HOME}/{path}", told or {}, follow=True, headers={"accept": "text/html"})
        assert answer.status_code == 200, (path, answer.status_code, answer.content.decode()[-3000:])
        return answer

    def get(self, path: str) -> Any:
        answer = self.client.get(f"{HOME}/{path}")
        assert answer.status_code == 200, (path, answer.status_code)
        return answer

    def work(self, batch: Batch, answers: Any) -> int:
        """Do all that waits for this person in a round; `answers(task)` is what they send."""
        done = 0
        while True:
            page = self.client.post(f"{HOME}/work/next/{batch.pk}", follow=True)
            task = (page.context or {}).get("task")
            if task is None:
                return done
            self.post(f"work/{task.pk}", {"token": f"{task.pk}", **answers(task)})
            done += 1


def passed(task: Any) -> dict[str, Any]:
    """A pass with every point ticked."""
    if task.batch.kind == Batch.Kind.EQUIVALENCE:
        return {"decision": "pass", "points": POINTS}
    step = next(step for step in task.batch.project.settings["steps"] if step["name"] == task.step)
    return {"decision": "pass", "checklist": [point["code"] for point in step["checklist"]]}


def state(code: str) -> str:
    return Item.objects.get(code=code).state


def invited(owner: Player) -> dict[str, Player]:
    players = {}
    for name, roles in TEAM.items():
        page = owner.post("people/invite", {"name": name, "roles": roles, "languages": "zh-Hans"})
        players[name] = Player(page.context["new"]["address"])
    return players


def uploaded(owner: Player, lin: Player, zhao: Player, open_as: Any) -> list[Asset]:
    """A source with its consent, and pictures of two authors, the first through the browser."""
    consent = SimpleUploadedFile("consent.pdf", b"%PDF-1.4 signed")
    owner.post("sources/new", {"title": "Field", "licence": "own", "rights_holder": "Troupe", "consent": consent})
    source = Project.objects.get().sources.get()
    page = open_as(lin.user, f"{HOME}/assets")
    page.locator("select[name=source]").first.select_option(str(source.pk))
    page.set_input_files("#files", [{"name": "净.png", "mimeType": "image/png", "buffer": drawn(900)}])
    page.locator("#uploads li:not(.refused)", has_text="净.png").locator("a").wait_for()
    for at in range(7):
        file = SimpleUploadedFile(f"still-{at}.png", drawn(901 + at), content_type="image/png")
        (lin if at % 2 else zhao).post("assets/upload", {"file": file, "source": source.pk})
    return list(Asset.objects.order_by("pk"))


def screened(owner: Player, players: dict[str, Player], unfit: Asset) -> None:
    """Everyone votes on what is not theirs; one picture is voted out."""
    owner.post("screening", {"name": "First", "votes": 2, "rule": "majority"})
    batch = Batch.objects.get(kind=Batch.Kind.SCREEN)
    for name in ("guo", "qin", "he", "lin", "zhao"):
        while task := players[name].get(f"screening/{batch.pk}/vote").context["assignment"]:
            against = {"decision": "exclude", "note": "Backstage."}
            told = against if task.asset == unfit else {"decision": "include"}
            players[name].post(f"screening/{batch.pk}/vote", {"assignment": task.pk, "key": f"{task.pk}", **told})
    assert set(Asset.objects.exclude(pk=unfit.pk).values_list("state", flat=True)) == {"selected"}
    unfit.refresh_from_db()
    assert unfit.state == "rejected"


def written_by_hand(lin: Player, picture: Asset, open_as: Any) -> None:
    """The first item: pasted, completed, with its picture chosen, saved and submitted, all in Chromium."""
    page = open_as(lin.user, f"{HOME}/items/new")
    page.locator("[name='stem_zh-Hans']").click()
    page.evaluate(PASTE, "1. 图中是哪个行当？\nA. 生\nB. 旦\nC. 净\nD. 丑\n答案：C")
    expect(page.locator("[name='option_3_zh-Hans']")).to_have_value("丑")
    page.locator("[name=stem_en]").fill("Which role type is shown?")
    for at, text in enumerate(("Sheng", "Dan", "Jing", "Chou")):
        page.locator(f"[name=option_{at}_en]").fill(text)
    page.locator("[name=genre]").select_option(index=1)
    page.locator("[name=question_type]").select_option(index=3)
    page.locator("[name=difficulty]").select_option(index=1)
    for at in (0, 1, 3):
        page.locator(f"[name=strategy_{at}]").select_option(index=1 + at % 3)
    page.get_by_role("button", name="Choose").first.click()
    page.locator(f"[data-value='{picture.pk}']").click()
    kept(page)
    page.get_by_role("button", name="Save and submit for review").click()
    page.wait_for_url("**/items/*")
    expect(page.locator("main")).to_contain_text("0001 is submitted for review")
    made = Item.objects.get(code="0001")
    assert (made.state, made.image, made.current.content.key) == ("in_review", picture, 2)


def form_of(at: int, picture: Asset, **changes: Any) -> dict[str, Any]:
    """The editor's form, filled in: question `at`."""
    project = Project.objects.get()
    body = content(at % 4, stem=STEMS[at])
    told = {"token": f"t{at}", "base_version": 0, "base_revision": 0, "original_language": ("zh-Hans", "en")[at % 2]}
    told |= {"count": 4, "key": at % 4, "locator_seq": at + 2, "suggested_seq": 0, "image": picture.pk}
    told |= {"stem_zh-Hans": STEMS[at], "stem_en": f"Question {at + 2}?", "then": "submit"}
    for index, option in enumerate(body.options):
        told |= {f"option_{index}_{tag}": f"{text}{at}" for tag, text in option.text.items()}
        told[f"strategy_{index}"] = "" if index == at % 4 else project.terms.filter(kind="strategy")[index % 3].code
    for kind in ("genre", "question_type", "difficulty"):
        told[kind] = project.terms.filter(kind=kind)[at % 2].pk
    return {**told, **changes}


def saved_at_once(lin: Player, owner: Player, open_as: Any) -> None:
    """Two people have the same item open and save it: the second sees both, and nothing is lost."""
    made = Item.objects.get(code="0002")
    path = f"{HOME}/items/{made.pk}/edit"
    first, second = open_as(lin.user, path), open_as(owner.user, path)
    first.locator("[name=stem_en]").fill("What is his role?")
    second.locator("[name=option_0_en]").fill("Sheng, the male role")
    for page in (first, second):
        page.locator("[name=reason]").fill("Clearer.")
    first.get_by_role("button", name="Save", exact=True).click()
    first.wait_for_url(f"**/items/{made.pk}")
    second.get_by_role("button", name="Save", exact=True).click()
    expect(second.get_by_role("alert")).to_contain_text("saved this item while you were writing")
    made.refresh_from_db()
    assert made.current.content.options[0].text["en"] != "Sheng, the male role"
    expect(second.locator("[name=stem_en]")).to_have_value("What is his role?")
    second.get_by_role("button", name="Save", exact=True).click()
    second.wait_for_url(f"**/items/{made.pk}")
    made.refresh_from_db()
    both = (made.current.content.stem["en"], made.current.content.options[0].text["en"])
    assert both == ("What is his role?", "Sheng, the male role")


def reviewed(owner: Player, players: dict[str, Player]) -> None:
    """Three rounds of experts, language and format; one item goes back to its author and comes again."""
    owner.post("rounds/new/equivalence", {"name": "Languages", "people": 1, "joins": "on", "idle_hours": 12})
    owner.post("rounds/new/review", {"name": "Review", "people": 1, "joins": "on", "idle_hours": 12})
    languages, review = Batch.objects.get(name="Languages"), Batch.objects.get(name="Review")
    assert players["bai"].work(languages, passed) == Item.objects.filter(state="in_review").count()
    sent_back = []

    def first_doubts(task: Any) -> dict[str, Any]:
        if task.item.code == "0003" and not sent_back:
            sent_back.append(task.pk)
            return {"decision": "change", "note": "Say which hand."}
        return passed(task)

    rounds = 0
    while sum(players[name].work(review, first_doubts) for name in ("guo", "qin", "bai", "he")):
        rounds += 1
        if state("0003") == "revise":
            players["zhao"].get("work")
            made = Item.objects.get(code="0003")
            told = form_of(
                1, made.image, base_version=made.version, base_revision=1, reason="Which hand.", base_columns="{}"
            )
            players["zhao"].post(f"items/{made.pk}/edit", {**told, "stem_en": "Who is it, sword in the left hand?"})
            players["bai"].work(languages, passed)
        assert rounds < 20
    assert set(Item.objects.values_list("state", flat=True)) == {"accepted"}
    assert sent_back
    experts = [a.user.get_username() for a in review.assignments.filter(item__code="0002", step="expert", state="done")]
    assert sorted(set(experts)) == ["guo", "qin"]


def reannotated(owner: Player, players: dict[str, Player]) -> None:
    """All items blind; two mismatches: one key is kept with everyone's agreement, one item is excluded and replaced."""
    owner.post("rounds/new/reannotate", {"name": "Blind", "share": 100, "seed": 5, "people": 1, "idle_hours": 12})
    batch = Batch.objects.get(name="Blind")

    def seen(task: Any) -> dict[str, Any]:
        key = Item.objects.get(pk=task.item_id).current.content.key
        assert key is not None
        choice = (key + 1) % 4 if task.item.code in {"0004", "0005"} else key
        return {"choice": choice, **SURE}

    assert players["xu"].work(batch, seen) == len(batch.targets)
    owner.post(f"rounds/{batch.pk}/close")
    assert sorted(d.item.code for d in Dispute.objects.all()) == ["0004", "0005"]
    assert "kappa" in owner.get(f"rounds/{batch.pk}").content.decode().lower()
    tang, terms = players["tang"], Project.objects.get().terms
    for dispute in Dispute.objects.select_related("item"):
        ruling = {
            "category": terms.filter(kind="dispute_category")[0].pk,
            "evidence": terms.filter(kind="evidence")[0].pk,
        }
        if dispute.item.code == "0004":
            ruling |= {"decision": "keep", "agreed": dispute.participants, "note": "The beard tells."}
        else:
            ruling |= {"decision": "exclude", "reason": terms.filter(kind="exclusion_reason")[0].pk, "note": "Blurred."}
        tang.post(f"disputes/{dispute.pk}", ruling)
    assert (state("0004"), state("0005")) == ("accepted", "excluded")
    assert not Item.objects.get(code="0007").reserve  # promoted


def rated(owner: Player, players: dict[str, Player]) -> None:
    owner.post("rounds/new/rate", {"name": "Ratings", "seed": 5, "people": 2, "idle_hours": 12})
    batch = Batch.objects.get(name="Ratings")
    for name in ("xu", "yu"):
        assert players[name].work(batch, lambda _task: RATED) == len(batch.targets)
    owner.post(f"rounds/{batch.pk}/close")
    assert Dispute.objects.filter(decision="").count() == 0


def sat(owner: Player, browser: Any, live_server: Any) -> None:
    """Two people by invite link: one with the keys of a browser, one with plain forms."""
    owner.post("sittings", {"name": "Baseline", "size": 4, "seed": 3})
    batch = Batch.objects.get(kind=Batch.Kind.BASELINE)
    links = [
        address
        for _who, address in owner.post(f"sittings/{batch.pk}/invite", {"group": "expert", "number": 2}).context[
            "links"
        ]
    ]
    with closing(browser.new_context(base_url=live_server.url, locale="en-GB")) as window:
        page = window.new_page()
        page.goto("/enter/" + links[0].rpartition("/")[2])
        page.locator("main button").click()
        page.locator("[name=agree]").check()
        page.get_by_role("button", name="Begin").click()
        for number in range(1, 5):
            expect(page.locator("#sitting")).to_contain_text(f"Question {number} of 4")
            page.keyboard.press("1")
            expect(page.locator("[name=answer]:checked")).to_have_value("A")
            page.keyboard.press("Enter")
        expect(page.locator("#sitting")).to_contain_text("Thank you")
    guest = Player("/enter/" + links[1].rpartition("/")[2])
    guest.post(f"sittings/{batch.pk}/consent", {"agree": "yes", "language": "en"})
    for item_pk in batch.targets:
        asked = guest.get(f"sittings/{batch.pk}").context["assignment"]
        key = Item.objects.get(pk=item_pk).current.content.key
        guest.post(f"sittings/{batch.pk}/answer", {"assignment": asked.pk, "answer": "ABCD"[key or 0]})
    shown = owner.get(f"sittings/{batch.pk}/results").content.decode()
    assert "4 / 4" in shown
    assert "100.0" in shown
    owner.post(f"sittings/{batch.pk}/close")


def released(owner: Player, folder: Path) -> Path:
    """The release that the owner downloads, unpacked."""
    page = owner.post("releases/new")
    path = page.redirect_chain[-1][0].removeprefix(f"{HOME}/")
    config = {name: value for name, value in CONFIG.items() if name != "canary"}
    owner.post(path, {**config, "then": "build"})
    made = Release.objects.get()
    assert made.state == "built", owner.get(path).content.decode()
    owner.post(f"{path}/out")
    with zipfile.ZipFile(io.BytesIO(b"".join(owner.get(f"{path}/zip").streaming_content))) as archive:
        archive.extractall(folder)
    return next(folder.rglob("croissant.json")).parent


def test_ten_people_build_a_benchmark_that_is_what_they_accepted(
    open_as: Any, browser: Any, live_server: Any, tmp_path: Path
) -> None:
    owner = Player(f"/enter/{first_link()}")
    owner.client.post("/new-project", {"title": "Opera", "slug": "opera", "profile": "tco"})
    players = invited(owner)
    pictures = uploaded(owner, players["lin"], players["zhao"], open_as)
    assert len(pictures) == 8
    screened(owner, players, pictures[7])
    written_by_hand(players["lin"], pictures[0], open_as)
    for at in range(6):
        reserve = {"reserve": "on"} if at == 5 else {}
        players["lin" if at == 0 else "zhao"].post(
            "items/new?draft=d" + str(at), form_of(at, pictures[at + 1], **reserve)
        )
    assert list(Item.objects.values_list("code", "state")) == [(f"{n:04}", "in_review") for n in range(1, 8)]
    saved_at_once(players["lin"], owner, open_as)
    reviewed(owner, players)
    reannotated(owner, players)
    rated(owner, players)
    sat(owner, browser, live_server)
    accepted = [item_of(i, i.current) for i in Item.objects.filter(state="accepted").order_by("code") if i.current]
    assert [item.id for item in accepted] == ["0001", "0002", "0003", "0004", "0006", "0007"]
    folder = released(owner, tmp_path / "download")
    back = keju.load(folder)
    assert [item.id for item in back] == [item.id for item in accepted]
    for one, other in zip(back, accepted, strict=True):
        assert (one.wordings, one.answer, dict(one.labels)) == (other.wordings, other.answer, dict(other.labels))
        assert [medium.sha256 for medium in one.media] == [medium.sha256 for medium in other.media]
    assert set(Item.objects.exclude(code="0005").values_list("state", flat=True)) == {"released"}
    command = [sys.executable, "-m", "keju", "run", folder, "-m", "baseline/random", "-o", tmp_path / "runs"]
    run = subprocess.run(command, check=False, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    records = next((tmp_path / "runs").rglob("records.jsonl")).read_text(encoding="utf-8").splitlines()
    assert sorted(json.loads(line)["id"] for line in records) == [item.id for item in accepted]
    assert first_broken(Project.objects.get()) is None
    assert Event.objects.count() > 100
