"""The package as a whole: its faces are complete, its start is light, and it carries nothing of the maker's machine."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import keju

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "keju"
MODULES = sorted(path for path in SOURCE.rglob("*.py") if path.parent.name != "migrations")
PACKAGES = ["keju", *(m.name for m in pkgutil.walk_packages(keju.__path__, "keju.") if m.ispkg)]
HEAVY = ("numpy", "scipy", "aiohttp", "rich", "opencc", "openpyxl")
TEXT = {".py", ".toml", ".md", ".html", ".css", ".js", ".json", ".jsonl", ".csv", ".txt", ".typed"}


def name_of(path: Path) -> str:
    return str(path.relative_to(SOURCE.parent))


@pytest.mark.parametrize("name", PACKAGES)
def test_every_name_of_a_face_resolves(name: str) -> None:
    package = importlib.import_module(name)
    for public in getattr(package, "__all__", ()):
        assert getattr(package, public) is not None
    assert len(set(getattr(package, "__all__", ()))) == len(getattr(package, "__all__", ()))


@pytest.mark.parametrize("name", PACKAGES)
def test_what_is_lazy_is_public_and_what_is_public_and_unknown_is_an_error(name: str) -> None:
    package = importlib.import_module(name)
    lazy = {*getattr(package, "_HOME", ()), *getattr(package, "_HOMES", ())}
    assert lazy <= set(getattr(package, "__all__", ()))
    assert ("__getattr__" in vars(package)) == bool(lazy)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = package.no_such_name


def test_type_checkers_see_every_lazy_name() -> None:
    """The imports under `TYPE_CHECKING` and the table that is used at run time say the same."""
    for name in ("keju", "keju.models", "keju.reports"):
        package = importlib.import_module(name)
        lazy = {*getattr(package, "_HOME", ()), *getattr(package, "_HOMES", ())}
        tree = ast.parse(Path(package.__file__ or "").read_text(encoding="utf-8"))
        (block,) = (
            node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        )
        seen = {
            alias.asname or alias.name
            for node in block.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        assert seen - {"stats"} == lazy


def test_dir_shows_the_face() -> None:
    assert set(keju.__all__) <= set(dir(keju))


@pytest.mark.parametrize(
    "code",
    [
        "import keju",
        "from keju.cli import main; main(['--version'])",
        "from keju.cli import main; main(['--help'])",
        "from keju.cli import main; main(['run', '--help'])",
        "from keju.cli import main; main(['score', '--help'])",
        "from keju.cli import main; main(['protocols'])",
    ],
)
def test_nothing_heavy_is_imported_to_start(code: str) -> None:
    """`import keju` and `keju --help` stay under 0.2 s because of this."""
    report = f"print('HEAVY', *[m for m in {HEAVY} if m in sys.modules])"
    whole = f"import sys\ntry:\n    {code}\nexcept SystemExit:\n    pass\n{report}"
    done = subprocess.run([sys.executable, "-c", whole], capture_output=True, text=True, encoding="utf-8", check=True)
    assert done.stdout.splitlines()[-1].split() == ["HEAVY"]


def test_the_version_stands_once() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == keju.__version__


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_module_says_what_it_is(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", PACKAGES)
def test_every_public_function_is_documented(name: str) -> None:
    package = importlib.import_module(name)
    public = [getattr(package, one) for one in getattr(package, "__all__", ())]
    assert [one for one in public if inspect.isfunction(one) and not one.__doc__] == []


MACHINE = re.compile(r"(?<![\w>}])/(?:home|root|work|Users|tmp)/\w|\.\./shared|[A-Z]:\\Users")


@pytest.mark.parametrize("path", sorted(p for p in SOURCE.rglob("*") if p.suffix in TEXT), ids=name_of)
def test_no_file_holds_a_path_of_the_makers_machine(path: Path) -> None:
    found = MACHINE.search(path.read_text(encoding="utf-8"))
    assert found is None, found


def test_modules_are_named_for_what_they_hold() -> None:
    vague = {"utils", "util", "helpers", "common", "base", "manager", "misc"}
    django = ("sqlite", "base.py")  # the name that it looks for
    assert not vague & {path.stem for path in MODULES if path.parts[-2:] != django}
