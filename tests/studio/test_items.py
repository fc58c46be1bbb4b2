"""Items: the list, the editor's form, drafts, conflicts, findings, history, comments, answer sheets."""

import json
from dataclasses import asdict

import pytest
from building import asset, client_of, content, item, person, project
from django.template.loader import render_to_string
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keju.studio import drafts, findings
from keju.studio.content import Content, Option
from keju.studio.editing import fields_of_revision
from keju.studio.models import Assignment, Batch, Comment, Draft, Event, Finding, Item, Revision, Role, Term
from keju.studio.policy import Verb, may
from keju.studio.presenting import Audience, present
from keju.studio.saving import Edit, save
from keju.studio.seeing import named, seen
from keju.studio.standing import past_of, roles_of
from keju.studio.touching import ALL, FORMAT, NOTHING, WORDS, touched, void_touched


def url(name, home, *args):
    return reverse(name, args=[home.slug, *args])


def form_of(made, **changes):
    """What the editor sends back of an item, with changes."""
    made.refresh_from_db()
    fields = {"token": "t0", "base_version": str(made.version), "base_revision": str(made.current.number)}
    return {**fields_of_revision(made, made.current), **fields, "base_columns": "{}", **changes}


def new_form(picture=None, **changes):
    fields = {"token": "n1", "base_version": "0", "base_revision": "0"}
    fields |= {"original_language": "zh-Hans", "count": "4", "key": "1"}
    fields |= {"locator_seq": "1", "suggested_seq": "1", "stem_zh-Hans": "图中是哪个行当？", "stem_en": "Which role?"}
    for index, (zh, en) in enumerate([("生", "Sheng"), ("旦", "Dan"), ("净", "Jing"), ("丑", "Chou")]):
        fields |= {f"option_{index}_zh-Hans": zh, f"option_{index}_en": en}
    return {**fields, "image": str(picture.pk) if picture else "", **changes}


def messages_of(response):
    return " ".join(str(message) for message in response.context["messages"])


def batch_of(home, owner, kind, **fields):
    return Batch.objects.create(project=home, kind=kind, name=kind, created_by=owner, **fields)


# The form ------------------------------------------------------------------------------------------------------


def test_a_form_filled_in_becomes_an_item_with_everything_in_it(home, author):
    role = Term.objects.get(project=home, kind="question_type")
    role.parent = Term.objects.create(project=home, kind="dimension", code="image")
    role.save()
    picture = asset(home, author)
    answer = client_of(author).post(url("item-new", home) + "?draft=n1", new_form(picture, question_type=str(role.pk)))
    made = Item.objects.get(project=home)
    assert answer.url == url("item", home, made.pk)
    assert (made.code, made.locator, made.image, made.dimension) == ("0001", {"seq": 1}, picture, role.parent)
    said = made.current.content
    assert said.stem == {"zh-Hans": "图中是哪个行当？", "en": "Which role?"}
    assert [option.text["en"] for option in said.options] == ["Sheng", "Dan", "Jing", "Chou"]
    assert said.key == 1


def test_a_save_keeps_every_field_that_the_form_showed(home, author):
    made = item(home, author)
    before = made.current.content
    client_of(author).post(url("item-edit", home, made.pk), form_of(made))
    made.refresh_from_db()
    assert made.current.content == before
    assert made.revisions.count() == 1


def test_an_item_that_is_not_whole_is_saved_but_not_submitted(home, author):
    client = client_of(author)
    answer = client.post(url("item-new", home) + "?draft=n1", new_form(key="", then="submit"), follow=True)
    made = Item.objects.get(project=home)
    assert made.state == Item.State.DRAFT
    assert "not submitted" in messages_of(answer)
    assert set(made.findings.values_list("rule", flat=True)) >= {"W102", "W105"}


def test_a_key_that_is_no_option_is_refused_beside_its_field(home, author):
    answer = client_of(author).post(url("item-new", home) + "?draft=n1", new_form(count="3", key="3"))
    assert answer.status_code == 422
    assert "The right option is one that is not there any more" in answer.content.decode()
    assert not Item.objects.filter(project=home).exists()


