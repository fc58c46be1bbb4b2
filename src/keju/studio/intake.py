"""Taking in an upload: looked at, refused with the reason in words or kept as an `Asset`."""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path, PurePosixPath
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils.translation import gettext as _

from keju.checks.clips import Clip
from keju.items import MediaKind
from keju.media_types import HEAD, mime_of
from keju.studio import quality
from keju.studio.decoding import facts_of
from keju.studio.journal import record
from keju.studio.models import Asset, Item, Project, Source
from keju.studio.store import keep
from keju.studio.wording import in_a_row, worded

ACCEPTED: dict[str, MediaKind] = {
    "image/png": "image",
    "image/jpeg": "image",
    "image/webp": "image",
    "audio/mpeg": "audio",
    "audio/wav": "audio",
    "audio/flac": "audio",
    "audio/ogg": "audio",
    "audio/mp4": "audio",
    "audio/aac": "audio",
}
"""What every browser shows or plays and no program takes for something else."""
_PORTION = 2**20
_MARKUP = re.compile(rb"<\s*(?:script|html|!doctype\s+html|svg|iframe|\?php)[\s>/]", re.IGNORECASE)
"""What a browser or server that guesses types would run, hidden in a comment or behind the end of a picture."""
_VIDEO = re.compile(rb"hdlr.{8}vide|\x80theora", re.DOTALL)  # a track of pictures in MPEG-4; Ogg's video
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")


class Refused(Exception):
    """The file is not taken; the text says why and what to do, for whoever uploads it."""


@dataclass(frozen=True, slots=True)
class Taken:
    asset: Asset
    new: bool
    """Whether it was not here before."""

    @property
    def warnings(self) -> list[str]:
        """What the person should know: that it is here already and where, or what the checks found."""
        found = [
            worded(finding.message) for finding in quality.standing_findings(self.asset) if finding.state == "open"
        ]
        if self.new:
            return found
        users = in_a_row(item.code for item in items_with(self.asset)[:10])
        return [_("Already here, used by %(items)s.") % {"items": users} if users else _("Already here."), *found]


def take_in(project: Project, user: User, file: Path, name: str, *, source: Source | None = None) -> Taken:
    """Keep a file as a picture or clip of the project. Raises `Refused`.

    The same bytes again give what is there, which gets the source where it has none.
    """
    _check_size(file.stat().st_size)
    with file.open("rb") as opened:
        sha256 = hashlib.file_digest(opened, "sha256").hexdigest()
    if there := Asset.objects.filter(project=project, sha256=sha256).first():
        if source and there.source_id is None:
            _say_source(there, user, source)
        return Taken(there, new=False)
    kind = _kind(file)
    facts = facts_of(file, kind)
    if facts.trouble:
        raise Refused(
            _("This file is damaged or is no picture or clip: %(reason)s. Export it again and upload the new file.")
            % {"reason": worded(facts.reason)}
        )
    keep(portions(file))
    values: dict[str, Any] = {
        "kind": kind,
        "mime": facts.mime or "",
        "size": facts.bytes,
        "name": _clean(name),
        "measured": quality.kept(facts),
        "dhash": "" if isinstance(facts, Clip) else facts.dhash,
        "source": source,
    }
    try:
        with transaction.atomic():
            asset = Asset.objects.create(project=project, sha256=sha256, uploaded_by=user, **values)
            quality.look(asset)
            record(project, user, "upload", f"asset:{sha256[:16]}", name=asset.name, kind=kind)
    except IntegrityError:  # someone else uploaded the same in the meantime
        return Taken(Asset.objects.get(project=project, sha256=sha256), new=False)
    return Taken(asset, new=True)


@transaction.atomic
def _say_source(asset: Asset, user: User, source: Source) -> None:
    asset.source = source
    asset.save(update_fields=("source",))
    record(asset.project, user, "describe", f"asset:{asset.sha256[:16]}", fields=["source"])


def items_with(asset: Asset) -> QuerySet[Item]:
    """Items whose current revision shows or plays the asset, with the stem or as an option."""
    shown = Q(image=asset) | Q(audio=asset) | Q(written__contains=asset.sha256)
    items = Item.objects.filter(project_id=asset.project_id).annotate(written=Cast("current__body", TextField()))
    return items.filter(shown)


def too_large() -> str:
    """What is said of a file over the limit."""
    most = settings.UPLOAD_LIMIT // 2**20
    return _("This file is larger than %(most)s MB. Cut out what the question is about, or save it smaller.") % {
        "most": most
    }


def portions(file: Path) -> Iterator[bytes]:
    """A file's bytes, a mebibyte at a time."""
    with file.open("rb") as opened:
        while portion := opened.read(_PORTION):
            yield portion


def _check_size(size: int) -> None:
    if size > settings.UPLOAD_LIMIT:
        raise Refused(too_large())
    if not size:
        raise Refused(_("This file is empty. Export it again and upload the new file."))


def _kind(file: Path) -> MediaKind:
    """What the bytes are. Raises `Refused` for other types, and for files that are two things at once."""
    with file.open("rb") as opened, mmap(opened.fileno(), 0, access=ACCESS_READ) as data:
        mime = mime_of(data[:HEAD])
        kind = ACCEPTED.get(mime or "")
        if kind is None:
            raise Refused(_unaccepted(mime, data[:1024]))
        if kind == "audio" and _VIDEO.search(data):
            raise Refused(_("This is a video. Upload its sound as MP3, or a still picture from it as PNG."))
        if _MARKUP.search(data) or b"%PDF-" in data[:1024]:
            raise Refused(_second_nature(_("a web page, a script or a document")))
    if zipfile.is_zipfile(file):
        raise Refused(_second_nature(_("an archive")))
    return kind


def _second_nature(what: str) -> str:
    return _(
        "This file is a picture or clip and %(what)s at the same time, which is how harmful files are made. "
        "Open it in a picture or sound program and save it anew."
    ) % {"what": what}


def _unaccepted(mime: str | None, head: bytes) -> str:
    begin = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if b"<svg" in begin:
        what = _("This is an SVG drawing, which can carry scripts. Export it as PNG.")
    elif begin.startswith((b"<!doctype html", b"<html", b"<head", b"<script")):
        what = _("This is a web page. Save the picture itself, not the page it is on.")
    elif begin.startswith(b"%pdf-"):
        what = _("This is a PDF. Export the page or the picture on it as PNG.")
    elif begin.startswith(b"pk\x03\x04"):
        what = _("This is an archive or an office document. Upload the pictures and clips in it one by one.")
    elif mime and mime.startswith("image/"):
        what = _("This is a picture of type %(type)s. Save it as PNG, JPEG or WebP.") % {
            "type": mime.partition("/")[2].upper()
        }
    else:
        what = _("This is no picture or clip of a known type.")
    return f"{what} " + _("Pictures may be PNG, JPEG or WebP; clips MP3, WAV, FLAC, Ogg or M4A.")


def _clean(name: str) -> str:
    """A file's own name without folders, control characters and marks that turn the direction of writing."""
    bare = PurePosixPath(_CONTROL.sub("", name).replace("\\", "/")).name
    return bare[-200:] or "unnamed"  # the column's width; the end holds the suffix
