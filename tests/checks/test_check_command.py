"""`keju check` as its users see it: lines, sums, exit codes, settings, JSON, repairs, the page."""

from __future__ import annotations

import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from checks.planting import picture
from command_line import Keju, in_process
from formats.exam_folders import lay, md, tco_item
from keju.checks import RULES, Finding
from keju.formats import load
from keju.phrase import Phrase
from keju.reports import thumbnails
from keju.reports.findings_page import MEDIA, MOST, findings_page

keju = pytest.fixture(in_process)
HOSTILE = "<script>alert(1)</script>\"'><img src=http://x onerror=1>"


@pytest.fixture
def opera(tmp_path: Path) -> Path:
    """Three items: a clean one, one with a lower-case key and Windows line ends, one whose key is no option."""
    folder = tmp_path / "opera"
    for number, stem in enumerate(("0001", "0002", "0003")):
        tco_item(folder, stem, question=f"第 {number} 幅图中角色属于哪个行当？")
        (folder / f"{stem}.png").write_bytes(picture(number))
    lay(folder, {"0002.txt": "c\r\n", "0003.txt": "E\n"})
    return folder


def codes(out: str) -> list[str]:
    return re.findall(r"^[^\s:]+(?::\d+)?: ([A-Z]\d{3}) ", out, re.MULTILINE)


def test_a_finding_is_a_place_a_code_what_is_wrong_and_what_to_do(keju: Keju, opera: Path) -> None:
    code, out, err = keju("check", "opera", "--select", "Q2")
    assert code == 1
    assert err == ""
    assert out.splitlines()[:4] == [
        "0002.txt: Q205 warning: the answer 'c' was read as C; write the letter alone",
        f"  {_remedy(opera, 'Q205')}",
        "0003.txt: Q202 error: the answer 'E' is none of the options A, B, C, D",
        f"  {_remedy(opera, 'Q202')}",
    ]


def _remedy(folder: Path, code: str) -> str:
    from keju.checks import check

    return next(finding.remedy for finding in check(load(folder)) if finding.code == code)


def test_the_sums_name_each_code_errors_first(keju: Keju, opera: Path) -> None:
    _, out, _ = keju("check", "opera", "--select", "Q2")
    assert re.search(r"^1  Q202  error    answer-not-an-option .*\n1  Q205  warning  answer-form ", out, re.MULTILINE)
    assert "1 error, 1 warning and 0 notes in 2 items" in out
    assert out.splitlines()[-1] == "1 file can be repaired at once: keju check opera --fix"


def test_where_no_item_can_be_used_every_reason_is_a_finding(keju: Keju, tmp_path: Path) -> None:
    for stem in ("0001", "0002"):
        tco_item(tmp_path / "opera", stem)
    lay(tmp_path / "opera", {"0001.txt": "E", "0002.txt": ""})
    code, out, err = keju("check", "opera", "--ignore", "I")
    assert (code, err) == (1, "")
    assert codes(out) == ["Q202", "Q201"]
    assert "2 errors, 0 warnings and 0 notes in 0 items" in out
    assert keju("check", "opera", "--fix", "--ignore", "I")[0] == 1
    assert "no usable item" in keju("describe", "opera")[2]


def test_an_empty_list_is_no_benchmark(keju: Keju, tmp_path: Path) -> None:
    lay(tmp_path, {"opera.csv": "id,question,A,B,answer\n"})
    code, _, err = keju("check", "opera.csv")
    assert code == 2
    assert "no usable item" in err


def test_a_row_of_labels_that_fits_no_item_is_a_finding_and_stops_other_commands(keju: Keju, opera: Path) -> None:
    lay(opera, {"labels.csv": "id,genre\n0001,昆曲\n1,京剧\n"})
    code, out, _ = keju("check", "opera", "--select", "F405")
    assert code == 1
    assert out.startswith("labels.csv:3: F405 error: no item has the id '1'; 0001 is meant? A spreadsheet has dropped")
    assert keju("describe", "opera")[0] == 2


def test_without_errors_the_exit_code_is_0(keju: Keju, opera: Path) -> None:
    code, out, _ = keju("check", "opera", "--ignore", "Q202,F", "--ignore", "Q205")
    assert code == 0
    assert "0 errors" in out


def test_findings_are_told_in_chinese(keju: Keju, opera: Path) -> None:
    _, out, _ = keju("check", "opera", "--select", "Q205", "--lang", "zh")
    assert out.splitlines()[0].startswith("0002.txt: Q205 警告：")
    assert "共 2 题：错误 0 处，警告 1 处，提示 0 处" in out


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--select", "Q205"], {"Q205"}),
        (["--select", "Q2"], {"Q205", "Q202"}),
        (["--select", "q2", "--ignore", "Q205"], {"Q202"}),
        (["--select", "Q205", "--ignore", "Q"], {"Q205"}),  # the more exact wins
        (["--select", "answer-form"], {"Q205"}),
        (["--select", "Q205,Q202"], {"Q205", "Q202"}),
        (["--select", "A"], set()),
    ],
)
def test_rules_are_chosen_by_code_beginning_or_name(
    keju: Keju, opera: Path, options: list[str], found: set[str]
) -> None:
    assert set(codes(keju("check", "opera", *options)[1])) == found


