"""Django's settings, all from the environment that `keju studio` sets.

`KEJU_STUDIO_DATA` folder of the database, the media and the secret key · `KEJU_STUDIO_DATABASE` `postgresql://…`, or
SQLite in that folder · `KEJU_STUDIO_HOSTS` names it may be reached by, comma-separated · `KEJU_STUDIO_HTTPS` 1 where a
proxy ends TLS in front of it.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from csp.constants import NONE, SELF

HERE = Path(__file__).parent
KEY_FILE = "secret.key"
DATA = Path(os.environ.get("KEJU_STUDIO_DATA", "keju-studio")).resolve()


def _secret_key(folder: Path) -> str:
    """The key that signs sessions: `serving.set_up` keeps one in the data folder; else one for this process alone."""
    file = folder / KEY_FILE
    return file.read_text(encoding="ascii") if file.is_file() else secrets.token_urlsafe(50)


def _database(url: str | None) -> dict[str, Any]:
    """SQLite that several writers can share, or the PostgreSQL that `url` names."""
    if not url:
        return {
            "ENGINE": "keju.studio.sqlite",
            "NAME": DATA / "studio.sqlite3",
            "OPTIONS": {
                "timeout": 20,  # seconds
                # A deferred transaction that turns from reading to writing fails at once where another writes.
                "transaction_mode": "IMMEDIATE",
                "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA foreign_keys=ON;",
            },
        }
    parts = urlsplit(url)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": parts.port or "",
        "CONN_MAX_AGE": 60,
    }


SECRET_KEY = _secret_key(DATA)
DEBUG = False
HTTPS = os.environ.get("KEJU_STUDIO_HTTPS") == "1"
ALLOWED_HOSTS = [h for h in os.environ.get("KEJU_STUDIO_HOSTS", "127.0.0.1,localhost,[::1]").split(",") if h]
CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in ALLOWED_HOSTS] if HTTPS else []

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "simple_history",
    "axes",
    "csp",
    "keju.studio",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "keju.studio.oversized.Oversized",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "simple_history.middleware.HistoryRequestMiddleware",
    "keju.studio.refusing.Unholdable",
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "keju.studio.urls"
WSGI_APPLICATION = "keju.studio.serving.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
            ]
        },
    }
]

FORM_RENDERER = "keju.studio.form_looks.Looks"

DATABASES = {"default": _database(os.environ.get("KEJU_STUDIO_DATABASE"))}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
MEDIA_STORE = DATA / "media"
"""Content-addressed: `ab/cd/<sha256>`. Served by a view that asks the policy, never as static files."""
RELEASE_STORE = DATA / "releases"
"""What was built, a folder a release."""
IMPORT_FOLDER = DATA / "incoming"
"""Whoever runs the server puts benchmarks and runs here that are too large for an upload."""
JOB_FOLDER = DATA / "jobs"
"""Uploads that a job works on, until it is done."""
JOB_THREADS = True
"""Whether a job runs in a thread of its own; else in the request that starts it."""

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",  # locks out whoever guesses passwords
    "django.contrib.auth.backends.ModelBackend",
]
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]  # behind a proxy, or in one school, all have one address
AXES_LOCKOUT_TEMPLATE = "studio/account/locked.html"
AXES_RESET_ON_SUCCESS = True
AXES_VERBOSE = False
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("MinimumLengthValidator", "CommonPasswordValidator", "UserAttributeSimilarityValidator")
]
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "blob:"],  # a picture just pasted, before it is uploaded
        "media-src": [SELF, "blob:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "form-action": [SELF],
    }
}
FILE_UPLOAD_HANDLERS = ("django.core.files.uploadhandler.MemoryFileUploadHandler", "keju.studio.uploading.ToDisk")
UPLOAD_LIMIT = 200 * 2**20  # bytes; a clip of an hour at 320 kbit/s is 140 MB
DATA_UPLOAD_MAX_MEMORY_SIZE = 10 * 2**20  # of a form without its files
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5000

LANGUAGE_CODE = "en"
LANGUAGES = [("zh-hans", "简体中文"), ("zh-hant", "繁體中文"), ("en", "English")]
LOCALE_PATHS = [HERE / "locale"]
LANGUAGE_COOKIE_SAMESITE = "Lax"
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
WHITENOISE_USE_FINDERS = True  # served from the package: nothing to collect
WHITENOISE_AUTOREFRESH = False
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "django.request": {"level": "ERROR"},  # a form filled in wrongly, or a page that is not there, is no fault
        "waitress.queue": {"level": "ERROR"},  # says of every second request that it waits for a moment
    },
}
