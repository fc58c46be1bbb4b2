"""Things to read: playbills, signboards and a subtitle screen of the theatre; signs of the street."""

from __future__ import annotations

import figures
from canvas import (
    BLUE,
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
    WHITE,
    WOOD,
    Canvas,
    arc,
)


def corners(c: Canvas, left: float, top: float, right: float, bottom: float, colour: str) -> None:
    """A double frame with stepped corners, as printed playbills have it."""
    c.box(left, top, right - left, bottom - top, None, colour, 6)
    c.box(left + 14, top + 14, right - left - 28, bottom - top - 28, None, colour, 2)
    for x, flip in ((left + 14, False), (right - 14, True)):
        for y in (top + 14, bottom - 14):
            corner = c.at(x, y, flip=flip)
            step = 22 if y < 360 else -22
            corner.line([(0, step * 2), (step * (1 if y < 360 else -1), step * 2)], colour, 3)
            corner.box(0, min(0, step), 22, 22, None, colour, 3)


def kunqu_bill(c: Canvas) -> None:
    """A printed bill of a Kunqu evening."""
    c.box(0, 0, 1280, 720, "#D8C7A6")
    c.box(180, 40, 920, 640, PAPER, "#B59A6A", 3)
    corners(c, 204, 64, 1076, 656, DARK_RED)
    c.column(1000, 150, "江南昆剧团", 46, INK, family="kai", gap=0.25)
    c.box(846, 110, 86, 190, RED)
    c.column(889, 160, "昆曲", 70, PAPER, family="serif", gap=0.2)
    c.column(680, 160, "长生殿", 130, INK, family="kai", gap=0.02)
    c.column(540, 200, "小宴惊变", 56, DARK_RED, family="kai", gap=0.2)
    c.dot(340, 220, 82, "#F0DDA8")
    for x, y, r in ((300, 560, 60), (380, 580, 46), (350, 540, 40)):
        c.shape([(x - r, y + 60), *arc(x, y, r, r * 0.6, 180, 360), (x + r, y + 60)], "#E5DAC0")
    c.brush("250,600 300,470 390,400 420,300", DARK_WOOD, 16, taper=1)
    c.brush("310,460 290,400 300,340", DARK_WOOD, 9, taper=1)
    figures.flowers(c, "420,300 400,370 300,340 288,396 350,430 300,470", PINK, 24)
    c.text(800, 590, "五月八日 晚七时", 46, INK, family="serif")


def water_board(c: Canvas) -> None:
    """The lacquer board that a teahouse theatre hangs out for tonight's play."""
    c.box(0, 0, 1280, 720, "#7A3B2A")
    for x in range(0, 1281, 160):
        c.box(x, 0, 8, 720, "#693022")
    for x in (430, 850):
        c.line([(x, 0), (x, 90)], GOLD, 6)
    c.box(330, 80, 620, 580, "#211C1A", GOLD, 10, r=18)
    c.box(352, 102, 576, 536, None, GOLD, 3, r=10)
    c.text(640, 160, "今晚上演", 56, GOLD, family="serif")
    c.line("400,210 880,210", GOLD, 3)
    c.text(640, 330, "天仙配", 150, WHITE, family="serif")
    c.text(640, 466, "黄梅戏 全本", 60, GOLD, family="serif")
    c.text(640, 570, "七点开锣", 56, WHITE, family="serif")
    for side in c.sides(640):
        lantern(side.at(470, 230))


def lantern(c: Canvas) -> None:
    c.line("0,-230 0,-96", GOLD, 5)
    c.oval(0, 0, 96, 88, RED, DARK_RED, 4)
    for rx in (36, 68):
        c.oval(0, 0, rx, 88, None, DARK_RED, 3)
    c.box(-46, -102, 92, 22, GOLD, DARK_RED, 3, r=5)
    c.box(-46, 80, 92, 22, GOLD, DARK_RED, 3, r=5)
    for x in (-26, -13, 0, 13, 26):
        c.line([(x, 102), (x, 180)], GOLD, 5)


