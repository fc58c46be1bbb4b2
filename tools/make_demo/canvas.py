"""A sheet of 1280 x 720 to draw on: flat colours, smooth curves, everything at twice the size and then scaled down."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from math import cos, pi, sin
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

Point = tuple[float, float]
Path2D = str | Iterable[Point]
"""Points, or a string of them as in SVG: `"10,20 30,40"`."""
WIDTH, HEIGHT, SCALE = 1280, 720, 2

PAPER, INK, WHITE = "#F5ECDC", "#1F1B1A", "#FFFFFF"
RED, DARK_RED, PINK = "#C0281F", "#7E1A16", "#E9A6A0"
GOLD, DARK_GOLD = "#E2B04A", "#A9782A"
GREEN, DARK_GREEN = "#3E7F5E", "#20503B"
BLUE, NIGHT, SKY = "#2F62A8", "#232C45", "#CFE0E6"
WOOD, DARK_WOOD = "#9A6236", "#5E3A20"
SKIN, GREY = "#F3D3B6", "#8C8780"

FONTS = {
    "sans": ("NotoSansCJK-Bold.ttc", {"hans": 2, "hant": 3}),
    "serif": ("NotoSerifCJK-Bold.ttc", {"hans": 2, "hant": 3}),
    "kai": ("ukai.ttc", {"hans": 0, "hant": 2}),
}
"""Debian's fonts-noto-cjk and fonts-arphic-ukai: file and face by script. They are drawn with, not shipped."""
FONT_FOLDERS = ("/usr/share/fonts/opentype/noto", "/usr/share/fonts/truetype/arphic")


def points(path: Path2D) -> list[Point]:
    """`"10,20 30,40"` as points; points stay as they are."""
    if isinstance(path, str):
        return [(float(x), float(y)) for x, y in (pair.split(",") for pair in path.split())]
    return list(path)


@cache
def font(family: str, script: str, size: int) -> ImageFont.FreeTypeFont:
    file, faces = FONTS[family]
    for folder in FONT_FOLDERS:
        if (path := Path(folder) / file).is_file():
            return ImageFont.truetype(str(path), size, index=faces[script])
    raise SystemExit(f"font {file} is not installed: apt-get install fonts-noto-cjk fonts-arphic-ukai")


def smooth(path: Path2D, *, closed: bool = True, steps: int = 16) -> list[Point]:
    """A Catmull-Rom curve through the points of `path`."""
    knots = points(path)
    n = len(knots)

    def at(i: int) -> Point:
        return knots[i % n] if closed else knots[min(max(i, 0), n - 1)]

    curve = []
    for i in range(n if closed else n - 1):
        p0, p1, p2, p3 = at(i - 1), at(i), at(i + 1), at(i + 2)
        for k in range(steps):
            t = k / steps
            curve.append(
                tuple(
                    0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - a - 3 * c + d) * t**3)
                    for a, b, c, d in zip(p0, p1, p2, p3, strict=True)
                )
            )
    return curve if closed else [*curve, knots[-1]]


def arc(cx: float, cy: float, rx: float, ry: float, start: float, end: float, steps: int = 40) -> list[Point]:
    """Points on an ellipse from angle `start` to `end` in degrees, clockwise from the right."""
    angles = (pi / 180 * (start + (end - start) * k / steps) for k in range(steps + 1))
    return [(cx + rx * cos(a), cy + ry * sin(a)) for a in angles]


