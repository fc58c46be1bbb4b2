"""Every table in Chinese: each note and each word of ours has its Chinese, and no English sentence is left."""

from __future__ import annotations

import copy
import importlib
import inspect
import io
import pickle
import pkgutil
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from openpyxl import load_workbook

import keju.results
import making
from keju import splits as splitting
from keju.benchmark import Benchmark
from keju.checks.measuring import measure
from keju.formats.outputs import Theirs
from keju.items import Medium
from keju.phrase import Phrase, in_chinese, listed
from keju.records import Record
from keju.reports import to_html, to_markdown, to_text, to_xlsx
from keju.results import (
    answers,
    bias,
    circular,
    counts,
    description,
    invalid,
    item_analysis,
    lengths,
    media,
    other_marks,
    power,
)
from keju.results.bilingual import bilingual
from keju.results.breakdowns import breakdown, dimensions, read_dimensions
from keju.results.labels import heading_of, named
from keju.results.latency import latency_by_modality, latency_by_stage
from keju.results.leaderboard import leaderboard
from keju.results.marked import marked_items
from keju.results.pairs import pairs
from keju.results.parsers import parser_sensitivity
from keju.results.published import published, published_names
from keju.results.quality import quality
from keju.results.scores import score
from keju.results.size import size_effect
from keju.results.split_balance import split_balance
from keju.variants import apply, parse_variants
from marked_runs import items, marked, run
from people_and_raters import MAKERS as PEOPLE_AND_RATERS

SENTENCE = re.compile(r"(?:[A-Za-z][A-Za-z'’-]*[,;:]? ){3,}[A-Za-z]+")
"""Four English words in a row."""
CHINESE = re.compile("[\u4e00-\u9fff]")


def english(text):
    """The English sentences of a text; titles of papers are names."""
    for name in published_names():
        text = text.replace(published(name).paper, "")
    return SENTENCE.findall(text)


def of_every_fate(model="every/fate", **options):
    """40 items: two without key, some that share a picture; every status and every reason for an invalid reply."""
    of = items(
        "A" * 38 + "??",
        kind="image",
        genre=["x", "y"] * 20,
        question_type=["stagecraft", "Facial makeup symbolism"] * 20,
    )
    picture = Medium("image", "one.png", data=b"1")
    of = tuple(replace(item, media=(picture,)) if number < 20 else item for number, item in enumerate(of))
    replies = ["A"] * 30 + ["B", "?", "", "Z", "A或B", "也许吧", "!", "#", "-", "A"]
    asked = run(of, replies, model=model, **options)
    cut = {of[0].id: Record(of[0].id, "truncated", "答案是", prompt="p")}
    return replace(asked, records={**asked.records, **cut})


def leaderboards():
    of = items("AB" * 20)
    drawn = score(run(of, "?" * 40, protocol="multi-tw"))
    failed = score(run(items("AB"), "A!"), count_failures_as_wrong=True)
    other = replace(marked(of, "AB" * 20, model="other"), benchmark="another", prompts="another")
    yield leaderboard([score(of_every_fate()), drawn, failed, other], published=published("tco-2").rows)
    yield leaderboard([other, marked(of, "AB" * 20)])
    yield leaderboard([marked(items("A"), "!")])


def all_pairs():
    of = items("A" * 40)
    whole, part = marked(of, "A" * 40, model="whole"), marked(of[:20], "B" * 20, model="part")
    apart = replace(whole, model="apart", items=marked(items("A" * 80), "A" * 80).items[40:])
    lost = marked(of, "!" * 40, model="lost")
    other = replace(marked(of, "A" * 40, model="o", protocol="robust"), benchmark="another")
    version = replace(whole, model="version", prompts="another")
    renamed = tuple(replace(i, answer="C", wordings=items("A", options="ABC")[0].wordings) for i in of[:9])
    edited = replace(marked((*renamed, *of[9:]), "A" * 40, model="edited"), benchmark="edited")
    put = replace(run(of, "A" * 40, model="put"), records={i.id: Record(i.id, "answered", "A", prompt="q") for i in of})
    yield pairs([whole, part, apart, lost, marked(of, "A" * 39 + "!", model="open"), other, version])
    yield pairs([whole, lost, part, edited, score(put), marked(of, "B" * 40, model="wrong")], common=True)
    others = [marked(of, "A" * k + "B" * (40 - k), model=f"m{k}") for k in (20, 30)]
    yield pairs([whole, *others], against="best")
    said = [replace(i, wordings={"zh-Hans": replace(i.wording, question="别的题")}) for i in of]
    yield pairs([whole, replace(marked(said, "A" * 40, model="alien"), benchmark="alien")])


