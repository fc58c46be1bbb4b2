"""Review by steps and rounds, and equivalence: who judges what, and where the item goes."""

import pytest
from building import asset, client_of, content, item, person
from django.urls import reverse
from pydantic import ValidationError
from working import CHANGE, PASS, REJECT, STEPS, items, judge, opened, state_of, team

from keju.studio.closing import close
from keju.studio.content import Content
from keju.studio.models import Assignment, Dispute, Draft, Event, Finding, Item, Role
from keju.studio.queue import Closed, answer_of, submit, take_next, waiting_for
from keju.studio.reviewing import advance, answer, notes_for_author
from keju.studio.saving import Edit, save
from keju.studio.touching import void_touched
from keju.studio.workflow import transition

ONE = [{"name": "expert", "verb": "review expert", "checklist": ["right", "only one"]}]


def revise(crew, made, **changes):
    """The author saves another content and submits it again where it was sent back."""
    made = Item.objects.select_related("current", "project").get(pk=made.pk)
    body = Content.model_validate({**made.current.body, **changes})
    after = save(made, crew.author, Edit(body, made.image, made.audio), base_version=made.version)
    void_touched(made, made.current, after, crew.author)
    if made.state == "revise":
        transition(made, "submit", crew.author)


def test_three_rounds_by_three_experts_then_language_then_format_then_accepted():
    crew = team()
    [made] = items(crew, 1, "in_review")
    batch = opened(crew, "review")
    assert take_next(batch, crew.linguist) is None
    for expert in crew.experts:
        judge(batch, expert, PASS)
        assert take_next(batch, expert) is None  # the next round wants other eyes
    judge(batch, crew.linguist, {"decision": "pass"})
    assert state_of(made) == "in_review"
    judge(batch, crew.formatter, {"decision": "pass"})
    assert state_of(made) == "accepted"
    done = batch.assignments.order_by("pk").values_list("step", "round")
    assert list(done) == [("expert", 1), ("expert", 2), ("expert", 3), ("linguistic", 1), ("formatting", 1)]


def test_with_fewer_experts_than_rounds_one_judges_twice_rather_than_never():
    crew = team(experts=2)
    [made] = items(crew, 1, "in_review")
    batch = opened(crew, "review")
    first, second = crew.experts
    judge(batch, first, PASS)
    advance(batch)
    assert take_next(batch, first) is None
    judge(batch, second, PASS)
    judge(batch, first, PASS)
    assert batch.assignments.filter(step="expert", state="done").count() == 3
    assert state_of(made) == "in_review"


def test_a_change_sends_the_item_back_with_the_note_and_the_round_is_done_again():
    crew = team(ONE)
    [made] = items(crew, 1, "in_review")
    batch = opened(crew, "review")
    judge(batch, crew.experts[0], CHANGE)
    made.refresh_from_db()
    assert made.state == "revise"
    assert notes_for_author(crew.project, [made]) == {made.pk: [("expert", CHANGE["note"])]}
    assert take_next(batch, crew.experts[1]) is None
    revise(crew, made, stem={"zh-Hans": "改", "en": "Changed"})
    judge(batch, crew.experts[0], PASS)  # who asked for it may look whether it was done
    assert state_of(made) == "accepted"


def test_a_rejection_opens_a_dispute_between_author_and_reviewer():
    crew = team(ONE)
    [made] = items(crew, 1, "in_review")
    judge(opened(crew, "review"), crew.experts[0], REJECT)
    dispute = Dispute.objects.get(item=made)
    assert (state_of(made), dispute.cause) == ("disputed", "review")
    assert dispute.participants == [crew.author.pk, crew.experts[0].pk]


def test_two_reviewers_of_one_round_decide_only_together_and_unseen_by_each_other():
    crew = team(ONE)
    [made] = items(crew, 1, "in_review")
    batch = opened(crew, "review", people=2)
    judge(batch, crew.experts[0], {**CHANGE, "note": "not to be seen yet"})
    assert state_of(made) == "in_review"
    task = take_next(batch, crew.experts[1])
    page = client_of(crew.experts[1]).get(reverse("assignment", args=[crew.project.slug, task.pk]))
    assert page.status_code == 200
    assert "not to be seen yet" not in page.content.decode()
    answer(task, crew.experts[1], PASS)
    assert state_of(made) == "revise"


