"""Keeping a studio safe: a backup while people work, its return to an empty studio, and a look at all that is stored.

A backup is one ZIP: `data.jsonl` every row, `media/` and `releases/` as they lie in the data folder, and
`manifest.json` with the digest of each. It holds rows, not a database's own files, so that what was begun on SQLite
can go on on PostgreSQL. Sessions and the secret key are left out: people come in by a new link.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import IO, Any

from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.core import serializers
from django.core.management import call_command
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, models, transaction
from django.db.migrations.recorder import MigrationRecorder

from keju.errors import BadFile, Misuse, Refused
from keju.formats.archives import DAMAGE
from keju.formats.json_text import Shape, lacking
from keju.studio.journal import first_broken
from keju.studio.models import Asset, Item, Project, Revision
from keju.studio.store import place

SCHEMA = 1
"""Version of a backup's layout, in its manifest."""
MANIFEST = "manifest.json"
ROWS = "data.jsonl"
_PORTION = 2**20


@dataclass(frozen=True, slots=True)
class Kept:
    """What a backup holds."""

    rows: int
    files: int
    size: int
    """Bytes of the ZIP."""


def backup(target: Path) -> Kept:
    """Write everything that the studio holds into a new ZIP, while it is at work. Raises `Refused`, `BadFile`.

    The rows are those of one moment; media are read after them, and no medium that a row names is ever changed.
    """
    if target.exists():
        raise Refused(f"{target} is there already; give the backup a name of its own")
    part = target.with_name(target.name + ".part")
    try:
        with os.fdopen(os.open(part, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), "w+b") as file:
            rows, files = _write(file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise BadFile(f"{target} cannot be written: {error.strerror or error}") from error
    return Kept(rows, files, target.stat().st_size)


def restore(source: Path) -> Kept:
    """Fill an empty studio from a backup, and verify what came. Raises `Refused` where it is not empty, `BadFile`."""
    if User.objects.exists() or Project.objects.exists():
        raise Refused(
            "this studio holds people or projects already; a backup is restored into an empty one (--data, --database)"
        )
    with _opened(source) as archive:
        manifest = _manifest(archive, source)
        for name, digest in manifest["files"].items():
            _extract(archive, name, digest, source)
        with tempfile.TemporaryDirectory() as folder:
            rows = Path(folder) / ROWS
            _copy(archive, ROWS, rows, manifest["rows"]["sha256"], source)
            call_command("loaddata", str(rows), verbosity=0)
    if found := verify():
        raise BadFile(f"{source} was restored, but not all of it is whole: " + "; ".join(found))
    return Kept(manifest["rows"]["number"], len(manifest["files"]), source.stat().st_size)


def verify() -> list[str]:
    """What is not as it was written, in words; empty where everything is. Reads every medium."""
    return [*_database_faults(), *_chain_faults(), *_revision_faults(), *_media_faults()]


def _folders() -> Mapping[str, Path]:
    """Name in the backup → folder."""
    return {
        "media": Path(settings.MEDIA_STORE),
        "releases": Path(settings.RELEASE_STORE),
    }


def _tables() -> list[type[models.Model]]:
    return [User, *apps.get_app_config("studio").get_models()]


def _migrations() -> list[str]:
    """What has been applied of the studio's own, which says which columns there are."""
    applied = MigrationRecorder(connection).applied_migrations()
    return sorted(name for app, name in applied if app == "studio")


def _write(file: IO[bytes]) -> tuple[int, int]:
    """Rows and files written."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:  # media are compressed already
        text = zipfile.ZipInfo(ROWS)
        text.compress_type = zipfile.ZIP_DEFLATED
        with archive.open(text, "w", force_zip64=True) as out, _one_moment():
            migrations, digest, number = _migrations(), hashlib.sha256(), 0
            for line in _lines():
                out.write(line)
                digest.update(line)
                number += 1
        files = {name: _add(archive, name, path) for name, path in _files()}
        manifest = {
            "schema": SCHEMA,
            "migrations": migrations,
            "rows": {"number": number, "sha256": digest.hexdigest()},
            "files": files,
        }
        archive.writestr(MANIFEST, json.dumps(manifest, indent=1))
    return number, len(files)


class _Exact(DjangoJSONEncoder):
    """Times to the microsecond: Django's own cuts them, and the log's digests would no longer fit."""

    def default(self, o: Any) -> Any:
        return o.isoformat() if isinstance(o, datetime) else super().default(o)


def _lines() -> Iterator[bytes]:
    for model in _tables():
        rows = model._default_manager.order_by("pk").iterator(chunk_size=500)
        for row in rows:
            yield serializers.serialize("jsonl", [row], cls=_Exact, ensure_ascii=True).encode()


@contextlib.contextmanager
def _one_moment() -> Iterator[None]:
    """Reads within see one state of the database; nobody who writes waits for them."""
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield
    elif connection.in_atomic_block:
        yield
    else:  # Django's own transactions are IMMEDIATE, which would lock everyone out
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")


def _files() -> Iterator[tuple[str, Path]]:
    """Name in the backup, and file; not what is just being uploaded."""
    for name, folder in _folders().items():
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.name.startswith("incoming-"):
                yield f"{name}/{path.relative_to(folder).as_posix()}", path


def _add(archive: zipfile.ZipFile, name: str, path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file, archive.open(zipfile.ZipInfo(name), "w", force_zip64=True) as out:
        while portion := file.read(_PORTION):
            digest.update(portion)
            out.write(portion)
    return digest.hexdigest()


@contextlib.contextmanager
def _opened(source: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(source) as archive:
            yield archive
    except DAMAGE as error:
        raise BadFile(f"{source} cannot be read as a backup: {error}") from error


def _manifest(archive: zipfile.ZipFile, source: Path) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads(archive.read(MANIFEST))
    except (KeyError, ValueError, RecursionError) as error:
        raise BadFile(f"{source} is no backup of a studio: it has no {MANIFEST}") from error
    if missing := lacking(manifest, _SHAPE):
        raise BadFile(f"{source} is no backup of a studio: its {MANIFEST} lacks {', '.join(missing)}")
    if manifest.get("schema") != SCHEMA or manifest["migrations"] != _migrations():
        last = (manifest.get("migrations") or ["?"])[-1]
        raise Misuse(
            f"{source} was made by another version of keju (tables as of {last}, here {_migrations()[-1]}); restore it "
            "with that version, then upgrade"
        )
    return manifest


_SHAPE: Shape = {"migrations": (list,), "rows.number": (int,), "rows.sha256": (str,), "files": (dict,)}


def _extract(archive: zipfile.ZipFile, name: str, digest: str, source: Path) -> None:
    kind, *rest = PurePosixPath(name).parts
    if kind not in _folders() or not rest or ".." in rest:
        raise BadFile(f"{source}: {name!r} is no file of a studio")
    _copy(archive, name, _folders()[kind].joinpath(*rest), digest, source)


def _copy(archive: zipfile.ZipFile, name: str, target: Path, digest: str, source: Path) -> None:
    """A member to a file, whole or not at all. Raises `BadFile` where it is not what the manifest says."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part, found = target.with_name(target.name + ".part"), hashlib.sha256()
    try:
        with archive.open(name) as file, part.open("wb") as out:
            while portion := file.read(_PORTION):
                found.update(portion)
                out.write(portion)
    except KeyError as error:
        raise BadFile(f"{source}: {name} is missing") from error
    if found.hexdigest() != digest:
        part.unlink()
        raise BadFile(f"{source}: {name} is damaged")
    part.replace(target)


def _database_faults() -> Iterator[str]:
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA integrity_check")
            yield from (f"the database: {row[0]}" for row in cursor.fetchall() if row[0] != "ok")
            cursor.execute("PRAGMA foreign_key_check")
            yield from (f"the database: {row[0]} {row[1]} refers to a row that is gone" for row in cursor.fetchall())


def _chain_faults() -> Iterator[str]:
    for project in Project.objects.order_by("pk"):
        if (broken := first_broken(project)) is not None:
            yield f"{project.slug}: event {broken} of the log is not as it was written"


def _revision_faults() -> Iterator[str]:
    for revision in Revision.objects.select_related("item__project").iterator(chunk_size=500):
        if revision.content.sha256 != revision.sha256:
            yield f"{revision.item.project.slug}: {revision} is not as it was saved"
    for item in Item.objects.exclude(current=None).exclude(current__item=models.F("pk")).select_related("project"):
        yield f"{item.project.slug}: the current revision of {item} is another item's"


def _media_faults() -> Iterator[str]:
    for sha256 in Asset.objects.order_by("sha256").values_list("sha256", flat=True).distinct():
        path = place(sha256)
        if not path.is_file():
            yield f"media: {sha256} is missing"
        elif _digest(path) != sha256:
            yield f"media: {sha256} is damaged"


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
