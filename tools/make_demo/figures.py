"""People and clothes of the stage, seen from the front."""

from __future__ import annotations

from canvas import (
    BLUE,
    DARK_GOLD,
    DARK_GREEN,
    DARK_RED,
    DARK_WOOD,
    GOLD,
    GREEN,
    INK,
    PINK,
    RED,
    SKIN,
    SKY,
    WHITE,
    WOOD,
    Canvas,
    arc,
)

SHADE = "#D8D2C6"


def pretty_head(c: Canvas, *, weeping: bool = False, asleep: bool = False) -> None:
    """A young woman's made-up face (about 130 x 170): rouge around the eyes, side locks, small mouth."""
    c.shape("0,-104 70,-88 92,-20 80,60 -80,60 -92,-20 -70,-88", INK, curved=True)
    c.shape("0,-66 44,-58 60,-10 50,40 22,80 0,90 -22,80 -50,40 -60,-10 -44,-58", SKIN, INK, 3, curved=True)
    for side in c.sides():
        side.oval(30, 10, 23, 31, PINK)
        side.shape("64,-62 72,0 62,62 48,66 54,10 44,-40", INK, curved=True)
        side.shape("0,-72 34,-66 54,-34 30,-46 12,-50 0,-46", INK, curved=True)
        inner, outer = (-24, -12) if weeping else (-16, -26)
        side.brush([(10, inner), (28, (inner + outer) / 2 - 5), (50, outer)], INK, 6)
        if weeping or asleep:
            side.brush("12,2 30,14 50,4", INK, 6)
        else:
            side.brush("12,4 30,-8 54,-8", INK, 7)
            side.oval(31, 3, 12, 6, WHITE)
            side.dot(31, 2, 6, INK)
    c.line("-3,28 -6,38 3,40", "#A8705A", 2.5, curved=True)
    mouth = "-13,64 0,57 13,64 0,66" if weeping else "-13,60 -4,56 0,58 4,56 13,60 0,70"
    c.shape(mouth, RED, curved=True)


def flowers(c: Canvas, places: str, colour: str, r: float = 13) -> None:
    """Small five-petalled flowers of a headdress."""
    for pair in places.split():
        x, y = (float(v) for v in pair.split(","))
        for px, py in arc(x, y, r * 0.62, r * 0.62, 0, 288, 4):
            c.dot(px, py, r * 0.5, colour)
        c.dot(x, y, r * 0.36, GOLD)


def weeping_lady(c: Canvas) -> None:
    """A young woman with bowed head who dries her tears with a water sleeve."""
    c.shape("-70,90 -200,150 -270,330 -300,620 300,620 270,330 200,150 70,90", SKY, INK, 4, curved=True)
    c.shape("-44,70 44,70 30,150 0,190 -30,150", WHITE)
    for side in c.sides():
        side.brush("52,84 30,190 -30,330", "#7FA9BC", 34)
    for x in (-120, -60, 60, 120):
        c.line([(x, 330), (x * 1.2, 600)], "#A9C6D0", 3)
    c.line("-262,300 -230,430 -250,600", INK, 4, curved=True)
    head = c.at(10, 10, 1.35, turn=13)
    head.shape("-60,-90 -40,-150 20,-165 70,-130 78,-80", INK, curved=True)
    pretty_head(head, weeping=True)
    flowers(head, "-66,-66 -46,-92 -16,-106 16,-106 46,-92 66,-66", "#8FC1E3", 17)
    flowers(head, "-30,-140 10,-148", PINK, 20)
    for x, y in ((-34, 30), (-36, 52)):
        head.shape([(x, y - 12), (x + 6, y), (x, y + 6), (x - 6, y)], "#5FA4D8", curved=True)
    c.shape("262,330 210,190 140,120 96,170 120,290 180,420 260,460", SKY, INK, 4, curved=True)
    c.shape("150,110 70,22 30,8 6,40 30,110 20,210 40,330 110,360 130,300 150,220 176,160", WHITE, INK, 4, curved=True)
    for shift in (0, 30, 60):
        c.line(
            [(60 + shift, 70 + shift * 0.6), (60 + shift * 0.8, 190), (64 + shift * 0.8, 320)], SHADE, 3.5, curved=True
        )


def flag(c: Canvas, colour: str) -> None:
    """One of the four flags on an armour's back, on a pole that rises from the origin."""
    c.line("0,0 0,-330", DARK_WOOD, 7)
    c.shape("4,-322 150,-196 4,-120", colour, INK, 4)
    c.shape("16,-290 118,-198 16,-146", WHITE, GOLD, 4)
    c.dot(50, -210, 22, colour, GOLD, 4)
    c.shape("-8,-330 0,-362 8,-330", GOLD, INK, 2)


def scales(c: Canvas, x: float, y: float, columns: int, rows: int, size: float, colour: str) -> None:
    """Fish scales of a woven armour."""
    for row in range(rows):
        for column in range(columns - row % 2):
            left = x + (column + row % 2 / 2) * size
            c.line(arc(left + size / 2, y + row * size * 0.6, size / 2, size * 0.5, 0, 180, 12), colour, 2.5)


