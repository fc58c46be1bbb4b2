"""Pictures: what is measured, against files of other people's making, and what the rules say of it."""

from __future__ import annotations

import io
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter
from tests.checks.media_making import chunk, codes, encoded, exam, found, noise, raw_png, scene, severities

from keju.checks import png
from keju.checks.pictures import PIXELS, dhash, read_picture
from keju.checks.tilt import tilt
from keju.models.local.media import picture as shown
from real_failures import bug_cases

FILES = Path("data/media-images")
NOT_TOLD = {"hopper_orientation_6.jpg": None, "no-dpi-in-exif.jpg": (200.0, 200.0)}
"""Resolution where Pillow's 72 dpi is its own: one file says none, the other says 200 in its Photoshop block only."""


def case(name: str) -> dict[str, Any]:
    return next(param.values[0] for param in bug_cases("3-media") if param.values[0]["id"] == name)


# Files of other people


@pytest.mark.shared
def test_real_files_are_as_their_truth_says(shared: Path) -> None:
    truth = json.loads((shared / FILES / "truth.json").read_text())
    for name, true in truth.items():
        picture = read_picture((shared / FILES / name).read_bytes())
        if not true.get("opens", True) or not true["decodes"]:
            assert picture.trouble in ("cut", "damaged"), name
            assert (picture.trouble == "cut") == ("truncated_jpeg" in name), name
            continue
        assert picture.trouble is None, name
        assert picture.mime == f"image/{true['container'].lower()}", name
        assert (picture.mode, [picture.width, picture.height]) == (true["mode"], true["size"]), name
        assert picture.frames == true["n_frames"], name
        assert picture.orientation == (true["exif_orientation"] or 1), name
        # A resolution of 71.9836 dots an inch is 2834 a metre: what is read is what the file says, unrounded.
        stated = NOT_TOLD.get(name, true["dpi"] and tuple(true["dpi"]))
        assert picture.dpi == (stated and pytest.approx(stated, abs=1e-3)), name


@pytest.mark.shared
def test_the_jpegs_named_png_are_found_and_no_others(shared: Path, tmp_path: Path) -> None:
    truth = json.loads((shared / "data/gaokao-mm/format_truth.json").read_text())
    files = {name: (shared / "data/gaokao-mm" / name).read_bytes() for name in truth}
    findings = found(exam(tmp_path, files))
    jpegs = {name for name, true in truth.items() if true["container"] == "JPEG"}
    assert len(jpegs) == 15
    assert {finding.file for finding in findings if finding.code == "I006"} == jpegs
    # What else is found of these real pictures: files that are byte for byte another, and nothing.
    assert {finding.code for finding in findings} == {"I006", "I301"}
    assert sum(finding.code == "I301" for finding in findings) == len(files) - len(set(files.values()))
    for name, true in truth.items():
        assert read_picture(files[name]).mode == true["mode"]


# Failures of other tools


@pytest.mark.shared
def test_md_01_cmyk_is_reported_and_still_shown() -> None:
    expected = case("MD-01")["expected"]
    data = encoded(Image.new("CMYK", (64, 48), (0, 255, 255, 0)), "JPEG")
    assert read_picture(data).mode == "CMYK"
    centre = shown(data, "red.jpg").getpixel((32, 24))
    assert centre == pytest.approx(expected["preview_rgb_center_near"], abs=expected["tolerance"])


@pytest.mark.shared
def test_md_03_a_transparent_palette_entry_is_white() -> None:
    given, expected = case("MD-03")["input"], case("MD-03")["expected"]
    picture = Image.new("P", given["size"], 0)
    picture.putpalette([level for colour in given["palette"] for level in colour])
    picture.putpixel((1, 1), 1)
    data = encoded(picture, transparency=given["transparent_index"])
    for place, colour in expected["preview_rgb"].items():
        assert list(shown(data, "p.png").getpixel(tuple(map(int, place.split(","))))) == colour
    measured = read_picture(data)
    assert measured.see_through
    assert measured.bright == 63


@pytest.mark.shared
def test_md_05_the_depth_of_a_colour_png_is_seen(tmp_path: Path) -> None:
    given, expected = case("MD-05")["input"], case("MD-05")["expected"]
    width, height = given["size"]
    rows = (b"\0" + struct.pack(">3H", *given["pixel16"]) * width) * height
    data = raw_png(width, height, rows, bits=16)
    assert read_picture(data).bits == expected["bit_depth"]
    assert list(shown(data, "deep.png").getpixel((0, 0))) == expected["preview_rgb"]
    assert "I205" in codes(exam(tmp_path, {"deep.png": data}))["deep.png"]


