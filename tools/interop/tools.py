"""The other tools: what is installed for each, what it is given, how it is run, and where it leaves its output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. In its texts `{folder}` is the export, `{out}` an empty folder, `{url}` the mock server, `{python}` and
    `{bin}` those of the tool's own environment."""

    name: str
    """As in `keju convert --to`."""
    packages: Sequence[str]
    """Pinned: this is what was tried."""
    command: str
    convert: Mapping[str, str] = field(default_factory=dict)
    """Options of `keju convert`: which items the tool can be given."""
    output: str = "*"
    """What `keju score` reads, below `{out}`; the last one where there are several."""
    environment: Mapping[str, str] = field(default_factory=dict)
    torch: bool = True
    """Whether it needs PyTorch, which is then installed for the processor alone before all else."""


TOOLS = (
    Tool(
        "lm-eval",
        ["lm-eval[api]==0.4.13"],
        """{bin}/lm_eval run --model local-chat-completions --tasks teahouse --include_path {folder}
        --model_args model=mock,base_url={url}/chat/completions,num_concurrent=4 --apply_chat_template
        --output_path {out} --log_samples""",
        convert={"--variant": "media=none"},  # it is given texts alone
        output="*/samples_*.jsonl",
        torch=False,
    ),
    Tool(
        "evalscope",
        ["evalscope==1.14.1"],
        """{bin}/evalscope eval --model mock --api-url {url} --api-key none --eval-type openai_api
        --datasets general_vmcq --work-dir {out}
        --dataset-args '{{"general_vmcq": {{"local_path": "{folder}", "subset_list": ["teahouse"]}}}}'""",
    ),
    Tool(
        "lmms-eval",
        ["lmms-eval==0.7.3", "filelock<3.21"],  # 0.7.2 lacks a file of its own; both reach into filelock's inside
        """{python} -m lmms_eval --model openai --tasks teahouse --include_path {folder}
        --model_args model_version=mock,base_url={url} --batch_size 1 --output_path {out} --log_samples""",
        convert={"--where": "modality=image"},  # its client for endpoints cannot send clips
        output="*/*_samples_*.jsonl",
        environment={"OPENAI_API_KEY": "none"},
    ),
    Tool(
        "vlmevalkit",
        ["ms-vlmeval==0.0.20"],  # the fork on PyPI
        """{python} -m vlmeval --data teahouse --model mock --base-url {url} --max-tokens 64
        --judge exact_matching --work-dir {out}""",
        convert={"--where": "modality=image"},  # its TSV holds no clips
        output="mock/mock_*_result.xlsx",
        environment={"LMUData": "{folder}"},
    ),
)
