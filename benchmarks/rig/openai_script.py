"""The script that everybody writes first: the `openai` package, one item after the other, a line a reply.

python -m rig.openai_script --exam FOLDER --port PORT --log FILE [--items 200]
"""

from __future__ import annotations

import argparse
import base64
import json
from pathlib import Path

from openai import OpenAI

from rig import exam


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--exam", type=Path, required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--items", type=int, default=200)
    parser.add_argument("--model", default="mock-73")
    given = parser.parse_args()

    client = OpenAI(base_url=f"http://127.0.0.1:{given.port}/v1", api_key="none")
    right = 0
    with given.log.open("w", encoding="utf-8") as log:
        for number in range(1, given.items + 1):
            data = base64.b64encode((given.exam / f"{number:04d}.png").read_bytes()).decode()
            picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
            reply = client.chat.completions.create(
                model=given.model,
                temperature=0,
                max_tokens=10,
                messages=[{"role": "user", "content": [picture, {"type": "text", "text": exam.prompt(number)}]}],  # type: ignore[list-item, misc]
            )
            text = reply.choices[0].message.content or ""
            log.write(json.dumps({"id": number, "reply": text}) + "\n")
            right += text == exam.key(number)
    print(json.dumps({"accuracy": right / given.items}))


if __name__ == "__main__":
    main()
