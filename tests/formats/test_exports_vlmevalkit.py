"""VLMEvalKit's TSV: everything comes back, also through pandas, which stands between the file and that tool."""

from __future__ import annotations

import base64
import csv
from dataclasses import replace
from pathlib import Path

import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pandas._libs.parsers import STR_NA_VALUES

from keju.benchmark import Benchmark
from keju.errors import BadFile, Misuse
from keju.formats import load, write
from keju.formats.outputs import read_outputs
from keju.formats.pandas_cells import reads_missing
from keju.formats.vlmevalkit import written_id
from keju.items import LABELS, Item, Medium, Wording
from making import png

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
CELL = TEXT | st.sampled_from(
    [*sorted(STR_NA_VALUES), "None ", "NA  ", " ", "0012", "3", '"', "a\tb", "甲\n\n乙", "\r\n"]
)
NAME = TEXT.filter(bool) | st.sampled_from(["index", "A", "image", "label:x", " genre ", "category", "l2-category"])


def picture(number: int, *, answer: str = "A", **options: str) -> Item:
    """An item with one picture and the options given."""
    given = options or {"A": "甲", "B": "乙"}
    wording = Wording("zh-Hans", f"第{number}题？", given)
    return Item(f"{number:04d}", {"zh-Hans": wording}, answer, (Medium("image", "x.png", data=png(number)),))


def exam(*items: Item, name: str = "opera") -> Benchmark:
    return Benchmark(name, items)


def seen_by_the_tool(folder: Path) -> pandas.DataFrame:
    """The table as VLMEvalKit loads it."""
    (file,) = folder.glob("*.tsv")
    return pandas.read_csv(file, sep="\t")


@st.composite
def items(draw: st.DrawFn) -> Item:
    labels = LABELS[: draw(st.integers(2, 5))]
    wording = Wording("zh-Hant", draw(CELL), {label: draw(CELL) for label in labels}, draw(CELL))
    media = tuple(
        Medium("image", f"{number}.png", data=png(draw(st.integers(0, 255))))
        for number in range(draw(st.integers(1, 3)))
    )
    tagged = draw(st.dictionaries(NAME, CELL.filter(bool), max_size=3))
    return Item(
        draw(TEXT.filter(bool)),
        {"zh-Hant": wording},
        draw(st.sampled_from(labels)),
        media,
        tagged,
        draw(st.sampled_from(["train", "test", None])),
    )


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(items(), min_size=1, max_size=3, unique_by=lambda item: item.id))
def test_ids_texts_options_keys_labels_and_picture_bytes_come_back(
    tmp_path_factory: pytest.TempPathFactory, given_items: list[Item]
) -> None:
    folder = tmp_path_factory.mktemp("tsv") / "out"
    write(Benchmark("opera", tuple(given_items)), folder, "vlmevalkit")
    again = load(folder, format="vlmevalkit")
    assert [(i.id, i.wordings, i.answer, i.labels, i.split) for i in again] == [
        (i.id, i.wordings, i.answer, i.labels, i.split) for i in given_items
    ]
    assert [[m.read() for m in i.media] for i in again] == [[m.read() for m in i.media] for i in given_items]
    assert again.problems == ()


def test_the_format_is_told_by_looking_and_is_no_question_sheet(tmp_path: Path) -> None:
    write(exam(picture(1)), tmp_path / "out", "vlmevalkit")
    assert load(tmp_path / "out").format == "vlmevalkit"
    assert load(tmp_path / "out" / "opera.tsv").format == "vlmevalkit"


def test_a_table_that_a_shipped_mapping_knows_too_is_read_without_asking(tmp_path: Path) -> None:
    picture = base64.b64encode(png(1)).decode()
    labels = {"category": "x", "l2-category": "y", "source": "z"}
    mmbench = ROW | {"hint": "", "C": "c", "D": "d", "image": picture} | labels
    exam = load(rows(tmp_path / "MMBench_DEV_EN.tsv", mmbench))
    assert exam.format == "vlmevalkit"
    assert exam["7"].labels == labels


def test_ids_stay_texts_and_the_index_counts_in_whole_numbers(tmp_path: Path) -> None:
    write(exam(picture(1), picture(2)), tmp_path / "out", "vlmevalkit")
    table = seen_by_the_tool(tmp_path / "out")
    assert list(table["index"]) == [1, 2]
    assert list(table["id"]) == ["id:0001", "id:0002"]


@pytest.mark.parametrize("text", sorted(STR_NA_VALUES))
def test_an_option_that_reads_like_nothing_does_not_vanish_and_is_listed(tmp_path: Path, text: str) -> None:
    lost = write(exam(picture(1, A="京剧", B=text, C="昆曲")), tmp_path / "out", "vlmevalkit")
    table = seen_by_the_tool(tmp_path / "out")
    assert not pandas.isna(table["B"][0])
    assert table["B"][0].rstrip(" ") == text
    assert [(problem.item, problem.code) for problem in lost] == [("0001", "option_reads_missing")]
    assert load(tmp_path / "out")["0001"].options["B"] == text


def test_every_text_that_pandas_takes_for_nothing_is_known() -> None:
    assert [text for text in STR_NA_VALUES if not reads_missing(text)] == []


def test_options_that_pandas_would_rewrite_as_numbers_are_listed(tmp_path: Path) -> None:
    items = (picture(1, A="1", B="2", C="03"), picture(2, A="3", B="4"))
    lost = write(exam(*items), tmp_path / "out", "vlmevalkit")
    assert ["option C" in problem.message for problem in lost if problem.code == "options_numbers"] == [True]
    assert str(seen_by_the_tool(tmp_path / "out")["C"][0]) == "3.0"


