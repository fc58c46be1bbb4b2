"""`--fix`: only what has one right repair, whole or not at all, nothing lost, and a second time nothing to do."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from formats.exam_folders import contents, lay, md, metadata, png, tco_item
from keju.benchmark import Benchmark
from keju.checks import mending
from keju.checks.mending import mend
from keju.checks.repairs import planned
from keju.errors import BadFile, Misuse, Refused
from keju.formats import load

JPEG = b"\xff\xd8\xff\xe0" + b"\0" * 40
MP3 = b"ID3\x04" + b"\0" * 40
TRADITIONAL = {"A": "京劇", "B": "黃梅戲", "C": "越劇", "D": "川劇"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A TCO folder with everything that can be repaired, and one clean item (0009)."""
    root = tmp_path / "opera"
    for stem in ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008", "0009"):
        tco_item(root, stem)
        lay(root, {f"{stem}.txt": "C\n"})
    lay(root, {"0001.wav": MP3, "0001.json": json.dumps(metadata("0001", "C") | {"audio": "0001.wav"})})
    lay(root, {"0002.md": md().encode("gb18030")})
    lay(root, {"0003.md": b"\xef\xbb\xbf" + md().encode(), "0003.txt": b"\xef\xbb\xbfC\n"})
    lay(root, {"0004.md": md("圖中角色屬於哪個劇種？", TRADITIONAL).encode("cp950")})
    lay(root, {"0004.json": json.dumps(metadata("0004", "C", "圖中角色屬於哪個劇種？", options=TRADITIONAL))})
    lay(root, {"0005.md": md().encode("utf-16")})
    lay(root, {"0006.md": md().replace("\n", "\r\n"), "0006.txt": "c\r\n", "0006.json": _answered("0006", "c")})
    lay(root, {"0007.md": md("图中\u200b角色属于哪个行当？"), "0007.txt": "（C）"})
    lay(root, {"0008.md": md().replace("\n", " \t\n") + "\n\n"})
    for name in ("0009.json", "0008.txt", "0007.txt"):
        (root / name).rename(root / name.replace("0", "０"))
    (root / "0001.json").rename(root / "０００１.json")
    lay(root, {"Thumbs.db": b"x", ".DS_Store": b"x", "._0001.png": b"x", "desktop.ini": b"x", ".git/config": b"x"})
    return root


def _answered(stem: str, answer: str) -> str:
    return json.dumps(metadata(stem, answer), ensure_ascii=False, indent=4)


def _meaning(benchmark: Benchmark) -> list[object]:
    return [(item.id, item.wording.question, dict(item.options), item.answer) for item in benchmark]


def test_every_kind_is_repaired_and_nothing_is_left_to_say(folder: Path) -> None:
    before = load(folder)
    mended = mend(before)
    after = load(mended.place)
    assert _meaning(after) == _meaning(before)
    assert after.problems == ()
    assert (folder / "0001.mp3").read_bytes() == MP3
    assert json.loads((folder / "0001.json").read_bytes())["audio"] == "0001.mp3"
    assert [medium.name for medium in after["0001"].media] == ["0001.png", "0001.mp3"]
    for stem in ("0002", "0003", "0005", "0006", "0007", "0008", "0009"):
        assert (folder / f"{stem}.md").read_bytes() == md().encode(), stem
        assert (folder / f"{stem}.txt").read_bytes() == b"C\n", stem
    assert json.loads((folder / "0006.json").read_bytes())["answer"] == "C"
    assert "黃梅戲" in (folder / "0004.md").read_text(encoding="utf-8")
    gone = ("0001.wav", "Thumbs.db", ".DS_Store", "._0001.png", "desktop.ini")
    assert not [name for name in gone if (folder / name).exists()]
    assert (folder / ".git" / "config").exists()


def test_each_repair_says_in_both_languages_what_was_done(folder: Path) -> None:
    said = {repair.file: repair.what for repair in mend(load(folder)).repairs}
    assert said["0001.wav"] == "renamed to 0001.mp3, because its content is MPEG"
    assert said["0001.wav"].zh == "改名为 0001.mp3，因为内容是 MPEG"
    assert said["0002.md"] == "saved as UTF-8 (it was gb18030)"
    assert said["0006.md"] == "line ends made LF"
    assert said["0006.txt"] == "line ends made LF, answer written as a capital letter alone"
    assert said["0007.md"].zh == "去掉不可见字符"
    assert said["０００9.json"] == "renamed to 0009.json, as its item is called"
    assert said["０００7.txt"].zh == "答案改为单个大写字母、改名为 0007.txt，与题号一致"
    assert not any(file.startswith("0009") for file in said)


