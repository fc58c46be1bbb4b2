"""Painted faces (lianpu), seen from the front. The origin is the middle of the face, which is about 300 x 420."""

from __future__ import annotations

from canvas import (
    BLUE,
    DARK_GOLD,
    DARK_GREEN,
    DARK_RED,
    GOLD,
    GREEN,
    INK,
    RED,
    SKIN,
    WHITE,
    Canvas,
    Path2D,
    points,
    smooth,
)

HEAD = "0,-205 95,-180 140,-95 146,10 122,105 78,178 0,208 -78,178 -122,105 -146,10 -140,-95 -95,-180"


def head(c: Canvas, colour: str) -> None:
    for side in c.sides():
        side.shape("138,-40 166,-52 172,0 160,48 134,44", colour, INK, 3, curved=True)
    c.shape(HEAD, colour, INK, 4, curved=True)


def eye(side: Canvas, *, slant: float = 14, long: float = 54, tall: float = 17) -> None:
    """One open eye, on the right of the origin's line."""
    shape = [(26, 8), (26 + long * 0.45, -tall), (26 + long, -slant), (26 + long * 0.5, tall * 0.55)]
    side.shape(shape, WHITE, INK, 5, curved=True)
    side.dot(26 + long * 0.47, -4, tall * 0.66, INK)


def nose_and_mouth(c: Canvas, lips: str = "#8E1D1A") -> None:
    for side in c.sides():
        side.line("9,20 15,62 27,82 12,92", INK, 3, curved=True)
    c.shape("-40,130 -14,122 0,127 14,122 40,130 14,144 -14,144", lips, curved=True)
    c.line("-40,130 0,133 40,130", INK, 2.5, curved=True)


def beard(c: Canvas, colour: str, *, full: bool) -> None:
    """A stage beard on its wire: one broad curtain (`full`), or three strands."""
    if full:
        outline = "-142,84 -70,114 0,120 70,114 142,84 156,230 120,370 60,400 0,408 -60,400 -120,370 -156,230"
        c.shape(outline, colour, curved=True)
        for x in range(-120, 121, 24):
            c.line(
                [(x, 130), (x * 1.05, 250), (x * 0.9, 385)], "#4A4644" if colour == INK else "#B8B2AA", 2, curved=True
            )
        return
    for x, foot, half in ((0, 400, 34), (104, 350, 22), (-104, 350, 22)):
        top = 150 if x == 0 else 96
        c.shape(
            [
                (x - half, top),
                (x + half, top),
                (x + half * 0.9, foot - 90),
                (x * 0.94, foot),
                (x - half * 0.9, foot - 90),
            ],
            colour,
            curved=True,
        )
    for side in c.sides():
        side.brush("4,116 60,112 104,120 112,190", colour, 22)


def hat(c: Canvas, colour: str, edge: str, top: float) -> None:
    """A cap from the brow (y = -120 at the temples) up to `top`."""
    brim = points("154,-104 80,-146 0,-158 -80,-146 -154,-104")
    crown = [(-160, -180), (-118, -top * 0.9), (0, -top), (118, -top * 0.9), (160, -180)]
    c.shape(smooth(brim, closed=False) + smooth([brim[-1], *crown, brim[0]], closed=False), colour, edge, 4)


def shoulders(c: Canvas, robe: str, trim: str) -> None:
    """The robe below the chin, with its crossed collar."""
    c.shape("-90,170 -250,230 -390,330 -430,520 430,520 390,330 250,230 90,170", robe, INK, 4, curved=True)
    c.shape("-80,160 80,160 40,300 0,360 -40,300", WHITE)
    for side in c.sides():
        side.brush("96,150 60,270 -60,440", trim, 56)


def pompons(c: Canvas, places: Path2D, colour: str, r: float = 15) -> None:
    for x, y in points(places):
        c.dot(x, y, r, colour, INK, 2)
        c.dot(x - r * 0.3, y - r * 0.3, r * 0.3, WHITE)


def guan_yu(c: Canvas) -> None:
    """Red whole face, phoenix eyes, silkworm brows, five-strand beard, green helmet."""
    shoulders(c, DARK_GREEN, GOLD)
    for side in c.sides():
        side.shape("140,-130 206,-140 226,40 210,150 160,60", DARK_GREEN, INK, 4, curved=True)
    head(c, RED)
    hat(c, GREEN, INK, 300)
    for side in c.sides():
        side.brush("20,-206 90,-216 150,-170", GOLD, 14)
    c.shape(
        "-152,-118 -80,-168 0,-178 80,-168 152,-118 146,-84 80,-132 0,-144 -80,-132 -146,-84",
        GOLD,
        INK,
        3,
    )
    pompons(c, [(x, -150 + abs(x) * 0.22) for x in range(-120, 121, 40)], RED)
    pompons(c, [(x, -302 + abs(x) * 0.42) for x in range(-120, 121, 40)], RED, 20)
    c.dot(0, -222, 32, GOLD, INK, 3)
    c.dot(0, -222, 17, RED, INK, 2)
    for side in c.sides():
        side.brush("10,-20 34,-66 84,-84 124,-70", INK, 26)
        side.brush("14,20 50,0 92,-14 122,-40", INK, 20)
        side.shape("32,6 62,-8 98,-20 70,4", WHITE, curved=True)
        side.dot(66, -6, 7, INK)
        side.brush("22,40 40,80 72,104", INK, 8)
        side.brush("6,-40 10,-76 4,-112", INK, 7)
    nose_and_mouth(c, "#6E1412")
    beard(c, INK, full=False)