def test_two_authors_who_were_offered_the_same_number_get_two(home, author):
    other = person(home, Role.EXPERT)
    client_of(author).post(url("item-new", home) + "?draft=n1", new_form(asset(home, author)))
    answer = client_of(other).post(
        url("item-new", home) + "?draft=n2", new_form(asset(home, other), token="n2"), follow=True
    )
    assert sorted(Item.objects.filter(project=home).values_list("code", flat=True)) == ["0001", "0002"]
    assert "became 0002" in messages_of(answer)


def test_a_number_that_was_chosen_and_is_taken_is_refused(home, author):
    item(home, author, code="0007")
    answer = client_of(author).post(url("item-new", home) + "?draft=n1", new_form(locator_seq="7"))
    assert answer.status_code == 422
    assert "0007 is taken" in answer.content.decode()


def test_the_same_form_sent_twice_makes_one_item(home, author):
    client = client_of(author)
    picture = asset(home, author)
    first, second = (client.post(url("item-new", home) + "?draft=n1", new_form(picture)) for _ in range(2))
    assert first.url == second.url
    assert Item.objects.filter(project=home).count() == 1


def test_the_next_item_keeps_place_and_labels(home, author):
    home.id_template = "{volume:02}-{section}-P{part}-{question:03}"
    home.save()
    genre = Term.objects.get(project=home, code="kunqu")
    client = client_of(author)
    places = {"locator_volume": "1", "locator_section": "L", "locator_part": "2", "locator_question": "9"}
    fields = new_form(asset(home, author), genre=str(genre.pk), then="next", keep_media="on", **places)
    answer = client.post(url("item-new", home) + "?draft=n1", fields, follow=True)
    form = answer.context["form"]
    assert Item.objects.get(project=home).code == "01-L-P2-009"
    values = [form[f"locator_{name}"].value() for name in ("volume", "section", "part", "question")]
    assert values == ["1", "L", "2", "10"]
    assert form["genre"].value() == str(genre.pk)
    assert form["image"].value() == str(Item.objects.get(project=home).image_id)
    assert not form["stem_en"].value()


def test_only_its_author_and_owners_change_an_item(home, author):
    made = item(home, author)
    assert client_of(person(home, Role.AUTHOR)).get(url("item-edit", home, made.pk)).status_code == 403
    assert client_of(person(home, Role.FORMATTER)).get(url("item-edit", home, made.pk)).status_code == 403
    assert client_of(person(home, Role.OWNER, Role.EXPERT)).get(url("item-edit", home, made.pk)).status_code == 200
    assert client_of(person(None)).get(url("item-edit", home, made.pk)).status_code == 404


def test_an_accepted_item_cannot_be_changed_until_it_is_reopened(home, author):
    made = item(home, author, state="accepted")
    answer = client_of(author).post(url("item-edit", home, made.pk), form_of(made, **{"stem_en": "Other?"}))
    assert answer.url == url("item", home, made.pk)
    assert made.revisions.count() == 1
    owner = person(home, Role.OWNER)
    client_of(owner).post(url("item-move", home, made.pk, "reopen"))
    made.refresh_from_db()
    assert made.state == "revise"


def test_a_change_of_an_item_that_others_have_seen_needs_its_reason(home, author):
    made = item(home, author, state="revise")
    client = client_of(author)
    answer = client.post(url("item-edit", home, made.pk), form_of(made, stem_en="Other?"))
    assert answer.status_code == 422
    client.post(url("item-edit", home, made.pk), form_of(made, stem_en="Other?", reason="clearer"))
    made.refresh_from_db()
    assert (made.current.number, made.current.reason) == (2, "clearer")


# Two people ----------------------------------------------------------------------------------------------------


