"""Runs on a Ray cluster of several nodes on this machine: the same records, and whatever is lost is asked once more."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keju import api
from keju.errors import KejuError, Misuse
from keju.items import Medium
from keju.protocols import load_protocol
from keju.runs.asking import Session
from keju.runs.reading import open_run
from keju.runs.scale_out.cluster import Cluster
from keju.runs.scale_out.dealing import TRIES, Deal, Hand
from keju.runs.scale_out.replica import Opened, Order, Replica, Report
from keju.runs.scale_out.replicas import order_of
from keju.runs.transport import Transport
from making import benchmark, item
from servers.fake_openai import Asked, FakeServer, completion, error
from servers.s3 import bucket
from tiny.torchvision_ops import make_importable

HOOK = {"worker_process_setup_hook": "tiny.torchvision_ops.make_importable"}
"""What processes on the nodes begin with where they import Transformers."""
CHANGES = ("at", "stages", "attempts")
"""What two sessions of asking do not have in common."""


def dealt(number: int) -> Deal:
    return Deal(iter([item(n) for n in range(1, number + 1)]), number)


class TestDealing:
    def test_a_hand_holds_what_it_was_given_until_it_is_done(self) -> None:
        deal, hand = dealt(5), Hand()
        assert [one.id for one in deal.give(hand, 3)] == ["0001", "0002", "0003"]
        assert (len(hand), deal.waiting, deal.held, deal.over) == (3, 2, 3, False)
        assert deal.done(hand, "0002") is not None
        assert deal.done(hand, "0002") is None, "a record that comes twice counts once"
        assert list(hand.items) == ["0001", "0003"]

    def test_what_a_lost_replica_held_is_dealt_again_before_anything_new(self) -> None:
        deal, lost, other = dealt(5), Hand(), Hand()
        deal.give(lost, 2)
        assert deal.lost(lost) == []
        assert [one.id for one in deal.give(other, 3)] == ["0001", "0002", "0003"]

    def test_an_item_that_killed_two_replicas_is_asked_alone_and_given_up_after_the_third(self) -> None:
        deal, hand = dealt(4), Hand()
        for _ in range(TRIES - 1):
            deal.give(hand, 2)
            assert deal.lost(hand) == []
        busy = Hand()
        assert [one.id for one in deal.give(busy, 9)] == ["0003", "0004"]
        assert deal.give(busy, 9) == [], "a suspect goes into an empty hand only"
        assert [one.id for one in deal.give(hand, 9)] == ["0001"]
        assert deal.give(hand, 9) == [], "and nothing goes beside it"
        assert [one.id for one in deal.lost(hand)] == ["0001"]
        assert [one.id for one in deal.give(hand, 9)] == ["0002"]

    @given(
        st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5), st.sampled_from(("done", "lost")))), st.integers(0, 30)
    )
    def test_every_item_is_done_or_given_up_once_whatever_is_lost(
        self, steps: list[tuple[int, int, str]], number: int
    ) -> None:
        deal, hands, ended = dealt(number), [Hand(), Hand(), Hand()], Counter[str]()
        for who, most, then in [*steps, *[(n % 3, 4, "done") for n in range(3 * number + 9)]]:
            hand = hands[who]
            deal.give(hand, most)
            if then == "lost":
                ended.update(one.id for one in deal.lost(hand))
            elif hand:
                first = next(iter(hand.items))
                deal.done(hand, first)
                ended[first] += 1
        assert ended == {f"{n:04d}": 1 for n in range(1, number + 1)}
        assert deal.over


class TestAsking:
    @pytest.mark.parametrize(
        ("wanted", "message"),
        [
            ({"replicas": 0}, "at least 1"),
            ({"cpus": -1.0}, "0 or more"),
            ({"gpus": float("nan")}, "0 or more"),
            ({"gpus": 1.5}, "whole number"),
        ],
    )
    def test_a_cluster_that_cannot_be_is_refused(self, wanted: dict[str, Any], message: str) -> None:
        with pytest.raises(Misuse, match=message):
            Cluster(**wanted)

    def test_a_local_model_takes_a_gpu_where_there_is_one(self) -> None:
        assert Cluster().gpus_for("hf/one", there=True) == 1
        assert Cluster().gpus_for("hf/one", there=False) == 0
        assert Cluster().gpus_for("openai/gpt-4o", there=True) == 0
        assert Cluster(gpus=0.5).gpus_for("hf/one", there=True) == 0.5

    def test_without_ray_the_install_line_is_said(self, tmp_path: Path) -> None:
        code = "import sys; sys.modules['ray'] = None; from keju.cli import main; sys.exit(main(sys.argv[1:]))"
        command = [sys.executable, "-c", code, "run", "teahouse", "-m", "openai/gpt-4o", "--ray", "local"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert "pip install 'keju[ray]'" in done.stderr
        assert "Traceback" not in done.stderr

    @pytest.mark.parametrize(
        ("model", "options", "message"),
        [
            ("openia/gpt-4o", {}, r"no provider 'openia' \(did you mean openai\?\)"),
            ("gpt-4o-nonsense", {}, "no model 'gpt-4o-nonsense'"),
            ("openai-compatible/m", {}, "needs the address of its server"),
            ("openai/gpt-4o", {"dialect": "openia"}, "openia"),
            ("openai/gpt-4o", {"transcriber": "wisper/base"}, "nothing is called 'wisper/base'"),
            ("openai/gpt-4o", {"tmeout": 3}, "no option 'tmeout'"),
            ("embedded/nobody", {}, "no embedded model 'nobody'"),
            ("hf//no/such/folder", {"extra": {"dtpye": "float16"}}, "no option 'dtpye'"),
        ],
    )
    def test_a_model_that_cannot_be_is_refused_before_the_cluster_is_reached(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, options: dict[str, Any], message: str
    ) -> None:
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        session = Session(cluster=Cluster("127.0.0.1:9"))
        with pytest.raises(Misuse, match=message):
            api.run(benchmark(1), model, out=tmp_path, session=session, **options)
        assert not list(tmp_path.iterdir())

    def test_the_last_of_several_models_is_looked_at_before_the_cluster_is_reached(self, tmp_path: Path) -> None:
        models = ["-m", "openai/gpt-4o", "-m", "openia/x", "--ray", "127.0.0.1:9"]
        command = [sys.executable, "-m", "keju", "run", "teahouse", *models]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert "no provider 'openia'" in done.stderr

    @pytest.mark.parametrize(
        ("model", "options"),
        [
            ("openai/gpt-4o", {}),
            ("openai/gpt-4o", {"key_file": "no-such-file"}),
            ("openai/gpt-4o", {"transcriber": "openai/whisper-1"}),
            ("openai/gpt-4o", {"transcriber": "no-such/transcripts.jsonl"}),
            ("hf//no/such/folder", {}),
        ],
    )
    def test_keys_and_files_that_a_node_may_have_are_not_missed_here(
        self, monkeypatch: pytest.MonkeyPatch, model: str, options: dict[str, Any]
    ) -> None:
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        assert order_of(model, benchmark(1), options).options == options

    def test_replicas_need_a_cluster(self, tmp_path: Path) -> None:
        command = [sys.executable, "-m", "keju", "run", "teahouse", "-m", "openai/gpt-4o", "--replicas", "2"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr.strip()) == (2, "keju run: --replicas needs --ray")


@dataclass
class Nodes:
    """A cluster whose head has no place for replicas, and worker nodes with one each."""

    cluster: Any
    workers: list[Any] = field(default_factory=list)

    @property
    def address(self) -> str:
        return str(self.cluster.address)

    def add(self) -> None:
        self.workers.append(self.cluster.add_node(num_cpus=1, object_store_memory=100 * 2**20))

    def remove(self) -> None:
        """Kill one node with everything on it."""
        self.cluster.remove_node(self.workers.pop(), allow_graceful=False)

    def wait_for(self, number: int) -> None:
        """Wait until so many replicas have been at work for a second."""
        deadline = time.monotonic() + 30
        while len(self.replicas()) != number and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1.0)

    def replicas(self) -> list[int]:
        """Process ids of the replicas that run on the nodes."""
        raylets = [node.all_processes["raylet"][0].process.pid for node in self.workers]
        return [pid for raylet in raylets for pid in _children(raylet) if _title(pid).startswith("ray::Replica")]


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _title(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


@contextmanager
def keep_folder() -> Iterator[None]:
    """A replica goes to the driver's folder; here it is this process that would."""
    before = Path.cwd()
    try:
        yield
    finally:
        os.chdir(before)