def test_a_revision_under_the_reviewer_is_noticed_when_they_answer():  # pitfall 12
    crew = team(ONE)
    [made] = items(crew, 1, "in_review")
    batch = opened(crew, "review")
    task = take_next(batch, crew.experts[0])
    revise(crew, made, stem={"zh-Hans": "改", "en": "Changed"})
    with pytest.raises(Closed, match="changed in the meantime"):
        answer(task, crew.experts[0], PASS)
    again = take_next(batch, crew.experts[0])
    assert again.revision.number == 2
    answer(again, crew.experts[0], PASS)
    assert state_of(made) == "accepted"


def test_new_words_void_the_linguists_pass_and_not_the_experts():
    crew = team()
    [made] = items(crew, 1, "in_review")
    batch = opened(crew, "review")
    for expert in crew.experts:
        judge(batch, expert, PASS)
    judge(batch, crew.linguist, {"decision": "pass"})
    revise(crew, made, stem={"zh-Hans": "完全不同的话", "en": "Other words altogether"})
    advance(batch)
    standing = batch.assignments.exclude(state="void").order_by("pk").values_list("step", "state")
    assert list(standing) == [*[("expert", "done")] * 3, ("linguistic", "open")]


def test_a_new_key_voids_every_pass():
    crew = team()
    [made] = items(crew, 1, "in_review")
    batch = opened(crew, "review")
    for expert in crew.experts:
        judge(batch, expert, PASS)
    revise(crew, made, key=3)
    advance(batch)
    standing = batch.assignments.exclude(state="void").values_list("step", "round", "state")
    assert list(standing) == [("expert", 1, "open")]


def test_passing_wants_every_point_ticked_and_objecting_a_note():
    crew = team(ONE)
    items(crew, 1, "in_review")
    task = take_next(opened(crew, "review"), crew.experts[0])
    for data in ({**PASS, "checklist": ["right"]}, {**CHANGE, "note": " "}, {"decision": "perhaps"}):
        with pytest.raises(ValidationError):
            submit(task, crew.experts[0], data)
    assert task.responses.count() == 0


@pytest.mark.parametrize(
    ("told", "passes"),
    [
        ({}, False),
        ({"ended": True, "heard_s": 12.0}, False),  # moved to the end without listening
        ({"ended": False, "heard_s": 109.0}, False),
        ({"ended": True, "heard_s": 109.6}, True),
    ],
)
def test_a_clip_must_be_heard_to_the_end_before_its_item_passes(told, passes):
    crew = team([{"name": "files", "verb": "review formatting", "must_hear": True}])
    clip = asset(crew.project, crew.author, b"sound", kind="audio", mime="audio/mpeg", measured={"duration_s": 110.0})
    made = item(crew.project, crew.author, state="draft")
    save(made, crew.author, Edit(content(), made.image, clip), base_version=made.version)
    Item.objects.filter(pk=made.pk).update(state="in_review")
    task = take_next(opened(crew, "review"), crew.formatter)
    if passes:
        answer(task, crew.formatter, {"decision": "pass"}, media=told)
        assert state_of(made) == "accepted"
        task.refresh_from_db()
        assert task.media["ended"] is True
    else:
        with pytest.raises(ValidationError, match="to its end"):
            answer(task, crew.formatter, {"decision": "pass"}, media=told)
        answer(task, crew.formatter, {"decision": "change", "note": "no sound"}, media=told)


def test_items_that_are_submitted_later_join_and_a_sample_takes_none():
    crew = team(ONE)
    items(crew, 1, "in_review")
    batch = opened(crew, "review", joins=True)
    [later] = items(crew, 1, "in_review")
    advance(batch)
    assert waiting_for(batch, crew.experts[0]) == 2
    batch.refresh_from_db()
    assert later.pk in batch.targets
    closed_shop = opened(crew, "equivalence")
    items(crew, 1, "in_review")
    advance(closed_shop)
    closed_shop.refresh_from_db()
    assert len(closed_shop.targets) == 2


def test_a_withdrawn_item_takes_its_tasks_along():
    crew = team(ONE)
    [made] = items(crew, 1, "in_review")
    batch = opened(crew, "review")
    task = take_next(batch, crew.experts[0])
    transition(made, "withdraw", crew.author)
    with pytest.raises(Closed):
        answer(task, crew.experts[0], PASS)
    advance(batch)
    assert batch.assignments.get(pk=task.pk).state == "void"


def test_open_errors_keep_a_passed_item_until_they_are_closed():
    crew = team(ONE)
    [made] = items(crew, 1, "in_review")
    finding = Finding.objects.create(project=crew.project, item=made, rule="Q1", severity="error", message={"en": "x"})
    batch = opened(crew, "review")
    judge(batch, crew.experts[0], PASS)
    assert state_of(made) == "in_review"
    Finding.objects.filter(pk=finding.pk).update(state="fixed")
    advance(batch)
    assert state_of(made) == "accepted"