def test_the_second_of_two_who_save_sees_both_sides_and_overwrites_nothing(home, author):
    owner = person(home, Role.OWNER, Role.EXPERT)
    made = item(home, author)
    mine = form_of(made, stem_en="Mine?", **{"option_0_en": "Old man"})
    client_of(owner).post(url("item-edit", home, made.pk), form_of(made, **{"token": "o", "option_3_en": "Clown"}))
    answer = client_of(author).post(url("item-edit", home, made.pk), mine)
    assert answer.status_code == 409
    made.refresh_from_db()
    assert made.revisions.count() == 2
    assert made.current.author == owner
    page = answer.content.decode()
    assert "saved this item while you were writing" in page
    assert {line.field.name for line in answer.context["rows"]} == {"stem_en", "option_0_en", "option_3_en"}
    together = answer.context["form"]
    assert [together[name].value() for name in ("stem_en", "option_0_en", "option_3_en")] == [
        "Mine?",
        "Old man",
        "Clown",
    ]
    merged = {name: str(together[name].value() or "") for name in together.fields}
    assert client_of(author).post(url("item-edit", home, made.pk), merged).status_code == 302
    made.refresh_from_db()
    assert made.current.number == 3


def test_a_label_that_only_the_other_changed_survives_a_merge(home, author):
    owner = person(home, Role.OWNER)
    easy = Term.objects.get(project=home, kind="difficulty")
    made = item(home, author)
    page = client_of(author).get(url("item-edit", home, made.pk)).context["form"]
    mine = {name: str(page[name].value() or "") for name in page.fields} | {"stem_en": "Mine?"}
    client_of(owner).post(url("item-edit", home, made.pk), form_of(made, token="o", difficulty=str(easy.pk)))
    together = client_of(author).post(url("item-edit", home, made.pk), mine).context["form"]
    assert (together["difficulty"].value(), together["stem_en"].value()) == (str(easy.pk), "Mine?")


# Drafts --------------------------------------------------------------------------------------------------------


def keep(client, address, form, **fields):
    return client.post(address, json.dumps({"token": form, "fields": fields}), content_type="application/json")


def test_what_is_typed_comes_back(home, author):
    made = item(home, author)
    client = client_of(author)
    fields = form_of(made, stem_en="half a quest")
    assert keep(client, url("item-draft", home, made.pk), "a", **fields).json()["kept"]
    form = client.get(url("item-edit", home, made.pk)).context["form"]
    assert form["stem_en"].value() == "half a quest"
    client.post(url("item-discard", home, made.pk))
    form = client.get(url("item-edit", home, made.pk)).context["form"]
    assert form["stem_en"].value() == "Which role type is this?"
    assert made.revisions.count() == 1


def test_an_autosave_that_comes_after_the_save_opens_no_draft_again(home, author):
    made = item(home, author)
    client = client_of(author)
    client.post(url("item-edit", home, made.pk), form_of(made, token="a", stem_en="Done?"))
    late = keep(client, url("item-draft", home, made.pk), "a", stem_en="Don", base_version="1")
    assert (late.status_code, late.json()) == (409, {"kept": False})
    assert drafts.unsaved(author, f"item:{made.pk}") is None
    made.refresh_from_db()
    assert made.state == "draft"
    assert made.current.content.stem["en"] == "Done?"


def test_an_autosave_that_comes_after_a_new_item_was_saved_begins_no_second(home, author):
    client = client_of(author)
    client.post(url("item-new", home) + "?draft=n1", new_form(asset(home, author)))
    assert keep(client, url("new-draft", home), "n1", stem_en="late").status_code == 409
    assert not drafts.unsaved_like(author, "new:")


def test_an_autosave_that_comes_two_saves_late_opens_nothing_either(home, author):
    made = item(home, author)
    client = client_of(author)
    for token in ("a", "b"):
        client.post(url("item-edit", home, made.pk), form_of(made, token=token, stem_en=f"Done {token}?"))
    assert keep(client, url("item-draft", home, made.pk), "a", stem_en="Don").status_code == 409


