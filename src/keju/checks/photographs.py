"""Rules I1: whether a picture shows well what is asked of it.

The TCO paper's criteria are for photographs of a stage. Drawings and scanned pages of an exam fail most of them, being
white and flat, so they hold for the profile `tco` alone; contrast, which every picture needs, holds for all.

One criterion is left to people: performers fill at least 30 % of the frame. To find performers takes a trained
detector, and none comes with keju.
"""

from __future__ import annotations

from collections.abc import Iterator

from keju.checks.finding import Finding
from keju.checks.measuring import MeasuredImage
from keju.checks.rule import Group, Rule
from keju.phrase import Phrase

GROUP = Group()
_SELECTION = '000 "Image Selection"'


@GROUP.rule(
    "I101",
    "picture-too-small",
    "warning",
    "image",
    title=Phrase("the picture is smaller than 1280 × 720", "图片小于 1280 × 720"),
    why=Phrase(
        "Details of costume and make-up that the question asks for may not be visible.",
        "题目所问的服饰和脸谱细节可能看不清。",
    ),
    good="1280 × 720, or 720 × 1280 for an upright picture",
    bad="1279 × 720",
    paper=_SELECTION,
    profile="tco",
    thresholds={"long": 1280, "short": 720},
)
def _small(image: MeasuredImage, rule: Rule) -> Iterator[Finding]:
    """The longer and the shorter side are compared, so that an upright photograph passes as a level one does."""
    width, height = image.picture.width, image.picture.height
    if not width or (max(width, height) >= rule["long"] and min(width, height) >= rule["short"]):
        return
    long, short = int(rule["long"]), int(rule["short"])
    yield rule.finding(
        Phrase(
            f"{width} × {height} pixels; at least {long} on the longer and {short} on the shorter side are wanted",
            f"图片为 {width} × {height} 像素；长边至少 {long}，短边至少 {short}",
        ),
        Phrase("use a larger original; enlarging this one adds no detail", "请换用更大的原图；放大这张不会增加细节"),
        **image.where,
        width=width,
        height=height,
    )


@GROUP.rule(
    "I102",
    "clipped",
    "warning",
    "image",
    title=Phrase("too much of the picture is pure black or pure white", "画面中纯黑或纯白的部分过多"),
    why=Phrase(
        "Where light is clipped, folds, embroidery and make-up are gone and no program brings them back.",
        "曝光溢出的地方，衣褶、刺绣和妆面都已丢失，任何软件都无法恢复。",
    ),
    good="5.00 % of the pixels at brightness 255",
    bad="5.01 % of the pixels at brightness 255",
    paper=_SELECTION,
    profile="tco",
    thresholds={"share": 0.05},
)
def _clipped(image: MeasuredImage, rule: Rule) -> Iterator[Finding]:
    """Either end of the histogram of luma by itself; counts are compared, so that exactly 5 % is allowed."""
    picture = image.picture
    pixels = picture.width * picture.height
    ends = ((picture.dark, "black", "纯黑"), (picture.bright, "white", "纯白"))
    over = [(count / pixels, english, zh) for count, english, zh in ends if count > rule["share"] * pixels]
    if picture.trouble or not over:
        return
    most = rule["share"]
    yield rule.finding(
        Phrase(
            " and ".join(f"{share:.1%} of it is pure {english}" for share, english, _ in over)
            + f"; at most {most:.0%} is allowed",
            "，".join(f"{zh}像素占 {share:.1%}" for share, _, zh in over) + f"；最多允许 {most:.0%}",
        ),
        Phrase(
            "use another shot or the camera's raw file; brightening a clipped picture does not help",
            "请换一张照片或使用相机原始文件；调亮溢出的照片没有用",
        ),
        **image.where,
        dark=picture.dark / pixels,
        bright=picture.bright / pixels,
    )


