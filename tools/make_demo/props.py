"""Things that are held or played: the horsewhip, the banhu."""

from __future__ import annotations

from canvas import DARK_GOLD, DARK_WOOD, GOLD, INK, RED, SKIN, WHITE, WOOD, Canvas


def tassel(c: Canvas, colour: str, long: float) -> None:
    """A bunch of silk threads that hangs from the origin."""
    c.shape([(-9, 0), (9, 0), (30, long * 0.62), (19, long), (-19, long), (-30, long * 0.62)], colour, curved=True)
    for x in (-16, -8, 0, 8, 16):
        c.line(
            [(x * 0.3, 14), (x * 1.2, long * 0.6), (x, long - 6)],
            DARK_GOLD if colour == GOLD else "#7E1A16",
            2,
            curved=True,
        )
    c.box(-13, -6, 26, 15, INK, r=5)


def fist(c: Canvas) -> None:
    """A hand closed around a stick that runs through the origin from lower left to upper right."""
    c.shape("-62,44 -54,-18 -8,-52 46,-40 62,4 40,52 -16,66", SKIN, INK, 4, curved=True)
    for y in (-26, -4, 18):
        c.line([(4, y - 10), (36, y - 4), (52, y + 8)], INK, 3, curved=True)
    c.shape("-50,-26 -22,-58 20,-40 8,-20 -24,-14", SKIN, INK, 4, curved=True)


def horsewhip(c: Canvas) -> None:
    """A rattan whip with its silk tassels, raised by an actor's hand."""
    c.line("330,600 980,120", WOOD, 15)
    c.line("332,596 978,118", GOLD, 4)
    for x, colour in ((610, GOLD), (720, RED), (830, GOLD), (935, RED)):
        tassel(c.at(x, 600 - (x - 330) * 480 / 650), colour, 150)
    c.line("332,604 290,650 262,628 318,594", RED, 7, curved=True)
    c.shape("-20,760 -20,600 250,440 392,600 330,760", "#B8342B", INK, 4)
    c.shape("232,448 300,410 440,566 392,612", WHITE, INK, 4)
    for shift in (0, 28, 56):
        c.line([(268 + shift, 440 + shift), (406 - 30 + shift * 0.8, 590 - 26 + shift * 0.4)], "#CFC8BC", 3)
    for y in (560, 620, 680):
        c.line([(20, y + 70), (150, y + 20), (260, y + 60)], GOLD, 7, curved=True)
    c.line("400,548 356,582", WOOD, 15)
    fist(c.at(448, 513, 1.15, turn=-8))
    c.line("470,496 560,430", WOOD, 15)
    c.line("470,493 560,427", GOLD, 4)
    c.shape("404,470 436,444 480,462 470,486 430,490", SKIN, INK, 4, curved=True)


def banhu(c: Canvas) -> None:
    """A two-stringed fiddle: a shallow round bowl with a face of plain wood; the bow runs between the strings."""
    for y in (-262, -206):
        c.line([(-150, y + 8), (0, y)], DARK_WOOD, 15)
        c.shape(
            [(-196, y - 9), (-140, y - 4), (-140, y + 20), (-196, y + 26), (-206, y + 8)],
            DARK_WOOD,
            INK,
            3,
            curved=True,
        )
    c.shape("-13,240 -13,-292 -22,-322 -6,-344 22,-338 30,-316 14,-300 13,240", DARK_WOOD, INK, 3)
    c.dot(0, 220, 116, DARK_WOOD, INK, 4)
    c.dot(0, 220, 98, "#D9B27C", INK, 3)
    for r in (72, 46, 22):
        c.oval(0, 220, r, r * 0.94, None, "#C79B62", 2)
    c.box(-24, 334, 48, 20, INK, r=6)
    c.line("-10,-262 -8,-110 -7,214 -5,338", INK, 2.5)
    c.line("10,-206 8,-110 7,214 5,338", INK, 2.5)
    c.box(-22, 206, 44, 14, WOOD, INK, 3, r=4)
    c.box(-18, -116, 36, 13, RED, INK, 2, r=4)
    c.line("-330,118 -120,96 150,96 330,132", DARK_WOOD, 9, curved=True)
    c.line("-322,124 326,138", "#F7F2E6", 7)
    c.box(296, 116, 44, 34, INK, r=6)
    c.dot(-326, 120, 9, INK)