def test_a_key_set_by_an_answer_sheet_throws_no_typed_text_away(home, author):
    made = item(home, author, code="0001", key=0)
    client = client_of(author)
    keep(client, url("item-draft", home, made.pk), "a", **form_of(made, stem_en="half a quest"))
    client.post(url("answers", home), {"text": "1-C", "apply": "1"})
    form = client.get(url("item-edit", home, made.pk)).context["form"]
    assert form["stem_en"].value() == "half a quest"
    mine = {name: str(form[name].value() or "") for name in form.fields}
    together = client.post(url("item-edit", home, made.pk), mine).context["form"]
    assert (together["stem_en"].value(), together["key"].value()) == ("half a quest", "2")


def test_two_windows_with_new_items_keep_two_drafts(home, author):
    client = client_of(author)
    for token in ("w1", "w2"):
        keep(client, url("new-draft", home), token, stem_en=f"text of {token}")
    shown = client.get(url("item-new", home) + "?draft=w1")
    assert shown.context["form"]["stem_en"].value() == "text of w1"
    assert "text of w2" in shown.content.decode()


def test_another_window_of_the_same_person_still_keeps_its_text_after_a_save(home, author):
    made = item(home, author)
    client = client_of(author)
    client.post(url("item-edit", home, made.pk), form_of(made, token="a", stem_en="Done?"))
    assert (
        keep(client, url("item-draft", home, made.pk), "b", stem_en="other window", base_version="1").status_code == 200
    )


@pytest.mark.parametrize(
    "body", ["", "[]", '{"token": "a"}', '{"token": "a", "fields": {"stem_en": 3}}', '{"token": "", "fields": {}}']
)
def test_what_is_no_draft_is_refused(home, author, body):
    made = item(home, author)
    client = client_of(author)
    assert client.post(url("item-draft", home, made.pk), body, content_type="application/json").status_code == 400
    assert not Draft.objects.exists()


# Findings ------------------------------------------------------------------------------------------------------


def test_a_finding_opens_at_the_save_and_is_mended_by_itself(home, author):
    made = item(home, author)
    client = client_of(author)
    client.post(url("item-edit", home, made.pk), form_of(made, option_0_en="", token="a"))
    found = made.findings.get(rule="W101")
    assert (found.state, found.severity) == ("open", "error")
    client.post(url("item-edit", home, made.pk), form_of(made, option_0_en="Sheng", token="b"))
    found.refresh_from_db()
    assert found.state == "fixed"
    client.post(url("item-edit", home, made.pk), form_of(made, option_0_en="", token="c"))
    found.refresh_from_db()
    assert found.state == "open"


def test_a_finding_that_was_waived_stays_so_and_keeps_nothing_back(home, author):
    owner = person(home, Role.OWNER)
    made = item(home, author)
    client_of(author).post(url("item-edit", home, made.pk), form_of(made, **{"option_0_zh-Hans": "旦", "token": "a"}))
    found = made.findings.get(rule="Q301")
    assert client_of(author).post(url("item-waive", home, made.pk, found.pk), {"reason": "x"}).status_code == 403
    client_of(owner).post(url("item-waive", home, made.pk, found.pk), {"reason": ""})
    found.refresh_from_db()
    assert found.state == "open"
    client_of(owner).post(url("item-waive", home, made.pk, found.pk), {"reason": "two roles of one name"})
    client_of(author).post(url("item-edit", home, made.pk), form_of(made, stem_en="Which of these?", token="b"))
    found.refresh_from_db()
    assert (found.state, found.reason, found.closed_by) == ("waived", "two roles of one name", owner)
    client_of(author).post(url("item-move", home, made.pk, "submit"))
    made.refresh_from_db()
    assert made.state == "in_review"


