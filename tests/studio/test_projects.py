"""Projects, people, vocabulary, sources."""

from __future__ import annotations

import pytest
from building import client_of, person, project
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import translation

from keju.studio.founding import found
from keju.studio.journal import first_broken
from keju.studio.models import Batch, Event, Finding, Membership, Project, Role, SignInLink, Source, Term
from keju.studio.points import Point
from keju.studio.signing_in import new_person
from keju.studio.standing import settings_of
from keju.studio.store import place


@pytest.fixture
def admin():
    user = new_person("root", kind="owner")
    user.is_superuser = True
    user.save()
    return user


@pytest.fixture
def home(admin):
    return found("opera", "戏曲题库", "tco", admin)


@pytest.fixture
def owner(home, admin):
    return client_of(admin)


# Founding


def test_the_administrator_founds_a_project_and_owns_it(admin):
    answer = client_of(admin).post("/new-project", {"title": "戏曲", "slug": "opera", "profile": "tco"})
    assert answer["Location"] == "/projects/opera/"
    made = Project.objects.get(slug="opera")
    assert Membership.objects.get(project=made).roles == [Role.OWNER]
    assert client_of(admin).get("/projects/opera/").status_code == 200
    anyone = client_of(person(None))
    assert anyone.post("/new-project", {"title": "x", "slug": "x", "profile": "tco"}).status_code == 403


@pytest.mark.parametrize("profile", Project.Profile.values)
def test_every_profile_gives_words_in_three_languages_steps_and_criteria(admin, profile):
    made = found(profile, profile, profile, admin)
    settings = settings_of(made)
    assert all(set(term.label) == {"en", "zh-hans", "zh-hant"} for term in made.terms.all())
    assert settings.steps
    assert all(step.checklist for step in settings.steps)
    assert settings.include_if
    assert settings.exclude_if
    assert client_of(admin).get(f"/projects/{profile}/settings").status_code == 200


def test_the_papers_way_of_working_is_in_their_profiles(admin):
    tco, twin = settings_of(found("a", "a", "tco", admin)), settings_of(found("b", "b", "multi-tw", admin))
    assert [(step.verb, step.rounds) for step in tco.steps] == [
        ("review expert", 3),
        ("review linguistic", 1),
        ("review formatting", 1),
    ]
    assert (tco.votes, tco.min_options, tco.max_options, len(tco.include_if), len(tco.exclude_if)) == (8, 4, 4, 6, 3)
    assert [step.name for step in twin.steps] == ["completeness", "files", "answer", "final"]
    assert (twin.min_options, twin.max_options) == (3, 4)
    assert Term.objects.filter(project__slug="b", kind="instruction").count() == 7
    assert Term.objects.filter(project__slug="a", kind="genre").count() == 8
    types = Term.objects.filter(project__slug="a", kind="question_type").select_related("parent")
    assert sorted(term.code for term in types if term.parent.code == "image") == ["genre", "prop", "role"]
    assert types.count() == 8


@pytest.mark.parametrize(
    ("language", "words", "step"),
    [("zh-hant", "臉譜", "專家審核"), ("zh-hans", "脸谱", "专家审核"), ("en", "Make-up", "Experts")],
)
def test_checklists_are_read_in_the_reader_s_language_whatever_the_founder_s(admin, language, words, step):
    with translation.override("en"):
        settings = settings_of(found("c", "c", "tco", admin))
    with translation.override(language):
        assert words in "".join(map(str, settings.include_if))
        assert words in "".join(map(str, settings.steps[0].checklist))
        assert settings.step("expert") == step
        assert settings.step("one that was taken out") == "one that was taken out"


def test_a_text_without_its_language_is_read_as_it_is_and_simplified_in_traditional():
    for text, language, read in (
        ("脸谱清楚", "zh-hant", "臉譜清楚"),
        ("臉譜清楚", "zh-hans", "臉譜清楚"),
        ("Sharp", "zh-hant", "Sharp"),
    ):
        with translation.override(language):
            assert str(Point.model_validate(text)) == read


