"""Decoding uploads in a process of its own: a file made to do harm takes that process with it and nothing else."""

from __future__ import annotations

import atexit
import threading
from functools import cache
from pathlib import Path

from keju.checks.clips import Clip
from keju.checks.pictures import Picture
from keju.checks.workers import SECONDS, Worker
from keju.items import MediaKind, Medium

_ONE_AT_A_TIME = threading.Lock()  # a picture of 89 million pixels takes half a gibibyte


def facts_of(file: Path, kind: MediaKind) -> Picture | Clip:
    """What the bytes of a file are; never raises for what they are."""
    with _ONE_AT_A_TIME:
        return _worker().facts(Medium(kind, file.name, file))


@cache
def _worker() -> Worker:
    """Started at the first upload, kept warm, ended with this process."""
    worker = Worker(SECONDS)
    atexit.register(worker.__exit__, None, None, None)
    return worker
