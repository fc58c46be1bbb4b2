"""Every picture of the demo by name: which drawing, where on the sheet, on which ground."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import boards
import faces
import figures
import props
import scenes
from canvas import PAPER, Canvas

Drawing = Callable[[Canvas], None]

WHOLE: tuple[Drawing, ...] = (
    scenes.empty_city,
    scenes.peony_dream,
    scenes.butterflies,
    scenes.face_changer,
    boards.kunqu_bill,
    boards.water_board,
    boards.huangmei_poster,
    boards.yuju_poster,
    boards.subtitle_screen,
    boards.cast_list,
    boards.flower_board,
    boards.clinic,
    boards.menu,
    boards.exits,
    boards.ticket,
)
"""Drawings that fill the sheet."""

SINGLE: dict[str, tuple[Drawing, str, tuple[float, float, float]]] = {
    "guan_yu": (faces.guan_yu, PAPER, (640, 350, 0.92)),
    "cao_cao": (faces.cao_cao, "#E4E9E2", (640, 355, 0.92)),
    "clown": (faces.clown, "#F1E6C9", (640, 375, 1.05)),
    "horsewhip": (props.horsewhip, "#DCE7DF", (0, 0, 1)),
    "banhu": (props.banhu, "#C9DAD6", (640, 350, 0.96)),
    "weeping_lady": (figures.weeping_lady, "#EFE4D8", (640, 275, 1)),
    "armoured_general": (figures.armoured_general, PAPER, (640, 388, 0.84)),
    "dragon_robe": (figures.dragon_robe, "#E3E6DA", (640, 335, 1)),
    "boatman": (figures.boatman, "#E6E1D3", (600, 352, 0.98)),
}
"""Drawings of one thing: ground, and place and size on it."""


def draw(name: str) -> Canvas:
    """The picture called `name`. Raises `KeyError` where there is none."""
    if name in SINGLE:
        drawing, ground, place = SINGLE[name]
        sheet = Canvas(ground)
        drawing(sheet.at(*place))
        return sheet
    sheet = Canvas()
    {drawing.__name__: drawing for drawing in WHOLE}[name](sheet)
    return sheet


def draw_all(named: Iterable[tuple[str, Path]]) -> None:
    """Draw each picture into its file."""
    for name, path in named:
        draw(name).save(path)
        print(f"{path.name}: {name}, {path.stat().st_size / 1000:.0f} kB")
