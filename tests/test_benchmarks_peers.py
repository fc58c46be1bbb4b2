"""`benchmarks/peers.py`: what it says of cost, of marks and of pictures is so, and a tool that is missing is named."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import urllib.request
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from rig import exam, peer, peers_page
from rig.asked import Arrival, Asked, ask
from rig.clients import FIRST, LIMIT, Client, bare, keju
from rig.installed import Install
from rig.marks import Marks
from rig.measured import BENCHMARKS, MODEL, Cost, MockServer
from rig.peers_page import Measured, Standing
from rig.started import Start

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the figures come from /proc")
ITEMS = 4


@pytest.fixture(scope="module")
def opera(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An exam of four items."""
    folder = tmp_path_factory.mktemp("peers") / "opera4"
    exam.write(folder, ITEMS)
    return folder


def cost(items: int, cpu: float, **more: object) -> Cost:
    made = Cost(
        items,
        cpu,
        wall_s=2.0,
        rss_mb=100,
        log_bytes=items * 500,
        in_flight=9,
        requests=items,
        correct=True,
        foreign=0.5,
    )
    return replace(made, **more)  # type: ignore[arg-type]


def asked(items: int, cpu: float, *, wrong: int = 0, arrival: Arrival | None = None) -> Asked:
    return Asked(cost(items, cpu), Marks(items, items - wrong, 0), arrival)


@pytest.fixture
def measured() -> Measured:
    """keju at 2 ms an item, another at 20 and 30, which changes pictures and marks an item wrongly."""
    whole = Arrival(10, 10, ["PNG"], 1.6)
    own = asked(10, 0.52, arrival=whole), asked(110, 0.72)
    first = asked(10, 1.2, arrival=Arrival(10, 4, ["JPEG"], 0.1)), asked(110, 3.2, wrong=1)
    second = asked(10, 1.3), asked(110, 4.3)
    return Measured(
        0.2,
        [{FIRST: own, "Other": first}, {FIRST: own, "Other": second}],
        {"Third": "it ended\nwith 1"},
        {"keju": Standing("0.1", Start(0.03, 0.04), Install(22, 204.4)), "Other": Standing("9", Start(2, 3), None)},
        {"Other": "`--many`"},
    )


def row(lines: list[str], heading: str, name: str) -> list[str]:
    """Cells of a row below a heading."""
    below = lines[lines.index(heading) :]
    return next([cell.strip() for cell in line.split("|")[1:-1]] for line in below if line.startswith(f"| {name} |"))


class TestThePage:
    def test_cost_is_the_least_with_its_range_and_a_ratio_within_each_repetition(self, measured: Measured) -> None:
        _, per_item, ratio, fixed, items, *_ = row(peers_page.lines(measured, {}), "## Cost of asking", "Other")
        assert (per_item, ratio) == ("20.0 [20.0–30.0]", "10.0 [10.0–15.0]")
        assert (fixed, items) == ("1.0", "10 / 110")

    @pytest.mark.parametrize(
        ("first", "second", "said"),
        [
            ((9.0, 8.9), (9.0, 8.9), "too little to tell [-1.0–-1.0]"),
            ((9.0, 9.2), (9.5, 9.3), "too little to tell [-2.0–2.0]"),
            ((9.0, 9.4), (9.1, 9.6), "4.0 [4.0–5.0]"),
            ((9.0, 9.2), (9.1, 9.3), "2.0"),
        ],
    )
    def test_a_cost_an_item_within_the_noise_of_the_repetitions_is_not_told(
        self, measured: Measured, first: tuple[float, float], second: tuple[float, float], said: str
    ) -> None:
        measured.repetitions = [
            {**turn, "Other": (asked(10, small, arrival=Arrival(0, 0, [], 0)), asked(110, large))}
            for turn, (small, large) in zip(measured.repetitions, (first, second), strict=True)
        ]
        _, per_item, ratio, *_ = row(peers_page.lines(measured, {}), "## Cost of asking", "Other")
        assert per_item == said
        assert (ratio == "–") == said.startswith("too little")

    def test_a_changed_picture_and_a_wrong_mark_are_seen(self, measured: Measured) -> None:
        lines = peers_page.lines(measured, {})
        *_, arrives, planned, _, right = row(lines, "## Whether it is right", "Other")
        assert arrives == "**changed**: 6 of 10, JPEG of 0.10 MB"
        assert (planned, right) == ("239 of 240", "**no**")
        assert row(lines, "## Whether it is right", FIRST)[-1] == "yes"

    def test_what_failed_or_is_not_installed_is_named_with_the_remedy(self, measured: Measured) -> None:
        lines = peers_page.lines(measured, {"evalscope": "python benchmarks/peers.py --install evalscope"})
        assert "- Third failed: it ended with 1" in lines
        assert "- evalscope is not installed: `python benchmarks/peers.py --install evalscope`" in lines

    def test_a_client_that_failed_once_has_no_figures(self, measured: Measured) -> None:
        measured.broken["Other"] = "killed"
        assert measured.clients == [FIRST]

    def test_install_and_start_are_those_of_the_tool(self, measured: Measured) -> None:
        lines = peers_page.lines(measured, {})
        assert row(lines, "## Start and install", "keju") == ["keju", "0.1", "0.03", "0.04", "22", "204"]
        assert row(lines, "## Start and install", "Other")[-1] == "not measured"