def test_a_second_time_there_is_nothing_to_do_and_nothing_changes(folder: Path) -> None:
    mend(load(folder))
    before = contents(folder.parent)
    again = mend(load(folder))
    assert again.repairs == ()
    assert again.backup is None
    assert contents(folder.parent) == before


def test_the_backup_holds_the_originals_of_all_that_changed(folder: Path) -> None:
    before = contents(folder)
    mended = mend(load(folder))
    assert mended.backup == folder.with_name("opera.before-fix")
    kept = contents(mended.backup)
    assert kept
    assert kept.items() <= before.items()
    unchanged = {name: data for name, data in contents(folder).items() if before.get(name) == data}
    assert kept.keys() | unchanged.keys() == before.keys()


def test_a_copy_is_repaired_and_the_original_stays_as_it_was(folder: Path, tmp_path: Path) -> None:
    before = contents(folder)
    mended = mend(load(folder), into=tmp_path / "clean")
    assert contents(folder) == before
    assert mended.backup is None
    assert load(tmp_path / "clean").problems == ()
    with pytest.raises(BadFile, match="not empty"):
        mend(load(folder), into=tmp_path / "clean")
    with pytest.raises(Misuse, match="beside it"):
        mend(load(folder), into=folder / "clean")


@pytest.mark.parametrize("step", range(1, 40, 3))
def test_a_crash_at_any_step_loses_nothing_and_the_next_time_finishes(
    folder: Path, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, meaning = contents(folder), _meaning(load(folder))
    steps = iter(range(1, step + 1))

    class PowerCut(BaseException):
        pass

    def cut(real):  # type: ignore[no-untyped-def]
        def call(*arguments, **options):  # type: ignore[no-untyped-def]
            if next(steps, None) is None:
                raise PowerCut
            return real(*arguments, **options)

        return call

    with monkeypatch.context() as patched:
        for owner, name in ((shutil, "copy2"), (Path, "replace"), (Path, "unlink")):
            patched.setattr(owner, name, cut(getattr(owner, name)))
        try:
            mend(load(folder))
        except PowerCut:
            there = {**contents(folder), **contents(folder.with_name("opera.before-fix"))}
            assert {name: there.get(name) for name in before} == before
    mend(load(folder))
    assert _meaning(load(folder)) == meaning
    assert load(folder).problems == ()


def test_an_item_that_would_read_differently_puts_everything_back(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(folder.parent)
    monkeypatch.setattr(mending, "_changed", lambda *_: "0004")
    with pytest.raises(Refused, match="0004"):
        mend(load(folder))
    assert contents(folder.parent) == before


@pytest.mark.parametrize(
    ("files", "file"),
    [
        ({"０００１.json": "{}"}, "０００１.json"),  # it is not what 0001.json says
        ({"0001.txt": "AB"}, "0001.txt"),  # which of the two?
        ({"0001.txt": "E"}, "0001.txt"),
        ({"0001.md": b"\xcb\xab"}, "0001.md"),  # two encodings fit, or none
        ({"0001.png": JPEG}, "0001.png"),  # to rename breaks the layout, to export changes the bytes
        ({"0001.wav": MP3, "0001.mp3": MP3 + b"another"}, "0001.wav"),
        ({"notes.txt": "draft \r\n"}, "notes.txt"),  # no item's
        ({"README.md": "# Opera  \r\nText"}, "README.md"),  # two blanks break a line in Markdown
        ({"0001.png": b"nobody knows"}, "0001.png"),
    ],
)
def test_what_has_more_than_one_right_repair_is_left_alone(
    tmp_path: Path, files: dict[str, str | bytes], file: str
) -> None:
    for stem in ("0001", "0002"):
        tco_item(tmp_path / "opera", stem, "C")
    lay(tmp_path / "opera", files)
    assert [repair for repair in planned(load(tmp_path / "opera")) if repair.file == file] == []


def test_in_a_multi_tw_list_only_what_is_wrong_changes(tmp_path: Path) -> None:
    row = {
        "id": "01-R-A-P1-001", "image": "images\\a.png", "audio": None, "instruction": "請選出正確的答案。",
        "question": "圖\u200b中是誰？ a.png", "options": ["（A）甲", "（B）乙", "（C）丙"], "answer": "b",
        "mine": [1, 2],
    }  # fmt: skip
    text = json.dumps([row], ensure_ascii=False, indent=3).replace("\n", "\r\n")
    root = lay(tmp_path / "tw", {"items.json": "\ufeff" + text, "images/a.png": JPEG, "package.json": "{}\r\n"})
    mend(load(root))
    expected = {**row, "image": "images/a.jpg", "question": "圖中是誰？ a.png", "answer": "B"}
    assert (root / "items.json").read_text(encoding="utf-8") == json.dumps([expected], ensure_ascii=False, indent=3)
    assert (root / "images" / "a.jpg").exists()
    assert (root / "package.json").read_bytes() == b"{}\r\n"
    assert load(root)["01-R-A-P1-001"].media[0].exists


def test_a_sheet_refers_to_its_renamed_pictures(tmp_path: Path) -> None:
    sheet = '题号,题目,A,B,答案,图片\n1,"问 a.png, 谁？",甲,乙,A,a.png\n2,问,甲,乙,B,a.png;b.png\n'
    root = lay(tmp_path, {"题目.csv": sheet, "a.png": JPEG, "b.png": png()})
    mended = mend(load(root / "题目.csv"))
    assert (root / "题目.csv").read_text(encoding="utf-8").count("a.jpg") == 2
    assert '"问 a.png, 谁？"' in (root / "题目.csv").read_text(encoding="utf-8")
    assert mended.backup == root / "题目.csv.before-fix"
    assert all(medium.exists for item in load(root / "题目.csv") for medium in item.media)


def test_a_sheet_is_copied_with_its_own_media_only(tmp_path: Path) -> None:
    sheet = "题号,题目,A,B,答案,图片\n1,问,甲,乙,A,a.png\n"
    root = lay(tmp_path / "desk", {"题目.csv": sheet, "images/a.png": JPEG, "diary.txt": "mine"})
    mended = mend(load(root / "题目.csv"), into=tmp_path / "clean")
    assert mended.place == tmp_path / "clean" / "题目.csv"
    assert sorted(contents(tmp_path / "clean")) == ["images/a.jpg", "题目.csv"]


def test_the_neutral_form_keeps_its_lines(tmp_path: Path) -> None:
    from keju.formats import write

    root = lay(tmp_path / "made", {"0001.md": md(), "0001.txt": "C\n", "0001.png": JPEG})
    write(load(root), tmp_path / "own", "jsonl")
    before = (tmp_path / "own" / "items.jsonl").read_text(encoding="utf-8")
    mend(load(tmp_path / "own"))
    after = (tmp_path / "own" / "items.jsonl").read_text(encoding="utf-8")
    assert after == before.replace("0001.png", "0001.jpg")
    assert load(tmp_path / "own")["0001"].media[0].exists


def test_links_out_of_the_folder_are_neither_renamed_nor_copied(tmp_path: Path) -> None:
    outside = tmp_path / "secret.png"
    outside.write_bytes(JPEG)
    tco_item(tmp_path / "opera", "0001")
    (tmp_path / "opera" / "0001.png").unlink()
    (tmp_path / "opera" / "0001.png").symlink_to(outside)
    assert planned(load(tmp_path / "opera")) == []
    mend(load(tmp_path / "opera"), into=tmp_path / "clean")
    assert "0001.png" not in contents(tmp_path / "clean")


def test_what_came_with_keju_or_from_a_hub_is_not_changed_in_place(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="--into"):
        mend(load("teahouse"))
    assert load(mend(load("teahouse"), into=tmp_path / "mine").place).fingerprint == load("teahouse").fingerprint
    with pytest.raises(Misuse, match="no folder"):
        mend(Benchmark("made", ()))


@pytest.mark.shared
@pytest.mark.parametrize(
    "name", ["cmmlu_dev_arts.gb18030.csv", "cmmlu_dev_arts.utf16.csv", "cmmlu_dev_arts.utf8bom.csv",
             "multi-tw_first20.big5.jsonl"],
)  # fmt: skip
def test_real_files_in_other_encodings_say_the_same_in_utf8(shared: Path, tmp_path: Path, name: str) -> None:
    folder = shared / "data" / "text-encodings"
    encoding = json.loads((folder / "truth.json").read_bytes())[name]["encoding"]
    shutil.copy(folder / name, tmp_path)
    mend(load(tmp_path / name))
    assert (tmp_path / name).read_bytes().decode("utf-8") == (folder / name).read_bytes().decode(encoding)


@pytest.mark.shared
def test_the_real_jpegs_named_png_get_their_name(shared: Path, tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / "examples" / "gaokao_mm.py"
    command = [sys.executable, str(script), str(shared / "data" / "gaokao-mm"), str(tmp_path / "out")]
    subprocess.run(command, check=True, capture_output=True)
    before = load(tmp_path / "out")
    mended = mend(before)
    after = load(mended.place)
    assert sum(repair.to is not None for repair in mended.repairs) == 15
    assert {medium.mime for item in after for medium in item.media if medium.name.endswith(".png")} == {"image/png"}
    assert _meaning(after) == _meaning(before)
    assert [medium.sha256 for item in after for medium in item.media] == [
        medium.sha256 for item in load(mend(after, into=tmp_path / "copy").place) for medium in item.media
    ]
