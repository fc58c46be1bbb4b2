"""Run an exported task with Inspect AI's mock model, which answers as planned.

python tools/interop/inspect_task.py TASK_FOLDER BENCHMARK LOG_FOLDER
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from answers import Answers
from inspect_ai import eval as run
from inspect_ai.model import GenerateConfig, ModelOutput, ModelUsage, get_model

from keju import load

ONE = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
"""Given, for the mock model would count tokens with a vocabulary that it fetches from the network."""


def main(task: str, benchmark: str, logs: str) -> int:
    """Exit code 0 where the log is whole."""
    answers, log_folder = Answers(load(benchmark)), Path(logs).absolute()
    os.chdir(task)  # Inspect takes the name of a task for a pattern below the working folder

    def answer(messages: list[Any], tools: Any, choice: Any, config: GenerateConfig) -> ModelOutput:  # noqa: ARG001
        output = ModelOutput.from_content("mock", answers.reply(messages[-1].text, config.stop_seqs or ()))
        output.usage = ONE
        return output

    model = get_model("mockllm/model", custom_outputs=answer)
    (log,) = run("task.py", model=model, log_dir=str(log_folder), display="none")
    print(log.status, log.location)
    return 0 if log.status == "success" else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