def huangmei_poster(c: Canvas) -> None:
    """A poster for The Female Consort Prince with the hat of a first-place scholar."""
    c.box(0, 0, 1280, 720, "#E9B7A6")
    c.dot(360, 350, 300, "#F6DFD2")
    hat = c.at(360, 400, 0.92)
    for side in hat.sides():
        side.brush("150,-30 240,-60 300,-20", INK, 14)
        side.oval(292, -22, 60, 26, RED, GOLD, 5)
    hat.shape("-160,60 -170,-60 -120,-190 0,-230 120,-190 170,-60 160,60 0,20", RED, INK, 5, curved=True)
    hat.shape("-172,90 -90,40 0,26 90,40 172,90 170,30 90,-20 0,-34 -90,-20 -170,30", GOLD, INK, 4)
    figures.flowers(hat, "-110,-110 -60,-150 0,-164 60,-150 110,-110", WHITE, 32)
    hat.dot(0, -70, 28, BLUE, GOLD, 5)
    c.text(950, 170, "黄梅戏", 76, DARK_RED, family="serif")
    c.text(950, 330, "女驸马", 140, INK, family="kai")
    c.line("740,440 1160,440", DARK_RED, 4)
    c.text(950, 500, "人民剧场", 52, INK)
    c.text(950, 580, "7月15日 19:30", 52, INK)


def yuju_poster(c: Canvas) -> None:
    """A poster of a Henan troupe with crossed flags and a drum."""
    c.box(0, 0, 1280, 720, NIGHT)
    for k in range(0, 360, 15):
        (_, _), (x1, y1) = arc(330, 380, 1100, 1100, k, k, 1)
        (_, _), (x2, y2) = arc(330, 380, 1100, 1100, k + 7, k + 7, 1)
        c.shape([(330, 380), (x1, y1), (x2, y2)], "#2A3554")
    for side in c.sides(330):
        figures.flag(side.at(10, 560, 1.4, turn=26), RED)
    c.oval(330, 560, 170, 60, "#8F2A22", INK, 4)
    c.box(160, 440, 340, 120, RED, INK, 4)
    c.oval(330, 560, 170, 50, RED, None)
    for x in range(180, 500, 40):
        c.dot(x, 468 + 34 * (1 - ((x - 330) / 170) ** 2) ** 0.5, 7, GOLD)
        c.dot(x, 540 + 44 * (1 - ((x - 330) / 170) ** 2) ** 0.5, 7, GOLD)
    c.oval(330, 440, 170, 52, "#F1E2C4", INK, 5)
    c.text(900, 140, "河南省中州豫剧团", 62, GOLD, family="serif")
    c.text(900, 320, "花木兰", 170, WHITE, family="kai")
    c.box(760, 440, 280, 76, RED, GOLD, 4, r=10)
    c.text(900, 476, "豫剧", 54, WHITE, family="serif")
    c.text(900, 590, "十月一日 晚八点", 52, PAPER)


def subtitle_screen(c: Canvas) -> None:
    """A stage with one table and two chairs; above it the screen shows what is sung."""
    c.box(0, 0, 1280, 720, "#2A2023")
    c.box(150, 180, 980, 430, "#E6D3AE")
    c.shape("0,720 150,600 1130,600 1280,720", WOOD, INK, 4)
    for side in c.sides(640):
        for k in range(4):
            x = 640 - k * 46
            side.shape([(x, 160), (x - 50, 160), (x - 44 - k * 8, 640), (x + 6, 720)], RED if k % 2 else DARK_RED)
    c.box(120, 20, 1040, 190, INK, GREY, 5, r=8)
    c.text(640, 52, "秦腔", 34, GOLD)
    c.text(640, 104, "金榜题名喜报到", 52, "#FF6B57")
    c.text(640, 164, "全家欢笑乐陶陶", 52, "#FF6B57")
    for side in c.sides(640):
        chair = side.at(210, 540)
        chair.box(-50, -60, 100, 24, RED, INK, 4)
        chair.box(-50, -170, 100, 112, RED, INK, 4)
        chair.box(-34, -154, 68, 80, GOLD, DARK_RED, 3)
        for x in (-48, 34):
            chair.box(x, -36, 14, 106, DARK_WOOD, INK, 3)
    c.box(500, 450, 280, 160, RED, GOLD, 6)
    figures.dragon(c.at(640, 532, 0.66))
    c.box(486, 436, 308, 26, "#B02018", GOLD, 4)


