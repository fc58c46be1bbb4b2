"""Rules I0 and I2: whether a picture can be opened, and whether everyone who opens it sees the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from keju.checks.finding import Finding
from keju.checks.measuring import MeasuredClip, MeasuredImage
from keju.checks.rule import Group, Rule
from keju.media_types import mime_named, suffix_of
from keju.phrase import Phrase

GROUP = Group()

_AGAIN = Phrase(
    "open the picture; if it does not show, export or download it again and replace the file",
    "请打开图片看看；若无法显示，请重新导出或下载并替换该文件",
)
_EXPORT = Phrase(
    "open it in a picture program and export it as an ordinary 8-bit RGB PNG without transparency",
    "请用图片软件打开，导出为普通的 8 位 RGB PNG，不带透明度",
)


@GROUP.rule(
    "I001",
    "picture-unreadable",
    "error",
    "image",
    title=Phrase("the file is no picture or a damaged one", "文件不是图片，或已损坏"),
    why=Phrase(
        "No model can see it: a server refuses the request or the model guesses.",
        "模型看不到它：服务器会拒绝请求，或模型只能瞎猜。",
    ),
    good="0001.png that every viewer opens",
    bad="0001.png that holds a web page saying 404",
)
def _unreadable(image: MeasuredImage, rule: Rule) -> Iterator[Finding]:
    picture = image.picture
    if picture.trouble in ("unknown", "damaged"):
        message = Phrase(f"not a readable picture: {picture.reason}", f"不是可读取的图片：{picture.reason.zh}")
        yield rule.finding(message, _AGAIN, **image.where, reason=picture.reason, mime=picture.mime)


@GROUP.rule(
    "I002",
    "picture-empty",
    "error",
    "image",
    title=Phrase("the picture file is empty", "图片文件为空"),
    why=Phrase(
        "A failed download or copy leaves a file without a byte.", "下载或复制失败会留下一个没有任何字节的文件。"
    ),
    good="0001.png of 1.6 MB",
    bad="0001.png of 0 bytes",
)
def _empty(image: MeasuredImage, rule: Rule) -> Iterator[Finding]:
    if image.picture.trouble == "empty":
        message = Phrase("the file is empty (0 bytes)", "文件为空（0 字节）")
        remedy = Phrase("download or export the picture again and replace the file", "请重新下载或导出图片并替换该文件")
        yield rule.finding(message, remedy, **image.where, bytes=0)


@GROUP.rule(
    "I003",
    "picture-cut-short",
    "error",
    "image",
    title=Phrase("part of the picture is missing", "图片缺了一部分"),
    why=Phrase(
        "Many viewers paint the missing part black or grey and say nothing, even where all checksums are right.",
        "许多看图软件会把缺失部分涂成黑色或灰色而不作提示，即使校验和全都正确。",
    ),
    good="0001.png with all of its rows",
    bad="0001.png whose lower half was never downloaded",
)
def _cut(image: MeasuredImage, rule: Rule) -> Iterator[Finding]:
    picture = image.picture
    if picture.trouble == "cut":
        message = Phrase(f"part of it is missing: {picture.reason}", f"图片不完整：{picture.reason.zh}")
        remedy = Phrase("download or export the picture again and replace the file", "请重新下载或导出图片并替换该文件")
        yield rule.finding(message, remedy, **image.where, reason=picture.reason)


@GROUP.rule(
    "I004",
    "picture-too-large",
    "error",
    "image",
    title=Phrase("the picture is too large to open", "图片过大，无法打开"),
    why=Phrase(
        "A small file may claim hundreds of millions of pixels and exhaust the memory of whoever opens it.",
        "一个很小的文件可以声称有上亿像素，谁打开谁就耗尽内存。",
    ),
    good="1920 × 1080 pixels",
    bad="14000 × 14000 pixels",
)
def _too_large(image: MeasuredImage, rule: Rule) -> Iterator[Finding]:
    picture = image.picture
    if picture.trouble in ("too-many-pixels", "too-large"):
        message = Phrase(f"too large, not opened: {picture.reason}", f"图片过大，未打开：{picture.reason.zh}")
        remedy = Phrase("make it smaller, or leave it out", "请缩小图片，或不要使用它")
        size: dict[str, Any] = {"width": picture.width, "height": picture.height, "bytes": picture.bytes}
        yield rule.finding(message, remedy, **image.where, **size)


@GROUP.rule(
    "I005",
    "picture-breaks-decoder",
    "error",
    "image",
    title=Phrase("the decoder broke down on the file", "解码器在该文件上崩溃"),
    why=Phrase(
        "A file that kills a decoder or keeps it busy for a minute is damaged or made to do harm.",
        "能让解码器崩溃或卡住一分钟的文件，要么已损坏，要么是恶意制作的。",
    ),
    good="a picture that opens in milliseconds",
    bad="a picture at which the program stops",
)
def _breaks(image: MeasuredImage, rule: Rule) -> Iterator[Finding]:
    picture = image.picture
    if picture.trouble == "broke-down":
        message = Phrase(f"it cannot be checked: {picture.reason}", f"无法检查：{picture.reason.zh}")
        remedy = Phrase(
            "do not open it in other programs; get the picture again from where it came from",
            "不要用其他程序打开；请从原始来源重新获取图片",
        )
        yield rule.finding(message, remedy, **image.where, reason=picture.reason)


@GROUP.rule(
    "I006",
    "picture-suffix",
    "warning",
    "image",
    title=Phrase("the name's ending says another format than the file has", "文件扩展名与实际格式不符"),
    why=Phrase(
        "Tools that go by the name announce the wrong type to the model's server, which may refuse it.",
        "只看文件名的工具会向模型服务器报告错误的类型，服务器可能拒绝。",
    ),
    good="0001.png that is a PNG",
    bad="0001.png that is a JPEG",
)
def _suffix(image: MeasuredImage, rule: Rule) -> Iterator[Finding]:
    yield from suffix_finding(image, image.picture.mime, rule)


def suffix_finding(measured: MeasuredImage | MeasuredClip, mime: str | None, rule: Rule) -> Iterator[Finding]:
    """A finding where a medium's name promises another format than `mime`."""
    named = mime_named(measured.medium.name)
    if not mime or not named or mime == named:
        return
    right = suffix_of(mime)
    yield rule.finding(
        Phrase(
            f"the file is {_short(mime)}, its name says {_short(named)}",
            f"文件是 {_short(mime)}，扩展名却是 {_short(named)}",
        ),
        Phrase(
            f"rename it so that it ends in {right}; where the layout asks for {_short(named)}, as TCO's does for PNG, "
            f"open it and export it as {_short(named)}",
            f"请将扩展名改为 {right}；如果格式要求 {_short(named)}（TCO 要求 PNG），请打开后重新导出为 {_short(named)}",
        ),
        **measured.where,
        detected=mime,
        named=named,
    )