def test_the_same_question_on_the_same_picture_cannot_be_submitted(home, author):
    first = item(home, author)
    twin = item(home, author, image=first.image, content=first.current.content)
    findings.refresh(twin)
    assert twin.findings.get(rule="Q501").severity == "error"
    client_of(author).post(url("item-move", home, twin.pk, "submit"))
    twin.refresh_from_db()
    assert twin.state == "draft"
    elsewhere = item(home, author, content=first.current.content)
    findings.refresh(elsewhere)
    assert not elsewhere.findings.filter(rule="Q501").exists()


def test_a_question_nearly_the_same_warns(home, author):
    stem = "图中这位演员所扮演的角色在京剧中属于以下哪一个行当？"
    stem += "请先看清楚脸谱、服饰、道具和身段，再从四个选项中选出最合适的一项作为回答"
    first = item(home, author, content=content(stem=stem))
    near = item(home, author, image=first.image, content=content(stem=stem + "吧"))
    findings.refresh(near)
    assert near.findings.get(rule="Q502").severity == "warning"


def test_what_the_checks_say_of_text_that_is_not_saved(home, author):
    made = item(home, author)
    client = client_of(author)
    keep(client, url("item-draft", home, made.pk), "a", **form_of(made, option_1_en="Sheng"))
    assert "both read" in client.get(url("item-checks", home, made.pk)).content.decode()
    assert not Finding.objects.filter(item=made, rule="Q301").exists()


def test_the_checks_look_before_the_id_is_made(home, author):
    home.id_template = "{volume:02}-{question:03}"
    home.save()
    client = client_of(author)
    fields = new_form(option_1_en="Sheng", locator_volume="", locator_question="")
    keep(client, url("new-draft", home), "n1", **fields)
    assert "both read" in client.get(url("new-checks", home), {"draft": "n1"}).content.decode()
    answer = client.post(url("item-new", home) + "?draft=n1", fields)
    assert answer.status_code == 422
    assert not Item.objects.filter(project=home).exists()


def test_checks_that_come_after_the_save_find_no_twin_in_the_item_itself(home, author):
    """An autosave's checks were on their way when the form was saved: its id is there now."""
    saved = item(home, author, code="0001", content=content(stem="这幅图是什么行当？"))
    client = client_of(author)
    texts = {"stem_zh-Hans": "这幅图是什么行当？", "image": str(saved.image.pk), "locator_seq": "1"}
    keep(client, url("new-draft", home), "late", **new_form(**texts))
    answer = client.get(url("new-checks", home), {"draft": "late"})
    assert answer.status_code == 200
    assert "Q501" not in answer.content.decode()


def test_the_projects_number_of_options_is_what_counts(author):
    free = project("custom", settings={"min_options": 3, "max_options": 5})
    writer = person(free, Role.AUTHOR)
    for number, wanted in ((2, True), (3, False), (5, False), (6, True)):
        made = item(free, writer, content=content(key=1, options=number, stem=f"{number}题问什么？"))
        findings.refresh(made)
        assert made.findings.filter(rule="Q104").exists() == wanted


# Steps that a change touches -----------------------------------------------------------------------------------


def revision_of(body, **fields):
    return Revision(body=body.model_dump(), sha256=body.sha256, **fields)


BASE = content(key=1)


def changed(**changes):
    return BASE.model_copy(deep=True, update=changes)


def moved():
    options = [BASE.options[i] for i in (1, 0, 2, 3)]
    return changed(options=options, key=0)


def reworded(text):
    body = BASE.model_copy(deep=True)
    body.options[2].text["en"] = text
    return body


@pytest.mark.parametrize(
    ("after", "typo", "steps"),
    [
        (BASE, False, NOTHING),
        (changed(rationale={"en": "see the face"}), False, NOTHING),
        (changed(stem={**BASE.stem, "en": "Which role type is it?"}), False, WORDS),
        (changed(stem={**BASE.stem, "en": "Which role typ is this?"}), True, FORMAT),
        (changed(stem={**BASE.stem, "en": "Name the opera."}), True, WORDS),
        (changed(key=2), False, ALL),
        (changed(key=2), True, ALL),
        (moved(), False, WORDS),
        (changed(options=moved().options), False, ALL),
        (changed(options=BASE.options[:3]), False, ALL),
        (reworded("Painted face"), False, WORDS),
        (changed(options=[o.model_copy(update={"strategy": None}) for o in BASE.options]), False, {Verb.REVIEW_EXPERT}),
    ],
)
def test_a_revision_touches_the_steps_that_judged_what_it_changes(after, typo, steps):
    assert touched(revision_of(BASE), revision_of(after), typo=typo) == steps


