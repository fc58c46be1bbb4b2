"""What can be said after `hf/NAME`, what is refused before anything is loaded, and how media are decoded."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from keju.errors import BadFile, CallFailed, MissingExtra, Misuse
from keju.items import Medium
from keju.models import open_model
from keju.models.local import settings as local_settings
from keju.models.local.media import picture, sound
from keju.models.local.rows import Picture, Sound, rows_of
from keju.models.local.settings import settings_of
from keju.prompts import Generation, Prompt, Text
from keju.protocols import load_protocol
from making import item, png, wav


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batchsize": 4}, "no option 'batchsize' .did you mean batch_size.*there are batch_size, device"),
        ({"batch_size": 0}, "batch_size must be a whole number from 1, or auto, not 0"),
        ({"batch_size": True}, "batch_size must be"),
        ({"batch_size": "many"}, "batch_size must be"),
        ({"dtype": "int4"}, "dtype must be one of auto, float32, bfloat16, float16, not 'int4'"),
        ({"device": 3}, "device must be a text"),
        ({"workers": 1.5}, "workers must be a whole number from 1"),
        ({"trust_remote_code": True}, "trust_remote_code must be the model's own name, 'org/m', to let its code run"),
        ({"trust_remote_code": "org/other"}, "the model's own name, 'org/m'"),
    ],
)
def test_an_unknown_or_unfit_option_is_named_with_what_it_should_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(Misuse, match=message):
        settings_of("org/m", options)


def test_code_of_a_checkpoint_is_trusted_only_by_the_models_own_name() -> None:
    assert settings_of("org/m", {"trust_remote_code": "org/m"}).trust_remote_code == "org/m"
    assert settings_of("org/m", {}).trust_remote_code is None


def test_without_the_extra_the_install_line_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("keju.models.local.checkpoint.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"hf/org/m needs the extra `local`.*pip install 'keju\[local\]'"):
        open_model("hf/org/m")


def test_a_folder_without_a_model_is_a_bad_file(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"holds no model: it needs config\.json"):
        open_model(f"hf/{tmp_path}")


def prompt(scoring: Any, *parts: Any, language: str = "zh-Hans") -> Prompt:
    options = {"A": " red ", "B": "dark blue"}
    return Prompt("1", (*parts, Text("Q")), Generation(7), scoring, language, "", "Q", options)


def test_a_prompt_needs_one_row_and_one_an_option_where_texts_are_scored() -> None:
    written = rows_of(prompt("generate"), [Text("Q")], end_of_turn=None)
    assert [(row.task, row.max_tokens) for row in written] == [("write", 7)]
    chosen = rows_of(prompt("choice"), [Text("Q")], end_of_turn=None)
    assert [(row.task, row.labels) for row in chosen] == [("choose", ("A", "B"))]
    asked = prompt("option-likelihood", language="en")
    assert [r.continuation for r in rows_of(asked, [Text("Q")], end_of_turn=None)] == [" red\n", " dark blue\n"]
    assert [r.continuation for r in rows_of(asked, [Text("Q")], end_of_turn="</s>")] == ["red</s>", "dark blue</s>"]
    chinese = prompt("option-likelihood")
    assert [r.continuation for r in rows_of(chinese, [Text("Q")], end_of_turn=None)] == ["red\n", "dark blue\n"]


def test_rows_share_a_batch_only_with_the_same_task_and_as_many_media() -> None:
    image = pytest.importorskip("PIL.Image")
    shown = Picture(image.new("RGB", (280, 28)))
    heard = Sound([0.0], 2.0)
    (plain,), (seen,), (both,) = (
        rows_of(prompt("generate"), [*media, Text("Q")], end_of_turn=None) for media in ((), (shown,), (shown, heard))
    )
    assert len({plain.key, seen.key, both.key, rows_of(prompt("choice"), [], end_of_turn=None)[0].key}) == 4
    assert seen.length == plain.length + 10
    assert both.length == seen.length + 50
    assert seen.text == "Q"


def test_a_picture_keeps_its_size_stands_upright_and_lies_on_white() -> None:
    image = pytest.importorskip("PIL.Image")
    turned, out = image.new("RGBA", (30, 10), (255, 0, 0, 0)), io.BytesIO()
    exif = turned.getexif()
    exif[0x0112] = 6  # orientation: to be turned by 90 degrees
    turned.save(out, "PNG", exif=exif)
    shown = picture(out.getvalue(), "a.png")
    assert (shown.mode, shown.size) == ("RGB", (10, 30))
    assert shown.getpixel((0, 0)) == (255, 255, 255)
    assert picture(png(1), "b.png").size == (8, 8)


def test_a_grey_picture_of_16_bits_keeps_its_shades() -> None:
    image = pytest.importorskip("PIL.Image")
    deep, out = image.new("I;16", (3, 1)), io.BytesIO()
    for at, shade in enumerate((0, 0x7FFF, 0xFFFF)):
        deep.putpixel((at, 0), shade)
    deep.save(out, "PNG")
    shown = picture(out.getvalue(), "deep.png")
    assert [shown.getpixel((at, 0)) for at in range(3)] == [(0, 0, 0), (127, 127, 127), (255, 255, 255)]


def test_a_clip_becomes_mono_samples_at_the_rate_that_the_model_hears() -> None:
    pytest.importorskip("av")
    samples = sound(wav(seconds=0.5, rate=8000), "a.wav", 16_000)
    assert samples.dtype.name == "float32"
    assert abs(len(samples) - 8000) <= 32  # what the resampler holds back
    assert float(abs(samples).max()) == 0.0


def test_broken_media_are_failed_calls_that_name_the_file() -> None:
    pytest.importorskip("PIL")
    with pytest.raises(CallFailed, match=r"picture a\.png cannot be decoded: no known picture format") as failure:
        picture(b"no picture", "a.png")
    assert (failure.value.kind, failure.value.retryable) == ("medium", False)
    with pytest.raises(CallFailed, match=r"a\.png"):
        picture(png(1)[:60], "a.png")
    pytest.importorskip("av")
    for data in (b"no sound", b"", wav(0.0), png(1)):
        with pytest.raises(CallFailed, match=r"recording a\.wav"):
            sound(data, "a.wav", 16_000)


def test_the_protocol_choice_asks_for_a_letter_and_compares_likelihoods(tmp_path: Path) -> None:
    protocol = load_protocol("choice")
    asked = protocol.prompt(item(1, folder=tmp_path))
    assert asked.scoring == "choice"
    assert isinstance(asked.parts[0], Medium)
    assert "A: 京剧" in asked.text
    found = protocol.extract("B", asked.options, item_id="1", scores={"A": -3.0, "B": -0.1, "C": -4.0, "D": -5.0})
    assert found.label == "B"


def test_every_setting_is_documented() -> None:
    page = (Path(__file__).parents[1] / "docs" / "local.md").read_text(encoding="utf-8")
    assert [name for name in local_settings.Settings.__slots__ if f"`{name}`" not in page] == []