@pytest.fixture(scope="module")
def store() -> Iterator[Any]:
    """An object store, which the nodes know of too."""
    with bucket() as made:
        yield made


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory, store: Any) -> Iterator[Nodes]:
    if not sys.platform.startswith("linux"):
        pytest.skip("replicas are found by /proc")
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setenv("RAY_AUTH_MODE", "token")
        patch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(16))
        patch.setenv("PYTHONPATH", str(Path(__file__).parent))  # for what the nodes' processes begin with
        patch.setenv("KEJU_CACHE", str(tmp_path_factory.mktemp("cache-of-the-nodes")))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_DEDUP_LOGS_SKIP_REGEX", ".")
        ray = pytest.importorskip("ray", reason="the extra `ray` is not installed")
        from ray.cluster_utils import Cluster as Several

        head = {"num_cpus": 0, "object_store_memory": 100 * 2**20, "include_dashboard": False}
        made = Nodes(Several(initialize_head=True, head_node_args=head))
        made.add()
        made.add()
        made.cluster.wait_for_nodes()
        ray.init(address=made.address, logging_level="ERROR", log_to_driver=False)
        yield made
        ray.shutdown()
        made.cluster.shutdown()


def spread(nodes: Nodes, replicas: int = 2, **settings: Any) -> Session:
    return Session(cluster=Cluster(nodes.address, replicas), check_media=False, **settings)


