"""Saving: revisions, conflicts, restoring, the chain of events."""

import pytest
from building import item, person, project

from keju.studio.journal import first_broken
from keju.studio.models import Event, Role
from keju.studio.saving import Conflict, Edit, save


def edit(made, **changes):
    return Edit(made.current.content.model_copy(update=changes), made.image, made.audio)


def test_a_save_that_began_from_an_older_version_is_refused_and_overwrites_nothing():
    home = project()
    first, second = person(home, Role.AUTHOR), person(home, Role.EXPERT)
    made = item(home, first)
    save(made, second, edit(made, stem={"zh-Hans": "甲"}), base_version=made.version)
    with pytest.raises(Conflict) as conflict:
        save(made, first, edit(made, stem={"zh-Hans": "乙"}), base_version=made.version)
    assert conflict.value.theirs.content.stem == {"zh-Hans": "甲"}
    made.refresh_from_db()
    assert made.current.content.stem == {"zh-Hans": "甲"}
    assert made.revisions.count() == 2


def test_saving_the_same_again_makes_no_revision():
    home = project()
    author = person(home, Role.AUTHOR)
    made = item(home, author)
    save(made, author, edit(made), base_version=made.version)
    assert made.revisions.count() == 1


def test_the_journal_shows_which_row_was_changed():
    home = project()
    author = person(home, Role.AUTHOR)
    for _ in range(3):
        item(home, author)
    assert first_broken(home) is None
    Event.objects.filter(project=home, seq=2).update(verb="other")
    assert first_broken(home) == 2


def test_the_journal_shows_a_row_that_was_taken_out():
    home = project()
    author = person(home, Role.AUTHOR)
    for _ in range(3):
        item(home, author)
    Event.objects.filter(project=home, seq=2).delete()
    assert first_broken(home) == 2
