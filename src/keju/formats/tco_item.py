"""One TCO item ↔ its three texts. What the plain layout would not give back is kept and written as it was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from keju.benchmark import Problem
from keju.errors import BadFile, Misuse
from keju.formats.encodings import without_invisible
from keju.formats.field_names import language_named
from keju.formats.json_text import JsonStyle, parse_json
from keju.formats.language import language_of
from keju.formats.names import safe_name
from keju.formats.question_text import option_lines, parse_question, read_answer
from keju.formats.tco_metadata import KNOWN, OWN, as_read, disagreements, wordings_of
from keju.items import Item, Medium, Wording
from keju.phrase import Phrase, listed

KEPT = "_tco"
"""Key of `Item.extra` under which texts are kept that `plain_texts` would not give back."""
_PLAIN_JSON = '{\n  "id": "', "}\n"
"""How the plain layout's JSON begins and ends."""

ANSWER_FAULTS = {
    "answer_empty": Phrase(
        "the answer is empty; write one of the letters {labels}", "答案为空；请写 {labels} 中的一个字母"
    ),
    "answer_not_offered": Phrase(
        "the answer {text!r} is none of the options {labels}", "答案 {text!r} 不在 {labels} 中"
    ),
    "answer_several": Phrase(
        "the answer {text!r} names several options; an item has one", "答案 {text!r} 有多个选项；每题只能有一个"
    ),
    "answer_form": Phrase(
        "the answer {text!r} was read as {label}; write the letter alone", "答案 {text!r} 按 {label} 读取；请只写字母"
    ),
}


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of one item's files."""

    md: str
    txt: str
    json: str | None


def item_of(
    item_id: str, texts: Texts, media: tuple[Medium, ...], names: Mapping[str, str], *, traditional: bool = False
) -> tuple[Item | None, list[Problem]]:
    """The item that the texts say, and the problems met. None where question or answer cannot be used.

    `names` gives the file of each member (`md`, `txt`, `json`, `image`) for messages.
    """
    problems: list[Problem] = []
    question = _visible(texts.md, item_id, names.get("md"), problems)
    answer = _visible(texts.txt, item_id, names.get("txt"), problems)
    parsed = parse_question(question)
    if parsed is None or not any([parsed.question, *parsed.options.values()]):
        what = Phrase(
            "no options from (A) on can be told from the question; write the question, then a line (A) …, (B) …, …",
            "分辨不出从 (A) 开始的选项；请先写题干，再逐行写 (A)……、(B)……",
        )
        return None, [*problems, Problem(item_id, "options_unclear", what, names.get("md"), left_out=True)]
    if parsed.trailing:
        what = Phrase(
            f"the text after the options is not used: {parsed.trailing[:60]!r}",
            f"选项之后的文字没有使用：{parsed.trailing[:60]!r}",
        )
        problems.append(Problem(item_id, "trailing_text", what, names.get("md")))
    if not parsed.question and not any(medium.kind == "audio" for medium in media):
        what = Phrase(
            "the question is empty, and nothing is heard that could ask it; write it before the options",
            "题干为空，也没有录音提问；请在选项之前写上题干",
        )
        problems.append(Problem(item_id, "question_empty", what, names.get("md")))
    label, code = read_answer(answer, parsed.options)
    if code:
        message = ANSWER_FAULTS[code].filled(text=answer.strip(), labels=listed(parsed.options), label=label)
        problems.append(Problem(item_id, code, message, names.get("txt"), left_out=label is None))
    if label is None:
        return None, problems
    language = language_of(parsed.question, *parsed.options.values(), traditional=traditional)
    wording = Wording(language, parsed.question, parsed.options, as_written=parsed.as_written)
    item = _with_metadata(Item(item_id, {language: wording}, label, media), texts, names, problems)
    kept = _difference(texts, item)
    if any(code == "backslash_path" for code in (problem.code for problem in problems)):
        kept.pop("json", None)  # read both, write forward slashes
    return replace(item, extra={**item.extra, KEPT: kept}) if kept else item, problems


def texts_of(item: Item) -> Texts:
    """The texts to write: those that were read, where they still say what the item says; else the plain layout.

    Raises `Misuse` where the layout cannot hold the item.
    """
    if item.answer is None or not item.options:
        raise Misuse(f"item {item.id} has no usable key or no options, which a TCO folder cannot hold; leave it out")
    plain = plain_texts(item)
    kept = item.extra.get(KEPT)
    if isinstance(kept, Mapping):
        texts = Texts(kept.get("md", plain.md), kept.get("txt", plain.txt), kept.get("json", plain.json))
        if _same(_reread(item, texts), item):
            return texts
    again = _reread(item, plain)
    if again is None or _said(again) != _said(item):
        raise Misuse(f"item {item.id}: its question or options would be read back differently from a TCO question file")
    return plain