def test_equivalence_confirms_four_points_or_sends_the_item_back():
    crew = team()
    good, bad = items(crew, 2, "accepted")
    batch = opened(crew, "equivalence")
    whole = {"decision": "pass", "meaning": True, "terms": True, "options": True, "not_literal": True}
    for _ in range(2):
        task = take_next(batch, crew.linguist)
        if task.item_id == good.pk:
            with pytest.raises(ValidationError, match="every point"):
                answer(task, crew.linguist, {**whole, "terms": False})
            answer(task, crew.linguist, whole)
        else:
            answer(task, crew.linguist, {"decision": "revise", "note": "行当 is not “role”"})
    assert (state_of(good), state_of(bad)) == ("accepted", "revise")
    advance(batch)
    assert take_next(batch, crew.linguist) is None
    revise(crew, bad, stem={"zh-Hans": "甲", "en": "Which role type?"})
    judge(batch, crew.linguist, whole)
    assert batch.assignments.filter(state="done").count() == 2


def test_an_item_whose_languages_are_being_compared_is_not_accepted_yet():
    crew = team(ONE)
    [made] = items(crew, 1, "in_review")
    comparing = opened(crew, "equivalence")
    review = opened(crew, "review")
    judge(review, crew.experts[0], PASS)
    assert state_of(made) == "in_review"
    judge(
        comparing,
        crew.linguist,
        dict.fromkeys(("meaning", "terms", "options", "not_literal"), True) | {"decision": "pass"},
    )
    advance(review)
    assert state_of(made) == "accepted"


def test_a_reviewer_who_still_answers_the_item_blind_does_not_get_its_key():
    crew = team(ONE, experts=0, annotators=0)
    [made] = items(crew, 1)
    both = person(crew.project, Role.EXPERT, Role.ANNOTATOR)
    blind = opened(crew, "reannotate")
    task = take_next(blind, both)
    answer(task, both, {"answer": 0, "confidence": 3})
    Item.objects.filter(pk=made.pk).update(state="in_review")
    review = opened(crew, "review")
    assert take_next(review, both) is None
    from keju.studio.closing import close

    close(blind, crew.owner)
    Item.objects.filter(pk=made.pk).update(state="in_review")
    advance(review)
    assert take_next(review, both) is not None


def test_the_answer_and_what_follows_are_both_in_the_log():
    crew = team(ONE)
    items(crew, 1, "in_review")
    judge(opened(crew, "review"), crew.experts[0], PASS)
    verbs = Event.objects.filter(project=crew.project).order_by("seq").values_list("verb", flat=True)
    assert list(verbs)[-3:] == ["freeze", "answer", "pass_all"]


# Pages


def test_pages_of_a_review_from_opening_to_accepted():
    crew = team(ONE)
    [made] = items(crew, 1, "in_review")
    slug = crew.project.slug
    owner, expert = client_of(crew.owner), client_of(crew.experts[0])
    assert owner.get(reverse("batches", args=[slug])).status_code == 200
    form = owner.get(reverse("batch-new", args=[slug, "review"]))
    assert "expert" in form.content.decode()
    told = {"name": "First", "people": 1, "joins": "on", "idle_hours": 12}
    made_page = owner.post(reverse("batch-new", args=[slug, "review"]), told, follow=True)
    assert "1 item is drawn and frozen." in made_page.content.decode()
    batch = made_page.context["batch"]
    assert "First" in expert.get(reverse("work", args=[slug])).content.decode()
    task_page = expert.post(reverse("work-next", args=[slug, batch.pk]), follow=True)
    task = task_page.context["task"]
    assert "看脸谱" in task_page.content.decode()  # reviewers see why the key is right
    where = reverse("assignment", args=[slug, task.pk])
    refused = expert.post(where, {"decision": "pass", "token": "1"})
    assert refused.status_code == 422
    assert "confirm every point" in refused.content.decode()
    accepted = expert.post(where, {**PASS, "token": "2"}, follow=True)
    assert "nothing more for you" in accepted.content.decode()
    assert state_of(made) == "accepted"
    assert "passed" in owner.get(reverse("batch", args=[slug, batch.pk])).content.decode()


def test_a_task_is_for_its_person_alone():
    crew = team(ONE)
    items(crew, 1, "in_review")
    task = take_next(opened(crew, "review"), crew.experts[0])
    where = reverse("assignment", args=[crew.project.slug, task.pk])
    for other in (crew.owner, crew.author, crew.experts[1], crew.adjudicator):
        assert client_of(other).get(where).status_code == 404
        assert client_of(other).post(where, PASS).status_code == 404


