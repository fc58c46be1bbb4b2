"""Blind re-annotation and ratings: the sample, what people see, the figures, what goes to dispute."""

import re
from statistics import stdev

import pytest
from building import client_of, content, item, person
from django.urls import reverse
from pydantic import ValidationError
from sklearn.metrics import cohen_kappa_score
from working import RATED, choose, items, opened, team

from keju.studio import agreeing, rating
from keju.studio.closing import close
from keju.studio.disputing import Ruling, decide
from keju.studio.drawing import Draw, NothingToDraw, draw, freeze, half_width
from keju.studio.models import Dispute, Item, Revision, Role, Term
from keju.studio.policy import Verb, may
from keju.studio.queue import take_next
from keju.studio.reviewing import answer
from keju.studio.saving import Edit, save
from keju.studio.standing import past_of


def figures(batch):
    """Coefficient → value, of the first table."""
    return {str(row["coefficient"]): row["value"] for row in agreeing.tables_of(batch)[0].rows}


def rate(batch, user, given):
    """Answer every task of a rating: item → ratings, else all well."""
    while task := take_next(batch, user):
        answer(task, user, dict(zip(RATED, given.get(task.item_id, (5, 5, 5)), strict=True)))


# The sample


def test_the_sample_is_a_tenth_stratified_reproducible_and_never_its_authors():  # AN-19
    crew = team(annotators=0)
    author = person(crew.project, Role.AUTHOR, Role.ANNOTATOR)
    other = person(crew.project, Role.ANNOTATOR)
    genres = {code: Term.objects.get(project=crew.project, code=code) for code in ("peking", "kunqu")}
    base = item(crew.project, author, state="accepted")
    rows = [
        Item(
            project=crew.project,
            code=f"i{at:04}",
            state="accepted",
            author=author,
            genre=genres["peking" if at % 10 < 7 else "kunqu"],
        )
        for at in range(1000)
    ]
    made = Item.objects.bulk_create(rows)
    for one in made:
        one.current = Revision(item=one, number=1, body=content().model_dump(), sha256="0" * 64, author=author)
    Revision.objects.bulk_create([one.current for one in made])
    Item.objects.bulk_update(made, ["current"])
    Item.objects.filter(pk=base.pk).update(state="draft")
    wanted = Draw("reannotate", "tenth", size=100, stratify=("genre",), seed=5)
    drawn = draw(crew.project, wanted)
    assert len(drawn) == 100
    assert [one.code for one in drawn] == [one.code for one in draw(crew.project, wanted)]
    assert sum(one.genre_id == genres["peking"].pk for one in drawn) == 70
    assert [one.code for one in drawn] != sorted(one.code for one in drawn)
    batch = freeze(crew.project, crew.owner, wanted)
    assert take_next(batch, author) is None
    assert take_next(batch, other) is not None


def test_a_sample_is_frozen_whatever_comes_after():  # pitfall 21
    crew = team()
    items(crew, 8)
    batch = opened(crew, "reannotate", size=4, seed=3)
    frozen = list(batch.targets)
    items(crew, 8)
    choose(batch, crew.annotators[0], dict.fromkeys(frozen, 3))
    close(batch, crew.owner)
    close(batch, crew.owner)
    batch.refresh_from_db()
    assert batch.targets == frozen
    assert set(batch.assignments.values_list("item", flat=True)) == set(frozen)
    others = [one for one in Item.objects.filter(pk__in=frozen) if one.current.content.key != 3]
    assert {one.item for one in Dispute.objects.all()} == set(others)


def test_too_small_a_pool_is_said_and_nothing_is_drawn():
    crew = team()
    items(crew, 2)
    with pytest.raises(NothingToDraw):
        opened(crew, "reannotate", size=3)
    assert crew.project.batches.count() == 0


def test_the_reserve_and_what_is_not_accepted_are_never_sampled():
    crew = team()
    [good] = items(crew, 1)
    items(crew, 1, reserve=True)
    items(crew, 1, "in_review")
    assert draw(crew.project, Draw("reannotate", "x")) == [good]


