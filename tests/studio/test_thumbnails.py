"""Small pictures of every kind that is taken in, and what is said of a picture by rules that are no more."""

from __future__ import annotations

import io

import numpy as np
import pytest
from building import asset, client_of, person
from PIL import Image

from keju.studio import quality
from keju.studio.models import Finding, Role
from keju.studio.thumbnails import SIDE, thumbnail

GREY = Image.linear_gradient("L").resize((640, 360))  # dark above, light below
COLOURS = Image.merge("RGB", (GREY, GREY.rotate(180), GREY))  # green above, magenta below


def encoded(picture, kind="PNG", **how):
    buffer = io.BytesIO()
    picture.save(buffer, kind, **how)
    return buffer.getvalue()


def turned():
    """As a camera writes a picture that was taken upright: the pixels lie, and a mark says so."""
    exif = Image.Exif()
    exif[0x0112] = 6  # turn it clockwise
    return encoded(COLOURS, "JPEG", exif=exif, quality=95)


DEEP = Image.fromarray(np.asarray(GREY).astype(np.uint16) << 8)
SEEN = {
    "16 bits": (encoded(DEEP), (3, 3, 3), (252, 252, 252)),
    "palette": (encoded(COLOURS.quantize(64)), (3, 252, 3), (252, 3, 252)),
    "grey": (encoded(GREY), (3, 3, 3), (252, 252, 252)),
    "CMYK": (encoded(COLOURS.convert("CMYK"), "JPEG", quality=95), (3, 252, 3), (252, 3, 252)),
    "WebP": (encoded(COLOURS, "WEBP", quality=95), (3, 252, 3), (252, 3, 252)),
}


def small(home, data, mime="image/png"):
    made = asset(home, person(home, Role.AUTHOR), data, mime=mime)
    with Image.open(thumbnail(made.sha256)) as opened:
        opened.load()
        return opened


def near(pixel, wanted):
    return all(abs(a - b) < 16 for a, b in zip(pixel[:3], wanted, strict=True))


@pytest.mark.parametrize("kind", list(SEEN))
def test_it_looks_as_the_picture_does(home, kind):
    data, above, below = SEEN[kind]
    made = small(home, data)
    assert made.size == (SIDE, 180)
    pixels = made.convert("RGB")
    assert near(pixels.getpixel((160, 1)), above)
    assert near(pixels.getpixel((160, 178)), below)


def test_a_picture_that_was_taken_upright_stands_upright(home):
    made = small(home, turned(), "image/jpeg")
    assert made.size == (180, SIDE)
    left, right = (made.convert("RGB").getpixel((x, 160)) for x in (178, 1))
    assert near(left, (3, 252, 3))
    assert near(right, (252, 3, 252))


def test_what_is_transparent_stays_so(home):
    clear = Image.merge("LA", (GREY, Image.new("L", GREY.size, 0)))
    assert small(home, encoded(clear)).convert("RGBA").getchannel("A").getextrema() == (0, 0)
    palette = COLOURS.quantize(16)
    assert small(home, encoded(palette, transparency=palette.getpixel((0, 0)))).mode == "RGBA"


def test_two_tones_make_greys_and_not_noise(home):
    lines = Image.fromarray((np.indices((640, 640)).sum(0) % 2).astype(bool))
    values = np.asarray(small(home, encoded(lines)).convert("L"))
    assert abs(values.mean() - 127) < 10
    assert values.std() < 20


def test_a_finding_of_a_rule_that_is_no_more_is_told_as_it_was_written(home):
    owner = person(home, Role.OWNER)
    made = asset(home, owner, encoded(COLOURS), measured={"width": 640, "height": 360})
    message = {"en": "something of old", "zh-hans": "旧的问题", "remedy": {"en": "mend it", "zh-hans": "请修改"}}
    Finding.objects.create(project=home, asset=made, rule="I999", severity="warning", message=message)
    assert [line.finding.rule for line in quality.panel(made).found if line.rule is None] == ["I999"]
    browser = client_of(owner)
    assert "something of old" in browser.get(f"/projects/{home.slug}/assets/{made.pk}").content.decode()
    assert browser.get(f"/projects/{home.slug}/dashboard").status_code == 200


def test_a_threshold_of_a_rule_that_lost_it_does_not_break_the_settings(home):
    home.settings = {"thresholds": {"I101": {"long_gone": 3.0}, "I999": {"near": 1.0}}}
    home.save()
    owner = person(home, Role.OWNER)
    form = client_of(owner).get(f"/projects/{home.slug}/settings").context["form"]
    assert "I101-long_gone" not in form.fields
    assert any(name.startswith("I101-") for name in form.fields)
