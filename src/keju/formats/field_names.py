"""What authors call the parts of an item, in Chinese and English: one table for sheet columns and JSON keys."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from keju.formats.names import folded
from keju.items import LABELS

LANGUAGES = {
    "en": ("en", "eng", "english", "英文", "英语", "英語"),
    "zh": ("zh", "cn", "chinese", "中文", "汉语", "漢語", "华语", "華語"),
    "zh-Hans": ("zhhans", "zhcn", "hans", "simplified", "简体", "简体中文", "簡體"),
    "zh-Hant": ("zhhant", "zhtw", "hant", "traditional", "繁体", "繁體", "繁體中文", "正體", "正體中文"),
}
_TRANSLATED = {
    # First: `options` is what it says, not `option` and S.
    **{x: (x.lower(), f"option{x.lower()}", f"选项{x.lower()}", f"選項{x.lower()}") for x in LABELS},
    "question": ("question", "questiontext", "stem", "题目", "題目", "题干", "題幹", "问题", "問題"),
    "options": ("options", "optionstext", "choices", "选项", "選項"),
    "instruction": ("instruction", "instructions", "说明", "說明", "作答说明", "作答說明"),
}
_ALONE = {
    "id": ("id", "itemid", "no", "number", "#", "编号", "編號", "题号", "題號", "序号", "序號"),
    "answer": ("answer", "correctanswer", "key", "gold", "答案", "正确答案", "正確答案", "正解"),
    "image": ("image", "picture", "img", "imagefile", "imagepath", "图片", "圖片", "图像", "圖像", "剧照", "劇照"),
    "audio": ("audio", "sound", "clip", "audiofile", "audiopath", "音频", "音頻", "音檔", "音訊", "录音", "錄音"),
    "media": ("media", "medium", "file", "filename", "媒体", "媒體", "文件", "文件名", "檔案", "檔名"),
    "split": ("split", "subset", "划分", "劃分", "数据集", "資料集"),
    "language": ("language", "lang", "语言", "語言"),
    "notes": (
        "notes",
        "note",
        "remarks",
        "comment",
        "comments",
        "备注",
        "備註",
        "解析",
        "explanation",
        "source",
        "来源",
        "來源",
    ),
    "label:genre": ("genre", "剧种", "劇種"),
    "label:question_type": ("questiontype", "type", "题型", "題型", "类别", "類別"),
    "label:difficulty": ("difficulty", "难度", "難度"),
    "label:level": ("level", "等级", "等級", "级别", "級別"),
}
NESTED = {"translation", "translations", "翻译", "翻譯", "译文", "譯文"}


@dataclass(frozen=True, slots=True)
class Field:
    role: str
    """`id`, `question`, `options`, `A`…`Z`, `answer`, `image`, `label:genre`, …"""
    language: str | None = None
    """Where the name says one: `en`, `zh`, `zh-Hans`, `zh-Hant`."""


@lru_cache(maxsize=1 << 10)
def known_field(name: str) -> Field | None:
    """The part that `name` stands for: `question_text_en`, `English question`, `题目（英文）` are one."""
    return _FIELDS.get(plain(name))


def language_named(name: str) -> str | None:
    """The language that `name` stands for: `en`, `English`, `zh_TW`."""
    known = plain(name)
    return next((tag for tag, names in LANGUAGES.items() if known in names), None)


def plain(name: str) -> str:
    """`name` without case, width, spaces, brackets and joiners."""
    return re.sub(r"[\s_\-()\[\]:.]", "", folded(name)).lower()


def _fields() -> dict[str, Field]:
    fields = {name: Field(role) for role, names in (_TRANSLATED | _ALONE).items() for name in names}
    for role, names in _TRANSLATED.items():
        for tag, languages in LANGUAGES.items():
            for language in languages:
                for name in names:
                    fields |= {f"{name}{language}": Field(role, tag), f"{language}{name}": Field(role, tag)}
    return fields


_FIELDS = _fields()