def test_a_rating_takes_the_very_items_of_the_re_annotation():
    crew = team()
    items(crew, 9)
    first = opened(crew, "reannotate", size=4, seed=2)
    second = opened(crew, "rate", query={"batch": first.pk}, people=3)
    assert set(second.targets) == set(first.targets)


def test_the_sureness_of_kappa_is_that_of_the_simulation():
    assert [round(half_width(n), 3) for n in (50, 100, 200, 300)] == [0.11, 0.078, 0.055, 0.045]


# Blindness


@pytest.mark.parametrize("kind", ["reannotate", "rate"])
def test_a_blind_page_is_the_same_byte_for_byte_whatever_the_key(kind):
    crew = team()
    [made] = items(crew, 1)
    made.code = "C-answer-B"
    made.save()
    task = take_next(opened(crew, kind), crew.annotators[0])
    client = client_of(crew.annotators[0])
    pages = set()
    for key in range(4):
        body = content(key, stem="这是什么行当？")
        for at, option in enumerate(body.options):
            option.strategy = None if at == key else f"strategy-{key}"
        Revision.objects.filter(pk=task.revision_id).update(
            body=body.model_copy(update={"rationale": {"en": f"because {key}"}}).model_dump()
        )
        page = client.get(reverse("assignment", args=[crew.project.slug, task.pk])).content.decode()
        page = re.sub(r'(csrfmiddlewaretoken" value=|name="token" value=|"x-csrftoken": )"[^"]+"', "", page)
        pages.add(page)
    assert len(pages) == 1
    [page] = pages
    for secret in ("because", "strategy-", "C-answer-B", "still-", "看脸谱"):
        assert secret not in page


def test_who_had_anything_to_do_with_an_item_does_not_re_annotate_it():
    crew = team([{"name": "expert", "verb": "review expert"}], experts=0, annotators=0)
    both = person(crew.project, Role.EXPERT, Role.ANNOTATOR)
    [made] = items(crew, 1, "in_review")
    answer(take_next(opened(crew, "review"), both), both, {"decision": "pass"})
    assert Item.objects.get(pk=made.pk).state == "accepted"
    batch = opened(crew, "reannotate")
    assert take_next(batch, both) is None
    assert take_next(batch, person(crew.project, Role.ANNOTATOR)) is not None


def test_key_and_answers_stay_hidden_until_the_round_is_closed():
    crew = team()
    [made] = items(crew, 1)
    batch = opened(crew, "reannotate")
    choose(batch, crew.annotators[0], {made.pk: 2})
    assert not Dispute.objects.exists()
    assert not may(Verb.SEE_KEY, {Role.ANNOTATOR, Role.OWNER}, past_of(crew.annotators[0], made))
    page = client_of(crew.owner).get(reverse("batch", args=[crew.project.slug, batch.pk]))
    assert page.context["tables"] == []
    close(batch, crew.owner)
    page = client_of(crew.owner).get(reverse("batch", args=[crew.project.slug, batch.pk]))
    assert "Cohen" in page.content.decode()
    assert may(Verb.SEE_KEY, {Role.ANNOTATOR}, past_of(crew.annotators[0], made))  # a party to the dispute now


def test_the_answer_is_kept_as_the_index_of_the_stored_order():
    crew = team()
    items(crew, 1)
    task = take_next(opened(crew, "reannotate"), crew.annotators[0])
    where = reverse("assignment", args=[crew.project.slug, task.pk])
    client_of(crew.annotators[0]).post(where, {"choice": "2", "confidence": "4", "token": "k"})
    assert task.responses.get().data == {"answer": 2, "problem": "", "confidence": 4, "note": ""}


@pytest.mark.parametrize(
    "data",
    [
        {"answer": 4, "confidence": 3},  # four options: 0 to 3
        {"answer": -1, "confidence": 3},
        {"answer": 1},
        {"answer": 1, "confidence": 6},
        {"answer": 1, "problem": "cannot be answered", "confidence": 3},
        {"answer": None},
        {"answer": 1, "confidence": 3, "extra": 1},
    ],
)
def test_an_answer_that_is_none_is_refused(data):
    crew = team()
    items(crew, 1)
    task = take_next(opened(crew, "reannotate"), crew.annotators[0])
    with pytest.raises(ValidationError):
        answer(task, crew.annotators[0], data)
    assert task.responses.count() == 0