def plain_texts(item: Item) -> Texts:
    """The paper's layout: question, marked options; the letter; the JSON keys in the paper's order, then the rest."""
    return Texts(_question_file(item.wording), f"{item.answer}\n", JsonStyle().dumps(_document(item)))


def _question_file(wording: Wording) -> str:
    return "\n".join([wording.question, *option_lines(wording), ""])


def _document(item: Item) -> dict[str, Any]:
    wording, media = item.wording, {medium.kind: medium.name for medium in item.media}
    document: dict[str, Any] = {"id": item.id, "image": media.get("image")}
    stem = safe_name(item.id)
    document |= {"question_file": f"{stem}.md", "answer_file": f"{stem}.txt", "question_text": wording.question}
    document |= {"options": dict(wording.options), "answer": item.answer}
    if language_of(wording.question, *wording.options.values()) != wording.language:
        document["language"] = wording.language
    if wording.instruction:
        document["instruction"] = wording.instruction
    if "audio" in media:
        document["audio"] = media["audio"]
    others = {tag: _nested(other) for tag, other in item.wordings.items() if other is not wording}
    if others:
        document["translation"] = others
    return document | {
        key: value for key, value in item.extra.items() if key not in document and not key.startswith("_")
    }


def _nested(wording: Wording) -> dict[str, Any]:
    nested: dict[str, Any] = {"question": wording.question, "options": dict(wording.options)}
    return nested | ({"instruction": wording.instruction} if wording.instruction else {})


def _with_metadata(item: Item, texts: Texts, names: Mapping[str, str], problems: list[Problem]) -> Item:
    if texts.json is None:
        return item
    file = names.get("json")
    try:
        document = parse_json(texts.json, file)
        if not isinstance(document, dict):
            raise BadFile(f"{file}: expected one JSON object")
    except BadFile as error:
        what = Phrase(f"{error}; the item was read without it", f"{error}；读取该题时没有使用")
        problems.append(Problem(item.id, "json_unreadable", what, file))
        return item
    wording = item.wording
    told = document.get("language")
    language = (language_named(told) or told) if isinstance(told, str) and told else wording.language
    if language == "zh":
        language = wording.language
    instruction = str(document.get("instruction") or "")
    if (language, instruction) != (wording.language, wording.instruction):
        wording = replace(wording, language=language, instruction=instruction)
    others, used, faults = wordings_of(document, wording)
    used |= {*KNOWN, *OWN} - {"translation"}
    extra = {key: value for key, value in document.items() if key not in used}
    if others or extra or wording is not item.wording:
        item = replace(item, wordings={language: wording, **others}, extra=extra)
    faults += disagreements(document, item, names)
    if any("\\" in str(document.get(key)) for key in ("image", "audio", "question_file", "answer_file")):
        what = Phrase(
            "a path is written with backslashes; it was read, write / instead", "路径用了反斜杠；已读取，请改用 /"
        )
        faults.append(("backslash_path", what))
    problems += [Problem(item.id, code, message, file) for code, message in faults]
    return item


def _visible(text: str, item_id: str, file: str | None, problems: list[Problem]) -> str:
    seen, found = without_invisible(text)
    if found:
        places = ", ".join(f"{code} at {line}:{column}" for line, column, code in found[:5])
        what = Phrase(
            f"{len(found)} invisible characters were passed over ({places})",
            f"跳过了 {len(found)} 个不可见字符（{places}）",
        )
        problems.append(Problem(item_id, "invisible_characters", what, file, found[0][0]))
    return seen


def _difference(texts: Texts, item: Item) -> dict[str, str | None]:
    """The texts that `plain_texts` would not give back."""
    begin, end = _PLAIN_JSON
    may_be_plain = texts.json is not None and texts.json.startswith(begin) and texts.json.endswith(end)
    plain = {
        "md": _question_file(item.wording),
        "txt": f"{item.answer}\n",
        "json": plain_texts(item).json if may_be_plain else "",  # laying it out costs more than all else here
    }
    return {name: text for name in Texts.__slots__ if (text := getattr(texts, name)) != plain[name]}


def _reread(item: Item, texts: Texts) -> Item | None:
    return item_of(item.id, texts, item.media, {})[0]


def _same(read: Item | None, item: Item) -> bool:
    return read is not None and _said(read) == _said(item) and read.extra == item.extra


def _said(item: Item) -> list[Any]:
    """What texts say of an item, without what they cannot hold: edge spaces, invisible characters, bare `zh`."""
    wordings = [
        (w.language.split("-")[0], as_read(w.question), [(x, as_read(y)) for x, y in w.options.items()], w.instruction)
        for w in item.wordings.values()
    ]
    return [wordings, item.answer]