@pytest.mark.shared
def test_md_07_orientation_in_a_png_is_seen(tmp_path: Path) -> None:
    expected = case("MD-07")["expected"]
    picture = Image.new("RGB", (640, 480), "white")
    picture.paste("red", (0, 0, 40, 480))
    exif = Image.Exif()
    exif[0x0112] = 6
    benchmark = exam(tmp_path, {"bar.png": encoded(picture, exif=exif)})
    (finding,) = found(benchmark)
    assert (finding.code, finding.severity) == ("I201", expected["validation"])
    assert finding.measured["display_size"] == expected["display_size"]


@pytest.mark.shared
def test_md_09_every_cut_file_is_told_in_one_pass(tmp_path: Path) -> None:
    whole = encoded(noise(300, 200))
    files = {f"{n}.png": whole[: int(len(whole) * share)] for n, share in enumerate((0.6, 1, 0.3))}
    assert list(severities(exam(tmp_path, files)).values()) == case("MD-09")["expected"]["validation"]
    assert codes(exam(tmp_path, files)) == {"0.png": ["I003"], "2.png": ["I003"]}


@pytest.mark.shared
def test_md_11_a_bomb_is_refused_by_its_header_and_the_rest_goes_on(tmp_path: Path) -> None:
    expected = case("MD-11")["expected"]
    files = {"bomb.png": raw_png(14000, 14000, b"", bits=1, colour=0), "fine.png": encoded(scene(1))}
    (finding,) = found(exam(tmp_path, files))
    assert finding.severity == expected["validation"]
    assert all(part in f"{finding.place}: {finding.message}" for part in ("bomb.png", "14000"))


@pytest.mark.shared
def test_md_13_content_decides_not_the_name(tmp_path: Path) -> None:
    expected = case("MD-13")["expected"]
    (finding,) = found(exam(tmp_path, {"0007.png": encoded(scene(0, 32, 32), "JPEG")}))
    assert (finding.severity, finding.measured["detected"]) == (expected["validation"], expected["detected"])
    assert ".jpg" in finding.remedy


@pytest.mark.shared
def test_md_15_empty_files_and_web_pages_are_no_pictures(tmp_path: Path) -> None:
    files = {"1.png": b"", "2.png": b"<html><body>404</body></html>"}
    findings = found(exam(tmp_path, files))
    assert [finding.severity for finding in findings] == case("MD-15")["expected"]["validation"]
    assert [finding.code for finding in findings] == ["I002", "I001"]
    assert "web page" in findings[1].message


@pytest.mark.shared
def test_md_17_exactly_the_limit_of_clipping_is_allowed(tmp_path: Path) -> None:
    over = []
    for white in (500, 501):
        grey = np.full(10_000, 128, np.uint8)
        grey[:white] = 255
        data = encoded(Image.fromarray(grey.reshape(100, 100)))
        assert read_picture(data).bright == white
        over.append("I102" in codes(exam(tmp_path, {"w.png": data}, profile="tco"))["w.png"])
    assert over == case("MD-17")["expected"]["over_limit"]


@pytest.mark.shared
def test_md_19_bounds_are_inclusive_and_go_by_the_longer_and_shorter_side(tmp_path: Path) -> None:
    given = case("MD-19")["input"]
    large = noise(1280, 1280)
    files = {f"{n}.png": encoded(large.crop((0, 0, *size)), compress_level=1) for n, size in enumerate(given["sizes"])}
    small = {f.file: str(f.message) for f in found(exam(tmp_path, files, profile="tco")) if f.code == "I101"}
    fine = [f"{n}.png" not in small for n in range(4)]
    assert fine == [*case("MD-19")["expected"]["ok_at_least"], True]
    assert "longer" in small["1.png"]


# What the measures see


def test_a_png_whose_last_rows_are_missing_is_cut_though_its_checksums_are_right() -> None:
    row = b"\0" + bytes(range(1, 193))
    data = raw_png(64, 48, row * 24)
    assert Image.open(io.BytesIO(data)).convert("RGB").getpixel((5, 47)) == (0, 0, 0), "Pillow fills it with black"
    picture = read_picture(data)
    assert picture.trouble == "cut"
    assert "50%" in picture.reason
    assert read_picture(raw_png(64, 48, row * 48)).trouble is None


