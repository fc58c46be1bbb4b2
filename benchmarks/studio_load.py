"""A team at work in the studio, as fast as it can: is every save that was acknowledged still there at the end?

    python benchmarks/studio_load.py                        12 people for two minutes on SQLite
    python benchmarks/studio_load.py --postgres             the same on a PostgreSQL started for it
    python benchmarks/studio_load.py --kill --backup        the server is killed (-9) at half time, and backed up before

Half of the people save items in the editor, two at each item, so that they meet; half answer the questions of a
sitting. All go through the pages over HTTP, with a session each and no pause between. What was acknowledged is then
looked for in the database, the log's chain and all media are verified, and the backup is restored elsewhere.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import count
from pathlib import Path
from statistics import quantiles
from typing import Any

import aiohttp

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent / "tests" / "studio"
QUESTIONS = 1000  # more than one participant answers in two minutes
Cookie = tuple[str, str]


@dataclass
class Told:
    """What the clients saw."""

    saves: list[tuple[int, str]] = field(default_factory=list)
    """(item, stem) that a redirect acknowledged."""
    answers: list[tuple[int, str]] = field(default_factory=list)
    """(assignment, label) that a redirect acknowledged."""
    conflicts: int = 0
    failures: list[str] = field(default_factory=list)
    """Answers of the server with a status of 500 or more, or one that none should get."""
    seconds: list[float] = field(default_factory=list)
    """Of each POST."""


class Fields(HTMLParser):
    """The fields of the form that holds `name`, as a browser would send them."""

    def __init__(self, page: str, name: str) -> None:
        super().__init__()
        self.forms: list[dict[str, str]] = []
        self._area = self._select = ""
        self.feed(page)
        self.found = next((form for form in self.forms if name in form), {})

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        told = {key: value or "" for key, value in attributes}
        name = told.get("name", "")
        if tag == "form":
            self.forms.append({})
        elif tag == "option" and "selected" in told and self._select:
            self.forms[-1][self._select] = told["value"]
        elif not self.forms or not name:
            return
        elif tag == "select":
            self._select = name
            self.forms[-1][name] = ""
        elif tag == "textarea":
            self._area = name
            self.forms[-1][name] = ""
        elif tag == "input" and told.get("type") not in {"file", "radio", "checkbox"}:
            self.forms[-1][name] = told.get("value", "")
        elif tag == "input" and "checked" in told:
            self.forms[-1][name] = told.get("value", "on")
        elif tag == "input":
            self.forms[-1].setdefault(name, "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._area = ""

    def handle_data(self, data: str) -> None:
        if self._area:
            self.forms[-1][self._area] = (self.forms[-1][self._area] + data).lstrip("\n")


class Client:
    """One person's browser."""

    def __init__(self, address: str, told: Told, until: float) -> None:
        self.session = aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))
        self.address, self.told, self.until = address.rstrip("/"), told, until

    async def get(self, path: str) -> str:
        while True:
            try:
                async with self.session.get(self.address + path) as response:
                    text = await response.text()
                    if response.status == 200:
                        return text
                    self.told.failures.append(f"{response.status} GET {path}")
            except (aiohttp.ClientError, OSError):  # the server was killed
                await asyncio.sleep(0.2)
            if time.monotonic() > self.until + 30:
                return ""

    async def post(self, path: str, fields: dict[str, str]) -> int:
        """The status; 0 where no answer came."""
        began = time.monotonic()
        headers = {"Referer": self.address + path}
        try:
            async with self.session.post(
                self.address + path, data=fields, headers=headers, allow_redirects=False
            ) as response:
                await response.read()
        except (aiohttp.ClientError, OSError):
            return 0
        self.told.seconds.append(time.monotonic() - began)
        if response.status >= 500 or response.status == 403:
            self.told.failures.append(f"{response.status} POST {path}")
        return response.status

    async def enter(self, token: str) -> None:
        page = await self.get(f"/enter/{token}")
        await self.post(f"/enter/{token}", Fields(page, "csrfmiddlewaretoken").found)

    async def edit(self, item: int, who: int) -> None:
        """Save an item again and again."""
        for number in count():
            if time.monotonic() > self.until:
                return
            fields = Fields(await self.get(f"/projects/load/items/{item}/edit"), "base_version").found
            text = f"person {who} save {number}"
            status = await self.post(
                f"/projects/load/items/{item}/edit", {**fields, "stem_zh-Hans": text, "reason": "load"}
            )
            if status == 302:
                self.told.saves.append((item, text))
            elif status == 409:
                self.told.conflicts += 1
            elif status:
                self.told.failures.append(f"{status} save of {item}")

    async def sit(self, sitting: int) -> None:
        """Answer question after question."""
        place = f"/projects/load/sittings/{sitting}"
        fields = Fields(await self.get(place), "agree").found
        await self.post(f"{place}/consent", {**fields, "agree": "yes", "language": ""})
        for number in count():
            fields = Fields(await self.get(place), "assignment").found
            if time.monotonic() > self.until:
                return
            if "assignment" not in fields:
                self.told.failures.append(f"no question {number + 1}")
                return
            label = "ABCD"[number % 4]
            await self.post(f"{place}/choose", {**fields, "answer": label})
            measured = json.dumps({"visible_ms": number})
            status = await self.post(f"{place}/answer", {**fields, "answer": label, "measured": measured})
            if status == 302:
                self.told.answers.append((int(fields["assignment"]), label))
            elif status:
                self.told.failures.append(f"{status} answer {fields['assignment']}")


