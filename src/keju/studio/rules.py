"""Rules W: what only the studio knows of an item. `keju.checks` has all others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from keju.checks import Finding, Group, Rule
from keju.items import LABELS
from keju.phrase import Phrase, listed
from keju.studio.content import Content

GROUP = Group()


@dataclass(frozen=True, slots=True)
class Case:
    """An item as these rules see it."""

    code: str
    content: Content
    profile: str
    media: frozenset[str]
    """Kinds: `image`, `audio`."""
    languages: tuple[str, ...]
    """Languages that the project promises."""
    strategies: Mapping[str, Phrase]
    """The project's distractor strategies: code → name."""
    labels_missing: tuple[str, ...]
    """Kinds of label of which the project has terms and the item has none."""


@GROUP.rule(
    "W101",
    "language-incomplete",
    "error",
    "item",
    title=Phrase("a language is incomplete", "某种语言的文本不完整"),
    why=Phrase(
        "Results are compared between languages; every item must ask the same in each.",
        "不同语言的结果要互相比较，每题的各语言文本都要齐全。",
    ),
    good="question and four options in both languages",
    bad="an English question without English options",
    paper='000 "Question Construction"',
)
def _language_incomplete(case: Case, rule: Rule) -> Iterator[Finding]:
    content = case.content
    heard = "audio" in case.media
    pictured = all(not option.text for option in content.options)
    for tag in case.languages:
        missing = [] if content.stem.get(tag) or heard else [Phrase("the question", "题干")]
        for label, option in zip(LABELS, content.options, strict=False):
            if not (option.text.get(tag) or option.asset or pictured):
                missing.append(Phrase(f"option {label}", f"选项 {label}"))
        if missing:
            names = listed(missing)
            yield rule.finding(
                Phrase(f"in {tag} there is no text for {names}", f"{tag} 缺少{names.zh}"),
                Phrase("write it", "请补写"),
                item=case.code,
            )


@GROUP.rule(
    "W102",
    "key-not-set",
    "error",
    "item",
    title=Phrase("the right option is not marked", "没有标出正确选项"),
    why=Phrase("Without its key an answer cannot be marked.", "没有答案就无法判分。"),
    good="B",
    bad="none",
)
def _key_not_set(case: Case, rule: Rule) -> Iterator[Finding]:
    if case.content.key is None or case.content.key >= len(case.content.options):
        yield rule.finding(
            Phrase("no option is marked as right", "没有标出正确选项"),
            Phrase("press the number of the right option", "请按正确选项的数字键"),
            item=case.code,
        )


@GROUP.rule(
    "W103",
    "line-break",
    "error",
    "item",
    title=Phrase("a text has a line break", "文本中有换行"),
    why=Phrase(
        "The paper's question files have one line for the question and one for each option.",
        "论文的题目文件中，题干和每个选项各占一行。",
    ),
    good="one line",
    bad="a question on two lines",
    paper='000 "Data Organization"',
)
def _line_break(case: Case, rule: Rule) -> Iterator[Finding]:
    texts = [(Phrase(f"option {n}", f"选项 {n}"), o.text) for n, o in zip(LABELS, case.content.options, strict=False)]
    if case.profile == "tco":
        texts.insert(0, (Phrase("the question", "题干"), case.content.stem))
    for name, text in texts:
        for tag in (tag for tag, words in text.items() if "\n" in words):
            yield rule.finding(
                Phrase(f"{name} in {tag} has a line break", f"{name.zh}（{tag}）中有换行"),
                Phrase("write it on one line", "请写成一行"),
                item=case.code,
            )


@GROUP.rule(
    "W104",
    "strategy-missing",
    "warning",
    "item",
    title=Phrase("a distractor has no strategy", "干扰项没有标明编写策略"),
    why=Phrase("Reviewers judge a distractor by what it was made for.", "审阅者要知道干扰项的用意才能判断好坏。"),
    good="semantic similarity, common misconception, category confusion",
    bad="a distractor without one",
    paper='000 "Question Construction"',
)
def _strategy_missing(case: Case, rule: Rule) -> Iterator[Finding]:
    if not case.strategies:
        return
    distractors = [(n, o) for n, o in enumerate(case.content.options) if n != case.content.key]
    if without := [LABELS[n] for n, option in distractors if not option.strategy]:
        names = listed(without)
        yield rule.finding(
            Phrase(f"option {names} has no strategy", f"选项 {names.zh} 没有标明编写策略"),
            Phrase("choose how it was made", "请选择编写策略"),
            item=case.code,
        )
        return
    used = {option.strategy for _, option in distractors}
    unused = [name for code, name in case.strategies.items() if code not in used]
    if unused and len(distractors) >= len(case.strategies):
        names = listed(unused)
        yield rule.finding(
            Phrase(f"no distractor uses {names}", f"没有干扰项使用 {names.zh}"),
            Phrase("let the distractors use every strategy", "请让干扰项用到每种策略"),
            item=case.code,
        )


@GROUP.rule(
    "W105",
    "medium-missing",
    "error",
    "item",
    title=Phrase("an item has no picture and no clip", "题目没有图片或录音"),
    why=Phrase(
        "The benchmark asks about pictures and sounds; questions of text alone are left out.",
        "本题库考的是图片和声音，纯文字题不收录。",
    ),
    good="a picture",
    bad="neither picture nor clip",
    paper='000 "Data Organization"; 001 §2.1',
)
def _medium_missing(case: Case, rule: Rule) -> Iterator[Finding]:
    if case.profile == "tco" and "image" not in case.media:
        wanted = Phrase("a picture", "图片")
    elif case.profile == "multi-tw" and not case.media:
        wanted = Phrase("a picture or a clip", "图片或录音")
    else:
        return
    yield rule.finding(Phrase(f"there is not {wanted}", f"没有{wanted.zh}"), Phrase("add it", "请添加"), item=case.code)


@GROUP.rule(
    "W106",
    "label-missing",
    "warning",
    "item",
    title=Phrase("a label is missing", "缺少分类"),
    why=Phrase(
        "Results are broken down by labels, and samples are drawn by them.", "结果按分类统计，样本也按分类抽取。"
    ),
    good="genre, question type, difficulty",
    bad="no difficulty",
    paper='000 "Question Construction"',
)
def _label_missing(case: Case, rule: Rule) -> Iterator[Finding]:
    if case.labels_missing:
        names = listed([_LABELS.get(name, name) for name in case.labels_missing])
        yield rule.finding(
            Phrase(f"not chosen: {names}", f"未选择：{names.zh}"), Phrase("choose it", "请选择"), item=case.code
        )


_LABELS = {
    "genre": Phrase("genre", "剧种"),
    "question_type": Phrase("question type", "题型"),
    "difficulty": Phrase("difficulty", "难度"),
    "dimension": Phrase("dimension", "维度"),
    "instruction": Phrase("task type", "任务类型"),
}
