"""Benchmarks and runs taken in: what is kept, what is said, that nothing comes twice, and that nobody gets out."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from tests.studio import building

import keju
from keju.studio import importer, incoming, model_marks
from keju.studio.benchmarks import item_of
from keju.studio.intake import Refused
from keju.studio.models import Asset, Item, ModelMark, Project, Revision, Role, Term


@pytest.fixture
def home() -> Project:
    return building.project("custom", languages=["zh-Hans"])


@pytest.fixture
def teahouse() -> keju.Benchmark:
    """A few items of the demo, of both media."""
    whole = keju.load("teahouse")
    ids = [item.id for item in whole if item.modality == "image"][:3]
    ids += [item.id for item in whole if item.modality == "audio"][:2]
    return whole.select(ids=ids)


def zipped(files: dict[str, bytes], name: str = "set.zip") -> SimpleUploadedFile:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return SimpleUploadedFile(name, buffer.getvalue())


def test_an_imported_item_says_what_the_benchmark_says(home: Project, owner: User, teahouse: keju.Benchmark) -> None:
    report = importer.take(home, owner, teahouse)
    assert report.new == [item.id for item in teahouse]
    for question in teahouse:
        item = Item.objects.select_related("current__image", "current__audio").get(code=question.id)
        assert item.current is not None
        back = item_of(item, item.current)
        assert back.answer == question.answer
        assert {tag: (w.question, dict(w.options)) for tag, w in back.wordings.items()} == {
            tag: (w.question, dict(w.options)) for tag, w in question.wordings.items()
        }
        assert [medium.sha256 for medium in back.media] == [medium.sha256 for medium in question.media]
        assert back.labels.get("genre", "").casefold() == question.labels.get("genre", "").casefold()
        assert item.state == "draft"


def test_languages_and_words_that_were_not_here_are_added(home: Project, owner: User, teahouse: keju.Benchmark) -> None:
    importer.take(home, owner, teahouse)
    home.refresh_from_db()
    assert set(home.languages) == {"zh-Hans", *(tag for item in teahouse for tag in item.wordings)}
    assert Term.objects.filter(project=home, kind="genre").count() >= 2


def test_a_second_import_makes_nothing_twice(home: Project, owner: User, teahouse: keju.Benchmark) -> None:
    importer.take(home, owner, teahouse)
    before = [Item.objects.count(), Asset.objects.count(), Revision.objects.count(), Term.objects.count()]
    report = importer.take(home, owner, teahouse)
    assert (report.new, report.changed, report.same, report.media) == ([], [], len(teahouse), 0)
    assert [Item.objects.count(), Asset.objects.count(), Revision.objects.count(), Term.objects.count()] == before


def test_a_draft_that_differs_is_revised_and_an_accepted_item_is_left_alone(
    home: Project, owner: User, teahouse: keju.Benchmark
) -> None:
    importer.take(home, owner, teahouse)
    first, second = (Item.objects.get(code=item.id) for item in teahouse.items[:2])
    second.state = Item.State.ACCEPTED
    second.save()
    other_key = {item.id: next(label for label in item.options if label != item.answer) for item in teahouse}
    changed = replace(teahouse, items=tuple(replace(item, answer=other_key[item.id]) for item in teahouse))
    report = importer.take(home, owner, changed)
    assert report.changed == [item.id for item in teahouse if item.id != second.code]
    assert [(trouble.item, "accepted" in trouble.message) for trouble in report.troubles if trouble.item] == [
        (second.code, True)
    ]
    first.refresh_from_db()
    second.refresh_from_db()
    assert first.revisions.count() == 2
    assert second.revisions.count() == 1


def test_what_was_written_here_survives_an_import(home: Project, owner: User, teahouse: keju.Benchmark) -> None:
    importer.take(home, owner, teahouse)
    item = Item.objects.select_related("current").get(code=teahouse.items[0].id)
    assert item.current is not None
    content = item.current.content
    distractor = next(i for i in range(len(content.options)) if i != content.key)
    content.options[distractor].strategy, content.rationale = "semantic", {"en": "Look at the sleeves."}
    from keju.studio.saving import Edit, save

    save(item, owner, Edit(content, item.image, item.audio), base_version=item.version)
    assert importer.take(home, owner, teahouse).same == len(teahouse)


def test_a_missing_picture_is_listed_and_its_item_waits_for_it(
    home: Project, owner: User, teahouse: keju.Benchmark
) -> None:
    whole = teahouse.items[0]
    gone = replace(whole, media=(replace(whole.media[0], path=Path("gone.png")),))
    report = importer.take(home, owner, replace(teahouse, items=(gone, *teahouse.items[1:])))
    assert [trouble.item for trouble in report.troubles if trouble.item] == [whole.id]
    assert Item.objects.get(code=whole.id).image is None
    assert importer.take(home, owner, teahouse).changed == [whole.id]
    assert Item.objects.get(code=whole.id).image is not None
    assert importer.take(home, owner, replace(teahouse, items=(gone,))).same == 1
    assert Item.objects.get(code=whole.id).image is not None


def test_an_item_with_more_options_than_the_studio_takes_is_left_out(
    home: Project, owner: User, teahouse: keju.Benchmark
) -> None:
    whole = teahouse.items[0]
    many = replace(whole.wording, options={label: label for label in "ABCDEFG"}, as_written=())
    report = importer.take(home, owner, replace(teahouse, items=(replace(whole, wordings={"en": many}),)))
    assert [trouble.item for trouble in report.troubles if trouble.item] == [whole.id]
    assert not Item.objects.exists()


@pytest.mark.parametrize("layout", ["tco", "multi-tw", "jsonl"])
def test_every_layout_comes_in_as_a_zip(
    home: Project, owner: User, teahouse: keju.Benchmark, tmp_path: Path, layout: str
) -> None:
    fitting = teahouse.select(where={"modality": "image" if layout == "tco" else "audio"})
    keju.convert(fitting, layout, tmp_path / "set")
    files = {f"set/{p.relative_to(tmp_path / 'set').as_posix()}": p.read_bytes()
             for p in (tmp_path / "set").rglob("*") if p.is_file()}  # fmt: skip
    browser = building.client_of(owner)
    address = f"/projects/{home.slug}/import"
    sent = {"what": "benchmark", "file": zipped({**files, "__MACOSX/x": b"rubbish"})}
    page = browser.post(address, sent, follow=True)
    assert page.context["job"].report.get("new") == len(fitting), page.context["job"].report
    assert list(Item.objects.values_list("code", flat=True)) == sorted(item.id for item in fitting)


def test_a_table_of_questions_comes_in_as_one_file(home: Project, owner: User) -> None:
    table = "id,question,A,B,C,D,answer\nq1,这是什么行当？,生,旦,净,丑,B\n".encode()
    browser = building.client_of(owner)
    upload = SimpleUploadedFile("questions.csv", table)
    page = browser.post(f"/projects/{home.slug}/import", {"what": "benchmark", "file": upload}, follow=True)
    assert page.context["job"].report["new"] == 1
    assert Item.objects.get().current.content.key == 1  # type: ignore[union-attr]


def test_the_demo_and_the_servers_folder_are_offered_and_nothing_beside(
    home: Project, owner: User, settings, tmp_path: Path
) -> None:
    folder = Path(settings.IMPORT_FOLDER)
    folder.mkdir()
    (folder / "set").mkdir()
    (folder / "way-out").symlink_to(tmp_path)
    assert incoming.offered() == ["set", "way-out", "teahouse"]
    assert incoming.place_of("set") == str(folder / "set")
    for name in ("way-out", "../incoming", "/etc/passwd", "nothing"):
        with pytest.raises(Refused):
            incoming.place_of(name)
    browser = building.client_of(owner)
    page = browser.post(f"/projects/{home.slug}/import", {"what": "benchmark", "name": "/etc"})
    assert page.status_code == 422


def test_a_zip_cannot_write_outside_or_blow_up(tmp_path: Path) -> None:
    for upload, refusal in (
        (zipped({"../../evil.md": b"x"}), "leads outside"),
        (zipped({"zeros": b"\0" * 2**28}), "far more"),
        (SimpleUploadedFile("a.zip", b"no zip"), "damaged"),
    ):
        with pytest.raises(Refused, match=refusal), incoming.unpacked(incoming.kept(upload, tmp_path / "here")):
            pass


def test_an_upload_is_kept_by_its_own_name_in_its_own_folder(tmp_path: Path) -> None:
    for name in ("题" * 120 + ".csv", "../../outside.csv", "a\\b.csv"):
        kept = incoming.kept(SimpleUploadedFile(name, b"x"), tmp_path / "here")
        assert kept.parent == tmp_path / "here"
        assert kept.read_bytes() == b"x"
        assert kept.suffix == ".csv"


def test_names_of_a_chinese_windows_are_read(tmp_path: Path) -> None:
    upload = zipped({"set/xx.md": b"x", "set/b.md": b"y"})
    upload.seek(0)
    data = upload.read().replace(b"set/xx.md", b"set/" + "题".encode("gbk") + b".md")
    with incoming.unpacked(incoming.kept(SimpleUploadedFile("a.zip", data), tmp_path)) as folder:
        assert sorted(path.name for path in folder.iterdir()) == ["b.md", "题.md"]


def test_nonsense_is_refused_with_the_reason(home: Project, owner: User) -> None:
    browser = building.client_of(owner)
    address = f"/projects/{home.slug}/import"
    assert browser.post(address, {"what": "benchmark"}).status_code == 422
    page = browser.post(address, {"what": "benchmark", "file": SimpleUploadedFile("a.json", b"{}")}, follow=True)
    assert page.context["job"].state == "failed"
    assert "a.json" in page.content.decode()
    assert building.client_of(building.person(home, Role.AUTHOR)).get(address).status_code == 403


def test_runs_show_which_items_no_model_answers(
    home: Project, owner: User, teahouse: keju.Benchmark, tmp_path: Path
) -> None:
    importer.take(home, owner, teahouse)
    for model in ("baseline/always-a", "baseline/always-b", "baseline/random"):
        keju.run(teahouse, model, out=tmp_path / "runs")
    report = model_marks.take_runs(home, owner, tmp_path / "runs")
    assert len(report.runs) == 3
    assert ModelMark.objects.count() == 3 * len(teahouse)
    marks = {mark.run.model: mark for mark in ModelMark.objects.filter(item__code=teahouse.items[0].id)}
    labels = list(teahouse.items[0].options)
    assert marks["baseline/always-a"].label == labels[0]
    assert marks["baseline/always-a"].correct == (teahouse.items[0].answer == labels[0])
    found = model_marks.tried(home)
    assert [one.right for one in found] == sorted(one.right for one in found)
    model_marks.take_runs(home, owner, tmp_path / "runs")
    assert ModelMark.objects.count() == 3 * len(teahouse)
    browser = building.client_of(owner)
    assert "baseline/always-a" in browser.get(f"/projects/{home.slug}/models").content.decode()
    page = browser.get(f"/projects/{home.slug}/items/{found[0].pk}").content.decode()
    assert "baseline/always-b" in page
    forgotten = report.runs[0].pk
    browser.post(f"/projects/{home.slug}/models/{forgotten}/forget")
    assert len({mark.run_id for mark in ModelMark.objects.all()}) == 2


def test_a_run_over_other_questions_is_told_and_marks_nothing(
    home: Project, owner: User, teahouse: keju.Benchmark, tmp_path: Path
) -> None:
    building.item(home, owner)
    keju.run(teahouse, "baseline/always-a", out=tmp_path / "runs")
    report = model_marks.take_runs(home, owner, tmp_path / "runs")
    assert report.runs == []
    assert "answered no item of this project" in report.troubles[-1].message