def _short(mime: str) -> str:
    return {"audio/mpeg": "MP3", "audio/mp4": "MPEG-4"}.get(mime, mime.partition("/")[2].upper())


@GROUP.rule(
    "I201",
    "turned-by-exif",
    "warning",
    "image",
    title=Phrase("a tag, not the pixels, turns the picture upright", "图片靠方向标记而非像素摆正"),
    why=Phrase(
        "Viewers obey the tag and many models do not: the person sees it upright, the model lying on its side.",
        "看图软件会按标记旋转，许多模型却不会：人看到的是正的，模型看到的是横躺的。",
    ),
    good="pixels stored upright, orientation 1",
    bad="orientation 6: stored lying on its side",
)
def _turned(image: MeasuredImage, rule: Rule) -> Iterator[Finding]:
    picture = image.picture
    if picture.orientation != 1:
        yield rule.finding(
            Phrase(
                f"EXIF orientation {picture.orientation}: shown otherwise than its pixels are stored",
                f"EXIF 方向为 {picture.orientation}：显示方向与像素存储方向不同",
            ),
            Phrase(
                "open it in a picture program, check that it stands upright, and export it anew",
                "请用图片软件打开，确认方向正确后重新导出",
            ),
            **image.where,
            orientation=picture.orientation,
            display_size=_shown(image),
        )


