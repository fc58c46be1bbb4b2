"""Whole stage pictures: three stories and a face changer."""

from __future__ import annotations

import faces
import figures
from canvas import (
    DARK_GREEN,
    DARK_RED,
    DARK_WOOD,
    GOLD,
    GREEN,
    GREY,
    INK,
    NIGHT,
    PAPER,
    PINK,
    RED,
    SKIN,
    SKY,
    WHITE,
    WOOD,
    Canvas,
    arc,
)


def sweeper(c: Canvas) -> None:
    """An old soldier, seen from the front, who sweeps the ground."""
    c.shape("-42,-60 42,-60 64,70 -64,70", "#6F7C6A", INK, 4)
    c.box(-62, 6, 124, 14, DARK_RED)
    c.shape("-44,70 -8,70 -10,118 -50,118", INK)
    c.shape("44,70 8,70 10,118 50,118", INK)
    c.oval(0, -92, 32, 38, SKIN, INK, 4)
    c.shape("-38,-104 -30,-140 0,-154 30,-140 38,-104", INK)
    c.shape("-24,-82 0,-74 24,-82 14,-34 0,-22 -14,-34", WHITE, INK, 3, curved=True)
    for side in c.sides():
        side.line("6,-98 20,-98", INK, 4)
    c.line("-70,-40 92,84", WOOD, 9)
    c.shape("84,72 106,92 150,132 66,140", "#C79C55", DARK_WOOD, 3)
    for x, y in ((-44, -18), (24, 34)):
        c.dot(x, y, 15, SKIN, INK, 3)


def strategist(c: Canvas) -> None:
    """Zhuge Liang behind his zither, feather fan in hand, in a robe with the eight trigrams."""
    c.shape("-92,-40 92,-40 130,90 -130,90", NIGHT, INK, 4, curved=False)
    c.dot(-58, 20, 22, WHITE, GOLD, 3)
    c.shape(arc(-58, 20, 20, 20, 90, 270), INK)
    c.dot(58, 20, 22, WHITE, GOLD, 3)
    c.shape(arc(58, 20, 20, 20, 90, 270), INK)
    c.shape("-26,-44 26,-44 0,20", WHITE, GOLD, 5)
    c.oval(0, -84, 36, 44, SKIN, INK, 4)
    c.shape("-42,-96 -48,-150 0,-170 48,-150 42,-96 0,-110", "#2B3A5C", GOLD, 4)
    for x in (-24, 0, 24):
        c.line([(x, -158 + abs(x) * 0.3), (x * 0.8, -112)], GOLD, 3)
    for side in c.sides():
        side.brush("8,-96 20,-102 30,-94", INK, 5)
        side.line("12,-86 24,-86", INK, 4)
    for x, half, foot in ((0, 12, 30), (-26, 6, 0), (26, 6, 0)):
        c.shape([(x - half, -62), (x + half, -62), (x, foot)], INK)
    fan = c.at(96, -30, turn=24)
    fan.line("0,70 0,-10", WOOD, 8)
    for angle in (-48, -24, 0, 24, 48):
        fan.at(0, 0, turn=angle).shape("-12,0 -16,-70 0,-92 16,-70 12,0", WHITE, GREY, 3, curved=True)
    c.dot(94, 14, 17, SKIN, INK, 3)
    c.box(-130, 66, 260, 26, DARK_WOOD, INK, 3, r=6)
    for y in (73, 79, 85):
        c.line([(-118, y), (118, y)], GOLD, 1.5)
    c.dot(-60, 66, 16, SKIN, INK, 3)


def empty_city(c: Canvas) -> None:
    """The Empty City Stratagem: a man plays the zither on the wall, the gate stands open, two old soldiers sweep."""
    c.box(0, 0, 1280, 720, SKY)
    c.shape("0,330 190,210 360,320 560,220 760,320 1000,200 1280,330 1280,420 0,420", "#B3C9CC", curved=False)
    c.box(0, 610, 1280, 110, "#D8C39A")
    c.box(90, 290, 860, 330, "#8D8F93", INK, 4)
    for row in range(8):
        for column in range(11):
            x, y = 96 + column * 80 + row % 2 * 38, 300 + row * 40
            if x < 880:
                c.box(x, y, 66, 30, "#989A9E")
    for x in range(90, 931, 76):
        c.box(x, 250, 46, 44, "#8D8F93", INK, 4)
    strategist(c.at(520, 190))
    c.shape([(400, 622), (400, 460), *arc(520, 460, 120, 110, 180, 360), (640, 622)], INK)
    c.shape([(420, 622), (420, 464), *arc(520, 464, 100, 92, 180, 360), (620, 622)], "#E9DDBE")
    for side in c.at(520, 0).sides():
        side.shape("102,440 170,420 170,650 102,622", RED, INK, 4)
        for y in (470, 520, 570):
            side.dot(136, y, 8, GOLD)
    c.box(430, 306, 180, 62, NIGHT, GOLD, 5)
    c.text(520, 336, "西 城", 44, GOLD, family="kai")
    sweeper(c.at(330, 580))
    sweeper(c.at(690, 580))
    for x, tall in ((1050, 210), (1160, 260)):
        c.line([(x, 700), (x, 700 - tall - 240)], DARK_WOOD, 9)
        c.shape(
            [
                (x + 4, 460 - tall),
                (x + 100, 490 - tall),
                (x + 76, 560 - tall),
                (x + 100, 640 - tall),
                (x + 4, 620 - tall),
            ],
            NIGHT,
            INK,
            4,
        )
        c.text(x + 40, 545 - tall, "魏", 54, WHITE, family="kai", script="hant")
    for x in range(1010, 1281, 44):
        c.shape([(x - 26, 720), (x - 20, 640), (x, 616), (x + 20, 640), (x + 26, 720)], "#4A5568", INK, 3, curved=True)
        c.line([(x + 18, 720), (x + 18, 560)], DARK_WOOD, 5)
        c.shape([(x + 10, 562), (x + 18, 532), (x + 26, 562)], "#C9CDD2", INK, 2)


