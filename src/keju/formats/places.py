"""What there is to read: a file or a folder. A pipe or a device can be read once only, and may never end."""

from __future__ import annotations

from pathlib import Path

from keju.errors import BadFile


def is_there(place: Path) -> bool:
    """Whether a file or folder is there. Raises `BadFile` where it is something else, or a link that leads nowhere."""
    try:
        if place.is_symlink() and not place.exists():
            raise BadFile(f"{place} is a link to {place.readlink()}, which leads nowhere; link it to the file itself")
        if not place.exists():
            return False
        usual = place.is_file() or place.is_dir()
    except (OSError, ValueError):  # no permission, a name too long, a zero byte
        return False
    if not usual:
        raise BadFile(f"{place} is a pipe or a device, and what it holds is read more than once; write it into a file")
    return True
