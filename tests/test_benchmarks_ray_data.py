"""`benchmarks/ray_data.py`: what it says of a driver's records is so, and its server has a tail."""

from __future__ import annotations

import math
import sys
import threading
import time
import urllib.request
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
import ray_data
from rig import exam, on_ray
from rig.measured import MODEL, MockServer
from rig.on_ray import Measured, measure

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the figures come from /proc")
RUN = Measured(
    wall_s=9.0,
    driver_cpu_s=1.0,
    all_cpu_s=3.0,
    in_flight=32,
    repeated=0,
    lost=0,
    twice=0,
    asking_s=4.0,
    first_s=0.1,
    half=0.5,
    ended=True,
)

DRIVER = f"""
import json, sys, urllib.request
from pathlib import Path
out = Path({{out!r}}); out.mkdir()
with (out / "records.jsonl").open("w") as file:
    for n in (1, 2, 3, 3):
        body = b'{{{{"model": "{MODEL}", "text": "#%04d#"}}}}' % n
        urllib.request.urlopen(urllib.request.Request({{url!r}} + "/chat/completions", body)).read()
        print(json.dumps({{{{"id": str(n)}}}}), file=file, flush=True)
"""


def test_a_driver_that_has_all_records_late_has_none_at_half_time() -> None:
    assert on_ray.progress([10.5, 11.0, 13.0, 14.0], 10.0) == (4.0, 0.5, 0.5)
    assert on_ray.progress([14.0] * 4, 10.0) == (4.0, 4.0, 0.0)
    assert math.isnan(on_ray.progress([], 10.0)[0])


def test_requests_and_records_beyond_one_an_item_and_items_without_are_counted(tmp_path: Path) -> None:
    with MockServer(0.05) as server:
        driver = DRIVER.format(out=str(tmp_path / "out"), url=server.base_url)
        half: list[int] = []
        found = measure(
            [sys.executable, "-c", driver],
            items=4,
            server=server,
            out=tmp_path / "out",
            halfway=lambda: half.append(server.seen()["requests"]),
        )
    assert (found.repeated, found.lost, found.twice, found.in_flight, found.ended) == (0, 1, 1, 1, True)
    assert half[0] in (2, 3)
    assert 0.2 <= found.asking_s < found.wall_s
    assert 0 < found.driver_cpu_s <= found.all_cpu_s


def test_a_driver_that_fails_has_not_ended(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with MockServer() as server:
        command = [sys.executable, "-c", "raise SystemExit('no such cluster')"]
        assert not measure(command, items=4, server=server, out=tmp_path / "out").ended
    assert "no such cluster" in capfd.readouterr().err


def test_a_cell_says_the_middle_the_range_and_what_did_not_end() -> None:
    wall, asking = ray_data.LOSSES[:2]
    runs = [RUN, replace(RUN, wall_s=12.0), replace(RUN, wall_s=10.0)]
    assert wall.cell(runs) == "10.0 [9.0–12.0]"
    assert wall.cell([*runs[:2], replace(RUN, ended=False)]) == "10.5 [9.0–12.0]; 1 of 3 failed or took more than 75 s"
    assert asking.cell([replace(RUN, ended=False)]) == "–"


def test_the_server_keeps_some_items_waiting() -> None:
    slow = next(n for n in range(1, 200) if exam.unit("slow", n) < ray_data.SLOW_SHARE)
    took: dict[int, float] = {}

    def ask(number: int) -> None:
        body = b'{"model": "%s", "text": "#%04d#"}' % (MODEL.encode(), number)
        began = time.monotonic()
        with urllib.request.urlopen(urllib.request.Request(f"{server.base_url}/chat/completions", body)) as reply:
            reply.read()
        took[number] = time.monotonic() - began

    with ray_data.TailedServer(ray_data.LATENCY) as server:
        threads = [threading.Thread(target=ask, args=(number,)) for number in (slow, slow + 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert took[slow] >= ray_data.SLOW > took[slow + 1] >= ray_data.LATENCY
