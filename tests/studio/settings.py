"""The studio's settings for tests: a data folder of their own, cheap password hashes, SQLite unless told otherwise."""

import atexit
import os
import shutil
import tempfile

if "KEJU_STUDIO_DATA" not in os.environ:  # workers inherit it
    os.environ["KEJU_STUDIO_DATA"] = tempfile.mkdtemp(prefix="keju-studio-tests-")
    atexit.register(shutil.rmtree, os.environ["KEJU_STUDIO_DATA"], ignore_errors=True)

from keju.studio.settings import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # the default takes 1.4 s a sign-in here
ALLOWED_HOSTS = ["*"]
AXES_ENABLED = False
JOB_THREADS = False  # what a request starts is done when it ends; tests of jobs say otherwise
if "sqlite" in DATABASES["default"]["ENGINE"]:  # noqa: F405
    # A file, as users have it: of a data base in memory no thread may read what another one is writing.
    DATABASES["default"]["TEST"] = {"NAME": str(DATA / "test.sqlite3")}  # noqa: F405
