"""The parsers: the two papers' own, taken literally with their weaknesses; ours; and the arg-max of likelihoods.

Where a paper's text leaves a case open, the choice is made here, once, and `tests/test_extraction.py` holds each of it
(options A-D; `–` is invalid, `draw` what `multi-tw` settles by drawing):

    reply                     strict  anchored  first-letter  robust   choice
    ` B⏎`                     B       B         B             B        white space around a reply is no text
    `B.`  `B。`               B       B         B             B        the ideographic full stop is a trailing period
    `b`                       B       B         draw          B        strict upper-cases: a lone label in any case
    `Ｂ` (full width)         –       –         draw          B        only robust folds widths
    `..C..`  `B..`            –       –         C, B          C, B     one period is dropped, and only at the end
    `**B**`                   –       B         B             B        bold is how text is shown, not text
    `(B)`                     –       –         B             B        brackets are text
    `Answer: D`               –       D         A             D        first-letter reads the A of `Answer`
    `answer: d`               –       D         draw          D        lower case after an anchor only at the line's end
    `answer: a red face`      –       –         draw          –        … because it may be an article
    `Answer： D`              –       D         A             D        a full-width colon is a colon
    `答案：B`                 –       –         B             B        the paper's anchors are English
    `Answer: A or B`          –       –         A             –        several labels in one breath
    `Answer: A⏎Answer: D`     –       D         A             D        a later declaration replaces an earlier one
    `A⏎B`                     –       –         A             –        lone labels that differ declare nothing
    fenced JSON               –       –         first A-D     by value anchored parses the reply, not a part of it
    `E`                       –       –         draw          –        first-letter looks for A-D and the item's labels
    `D`, item with A-C        –       –         –             –        not an option; not drawn, for a letter was found

A reply that the output cap cut is read by the papers' rules as it stands, except that a label on a last line that was
cut is not alone on it; `robust` then accepts only what is declared. A reply that is one label and nothing else always
counts: under a cap of one token no reply is ever whole.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from keju.errors import Misuse
from keju.items import NOTHING
from keju.protocols.extraction import Extraction, Seen
from keju.protocols.reply import AS_WORD, joined_label, json_object, unread, visible
from keju.protocols.robust import robust

Parser = Callable[[Seen], Extraction]


def strict(seen: Seen) -> Extraction:
    """The whole reply is one label.

    White space around it and one trailing period are dropped, the rest is upper-cased and must equal a label.
    Known weakness: a correct `B. Dan`, `(B)` or `答案：B` is invalid, so chatty models lose what they know.
    Source: TCO-Dataset paper, "Evaluation Metrics".
    """
    return _lone(seen.text, seen.options) or unread(seen)


def anchored(seen: Seen) -> Extraction:
    """A declared label: JSON first, then an anchor, then a label alone on a line.

    1. A reasoning block and bold marks are removed.
    2. A reply that is a JSON object counts by its `prediction`, which must be exactly one label; no more is sought.
    3. Else the last of `prediction: X`, `answer: X`, `final answer: X`.
    4. Else a label alone on a line, as `strict` reads a line; differing ones declare nothing.

    Known weaknesses: `The answer is B`, `B. Dan` and all Chinese anchors are invalid; `Answer: A red face` reads A.
    Source: TCO-Dataset paper, "Evaluation Setup".
    """
    shown = visible(seen.text).replace("*", "")
    if (row := json_object(shown)) is not None:
        return _exact(row.get("prediction"), seen.options)
    return _last_anchored(shown, seen.options) or _alone_on_a_line(shown, seen) or unread(seen)


def first_letter(seen: Seen) -> Extraction:
    """The first capital A-D anywhere in the raw reply, or a further label that the item has.

    Where there is none, the protocol `multi-tw` draws one of the item's labels; by itself this parser gives no label.
    Known weaknesses: `Answer: D` reads A, `Choice B` reads C, `Not A but B` reads A; a reasoning block is read too.
    Source: Multi-TW paper, section 3.1, "Answer Extraction".
    """
    letters = "".join(sorted({*"ABCD", *(label for label in seen.options if len(label) == 1)}))
    match = re.search(f"[{re.escape(letters)}]", seen.text)
    return _exact(match[0], seen.options) if match else unread(seen)


def likelihood(seen: Seen) -> Extraction:
    """The option that the model finds most likely.

    Two best options with the same log-probability: `several`. No scores: `empty`.
    Known weakness: a sum of log-probabilities favours short options.
    """
    scores = {label: s for label, s in seen.scores.items() if label in seen.options and not math.isnan(s)}
    if not scores:
        return Extraction(None, "empty")
    best = [label for label, score in scores.items() if score == max(scores.values())]
    return Extraction(best[0]) if len(best) == 1 else Extraction(None, "several")


PARSERS: Mapping[str, Parser] = MappingProxyType(
    {
        "strict": strict,
        "anchored": anchored,
        "first-letter": first_letter,
        "robust": robust,
        "likelihood": likelihood,
    }
)
"""Name → parser. Each one's docstring gives its rules and its known weaknesses."""


def extract(
    text: str,
    options: Mapping[str, str],
    parser: str = "robust",
    *,
    truncated: bool = False,
    scores: Mapping[str, float] = NOTHING,
) -> Extraction:
    """The label that a reply gives, or the reason why it gives none.

    `options` maps the item's labels to the options' texts, `truncated` says that the output cap cut the reply, `scores`
    are the log-probabilities by label that the parser `likelihood` reads. No reply raises; the label is always one of
    `options`. Raises `Misuse` where there is no such parser.
    """
    if parser not in PARSERS:
        raise Misuse(f"there is no parser {parser!r}; there are {', '.join(PARSERS)}")
    return PARSERS[parser](Seen(text, options, truncated, scores))


_ANCHOR = re.compile(
    rf"(?<![A-Za-z0-9])(?:prediction|(?:final\s+)?answer)\s*[:：]\s*(?P<label>[A-Za-z0-9]+)(?!{AS_WORD})",
    re.IGNORECASE,
)
_LINE_END = re.compile(r"[.。]?[ \t]*(?:\n|$)")


def _exact(label: object, options: Mapping[str, str]) -> Extraction:
    return Extraction(label) if isinstance(label, str) and label in options else Extraction(None, "not-an-option")


def _lone(text: str, options: Mapping[str, str]) -> Extraction | None:
    """What a text that is one label and nothing else declares; None where it is more or less than that."""
    word = text.strip()
    word = (word[:-1] if word.endswith((".", "。")) else word).upper()
    if word in options or re.fullmatch("[A-Z]", word):
        return _exact(word, options)
    return None


def _last_anchored(shown: str, options: Mapping[str, str]) -> Extraction | None:
    last = None
    for match in _ANCHOR.finditer(shown):
        label = match["label"]
        if _LINE_END.match(shown, match.end()):
            label = label.upper()
        if label not in options and not re.fullmatch("[A-Z]", label):
            continue
        second = joined_label(shown, match.end())
        several = second in options and second != label
        last = Extraction(None, "several") if several else _exact(label, options)
    return last


def _alone_on_a_line(shown: str, seen: Seen) -> Extraction | None:
    lines = [line for line in shown.splitlines(keepends=True) if line.strip()]
    if seen.truncated and len(lines) > 1 and not lines[-1].endswith("\n"):
        del lines[-1]
    found = {lone for line in lines if (lone := _lone(line, seen.options))}
    if len(found) > 1:
        return Extraction(None, "several")
    return found.pop() if found else None
