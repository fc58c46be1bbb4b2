"""What only the authors can tell of a data set: the questions of its datasheet, in both languages.

The topics follow Gebru et al., "Datasheets for Datasets" (2021), in our words. `rai` names the property of Croissant's
RAI vocabulary 1.0 under which programs find the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from keju.phrase import Phrase


@dataclass(frozen=True, slots=True)
class Question:
    section: Phrase
    text: Phrase
    rai: str | None = None
    """Property without its prefix `rai:`."""
    several: bool = False
    """Whether the property is a list; the answer is then its one member."""
    required: bool = True
    """A release is blocked while the answer to a required question is empty."""


_WHY = Phrase("Motivation", "动机")
_WHERE = Phrase("Collection", "采集")
_HOW = Phrase("Annotation", "标注")
_USE = Phrase("Use", "使用")
_AFTER = Phrase("Maintenance", "维护")

QUESTIONS: Mapping[str, Question] = {
    "purpose": Question(
        _WHY,
        Phrase("What was this benchmark made for, and what was missing before?", "为什么制作本题库？填补了什么空白？"),
    ),
    "funding": Question(
        _WHY, Phrase("Who paid for it? Grants with their numbers.", "由谁资助？请写明项目名称与编号。"), required=False
    ),
    "collection": Question(
        _WHERE,
        Phrase(
            "Where do the questions, pictures and clips come from, and how were they chosen?",
            "题目、图片、音频从何而来？如何挑选？",
        ),
        "dataCollection",
    ),
    "preprocessing": Question(
        _WHERE,
        Phrase(
            "What was done to the material: cropping, cleaning, translating, converting? Write `none` if nothing was.",
            "对素材做过哪些处理（裁剪、清洗、翻译、转换）？没有请写“无”。",
        ),
        "dataPreprocessingProtocol",
        several=True,
    ),
    "personal_information": Question(
        _WHERE,
        Phrase(
            "Can a person be recognised in it: a face, a voice, a name? Whose, and what was agreed with them?",
            "素材中能否认出某个人（面孔、声音、姓名）？是谁？如何征得同意？",
        ),
        "personalSensitiveInformation",
        several=True,
    ),
    "annotation": Question(
        _HOW,
        Phrase(
            "Who wrote questions, options and keys, by which rules, and who reviewed them?",
            "题干、选项、答案由谁撰写？依据什么规则？由谁审阅？",
        ),
        "dataAnnotationProtocol",
        several=True,
    ),
    "annotators": Question(
        _HOW,
        Phrase(
            "Who are the authors and reviewers as a group: number, profession, languages, region?",
            "作者与审阅者的整体情况：人数、职业、语言、地区？",
        ),
        "annotatorDemographics",
        several=True,
    ),
    "annotations_per_item": Question(
        _HOW, Phrase("How many people judged each item?", "每道题由几个人判断？"), "annotationsPerItem"
    ),
    "annotation_platform": Question(
        _HOW, Phrase("With which tool?", "使用什么工具？"), "dataAnnotationPlatform", several=True, required=False
    ),
    "annotation_analysis": Question(
        _HOW,
        Phrase(
            "How far did they agree (kappa, ICC), and what became of disputes?",
            "一致性如何（kappa、ICC）？分歧如何解决？",
        ),
        "dataAnnotationAnalysis",
        several=True,
        required=False,
    ),
    "uses": Question(
        _USE,
        Phrase("What should it be used for, and what not?", "适合用于什么？不适合用于什么？"),
        "dataUseCases",
        several=True,
    ),
    "limitations": Question(
        _USE,
        Phrase("What can a score on it not show?", "得分不能说明什么？有哪些局限？"),
        "dataLimitations",
        several=True,
    ),
    "biases": Question(
        _USE,
        Phrase(
            "Which regions, genres, groups or views are over- or under-represented?",
            "哪些地区、类别、人群或观点偏多或偏少？",
        ),
        "dataBiases",
        several=True,
    ),
    "social_impact": Question(
        _USE,
        Phrase("Whom may it help or harm, and how is harm kept small?", "可能惠及或伤害哪些人？如何减少伤害？"),
        "dataSocialImpact",
    ),
    "maintenance": Question(
        _AFTER,
        Phrase(
            "Who corrects mistakes, how are they reported, and how long will it be kept?",
            "由谁更正错误？如何反馈？保存多久？",
        ),
        "dataReleaseMaintenancePlan",
    ),
}
"""Key in `[datasheet]` of release.toml → question, in the order of the datasheet."""