# Agreement


def test_kappa_is_that_of_the_oracle_with_raw_agreement_beside_it():
    crew = team()
    made = items(crew, 20)
    batch = opened(crew, "reannotate")
    wrong = {made[at].pk: (made[at].current.content.key + 1) % 4 for at in (0, 5, 7)}
    choose(batch, crew.annotators[0], wrong)
    keys = [one.current.content.key for one in made]
    given = [wrong.get(one.pk, one.current.content.key) for one in made]
    found = figures(batch)
    assert found["Raw agreement (Po)"] == pytest.approx(17 / 20)
    assert found["Cohen's kappa"] == pytest.approx(cohen_kappa_score(keys, given))
    [table] = agreeing.tables_of(batch)
    kappa = next(row for row in table.rows if row["coefficient"] == "Cohen's kappa")
    assert kappa["low"] < kappa["value"] < kappa["high"] <= 1
    assert kappa["items"] == 20


def test_unanimous_answers_are_told_in_words_not_as_nan():  # pitfall 7
    crew = team()
    for _ in range(6):
        item(crew.project, crew.author, state="accepted", key=1)
    batch = opened(crew, "reannotate")
    choose(batch, crew.annotators[0], {})
    close(batch, crew.owner)
    found = figures(batch)
    assert found["Raw agreement (Po)"] == 1
    assert found["Cohen's kappa"] is None
    page = client_of(crew.owner).get(reverse("batch", args=[crew.project.slug, batch.pk])).content.decode()
    assert "undefined: no variance" in page
    assert "nan" not in re.sub(r"<[^>]+>", "", page).lower().split()


def test_agreement_is_on_options_not_on_letters():  # pitfall 8
    crew = team()
    made = items(crew, 4)
    batch = opened(crew, "reannotate")
    choose(batch, crew.annotators[0], {})
    for one in made:  # afterwards the author turns the options round; the same text is right
        one.refresh_from_db()
        body = one.current.content
        turned = body.model_copy(update={"options": body.options[::-1], "key": 3 - body.key})
        save(one, crew.author, Edit(turned, one.image), base_version=one.version)
    assert figures(batch)["Raw agreement (Po)"] == 1
    assert close(batch, crew.owner) == 0


def test_three_and_four_options_are_judged_by_chance_item_by_item():  # pitfall 9
    crew = team()
    four = items(crew, 6)
    three = [item(crew.project, crew.author, state="accepted", content=content(at % 3, options=3)) for at in range(6)]
    batch = opened(crew, "reannotate")
    choose(batch, crew.annotators[0], {four[0].pk: 3, three[0].pk: 2})
    [table] = agreeing.tables_of(batch)
    marked = [row for row in table.rows if row.get("use")]
    assert [str(row["coefficient"]) for row in marked] == ["Brennan-Prediger kappa"]
    chance = (6 / 3 + 6 / 4) / 12
    assert marked[0]["value"] == pytest.approx((10 / 12 - chance) / (1 - chance))
    assert any("different numbers of options" in note for note in table.notes)


def test_who_cannot_answer_gives_no_label_and_is_counted_and_disputed():  # AN-15
    crew = team()
    made = items(crew, 3)
    batch = opened(crew, "reannotate")
    choose(batch, crew.annotators[0], {made[1].pk: "cannot be answered", made[2].pk: 0})
    [table] = agreeing.tables_of(batch)
    assert table.rows[0]["items"] == 2
    assert table.rows[0]["value"] == 0.5
    assert any("name a problem instead of an option: 1" in note for note in table.notes)
    close(batch, crew.owner)
    assert {one.item_id for one in Dispute.objects.all()} == {made[1].pk, made[2].pk}


