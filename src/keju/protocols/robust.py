"""Our own careful parser: what a reader of English and Chinese would take as the answer, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from keju.protocols.extraction import Extraction, Seen
from keju.protocols.reply import (
    AS_WORD,
    beginning,
    declines,
    joined_label,
    json_object,
    plain,
    unfenced,
    unread,
    visible,
)
from keju.script import HAN


def robust(seen: Seen) -> Extraction:
    """What the reply declares, by the first of these that finds anything:

    1. JSON object, also in a code fence: its `prediction`, `answer`, `final_answer`, `choice`, `答案`; no other.
    2. The last `\\boxed{…}`.
    3. The whole reply is one label (any case, brackets and punctuation around it), or exactly one option's text.
    4. The last answer declared in English, Chinese or Korean words: `Answer: B`, `the correct option is (B)`,
       `答案：B`, `故选B`, `정답: B`; or such words before exactly one option's text.
    5. A choice or a judgement in weaker words, if all agree: `I would pick B`, `我選B`, `只有B是对的`, `B is correct`.
    6. A label at the start of a line, marked (`B. 旦`, `(B)`, `B、`, `B because`) or before its own text, if all agree.
    7. A label in brackets or after 选项 / option / choice anywhere, if all agree and the reply does not decline.

    A reasoning block is removed, widths and scripts are folded, decoration is ignored. A label that is negated or
    called wrong (`不选A`, `A is wrong`) is no candidate. Candidates that differ, two labels in one breath, or a label
    before another option's text: `several`. Of a reply that the output cap cut, only 1 to 4 count, and a label before
    its own text, which may be cut too.

    Known weaknesses: `A` and `I` before an English word are taken as words; a single option that is discussed in
    brackets without a verdict is taken as chosen (7); an answer given as a paraphrase of the option is not found.
    """
    shown = visible(seen.text)
    reader = _Reader(seen.options)
    if (row := json_object(unfenced(shown))) is not None:
        return reader.value(row)
    text = plain(unfenced(shown))
    found = reader.boxed(text) or reader.whole(text) or reader.declared(text)
    if found is None and seen.truncated:
        found = reader.labelled_text(text)
    elif found is None:
        found = reader.chosen(text) or reader.leading(text)
        if found is None and not declines(shown):
            found = reader.mentioned(text)
    return found or unread(seen)


def alone(seen: Seen) -> Extraction | None:
    """What `robust` makes of a reply that is empty, or one label and nothing else, whatever the options say.

    None where the reply may be more than that, or the options' texts may count.
    """
    shown = visible(seen.text)
    text = plain(unfenced(shown))
    word = text.strip(_EDGE).upper()
    if json_object(unfenced(shown)) is not None or "\\boxed" in text or "" in seen.options:
        return None
    if not text.strip():
        return unread(seen)
    return _label_of(word, {label.upper(): label for label in seen.options})


def _label_of(word: str, labels: Mapping[str, str]) -> Extraction | None:
    """What one word in upper case declares; None where it is no label. `labels` are in upper case → as the item has."""
    if word in labels:
        return Extraction(labels[word])
    return Extraction(None, "not-an-option") if re.fullmatch("[A-Z]", word) else None


_KEYS = ("prediction", "answer", "final_answer", "choice", "答案")

# All patterns below read text that `plain` folded: half-width, Simplified, undecorated.
_OPEN = r"[\s\"'“‘(\[{<【〔「『《]{0,12}"  # bounded: a reply of a hundred thousand brackets must not take minutes
_CLOSE = r"[\"'”’)\]}>】〕」』》]*"
_EDGE = " \t\r\n\"'“”‘’()[]{}<>【】〔〕「」『』《》.。,，、;；:!！"

# A long reply is read in time only if blanks are never counted twice: `++` and `*+` do not give back what they took.
_ANSWER = beginning(
    "apcrb答正정故因所综最",
    # English: a noun, then a verb or a mark
    r"(?<![A-Za-z])(?:(?:answer|prediction|(?:correct|right|best)\s+(?:option|choice|one))(?:\s+letter)?\"?"
    # `the answer to the question is`; the question may be gone with its token: `the answer to <|image|> is`
    r"(?:\s++(?:to|for)(?:\s++[^\s.,:;?!](?:[^.,:;?!\n]{0,58}?[^\s.,:;?!])??|(?=\s+[^\S\n])))?\s*+"
    r"(?:(?:is|was|would\s+be|should\s+be|must\s+be|will\s+be|:|=|>|-+>?|→)\s*)+"
    r"(?:(?:the\s+)?(?:option|choice|letter)\b\s*:?\s*)?)"
    # Chinese and Korean: a noun alone will do, or a conclusion that chooses
    r"|(?:答案|正解|正确的?选项|정답)[】\])\"]?\s*(?:(?:应该|应当|应|就|选择|选(?!项)|是|为|:|=|>|-+>?|→|은|는)\s*)*(?:选项|option)?\s*"
    r"|(?:故|因此|所以|综上所?述?|最终|最后)[,:]?\s*(?:我|本题|此题|应该|应当|应)*选择?(?!项)\s*:?\s*(?:选项)?\s*",
)
_CHOICE = beginning(
    "pcsgoimn选应认觉判不",
    r"(?<![A-Za-z])(?:pick(?:ed)?|choose|chose|select(?:ed)?|go(?:ing)?\s+with|opt\s+for|it'?s|it\s+is|must\s+be|should\s+be"
    r"|i(?:'d|\s+would)?\s+(?:think|believe|guess|say))\s*:?\s*(?:(?:the\s+)?(?:option|choice|answer)\b\s*:?\s*)?"
    r"|选择?(?!项)了?\s*:?\s*(?:选项)?\s*"
    r"|(?:应该|应当|认为|觉得|判断)(?:答案)?(?:就|它)?(?:是|为)\s*(?:选项)?\s*"
    r"|\bnot\s+[A-Z],?\s+but\s+|不是\s*[A-Z]\s*+(?:[,，]\s*+)?而?是\s*",  # the second label of `not A but B`
)
_VERDICT = (
    r"(?:选项|项)?\s*(?:(?:is|seems|looks|appears)(?:\s+to\s+be)?(?:\s+the)?(?:\s+most)?"
    r"\s+(?:correct|right|best|answer)\b|(?:才?是|最|完全)?(?:正确|对的|符合|合适|对(?=$|[\s,.。;])))"
)
_NOUN = r"(?:(?:option|choice|选项)\s*)"

_NEGATED = re.compile(
    r"(?:(?:不|别|勿|没|非)(?:会|能|应该?|可以?|是|要|该)?|如果|若|假如|要是"
    rf"|(?:not|n't|never|rather\s+than|instead\s+of|if\s+(?:you|we|i))\s+(?:to\s+)?)\s*{_NOUN}?{_OPEN}$",
    re.IGNORECASE,
)
_REJECTED = re.compile(
    r"错|有误|不(?:太|完全)?(?:对|正确|符|合|成立|是)|排除|\b(?:wrong|incorrect|false|eliminated|ruled\s+out)\b"
    r"|\b(?:is|are|be|does|do)(?:\s+not|n't)\b|\bnot\s+(?:correct|right|the|it|true|valid|possible)\b|\bcan(?:not|'t)\s+be\b",
    re.IGNORECASE,
)
_ANOTHER = re.compile(r"(?<![A-Za-z0-9])[A-Z](?![A-Za-z0-9])")
_CLAUSE_END = re.compile(r"[,.;:!?，。；！？\n]|\bbecause\b|\bsince\b|因为|由于")
_REASON_FOLLOWS = re.compile(r"[ \t]+(?:is|because|since|as)\b")
_MARKED = re.compile(rf"[ \t]*(?:$|[\n.、:,)\]}}】。,;!]|[{HAN}]|\s[-–—]+\s)|{_REASON_FOLLOWS.pattern}")
_WORD_FOLLOWS = re.compile(r"[ \t]+[A-Za-z]")
_ENDS = re.compile(rf"{_CLOSE}[.。,!;]?[ \t]*(?:\n|$)")


@lru_cache(maxsize=1 << 14)
def _option(text: str) -> str:
    """The text of an option, which is compared with the replies of many models, as replies are compared with it."""
    return _comparable(plain(text))


class _Reader:
    """Reads replies to one item's options."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self.labels = {label.upper(): label for label in options}
        compared = {label: _option(text) for label, text in options.items()}
        self.texts = {label: text for label, text in compared.items() if text}
        self.reach = 2 * max(map(len, options.values()), default=0) + 80
        names = "|".join(re.escape(label) for label in sorted(self.labels, key=len, reverse=True))
        self.label, self.line, self.verdict, self.mention = _patterns(names)

    def value(self, row: Mapping[str, Any]) -> Extraction:
        """Of a JSON object, the answer that it gives."""
        given = [row[key] for key in _KEYS if key in row]
        if not given:
            return Extraction(None, "no-label")
        text = plain(given[0]) if isinstance(given[0], str) else ""
        return self.whole(text) or self.labelled_text(text) or Extraction(None, "not-an-option")

    def boxed(self, text: str) -> Extraction | None:
        boxes = re.findall(r"\\boxed\s*\{([^{}]*)\}", text)
        return self.whole(boxes[-1]) if boxes else None

    def whole(self, text: str) -> Extraction | None:
        """What a text declares that is one label, or one option's text, and nothing else."""
        return _label_of(text.strip(_EDGE).upper(), self.labels) or self._by_text(text)

    def declared(self, text: str) -> Extraction | None:
        """The last answer declared: a later declaration replaces an earlier one."""
        last = None
        for anchor in _ANSWER.finditer(text):
            if not _NEGATED.search(text, max(0, anchor.start() - 24), anchor.start()):
                said = self.whole(self._line(text, anchor.end()))
                last = said or self._at(text, anchor.end(), any_case=True) or last
        return last

    def chosen(self, text: str) -> Extraction | None:
        """The one answer on which all choices and judgements in weaker words agree."""
        starts = [(anchor.start(), anchor.end()) for anchor in _CHOICE.finditer(text)]
        starts += [(match.start(), match.start()) for match in self.verdict.finditer(text)]
        return _agreed(
            self._at(text, end) for start, end in starts if not _NEGATED.search(text, max(0, start - 24), start)
        )

    def leading(self, text: str) -> Extraction | None:
        """The one label on which all lines agree that begin with a label, and all bracketed ones before their text."""
        starts = [match.start("label") for match in self.line.finditer(text) if _MARKED.match(text, match.end("label"))]
        starts += [match.start("label") for match in self.mention.finditer(text) if self._has_text(match)]
        return _agreed(self._at(text, start) for start in starts) or self.labelled_text(text)

    def labelled_text(self, text: str) -> Extraction | None:
        """The one label that stands at the start of a line before its option's text, or before the cut start of it."""
        return _agreed(
            self._at(text, match.start("label")) for match in self.line.finditer(text) if self._has_text(match)
        )

    def mentioned(self, text: str) -> Extraction | None:
        """The one label that is named at all, in brackets or after `option`."""
        return _agreed(self._at(text, match.start("label")) for match in self.mention.finditer(text))

    def _at(self, text: str, position: int, *, any_case: bool = False) -> Extraction | None:
        """What the label at `position` declares; None where none stands there, it is a word, or it is rejected."""
        match = self.label.match(text, position)
        if match is None:
            return None
        name, end = match["label"], match.end()
        own_text = self._own_text(name, text, end)
        if not own_text and (self._is_word(name, text, match.end("label"), any_case) or self._is_rejected(text, end)):
            return None
        second = joined_label(text, end)
        if second in self.labels and second != name.upper():
            return Extraction(None, "several")
        if name.upper() not in self.labels:
            return Extraction(None, "not-an-option")
        label = self.labels[name.upper()]
        if not own_text and self._contradicted(label, text, end):
            return Extraction(None, "several")
        return Extraction(label)

    def _line(self, text: str, start: int) -> str:
        """The rest of the line from `start`, as far as an option's text can reach."""
        return text[start : start + self.reach].partition("\n")[0]

    def _has_text(self, match: re.Match[str]) -> bool:
        return self._own_text(match["label"], match.string, match.end())

    @staticmethod
    def _is_word(name: str, text: str, end: int, any_case: bool) -> bool:
        """Whether the letter is an article, a pronoun or a lower-case letter in running text."""
        if name.islower():
            return not any_case or not _ENDS.match(text, end)
        followed = _WORD_FOLLOWS.match(text, end) and not _REASON_FOLLOWS.match(text, end)
        return bool(followed and name in ("A", "I") and joined_label(text, end) is None)

    def _is_rejected(self, text: str, end: int) -> bool:
        clause = _CLAUSE_END.split(text[end : end + 80], maxsplit=1)[0]
        if another := _ANOTHER.search(clause):
            clause = _NEGATED.sub("", clause[: another.start()])  # `B, not A` rejects A
        return _REJECTED.search(clause) is not None

    def _own_text(self, name: str, text: str, end: int) -> bool:
        """Whether the text of option `name` follows at `end`, whole or as far as the line goes."""
        own = self.texts.get(self.labels.get(name.upper(), ""))
        rest = _comparable(self._line(text, end))
        if not own or not rest:
            return False
        return own.startswith(rest) or (rest.startswith(own) and not re.match(AS_WORD, rest[len(own) :]))

    def _contradicted(self, label: str, text: str, end: int) -> bool:
        """Whether the text of another option follows at `end`, up to the end of its clause: `A. No`, where No is B."""
        rest = self._line(text, end)
        said = {_comparable(rest), _comparable(_CLAUSE_END.split(rest.lstrip(_EDGE), maxsplit=1)[0])}
        return any(option in said for other, option in self.texts.items() if other != label)

    def _by_text(self, text: str) -> Extraction | None:
        """The option whose text this is, exactly but for case, script, width and outer punctuation."""
        given = _comparable(text)
        same = [label for label, option in self.texts.items() if option == given]
        if len(same) > 1:
            return Extraction(None, "several")
        return Extraction(same[0]) if same else None