def test_another_picture_touches_every_step(home, author):
    assert touched(revision_of(BASE), revision_of(BASE, image=asset(home, author))) == ALL


def test_a_save_voids_the_passes_of_the_steps_it_touches_and_no_others(author):
    steps = [{"name": name, "verb": f"review {name}"} for name in ("expert", "linguistic", "formatting")]
    home = project(settings={"steps": steps})
    writer, owner = person(home, Role.AUTHOR), person(home, Role.OWNER)
    made = item(home, writer, state="in_review")
    batch = batch_of(home, owner, "review")
    judges = {step["name"]: person(home, Role.EXPERT) for step in steps}
    for name, judge in judges.items():
        Assignment.objects.create(batch=batch, item=made, revision=made.current, user=judge, step=name, state="done")
    client_of(writer).post(url("item-edit", home, made.pk), form_of(made, stem_en="Which one?", reason="clearer"))
    states = dict(Assignment.objects.filter(item=made).values_list("step", "state"))
    assert states == {"expert": "done", "linguistic": "void", "formatting": "void"}
    assert Event.objects.get(project=home, verb="void").data["voided"] == 2


def test_rounds_that_are_closed_keep_their_passes(home, author):
    owner = person(home, Role.OWNER)
    made = item(home, author)
    batch = batch_of(home, owner, "equivalence", closed_at=made.created_at)
    Assignment.objects.create(batch=batch, item=made, revision=made.current, user=owner, state="done")
    before = made.current
    after = save(made, author, Edit(content(key=3), made.image), base_version=made.version)
    assert void_touched(made, before, after, author) == 0


# History and comments ------------------------------------------------------------------------------------------


def test_the_history_shows_what_changed_and_goes_back(home, author):
    made = item(home, author)
    old = made.current.content
    client = client_of(author)
    client.post(url("item-edit", home, made.pk), form_of(made, stem_en="Which role is that?"))
    page = client.get(url("item-history", home, made.pk)).content.decode()
    assert "<ins>that</ins>" in page
    made.refresh_from_db()
    stale = client.post(url("item-restore", home, made.pk, 1), {"base_version": made.version - 1}, follow=True)
    assert "Someone saved this item" in messages_of(stale)
    client.post(url("item-restore", home, made.pk, 1), {"base_version": made.version})
    made.refresh_from_db()
    assert (made.current.number, made.current.content) == (3, old)


def test_comments_are_written_once_and_settled(home, author):
    made = item(home, author)
    client = client_of(author)
    for _ in range(2):
        client.post(url("item-comment", home, made.pk), {"text": "Is this 老旦?"})
    remark = Comment.objects.get(item=made)
    client.post(url("item-settle", home, made.pk, remark.pk), {"settled": "1"})
    remark.refresh_from_db()
    assert remark.resolved
    outsider = client_of(person(home, Role.EXPERT))
    assert outsider.post(url("item-comment", home, made.pk), {"text": "?"}).status_code == 403


# The list ------------------------------------------------------------------------------------------------------


def codes(client, home, **query):
    response = client.get(url("items", home), query)
    assert response.status_code == 200
    return [row.item.code for row in response.context["rows"]]


