"""What is imported: an upload, unpacked with care, or what lies in the server's folder for imports."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _

from keju.formats import demos
from keju.formats.archives import DAMAGE
from keju.studio.intake import Refused

MOST_FILES = 20_000
MOST_BYTES = 8 * 2**30  # unpacked; Multi-TW with its clips is 1 GB
MOST_RATIO = 200  # of a bomb; text of questions packs to a tenth
_MOST_NAME = 60  # characters: of Chinese 180 bytes, and no system takes more than 255
_IS_UTF8 = 0x800  # bit of the ZIP format
_RUBBISH = ("__MACOSX", ".DS_Store", "Thumbs.db")


def offered() -> list[str]:
    """Names of what lies in the folder for imports, and of the demos."""
    folder = Path(settings.IMPORT_FOLDER)
    there = sorted(path.name for path in folder.iterdir() if not path.name.startswith(".")) if folder.is_dir() else []
    return [*there, *demos()]


def place_of(name: str) -> str:
    """Where an offered name is read from: never outside the folder. Raises `Refused`."""
    if name not in offered():
        raise Refused(_("“%(name)s” is not in the folder for imports.") % {"name": name})
    path = Path(settings.IMPORT_FOLDER) / name
    if not path.exists():
        return name
    if not path.resolve().is_relative_to(Path(settings.IMPORT_FOLDER).resolve()):
        raise Refused(_("“%(name)s” leads out of the folder for imports.") % {"name": name})
    return str(path)


def kept(upload: UploadedFile[bytes], folder: Path) -> Path:
    """An upload as a file of the folder, which is made; by its own name without any folders."""
    folder.mkdir(parents=True, exist_ok=True)
    name = PurePosixPath((upload.name or "").replace("\\", "/")).name[-_MOST_NAME:] or "upload"
    file = folder / name
    with file.open("wb") as written:
        for chunk in upload.chunks():
            written.write(chunk)
    return file


@contextmanager
def unpacked(file: Path) -> Iterator[Path]:
    """What was uploaded, as a file or as a folder that is gone afterwards: a zip is unpacked. Raises `Refused`."""
    if not file.name.lower().endswith(".zip"):
        yield file
        return
    with tempfile.TemporaryDirectory(prefix="keju-import-") as folder:
        yield _top(_unzip(file, Path(folder) / "unpacked"))


def _unzip(file: Path, folder: Path) -> Path:
    try:
        with zipfile.ZipFile(file) as archive:
            entries = [(entry, name) for entry in archive.infolist() if not _is_rubbish(name := _named(entry))]
            _check([entry for entry, _name in entries])
            folder.mkdir()
            for entry, name in entries:
                _write(archive, entry, folder, name)
    except DAMAGE as error:
        raise Refused(_("The zip is damaged or locked: %(reason)s") % {"reason": error}) from error
    return folder


def _check(entries: Iterable[zipfile.ZipInfo]) -> None:
    sizes = [(entry.file_size, entry.compress_size) for entry in entries]
    whole, packed = sum(size for size, _p in sizes), sum(size for _s, size in sizes)
    if len(sizes) > MOST_FILES or whole > MOST_BYTES:
        raise Refused(_("The zip holds too much. Ask whoever runs the server to put it into the folder for imports."))
    if whole > 100 * 2**20 and whole > MOST_RATIO * max(1, packed):
        raise Refused(_("The zip unpacks to far more than it holds, as harmful files do."))


def _named(entry: zipfile.ZipInfo) -> str:
    """The name of a file in the zip; where it is not marked as UTF-8, as a Chinese Windows writes it."""
    name = entry.filename
    if not entry.flag_bits & _IS_UTF8 and not name.isascii():
        raw = name.encode("cp437")
        for encoding in ("utf-8", "gb18030"):
            with suppress(UnicodeDecodeError):
                return raw.decode(encoding).replace("\\", "/")
    return name.replace("\\", "/")


def _write(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path, name: str) -> None:
    """One file of the zip; names that lead outside are refused."""
    target = (folder / name).resolve()
    if not target.is_relative_to(folder.resolve()):
        raise Refused(_("The zip has a name that leads outside of it: %(name)s") % {"name": name[:200]})
    if entry.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(entry) as packed, target.open("wb") as kept:
        shutil.copyfileobj(packed, kept)


def _is_rubbish(name: str) -> bool:
    return any(part in _RUBBISH for part in PurePosixPath(name).parts)


def _top(folder: Path) -> Path:
    """The folder itself, or the only thing in it, however deep."""
    inside = list(folder.iterdir())
    return _top(inside[0]) if len(inside) == 1 and inside[0].is_dir() else inside[0] if len(inside) == 1 else folder
