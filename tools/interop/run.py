"""Give the demo benchmark to the real other tools, have them ask a mock server, and read their output back.

    python tools/interop/run.py [TOOL…]

Each tool has an environment of its own below `.interop/`, installed on the first run (gigabytes and minutes). Its marks
and keju's marks of its replies are compared item by item with those of a run by keju over the same items. Exit code 1
where any differs, or a tool did not run.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(Path(__file__).parent)]

from answers import Answers, text_of  # noqa: E402
from environments import HOME, install  # noqa: E402
from exam import NAME, exam  # noqa: E402
from tools import TOOLS, Task, Tool  # noqa: E402

from keju import api, variants  # noqa: E402
from keju.benchmark import Benchmark  # noqa: E402
from keju.results.scores import THEIRS  # noqa: E402
from servers.fake_openai import Asked, FakeServer, completion  # noqa: E402

SECONDS = 900  # the slowest takes one minute; a tool that waits for the network is ended


def main(names: list[str]) -> int:
    known = {tool.name: tool for tool in TOOLS}
    results = [_compared(known[name]) for name in names or known]
    return 0 if all(results) else 1


def _compared(tool: Tool) -> bool:
    """Run one tool and print how its marks compare."""
    print(f"\n## {tool.name}: {' '.join(tool.packages)}\n", flush=True)
    python = install(tool)
    work = HOME / "work" / tool.name
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    options = [part for option in tool.convert.items() for part in option]
    api.convert(exam(), "jsonl", work / "exam")
    _run([sys.executable, "-m", "keju", "convert", "exam", "export", "--to", tool.name, *options], work)
    given = _given(tool, work / "exam")
    with FakeServer(_serving(Answers(given))) as server:
        task = Task(python, work, work / "out", server.base_url, NAME)
        begun = time.monotonic()
        code = _run(task.command(tool), work, **task.environment(tool))
        print(f"exit code {code}, {time.monotonic() - begun:.0f} s, {len(server.requests)} requests", flush=True)
        own = api.run(given, "vllm/mock", protocol="robust", out=work / "own", base_url=server.base_url)
    found = sorted((work / "out").glob(tool.output))
    if code or not found:
        print(f"no output at {work}/out/{tool.output}")
        return False
    return _equal(own, found[-1], given)


def _equal(own: api.Run, output: Path, given: Benchmark) -> bool:
    """Compare the three marks of every item: of keju's run, keju's of the tool's replies, and the tool's own."""
    (run,) = api.open_runs([output], benchmark=given)
    ours, theirs = api.score(run, parser="robust"), api.score(run, parser=THEIRS)
    asked = api.score(own, parser="robust")
    print(
        f"keju asked itself: {asked.correct} of {asked.n} right; keju on its replies: {ours.correct} of {ours.n}; ",
        end="",
    )
    print(f"its own marks: {theirs.correct} of {theirs.n}")
    for problem in run.benchmark.problems:
        print(f"  {problem}")
    differ = [item.id for item in given if len({scores.right[item.id] for scores in (asked, ours, theirs)}) > 1]
    unanswered = len(run.unanswered)
    print(
        f"items marked differently: {', '.join(differ) or 'none'}; without an answer: {unanswered or 'none'}",
        flush=True,
    )
    return not differ and not unanswered


def _given(tool: Tool, path: Path) -> Benchmark:
    """The items that the tool is given, as the command line chooses them."""
    chosen = api.load(path)
    if where := tool.convert.get("--where"):
        chosen = chosen.select(where=dict([where.split("=")]))
    return variants.apply(
        chosen, variants.parse_variants([v for name, v in tool.convert.items() if name == "--variant"])
    )


def _serving(answers: Answers) -> Callable[[Asked], Mapping[str, object]]:
    """What the mock server does with a request."""

    def answer(asked: Asked) -> Mapping[str, object]:
        stop = asked.json.get("stop") or []
        return completion(answers.reply(text_of(asked.content), [stop] if isinstance(stop, str) else stop))

    return answer


def _run(command: list[str], work: Path, **environment: str) -> int:
    """Print and run a command in `work`; print the end of its output, much where it fails; its exit code."""
    print(f"$ {shlex.join(command)}", flush=True)
    with (work / "output.txt").open("w", encoding="utf-8") as file:
        done = subprocess.run(
            command,
            cwd=work,
            env={**os.environ, **environment},
            stdout=file,
            stderr=file,
            timeout=SECONDS,
            check=False,
        )
    lines = (work / "output.txt").read_text(encoding="utf-8", errors="replace").splitlines()
    print("\n".join(lines[-40:] if done.returncode else lines[-3:]), flush=True)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