CAST = (("文武生", "陈秋明"), ("正印花旦", "李慧芝"), ("丑生", "黄大成"), ("武生", "何剑雄"))


def cast_list(c: Canvas) -> None:
    """The cast of an invented Cantonese play."""
    c.box(0, 0, 1280, 720, "#2F5D54")
    c.box(190, 36, 900, 648, PAPER, GOLD, 8, r=14)
    c.text(640, 106, "粤剧《荔湾春晓》", 64, DARK_RED, family="serif")
    c.text(640, 182, "演员表", 46, INK)
    c.line("260,222 1020,222", DARK_RED, 4)
    for i, (role, name) in enumerate(CAST):
        y = 284 + i * 92
        c.text(320, y, role, 54, INK, anchor="lm")
        c.text(960, y, name, 54, INK, anchor="rm")
        c.line([(320, y + 46), (960, y + 46)], "#C9B98F", 2)
    for side in c.sides(640):
        side.shape("340,640 390,600 440,640 390,668", PINK, DARK_RED, 3, curved=True)
        side.dot(390, 640, 12, GOLD)
    c.text(640, 650, "领衔主演", 30, GREY)


def flower_board(c: Canvas) -> None:
    """A flower board as set up before a bamboo theatre, in Traditional characters."""
    c.box(0, 0, 1280, 720, "#9CC6DC")
    for x in range(40, 1280, 100):
        c.line([(x, 0), (x, 720)], "#C9A45A", 8)
    for y in range(60, 720, 110):
        c.line([(0, y), (1280, y)], "#B98F45", 6)
    c.shape([(230, 700), (230, 250), *arc(640, 260, 410, 210, 180, 360, 60), (1050, 250), (1050, 700)], RED, GOLD, 10)
    for x, y in arc(640, 260, 410, 210, 180, 360, 14):
        figures.flowers(c, f"{x},{y}", PINK, 36)
    for y in range(310, 700, 66):
        figures.flowers(c, f"230,{y} 1050,{y}", "#F0C94D", 34)
    c.dot(640, 150, 74, GOLD, DARK_RED, 6)
    c.text(640, 150, "賀", 84, DARK_RED, family="serif", script="hant")
    c.text(640, 290, "春曉劇團公演", 72, "#F8E7A8", family="serif", script="hant")
    c.text(640, 430, "粵劇", 120, WHITE, family="serif", script="hant")
    c.text(640, 580, "帝女花", 130, "#F8E7A8", family="serif", script="hant")


def clinic(c: Canvas) -> None:
    """Opening hours of a clinic; Wednesday is the day off."""
    c.box(0, 0, 1280, 720, "#DFE8E4")
    c.box(170, 50, 940, 620, WHITE, GREEN, 10, r=22)
    c.box(170, 50, 940, 140, GREEN, GREEN, 10, r=22)
    c.box(262, 78, 84, 84, WHITE, r=10)
    c.box(292, 88, 24, 64, RED)
    c.box(272, 108, 64, 24, RED)
    c.text(680, 120, "安康診所 看診時間", 68, WHITE, script="hant")
    rows = (("星期一、二、四、五", "09:00-17:30"), ("星期六、日", "09:00-12:00"), ("星期三", "休診"))
    for i, (days, hours) in enumerate(rows):
        y = 280 + i * 130
        c.text(230, y, days, 50, INK, script="hant", anchor="lm")
        c.text(1050, y, hours, 50, RED if hours == "休診" else INK, script="hant", anchor="rm")
        c.line([(230, y + 64), (1050, y + 64)], "#CFDAD5", 3)


MENU = (("滷肉飯", 40), ("陽春麵", 50), ("牛肉麵", 120), ("水餃（十個）", 70), ("豆漿", 25))