def breakdowns():
    yield breakdown([score(of_every_fate()), marked(items("AA", genre="xy"), "!!")], "genre")
    yield breakdown([marked(items("A" * 40, genre=["x"] * 38 + ["y"] * 2), "A" * 20 + "B" * 20)], "genre")
    yield breakdown([marked((*items("AB"), replace(items("A", kind="audio")[0], id="x")), "ABA")], "modality")
    yield breakdown([marked(items("AA", flavour="xy"), "AA")], "flavour")
    yield breakdown([marked(items("AA", genre="xy"), "AA"), marked(items("AA"), "AA", model="bare")], "genre")


def bilinguals():
    of = items("A" * 40)
    yield bilingual([marked(of, "A" * 40), marked(of[:30], "B" * 30, variant={"script": "hant"})], "script")
    english_ = {"language": "en"}
    lost = [marked(of, "A" * 40, model="lost"), marked(of, "!" * 40, model="lost", variant=english_)]
    yield bilingual([marked(of, "A" * 40), marked(of, "B" * 40, variant=english_), *lost])


def latencies(maker):
    of = items("AAAA", kind="audio")
    stages = dict.fromkeys(("load", "preprocess", "transcribe", "read", "queue", "infer", "first_token"), 1.0)
    timed = run(of, "AAAA", stages=stages, perceived={"0.bin": "…"})
    cached = Record(of[1].id, "answered", "A", stages={"infer": 1.0}, perceived={"1.bin": "…"})
    untimed = Record(of[2].id, "answered", "A")
    records = {**timed.records, cached.id: cached, untimed.id: untimed}
    mixed = replace(timed, records=records, info={"sessions": [{"wall_s": 4.0}]})
    runs = [timed, mixed, run(items("A"), "A", stages={"infer": 1.0})]
    yield maker([score(one) for one in runs])


def sizes():
    of = items("A" * 40)
    names = [marked(of, "A" * k + "B" * (40 - k), model=f"m{k}") for k in (10, 20, 30)]
    yield size_effect([*names, marked(of, "A" * 39 + "!", model="open"), marked(of, "A" * 40, model="?")], SIZES)
    yield size_effect([marked(of, "A" * 40, model=s.model) for s in names], SIZES)
    yield size_effect(names[:2], SIZES)


SIZES = {"m10": 1.0, "m20": 2.0, "m30": 3.0, "open": 4.0}


def parsers():
    of = items("B" * 10)
    turned = [run(of, ["答案：B"] * 10, model="wordy"), run(of, ["B"] * 6 + ["C"] * 4, model="terse")]
    yield parser_sensitivity([*turned, run(of, "?" * 10, protocol="multi-tw")])
    yield parser_sensitivity([turned[0], run(of, "B" * 10, protocol="option-likelihood", scores={"B": -1.0})])


def turned():
    """Two models in four rotations and one in two."""
    of = [making.item(number, bilingual=True) for number in range(1, 13)]
    places = [apply(Benchmark("made", tuple(of)), parse_variants([f"rotate={by}"])).items for by in range(4)]
    runs = [
        marked(place, "A" * 12, model=model, variant={"rotate": str(by)})
        for model, most in (("always/a", 4), ("short/a", 2))
        for by, place in enumerate(places[:most])
    ]
    yield circular.circular(runs)
    yield circular.position_bias(runs)


def echoing():
    of = items("A" * 10)
    said = ["选项A", "选项B", "选项A选项B", "第3题第3题第3题", "A", "A", "A", "A", "A", "A"]
    runs = [marked(of, said), marked(of, "A" * 10, model="always/a"), marked(items("AB", options="AB"), "AA")]
    yield bias.echoes(runs)
    yield bias.letters(runs)
    yield bias.letter_bias(runs)


def analysed():
    of = items("A" * 24)
    models = [marked(of, "B" * 4 + "A" * k + "C" * (20 - k), model=f"m{k}") for k in range(8, 21, 2)]
    yield from item_analysis.item_analysis([*models, marked(of, "A" * 24, model="m8", variant={"media": "none"})])
    yield from item_analysis.item_analysis(models, models * 3)
    yield from item_analysis.item_analysis(models[:2])


def beside_theirs():
    """Every reason for which two marks differ."""
    of = items("A" * 11 + "?")
    said = ["A", "!", "-", "A", "A", "?", "A", "也许吧", "A", "A", "A", "A"]
    theirs = {
        item.id: Theirs(read, key)
        for item, (read, key) in zip(of, [("A", "A")] * 4 + [("B", "B"), ("A", "A"), ("", "A"), ("A", "A")]
        + [("", "A"), ("B", "A"), (None, "A"), ("A", None)], strict=True)
    }  # fmt: skip
    verdicts = dict(
        zip(theirs, [True, True, True, None, False, True, False, True, False, False, False, True], strict=True)
    )
    one = replace(run(of, said, protocol="robust"), verdicts=verdicts, theirs=theirs)
    yield from other_marks.other_marks([one], [score(one)])


