"""The log: who sees it, what filters it, and that nothing in it can be changed unseen."""

import ast
import hashlib
import json
from pathlib import Path

import pytest
from building import client_of, item, person, project
from django.urls import reverse

import keju.studio
from keju.studio import deeds, workflow
from keju.studio.journal import record
from keju.studio.models import Event, Role


@pytest.fixture
def home():
    made = project()
    author = person(made, Role.AUTHOR, name="lin")
    for code in ("0001", "0002", "0003"):
        item(made, author, code=code)
    return made


@pytest.fixture
def client(home):
    return client_of(person(home, Role.OWNER, name="owner"))


def page(client, home, **asked):
    return client.get(reverse("audit", args=[home.slug]), asked).content.decode()


def rows(text):
    return text.count('<td class="figure">')


def test_a_log_as_it_was_written_is_verified(client, home):
    assert "all deeds are as they were written" in page(client, home, verify=1)


@pytest.mark.parametrize(
    "change",
    [
        {"verb": "other"},
        {"object": "item:9999"},
        {"data": {"reason": "another"}},
        {"actor": None},
        {"previous": "0" * 64},
        {"at": "2020-01-01T00:00:00Z"},
    ],
)
def test_a_row_that_was_changed_is_found_and_marked(client, home, change):
    Event.objects.filter(project=home, seq=2).update(**change)
    text = page(client, home, verify=1)
    assert "Deed 2 is not as it was written" in text
    assert text.count('class="broken"') == 1


def test_a_row_that_was_taken_out_or_whose_digest_was_made_anew_is_found(client, home):
    changed = Event.objects.get(project=home, seq=2)
    changed.verb, changed.hash = "other", hashlib.sha256(b"forged").hexdigest()
    changed.save()
    assert "Deed 2 is not" in page(client, home, verify=1)
    changed.delete()
    assert "Deed 2 is not" in page(client, home, verify=1)


def test_another_projects_events_are_no_part_of_the_chain(client, home):
    other = project()
    record(other, None, "create", "item:9999")
    record(home, None, "note", "item:0001")
    text = page(client, home, verify=1)
    assert "all deeds are as they were written" in text
    assert "item:9999" not in text


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"verb": "create"}, 3),
        ({"verb": "withdraw"}, 4),  # no deed of this log: nothing is filtered, and the form says why
        ({"about": "0002"}, 1),
        ({"about": "  ITEM:0002 "}, 1),
        ({"since": "2999-01-01"}, 0),
        ({"until": "2999-01-01"}, 4),
        ({"since": "no day"}, 4),
        ({"page": "99"}, 4),
    ],
)
def test_the_log_is_filtered_by_deed_and_day(client, home, asked, found):
    record(home, None, "note", "item:0001")
    assert rows(page(client, home, **asked)) == found


def test_the_log_is_filtered_by_person(client, home):
    record(home, None, "note", "item:0001")
    author = Event.objects.get(project=home, seq=1).actor
    assert rows(page(client, home, person=author.pk)) == 3


def test_the_export_holds_all_that_the_digests_are_made_of(client, home):
    """A reader with nothing but the file and a sha256 finds the same chain."""
    sent = client.get(reverse("audit-export", args=[home.slug]))
    told = [json.loads(line) for line in b"".join(sent.streaming_content).decode().splitlines()]
    previous = "0" * 64
    for event in told:
        content = [event[name] for name in ("project", "seq", "at", "actor", "verb", "object", "data")]
        text = json.dumps([*content, previous], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        assert event["hash"] == hashlib.sha256(text.encode()).hexdigest()
        previous = event["hash"]
    assert [event["seq"] for event in told] == [1, 2, 3]
    assert told[0]["person"].startswith("annotator-")


@pytest.mark.parametrize("name", ["audit", "audit-export"])
@pytest.mark.parametrize("role", [role for role in Role if role is not Role.OWNER])
def test_the_log_is_the_owners(home, role, name):
    client = client_of(person(home, role))
    assert client.get(reverse(name, args=[home.slug])).status_code == 403
    assert client_of(person(None)).get(reverse(name, args=[home.slug])).status_code == 404


def test_what_the_log_says_is_text(client, home):
    record(home, None, "note", "item:<script>alert(1)</script>", note="<b>bold</b>", codes=["a", "<i>"])
    text = page(client, home)
    assert "<script>alert" not in text
    assert "<b>bold" not in text
    assert "a, &lt;i&gt;" in text


# In the reader's words


STUDIO = Path(keju.studio.__file__).parent


def recorded():
    """(verb, names of details) of every `record(…)` in the code."""
    for path in STUDIO.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "record":
                yield node.args[2], [word.arg for word in node.keywords if word.arg]


def test_every_verb_that_is_recorded_and_all_its_details_have_names():
    verbs, names = set(workflow.MOVES), set()
    for verb, details in recorded():
        names |= set(details)
        for one in ast.walk(verb):
            if isinstance(one, ast.Constant) and isinstance(one.value, str):
                verbs.add(one.value)
    verbs.discard("screened ")  # with the outcome behind it
    assert len(verbs) > 40
    assert verbs - set(deeds.VERBS) == set()
    assert names - set(deeds.DETAILS) == {"sha256"}


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ["began an item", "item 0001", "changed roles or pseudonym", "domain expert"]),
        ("zh-Hans", ["新建题目", "题目 0001", "修改了角色或化名", "领域专家"]),
        ("zh-Hant", ["新建題目", "題目 0001", "修改了角色或化名", "領域專家"]),
    ],
)
def test_deeds_are_told_in_the_reader_s_language_and_kept_as_codes(client, home, language, words):
    record(home, None, "member", "user:1", roles=["expert"])
    text = client.get(reverse("audit", args=[home.slug]), headers={"accept-language": language}).content.decode()
    for word in words:
        assert word in text
    assert '<option value="create">' in text
    exported = b"".join(client.get(reverse("audit-export", args=[home.slug])).streaming_content).decode()
    assert '"verb": "member"' in exported
    assert '"roles": ["expert"]' in exported


def test_a_deed_of_an_older_version_is_shown_by_its_code(client, home):
    record(home, None, "juggle", "ball:3", colour="red")
    text = page(client, home)
    assert "juggle" in text
    assert "ball 3" in text
    assert "colour: red" in text
