"""Ids made from the project's template."""

import pytest
from building import item, person, project

from keju.studio.models import Role
from keju.studio.numbering import BadTemplate, code_of, fields_of, next_place

MULTI_TW = "{volume:02}-{section}-{level}-P{part}-{question:03}"
PLACE = {"volume": 1, "section": "L", "level": "A", "part": 1, "question": 7}


def test_an_id_is_made_of_its_parts():
    assert code_of("{seq:04}", {"seq": "12"}) == "0012"
    assert code_of(MULTI_TW, PLACE) == "01-L-A-P1-007"
    assert code_of("{seq:03}.zh", {"seq": 5}) == "005.zh"


@pytest.mark.parametrize("locator", [{}, {**PLACE, "volume": ""}, {**PLACE, "question": "x"}])
def test_a_part_that_is_missing_makes_no_id(locator):
    assert code_of(MULTI_TW, locator) is None


@pytest.mark.parametrize(
    "template", ["", "fixed", "{0}", "{seq.__class__}", "{seq!r}", "{seq:>{width}}", "{seq", "{a[0]}"]
)
def test_a_template_holds_simple_fields_only(template):
    with pytest.raises(BadTemplate):
        fields_of(template)


def test_the_next_number_follows_the_last_of_its_place_and_fills_no_gap():
    home = project(id_template=MULTI_TW)
    author = person(home, Role.AUTHOR)
    for part, question, state in ((1, 1, "draft"), (1, 5, "excluded"), (2, 9, "draft")):
        place = {**PLACE, "part": part, "question": question}
        item(home, author, code=code_of(MULTI_TW, place), locator=place, state=state)
    assert next_place(home, PLACE) == {**PLACE, "question": 6}
    assert next_place(home, {**PLACE, "part": 2})["question"] == 10
    assert next_place(home, {**PLACE, "part": 3})["question"] == 1


def test_a_number_that_an_imported_item_has_is_passed_over():
    home = project()
    item(home, person(home, Role.AUTHOR), code="0001")
    assert next_place(home, {}) == {"seq": 2}