def test_a_house_rule_of_another_profile_looks_only_where_its_full_code_is_named(keju: Keju, opera: Path) -> None:
    assert "I111" not in codes(keju("check", "opera", "--select", "I")[1])
    assert codes(keju("check", "opera", "--select", "I111")[1]) == ["I111", "I111"]


def test_a_rule_that_there_is_not_is_a_mistake_with_a_hint(keju: Keju, opera: Path) -> None:
    code, _, err = keju("check", "opera", "--select", "anwser-form")
    assert code == 2
    assert "answer-form is meant?" in err
    assert "Traceback" not in err


def test_a_file_of_settings_chooses_rules_and_thresholds(keju: Keju, opera: Path) -> None:
    lay(opera.parent, {"keju-check.toml": 'select = ["I101"]\n[thresholds.picture-too-small]\nlong = 4000\n'})
    _, out, _ = keju("check", "opera", "--settings", "keju-check.toml")
    assert codes(out) == ["I101", "I101"]
    assert "4000" in out
    assert codes(keju("check", "opera", "--settings", "keju-check.toml", "--select", "Q202")[1]) == ["Q202"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('selcet = ["Q"]', "unknown key 'selcet'"),
        ('select = "Q"', "must be a list"),
        ("[thresholds.I101]\nwide = 3", "it has long, short"),
        ('[thresholds.I101]\nlong = "3"', "must be a number"),
        ("[thresholds]\nI101 = 3", "tables by code"),
        ("select = [", "not TOML"),
        ('ignore = ["X999"]', "no rule is called 'X999'"),
    ],
)
def test_a_wrong_setting_is_named(keju: Keju, opera: Path, text: str, said: str) -> None:
    lay(opera.parent, {"s.toml": text})
    code, _, err = keju("check", "opera", "--settings", "s.toml")
    assert (code, said in err) == (2, True), err


def test_json_holds_every_finding_in_both_languages(keju: Keju, opera: Path) -> None:
    code, out, _ = keju("check", "opera", "--json", "--select", "Q2")
    told = json.loads(out)
    assert code == 1
    assert told["counts"] == {"Q202": 1, "Q205": 1}
    assert told["items"] == 2
    first = told["findings"][0]
    assert (first["code"], first["rule"], first["severity"]) == ("Q205", "answer-form", "warning")
    assert (first["file"], first["item"], first["line"]) == ("0002.txt", "0002", None)
    assert first["remedy"].keys() == {"en", "zh"}


def test_a_rule_explains_itself(keju: Keju) -> None:
    _, out, _ = keju("check", "--explain", "Q202")
    rule = RULES["Q202"]
    for text in (rule.code, rule.name, rule.title, rule.why, rule.good, rule.bad, "TCO-Dataset"):
        assert text in out
    assert rule.why.zh in keju("check", "--explain", "answer-not-an-option", "--lang", "zh")[1]


def test_all_rules_explain_themselves_in_both_languages(keju: Keju) -> None:
    out, chinese = keju("check", "--explain", "all")[1], keju("check", "--explain", "all", "--lang", "zh")[1]
    for rule in RULES.values():
        assert f"{rule.code} {rule.name}" in out
        assert rule.title in out
        assert rule.title.zh in chinese
        assert rule.why.zh in chinese


def test_what_is_missing_on_the_command_line_is_said(keju: Keju, opera: Path) -> None:
    assert "name a benchmark" in keju("check")[2]
    code, _, err = keju("check", "opera", "--into", "x")
    assert (code, "--fix" in err) == (2, True)
    assert keju("check", "opera", "--explain", "X")[0] == 2


def test_fix_says_each_repair_and_checks_what_is_left(keju: Keju, opera: Path) -> None:
    code, out, _ = keju("check", "opera", "--fix", "--select", "Q2,F2")
    assert code == 1
    assert out.splitlines()[0] == "0002.txt: line ends made LF, answer written as a capital letter alone"
    assert "1 file repaired in opera\n" in out
    assert "the originals are in opera.before-fix\n" in out
    assert codes(out) == ["Q202"]
    _, again, _ = keju("check", "opera", "--fix", "--select", "Q2")
    assert again.startswith("nothing to repair without asking\n")