@lru_cache(maxsize=64)
def _patterns(names: str) -> tuple[re.Pattern[str], ...]:
    """Patterns for a label: where it stands, at a line's start, before a verdict, and as a mention."""
    label = rf"(?<![A-Za-z0-9À-ɏ])(?P<label>{names}|[A-Za-z])(?!{AS_WORD})" if names else r"(?P<label>(?!))"
    return (
        re.compile(rf"{_OPEN}{label}{_CLOSE}", re.IGNORECASE),
        re.compile(rf"^[ \t>#-]*+{_NOUN}?(?![\n]){_OPEN}{label}{_CLOSE}", re.MULTILINE | re.IGNORECASE),
        re.compile(rf"{label}{_CLOSE}{_VERDICT}", re.IGNORECASE),
        re.compile(rf"(?:{_NOUN}(?:[(\[【]\s*)?|(?<![A-Za-z0-9)])[(\[【]\s*){label}{_CLOSE}", re.IGNORECASE),
    )


def _comparable(text: str) -> str:
    """A plain text without case, runs of white space and outer punctuation."""
    return " ".join(text.casefold().split()).strip(_EDGE)


def _agreed(found: Iterable[Extraction | None]) -> Extraction | None:
    """The one thing that all candidates declare; what the item does not offer counts only if nothing else is named."""
    candidates = {one for one in found if one is not None}
    offered = {one for one in candidates if one.reason != "not-an-option"}
    if len(offered or candidates) > 1:
        return Extraction(None, "several")
    return next(iter(offered or candidates), None)
