"""Backup, restore, verify; and what SQLite is told so that several people can write."""

import json
import os
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from building import asset, item, person, project
from django.core.management import call_command
from django.db import connection

from keju.errors import BadFile, Misuse, Refused
from keju.studio.journal import first_broken
from keju.studio.models import Event, Item, Project, Role
from keju.studio.operations import backup, restore, verify
from keju.studio.saving import Edit, save
from keju.studio.store import place

pytestmark = pytest.mark.django_db(transaction=True)
sqlite_only = pytest.mark.skipif("connection.vendor != 'sqlite'", reason="of SQLite")


@pytest.fixture
def home():
    made = project()
    author = person(made, Role.AUTHOR)
    for _ in range(3):
        item(made, author)
    first = made.items.first()
    edit = Edit(first.current.content.model_copy(update={"stem": {"zh-Hans": "行\u2028分"}}), first.image)
    save(first, author, edit, base_version=first.version, reason="线")
    return made


def rows():
    """Every row, as it is stored."""
    from keju.studio.operations import _lines

    return sorted(_lines())


@sqlite_only
def test_sqlite_waits_for_a_writer_and_begins_to_write_at_once():
    """A deferred transaction that turns to writing fails at once, whatever its timeout: 90 % of writes were lost."""
    with connection.cursor() as cursor:
        told = {name: cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in ("busy_timeout", "foreign_keys")}
    assert told == {"busy_timeout": 20_000, "foreign_keys": 1}
    assert connection.transaction_mode == "IMMEDIATE"
    assert connection.settings_dict["ATOMIC_REQUESTS"] is False


def test_the_data_base_of_a_studio_is_in_wal_mode(tmp_path):
    """Of a file, as users have it; the tests' own data base is in memory."""
    code = "from keju.studio import serving; from pathlib import Path; import sys; serving.set_up(Path(sys.argv[1]))"
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("KEJU_", "DJANGO_"))}
    subprocess.run([sys.executable, "-c", code, tmp_path / "studio"], check=True, env=environment)
    with sqlite3.connect(tmp_path / "studio" / "studio.sqlite3") as opened:
        assert opened.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    opened.close()


def test_a_restored_studio_is_the_one_that_was_backed_up(home, tmp_path, settings):
    (tmp_path / "releases" / home.slug).mkdir(parents=True)
    (tmp_path / "releases" / home.slug / "README.md").write_text("1.0")
    before, file = rows(), tmp_path / "whole.zip"
    kept = backup(file)
    assert kept.rows == len(before)
    call_command("flush", verbosity=0, interactive=False)
    settings.MEDIA_STORE, settings.RELEASE_STORE = tmp_path / "elsewhere", tmp_path / "others"
    restore(file)
    assert rows() == before
    assert all(first_broken(project) is None for project in Project.objects.all())
    assert (tmp_path / "others" / home.slug / "README.md").read_text() == "1.0"
    assert verify() == []
    person(Project.objects.get(), Role.AUTHOR)  # new rows get new numbers


def test_a_backup_is_of_one_moment_and_holds_nobody_up(home, tmp_path, monkeypatch):
    """Someone saves while it is being written: what is saved then is in it whole or not at all."""
    from keju.studio import operations

    lines = operations._lines

    def interrupted():
        for number, line in enumerate(lines()):
            if number == 3:
                subprocess_saves(home)
            yield line

    def subprocess_saves(project):
        from threading import Thread

        thread = Thread(target=lambda: (item(project, project.items.first().author), connection.close()))
        thread.start()
        thread.join(10)
        assert not thread.is_alive()

    if connection.vendor == "sqlite" and connection.is_in_memory_db():
        pytest.skip("one data base in memory has one reader; `test_load` does this with files")
    before = home.items.count()
    monkeypatch.setattr(operations, "_lines", interrupted)
    backup(tmp_path / "whole.zip")
    assert home.items.count() == before + 1
    text = zipfile.ZipFile(tmp_path / "whole.zip").read("data.jsonl").decode()
    kinds = [json.loads(line)["model"] for line in text.splitlines() if line]
    assert (kinds.count("studio.item"), kinds.count("studio.event")) == (before, Event.objects.count() - 1)


def test_a_backup_is_for_its_owner_only_and_never_overwrites_another(home, tmp_path):
    file = tmp_path / "whole.zip"
    backup(file)
    assert file.stat().st_mode & 0o077 == 0
    with pytest.raises(Refused):
        backup(file)


