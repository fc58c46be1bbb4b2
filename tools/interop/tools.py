"""The other tools: what is installed for each, what it is given, how it is run, and where it leaves its output."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. Its texts hold the names that `Task` fills in."""

    name: str
    """As in `keju convert --to`."""
    packages: Sequence[str]
    """Pinned: this is what was tried."""
    command: str
    """Run in the folder that holds `export`."""
    start: str
    """Shows its options and ends."""
    convert: Mapping[str, str] = field(default_factory=dict)
    """Options of `keju convert`: which items the tool can be given."""
    output: str = "*"
    """What `keju score` reads, below `{out}`; the last one where there are several."""
    environment: Mapping[str, str] = field(default_factory=dict)
    torch: bool = True
    """Whether it needs PyTorch, which is then installed for the processor alone before all else."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a tool is to run: everything that its texts leave open."""

    python: Path
    """Of the tool's own environment."""
    work: Path
    """Working folder; the benchmark lies in its `export`."""
    out: Path
    """Empty folder."""
    url: str
    """Of the mock server, `/v1` included."""
    name: str
    """The benchmark's, as a task."""
    model: str = "mock"
    in_flight: int = 4
    """Requests at once."""

    def command(self, tool: Tool) -> list[str]:
        return self._filled(tool.command)

    def start(self, tool: Tool) -> list[str]:
        return self._filled(tool.start)

    def environment(self, tool: Tool) -> dict[str, str]:
        """What the tool's environment has besides. What is not exported cannot be fetched either."""
        values = {name: text.format_map(self._values()) for name, text in tool.environment.items()}
        return {"HF_HUB_OFFLINE": "1"} | values

    def _filled(self, text: str) -> list[str]:
        return [part.format_map(self._values()) for part in shlex.split(text)]

    def _values(self) -> dict[str, object]:
        names = ("python", "out", "url", "name", "model", "in_flight")
        given = {name: getattr(self, name) for name in names}
        return given | {"bin": self.python.parent, "folder": self.work / "export"}


TOOLS = (
    Tool(
        "inspect",
        ["inspect-ai==0.3.285", "openai==3.57.0"],  # its client for endpoints is OpenAI's
        """{bin}/inspect eval export/task.py --model openai-api/mock/{model} --max-connections {in_flight}
        --log-dir {out} --display plain""",  # it takes a task's path only from below the working folder
        start="{bin}/inspect eval --help",
        environment={"MOCK_BASE_URL": "{url}", "MOCK_API_KEY": "none"},
        torch=False,
    ),
    Tool(
        "lm-eval",
        ["lm-eval[api]==0.4.13"],
        """{bin}/lm_eval run --model local-chat-completions --tasks {name} --include_path {folder}
        --model_args model={model},base_url={url}/chat/completions,num_concurrent={in_flight} --apply_chat_template
        --output_path {out} --log_samples""",
        start="{bin}/lm_eval run --help",
        convert={"--variant": "media=none"},  # it is given texts alone
        output="*/samples_*.jsonl",
        torch=False,
    ),
    Tool(
        "evalscope",
        ["evalscope==1.14.1"],
        """{bin}/evalscope eval --model {model} --api-url {url} --api-key none --eval-type openai_api
        --datasets general_vmcq --work-dir {out} --eval-batch-size {in_flight}
        --dataset-args '{{"general_vmcq": {{"local_path": "{folder}", "subset_list": ["{name}"]}}}}'""",
        start="{bin}/evalscope eval --help",
    ),
    Tool(
        "lmms-eval",
        ["lmms-eval==0.7.3", "filelock<3.21"],  # 0.7.2 lacks a file of its own; both reach into filelock's inside
        """{python} -m lmms_eval --model openai --tasks {name} --include_path {folder}
        --model_args model_version={model},base_url={url},num_concurrent={in_flight} --batch_size 1
        --output_path {out} --log_samples""",
        start="{python} -m lmms_eval eval --help",
        convert={"--where": "modality=image"},  # its client for endpoints cannot send clips
        output="*/*_samples_*.jsonl",
        environment={"OPENAI_API_KEY": "none"},
    ),
    Tool(
        "vlmevalkit",
        ["ms-vlmeval==0.0.20"],  # the fork on PyPI
        """{python} -m vlmeval --data {name} --model {model} --base-url {url} --max-tokens 64
        --judge exact_matching --work-dir {out} --api-nproc {in_flight}""",
        start="{python} -m vlmeval --help",
        convert={"--where": "modality=image"},  # its TSV holds no clips
        output="*/*_result.xlsx",
        environment={"LMUData": "{folder}"},
    ),
)