def test_fix_into_a_copy_leaves_the_original(keju: Keju, opera: Path) -> None:
    code, out, _ = keju("check", "opera", "--fix", "--into", "clean", "--json", "--select", "Q2")
    told = json.loads(out)
    assert code == 1
    assert told["place"] == "clean"
    assert told["backup"] is None
    assert told["repairs"][0]["file"] == "0002.txt"
    assert [finding["code"] for finding in told["findings"]] == ["Q202"]
    assert (opera / "0002.txt").read_bytes() == b"c\r\n"


def test_rules_on_runs_look_at_the_marks_of_runs(keju: Keju, tmp_path: Path) -> None:
    folder = tmp_path / "quiz"
    for stem in ("0001", "0002", "0003"):
        tco_item(folder, stem, "C", question=f"第 {stem} 题是什么？")
    models = ["baseline/always-a", "baseline/always-b", "baseline/always-d", "baseline/longest-option"]
    assert keju("run", "quiz", *(part for model in models for part in ("-m", model)))[0] == 0
    code, out, _ = keju("check", "quiz", "--select", "S2", "--runs", "runs")
    assert code == 0
    assert codes(out) == ["S203"] * 3
    assert codes(keju("check", "quiz", "--select", "S2")[1]) == []


def test_a_pipe_gets_plain_text_and_a_terminal_may_get_colours(
    keju: Keju, opera: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "\x1b" not in keju("check", "opera")[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" in keju("check", "opera")[1]


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.sources: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.sources += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_carries_its_pictures_and_both_languages(keju: Keju, opera: Path) -> None:
    pytest.importorskip("PIL")
    (opera / "0001.md").write_text(md(HOSTILE), encoding="utf-8")
    _, out, _ = keju("check", "opera", "--html", "out/page.html")
    assert out.endswith("report: out/page.html\n")
    text = Path("out/page.html").read_text(encoding="utf-8")
    page = Page(text)
    assert "script" not in page.tags
    assert "link" not in page.tags
    assert page.sources
    assert all(source.startswith("data:image/webp;base64,") for source in page.sources)
    assert HOSTILE in page.text
    assert RULES["Q205"].title in page.text
    assert RULES["Q205"].title.zh in page.text
    assert "default-src 'none'" in text


def test_the_page_plays_sounds(keju: Keju) -> None:
    benchmark = load("teahouse")
    heard = next(item for item in benchmark if item.modality == "audio")
    page = findings_page(benchmark, [_finding(heard.id)])
    assert page.count("data:audio/mpeg;base64,") == 1


def test_a_page_of_any_benchmark_stays_small(opera: Path) -> None:
    found = [_finding("0001") for _ in range(MOST + 500)]
    page = findings_page(load(opera), found)
    assert len(page.encode()) < 15_000_000
    assert "500 further findings" in page


def test_a_medium_of_several_items_counts_as_often_as_it_is_shown() -> None:
    clip = next(medium for item in load("teahouse") for medium in item.media if medium.kind == "audio")
    size = len(thumbnails.embedded([clip], MEDIA)[clip.name])
    assert len(thumbnails.embedded([clip], size)) == 1
    assert len(thumbnails.embedded([clip, clip], size)) == 0


def test_media_that_do_not_fit_are_named_instead(opera: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("PIL")
    media = [medium for item in load(opera) for medium in item.media]
    sizes = [len(uri) for uri in thumbnails.embedded(media, MEDIA).values()]
    assert len(sizes) == 2
    assert list(thumbnails.embedded(media, sizes[0] + 10)) == ["0001.png"]


@pytest.mark.parametrize("data", [b"", b"GIF89a", b"\x89PNG\r\n\x1a\n" + b"\0" * 40, picture(1)[:2000]])
def test_a_picture_that_cannot_be_shown_is_left_out(opera: Path, data: bytes) -> None:
    pytest.importorskip("PIL")
    lay(opera, {"0001.png": data})
    page = findings_page(load(opera), [_finding("0001")])
    assert "<img" not in page
    assert "cannot be shown here" in page


def test_every_form_of_pixels_becomes_a_thumbnail(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    from keju.items import Medium

    for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I", "I;16", "CMYK"):
        form = "TIFF" if mode in ("CMYK", "I") else "PNG"
        path = tmp_path / f"{mode.replace(';', '')}.png"
        image.new(mode, (900, 700)).save(path, form)
        assert thumbnails.embedded([Medium("image", path.name, path)], MEDIA), mode


def test_without_a_decoder_the_page_says_so(opera: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    page = findings_page(load(opera), [_finding("0001")], language="zh")
    assert "pip install &#x27;keju[checks]&#x27;" in page
    assert "<img" not in page


def _finding(item: str) -> Finding:
    return Finding("Q205", "warning", Phrase("wrong", "错"), Phrase("mend", "改"), item)