def _shown(image: MeasuredImage) -> list[int]:
    width, height = image.picture.width, image.picture.height
    return [height, width] if image.picture.orientation >= 5 else [width, height]


@GROUP.rule(
    "I202",
    "see-through",
    "warning",
    "image",
    title=Phrase("the picture is transparent in places", "图片有透明部分"),
    why=Phrase(
        "What shows through is white in one program and black in another: black writing may vanish for the model.",
        "透明处在有的程序里是白色，在有的程序里是黑色：黑色文字对模型可能就消失了。",
    ),
    good="a picture without transparency, or opaque throughout",
    bad="black writing on a transparent ground",
)
def _see_through(image: MeasuredImage, rule: Rule) -> Iterator[Finding]:
    if image.picture.see_through:
        message = Phrase("it is transparent in places", "图片有透明部分")
        remedy = Phrase(
            "put it on a white ground and export it without transparency", "请加上白色背景，不带透明度重新导出"
        )
        yield rule.finding(message, remedy, **image.where, mode=image.picture.mode)


@GROUP.rule(
    "I203",
    "palette",
    "note",
    "image",
    title=Phrase("the picture has a palette in place of colours", "图片使用调色板而非真彩色"),
    why=Phrase(
        "It has at most 256 colours, and programs that expect three channels stumble over it.",
        "它最多只有 256 种颜色，而且要求三通道的程序会出错。",
    ),
    good="mode RGB or L",
    bad="mode P",
)
def _palette(image: MeasuredImage, rule: Rule) -> Iterator[Finding]:
    picture = image.picture
    if picture.mode in ("P", "PA") and picture.mime != "image/gif":  # a GIF has no other form
        message = Phrase("its colours come from a palette", "图片颜色来自调色板")
        yield rule.finding(message, _EXPORT, **image.where, mode=picture.mode)


@GROUP.rule(
    "I204",
    "cmyk",
    "warning",
    "image",
    title=Phrase("the picture is in printing colours (CMYK)", "图片为印刷色彩模式（CMYK）"),
    why=Phrase(
        "Many model servers refuse CMYK or show its colours inverted.",
        "许多模型服务器拒绝 CMYK，或把颜色显示成反色。",
    ),
    good="mode RGB",
    bad="mode CMYK",
)
def _cmyk(image: MeasuredImage, rule: Rule) -> Iterator[Finding]:
    if image.picture.mode == "CMYK":
        yield rule.finding(Phrase("its colours are CMYK", "图片为 CMYK 色彩"), _EXPORT, **image.where, mode="CMYK")


@GROUP.rule(
    "I205",
    "more-than-8-bits",
    "warning",
    "image",
    title=Phrase("the picture has more than 8 bits a channel", "图片每通道超过 8 位"),
    why=Phrase(
        "Programs cut it down to 8 bits in different ways; some show it white or black.",
        "各程序降到 8 位的方式不同，有的会显示成全白或全黑。",
    ),
    good="8 bits a channel",
    bad="16 bits a channel",
)
def _deep(image: MeasuredImage, rule: Rule) -> Iterator[Finding]:
    if (bits := image.picture.bits) > 8:
        message = Phrase(f"it has {bits} bits a channel", f"图片每通道 {bits} 位")
        yield rule.finding(message, _EXPORT, **image.where, bit_depth=bits)


@GROUP.rule(
    "I206",
    "several-frames",
    "warning",
    "image",
    title=Phrase("the file holds several pictures", "文件中有多张图片"),
    why=Phrase(
        "A person sees an animation or turns pages; the model sees one picture, and not always the first.",
        "人看到的是动画或多页，模型只看到一张，而且不一定是第一张。",
    ),
    good="one picture",
    bad="an animated GIF, a TIFF of several pages",
)
def _frames(image: MeasuredImage, rule: Rule) -> Iterator[Finding]:
    if (frames := image.picture.frames) > 1:
        message = Phrase(f"it holds {frames} pictures", f"文件中有 {frames} 张图片")
        remedy = Phrase("export the one picture that the question is about", "请只导出题目所问的那一张")
        yield rule.finding(message, remedy, **image.where, frames=frames)