def test_checklists_of_before_keep_their_answers_and_gain_the_other_languages(home):
    """The migration: texts become points whose codes are the texts; those of a profile come in all three."""
    from importlib import import_module

    from django.apps import apps

    texts = ["脸谱、服饰、身段与行当、年代对应正确", "我们自己的一条"]
    home.settings = {
        "include_if": ["Focus and colours are true"],
        "steps": [{"name": "expert", "verb": "review expert", "rounds": 3, "checklist": texts}],
    }
    home.save()
    round_ = Batch.objects.create(
        project=home,
        kind="screen",
        name="r",
        created_by=home.memberships.get().user,
        policy={"rule": "majority", "include_if": [], "exclude_if": ["服飾不完整"]},
    )
    import_module("keju.studio.migrations.0002_checklists").to_points(apps, None)
    home.refresh_from_db()
    round_.refresh_from_db()
    settings = settings_of(home)
    assert [point.code for point in settings.steps[0].checklist] == texts
    with translation.override("en"):
        assert (
            str(settings.steps[0].checklist[0]) == "Make-up, costume and gestures are tied to the right role and time"
        )
        assert str(settings.steps[0].checklist[1]) == "我们自己的一条"
        assert str(settings.steps[0]) == "Experts"
        assert round_.policy["exclude_if"][0]["label"]["en"] == "Part of the costume is missing"
    with translation.override("zh-hant"):
        assert str(settings.steps[0].checklist[1]) == "我們自己的一條"
        assert str(settings.include_if[0]) == "對焦清晰、色彩真實"


def test_the_wording_of_a_point_changes_and_its_code_stays(home, owner):
    told = fields(owner, "/projects/opera/settings")
    code = told["steps-0-checklist-0-code"]
    told |= {"steps-0-checklist-0-en": "Really right", "steps-0-checklist-1-en": "", "steps-0-checklist-1-zh-hans": ""}
    told |= {
        "steps-0-checklist-1-zh-hant": "",
        "include_if-6-zh-hant": "沒有浮水印",
        "steps-0-label-0-zh-hans": "专家三轮",
    }
    owner.post("/projects/opera/settings", told)
    home.refresh_from_db()
    settings = settings_of(home)
    assert (settings.steps[0].checklist[0].code, settings.steps[0].checklist[0].label["en"]) == (code, "Really right")
    assert len(settings.steps[0].checklist) == 3
    assert settings.include_if[-1] == Point(code="沒有浮水印", label={"zh-hant": "沒有浮水印"})
    assert settings.steps[0].label["zh-hans"] == "专家三轮"
    page = owner.get("/projects/opera/settings", headers={"accept-language": "zh-hans"}).content.decode()
    assert "专家三轮 × 3: 正确答案无误" in page
    assert "{&#x27;code" not in page


# Settings


