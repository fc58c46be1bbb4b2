"""A project whose items are in one language only."""

import re

from building import client_of, item, person, project
from django.urls import reverse

from keju.studio.drawing import candidates
from keju.studio.models import Batch, Item, Role


def test_an_item_of_a_project_in_one_language_is_saved_although_its_form_offers_no_other(db):
    home = project()
    home.languages = ["zh-Hans"]
    home.save()
    client = client_of(person(home, Role.AUTHOR))
    address = reverse("item-new", args=[home.slug])
    shown = client.get(address, follow=True)
    sent = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', shown.content.decode()))
    sent |= {"count": "4", "key": "1", "locator_seq": "1", "stem_zh-Hans": "图中是哪个行当？"}
    sent |= {f"option_{index}_zh-Hans": text for index, text in enumerate("生旦净丑")}
    client.post(shown.redirect_chain[-1][0], sent)
    assert Item.objects.get(project=home).original_language == "zh-Hans"


def test_nothing_is_reviewed_side_by_side_where_there_is_one_language():
    home = project(languages=["zh-Hans"])
    owner = person(home, Role.OWNER)
    item(home, owner, state="in_review")
    assert not candidates(home, Batch.Kind.EQUIVALENCE, {}).exists()
    assert candidates(home, Batch.Kind.REVIEW, {}).count() == 1
    home.languages = ["zh-Hans", "en"]
    assert candidates(home, Batch.Kind.EQUIVALENCE, {}).count() == 1