@GROUP.rule(
    "I103",
    "low-contrast",
    "warning",
    "image",
    title=Phrase("the picture has next to no contrast", "图片几乎没有对比度"),
    why=Phrase(
        "A plain or foggy picture shows nothing that could be asked.", "一片单色或灰蒙蒙的图片没有可供提问的内容。"
    ),
    good="brightness spread over the scale",
    bad="one grey tone all over",
    paper=_SELECTION + " (asks for adequate contrast; the value is keju's)",
    thresholds={"deviation": 10.0},
)
def _flat(image: MeasuredImage, rule: Rule) -> Iterator[Finding]:
    """Standard deviation of luma, of 0 … 255: 10 is what ink on 0.15 % of a white page gives."""
    picture = image.picture
    if picture.trouble is None and picture.contrast < rule["deviation"]:
        yield rule.finding(
            Phrase(
                f"brightness varies by {picture.contrast:.1f} of 255 only (standard deviation)",
                f"亮度标准差仅为 {picture.contrast:.1f}（满幅 255），低于 {rule['deviation']:g}",
            ),
            Phrase("look at it; if it is empty or foggy, replace it", "请打开看看；若为空白或发灰，请更换"),
            **image.where,
            contrast=picture.contrast,
        )


@GROUP.rule(
    "I104",
    "too-dark-or-bright",
    "warning",
    "image",
    title=Phrase("the picture is very dark or very bright", "图片过暗或过亮"),
    why=Phrase("Performers can hardly be told from the ground.", "演员与背景难以分辨。"),
    good="mean brightness 110 of 255",
    bad="mean brightness 12 of 255",
    paper=_SELECTION + " (asks for adequate brightness; the values are keju's)",
    profile="tco",
    thresholds={"darkest": 25.0, "brightest": 230.0},
)
def _brightness(image: MeasuredImage, rule: Rule) -> Iterator[Finding]:
    picture = image.picture
    if picture.trouble or rule["darkest"] <= picture.mean <= rule["brightest"]:
        return
    english, zh = ("dark", "过暗") if picture.mean < rule["darkest"] else ("bright", "过亮")
    yield rule.finding(
        Phrase(
            f"it is very {english}: mean brightness {picture.mean:.0f} of 255",
            f"图片{zh}：平均亮度 {picture.mean:.0f}（满幅 255）",
        ),
        Phrase(
            "look at it; use another shot if the performers can hardly be seen", "请打开看看；若看不清演员，请换一张"
        ),
        **image.where,
        mean=picture.mean,
    )


@GROUP.rule(
    "I105",
    "blurred",
    "warning",
    "image",
    title=Phrase("the picture seems blurred", "图片似乎模糊"),
    why=Phrase("What a question asks for cannot be seen in a blurred picture.", "模糊的图片里看不清题目所问的内容。"),
    good="variance of the Laplacian 900",
    bad="variance of the Laplacian 20",
    paper=_SELECTION + " (asks for clear focus; the value is the usual one of this measure)",
    profile="tco",
    thresholds={"variance": 100.0},
)
def _blurred(image: MeasuredImage, rule: Rule) -> Iterator[Finding]:
    """A weak sign: a dark stage lowers the measure and sensor noise raises it."""
    sharpness = image.picture.sharpness
    if sharpness is not None and sharpness < rule["variance"]:
        yield rule.finding(
            Phrase(
                f"it seems blurred: its edges measure {int(sharpness)}, sharp pictures {rule['variance']:g} and more",
                f"图片似乎模糊：边缘强度为 {int(sharpness)}，清晰图片一般不低于 {rule['variance']:g}",
            ),
            Phrase(
                "look at faces and costumes at full size; use a sharper shot if they are soft",
                "请放大查看面部和服饰；若发虚，请换更清晰的照片",
            ),
            **image.where,
            sharpness=sharpness,
        )