def fields(client, path: str) -> dict[str, str]:
    """What the page's form would send as it stands."""
    from html.parser import HTMLParser

    class Reader(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.told: dict[str, str] = {}
            self.area = self.choice = None

        def handle_starttag(self, tag, attrs):
            named = dict(attrs)
            if tag == "input" and named.get("name"):
                if named.get("type") != "checkbox":
                    self.told[named["name"]] = named.get("value") or ""
                elif "checked" in named:
                    self.told[named["name"]] = named.get("value") or "on"
            if tag == "textarea":
                self.area = named["name"]
                self.told[self.area] = ""
            if tag == "select":
                self.choice = named.get("name")
            if tag == "option" and self.choice and ("selected" in named or self.choice not in self.told):
                self.told[self.choice] = named["value"]

        def handle_endtag(self, tag):
            self.area = None if tag == "textarea" else self.area

        def handle_data(self, data):
            if self.area:
                self.told[self.area] += data

    reader = Reader()
    reader.feed(client.get(path).content.decode())
    return reader.told


def test_settings_saved_as_they_stand_change_nothing(home, owner):
    before = settings_of(home)
    assert owner.post("/projects/opera/settings", fields(owner, "/projects/opera/settings")).status_code == 302
    home.refresh_from_db()
    assert settings_of(home) == before


def test_a_change_of_settings_is_kept_shown_in_the_history_and_on_record(home, owner):
    told = fields(owner, "/projects/opera/settings")
    told |= {"votes": "5", "I101-long": "1920", "languages": "zh-Hant, en", "single_user": "on"}
    told |= {"steps-3-name": "second-look", "steps-3-verb": "review expert", "steps-3-rounds": "2"}
    told |= {"steps-3-checklist-0-zh-hans": "甲", "steps-3-checklist-1-en": " B ", "steps-1-ORDER": "9"}
    assert owner.post("/projects/opera/settings", told).status_code == 302
    home.refresh_from_db()
    settings = settings_of(home)
    assert (settings.votes, settings.single_user, home.languages) == (5, True, ["zh-Hant", "en"])
    assert settings.thresholds == {"I101": {"long": 1920.0}}
    assert [step.name for step in settings.steps] == ["expert", "formatting", "linguistic", "second-look"]
    assert [point.code for point in settings.steps[-1].checklist] == ["甲", "B"]
    page = owner.get("/projects/opera/settings").content.decode()
    assert "<td>Screeners for each picture or clip</td>" in page
    event = Event.objects.get(project=home, verb="settings")
    assert {"votes", "thresholds", "steps", "languages", "single_user"} <= set(event.data["changed"])
    assert first_broken(home) is None


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"id_template": "{seq.__class__}"}, "is not a field"),
        ({"id_template": "items"}, "no field"),
        ({"languages": "Chinese!"}, "no language tag"),
        ({"min_options": "5", "max_options": "3"}, "cannot be fewer"),
        ({"reannotated_share": "7"}, "less than or equal to 1"),
        ({"steps-1-name": "expert"}, "same name"),
        ({"include_if-6-en": "Two", "include_if-7-en": "Two"}, "points are the same"),
        ({"include_if-6-en": "x" * 201}, "at most 200 characters"),
    ],
)
def test_settings_that_cannot_be_are_refused_beside_their_field(home, owner, changed, words):
    told = fields(owner, "/projects/opera/settings") | changed
    answer = owner.post("/projects/opera/settings", told)
    assert answer.status_code == 422
    assert words in answer.content.decode()
    before = home.settings
    home.refresh_from_db()
    assert home.settings == before


def test_a_step_is_taken_out(home, owner):
    told = fields(owner, "/projects/opera/settings") | {"steps-0-DELETE": "on"}
    owner.post("/projects/opera/settings", told)
    home.refresh_from_db()
    assert [step.name for step in settings_of(home).steps] == ["linguistic", "formatting"]


# People


def invite(client, name: str, *roles: Role):
    told = {"name": name, "roles": [str(role) for role in roles]}
    return client.post("/projects/opera/people/invite", told, follow=True)


def test_an_invitation_makes_a_link_that_is_shown_once_and_signs_in_once(home, owner):
    page = invite(owner, "梅兰芳", Role.EXPERT, Role.ADJUDICATOR).content.decode()
    address = page.partition('value="http://testserver')[2].partition('"')[0]
    assert address.startswith("/enter/")
    assert "/enter/" not in owner.get("/projects/opera/people").content.decode()
    from django.test import Client

    guest = Client()
    assert guest.post(address)["Location"] == "/"
    assert guest.get("/projects/opera/").status_code == 200
    assert guest.get("/projects/opera/settings").status_code == 403
    assert Client().post(address)["Location"] == "/sign-in"
    assert User.objects.get(username="梅兰芳").profile.pseudonym not in ("", "梅兰芳")


def test_a_participant_can_be_given_no_other_role(home, owner):
    answer = owner.post("/projects/opera/people/invite", {"name": "x", "roles": ["participant", "expert"]})
    assert answer.status_code == 422
    assert "no other role" in answer.content.decode()
    assert not User.objects.filter(username="x").exists()