def menu(c: Canvas) -> None:
    """The price list of a small eatery."""
    c.box(0, 0, 1280, 720, "#6E4527")
    c.box(120, 40, 1040, 640, "#F3E6C8", DARK_WOOD, 12, r=10)
    c.text(520, 110, "阿英小吃店", 76, DARK_RED, family="serif", script="hant")
    for i, (dish, price) in enumerate(MENU):
        y = 216 + i * 92
        c.text(190, y, dish, 56, INK, script="hant", anchor="lm")
        c.line([(560, y + 12), (690, y + 12)], "#C8B48A", 4)
        c.text(850, y, f"{price}元", 56, INK, script="hant", anchor="rm")
    bowl = c.at(1000, 460)
    for x in (-40, 0, 40):
        bowl.line([(x, -110), (x + 16, -150), (x - 8, -190), (x + 10, -230)], "#D7C49C", 6, curved=True)
    bowl.line("20,-60 150,-200", WOOD, 9)
    bowl.line("50,-50 168,-186", WOOD, 9)
    bowl.oval(0, -50, 120, 36, "#E8B65A", INK, 4)
    bowl.shape([(-120, -50), *arc(0, -50, 120, 130, 180, 0), (120, -50)][::-1], RED, INK, 4)
    bowl.oval(0, -50, 120, 34, "#F1D08A", INK, 4)
    for x in (-60, -20, 30, 70):
        bowl.line([(x - 24, -56), (x, -40), (x + 20, -58)], "#FFF1C9", 5, curved=True)
    bowl.box(-50, 66, 100, 20, DARK_RED, INK, 4)


EXITS = (("1", "夜市"), ("2", "戲曲中心"), ("3", "圖書館"), ("4", "市立醫院"))


def exits(c: Canvas) -> None:
    """The exit guide of an underground station."""
    c.box(0, 0, 1280, 720, "#BFC7CD")
    for x in range(0, 1281, 160):
        c.line([(x, 0), (x, 720)], "#B0B9C0", 3)
    for y in range(0, 721, 120):
        c.line([(0, y), (1280, y)], "#B0B9C0", 3)
    c.box(150, 60, 980, 600, NIGHT, INK, 6, r=18)
    c.text(640, 130, "出口資訊", 62, WHITE, script="hant")
    c.line("190,186 1090,186", GOLD, 5)
    for i, (number, place) in enumerate(EXITS):
        y = 248 + i * 108
        c.box(210, y - 42, 210, 84, GOLD, r=12)
        c.text(315, y, f"{number}號出口", 46, INK, script="hant")
        c.text(480, y, place, 60, WHITE, script="hant", anchor="lm")
        arrow = c.at(1016, y, flip=number in "14")
        arrow.line("-50,0 20,0", WHITE, 9)
        arrow.shape("16,-26 58,0 16,26", WHITE)


def ticket(c: Canvas) -> None:
    """A seat ticket for the theatre."""
    c.box(0, 0, 1280, 720, "#3C4A5E")
    c.box(110, 130, 1060, 460, "#FBF3DF", INK, 5, r=16)
    c.box(110, 130, 1060, 96, DARK_RED, INK, 5, r=16)
    c.text(500, 178, "和平戲院 入場券", 56, WHITE, script="hant")
    for y in range(140, 590, 24):
        c.line([(880, y), (880, y + 10)], GREY, 5)
    for y in (130, 590):
        c.dot(880, y, 22, "#3C4A5E")
    c.text(170, 304, "座位 二樓5排12號", 64, INK, script="hant", anchor="lm")
    c.text(170, 404, "11月20日 19:00開演", 56, INK, script="hant", anchor="lm")
    c.text(170, 504, "票價 600元", 56, INK, script="hant", anchor="lm")
    fan = c.at(1024, 500)
    fan.shape([(0, 0), *arc(0, 0, 120, 120, 205, 335, 30)], PINK, DARK_RED, 4)
    fan.shape([(0, 0), *arc(0, 0, 54, 54, 205, 335, 30)], WOOD, DARK_RED, 3)
    for angle in range(205, 336, 13):
        fan.line([(0, 0), arc(0, 0, 120, 120, angle, angle, 1)[1]], DARK_RED, 2.5)
    c.text(1024, 304, "副券", 46, GREY, script="hant")