def test_neither_owner_nor_adjudicator_is_counted_as_a_rater():  # pitfall 6
    crew = team()
    made = items(crew, 8)
    batch = opened(crew, "reannotate")
    choose(batch, crew.annotators[0], {made[0].pk: 1, made[1].pk: 2})
    close(batch, crew.owner)
    before = [table.rows for table in agreeing.tables_of(batch)]
    for dispute in Dispute.objects.all():
        category, evidence = (
            Term.objects.get(project=crew.project, kind=k, code="one") for k in ("dispute_category", "evidence")
        )
        ruling = Ruling("change_key", category, evidence, "seen", dispute.participants, key=3)
        decide(dispute, crew.adjudicator, ruling)
    assert [table.rows for table in agreeing.tables_of(batch)] == before
    assert not batch.assignments.filter(user__in=[crew.owner, crew.adjudicator]).exists()
    for outsider in (crew.owner, crew.adjudicator):
        assert take_next(opened(crew, "rate"), outsider) is None


def test_several_re_annotators_of_an_item_are_compared_with_the_key_and_each_other():
    crew = team()
    made = items(crew, 8)
    batch = opened(crew, "reannotate", people=2)
    choose(batch, crew.annotators[0], {made[0].pk: 2})
    choose(batch, crew.annotators[1], {})
    [table] = agreeing.tables_of(batch)
    assert [str(row["coefficient"]) for row in table.rows if row.get("use")] == ["Fleiss' kappa"]
    assert table.rows[0]["value"] == pytest.approx((7 + 1 / 3) / 8)


def test_agreement_is_told_for_each_label_that_the_draw_kept():
    crew = team()
    genre = Term.objects.get(project=crew.project, code="kunqu")
    items(crew, 4, genre=genre)
    items(crew, 4)
    batch = opened(crew, "reannotate", stratify=("genre",))
    choose(batch, crew.annotators[0], {})
    _, by_genre = agreeing.tables_of(batch)
    assert sorted((row["value_of"] or "", row["items"]) for row in by_genre.rows) == [("", 4), ("Kunqu", 4)]
    assert (by_genre.title_zh, by_genre.columns[0].title_zh) == ("一致性：按剧种", "剧种")


# Ratings


def rated(crew, table):
    """A rating of so many items as `table` has rows, by as many people as it has columns, on clarity."""
    made = items(crew, len(table))
    batch = opened(crew, "rate", people=len(table[0]))
    for column, user in enumerate(crew.annotators[: len(table[0])]):
        rate(batch, user, {one.pk: (row[column], 5, 5) for one, row in zip(made, table, strict=True)})
    return made, batch


def test_the_icc_is_that_of_the_mean_squares_and_named_in_full():
    # Shrout & Fleiss 1979: the forms by their mean squares, computed here from scratch.
    crew = team()
    table = [[4, 5, 5], [2, 3, 3], [5, 5, 4], [3, 3, 2]]
    _, batch = rated(crew, table)
    n, k = 4, 3
    mean = sum(map(sum, table)) / 12
    items_ = k * sum((sum(row) / k - mean) ** 2 for row in table) / (n - 1)
    raters = n * sum((sum(row[j] for row in table) / n - mean) ** 2 for j in range(k)) / (k - 1)
    total = sum((x - mean) ** 2 for row in table for x in row)
    error = (total - items_ * (n - 1) - raters * (k - 1)) / ((n - 1) * (k - 1))
    summary, *behind = rating.tables_of(batch)
    clarity = summary.rows[0]
    assert [column.title for column in summary.columns][4:8:3] == ["ICC(2,1)", "ICC(2,k)"]
    assert clarity["single_low"] < clarity["single"] < clarity["single_high"]
    assert clarity["single"] == pytest.approx((items_ - error) / (items_ + 2 * error + 3 * (raters - error) / 4))
    assert clarity["average"] == pytest.approx((items_ - error) / (items_ + (raters - error) / 4))
    assert clarity["sd"] == pytest.approx(stdev([x for row in table for x in row]))
    forms = next(table for table in behind if table.name == "icc_clarity")
    assert {row["form"] for row in forms.rows} == {f"ICC({a},{b})" for a in "123" for b in "1k"}
    assert all(row["low"] is not None for row in forms.rows if row["form"] == "ICC(2,1)")


