"""A team at work over HTTP: nothing that was acknowledged is lost, whatever happens to the server.

`benchmarks/studio_load.py` does this for two minutes; here it is some seconds, with fewer questions.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from clusters import programs

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "studio_load.py"
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
no_postgres = pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed")


def load(*options):
    command = [sys.executable, SCRIPT, "--seconds", "10", "--questions", "100", *options]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.stdout, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("where", [(), pytest.param(("--postgres",), marks=no_postgres)], ids=["sqlite", "postgresql"])
def test_no_save_is_lost_where_twelve_write_and_the_server_is_killed_and_a_backup_made_meanwhile_is_whole(where):
    told = load("--kill", "--backup", *where)
    assert told["saves"] > 5
    assert told["answers"] > 5
    assert told["conflicts"] > 0  # two at an item met, and one was told so
    assert (told["lost"], told["failures"], told["faults"], told["restored"]) == ([], [], [], [])
