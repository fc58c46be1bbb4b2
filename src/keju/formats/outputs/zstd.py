"""Entries of a zip that are compressed with zstd (method 93), which `zipfile` reads only from Python 3.14 on."""

from __future__ import annotations

import struct
import zipfile
from importlib import import_module
from typing import Any

from keju.errors import BadFile

METHOD = 93


def read(archive: zipfile.ZipFile, name: str) -> bytes:
    """The bytes of an entry, whatever its compression. Raises `BadFile` where no package here can decompress it."""
    info = archive.getinfo(name)
    try:
        return archive.read(info)
    except NotImplementedError as error:
        if info.compress_type != METHOD:
            message = (
                f"{archive.filename}: {name} is compressed with method {info.compress_type}; repack it with deflate"
            )
            raise BadFile(message) from error
    return _decompress(_raw(archive, info), info.file_size, str(archive.filename))


def _raw(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """The entry as it is stored, behind its local header (30 bytes, then a name and an extra field)."""
    with open(str(archive.filename), "rb") as file:  # noqa: PTH123 - a name, not a path of ours
        file.seek(info.header_offset)
        name_length, extra_length = struct.unpack("<HH", file.read(30)[26:30])
        file.seek(name_length + extra_length, 1)
        return file.read(info.compress_size)


def _decompress(data: bytes, size: int, path: str) -> bytes:
    """The `size` bytes that the archive's directory promises, and never more. Raises `ValueError` for damaged data."""
    package: Any
    for name in ("backports.zstd", "zstandard"):
        try:
            package = import_module(name)
        except ImportError:
            continue
        try:
            if name == "backports.zstd":
                return bytes(package.ZstdDecompressor().decompress(data, max_length=size))
            with package.ZstdDecompressor().stream_reader(data, read_across_frames=True) as reader:
                return bytes(reader.read(size))
        except package.ZstdError as error:
            raise ValueError(f"damaged zstd data: {error}") from error
    raise BadFile(
        f"{path}: is compressed with zstd, which this Python cannot read. Install a reader (pip install zstandard), or "
        "write the log anew with Inspect: inspect log convert --to json"
    )