class Canvas:
    """Draws in units of the final picture; `at` gives a view that is moved, scaled, turned or mirrored."""

    def __init__(self, ground: str = PAPER) -> None:
        self.image = Image.new("RGB", (WIDTH * SCALE, HEIGHT * SCALE), ground)
        self._draw = ImageDraw.Draw(self.image)
        self._right: Point = (1.0, 0.0)
        self._down: Point = (0.0, 1.0)
        self._origin: Point = (0.0, 0.0)
        self._zoom = 1.0

    def at(self, x: float, y: float, zoom: float = 1.0, *, turn: float = 0.0, flip: bool = False) -> Canvas:
        """A view of the same sheet whose origin is at (x, y) of this one, turned clockwise by `turn` degrees."""
        view = object.__new__(Canvas)
        view.image, view._draw, view._origin, view._zoom = (
            self.image,
            self._draw,
            self._place((x, y)),
            self._zoom * zoom,
        )
        c, s, sign = cos(turn * pi / 180) * zoom, sin(turn * pi / 180) * zoom, -1 if flip else 1
        (rx, ry), (dx, dy) = self._right, self._down
        view._right = (sign * (c * rx + s * dx), sign * (c * ry + s * dy))
        view._down = (c * dx - s * rx, c * dy - s * ry)
        return view

    def sides(self, x: float = 0) -> tuple[Canvas, Canvas]:
        """This view and its mirror image at the line `x`: what is drawn on both is symmetrical."""
        return self.at(x, 0), self.at(x, 0, flip=True)

    def _place(self, point: Point) -> Point:
        x, y = point
        return (
            self._origin[0] + x * self._right[0] + y * self._down[0],
            self._origin[1] + x * self._right[1] + y * self._down[1],
        )

    def _to(self, point: Point) -> Point:
        x, y = self._place(point)
        return x * SCALE, y * SCALE

    def _thick(self, width: float) -> int:
        return max(1, round(width * self._zoom * SCALE))

    def shape(
        self, path: Path2D, fill: str, edge: str | None = None, width: float = 3, *, curved: bool = False
    ) -> None:
        """A filled area; `curved` runs a smooth line through the points."""
        corners = points(path)
        outline = [self._to(p) for p in (smooth(corners) if curved else corners)]
        self._draw.polygon(outline, fill)
        if edge:
            self._draw.line([*outline, *outline[:2]], edge, self._thick(width), joint="curve")

    def line(self, path: Path2D, colour: str, width: float, *, curved: bool = False) -> None:
        """A stroke with round ends."""
        knots = points(path)
        stroke = [self._to(p) for p in (smooth(knots, closed=False) if curved else knots)]
        thick = self._thick(width)
        self._draw.line(stroke, colour, thick, joint="curve")
        for x, y in (stroke[0], stroke[-1]):
            self._draw.ellipse((x - thick / 2, y - thick / 2, x + thick / 2, y + thick / 2), colour)

    def brush(self, path: Path2D, colour: str, widest: float, *, taper: float = 0.0) -> None:
        """A stroke that swells in the middle and ends in a point, as a brush leaves it; `taper` 1 only thins out."""
        knots = smooth(path, closed=False)
        left, right = [], []
        for i, (x, y) in enumerate(knots):
            (x0, y0), (x1, y1) = knots[max(i - 1, 0)], knots[min(i + 1, len(knots) - 1)]
            length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5 or 1
            t = i / (len(knots) - 1)
            half = widest / 2 * ((1 - t) ** 0.7 if taper else sin(pi * t) ** 0.7)
            dx, dy = -(y1 - y0) / length * half, (x1 - x0) / length * half
            left.append((x + dx, y + dy))
            right.append((x - dx, y - dy))
        self.shape(left + right[::-1], colour)

    def oval(
        self, cx: float, cy: float, rx: float, ry: float, fill: str | None, edge: str | None = None, w: float = 3
    ) -> None:
        rim = arc(cx, cy, rx, ry, 0, 360, 120)
        if fill:
            self.shape(rim, fill, edge, w)
        elif edge:
            self.line(rim, edge, w)

    def dot(self, cx: float, cy: float, r: float, fill: str, edge: str | None = None, w: float = 3) -> None:
        self.oval(cx, cy, r, r, fill, edge, w)

    def box(
        self,
        x: float,
        y: float,
        w: float,
        h: float,
        fill: str | None,
        edge: str | None = None,
        width: float = 3,
        r: float = 0,
    ) -> None:
        """A rectangle with corners of radius `r`."""
        corners = (
            arc(x + w - r, y + r, r, r, -90, 0, 12)
            + arc(x + w - r, y + h - r, r, r, 0, 90, 12)
            + arc(x + r, y + h - r, r, r, 90, 180, 12)
            + arc(x + r, y + r, r, r, 180, 270, 12)
        )
        if fill:
            self.shape(corners, fill, edge, width)
        elif edge:
            self.line([*corners, corners[0]], edge, width)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        colour: str = INK,
        *,
        family: str = "sans",
        script: str = "hans",
        anchor: str = "mm",
    ) -> None:
        """Horizontal text; `anchor` as in Pillow (`mm` centred, `lm` from the left)."""
        face = font(family, script, self._thick(size))
        self._draw.text(self._to((x, y)), text, colour, face, anchor)

    def column(
        self, x: float, y: float, text: str, size: float, colour: str = INK, *, gap: float = 0.12, **style: str
    ) -> None:
        """Vertical text: one character under the other, the first centred at (x, y)."""
        for i, sign in enumerate(text):
            self.text(x, y + i * size * (1 + gap), sign, size, colour, **style)  # type: ignore[arg-type]

    def save(self, path: Path) -> None:
        """1280 x 720, RGB, 150 dpi (Multi-TW section 2.1), as small as lossless PNG makes it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        small = self.image.reduce(SCALE)  # plain averages: sharper filters ring, which doubles the file
        small.save(path, optimize=True, dpi=(150, 150))