def test_the_list_is_narrowed_searched_and_sorted(home, author):
    owner = client_of(person(home, Role.OWNER))
    kunqu = Term.objects.get(project=home, code="kunqu")
    item(home, author, code="0001", genre=kunqu, content=content(stem="这是昆曲吗？"))
    item(home, author, code="0002", state="accepted", content=content(stem="这是京剧吗？"))
    item(home, author, code="0003", reserve=True, content=content(stem="这是越剧吗？", key=None))
    for made in home.items.all():
        findings.refresh(made)
    assert codes(owner, home) == ["0001", "0002", "0003"]
    assert codes(owner, home, sort="-code") == ["0003", "0002", "0001"]
    assert codes(owner, home, state="accepted") == ["0002"]
    assert codes(owner, home, genre=kunqu.pk) == ["0001"]
    assert codes(owner, home, q="這是京劇") == ["0002"]
    assert codes(owner, home, q="003") == ["0003"]
    assert codes(owner, home, reserve="yes") == ["0003"]
    assert codes(owner, home, finding="error") == ["0003"]
    assert codes(owner, home, author=author.pk, state="draft") == ["0001", "0003"]
    assert codes(owner, home, q="nothing like it") == []


def test_an_annotator_finds_nothing_out_by_the_list(home, author):
    owner, annotator = person(home, Role.OWNER), person(home, Role.ANNOTATOR)
    kunqu = Term.objects.get(project=home, code="kunqu")
    blind = item(home, author, code="0001", genre=kunqu, state="accepted")
    other = item(home, author, code="0002", genre=kunqu, state="accepted")
    batch = batch_of(home, owner, "reannotate")
    Assignment.objects.create(batch=batch, item=blind, revision=blind.current, user=annotator, blind=True)
    client = client_of(annotator)
    assert codes(client, home) == ["0002"]
    page = client.get(url("items", home)).content.decode()
    assert "幅图" not in page
    assert "Kunqu" not in page
    assert codes(client, home, q="行当") == []
    assert codes(client, home, genre=kunqu.pk) == ["0002"]  # the filter is not there, so it narrows nothing
    assert client.get(url("item", home, blind.pk)).status_code == 404
    assert client.get(url("item-history", home, other.pk)).status_code == 403
    assert client.get(url("item-edit", home, other.pk)).status_code == 403


def test_the_list_and_the_policy_agree_on_who_sees_what(home, author):
    people = [person(home, role) for role in Role] + [author, person(home, Role.OWNER, Role.ANNOTATOR)]
    owner, reviewer, third = people[0], person(home, Role.EXPERT), person(home, Role.ADJUDICATOR)
    items = [item(home, author) for _ in range(5)]
    review, blind = batch_of(home, owner, "review"), batch_of(home, owner, "reannotate")
    Assignment.objects.create(batch=review, item=items[0], revision=items[0].current, user=reviewer, step="expert")
    for someone in (people[-1], people[5], reviewer):
        Assignment.objects.create(batch=blind, item=items[1], revision=items[1].current, user=someone, blind=True)
    items[2].disputes.create(revision=items[2].current, cause="label", third_expert=third, participants=[reviewer.pk])
    save(items[3], reviewer, Edit(content(key=2), items[3].image), base_version=items[3].version)
    for someone in [*people, reviewer, third]:
        roles = roles_of(someone, home)
        visible = set(seen(home, someone, roles).values_list("pk", flat=True))
        expected = {each.pk for each in items if may(Verb.SEE_KEY, roles, past_of(someone, each))}
        assert visible == expected, roles
        assert visible <= set(named(home, someone).values_list("pk", flat=True))


def test_ticked_items_are_submitted_and_the_others_say_why_not(home, author):
    whole, unkeyed = item(home, author, code="0001"), item(home, author, code="0002", key=None)
    foreign = item(home, person(home, Role.AUTHOR), code="0003")
    ticked = {"item": [whole.pk, unkeyed.pk, foreign.pk, "x"]}
    answer = client_of(author).post(url("items-submit", home), ticked, follow=True)
    states = dict(home.items.values_list("code", "state"))
    assert states == {"0001": "in_review", "0002": "draft", "0003": "draft"}
    assert "0002: Findings" in messages_of(answer)
    assert "1 item is submitted" in messages_of(answer)