@GROUP.rule(
    "I106",
    "tilted",
    "warning",
    "image",
    title=Phrase("the camera was held at a slant", "拍摄时相机倾斜"),
    why=Phrase("A slant changes the proportions of figures and stage.", "倾斜会改变人物和舞台的比例。"),
    good="columns of the stage upright within 3°",
    bad="columns and floor both turned by 6°",
    paper=_SELECTION + " (asks for non-tilted angles; the value is keju's)",
    profile="tco",
    thresholds={"degrees": 3.0},
)
def _tilted(image: MeasuredImage, rule: Rule) -> Iterator[Finding]:
    """Only where uprights and levels lean alike; pictures without straight edges are not judged."""
    tilt = image.picture.tilt
    if tilt is not None and abs(tilt) > rule["degrees"]:
        side, zh = ("right", "右") if tilt > 0 else ("left", "左")
        yield rule.finding(
            Phrase(
                f"its straight edges lean {abs(tilt):.0f}° to the {side}", f"画面中的直线向{zh}倾斜约 {abs(tilt):.0f}°"
            ),
            Phrase("turn it level in a picture program, or use another shot", "请用图片软件校正水平，或换一张照片"),
            **image.where,
            tilt=tilt,
        )


@GROUP.rule(
    "I111",
    "dpi-not-150",
    "warning",
    "image",
    title=Phrase("the picture does not say 150 dots per inch", "图片标注的分辨率不是 150 dpi"),
    why=Phrase(
        "Multi-TW's pictures are all cut from pages at 150 dpi, so that writing is of one size.",
        "Multi-TW 的图片均以 150 dpi 截取，文字大小才一致。",
    ),
    good="150 dpi, which a PNG stores as 5906 dots a metre: 150.01",
    bad="96 dpi, or none stated",
    paper='001 "Quality Control", file consistency check',
    profile="multi-tw",
    thresholds={"dpi": 150.0, "tolerance": 0.5},
)
def _dpi(image: MeasuredImage, rule: Rule) -> Iterator[Finding]:
    """With a tolerance: PNG stores whole dots a metre and JPEG whole dots a centimetre or inch."""
    picture = image.picture
    if picture.trouble or (picture.dpi and all(abs(each - rule["dpi"]) <= rule["tolerance"] for each in picture.dpi)):
        return
    across, down = picture.dpi or (0, 0)
    told = f"{across:.4g}" if abs(across - down) < 0.5 else f"{across:.4g} × {down:.4g}"
    yield rule.finding(
        Phrase(
            f"{told if picture.dpi else 'no'} dpi stated; {rule['dpi']:g} is wanted",
            f"标注 {told} dpi，应为 {rule['dpi']:g} dpi" if picture.dpi else f"未标注 dpi，应为 {rule['dpi']:g} dpi",
        ),
        Phrase(
            f"export it at {rule['dpi']:g} dpi; if it was cut at another size, cut it again from the page",
            f"请以 {rule['dpi']:g} dpi 导出；若截取时分辨率不同，请从原页面重新截取",
        ),
        **image.where,
        dpi=list(picture.dpi) if picture.dpi else None,
    )


@GROUP.rule(
    "I112",
    "not-png",
    "note",
    "image",
    title=Phrase("the picture is no PNG", "图片不是 PNG 格式"),
    why=Phrase("JPEG blurs writing; Multi-TW's pictures are PNG.", "JPEG 会使文字模糊；Multi-TW 的图片均为 PNG。"),
    good="a PNG",
    bad="a JPEG",
    paper='001 "Quality Control", file consistency check',
    profile="multi-tw",
)
def _not_png(image: MeasuredImage, rule: Rule) -> Iterator[Finding]:
    picture = image.picture
    if picture.trouble is None and picture.mime != "image/png":
        message = Phrase(f"it is {picture.mime}, not PNG", f"图片为 {picture.mime}，不是 PNG")
        remedy = Phrase("export it from its source as PNG", "请从原始来源导出为 PNG")
        yield rule.finding(message, remedy, **image.where, mime=picture.mime)