def armoured_general(c: Canvas) -> None:
    """A woman general in kao: four back flags, pheasant plumes, belly panel, leg panels."""
    for side in c.sides():
        flag(side.at(40, -60, turn=16), RED)
        flag(side.at(56, -20, turn=52), RED)
    for side in c.sides():
        side.line("22,-200 70,-330 210,-370 330,-300 380,-190", DARK_WOOD, 13, curved=True)
        side.line("22,-200 70,-330 210,-370 330,-300 380,-190", GOLD, 4, curved=True)
    for side in c.sides():
        side.shape("30,60 150,70 176,330 60,350 20,240", DARK_RED, INK, 4)
        scales(side, 62, 110, 3, 12, 32, GOLD)
        side.shape("44,318 178,300 180,340 50,362", GREEN, INK, 3)
        side.shape("60,352 130,346 132,386 40,386 44,366", INK)
        side.shape("40,372 138,372 140,394 34,394", WHITE, INK, 3)
    c.shape("-110,-90 0,-104 110,-90 120,60 90,130 -90,130 -120,60", RED, INK, 4)
    scales(c, -84, -60, 5, 5, 34, GOLD)
    for side in c.sides():
        side.shape("84,-92 150,-78 186,10 150,84 104,56 96,-20", RED, INK, 4, curved=True)
        side.shape("104,-86 150,-72 168,-26 120,-30", GREEN, GOLD, 4, curved=True)
        side.shape("150,84 104,56 54,84 66,120 120,118", WHITE, INK, 3, curved=True)
        side.shape("62,84 34,78 20,98 34,116 64,112", SKIN, INK, 3, curved=True)
    c.shape("-104,128 104,128 132,196 110,262 0,290 -110,262 -132,196", DARK_GREEN, GOLD, 6, curved=True)
    tiger(c.at(0, 204))
    c.box(-100, 112, 200, 24, GOLD, INK, 3, r=8)
    pretty_head(c.at(0, -150, 0.8))
    c.shape("-76,-186 -66,-232 0,-252 66,-232 76,-186 40,-206 -40,-206", BLUE, INK, 4, curved=True)
    for x in range(-64, 65, 32):
        c.dot(x, -200 - (64 - abs(x)) * 0.18, 13, RED, INK, 2)
        c.dot(x * 0.8, -240 - (64 - abs(x)) * 0.3, 13, PINK, INK, 2)
    c.dot(0, -224, 15, GOLD, INK, 2)
    for x in (-40, -20, 0, 20, 40):
        c.line([(x, -78), (x * 1.1, -40)], WHITE, 5)


def tiger(c: Canvas) -> None:
    """The tiger's head on an armour's belly panel."""
    c.shape("-58,-36 -40,-56 0,-48 40,-56 58,-36 54,24 26,54 -26,54 -54,24", GOLD, INK, 3, curved=True)
    for side in c.sides():
        side.dot(24, -10, 13, WHITE, INK, 3)
        side.dot(24, -9, 6, INK)
        side.brush("10,-30 26,-36 46,-26", INK, 7)
        side.brush("34,20 48,18 58,8", INK, 5)
    for y in (-34, -22):
        c.line([(-10, y), (10, y)], INK, 4)
    c.shape("-12,8 12,8 0,20", INK)
    c.shape("-30,28 0,22 30,28 20,46 -20,46", DARK_RED, INK, 2, curved=True)
    for x in (-16, -5, 6):
        c.shape([(x, 28), (x + 10, 28), (x + 5, 37)], WHITE)


def dragon(c: Canvas, colour: str = GOLD) -> None:
    """A coiled dragon about 200 across."""
    c.oval(0, 0, 104, 104, None, colour, 4)
    c.brush("-8,-14 44,-52 76,0 40,66 -34,70 -74,14 -52,-54 -14,-82", colour, 34)
    for (x, y), turn in (((70, 30), 20), ((-14, 76), 110), ((-74, -10), 200)):
        leg = c.at(x, y, turn=turn)
        for toe in (-24, 0, 24):
            leg.at(0, 0, turn=toe).brush("0,0 14,-4 26,0", colour, 8)
    face = c.at(-12, -6, 1.15)
    face.shape("-34,-22 0,-32 34,-22 30,10 14,34 -14,34 -30,10", colour, DARK_RED, 3, curved=True)
    for side in face.sides():
        side.dot(14, -6, 7, WHITE, INK, 2)
        side.dot(14, -5, 3, INK)
        side.brush("16,-28 30,-44 26,-62", colour, 9)
        side.brush("18,20 44,26 52,8", colour, 5)
    face.dot(-5, 18, 2.5, DARK_RED)
    face.dot(5, 18, 2.5, DARK_RED)
    c.dot(4, 50, 13, WHITE, RED, 5)