def records(folder: Path) -> dict[str, Mapping[str, Any]]:
    """What stands in the run folder, by item; every item once."""
    lines = [json.loads(line) for line in (folder / "records.jsonl").read_text("utf-8").splitlines()]
    assert len({line["id"] for line in lines}) == len(lines), "an item is recorded twice"
    return {line["id"]: {name: value for name, value in line.items() if name not in CHANGES} for line in lines}


def by_number(asked: Asked) -> Mapping[str, Any]:
    """An answer that depends on the question, a little later."""
    number = int(asked.text.partition("编号")[2].partition("。")[0])
    return completion("ABCD"[number % 4], delay_s=0.05)


def last_session(folder: Path) -> Mapping[str, Any]:
    session: Mapping[str, Any] = json.loads((folder / "run.json").read_text("utf-8"))["sessions"][-1]
    return session


@pytest.mark.slow
@pytest.mark.timeout(300)  # a cluster starts in ten seconds, on a busy machine in forty
class TestOnACluster:
    def test_its_records_are_those_of_one_process_and_either_resumes_the_other(
        self, nodes: Nodes, tmp_path: Path
    ) -> None:
        exam = benchmark(40, folder=tmp_path)
        with FakeServer(by_number) as server:
            ask = {"base_url": server.base_url, "concurrency": 4}
            alone = api.run(exam, "openai-compatible/m", out=tmp_path / "alone", **ask)
            there = api.run(exam, "openai-compatible/m", out=tmp_path / "there", session=spread(nodes), **ask)
            assert there.complete
            assert records(alone.folder) == records(there.folder)
            session = last_session(there.folder)
            places = session["ray"].pop("nodes")
            assert sum(place["replicas"] for place in places) in (1, 2), "one may be done before the other is there"
            assert session["ray"] == {
                "address": nodes.address,
                "replicas": 2,
                "cpus_per_replica": 1.0,
                "gpus_per_replica": 0.0,
                "lost": 0,
            }
            assert (session["requests"], session["concurrency"]) == (40, 4)
            before = len(server.requests)
            again = [
                api.run(exam, "openai-compatible/m", out=tmp_path / "there", **ask),
                api.run(exam, "openai-compatible/m", out=tmp_path / "alone", session=spread(nodes), **ask),
            ]
            assert all(run.complete for run in again)
            assert len(server.requests) == before
        left, right = (json.loads((run.folder / "run.json").read_text("utf-8")) for run in (alone, there))
        assert left["fingerprint"] == right["fingerprint"]
        assert left["benchmark"]["fingerprint"] == right["benchmark"]["fingerprint"]

    def test_a_killed_worker_and_a_lost_node_cost_what_they_had_in_flight(self, nodes: Nodes, tmp_path: Path) -> None:
        exam = benchmark(120, folder=tmp_path)

        def lose_both() -> None:
            """Each once it has been at work for a while."""
            nodes.wait_for(2)
            os.kill(nodes.replicas()[0], signal.SIGKILL)
            nodes.wait_for(2)
            nodes.remove()

        losing = threading.Thread(target=lose_both)
        try:
            with FakeServer(lambda asked: {**by_number(asked), "delay_s": 0.15}) as server:
                options = {"base_url": server.base_url, "concurrency": 2}
                losing.start()
                run = api.run(exam, "openai-compatible/m", out=tmp_path / "runs", session=spread(nodes), **options)
                asked = Counter(request.text for request in server.requests)
            assert run.complete
            assert len(records(run.folder)) == 120
            assert last_session(run.folder)["ray"]["lost"] >= 2, "another may have been on its way to the lost node"
            repeated = sum(asked.values()) - 120
            assert repeated <= 2 * 2, "more was asked again than two replicas had in flight"
        finally:
            losing.join()
            while len(nodes.workers) < 2:
                nodes.add()
            nodes.cluster.wait_for_nodes()

    def test_what_kills_every_replica_is_recorded_as_failed_and_the_rest_is_answered(
        self, nodes: Nodes, tmp_path: Path
    ) -> None:
        def answer(asked: Asked) -> Mapping[str, Any]:
            if "编号3。" in asked.text:
                for pid in nodes.replicas():
                    os.kill(pid, signal.SIGKILL)
            return by_number(asked)

        with FakeServer(answer) as server:
            options = {"base_url": server.base_url, "concurrency": 2}
            exam = benchmark(12)
            run = api.run(exam, "openai-compatible/m", out=tmp_path, session=spread(nodes, 1), **options)
        kept = records(run.folder)
        assert [i for i, record in kept.items() if record["status"] != "answered"] == ["0003"]
        assert "3 replicas were lost while it was asked" in kept["0003"]["error"]["message"]
        assert len(kept) == 12

    def test_no_credit_stops_the_whole_run_with_the_reason(self, nodes: Nodes, tmp_path: Path) -> None:
        def answer(asked: Asked) -> Mapping[str, Any]:
            gone = error(429, "You exceeded your current quota", "insufficient_quota")
            return gone if asked.number >= 10 else by_number(asked)

        with FakeServer(answer) as server:
            run = api.run(
                benchmark(60), "openai-compatible/m", out=tmp_path, session=spread(nodes), base_url=server.base_url
            )
            assert len(server.requests) < 60
        assert not run.complete
        assert "quota" in last_session(run.folder)["stopped"]
        assert 0 < len(records(run.folder)) < 60

    def test_media_that_came_inside_another_file_reach_the_nodes(self, nodes: Nodes, tmp_path: Path) -> None:
        pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
        (tmp_path / "made").mkdir()
        made = benchmark(6, folder=tmp_path / "made")
        api.convert(made, "parquet", tmp_path / "exam")
        with FakeServer(by_number) as server:
            options = {"base_url": server.base_url}
            exam = api.load(tmp_path / "exam")
            run = api.run(exam, "openai-compatible/m", out=tmp_path / "runs", session=spread(nodes, 1), **options)
        assert {i: record["media"] for i, record in records(run.folder).items()} == {
            one.id: [one.media[0].sha256[:16]] for one in made
        }

    def test_media_of_an_object_store_are_fetched_by_the_nodes_and_never_here(
        self, nodes: Nodes, store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "made").mkdir()
        made = benchmark(10, folder=tmp_path / "made", name="exam")
        api.convert(made, "jsonl", tmp_path / "exam")
        store.put(str(tmp_path / "exam"), "bucket/exam", recursive=True)
        nodes_cache, ours = Path(os.environ["KEJU_CACHE"]), tmp_path / "cache"
        monkeypatch.setenv("KEJU_CACHE", str(ours))
        exam = api.load("s3://bucket/exam")
        with FakeServer(by_number) as server:
            options = {"base_url": server.base_url}
            run = api.run(exam, "openai-compatible/m", out=tmp_path / "runs", session=spread(nodes), **options)
            again = api.run(exam, "openai-compatible/m", out=tmp_path / "runs", session=spread(nodes), **options)
            assert len(server.requests) == 10
        assert run.complete
        assert again.complete
        assert {i: record["media"] for i, record in records(run.folder).items()} == {
            one.id: [one.media[0].sha256[:16]] for one in made
        }
        assert len(list((nodes_cache / "media").rglob("*.png"))) == 10
        assert not list((ours / "media").rglob("*.png"))

    def test_a_medium_that_nobody_has_fails_as_in_one_process(self, nodes: Nodes, tmp_path: Path) -> None:
        exam = benchmark(3, folder=tmp_path)
        (tmp_path / "0002.png").unlink()
        with FakeServer(by_number) as server:
            options = {"base_url": server.base_url}
            alone = api.run(exam, "openai-compatible/m", out=tmp_path / "a", **options)
            there = api.run(exam, "openai-compatible/m", out=tmp_path / "b", session=spread(nodes, 1), **options)
        assert records(alone.folder) == records(there.folder)
        assert records(there.folder)["0002"]["status"] == "failed"

    def test_a_file_that_only_the_driver_has_stops_the_run(self, tmp_path: Path) -> None:
        """A replica outside of any cluster, on a machine that has not the file."""
        pytest.importorskip("ray", reason="the extra `ray` is not installed")

        async def asking() -> Report:
            with FakeServer(by_number) as server:
                order = Order("openai-compatible/m", {"base_url": server.base_url}, benchmark(1), str(tmp_path))
                replica = Replica(order)
                assert isinstance(await replica.open(), Opened)
                await replica.begin(load_protocol("tco"), Transport(), 2, check_media=False)
                report = await replica.exchange(
                    [item(1, media=(Medium("image", "1.png", Path("1.png")),))], frozenset()
                )
                await replica.close()
                assert not server.requests
            return report

        with keep_folder():
            stop = asyncio.run(asking()).stop
        assert stop
        assert "does not see 1.png, which the driver has" in stop.message
        assert "every node sees under the same path" in stop.message

    def test_what_cannot_be_is_said_before_anything_is_asked(self, nodes: Nodes, tmp_path: Path) -> None:
        exam = benchmark(2)
        for model, cluster, message in (
            ("ollama/m", Cluster(nodes.address, 5), "2 CPUs and 0 GPUs: 5 replicas .* Write --replicas 2"),
            ("ollama/m", Cluster(nodes.address, gpus=1), r"do not fit\. Start nodes with GPUs"),
            ("openai/gpt-4o", Cluster(nodes.address), "on node .* OPENAI_API_KEY is empty.*ray start"),
            ("hf//no/such/folder", Cluster(nodes.address), "on node .*holds no model"),
            ("baseline/random", Cluster(nodes.address), "leave --ray out"),
        ):
            with pytest.raises(KejuError, match=message):
                api.run(exam, model, out=tmp_path, session=Session(cluster=cluster))
        assert not list(tmp_path.rglob("run.json"))

    def test_a_killed_driver_loses_nothing_and_the_same_command_goes_on(self, nodes: Nodes, tmp_path: Path) -> None:
        (tmp_path / "made").mkdir()
        api.convert(benchmark(60, folder=tmp_path / "made", name="exam"), "jsonl", tmp_path / "exam")
        with FakeServer(by_number) as server:
            named = ["-m", "openai-compatible/m", "--base-url", server.base_url, "--concurrency", "2"]
            where = ["--ray", nodes.address, "--replicas", "2", "--no-check-media"]
            command = [sys.executable, "-m", "keju", "run", "exam", *named, *where]
            with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as driver:
                while len(server.requests) < 20 and driver.poll() is None:
                    time.sleep(0.05)
                driver.kill()
            (folder,) = (path.parent for path in tmp_path.rglob("run.json"))
            kept = (folder / "records.jsonl").read_bytes().count(b"\n")
            deadline = time.monotonic() + 30
            while nodes.replicas() and time.monotonic() < deadline:
                time.sleep(0.1)
            assert not nodes.replicas(), "the replicas of a dead driver go"
            before = len(server.requests)
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
            assert done.returncode == 0, done.stderr
            assert f"{kept} of 60 items are answered already" in done.stderr
            assert len(server.requests) - before == 60 - kept
            assert "ray" not in done.stdout.lower(), "Ray's own lines are on standard output"
            assert len(done.stderr.splitlines()) == 2, done.stderr
        assert len(records(folder)) == 60
        assert open_run(folder).complete

    def test_nobody_at_the_address(self, tmp_path: Path) -> None:
        for address, message in (("127.0.0.1:9", "no cluster answers there"), ("nonsense", "write HOST:PORT")):
            command = [sys.executable, "-m", "keju", "run", "teahouse", "-m", "openai/gpt-4o", "--ray", address]
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
            assert done.returncode == 2
            assert message in done.stderr
            assert len(done.stderr.splitlines()) == 1, done.stderr

    @pytest.mark.local
    def test_a_transformers_model_answers_there_as_here(self, nodes: Nodes, tmp_path: Path) -> None:
        torch = pytest.importorskip("torch", reason="the extra `local` is not installed")
        make_importable()
        pytest.importorskip("transformers", reason="the extra `local` is not installed")
        families = pytest.importorskip("tiny.families", reason="the extra `local` is not installed")
        torch.manual_seed(0)
        (tmp_path / "tiny").mkdir()
        families.READING["qwen2_chat"](tmp_path / "tiny")
        exam, model = benchmark(12), f"hf/{tmp_path / 'tiny'}"
        ray = pytest.importorskip("ray")
        ray.shutdown()
        ray.init(address=nodes.address, logging_level="ERROR", log_to_driver=False, runtime_env=HOOK)
        kept = {}
        for name, session in (("here", Session()), ("there", spread(nodes, 1))):
            run = api.run(exam, model, protocol="choice", out=tmp_path / name, session=session)
            assert run.complete
            kept[name] = records(run.folder)
        for item_id, here in kept["here"].items():
            there = dict(kept["there"][item_id])
            assert there.pop("scores") == pytest.approx(here["scores"], abs=1e-4)
            assert there == {name: value for name, value in here.items() if name != "scores"}