def test_someone_with_an_account_joins_without_a_link_to_that_account(home, owner):
    stranger = person(project(), Role.OWNER, name="stranger")
    page = invite(owner, "stranger", Role.AUTHOR).content.decode()
    assert "/enter/" not in page
    assert not SignInLink.objects.filter(user=stranger).exists()
    assert Membership.objects.filter(project=home, user=stranger).exists()


def test_no_owner_makes_a_link_into_the_account_of_an_administrator_or_another_project(home, admin):
    boss = person(home, Role.OWNER)
    guest = person(home, Role.AUTHOR)
    Membership.objects.create(project=project(), user=guest, roles=[Role.OWNER])
    plain = person(home, Role.AUTHOR)
    client = client_of(boss)
    codes = {}
    for user in (admin, guest, plain):
        pk = Membership.objects.get(project=home, user=user).pk
        codes[user] = client.post(f"/projects/opera/people/{pk}/link").status_code
    assert codes == {admin: 403, guest: 403, plain: 302}


def test_roles_change_with_their_history_and_the_last_owner_stays(home, owner, admin):
    expert = person(home, Role.EXPERT)
    member = Membership.objects.get(project=home, user=expert)
    path = f"/projects/opera/people/{member.pk}"
    told = {"roles": ["linguist"], "pseudonym": expert.profile.pseudonym, "languages": "zh-Hans、en"}
    assert owner.post(path, told).status_code == 302
    member.refresh_from_db()
    assert (member.roles, member.history.count()) == (["linguist"], 2)
    expert.profile.refresh_from_db()
    assert expert.profile.languages == ["zh-Hans", "en"]
    mine = Membership.objects.get(project=home, user=admin)
    path = f"/projects/opera/people/{mine.pk}"
    answer = owner.post(path, {"roles": ["author"], "pseudonym": admin.profile.pseudonym})
    assert answer.status_code == 422
    assert "needs an owner" in answer.content.decode()
    assert owner.post(f"{path}/leave").status_code == 403
    told = {"roles": ["author"], "pseudonym": admin.profile.pseudonym}
    assert "Someone else has" in owner.post(f"/projects/opera/people/{member.pk}", told).content.decode()


def test_who_has_left_finds_nothing_any_more(home, owner):
    author = person(home, Role.AUTHOR)
    assert client_of(author).get("/projects/opera/").status_code == 200
    owner.post(f"/projects/opera/people/{Membership.objects.get(user=author).pk}/leave")
    assert client_of(author).get("/projects/opera/").status_code == 404
    assert Event.objects.filter(project=home, verb="leave", object=f"user:{author.pk}").exists()


# Vocabulary


def test_a_word_gets_its_traditional_form_is_retired_and_keeps_its_code(home, owner):
    path = "/projects/opera/vocabulary/genre"
    assert owner.get("/projects/opera/vocabulary").status_code == 200
    told = fields(owner, path)
    last = int(told["form-TOTAL_FORMS"]) - 1
    told |= {f"form-{last}-code": "ping", f"form-{last}-hans": "评剧", f"form-{last}-en": "Pingju"}
    del told["form-0-active"]
    told["form-0-code"] = "renamed"
    assert owner.post(path, told).status_code == 302
    assert Term.objects.get(project=home, code="ping").label == {"en": "Pingju", "zh-hans": "评剧", "zh-hant": "評劇"}
    henan = Term.objects.get(project=home, kind="genre", order=1)
    assert (henan.code, henan.active, henan.history.count()) == ("henan", False, 2)


def test_a_word_needs_a_label_and_a_code_of_its_own(home, owner):
    path = "/projects/opera/vocabulary/genre"
    told = fields(owner, path)
    last = int(told["form-TOTAL_FORMS"]) - 1
    answer = owner.post(path, told | {f"form-{last}-code": "kunqu", f"form-{last}-en": "Kunqu"})
    assert "code already" in answer.content.decode()
    answer = owner.post(path, told | {f"form-{last}-code": "new"})
    assert "one language at least" in answer.content.decode()


