"""The 24 pitfalls of building such a studio, and the cases of annotation tools that went wrong: which test holds each.

The tests stand where their subject is; here is the list, and that each of them is still there under its name.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import time
from pathlib import Path

import pytest
from building import client_of, item, person, project
from django.contrib.auth.hashers import make_password
from PIL import Image
from test_assets import encoded, photograph, upload
from test_release import accepted, built, prepared

import keju
from keju.reports.csv import unguarded
from keju.studio import findings, sittings
from keju.studio import release_builder as builder
from keju.studio.content import Content, Option
from keju.studio.models import Asset, Item, Role
from keju.studio.release_quality import table_of
from keju.studio.store import place

HERE = Path(__file__).parent

PITFALLS = {
    "1 SQLite without IMMEDIATE": "operations: sqlite_waits_for_a_writer_and_begins_to_write_at_once",
    "2 OPTIONS in the wrong place": "operations: sqlite_waits_for_a_writer_and_begins_to_write_at_once",
    "3 audio without Range": "assets: a_range_gets_its_bytes_and_no_others; "
    "media_browser: a_clip_can_be_played_from_the_middle",
    "4 key leaks": "urls: nothing_that_one_must_not_see_changes_a_byte_of_any_page; "
    "urls: the_blind_see_neither_ids_nor_states_nor_file_names_of_what_they_answer; "
    "items: what_the_blind_get_is_the_same_byte_for_byte_whatever_the_key; "
    "reannotation: a_blind_page_is_the_same_byte_for_byte_whatever_the_key; "
    "sittings: a_question_is_byte_for_byte_the_same_whatever_the_key_is",
    "5 API ignores blindness": "api: what_a_re_annotator_gets_is_the_same_to_the_byte_whatever_the_key; "
    "api: who_answers_an_item_blind_finds_it_nowhere_else; api: a_participant_gets_nothing",
    "6 adjudicator or owner counted as rater": "reannotation: neither_owner_nor_adjudicator_is_counted_as_a_rater",
    "7 unanimous data": "reannotation: unanimous_answers_are_told_in_words_not_as_nan; "
    "screening: unanimous_votes_leave_kappa_undefined_in_words",
    "8 agreement on letters after shuffling": "reannotation: agreement_is_on_options_not_on_letters",
    "9 three and four options mixed": "reannotation: three_and_four_options_are_judged_by_chance_item_by_item",
    "10 ICC at the ceiling": "reannotation: at_the_ceiling_the_share_of_equal_ratings_is_pointed_to",
    "11 dpi equality": "pitfalls: a_picture_of_150_dpi_is_one_although_png_counts_by_the_metre",
    "12 revision changed under a reviewer": "reviews: a_revision_under_the_reviewer_is_noticed_when_they_answer; "
    "reannotation: an_answer_counts_for_the_revision_that_was_seen_and_opens_no_dispute_over_another",
    "13 two tabs": "queue: two_tabs_leave_one_answer_that_stands_and_keep_the_other; "
    "sittings: there_is_no_way_back_and_a_second_tab_cannot_answer_twice",
    "14 autosave after submit": "items: an_autosave_that_comes_after_the_save_opens_no_draft_again; "
    "items: an_autosave_that_comes_after_a_new_item_was_saved_begins_no_second",
    "15 same image in two splits": "pitfalls: items_that_share_a_picture_go_into_one_split",
    "16 Hans and Hant mixed, zh for zh-Hans": "pitfalls: a_release_names_each_script_and_mixes_none",
    "17 SVG, polyglots, bombs": "assets: what_is_no_plain_picture_or_clip_is_refused_in_words; "
    "assets: a_picture_that_is_an_archive_too_is_refused; "
    "assets: a_picture_that_unpacks_to_gigabytes_is_refused_before_it_does; "
    "assets: two_gigabytes_are_refused_before_a_byte_is_read; import: a_zip_cannot_write_outside_or_blow_up",
    "18 CSV formulas": "release: a_cell_of_a_csv_is_never_a_formula; "
    "pitfalls: no_cell_of_a_downloaded_table_is_a_formula",
    "19 a broken file passes the validator": "pitfalls: a_picture_that_rotted_in_the_store_blocks_the_release",
    "20 two builds differ": "release: two_builds_are_equal_to_the_byte",
    "21 sample redrawn": "reannotation: a_sample_is_frozen_whatever_comes_after; "
    "sittings: a_sample_stays_what_it_was_when_items_change_later",
    "22 ids renumbered": "disputes: ids_are_never_renumbered",
    "23 clock skew": "sittings: the_server_is_the_authority_on_the_clock; "
    "queue: the_browser_cannot_claim_more_time_than_passed_by_the_server",
    "24 PBKDF2 slows the suite": "pitfalls: a_password_costs_the_tests_next_to_nothing",
}
CASES = {
    "AN-01 two people save the same item": "editor_browser: two_windows_on_one_item_overwrite_nothing; "
    "items: the_second_of_two_who_save_sees_both_sides_and_overwrites_nothing",
    "AN-03 edits lost when a save fails": "editor_browser: ten_seconds_offline_lose_no_keystroke; "
    "editor_browser: text_that_reached_no_server_is_back_after_a_crash_of_the_window",
    "AN-05 a reserved item never given back": "queue: "
    "an_idle_task_goes_to_another_and_the_late_answer_is_refused_in_words",
    "AN-07 file name or order tell the label": "queue: "
    "each_annotator_meets_the_items_in_an_order_of_their_own_that_tells_no_key; "
    "urls: the_blind_see_neither_ids_nor_states_nor_file_names_of_what_they_answer",
    "AN-09 fields lost on the way out": "pitfalls: what_goes_out_keeps_line_breaks_quotes_emoji_and_noughts; "
    "operations: a_restored_studio_is_the_one_that_was_backed_up",
    "AN-11 Enter of an input method": "editor_browser: the_enter_that_ends_a_composition_submits_nothing",
    "AN-13 a double click": "queue: the_same_form_sent_twice_is_one_answer; "
    "items: the_same_form_sent_twice_makes_one_item",
    "AN-15 skip as a category": "reannotation: who_cannot_answer_gives_no_label_and_is_counted_and_disputed",
    "AN-17 text with markup": "reviews: text_of_an_item_is_shown_as_text",
    "AN-19 sample for re-annotation": "reannotation: "
    "the_sample_is_a_tenth_stratified_reproducible_and_never_its_authors",
    "AN-21 ratings with gaps": "reannotation: a_missing_rating_is_missing_and_not_nil",
}


def names_in(module: str) -> set[str]:
    tree = ast.parse((HERE / f"test_{module}.py").read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("what", [*PITFALLS, *CASES])
def test_each_pitfall_has_its_test(what: str) -> None:
    for one in (PITFALLS | CASES)[what].split("; "):
        module, name = one.split(": ")
        assert f"test_{name}" in names_in(module), one


def test_the_list_is_whole() -> None:
    assert [int(what.split()[0]) for what in PITFALLS] == list(range(1, 25))
    assert [what.split()[0] for what in CASES] == [f"AN-{n:02}" for n in range(1, 22, 2)]


def test_a_picture_of_150_dpi_is_one_although_png_counts_by_the_metre():
    home = project("multi-tw")
    author = person(home, Role.AUTHOR)
    data = encoded(photograph(1), dpi=(150, 150))
    assert Image.open(io.BytesIO(data)).info["dpi"] != (150, 150)  # 150.01
    upload(home, author, data)
    upload(home, author, encoded(photograph(2), dpi=(72, 72)))
    exact, other = Asset.objects.order_by("pk")
    assert not exact.findings.filter(rule="I111").exists()
    assert other.findings.filter(rule="I111").exists()


def test_items_that_share_a_picture_go_into_one_split(home, owner):
    author = person(home, Role.AUTHOR)
    made = accepted(home, author, 12)
    for one, other in zip(made[::2], made[1::2], strict=True):
        other.current.image = other.image = one.image
        other.current.save()
        other.save()
    release = built(home, owner)
    splits = dict(release.items.values_list("item_id", "split"))
    assert len(set(splits.values())) > 1
    for one, other in zip(made[::2], made[1::2], strict=True):
        assert splits[one.pk] == splits[other.pk]


def both_scripts(stem_hant: str) -> Content:
    texts = [("净", "淨"), ("丑", "醜"), ("关羽", "關羽"), ("张飞", "張飛")]
    return Content(
        stem={"zh-Hans": "这是谁的脸谱？", "zh-Hant": stem_hant},
        options=[Option(text={"zh-Hans": hans, "zh-Hant": hant}) for hans, hant in texts],
        key=2,
    )


def test_a_release_names_each_script_and_mixes_none(tmp_path):
    home = project("custom", languages=["zh-Hans", "zh-Hant"])
    owner, author = person(home, Role.OWNER), person(home, Role.AUTHOR)
    mixed = item(home, author, content=both_scripts("這是谁的脸谱？"))
    findings.refresh(mixed)
    assert mixed.findings.filter(rule="L101", state="open").exists()
    mixed.state = Item.State.EXCLUDED
    mixed.save()
    made = accepted(home, author, 3)
    for at, one in enumerate(made):
        body = both_scripts(f"這是誰的臉譜？（{at}）")
        one.current.body, one.current.sha256 = body.model_dump(), body.sha256
        one.current.save()
    folder = builder.folder_of(built(home, owner, split_method="")) / "release"
    back = keju.load(folder)
    assert [sorted(one.wordings) for one in back] == [["zh-Hans", "zh-Hant"]] * 3
    assert {one.wordings["zh-Hant"].question[:7] for one in back} == {"這是誰的臉譜？"}
    assert '"zh"' not in "".join(file.read_text(encoding="utf-8") for file in folder.glob("*.json*"))


def test_no_cell_of_a_downloaded_table_is_a_formula(home, owner):
    author = person(home, Role.AUTHOR)
    for at in range(3):
        item(home, author, state="accepted", code=f"={at}+1")
    batch = sittings.draw(home, owner, "sitting", 3, labels=[])
    seat = sittings.invite(batch, owner, "=HYPERLINK(0)")[0].participant
    sittings.consent(seat)
    while task := sittings.current(seat):
        sittings.answer(seat, task.pk, "B", sittings.Measured())
    answer = client_of(owner).get(f"/projects/{home.slug}/sittings/{batch.pk}/answers.csv")
    cells = [cell for row in csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))) for cell in row]
    assert "'=HYPERLINK(0)" in cells
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))]


def test_a_picture_that_rotted_in_the_store_blocks_the_release(home, owner):
    made = accepted(home, person(home, Role.AUTHOR), 10)
    file = place(made[1].image.sha256)
    file.write_bytes(file.read_bytes()[:2000])
    release = prepared(home, owner)
    assert builder.build(release, owner)
    release.refresh_from_db()
    assert release.state == "prepared"
    assert made[1].code in json.dumps(release.report)


def test_a_password_costs_the_tests_next_to_nothing():
    begun = time.perf_counter()
    make_password("secret")
    assert time.perf_counter() - begun < 0.1  # PBKDF2 with a million rounds takes more than a second


def test_what_goes_out_keeps_line_breaks_quotes_emoji_and_noughts():
    rows = [
        {"item": "0001", "by": "u1", "label": "A", "comment": '第一行\n第二行, "引号"', "rating": 0},
        {"item": "0001", "by": "u2", "label": "skip", "comment": "😀", "rating": None},
    ]
    back = list(csv.DictReader(io.StringIO(table_of(rows).decode(), newline="")))
    assert [unguarded(row["comment"]) for row in back] == [row["comment"] for row in rows]
    assert [row["label"] for row in back] == ["A", "skip"]
    assert [row["rating"] for row in back] == ["0", ""]
