"""Uploads on their way to disk, whatever they are called."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from django.core.files.uploadhandler import TemporaryFileUploadHandler

_ENDING = 20  # characters; what stands behind the last point of a longer name is no ending


class ToDisk(TemporaryFileUploadHandler):
    """Django's, which ends the file on disk as the upload is called: a longer ending than a system takes broke it."""

    def new_file(self, field_name: str, file_name: str, *args: Any, **kwargs: Any) -> None:
        ending = PurePath(file_name).suffix
        super().new_file(field_name, f"upload{ending[:_ENDING]}", *args, **kwargs)
        self.file_name = self.file.name = file_name