def peony(c: Canvas, colour: str) -> None:
    """A full peony with two leaves."""
    for side in c.sides():
        side.shape("20,20 70,10 96,44 50,54", GREEN, DARK_GREEN, 3, curved=True)
    for r, shade in ((58, colour), (40, "#F2C4C4"), (22, colour)):
        for x, y in arc(0, 0, r * 0.62, r * 0.55, 0, 315, 7):
            c.dot(x, y, r * 0.46, shade, "#B8636B", 2)
    c.dot(0, 0, 9, GOLD)


def dream_scholar(c: Canvas) -> None:
    """A young scholar with a willow branch."""
    c.shape("-62,-40 62,-40 96,180 -96,180", "#A9CDBE", INK, 4)
    c.shape("-22,-44 22,-44 0,24", WHITE, DARK_GREEN, 5)
    c.oval(0, -88, 38, 48, SKIN, INK, 4)
    for side in c.sides():
        side.oval(20, -84, 12, 14, PINK)
        side.brush("8,-104 22,-112 34,-104", INK, 5)
        side.brush("10,-90 20,-96 32,-92", INK, 5)
        side.line("50,-150 78,-120 84,-60", "#A9CDBE", 11, curved=True)
    c.shape("-44,-98 -46,-150 0,-166 46,-150 44,-98 0,-118", "#5E8F7B", INK, 4, curved=True)
    c.line("-8,-64 8,-64", RED, 5)
    c.shape("62,-38 130,10 150,60 110,84 70,30", "#A9CDBE", INK, 4, curved=True)
    c.line("140,60 190,-30 250,-70", DARK_WOOD, 6, curved=True)
    for x, y in ((168, -2), (190, -32), (216, -54), (246, -70)):
        c.line([(x, y), (x + 16, y + 40), (x + 12, y + 92)], GREEN, 4, curved=True)
        for k in range(4):
            c.brush([(x + 12, y + 22 + k * 20), (x + 24, y + 34 + k * 20), (x + 22, y + 48 + k * 20)], GREEN, 8)
            c.brush([(x + 12, y + 24 + k * 20), (x + 2, y + 36 + k * 20), (x + 4, y + 50 + k * 20)], "#6FA77F", 8)
    c.dot(138, 62, 16, SKIN, INK, 3)


CLOUD = (
    (800, 300, 100, 90, 110),
    (820, 170, 110, 90, 140),
    (960, 90, 130, 70, 160),
    (1100, 120, 120, 80, 230),
    (1170, 250, 90, 100, 290),
    (1120, 390, 110, 70, -20),
    (940, 420, 150, 60, 30),
)
"""Bulges of the dream: centre, radii and the angle at which each begins."""
PEONIES = ((90, 640, 1), (230, 670, 0.8), (800, 640, 1.1), (950, 670, 0.8), (1080, 630, 1.1), (1210, 672, 0.9))


def peony_dream(c: Canvas) -> None:
    """The Peony Pavilion: in a garden a young lady sleeps; in her dream a scholar holds a willow branch."""
    c.box(0, 0, 1280, 720, "#E4EBDD")
    c.box(0, 560, 1280, 160, "#B9CDA6")
    c.shape("40,240 170,120 300,240 330,236 330,258 10,258 10,236", "#5A6A74", INK, 4)
    c.shape("128,130 170,84 212,130", "#5A6A74", INK, 4)
    for x in (50, 270):
        c.box(x, 258, 20, 330, RED, INK, 3)
    c.box(50, 500, 240, 14, RED, INK, 3)
    for x in range(84, 261, 36):
        c.box(x, 510, 10, 70, RED)
    cloud = [point for x, y, rx, ry, start in CLOUD for point in arc(x, y, rx, ry, start, start + 100, 12)]
    c.shape(cloud, WHITE, "#A9B7C6", 5, curved=False)
    for x, y, r in ((690, 400, 20), (640, 430, 13), (604, 450, 8)):
        c.dot(x, y, r, WHITE, "#A9B7C6", 4)
    dream_scholar(c.at(940, 252))
    c.shape("360,560 430,440 560,430 640,480 680,620 340,620", "#E8B8C6", INK, 4, curved=True)
    head = c.at(520, 430, 0.86, turn=62)
    figures.pretty_head(head, asleep=True)
    figures.flowers(head, "-56,-60 -30,-88 0,-98 30,-88 56,-60", "#E77C92", 15)
    c.shape("430,500 520,486 640,506 640,566 420,570", "#F0CBD6", INK, 4, curved=True)
    c.box(330, 566, 400, 30, "#A8A49B", INK, 4, r=8)
    c.shape("400,596 660,596 630,690 430,690", "#8F8B82", INK, 4)
    for x, y, zoom in PEONIES:
        peony(c.at(x, y, zoom), "#D9576B" if zoom >= 1 else "#E58A98")