class TestAsking:
    def test_keju_answers_every_item_as_planned_with_the_pictures_unchanged(self, opera: Path, tmp_path: Path) -> None:
        found = ask(Client(FIRST, keju(None), (ITEMS, 8)), opera, ITEMS, 0.0, tmp_path / "log")
        assert found.marks == Marks(ITEMS, ITEMS, 0)
        assert found.arrival == Arrival(ITEMS, ITEMS, ["PNG"], pytest.approx(1.6, abs=0.1))
        assert found.cost.requests == ITEMS + 1  # the one that checks whether the model sees
        assert 0 < found.cost.first_s < found.cost.wall_s
        assert list(tmp_path.iterdir()) == [tmp_path / "log.out"]

    def test_the_bare_client_reads_the_reply_that_every_tool_reads(self, opera: Path, tmp_path: Path) -> None:
        found = ask(Client(LIMIT, bare(), (2, ITEMS)), opera, ITEMS, 0.0, tmp_path / "log")
        assert found.marks.whole
        assert found.arrival is None

    def test_marks_that_are_not_the_planned_ones_are_counted(self, opera: Path, tmp_path: Path) -> None:
        """Another model's answers: 5 % right where 73 % should be."""

        def other(folder: Path, items: int, server: MockServer, log: Path) -> list[str]:
            return [part.replace(MODEL, "mock-5") for part in keju(None)(folder, items, server, log)]

        found = ask(Client("another", other, (ITEMS, 8)), opera, ITEMS, 0.0, tmp_path / "log")
        agree = sum(
            (exam.answer(n, "mock-5") == exam.key(n)) == (exam.answer(n, MODEL) == exam.key(n)) for n in range(1, 5)
        )
        assert found.marks == Marks(ITEMS, agree, 0)
        assert agree < ITEMS

    def test_a_client_that_fails_says_its_last_words_and_leaves_nothing(self, opera: Path, tmp_path: Path) -> None:
        client = Client("broken", lambda *_: [sys.executable, "-c", "raise SystemExit('no such task')"], (ITEMS, 8))
        with pytest.raises(RuntimeError, match="no such task"):
            ask(client, opera, ITEMS, 0.0, tmp_path / "log")
        assert not (tmp_path / "log").exists()


def test_the_server_tells_a_picture_that_was_changed_on_the_way(opera: Path) -> None:
    """Also where the client's JSON escapes slashes."""
    changed = (opera / "0001.png").read_bytes()[:-1] + b"?"
    url = f"data:image/png;base64,{base64.b64encode(changed).decode()}".replace("/", "\\/")
    body = f'{{"model": "mock-73", "text": "#0001#", "url": "{url}"}}'.encode()
    with MockServer(reply="ANSWER: {}", pictures=True) as server:
        request = urllib.request.Request(f"{server.base_url}/chat/completions", body)
        with urllib.request.urlopen(request) as reply:
            text = json.load(reply)["choices"][0]["message"]["content"]
        (digest, size, kind) = server.seen()["pictures"]["1"]
    assert text == f"ANSWER: {exam.answer(1, MODEL)}"
    assert (size, kind) == (len(changed), "PNG")
    assert digest == sha256(changed).hexdigest()


class TestTheTools:
    @pytest.mark.parametrize("tool", peer.TOOLS, ids=lambda tool: tool.name)
    def test_every_text_of_a_tool_is_filled(self, tool: peer.Tool, tmp_path: Path) -> None:
        task = peer.Task(tmp_path / "bin" / "python", tmp_path, tmp_path / "out", "http://h/v1", "opera4", MODEL, 64)
        command, text = task.command(tool), " ".join([*task.command(tool), *task.environment(tool).values()])
        for given in ("http://h/v1", "64", MODEL, str(tmp_path / "out")):
            assert given in text, f"{tool.name} is not told {given}"
        assert Path(command[0]).parent == Path(task.start(tool)[0]).parent == tmp_path / "bin"
        assert task.environment(tool)["HF_HUB_OFFLINE"] == "1"

    def test_an_environment_for_other_versions_is_not_installed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import environments

        monkeypatch.setattr(environments, "HOME", tmp_path)
        tool = peer.BY_NAME["evalscope"]
        assert environments.installed(tool) is None
        (tmp_path / "evalscope").mkdir()
        (tmp_path / "evalscope" / "ready").write_text("evalscope==0.1", encoding="utf-8")
        assert environments.installed(tool) is None
        (tmp_path / "evalscope" / "ready").write_text("\n".join(tool.packages), encoding="utf-8")
        assert environments.installed(tool) == tmp_path / "evalscope" / "bin" / "python"

    def test_a_tool_that_nobody_knows_is_refused_with_those_there_are(self) -> None:
        command = [sys.executable, str(BENCHMARKS / "peers.py"), "vlmeval"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert "no tool is called vlmeval; there are inspect, lm-eval, evalscope, lmms-eval, vlmevalkit" in done.stderr
