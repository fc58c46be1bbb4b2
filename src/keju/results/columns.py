"""Columns that several tables share: one name, one heading and one kind for one quantity."""

from __future__ import annotations

from keju.results.table import Column

MODEL = Column("model", "Model", "text", "模型")
VARIANT = Column("variant", "Variant", "text", "变体")
PROTOCOL = Column("protocol", "Protocol", "text", "协议")
PARSER = Column("parser", "Parser", "text", "解析规则")
STATE = Column("state", "State", "text", "状态")
ACCURACY = Column("accuracy", "Accuracy", "share", "准确率")
INTERVAL = Column("interval", "95 % CI", "interval", "95% 置信区间")
METHOD = Column("interval_method", "CI by", "text", "区间方法")
N = Column("n", "N", "count", "题数")
CORRECT = Column("correct", "Right", "count", "答对")
ANSWERED = Column("answered", "Answered", "count", "已答")
ACCURACY_ANSWERED = Column("accuracy_answered", "Accuracy (answered)", "share", "准确率（已答）")
INTERVAL_ANSWERED = Column("interval_answered", "95 % CI (answered)", "interval", "95% 置信区间（已答）")
INTERVAL_CLUSTERED = Column("interval_clustered", "95 % CI (by medium)", "interval", "95% 置信区间（按媒体）")
VALID_RATE = Column("valid_response_rate", "Valid responses", "share", "有效回答率")
CHANCE = Column("chance", "Chance", "share", "随机水平")
P_CHANCE = Column("p_chance", "p (above chance)", "p", "p（高于随机）")
INVALID = Column("invalid", "Invalid", "count", "无效")
TRUNCATED = Column("truncated", "Truncated", "count", "截断")
BLOCKED = Column("blocked", "Blocked", "count", "被过滤")
FAILED = Column("failed", "Failed", "count", "失败")
PENDING = Column("pending", "Not asked", "count", "未问")
DRAWN = Column("drawn", "Drawn", "count", "随机抽取")
EXPECTED = Column("expected_accuracy", "Expected accuracy", "share", "期望准确率")
UNDRAWN = Column("accuracy_without_draws", "Accuracy without draws", "share", "准确率（不计抽取）")