def cao_cao(c: Canvas) -> None:
    """White whole face with thin black lines, narrow eyes, full black beard, minister's hat with long wings."""
    shoulders(c, DARK_RED, GOLD)
    for side in c.sides():
        side.line("130,-190 250,-204 350,-188", INK, 20, curved=True)
        side.oval(372, -186, 46, 20, INK, GOLD, 3)
    head(c, WHITE)
    hat(c, INK, GOLD, 320)
    c.shape(
        "-150,-112 -80,-160 0,-172 80,-160 150,-112 146,-82 80,-126 0,-138 -80,-126 -146,-82",
        INK,
        GOLD,
        3,
    )
    c.dot(0, -228, 28, GOLD)
    c.dot(0, -228, 14, RED)
    for side in c.sides():
        side.brush("12,-34 54,-74 112,-62 132,-40", INK, 14)
        side.brush("16,14 60,-18 118,-26", INK, 12)
        side.shape("34,6 64,-10 100,-16 72,6", WHITE, INK, 2.5, curved=True)
        side.dot(67, -3, 6, INK)
        side.brush("20,24 70,26 120,4", INK, 6)
        side.brush("18,40 46,62 62,104", INK, 7)
        side.brush("76,40 108,52 126,84", INK, 4)
        side.brush("5,-30 13,-62 4,-104", INK, 5)
        side.brush("22,-62 34,-94 30,-116", INK, 4)
    nose_and_mouth(c, "#9C3A33")
    beard(c, INK, full=True)


def clown(c: Canvas) -> None:
    """Natural skin with the white patch over nose and eyes, dabs of rouge, thin moustache, little black cap."""
    shoulders(c, BLUE, WHITE)
    head(c, SKIN)
    c.shape("-64,-40 0,-54 64,-40 70,6 40,66 0,80 -40,66 -70,6", WHITE, curved=True)
    for side in c.sides():
        side.dot(94, 62, 25, "#E8988C")
        side.brush("14,-70 44,-96 72,-60 96,-66", INK, 15)
        side.shape("20,-6 42,-24 64,-8 42,6", WHITE, INK, 4, curved=True)
        side.dot(40, -8, 8.5, INK)
        side.brush("22,14 44,24 64,16", INK, 5)
        side.brush("12,36 22,46 22,64", INK, 6)
        side.brush("4,108 50,96 92,110 112,76", INK, 11)
    c.dot(0, 74, 5, INK)
    c.shape("-26,136 0,130 26,136 0,148", "#B22A22", curved=True)
    c.brush("0,160 4,200 -10,236", INK, 20, taper=1)
    c.shape(
        "-146,-96 -148,-180 -96,-262 0,-280 96,-262 148,-180 146,-96 0,-122",
        INK,
        "#4A4644",
        4,
        curved=True,
    )
    c.shape(
        "-152,-92 -80,-124 0,-134 80,-124 152,-92 148,-128 80,-160 0,-170 -80,-160 -148,-128",
        BLUE,
        INK,
        3,
    )
    c.box(-18, -170, 36, 36, WHITE, INK, 3, r=6)
    pompons(c, "0,-292", RED, 20)


MASKS = {
    "red": (RED, INK, GOLD),
    "blue": (BLUE, INK, WHITE),
    "gold": (GOLD, RED, INK),
}


def silk_mask(c: Canvas, name: str) -> None:
    """A mask of thin silk as changed on the Sichuan stage: ground, main lines, ornament."""
    ground, lines, ornament = MASKS[name]
    head(c, ground)
    c.shape("0,-196 26,-130 14,-60 0,-40 -14,-60 -26,-130", ornament, lines, 3, curved=True)
    for side in c.sides():
        side.shape("10,-28 52,-108 126,-122 112,-64 60,-44", lines, curved=True)
        side.brush("40,-66 80,-98 110,-104", ornament, 12)
        side.shape("14,16 60,-40 128,-22 116,34 60,30", lines, curved=True)
        eye(side.at(4, 2), slant=16)
        side.shape("16,40 70,52 118,76 92,150 52,118", lines, curved=True)
        side.brush("40,62 82,84 88,128", ornament, 14)
    for side in c.sides():
        side.line("10,28 16,64 30,82 10,94", lines if ground != lines else INK, 4, curved=True)
    c.shape("-48,136 0,122 48,136 30,164 -30,164", INK, curved=True)
    c.shape("-34,140 0,132 34,140 0,150", WHITE, curved=True)


def black_cap(c: Canvas) -> None:
    """The cap of a face changer: black with a fan of gold and a red crest."""
    c.shape(
        "-150,-100 -160,-190 -100,-270 0,-290 100,-270 160,-190 150,-100 0,-136",
        INK,
        DARK_GOLD,
        4,
        curved=True,
    )
    c.shape(
        "-60,-262 -96,-340 -40,-360 0,-390 40,-360 96,-340 60,-262 0,-250",
        RED,
        DARK_GOLD,
        4,
        curved=True,
    )
    c.dot(0, -210, 30, GOLD)
    c.dot(0, -210, 15, RED)