def test_rounds_are_for_owners():
    crew = team(ONE)
    items(crew, 1, "in_review")
    batch = opened(crew, "review")
    slug = crew.project.slug
    for other in (crew.author, crew.experts[0], crew.adjudicator, crew.annotators[0]):
        client = client_of(other)
        assert client.get(reverse("batches", args=[slug])).status_code == 403
        assert client.get(reverse("batch", args=[slug, batch.pk])).status_code == 403
        assert client.post(reverse("batch-close", args=[slug, batch.pk])).status_code == 403
    batch.refresh_from_db()
    assert batch.closed_at is None


def test_text_of_an_item_is_shown_as_text():  # AN-17
    crew = team(ONE)
    stem = "<img src=x onerror=alert(1)> 若 a<b 且 c>d，选哪项？"
    made = item(crew.project, crew.author, state="in_review", content=content(stem=stem))
    task = take_next(opened(crew, "review"), crew.experts[0])
    page = client_of(crew.experts[0]).get(reverse("assignment", args=[crew.project.slug, task.pk])).content.decode()
    assert "<img src=x" not in page
    assert "&lt;img src=x onerror=alert(1)&gt; 若 a&lt;b 且 c&gt;d，选哪项？" in page
    assert made.current.content.stem["zh-Hans"] == stem


def test_a_project_without_steps_says_so_when_a_review_is_opened():
    crew = team([])
    items(crew, 1, "in_review")
    told = {"name": "First", "people": 1, "idle_hours": 12}
    page = client_of(crew.owner).post(reverse("batch-new", args=[crew.project.slug, "review"]), told)
    assert page.status_code == 422
    assert "no review steps" in page.content.decode()


def test_the_number_of_tasks_is_that_of_the_steps():
    assert sum(step.get("rounds", 1) for step in STEPS) == 5
    assert Assignment.objects.count() == 0


# Drafts of answers


def typed(client, crew, task, fields, token="t"):
    path = reverse("assignment-draft", args=[crew.project.slug, task.pk])
    return client.post(path, {"token": token, "fields": fields}, content_type="application/json")


def test_a_draft_is_its_writer_s_alone_and_about_the_revision_that_was_seen():
    crew = team(ONE)
    [made] = items(crew, 1, "in_review")
    task = take_next(opened(crew, "review"), crew.experts[0])
    mine, other = client_of(crew.experts[0]), client_of(crew.experts[1])
    fields = {"note": "half a thought", "checklist=right": "on", "checklist=only one": "", "decision": "change"}
    assert typed(mine, crew, task, fields).json()["kept"] is True
    assert typed(other, crew, task, fields).status_code == 404
    where = reverse("assignment", args=[crew.project.slug, task.pk])
    page = mine.get(where).content.decode()
    assert "half a thought" in page
    assert page.count(" checked>") == 2
    revise(crew, made, rationale={"en": "changed"})
    again = take_next(Assignment.objects.get(pk=task.pk).batch, crew.experts[0])
    assert again.revision.number == 2
    assert "half a thought" not in mine.get(where).content.decode()


def test_a_draft_that_comes_after_its_answer_changes_nothing():
    crew = team(ONE)
    items(crew, 1, "in_review")
    task = take_next(opened(crew, "review"), crew.experts[0])
    mine = client_of(crew.experts[0])
    mine.post(reverse("assignment", args=[crew.project.slug, task.pk]), {**PASS, "token": "t"})
    assert typed(mine, crew, task, {"note": "late"}).status_code == 409
    assert Draft.objects.get().body.get("fields") is None


def test_a_draft_of_a_blind_answer_is_kept_until_the_round_is_closed():
    crew = team()
    items(crew, 1)
    batch = opened(crew, "reannotate")
    task = take_next(batch, crew.annotators[0])
    mine = client_of(crew.annotators[0])
    where = reverse("assignment", args=[crew.project.slug, task.pk])
    mine.post(where, {"choice": "1", "confidence": "4", "token": "one"})
    assert typed(mine, crew, task, {"choice": "2", "confidence": "4", "note": "no, "}, "two").status_code == 200
    assert 'value="2" required checked' in mine.get(where).content.decode()
    assert answer_of(task) == {"answer": 1, "problem": "", "confidence": 4, "note": ""}
    close(batch, crew.owner)
    assert typed(mine, crew, task, {"note": "late"}, "two").status_code == 409