def described(maker):
    """Items with and without key and labels, in two languages, with pictures and a clip, good and broken."""
    of = [making.item(i, bilingual=True) for i in range(1, 41)]
    media = [Medium("image", f"{i}.png", data=making.png(i, 8 + i)) for i in range(24)]
    media += [Medium("image", "cut.png", data=making.png(1)[:50]), Medium("audio", "a.wav", data=making.wav())]
    of = [replace(item, media=(medium,)) for item, medium in zip(of, media, strict=False)] + of[26:]
    of[0] = replace(of[0], answer=None, labels={}, wordings=items("A", options="ABC")[0].wordings)
    made = replace(making.benchmark(), items=tuple(of))
    yield from (table for table in maker(made, list(measure(made, jobs=1))) if table)


def balances(made, _):
    splits = splitting.balanced(made)
    yield split_balance(made, splits.of, list(splits.sizes), ["genre", "language"])
    yield split_balance(made, splits.of, list(splits.sizes), [])


MAKERS = {
    "overview": lambda: described(lambda made, _: [description.overview(made)]),
    "counted": lambda: described(lambda made, _: [counts.counted(made, "genre"), counts.counted(made, "language")]),
    "crossed": lambda: described(lambda made, _: [counts.crossed(made, "genre", "genre")]),
    "by_language": lambda: described(lambda made, _: [counts.by_language(made)]),
    "lengths": lambda: described(lambda made, _: [lengths.lengths(made)]),
    "ranges": lambda: described(lambda made, _: lengths.length_histograms(made)),
    "answer_balance": lambda: described(lambda made, _: [answers.answer_balance(made)]),
    "key_by_length": lambda: described(lambda made, _: [answers.key_by_length(made)]),
    "media_use": lambda: described(lambda made, facts: [media.media_use(made, facts), media.media_use(made, None)]),
    "media_summary": lambda: described(lambda _, facts: [media.media_summary(facts)]),
    "media_formats": lambda: described(lambda _, facts: [media.media_formats(facts)]),
    "image_sizes": lambda: described(lambda _, facts: [media.image_sizes(facts)]),
    "audio_durations": lambda: described(lambda _, facts: [media.audio_durations(facts)]),
    "split_balance": lambda: described(balances),
    "leaderboard": leaderboards,
    "pairs": all_pairs,
    "breakdown": breakdowns,
    "dimensions": lambda: [dimensions([score(of_every_fate())])],
    "bilingual": bilinguals,
    "parser_sensitivity": parsers,
    "latency_by_stage": lambda: latencies(latency_by_stage),
    "latency_by_modality": lambda: latencies(latency_by_modality),
    "size_effect": sizes,
    "invalid_replies": lambda: [invalid.invalid_replies([score(of_every_fate()), marked(items("A"), "A")])],
    "refusals": lambda: [invalid.refusals([score(of_every_fate()), marked(items("A"), "A", model="m")], "genre")],
    "circular": lambda: list(turned())[:1],
    "position_bias": lambda: list(turned())[1:],
    "echoes": lambda: list(echoing())[:1],
    "letters": lambda: list(echoing())[1:2],
    "letter_bias": lambda: list(echoing())[2:],
    "power": lambda: [power.power([marked(items("AAAA"), "AABB"), marked(items("AAAA"), "BABB")])],
    "item_analysis": analysed,
    "other_marks": beside_theirs,
    **PEOPLE_AND_RATERS,
    "quality": lambda: [quality([score(of_every_fate())])],
    "marked_items": lambda: [marked_items(score(of_every_fate(), parser="robust"))],
    "published": lambda: [published(name).table for name in published_names()],
}


def test_every_table_maker_stands_in_this_file():
    found = {"published", "item_analysis", "other_marks"}
    for info in pkgutil.iter_modules(keju.results.__path__, "keju.results."):
        module = importlib.import_module(info.name)
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == info.name and not name.startswith("_"):
                found |= {name} if function.__annotations__.get("return") in ("Table", "Table | None") else set()
    assert found == MAKERS.keys()


@pytest.mark.parametrize("maker", MAKERS)
def test_no_english_sentence_is_left_in_chinese(maker):
    for table in MAKERS[maker]():
        assert english(to_text(table, language="zh")) == []
        assert english(to_markdown(table, language="zh")) == []
        assert english(ChineseView(to_html([table])).text) == []
        book = load_workbook(io.BytesIO(to_xlsx([table], language="zh")))
        assert english("\n".join(str(cell.value) for sheet in book for row in sheet for cell in row)) == []