def test_a_jpeg_cut_short_behind_a_right_end_mark_is_cut() -> None:
    data = encoded(noise(400, 300).resize((800, 600)), "JPEG", quality=90)
    cut = data[: len(data) * 6 // 10] + b"\xff\xd9"
    Image.open(io.BytesIO(cut)).load()  # which says nothing
    assert read_picture(cut).trouble == "cut"
    assert read_picture(data).trouble is None
    grey = encoded(Image.new("RGB", (64, 64), (128, 128, 128)), "JPEG")
    assert read_picture(grey).trouble is None, "a picture that really ends in middle grey"


@pytest.mark.parametrize("form", ["GIF", "WEBP", "BMP", "TIFF", "AVIF", "JPEG", "PNG"])
def test_a_file_cut_anywhere_is_an_error_and_no_crash(form: str) -> None:
    whole = encoded(scene(3), form)
    assert read_picture(whole).trouble is None
    for tenth in range(1, 10):
        assert read_picture(whole[: len(whole) * tenth // 10]).trouble in ("cut", "damaged", "unknown")


def test_a_wrong_checksum_is_damage() -> None:
    data = bytearray(encoded(scene(1)))
    data[len(data) // 2] ^= 1
    assert read_picture(bytes(data)).trouble == "damaged"


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
@pytest.mark.parametrize("size", [(1, 1), (3, 5), (37, 23), (200, 150)])
def test_unpacking_a_png_changes_no_pixel(mode: str, size: tuple[int, int]) -> None:
    base = noise(*size)
    picture = (
        Image.fromarray(np.asarray(base.convert("L")).astype(np.uint16) * 257)
        if mode == "I;16"
        else (base.quantize(7) if mode == "P" else base.convert(mode))
    )
    data = encoded(picture)
    unpacked, before = png.unpacked(data), Image.open(io.BytesIO(data))
    again = unpacked.pixels() or Image.open(io.BytesIO(unpacked.file))
    assert (again.mode, again.tobytes()) == (before.mode, before.tobytes())


def test_what_stands_behind_the_pixels_of_a_png_is_read_too() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    data = encoded(scene(1))
    end = data.index(b"IEND") - 4
    behind = data[:end] + chunk(b"eXIf", exif.tobytes().removeprefix(b"Exif\0\0")) + data[end:]
    assert read_picture(behind).orientation == 6


def test_an_interlaced_png_has_all_its_rows() -> None:
    passes = [(1, 1), (1, 1), (2, 1), (2, 2), (4, 2), (4, 4), (8, 4)]  # columns and rows of each pass of 8 × 8
    rows = b"".join((b"\0" + b"\x40" * columns) * count for columns, count in passes)
    assert read_picture(raw_png(8, 8, rows, colour=0, interlaced=1)).trouble is None
    assert read_picture(raw_png(8, 8, rows[:-9], colour=0, interlaced=1)).trouble == "cut"


def test_a_picture_beyond_what_is_unpacked_is_counted_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(png, "STORED", 1000)
    row = b"\0" + bytes(range(1, 193))
    assert read_picture(raw_png(64, 48, row * 48)).trouble is None
    assert read_picture(raw_png(64, 48, row * 47)).trouble == "cut"


def test_a_bomb_in_the_rows_is_not_unpacked() -> None:
    """Ten pixels by the header, a hundred megabytes behind it."""
    data = raw_png(5, 2, bytes(100_000_000), colour=0)
    assert len(data) < 200_000
    assert read_picture(data).trouble is None


def test_the_limit_of_pixels_is_inclusive() -> None:
    wide = struct.pack("<IiiHHIIiiII", 40, PIXELS + 1, 1, 1, 24, 0, 0, 0, 0, 0, 0)
    bmp = b"BM" + struct.pack("<IHHI", 54, 0, 0, 54) + wide
    assert read_picture(bmp).trouble == "too-many-pixels"
    assert read_picture(bmp.replace(struct.pack("<i", PIXELS + 1), struct.pack("<i", PIXELS))).trouble == "damaged"


def test_sixteen_bit_grey_keeps_its_shades() -> None:
    ramp = np.linspace(0, 65535, 64 * 64).astype(np.uint16).reshape(64, 64)
    picture = read_picture(encoded(Image.fromarray(ramp)))
    assert (picture.bits, picture.mean) == (16, pytest.approx(127.5, abs=1))


def test_an_opaque_alpha_channel_is_no_transparency(tmp_path: Path) -> None:
    opaque, clear = scene(1).convert("RGBA"), scene(1).convert("RGBA")
    clear.putpixel((0, 0), (0, 0, 0, 254))
    files = {"opaque.png": encoded(opaque), "clear.png": encoded(clear)}
    assert codes(exam(tmp_path, files)) == {"clear.png": ["I202", "I302"]}


def test_an_animation_is_several_pictures(tmp_path: Path) -> None:
    frames = [scene(n) for n in range(3)]
    animated = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    (finding,) = found(exam(tmp_path, {"a.gif": animated}))
    assert (finding.code, finding.measured["frames"]) == ("I206", 3)


def test_dpi_is_met_within_what_a_png_can_store(tmp_path: Path) -> None:
    files = {f"{dpi}.png": encoded(scene(dpi), dpi=(dpi, dpi)) for dpi in (150, 151, 300)}
    files["none.png"] = encoded(scene(0))
    files["150cm.jpg"] = encoded(scene(9), "JPEG")[:13] + b"\x02\x00\x3b\x00\x3b" + encoded(scene(9), "JPEG")[18:]
    assert read_picture(files["150.png"]).dpi == pytest.approx((150.0124, 150.0124), abs=1e-4)
    off = {f.file for f in found(exam(tmp_path, files, profile="multi-tw")) if f.code == "I111"}
    assert off == {"151.png", "300.png", "none.png"}
    assert not [f for f in found(exam(tmp_path, files)) if f.code == "I111"], "a house rule of Multi-TW"


def test_blur_lowers_sharpness_and_is_found_in_photographs(tmp_path: Path) -> None:
    sharp = Image.blend(scene(1, 1280, 720), noise(640, 360).resize((1280, 720), Image.Resampling.BICUBIC), 0.4)
    soft = sharp.filter(ImageFilter.GaussianBlur(4))
    files = {"sharp.png": encoded(sharp, compress_level=1), "soft.png": encoded(soft, compress_level=1)}
    assert codes(exam(tmp_path, files, profile="tco")) == {"soft.png": ["I105", "I302"]}


def test_flat_and_dark_pictures_are_found(tmp_path: Path) -> None:
    dark = noise(1280, 720).point(lambda level: level // 12)
    files = {"flat.png": encoded(Image.new("RGB", (1280, 720), (90, 90, 90))), "dark.png": encoded(dark)}
    assert codes(exam(tmp_path, files, profile="tco")) == {"flat.png": ["I103", "I105"], "dark.png": ["I103", "I104"]}


def stage(seed: int, angle: float, *, round_things: bool = False) -> Image.Image:
    """Boxes, or discs, in a picture turned clockwise by `angle`, with noise."""
    rng = np.random.default_rng(seed)
    picture = Image.new("L", (1800, 1400), 90)
    draw = ImageDraw.Draw(picture)
    for _ in range(30):
        x, y, a, b = (int(n) for n in rng.integers((0, 0, 30, 30), (1800, 1400, 300, 300)))
        box = (x - a, y - b, x + a, y + b)
        (draw.ellipse if round_things else draw.rectangle)(box, fill=int(rng.integers(15, 240)))
    turned = np.asarray(picture.rotate(-angle, Image.Resampling.BICUBIC).crop((260, 340, 1540, 1060)), float)
    return Image.fromarray(np.clip(turned + rng.normal(0, 4, turned.shape), 0, 255).astype(np.uint8))


@pytest.mark.parametrize("angle", [-10, -4, 0, 2, 5, 8])
def test_the_tilt_of_straight_edges_is_told_within_a_tenth(angle: int) -> None:
    for seed in range(3):
        assert tilt(stage(seed, angle)) == pytest.approx(angle, abs=max(0.3, abs(angle) / 10))


def test_no_tilt_is_told_where_nothing_is_straight() -> None:
    assert [tilt(stage(seed, 0, round_things=True)) for seed in range(3)] == [None] * 3
    assert tilt(noise(640, 360).convert("L")) is None


@pytest.mark.shared
def test_no_tilt_is_told_of_real_pictures_of_an_exam(shared: Path) -> None:
    for file in sorted((shared / "data/gaokao-mm").rglob("*.png")):
        angle = read_picture(file.read_bytes()).tilt
        assert angle is None or abs(angle) < 1


def test_a_picture_turned_by_its_tag_hashes_as_it_is_shown() -> None:
    picture = scene(5)
    for orientation, turn in (
        (3, Image.Transpose.ROTATE_180),
        (6, Image.Transpose.ROTATE_90),
        (8, Image.Transpose.ROTATE_270),
    ):
        exif = Image.Exif()
        exif[0x0112] = orientation
        lying = read_picture(encoded(picture.transpose(turn), exif=exif))
        assert (int(lying.dhash, 16) ^ int(read_picture(encoded(picture)).dhash, 16)).bit_count() <= 3


def test_hashes_keep_copies_near_and_strangers_far() -> None:
    """The thresholds: copies stay within 6 bits, and no two of 300 unrelated scenes come so near."""
    hashes = np.array([int(dhash(scene(seed, 96, 72).convert("L")), 16) for seed in range(300)], np.uint64)
    far = np.bitwise_count(hashes[:, None] ^ hashes[None, :])[np.triu_indices(300, 1)]
    assert far.min() > 10
    for seed in range(5):
        original = scene(seed, 640, 480)
        copies = [
            encoded(original.resize((320, 240))),
            encoded(original, "JPEG", quality=40),
            encoded(original.point(lambda level: min(255, level * 6 // 5))),
        ]
        own = int(read_picture(encoded(original)).dhash, 16)
        assert all((own ^ int(read_picture(copy).dhash, 16)).bit_count() <= 6 for copy in copies)