class Server:
    """`keju studio` as users start it."""

    def __init__(self, data: Path, database: str | None) -> None:
        self.command = [sys.executable, "-m", "keju", "studio", "--data", str(data), "--json"]
        self.command += ["--database", database] if database else []
        self.process, self.address = self._start(0)

    def _start(self, port: int) -> tuple[subprocess.Popen[str], str]:
        process = subprocess.Popen(
            [*self.command, "--port", str(port)], stdout=subprocess.PIPE, text=True, env=environment()
        )
        assert process.stdout
        return process, json.loads(process.stdout.readline())["address"]

    def kill(self) -> None:
        """As a failing machine would: no word to anyone. Then it starts again where it was."""
        self.process.kill()
        self.process.wait()
        port = int(self.address.rstrip("/").rpartition(":")[2])
        self.process, self.address = self._start(port)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def environment() -> dict[str, str]:
    """Ours, without what tests set in it."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("KEJU_", "DJANGO_"))}


async def work(server: Server, seeded: dict[str, Any], options: argparse.Namespace, folder: Path) -> tuple[Told, float]:
    told, began = Told(), time.monotonic()
    until = began + options.seconds
    clients = [Client(server.address, told, until) for _ in seeded["tokens"]]
    for client, token in zip(clients, seeded["tokens"], strict=True):
        await client.enter(token)
    editors, sitters = clients[: len(clients) // 2], clients[len(clients) // 2 :]
    tasks = [client.edit(seeded["items"][at // 2], at) for at, client in enumerate(editors)]
    tasks += [client.sit(seeded["sitting"]) for client in sitters]
    tasks.append(disturb(server, options, folder))
    await asyncio.gather(*tasks)
    for client in clients:
        await client.session.close()
    return told, time.monotonic() - began


async def disturb(server: Server, options: argparse.Namespace, folder: Path) -> None:
    if options.backup:
        await asyncio.sleep(options.seconds / 4)
        command = [*server.command[:-3], "--json"] if "--database" in server.command else server.command
        database = server.command[-2:] if "--database" in server.command else []
        process = await asyncio.create_subprocess_exec(
            *command, *database, "--backup", str(folder / "backup.zip"), env=environment(), stdout=subprocess.DEVNULL
        )
        assert await process.wait() == 0
    if options.kill:
        await asyncio.sleep(options.seconds / 4)
        await asyncio.to_thread(server.kill)


def inside(step: str, data: Path, database: str | None, *more: str) -> dict[str, Any]:
    """A step of this file in a process of its own, with Django set up on the data."""
    command = [sys.executable, "-W", "ignore", __file__, "--inside", step, "--data", str(data), *more]
    command += ["--database", database] if database else []
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment())
    return dict(json.loads(done.stdout.splitlines()[-1]))


def seed(options: argparse.Namespace) -> dict[str, Any]:
    """A project, items to edit, a sitting, and a link for everyone."""
    import building

    from keju.studio import sittings
    from keju.studio.models import Project, Role
    from keju.studio.signing_in import new_link

    home = Project.objects.create(slug="load", title="Load", languages=["zh-Hans", "en"])
    half = options.people // 2
    people = [building.person(home, Role.OWNER) for _ in range(half)]
    picture = building.asset(home, people[0])
    items = [building.item(home, people[0], image=picture) for _ in range((half + 1) // 2)]
    for _ in range(options.questions):
        building.item(home, people[0], image=picture, state="accepted")
    batch = sittings.draw(home, people[0], "Load", options.questions)
    guests = sittings.invite(batch, people[0], "expert", options.people - half)
    tokens = [new_link(user) for user in people] + [guest.token for guest in guests]
    return {"tokens": tokens, "items": [item.pk for item in items], "sitting": batch.pk}


def check(options: argparse.Namespace) -> dict[str, Any]:
    """What of the acknowledged is not there."""
    from keju.studio.models import Response, Revision
    from keju.studio.operations import verify

    told = json.loads(options.told.read_text(encoding="utf-8"))
    revisions = Revision.objects.filter(item__in={item for item, _ in told["saves"]})
    stems = {(one.item_id, one.body["stem"].get("zh-Hans")) for one in revisions}
    standing = Response.objects.filter(superseded_by__isnull=True).values_list("assignment", "data")
    answers = {(pk, data["answer"]) for pk, data in standing}
    lost = [one for one in told["saves"] if tuple(one) not in stems]
    lost += [one for one in told["answers"] if tuple(one) not in answers]
    return {"lost": lost, "faults": verify(), "revisions": revisions.count(), "responses": len(answers)}


def measure(options: argparse.Namespace, database: str | None) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="keju-load-") as name:
        folder = Path(name)
        data = folder / "data"
        shape = ("--people", str(options.people), "--questions", str(options.questions))
        seeded = inside("seed", data, database, *shape)
        server = Server(data, database)
        try:
            told, passed = asyncio.run(work(server, seeded, options, folder))
        finally:
            server.stop()
        (folder / "told.json").write_text(json.dumps({"saves": told.saves, "answers": told.answers}))
        found = inside("check", data, database, "--told", str(folder / "told.json"))
        acknowledged = len(told.saves) + len(told.answers)
        result = {
            "database": "PostgreSQL" if database else "SQLite",
            "people": options.people,
            "seconds": round(passed, 1),
            "acknowledged": acknowledged,
            "per_second": round(acknowledged / passed, 1),
            "saves": len(told.saves),
            "answers": len(told.answers),
            "conflicts": told.conflicts,
            "failures": told.failures[:10],
            "lost": found["lost"],
            "faults": found["faults"],
        }
        if len(told.seconds) > 1:
            cuts = quantiles(told.seconds, n=100)
            result |= {
                "median_s": round(cuts[49], 3),
                "p95_s": round(cuts[94], 3),
                "p99_s": round(cuts[98], 3),
                "worst_s": round(max(told.seconds), 3),
            }
        if options.backup:
            subprocess.run(
                [
                    *(sys.executable, "-m", "keju", "studio", "--data", folder / "restored"),
                    *("--restore", folder / "backup.zip"),
                ],
                check=True,
                stdout=subprocess.DEVNULL,
                env=environment(),
            )
            result["restored"] = inside("check", folder / "restored", None, "--told", str(folder / "told.json"))[
                "faults"
            ]
        return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--people", type=int, default=12)
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--database", metavar="URL", help="an empty PostgreSQL database (default: SQLite)")
    parser.add_argument("--postgres", action="store_true", help="start a PostgreSQL for it")
    parser.add_argument("--kill", action="store_true", help="kill -9 the server at half time")
    parser.add_argument("--backup", action="store_true", help="back up meanwhile, and restore that at the end")
    parser.add_argument("--inside", choices=("seed", "check"), help=argparse.SUPPRESS)
    parser.add_argument("--data", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--told", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.path.insert(0, str(TESTS))
    if options.inside:
        from keju.studio import serving

        serving.set_up(options.data, options.database)
        print(json.dumps(seed(options) if options.inside == "seed" else check(options)))
        return 0
    from clusters import cluster

    with cluster() if options.postgres else nullcontext(options.database) as database:
        result = measure(options, database)
    print(json.dumps(result, indent=1))
    return 1 if result["lost"] or result["failures"] or result["faults"] or result.get("restored") else 0


if __name__ == "__main__":
    sys.exit(main())
