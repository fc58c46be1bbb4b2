"""What the item browser says, in both languages."""

from __future__ import annotations

from collections.abc import Mapping

from keju.phrase import Phrase
from keju.protocols.extraction import Reason

WORDS: Mapping[str, Phrase] = {
    "items": Phrase("Items", "题目"),
    "search": Phrase("Search", "搜索"),
    "search hint": Phrase("Words, or an id", "词语，或题号"),
    "show": Phrase("Show", "显示"),
    "all": Phrase("all items", "全部题目"),
    "none-right": Phrase("wrong by all models", "所有模型都答错"),
    "all-right": Phrase("right by all models", "所有模型都答对"),
    "split": Phrase("models disagree", "模型有对有错"),
    "invalid": Phrase("an invalid reply", "有无效回答"),
    "failed": Phrase("a failed or blocked call", "有失败或被过滤的调用"),
    "pending": Phrase("not asked by some run", "有运行未问"),
    "model": Phrase("Model", "模型"),
    "any model": Phrase("any", "不限"),
    "result": Phrase("its result", "其结果"),
    "is right": Phrase("right", "答对"),
    "is wrong": Phrase("wrong", "答错"),
    "is invalid": Phrase("invalid", "无效"),
    "is failed": Phrase("failed or blocked", "失败或被过滤"),
    "order": Phrase("Order", "排序"),
    "as given": Phrase("as in the benchmark", "按试卷顺序"),
    "hardest": Phrase("hardest first", "由难到易"),
    "easiest": Phrase("easiest first", "由易到难"),
    "any": Phrase("any", "不限"),
    "reset": Phrase("Clear filters", "清除筛选"),
    "count": Phrase("{n} of {all} items", "{all} 题中的 {n} 题"),
    "nothing": Phrase("No item meets these conditions.", "没有符合条件的题目。"),
    "choose": Phrase("Choose an item from the list.", "请从列表中选择一题。"),
    "place": Phrase("{n} of {all}", "第 {n} 题，共 {all} 题"),
    "hidden": Phrase("not among the items listed", "不在当前列表中"),
    "previous": Phrase("Previous", "上一题"),
    "next": Phrase("Next", "下一题"),
    "keys": Phrase("Keys: j next, k previous, / search", "快捷键：j 下一题，k 上一题，/ 搜索"),
    "right of": Phrase("{n} of {all} right", "{all} 个中 {n} 个答对"),
    "right": Phrase("right", "答对"),
    "wrong": Phrase("wrong", "答错"),
    "drawn": Phrase("drawn at random", "随机抽取"),
    "read as": Phrase("Read as {label} by parser {parser}", "解析规则 {parser} 读作 {label}"),
    "read as nothing": Phrase("No label read by parser {parser}", "解析规则 {parser} 未读出选项"),
    "by its tool": Phrase("As marked by the tool that wrote the file", "以写出该文件的工具的评判为准"),
    "key": Phrase("key", "正确答案"),
    "no key": Phrase(
        "The source has no usable key: no reply is ever right.", "来源没有可用的正确答案，任何回答都不算对。"
    ),
    "chosen by": Phrase("models: {n}", "模型：{n}"),
    "chosen by people": Phrase("people: {n}", "人：{n}"),
    "people": Phrase("People", "人的作答"),
    "replies": Phrase("Replies", "回答"),
    "reply of": Phrase("Reply of {name}", "{name} 的回答"),
    "empty reply": Phrase("(empty reply)", "（空回答）"),
    "no reply": Phrase("no reply", "没有回答"),
    "left out": Phrase(
        "{n} characters in the middle are not in this page; the run's records have them.",
        "中间 {n} 个字符未收入本页，完整内容见运行记录。",
    ),
    "saw": Phrase("What the model was given in place of {name}", "代替 {name} 交给模型的文字"),
    "seconds": Phrase("{n} s", "{n} 秒"),
    "form": Phrase("As asked of {names}", "问 {names} 时的题面"),
    "no question": Phrase(
        "(the question is not in the file, or is heard or seen)", "（文件中没有题干，或题干在音频、图片中）"
    ),
    "picture": Phrase("Picture {name}", "图片 {name}"),
    "clip": Phrase("Clip {name}", "音频 {name}"),
    "original": Phrase("open the original", "打开原文件"),
    "not here": Phrase(
        "Not in this page. Name the benchmark with --benchmark, and write the report beside it.",
        "未收入本页。请用 --benchmark 指明试卷，并把报告写在试卷旁边。",
    ),
    "gone": Phrase("The file is not beside this report any more.", "文件已不在报告旁边。"),
    "wording": Phrase("Question", "题目"),
}

WHY: Mapping[Reason, Phrase] = {
    "empty": Phrase("the reply is empty, or nothing but reasoning", "回答为空，或只有推理过程"),
    "truncated": Phrase("the output limit cut the reply before it gave an answer", "回答在给出答案前被长度上限截断"),
    "refusal": Phrase("the reply declines to answer", "拒绝作答"),
    "several": Phrase("the reply names more than one option", "回答提到不止一个选项"),
    "not-an-option": Phrase("the reply names something that is no option of this item", "回答所指不是本题的选项"),
    "no-label": Phrase("no option could be read from the reply", "回答中读不出选项"),
}
"""Why a reply gave no label, as a sentence's part."""
