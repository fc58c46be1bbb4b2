"""Starting the studio: data folder, migrations, first account, and a threaded server in this process."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from keju.errors import BadFile

DATABASE = "studio.sqlite3"  # in the data folder
THREADS = 8  # one SQLite process: more threads only wait for its write lock


def set_up(data: Path, database: str | None = None, hosts: str | None = None, https: bool = False) -> None:
    """Point Django at a data folder and bring its tables up to date. Raises `BadFile` where it cannot be used."""
    try:
        data.mkdir(parents=True, exist_ok=True)
        data.chmod(0o700)
        _keep_secret(data / "secret.key")
    except OSError as error:
        raise BadFile(f"{data}: cannot be used as the studio's data folder: {error.strerror or error}") from error
    os.environ["DJANGO_SETTINGS_MODULE"] = "keju.studio.settings"
    os.environ["KEJU_STUDIO_DATA"] = str(data.resolve())
    if database:
        os.environ["KEJU_STUDIO_DATABASE"] = database
    if hosts:
        os.environ["KEJU_STUDIO_HOSTS"] = hosts
    if https:
        os.environ["KEJU_STUDIO_HTTPS"] = "1"
    import django
    from django.core.management import call_command
    from django.db.utils import OperationalError

    django.setup()
    try:
        call_command("migrate", verbosity=0)
    except OperationalError as error:
        raise BadFile(f"the studio's database cannot be opened: {error}") from error


def _keep_secret(file: Path) -> None:
    """Make the key that signs sessions, readable by its owner only, unless there is one."""
    with suppress(FileExistsError), os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as new:
        new.write(secrets.token_urlsafe(50))


def first_link() -> str:
    """A token that signs in the administrator, who is made if there is none yet."""
    from django.contrib.auth.models import User

    from keju.studio.signing_in import new_link, new_person

    admin = User.objects.filter(is_superuser=True).first()
    if admin is None:
        admin = new_person("admin", kind="owner")
        admin.is_superuser = admin.is_staff = True
        admin.save()
    return new_link(admin)


def serve(host: str, port: int, ready: Callable[[int], None]) -> None:
    """Serve until interrupted. `ready` gets the port that was bound (another than asked for where that was 0)."""
    import waitress

    from keju.studio import jobs
    from keju.studio.oversized import limit
    from keju.studio.receiving import watch

    server: Any = waitress.create_server(
        application,
        host=host,
        port=port,
        threads=THREADS,
        max_request_body_size=limit() + 1,  # from which on waitress refuses
        ident=None,
    )
    watch(server)
    jobs.all_interrupted()
    listening = getattr(server, "effective_listen", None)  # where the name has several addresses
    ready(int(listening[0][1] if listening else server.effective_port))
    try:
        server.run()
    finally:
        server.close()


def application(environ: dict[str, Any], start_response: Any) -> Any:
    """The WSGI application, made at the first request (for `gunicorn keju.studio.serving:application` as well)."""
    global _application  # noqa: PLW0603 (one Django a process)
    if _application is None:
        from django.core.wsgi import get_wsgi_application

        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "keju.studio.settings")
        _application = get_wsgi_application()
    return _application(environ, start_response)


_application: Any = None