def test_a_text_that_its_predictions_would_cut_is_listed(tmp_path: Path) -> None:
    (long,) = write(exam(picture(1, A="长" * 32_768, B="短")), tmp_path / "out", "vlmevalkit")
    assert (long.item, long.code) == ("0001", "cell_cut")
    assert "32768" in long.message
    assert write(exam(picture(1, A="长" * 32_767, B="短")), tmp_path / "fits", "vlmevalkit") == ()


@pytest.mark.parametrize("name", ["mmbench-zh", "CCBench", "my-Circular-set", "ocrMMCR"])
def test_a_name_does_not_switch_to_circular_evaluation_by_chance(tmp_path: Path, name: str) -> None:
    (renamed,) = write(exam(picture(1), name=name), tmp_path / "out", "vlmevalkit")
    (file,) = (tmp_path / "out").glob("*.tsv")
    assert renamed.code == "name_changed"
    assert file.name in renamed.message
    assert not any(word in file.name.lower() for word in ("mmbench", "ccbench", "circular", "mmcr"))


def test_audio_is_refused_by_item_before_anything_is_written(tmp_path: Path) -> None:
    heard = replace(picture(2), media=(Medium("audio", "c.mp3", data=b"ID3" * 50),))
    with pytest.raises(Misuse, match=r"0002.*--where modality=image"):
        write(exam(picture(1), heard), tmp_path / "out", "vlmevalkit")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"media": ()}, "drops rows without a picture"),
        ({"media": (Medium("image", "gone.png"),)}, "lack theirs"),
        ({"answer": None}, "have none: 0002"),
        ({"wordings": {"en": Wording("en", "?", {"1": "a", "2": "b"})}, "answer": "1"}, "letters options A, B, C"),
    ],
)
def test_what_the_tool_would_drop_or_mark_wrong_is_refused(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    with pytest.raises(Misuse, match=message):
        write(exam(picture(1), replace(picture(2), **change)), tmp_path / "out", "vlmevalkit")  # type: ignore[arg-type]


def test_other_wordings_and_fields_are_listed(tmp_path: Path) -> None:
    english = Wording("en", "Which?", {"A": "a", "B": "b"})
    item = picture(1)
    told = replace(item, wordings={**item.wordings, "en": english}, extra={"note": 1})
    lost = write(exam(told), tmp_path / "out", "vlmevalkit")
    assert [problem.code for problem in lost] == ["wordings_lost", "not_kept"]


def rows(path: Path, *cells: dict[str, str]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(name for row in cells for name in row)), delimiter="\t")
        writer.writeheader()
        writer.writerows(cells)
    return path


ROW = {"index": "7", "question": "Which?", "A": "a", "B": "b", "answer": "B"}


def test_published_tables_are_read_with_shared_pictures_lists_and_paths(tmp_path: Path) -> None:
    one, two = (base64.b64encode(png(number)).decode() for number in (1, 2))
    file = rows(
        tmp_path / "Set.tsv",
        ROW | {"image": one, "category": "opera", "C": "", "hint": "Look."},
        ROW | {"index": "8", "image": "7", "category": "", "C": "c"},
        ROW | {"index": "9", "image": str([one, two])},
    )
    exam = load(file)
    assert [item.id for item in exam] == ["7", "8", "9"]
    assert exam["7"].labels == {"category": "opera"}
    assert exam["7"].wording.instruction == "Look."
    assert exam["7"].media[0].name == "7.png"
    assert exam["8"].media[0].read() == png(1)
    assert list(exam["8"].options) == ["A", "B", "C"]
    assert [medium.read() for medium in exam["9"].media] == [png(1), png(2)]
    beside = tmp_path / "images" / "Paths"
    beside.mkdir(parents=True)
    (beside / "p.png").write_bytes(png(3))
    paths = load(
        rows(tmp_path / "Paths.tsv", ROW | {"image_path": "p.png"}, ROW | {"index": "8", "image_path": "q.png"})
    )
    assert paths["7"].media[0].read() == png(3)
    assert [problem.code for problem in paths.problems] == ["media_missing"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"image": "99"}, "shares the picture of row '99'"),
        ({"image": "~" * 80}, "not base64"),
        ({"image": "A" * 80, "B": ""}, "has options A, not A, B"),
        ({"image": "A" * 80, "index": ""}, "no `index`"),
    ],
)
def test_a_row_that_cannot_be_read_is_named(tmp_path: Path, change: dict[str, str], message: str) -> None:
    file = rows(tmp_path / "Set.tsv", ROW | change)
    with pytest.raises(BadFile, match=f"Set.tsv:2: .*{message}"):
        load(file, format="vlmevalkit")


def test_a_key_that_is_no_option_is_reported_and_the_item_kept(tmp_path: Path) -> None:
    exam = load(rows(tmp_path / "Set.tsv", ROW | {"image": base64.b64encode(png(1)).decode(), "answer": "D"}))
    assert exam["7"].answer is None
    assert [problem.code for problem in exam.problems] == ["answer_unusable"]


def test_its_predictions_are_joined_by_our_ids(tmp_path: Path) -> None:
    asked = exam(picture(1), picture(2))
    table = [{"index": n, "id": written_id(f"{n:04d}"), "prediction": "None" if n == 1 else "B"} for n in (2, 1)]
    pandas.DataFrame(table).to_excel(tmp_path / "mock_opera.xlsx", index=False)
    (outputs,) = read_outputs(tmp_path / "mock_opera.xlsx", benchmark=asked)
    assert {item: record.text for item, record in outputs.records.items()} == {"0001": "None", "0002": "B"}