def dragon_robe(c: Canvas) -> None:
    """A python robe (mang) spread out: dragons, water and cliffs at the hem, jade belt, white water sleeves."""
    for side in c.sides():
        side.shape("430,-190 560,-180 556,-10 420,-20", WHITE, INK, 4)
        for x in (460, 490, 520):
            side.line([(x, -182), (x - 6, -18)], SHADE, 3)
        side.shape("60,-250 200,-236 440,-200 430,0 236,-40 190,-20", RED, INK, 4)
    c.shape("-130,-250 130,-250 206,-60 226,330 -226,330 -206,-60", RED, INK, 4)
    for side in c.sides():
        dragon(side.at(330, -108, 0.72))
        side.brush("20,-250 60,-190 100,-160", GOLD, 16)
    dragon(c.at(0, -70, 1.05))
    waves(c.at(0, 330))
    c.dot(0, -250, 50, WHITE, INK, 4)
    c.dot(0, -254, 40, "#E9DDCB", INK, 3)
    c.oval(0, 66, 236, 40, None, WHITE, 24)
    c.oval(0, 66, 236, 40, None, INK, 3)
    for x in range(-192, 193, 64):
        c.box(x - 21, 66 + 40 * (1 - (x / 236) ** 2) ** 0.5 - 15, 42, 30, "#7DB39A", GOLD, 3, r=6)


def waves(c: Canvas) -> None:
    """The hem of a court robe from the origin upwards: slanting water, rounded waves, a cliff in the middle."""
    for i in range(-11, 11):
        colours = (BLUE, GREEN, WHITE, GOLD)
        c.shape([(i * 20, 0), (i * 20 + 20, 0), (i * 20 + 20, -40), (i * 20, -40)], colours[i % 4])
    for row, (colour, y) in enumerate(((BLUE, -44), (SKY, -62))):
        for i in range(-5 + row, 6):
            x = i * 40 - row * 20
            c.shape(arc(x, y + 4, 20, 22, 180, 360, 16), colour, WHITE, 3)
    for side in c.sides():
        side.shape("-2,-46 -2,-128 14,-108 22,-132 38,-90 46,-46", GREEN, GOLD, 4)


def boatman(c: Canvas) -> None:
    """An old boatman with straw hat and white beard; both hands on a long oar. There is no boat and no water."""
    for side in c.sides():
        side.shape("4,150 76,150 92,318 30,318", "#6B7F86", INK, 4)
        side.shape("24,312 96,312 118,346 22,346", INK)
    c.shape("-96,-70 96,-70 132,170 -132,170", "#8AA0A0", INK, 4)
    for x in range(-120, 121, 24):
        c.shape(
            [(x - 16, 40), (x + 16, 40), (x + 22, 190), (x, 214), (x - 22, 190)], "#B58C4A", DARK_WOOD, 3, curved=True
        )
    c.box(-112, 34, 224, 24, RED, INK, 3, r=8)
    c.shape("-104,-82 -60,-100 60,-100 104,-82 134,-6 100,20 -100,20 -134,-6", "#C79C55", DARK_WOOD, 4, curved=True)
    for x in range(-96, 97, 24):
        c.line([(x, -70), (x * 1.15, 12)], DARK_WOOD, 2.5)
    c.shape("0,-230 62,-214 70,-140 40,-96 -40,-96 -70,-140 -62,-214", SKIN, INK, 4, curved=True)
    c.shape("-48,-134 0,-122 48,-134 54,-60 20,20 0,44 -20,20 -54,-60", WHITE, INK, 3, curved=True)
    for x in (-24, -8, 8, 24):
        c.line([(x, -112), (x * 0.8, -6)], SHADE, 3)
    for side in c.sides():
        side.brush("14,-176 34,-188 54,-172", WHITE, 13)
        side.brush("16,-158 32,-152 48,-160", INK, 6)
        side.oval(44, -142, 12, 8, PINK)
    c.line("0,-160 -8,-140 6,-136", INK, 3, curved=True)
    c.line("-14,-116 0,-112 14,-116", DARK_RED, 5, curved=True)
    c.shape("0,-330 176,-186 90,-172 0,-168 -90,-172 -176,-186", GOLD, DARK_WOOD, 4)
    for x in (-120, -60, 0, 60, 120):
        c.line([(0, -328), (x, -176)], DARK_GOLD, 3)
    c.line("-300,-236 330,250", DARK_WOOD, 20)
    c.line("-300,-236 330,250", WOOD, 13)
    c.shape("290,200 330,196 470,320 456,372 400,352 300,250", WOOD, DARK_WOOD, 5, curved=True)
    c.shape("-330,-256 -292,-262 -270,-220 -302,-206", DARK_WOOD, INK, 3)
    c.shape("-104,-78 -150,-60 -170,-90 -214,-140 -176,-172 -120,-130 -70,-70", "#8AA0A0", INK, 4, curved=True)
    c.shape("104,-70 150,0 120,90 70,84 84,20 60,-40", "#8AA0A0", INK, 4, curved=True)
    for x, y in ((-190, -150), (96, 70)):
        c.shape(
            [(x - 30, y - 8), (x - 8, y - 34), (x + 26, y - 20), (x + 32, y + 12), (x + 4, y + 30), (x - 24, y + 18)],
            SKIN,
            INK,
            4,
            curved=True,
        )
        for k in (-12, 0, 12):
            c.line([(x + k - 6, y - 10), (x + k + 6, y + 10)], INK, 3)
