"""Columns that several tables share: one name, one heading and one kind for one quantity."""

from __future__ import annotations

from keju.results.phrase import Phrase
from keju.results.table import Column

MODEL = Column("model", "Model", "text", "模型")
VARIANT = Column("variant", "Variant", "text", "变体")
PROTOCOL = Column("protocol", "Protocol", "text", "协议")
PARSER = Column("parser", "Parser", "text", "解析规则")
STATE = Column("state", "State", "text", "状态")
ACCURACY = Column("accuracy", "Accuracy", "share", "准确率")
INTERVAL = Column("interval", "95 % CI", "interval", "95 % 置信区间")
METHOD = Column("interval_method", "CI by", "text", "区间方法")
N = Column("n", "N", "count", "题数")
CORRECT = Column("correct", "Right", "count", "答对")
ANSWERED = Column("answered", "Answered", "count", "已答")
ACCURACY_ANSWERED = Column("accuracy_answered", "Accuracy (answered)", "share", "准确率（已答）")
INTERVAL_ANSWERED = Column("interval_answered", "95 % CI (answered)", "interval", "95 % 置信区间（已答）")
INTERVAL_CLUSTERED = Column("interval_clustered", "95 % CI (by medium)", "interval", "95 % 置信区间（按媒体）")
VALID_RATE = Column("valid_response_rate", "Valid responses", "share", "有效回答率")
CHANCE = Column("chance", "Chance", "share", "随机水平")
P_CHANCE = Column("p_chance", "p (above chance)", "p", "p（高于随机）")
INVALID = Column("invalid", "Invalid", "count", "无效", hide_zero=True)
TRUNCATED = Column("truncated", "Truncated", "count", "截断", hide_zero=True)
BLOCKED = Column("blocked", "Blocked", "count", "被过滤", hide_zero=True)
FAILED = Column("failed", "Failed", "count", "失败", hide_zero=True)
PENDING = Column("pending", "Not asked", "count", "未问", hide_zero=True)
DRAWN = Column("drawn", "Drawn", "count", "随机抽取", hide_zero=True)
EXPECTED = Column("expected_accuracy", "Expected accuracy", "share", "期望准确率")
UNDRAWN = Column("accuracy_without_draws", "Accuracy without draws", "share", "准确率（不计抽取）")
DIFFERENCE = Column("difference", "Difference", "difference", "差值")
ONLY_FIRST = Column("only_first", "Only first right", "count", "仅前者答对")
ONLY_SECOND = Column("only_second", "Only second right", "count", "仅后者答对")
P = Column("p", "p", "p", "p")
P_HOLM = Column("p_holm", "p (Holm)", "p", "p（Holm 校正）")

_LABELS = {
    "genre": "剧种",
    "question_type": "题型",
    "dimension": "能力维度",
    "difficulty": "难度",
    "modality": "模态",
    "level": "等级",
    "task": "任务",
    "split": "划分",
    "options": "选项数",
    "language": "语言",
    "original_language": "原作语言",
    "section": "卷别",
    "part": "部分",
    "volume": "册次",
    "cue": "线索",
    "subject": "科目",
    "script": "字体",
}
_MODALITIES = {"image": "图像", "audio": "音频", "text": "文本", "image+audio": "图像与音频"}


def label(name: str) -> Phrase:
    """The name of a label as a heading; in Chinese it stays as it is where keju does not know it."""
    return Phrase(name.replace("_", " ").capitalize(), _LABELS.get(name, name))


def modality(name: str) -> Phrase:
    return Phrase(name, _MODALITIES.get(name, name))
