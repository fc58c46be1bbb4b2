"""The booklet that people are given: one HTML page, pictures and clips beside it, and an answer page to print.

It is made of what people may see and of nothing else: wordings, options, bytes of media under names made of their
digests, and numbers. Ids, labels and file names of a benchmark often say the answer, so none of them is in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from keju.benchmark import Benchmark
from keju.errors import BadFile
from keju.formats.media import MEDIA, place
from keju.items import Item, Medium
from keju.media_types import suffix_of
from keju.phrase import Phrase
from keju.reports.bilingual import both, page, plain, styles
from keju.reports.wording import Language

NAME = "booklet.html"

WORDS: Mapping[str, Phrase] = {
    "booklet": Phrase("Question booklet", "试题册"),
    "how": Phrase(
        "Choose one option for each question and write its letter on the answer sheet. Answer alone, without other "
        "sources. Leave a question blank if you have no answer.",
        "每题只选一项，把字母填在答题卡上。请独立作答，不查资料。答不出的题可以留空。",
    ),
    "count": Phrase("Questions: {n}.", "共 {n} 题。"),
    "person": Phrase("Code", "代号"),
    "group": Phrase("Group", "组别"),
    "answers": Phrase("Answer page", "答题页"),
    "picture": Phrase("Picture of question {n}", "第 {n} 题图片"),
    "clip": Phrase("Clip of question {n}", "第 {n} 题音频"),
}


def write_booklet(exam: Benchmark, folder: Path, *, language: Language = "en") -> Path:
    """Write the page and its media into `folder`; the path of the page. Raises `BadFile` where that cannot be done."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for item in exam:
            for medium in item.media:
                place(medium, folder / medium_name(medium))
        (folder / NAME).write_text(booklet(exam, language=language), encoding="utf-8", newline="\n")
    except OSError as error:
        raise BadFile(
            f"{error.filename2 or error.filename or folder}: cannot be written: {error.strerror or error}"
        ) from error
    return folder / NAME


def medium_name(medium: Medium) -> str:
    """`media/0a1b2c3d4e5f6071.png`: by what the bytes are, not by what someone called them."""
    return f"{MEDIA}/{medium.identity}{suffix_of(medium.mime)}"


def booklet(exam: Benchmark, *, language: Language = "en") -> str:
    """The page; the words around the questions open in `language`, and the other can be chosen.

    Its security policy forbids scripts and everything from elsewhere; texts of the benchmark are escaped.
    """
    questions = "\n".join(_question(number, item) for number, item in enumerate(exam, 1))
    answers = "".join(_answer(number, item) for number, item in enumerate(exam, 1))
    count = both(WORDS["count"].filled(n=len(exam)))
    return page(
        title=exam.name,
        policy="img-src 'self' file:; media-src 'self' file:",
        style=styles("booklet.css"),
        language=language,
        head=f"<p>{both(WORDS['booklet'])} · {count}</p>\n<p>{both(WORDS['how'])}</p>",
        body=(
            f'<main>\n{questions}\n</main>\n<section class="answers">\n<h2>{both(WORDS["answers"])}</h2>\n'
            f'<p class="fields"><b>{both(WORDS["person"])}</b> <u></u> <b>{both(WORDS["group"])}</b> <u></u></p>\n'
            f"<ol>{answers}</ol>\n</section>"
        ),
    )


def _question(number: int, item: Item) -> str:
    wording = item.wording
    options = "".join(
        f"<li><b>{plain(label)}</b> <span>{plain(text)}</span></li>" for label, text in item.options.items()
    )
    media = "".join(_medium(medium, number) for medium in item.media)
    instruction = f'<p class="instruction">{plain(wording.instruction)}</p>\n' if wording.instruction else ""
    question = f'<p class="question">{plain(wording.question)}</p>\n' if wording.question else ""
    return (
        f'<article id="q{number}">\n<h2>{number}</h2>\n{media}<div lang="{plain(wording.language)}">\n'
        f"{instruction}{question}<ol>{options}</ol>\n</div>\n</article>"
    )


def _medium(medium: Medium, number: int) -> str:
    name = medium_name(medium)
    if medium.kind == "image":
        return f'<figure><img src="{name}" alt="{plain(WORDS["picture"].filled(n=number))}"></figure>\n'
    words = WORDS["clip"].filled(n=number)
    clip = f'<audio controls preload="none" src="{name}" aria-label="{plain(words)}"></audio>'
    return f"<figure>{clip}<figcaption>♪ {both(words)}</figcaption></figure>\n"


def _answer(number: int, item: Item) -> str:
    return f"<li><b>{number}</b>{''.join(f'<i>{plain(label)}</i>' for label in item.options)}</li>"
