"""Rules I3 and A3: the same picture or sound more than once, across splits above all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from keju.checks.alike import Look, Nearest, nearest
from keju.checks.clips import Clip
from keju.checks.finding import Finding
from keju.checks.measuring import MeasuredClip, MeasuredImage
from keju.checks.rule import Group, Rule
from keju.phrase import Phrase

GROUP = Group()

Each = TypeVar("Each", MeasuredImage, MeasuredClip)
Media = Sequence[MeasuredImage | MeasuredClip]
NEAR = 6
"""Bits of 64 within which two pictures are copies: JPEG, half size and 20 % brighter stay within 4, unrelated
photographs differ by 14 and more."""
_LOOK = 10
"""Bits within which a person should look: a small crop stays within 12."""
_KEEP_ONE = Phrase(
    "keep one file and let the items share it; if the pictures should differ, find out which one is wrong",
    "请只保留一个文件，让题目共用；若本应不同，请查明哪一个放错了",
)
_APART = Phrase(
    "put all items with this picture into one split, or use another picture; what was trained on is no test",
    "请把使用该图片的题目放进同一划分，或更换图片；训练过的内容不能用来测试",
)
_APART_CLIP = Phrase(
    "put all items with this clip into one split, or use another clip; what was trained on is no test",
    "请把使用该音频的题目放进同一划分，或更换音频；训练过的内容不能用来测试",
)


@GROUP.rule(
    "I301",
    "picture-twice",
    "warning",
    "media",
    title=Phrase("two files hold the same picture", "两个文件是同一张图片"),
    why=Phrase(
        "Often one of them overwrote another picture; and questions on one picture are not independent.",
        "常常是其中一张误覆盖了另一张；而且同一张图片的题目彼此不独立。",
    ),
    good="one file that two items share",
    bad="0007.png and 0008.png with the same bytes",
)
def _twice(media: Media, rule: Rule) -> Iterator[Finding]:
    for first, image in _repeated(_images(media)):
        if not _across(first, image):
            message = Phrase(f"the same file as {first.file}", f"与 {first.file} 是同一文件")
            yield rule.finding(message, _KEEP_ONE, **image.where, same_as=first.file)


@GROUP.rule(
    "I302",
    "near-duplicate",
    "warning",
    "media",
    title=Phrase("two pictures are nearly the same", "两张图片几乎相同"),
    why=Phrase(
        "Copies in another size or format count one picture twice.",
        "不同尺寸或格式的副本会把一张图片算两次。",
    ),
    good="two photographs of two scenes",
    bad="a photograph and its JPEG copy at half size",
    thresholds={"near": NEAR, "look": _LOOK},
)
def _near(media: Media, rule: Rule) -> Iterator[Finding]:
    for image, other, twin in _twins(media, rule):
        if twin.distance <= rule["near"] and not _across(other, image):
            yield _pair(rule, image, other, twin, ("nearly the same picture as", "几乎相同"), _KEEP_ONE)


@GROUP.rule(
    "I303",
    "look-alike",
    "note",
    "media",
    title=Phrase("two pictures look alike", "两张图片看起来相似"),
    why=Phrase(
        "They may be two shots of one moment, or one picture cropped.",
        "可能是同一时刻的两张照片，或同一张图片的裁剪。",
    ),
    good="two photographs of two scenes",
    bad="two shots of one scene, a second apart",
    thresholds={"near": NEAR, "look": _LOOK},
)
def _alike(media: Media, rule: Rule) -> Iterator[Finding]:
    remedy = Phrase(
        "compare the two; keep both only if the questions need both", "请对比两张图片；仅当题目确实需要时才都保留"
    )
    for image, other, twin in _twins(media, rule):
        if twin.distance > rule["near"]:
            yield _pair(rule, image, other, twin, ("looks like", "相似"), remedy)


@GROUP.rule(
    "I304",
    "picture-in-two-splits",
    "error",
    "media",
    title=Phrase("one picture is in two splits", "同一张图片出现在两个划分中"),
    why=Phrase(
        "A model trained on one split has seen the pictures of the other: its score says nothing.",
        "在一个划分上训练过的模型已经见过另一个划分的图片，得分便没有意义。",
    ),
    good="all questions on a picture in the test split",
    bad="the same picture in train and in test, or a smaller copy of it",
    thresholds={"near": NEAR, "look": _LOOK},
)
def _leaked(media: Media, rule: Rule) -> Iterator[Finding]:
    images = _images(media)
    for image in images:
        if len(image.splits) > 1:
            yield _shared(rule, image, _APART)
    known = set()
    for first, image in _repeated(images):
        if _across(first, image):
            known.add(image.file)
            yield _pair(rule, image, first, None, ("the same file as", "相同"), _APART)
    for image, other, twin in _twins(media, rule, across=True):
        if twin.distance <= rule["near"] and image.file not in known:
            yield _pair(rule, image, other, twin, ("nearly the same picture as", "几乎相同"), _APART)


@GROUP.rule(
    "A301",
    "sound-twice",
    "warning",
    "media",
    title=Phrase("two files hold the same sound", "两个文件是同一段声音"),
    why=Phrase(
        "Often one of them overwrote another clip; other tags do not make another sound.",
        "常常是其中一个误覆盖了另一个；标签不同，声音仍是同一段。",
    ),
    good="one file that two items share",
    bad="0007.mp3 and 0008.mp3 that differ in their title tag only",
)
def _sound_twice(media: Media, rule: Rule) -> Iterator[Finding]:
    for first, clip in _repeated(_clips(media)):
        if not _across(first, clip):
            message = Phrase(f"the same sound as {first.file}", f"与 {first.file} 是同一段声音")
            remedy = Phrase(
                "keep one file and let the items share it; if the clips should differ, find out which one is wrong",
                "请只保留一个文件，让题目共用；若本应不同，请查明哪一个放错了",
            )
            yield rule.finding(message, remedy, **clip.where, same_as=first.file)


@GROUP.rule(
    "A302",
    "clip-in-two-splits",
    "error",
    "media",
    title=Phrase("one clip is in two splits", "同一段音频出现在两个划分中"),
    why=Phrase(
        "A model trained on one split has heard the clips of the other: its score says nothing.",
        "在一个划分上训练过的模型已经听过另一个划分的音频，得分便没有意义。",
    ),
    good="all questions on a clip in the test split",
    bad="the same clip in train and in test",
)
def _clip_leaked(media: Media, rule: Rule) -> Iterator[Finding]:
    clips = _clips(media)
    for clip in clips:
        if len(clip.splits) > 1:
            yield _shared(rule, clip, _APART_CLIP)
    for first, clip in _repeated(clips):
        if _across(first, clip):
            yield _pair(rule, clip, first, None, ("the same sound as", "相同"), _APART_CLIP)


def _images(media: Media) -> list[MeasuredImage]:
    return [each for each in media if isinstance(each, MeasuredImage) and each.picture.trouble != "empty"]


def _clips(media: Media) -> list[MeasuredClip]:
    return [each for each in media if isinstance(each, MeasuredClip) and each.clip.trouble != "empty"]


def _repeated(media: list[Each]) -> Iterator[tuple[Each, Each]]:
    """Each file whose content was there before, with the first that had it; across splits with the first of another
    split, where there is one."""
    seen: dict[str, list[Each]] = {}
    for each in media:
        content = each.picture.sha256 if isinstance(each, MeasuredImage) else _sound(each.clip)
        before = seen.setdefault(content, [])
        if before:
            yield next((other for other in before if _across(other, each)), before[0]), each
        if not any(other.splits == each.splits for other in before):
            before.append(each)


def _sound(clip: Clip) -> str:
    """What tells a clip from others: its samples, or its bytes where it has none or only zeros."""
    return clip.sound if clip.peak > 0 else clip.sha256


def _across(one: MeasuredImage | MeasuredClip, other: MeasuredImage | MeasuredClip) -> bool:
    """Whether the two are shown in different splits; what is in no split is in none of its own."""
    return bool(one.splits and other.splits) and len({*one.splits, *other.splits}) > 1


def _twins(media: Media, rule: Rule, *, across: bool = False) -> Iterator[tuple[MeasuredImage, MeasuredImage, Nearest]]:
    """Each picture with the nearest before it that is not the same file; pictures of one tone are left out."""
    first = {image.picture.sha256: image for image in reversed(_images(media)) if image.picture.contrast > 1}
    images = [image for image in _images(media) if first.get(image.picture.sha256) is image]
    looks = tuple(Look(i.picture.dhash, i.picture.thumb, frozenset(i.splits)) for i in images)
    for image, twins in zip(images, nearest(looks, int(rule["look"])) if looks else (), strict=True):
        if twin := twins[across]:
            yield image, images[twin.index], twin


def _pair(
    rule: Rule,
    one: MeasuredImage | MeasuredClip,
    other: MeasuredImage | MeasuredClip,
    twin: Nearest | None,
    how: tuple[str, str],
    remedy: Phrase,
) -> Finding:
    splits = f" ({', '.join(one.splits)}; {', '.join(other.splits)})" if _across(one, other) else ""
    bits = f" ({twin.distance} of 64 bits differ)" if twin else ""
    zh_splits = f"（分别在 {'、'.join(one.splits)} 和 {'、'.join(other.splits)}）" if splits else ""
    message = Phrase(
        f"{how[0]} {other.file}{bits}{splits}",
        f"与 {other.file} {how[1]}{f'（64 位中有 {twin.distance} 位不同）' if twin else ''}{zh_splits}",
    )
    told: dict[str, Any] = {
        "same_as": other.file,
        "items": [*one.items, *other.items],
        "distance": twin.distance if twin else 0,
    }
    return rule.finding(message, remedy, **one.where, **told)


def _shared(rule: Rule, medium: MeasuredImage | MeasuredClip, remedy: Phrase) -> Finding:
    items = ", ".join(medium.items[:4]) + (" …" if len(medium.items) > 4 else "")
    return rule.finding(
        Phrase(
            f"used in {' and '.join(medium.splits)} (items {items})",
            f"同时用于 {'、'.join(medium.splits)}（题目 {items}）",
        ),
        remedy,
        **medium.where,
        items=list(medium.items),
        splits=list(medium.splits),
    )