def test_a_question_type_fills_in_a_dimension(home, owner):
    assert "fills in the dimension" in owner.get("/projects/opera/vocabulary/question_type").content.decode()
    assert owner.get("/projects/opera/vocabulary/nonsense").status_code == 404


# Sources

PDF = b"%PDF-1.4\n%signed by the whole troupe"


def test_a_consent_is_kept_and_opened_by_owners_only_and_on_record(home, owner):
    author = client_of(person(home, Role.AUTHOR))
    told = {"title": "长生殿", "licence": "cc-by-4.0", "consent": SimpleUploadedFile("c.pdf", PDF)}
    assert author.post("/projects/opera/sources/new", told).status_code == 302
    source = Source.objects.get()
    assert (source.licence, place(source.consent_file).read_bytes()) == ("CC-BY-4.0", PDF)
    path = f"/projects/opera/sources/{source.pk}/consent"
    assert author.get(path).status_code == 403
    answer = owner.get(path)
    assert answer.getvalue() == PDF
    assert answer["Content-Disposition"].startswith("attachment")
    assert Event.objects.filter(project=home, verb="consent").exists()
    assert author.post(f"/projects/opera/sources/{source.pk}", {"title": "长生殿（修订）"}).status_code == 302
    source.refresh_from_db()
    assert source.consent_file, "a change without a new file keeps the consent"
    assert source.history.count() == 2
    for path in ("/projects/opera/sources", f"/projects/opera/sources/{source.pk}"):
        assert "长生殿" in author.get(path).content.decode()


def test_a_consent_s_digest_is_no_address_of_media(home, owner):
    owner.post("/projects/opera/sources/new", {"title": "x", "consent": SimpleUploadedFile("c.pdf", PDF)})
    digest = Source.objects.get().consent_file
    assert owner.get(f"/projects/opera/media/{digest}").status_code == 404


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"title": "x", "licence": "public"}, "not known"),
        ({"title": ""}, "required"),
        ({"title": "x", "consent": SimpleUploadedFile("c.html", b"<html>")}, "PDF, PNG or JPEG"),
    ],
)
def test_a_source_that_is_not_right_is_refused_beside_its_field(home, owner, told, words):
    answer = owner.post("/projects/opera/sources/new", told)
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert not Source.objects.exists()


# Who sees what

PAGES = {
    "": set(Role) - {Role.PARTICIPANT},
    "settings": {Role.OWNER},
    "people": {Role.OWNER},
    "vocabulary": {Role.OWNER},
    "vocabulary/genre": {Role.OWNER},
    "screening": {Role.OWNER},
    "sources": set(Role) - {Role.PARTICIPANT, Role.ANNOTATOR},
    "sources/new": {Role.OWNER, Role.AUTHOR, Role.EXPERT, Role.LINGUIST},
    "assets": set(Role) - {Role.PARTICIPANT, Role.ANNOTATOR},
}


@pytest.mark.parametrize("role", Role)
def test_each_role_opens_the_pages_that_are_its_own(role):
    home = project()
    client = client_of(person(home, role))
    opened = {page for page in PAGES if client.get(f"/projects/{home.slug}/{page}").status_code == 200}
    assert opened == {page for page, roles in PAGES.items() if role in roles}


def test_every_page_speaks_three_languages_and_runs_no_inline_script(home, owner):
    Finding.objects.create(project=home, rule="I101", severity="warning", message={"en": "x"})
    for language in ("en", "zh-hans", "zh-hant"):
        for page in PAGES:
            answer = owner.get(f"/projects/opera/{page}", HTTP_ACCEPT_LANGUAGE=language)
            html = answer.content.decode()
            assert f'<html lang="{language}"' in html
            assert "<script>" not in html
            assert 'style="' not in html
            assert " onclick" not in html