def test_nothing_is_restored_over_a_studio_that_has_people(home, tmp_path):
    backup(tmp_path / "whole.zip")
    with pytest.raises(Refused):
        restore(tmp_path / "whole.zip")
    assert Item.objects.count() == 3


def altered(file, name, change):
    """A copy of a backup in which one member is another."""
    copy = file.with_name("altered.zip")
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(copy, "w") as new:
        for member in old.namelist():
            data = old.read(member)
            changed = change(data) if member == name or name is None else data
            if changed is not None:
                new.writestr(member, changed)
    return copy


@pytest.mark.parametrize(
    ("which", "change", "error"),
    [
        ("data.jsonl", lambda data: data.replace(b"Dan", b"Sheng"), BadFile),
        ("media", lambda data: data[:-1], BadFile),
        ("media", lambda data: None, BadFile),
        ("manifest.json", lambda data: None, BadFile),
        ("manifest.json", lambda data: data.replace(b"0001_first", b"0000_never"), Misuse),
        ("manifest.json", lambda data: data.replace(b'"media/', b'"../media/'), BadFile),
        ("manifest.json", lambda data: data.replace(b'"media/', b'"media/../../'), BadFile),
    ],
)
def test_a_backup_that_is_not_whole_is_refused_and_nothing_of_it_stays(home, tmp_path, which, change, error):
    file = tmp_path / "whole.zip"
    backup(file)
    name = which
    if which == "media":
        name = next(one for one in zipfile.ZipFile(file).namelist() if one.startswith("media/"))
    bad = altered(file, name, change)
    call_command("flush", verbosity=0, interactive=False)
    with pytest.raises(error):
        restore(bad)
    assert not Item.objects.exists()


def test_what_is_no_zip_is_refused_in_words(tmp_path):
    (tmp_path / "x.zip").write_text("no")
    with pytest.raises(BadFile, match="cannot be read as a backup"):
        restore(tmp_path / "x.zip")


def test_verifying_finds_what_was_changed_behind_the_studios_back(home):
    first, second, third = home.items.all()
    Event.objects.filter(project=home, seq=2).update(verb="other")
    place(first.image.sha256).write_bytes(b"other")
    place(second.image.sha256).unlink()
    third.revisions.update(body={**third.current.body, "key": 3})
    found = verify()
    assert len(found) == 4
    for word in ("event 2", first.image.sha256, second.image.sha256, f"{third} r1"):
        assert any(word in fault for fault in found)


def test_an_upload_that_is_under_way_is_no_part_of_a_backup(home, tmp_path, settings):
    (Path(settings.MEDIA_STORE) / "incoming-x").write_bytes(b"half")
    backup(tmp_path / "whole.zip")
    assert not [name for name in zipfile.ZipFile(tmp_path / "whole.zip").namelist() if "incoming" in name]


def test_a_medium_that_several_items_show_is_kept_once(home, tmp_path):
    author = home.items.first().author
    shared = asset(home, author)
    for _ in range(2):
        item(home, author, image=shared)
    backup(tmp_path / "whole.zip")
    names = zipfile.ZipFile(tmp_path / "whole.zip").namelist()
    assert sum(shared.sha256 in name for name in names) == 1


def test_the_commands_back_up_restore_and_verify(tmp_path):
    def keju(*options):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("KEJU_", "DJANGO_"))}
        command = [sys.executable, "-m", "keju", "studio", *map(str, options)]
        return subprocess.run(command, check=False, capture_output=True, text=True, env=environment, timeout=60)

    code = (
        "from keju.studio import serving; from pathlib import Path; import sys;"
        "serving.set_up(Path(sys.argv[1])); serving.first_link()"
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("KEJU_", "DJANGO_"))}
    subprocess.run([sys.executable, "-c", code, tmp_path / "one"], check=True, env=environment)
    made = keju("--data", tmp_path / "one", "--backup", tmp_path / "b.zip")
    assert (made.returncode, made.stderr) == (0, "")
    back = keju("--data", tmp_path / "two", "--restore", tmp_path / "b.zip")
    assert "restored and verified" in back.stdout
    assert keju("--data", tmp_path / "two", "--verify").stdout == "everything is as it was written\n"
    nothing = keju("--data", tmp_path / "three", "--backup", tmp_path / "c.zip")
    assert (nothing.returncode, "holds no studio" in nothing.stderr) == (2, True)