@pytest.mark.parametrize("maker", MAKERS)
def test_each_note_and_each_word_is_said_in_both_languages(maker):
    for table in MAKERS[maker]():
        assert all(isinstance(note, Phrase) for note in table.notes)
        assert len(table.notes_zh) == len(table.notes)
        assert not any(CHINESE.search(note) for note in table.notes)
        assert all(CHINESE.search(note) for note in table.notes_zh)
        assert table.title_zh
        for row in table.rows:
            words = [value for value in row.values() if isinstance(value, Phrase)]
            assert all(CHINESE.search(word.zh) or word.zh == word for word in words)


def test_a_wide_choice_of_notes_is_drawn():
    """The tables of this file show what their notes and words can say: rare sentences too."""
    drawn = "\n".join(to_text(table) for maker in MAKERS.values() for table in maker())
    for sentence in (
        *("unanswered, counted as wrong", "incomplete: ", "No usable key", "Drawn: ", "resamples those groups whole"),
        *("differ in their benchmarks", "differ in their numbers of items", "versions of the same protocol"),
        *("other questions under", "have no genre", "not read by likelihood"),
        *("no item in common", "no item that both answered", "part lacks 20 items", "open is incomplete", "Cochran"),
        *("different versions of protocol", "different parsers", "different benchmarks", "different keys"),
        *("different prompts", "items left out", "no discordant pairs", "nothing was answered", "rough: "),
        *("has no dimension for", "as authored", "only one run has", "turns with the rule", "items per second"),
        *("not timed", "cached", "mixed", "at least three", "rho is undefined", "left out of rho", "Left out of rho"),
        *("refusal", "several", "not-an-option", "no-label", "empty", "truncated", "blocked", "pending", "(none)"),
    ):
        assert sentence in drawn, sentence


class ChineseView(HTMLParser):
    """What the page shows in Chinese: everything but what is marked as English."""

    def __init__(self, page):
        super().__init__()
        self.open = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "input", "line"):
            self.open.append(tag in ("style", "title") or dict(attrs).get("class") == "en")

    def handle_endtag(self, tag):
        if tag not in ("meta", "input", "line"):
            self.open.pop()

    def handle_data(self, data):
        self.text += "" if any(self.open) else data


def test_the_page_holds_words_of_cells_in_both_languages():
    page = to_html([marked_items(score(of_every_fate()))])
    assert '<span class="en" lang="en">refusal</span><span class="zh" lang="zh-Hans">拒答</span>' in page


def test_files_for_machines_keep_the_english_words():
    from keju.reports import to_csv, to_json

    table = marked_items(score(of_every_fate()))
    assert "refusal" in to_csv(table)
    assert "拒答" not in to_csv(table)
    assert '"reason": "refusal"' in to_json([table])


def test_a_phrase_is_its_english_text_to_programs_and_survives_copies():
    phrase = Phrase("none", "无")
    assert phrase == "none"
    assert f"{phrase}" == "none"
    assert in_chinese(phrase) == copy.deepcopy(phrase).zh == pickle.loads(pickle.dumps(phrase)).zh == "无"
    assert in_chinese("gpt-4o") == "gpt-4o"


def test_a_long_list_is_cut_and_counted():
    assert listed("abc", 2) == "a, b and 1 more"
    assert listed("abc", 2).zh == "a、b等，另有 1 个"
    assert listed("ab", 2) == "a, b"


def test_figures_in_sentences_are_rounded_as_in_cells():
    """81.25 % reads 81.3 % in the table and in the note under it."""
    table = breakdown([marked(items("A" * 80, genre="x" * 80), "A" * 65 + "B" * 15)], "genre")
    assert "micro 81.3 % (over items)" in table.notes[0]
    assert "81.3 %" in to_text(table).splitlines()[4]


def test_labels_of_the_papers_speak_chinese_and_others_stay_as_they_are_written():
    scores = marked(items("AAA", genre=["Peking Opera", "kunqu-opera", "Flower Opera"]), "AAA")
    table = breakdown([scores], "genre")
    assert [row["value"] for row in table.rows] == ["Peking Opera", "kunqu-opera", "Flower Opera"]
    assert [in_chinese(row["value"]) for row in table.rows] == ["京剧", "昆曲", "Flower Opera"]
    assert breakdown([marked(items("AA", flavour="xy"), "AA")], "flavour").title_zh == "按flavour的准确率"


@pytest.mark.parametrize("variant", ["language", "script", "media", "shuffle"])
def test_every_variant_that_runs_are_paired_by_has_its_chinese(variant):
    assert heading_of(variant).zh != variant


def test_every_question_type_of_the_papers_dimensions_has_its_chinese():
    types = [name for name in read_dimensions() if not CHINESE.search(name)]
    assert [name for name in types if not isinstance(named("question_type", name), Phrase)] == []