def test_a_missing_rating_is_missing_and_not_nil():  # AN-21
    crew = team(annotators=4)
    made = items(crew, 2)
    batch = opened(crew, "rate", people=4)
    for user, value in zip(crew.annotators, (5, 4, None, 5), strict=True):
        if value:
            rate(batch, user, {made[0].pk: (value, 5, 5), made[1].pk: (value, 5, 5)})
    clarity = rating.tables_of(batch)[0].rows[0]
    assert clarity["n"] == 6
    assert clarity["mean"] == pytest.approx(4.6667, abs=1e-4)
    one = [5, 4, 5]
    assert stdev(one) == pytest.approx(0.57735, abs=1e-4)
    assert clarity["sd"] == pytest.approx(stdev(one * 2))


@pytest.mark.parametrize(
    ("given", "low"),
    [
        ([4, 4, 4], False),
        ([3, 4, 4], False),  # mean 3.67
        ([3, 3, 4], True),  # mean 3.33
        ([5, 5, 2], True),
        ([5, 4, 3], True),  # two points apart
        ([5, 4, 4], False),
    ],
)
def test_low_or_scattered_ratings_go_to_dispute(given, low):
    crew = team()
    made, batch = rated(crew, [given, [5, 5, 5]])
    assert close(batch, crew.owner) == int(low)
    if low:
        dispute = Dispute.objects.get()
        assert (dispute.item, dispute.cause) == (made[0], "rating")
        assert set(dispute.participants) == {crew.author.pk, *(user.pk for user in crew.annotators)}


def test_at_the_ceiling_the_share_of_equal_ratings_is_pointed_to():  # pitfall 10
    crew = team()
    _, batch = rated(crew, [[5, 5, 5]] * 9 + [[5, 5, 4]])
    summary, *_ = rating.tables_of(batch)
    clarity, plausibility, _ = summary.rows
    assert clarity["identical"] == 0.9
    assert clarity["average"] < 0.5  # and yet they agree
    assert plausibility["average"] is None  # all 5
    assert any("ceiling" in note for note in summary.notes)
    close(batch, crew.owner)
    page = client_of(crew.owner).get(reverse("batch", args=[crew.project.slug, batch.pk])).content.decode()
    assert "90.0" in page
    assert "nan" not in re.sub(r"<[^>]+>", "", page).lower().split()


def test_where_raters_differ_by_item_only_the_one_way_form_is_given():
    crew = team(annotators=4)
    made = items(crew, 6)
    batch = opened(crew, "rate", people=2, persons=crew.annotators)
    for user in crew.annotators:
        rate(batch, user, {one.pk: (4 + at % 2, 5, 5) for at, one in enumerate(made)})
    assert not rating.same_raters(rating.ratings_of(batch))
    summary, forms, *_ = rating.tables_of(batch)
    assert [column.title for column in summary.columns][4:8:3] == ["ICC(1,1)", "ICC(1,k)"]
    assert {row["form"] for row in forms.rows} == {"ICC(1,1)", "ICC(1,k)"}


def test_one_rating_each_makes_no_figures():
    crew = team()
    _, batch = rated(crew, [[5], [4]])
    assert rating.tables_of(batch) == []
    close(batch, crew.owner)
    page = client_of(crew.owner).get(reverse("batch", args=[crew.project.slug, batch.pk])).content.decode()
    assert "Too few answers" in page


def test_an_item_in_dispute_already_gets_the_second_one_beside_it():
    crew = team()
    [made] = items(crew, 1)
    first, second = opened(crew, "reannotate"), opened(crew, "rate", people=3)
    choose(first, crew.annotators[0], {made.pk: 3})
    for user in (person(crew.project, Role.ANNOTATOR) for _ in range(3)):
        rate(second, user, {made.pk: (2, 2, 2)})
    close(first, crew.owner)
    close(second, crew.owner)
    assert sorted(Dispute.objects.filter(item=made).values_list("cause", flat=True)) == ["label", "rating"]


def test_an_answer_counts_for_the_revision_that_was_seen_and_opens_no_dispute_over_another():  # pitfall 12
    crew = team()
    [made] = items(crew, 1)
    batch = opened(crew, "reannotate")
    task = take_next(batch, crew.annotators[0])
    save(made, crew.author, Edit(content(2), made.image), base_version=made.version)
    answer(task, crew.annotators[0], {"answer": 2, "confidence": 5})
    assert figures(batch)["Raw agreement (Po)"] == 0  # of revision 1 the first option is right
    assert close(batch, crew.owner) == 0