def butterfly(c: Canvas, colour: str) -> None:
    for side in c.sides():
        side.shape("6,-6 40,-96 128,-120 140,-50 70,6", colour, INK, 4, curved=True)
        side.shape("6,6 70,10 110,60 80,116 30,80", colour, INK, 4, curved=True)
        side.oval(92, -66, 20, 24, WHITE, INK, 3)
        side.oval(70, 62, 16, 18, GOLD, INK, 3)
        side.line("4,-44 20,-84 44,-98", INK, 4, curved=True)
    c.oval(0, 4, 10, 52, INK)


def butterflies(c: Canvas) -> None:
    """The Butterfly Lovers: a broken grave, a rainbow, two butterflies that rise side by side."""
    c.box(0, 0, 1280, 720, "#DDE9EE")
    for k, colour in enumerate(("#D8695F", "#E2A04A", "#E8D36A", "#74AE83", "#5E93C4")):
        c.line(arc(640, 640, 560 - k * 20, 520 - k * 20, 180, 360, 90), colour, 20)
    c.shape("0,560 260,520 640,540 1000,516 1280,560 1280,720 0,720", "#A9C394", curved=False)
    c.shape("380,600 420,470 520,410 610,400 596,470 622,520 600,600", "#8C7A5C", INK, 4, curved=False)
    c.shape("900,600 860,470 760,410 668,400 690,470 660,530 684,600", "#8C7A5C", INK, 4, curved=False)
    c.shape("612,400 668,400 690,470 660,530 684,600 600,600 622,520 596,470", INK)
    c.shape([(190, 640), (190, 330), *arc(270, 330, 80, 60, 180, 360, 20), (350, 330), (350, 640)], "#B9B6AE", INK, 5)
    c.column(270, 346, "梁山伯之墓", 52, INK, family="kai", gap=0.1)
    c.box(160, 636, 220, 34, "#9B978E", INK, 4)
    butterfly(c.at(560, 230, 0.95, turn=-18), "#E8B93F")
    butterfly(c.at(800, 190, 0.95, turn=16), "#7FA7D8")
    willow(c.at(1110, 700))


def willow(c: Canvas) -> None:
    """A weeping willow that stands on the origin."""
    c.brush("0,20 -10,-160 10,-330", DARK_WOOD, 46, taper=1)
    for side in c.sides():
        side.brush("0,-200 40,-290 110,-330", DARK_WOOD, 16, taper=1)
        for k in range(6):
            x = 16 + k * 24
            side.line(
                [(x * 0.4, -344), (x, -352 + k * 6), (x + 20, -230), (x + 16, -70 - k * 12)], GREEN, 6, curved=True
            )
            side.line([(x * 0.3, -330), (x - 8, -330), (x + 4, -200), (x, -30 - k * 14)], "#6FA77F", 6, curved=True)


def face_changer(c: Canvas) -> None:
    """One performer, three moments: the face under the same cap is red, then blue, then gold."""
    c.box(0, 0, 1280, 720, "#3A2430")
    for x in range(0, 1280, 80):
        c.shape([(x, 0), (x + 80, 0), (x + 40, 44)], DARK_RED, GOLD, 3)
    for x, mask in ((230, "red"), (640, "blue"), (1050, "gold")):
        view = c.at(x, 356, 0.72)
        view.shape("-80,160 -210,240 -270,500 270,500 210,240 80,160", INK, GOLD, 5, curved=True)
        view.shape("-76,170 0,250 76,170 60,330 0,400 -60,330", RED, GOLD, 5)
        faces.black_cap(view)
        faces.silk_mask(view, mask)
    for x in (435, 845):
        c.line(arc(x, 250, 66, 60, 200, 330), PAPER, 12)
        c.shape([(x + 34, 226), (x + 84, 216), (x + 66, 262)], PAPER)
    for x in (435, 845):
        fan = c.at(x, 640, 0.9)
        fan.shape([(0, 0), *arc(0, 0, 150, 150, 205, 335, 30)], GOLD, INK, 4)
        fan.shape([(0, 0), *arc(0, 0, 70, 70, 205, 335, 30)], DARK_WOOD, INK, 3)
        for angle in range(205, 336, 13):
            (_, _), (x1, y1) = arc(0, 0, 150, 150, angle, angle, 1)
            fan.line([(0, 0), (x1, y1)], DARK_WOOD, 3)
        fan.dot(0, 0, 8, INK)
    c.box(0, 690, 1280, 30, DARK_RED)
