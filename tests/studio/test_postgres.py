"""The studio on PostgreSQL: the tests of everything that is stored, once more, on a server started for them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from clusters import cluster, programs

HERE = Path(__file__).parent
CORE = (
    "saving",
    "sittings",
    "operations",
    "audit",
    "dashboards",
    "queue",
    "workflow_table",
    "disputes",
    "reannotation",
    "urls",
    "played_project",
    "option_pictures",
    "release_splits",
    "jobs",
)
"""What locks rows, keeps chains, or asks the data base for more than a row."""

pytestmark = [
    pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed (Debian: apt install postgresql)"),
    pytest.mark.slow,
    pytest.mark.timeout(600),
]


@pytest.fixture(scope="module")
def server():
    with cluster() as url:
        yield url


@pytest.mark.parametrize("names", [CORE[0::2], CORE[1::2]], ids="+".join)
def test_everything_that_is_stored_is_stored_the_same_on_postgresql(server, names):
    files = [str(HERE / f"test_{name}.py") for name in names]
    environment = {**os.environ, "KEJU_STUDIO_DATABASE": server, "PYTEST_XDIST_WORKER": "", "PYTEST_ADDOPTS": ""}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment, cwd=HERE.parents[1])
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert " passed" in done.stdout or "100%" in done.stdout


def test_a_studio_that_began_on_sqlite_goes_on_on_postgresql(server, tmp_path):
    """A backup holds rows, not a data base's files."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("KEJU_", "DJANGO_"))}

    def python(code, *arguments):
        command = [sys.executable, "-c", code, *map(str, arguments)]
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment, cwd=HERE)
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    python(BEGIN, tmp_path / "one", tmp_path / "whole.zip")
    command = [sys.executable, "-m", "keju", "studio", "--data", tmp_path / "two", "--database", server]
    done = subprocess.run(
        [*command, "--restore", tmp_path / "whole.zip"], check=False, capture_output=True, text=True, env=environment
    )
    assert "restored and verified" in done.stdout, done.stderr
    assert python(GO_ON, tmp_path / "two", server).split() == ["6", "None"]


BEGIN = """
import sys
from pathlib import Path
from keju.studio import serving
serving.set_up(Path(sys.argv[1]))
import building
from keju.studio.models import Role
from keju.studio.operations import backup
home = building.project()
author = building.person(home, Role.AUTHOR)
for number in range(5):
    building.item(home, author)
backup(Path(sys.argv[2]))
"""
GO_ON = """
import sys
from pathlib import Path
from keju.studio import serving
serving.set_up(Path(sys.argv[1]), sys.argv[2])
import building
from keju.studio.journal import first_broken
from keju.studio.models import Item, Project
home = Project.objects.get()
building.item(home, Item.objects.first().author, code="0099")
print(Item.objects.count(), first_broken(home))
"""