def test_the_list_of_a_thousand_items_asks_few_queries(home, author, django_assert_max_num_queries):
    items = [item(home, author) for _ in range(60)]
    assert len(items) == 60
    client = client_of(person(home, Role.OWNER))
    with django_assert_max_num_queries(25):
        client.get(url("items", home))


# Answer sheets and aids ----------------------------------------------------------------------------------------


def test_an_answer_sheet_is_shown_before_it_sets_keys(home, author):
    made = [item(home, author, code=f"000{n}", key=0) for n in (1, 2, 3)]
    item(home, person(home, Role.AUTHOR), code="0004", key=0)
    client = client_of(author)
    sheet = {"text": "1-B 2-A 3-F 4-B 9-C"}
    shown = client.post(url("answers", home), sheet)
    assert [bool(match.trouble) for match in shown.context["matches"]] == [False, False, True, True, True]
    assert shown.context["changes"] == 1
    client.post(url("answers", home), {**sheet, "apply": "1"})
    for each in made:
        each.refresh_from_db()
    assert [each.current.content.key for each in made] == [1, 0, 0]
    assert made[0].current.reason == "answer sheet"
    assert [each.revisions.count() for each in made] == [2, 1, 1]


def test_a_number_that_ends_several_ids_sets_none(home, author):
    for code in ("01-P1-001", "01-P2-001"):
        item(home, author, code=code)
    client = client_of(author)
    assert client.post(url("answers", home), {"text": "1-C"}).context["changes"] == 0
    assert client.post(url("answers", home), {"text": "1-C", "begins": "01-P2"}).context["changes"] == 1


def test_the_task_type_of_an_instruction_is_that_of_earlier_ones(home, author):
    term = Term.objects.create(project=home, kind="instruction", code="picture-qa", label={"en": "Picture QA"})
    body = content(stem="？")
    body.instruction = {"zh-Hans": "请看图片，选出正确的答案。"}
    item(home, author, content=body, instruction=term)
    client = client_of(author)
    for text, found in (
        ("请看图片选出正确的答案", True),
        ("请看图片，选出最正确的答案。", True),
        ("听录音回答问题", False),
    ):
        page = client.get(url("aid-task-type", home), {"instruction_zh-Hans": text}).content.decode()
        assert ("Picture QA" in page) == found


def test_the_other_script_is_drafted(home, author):
    answer = client_of(author).post(
        url("aid-script", home),
        json.dumps({"to": "zh-Hant", "texts": {"stem_zh-Hant": "这是什么戏？"}}),
        content_type="application/json",
    )
    assert answer.json() == {"texts": {"stem_zh-Hant": "這是什麼戲？"}}


# Keys leak nowhere ---------------------------------------------------------------------------------------------

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=12)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    stem=TEXTS,
    options=st.lists(TEXTS, min_size=4, max_size=4),
    strategies=st.lists(st.none() | TEXTS, min_size=4, max_size=4),
)
@pytest.mark.parametrize("audience", [Audience.BLIND, Audience.PARTICIPANT])
def test_what_the_blind_get_is_the_same_byte_for_byte_whatever_the_key(
    home, author, audience, stem, options, strategies
):
    pages, texts = set(), set()
    for key in range(4):
        body = Content(
            stem={"zh-Hans": stem},
            options=[
                Option(text={"en": text}, strategy=None if n == key else strategy)
                for n, (text, strategy) in enumerate(zip(options, strategies, strict=True))
            ],
            key=key,
            rationale={"en": f"because it is {key}"},
        )
        shown = present(revision_of(body), audience)
        texts.add(json.dumps(asdict(shown), sort_keys=True))
        pages.add(render_to_string("studio/items/shown.html", {"shown": shown, "desk": None}))
    assert len(pages) == len(texts) == 1


def test_the_author_and_the_reviewer_see_the_key(home, author):
    made = item(home, author)
    assert present(made.current, Audience.REVIEWER).key == "B"
    assert present(made.current, Audience.BLIND).key is None
