"""A checkpoint on the model hub or in a folder: its configuration, its processor, the class that runs it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from keju.errors import BadFile, KejuError, MissingExtra, Misuse, RunStopped
from keju.items import MediaKind
from keju.models.local.hardware import Hardware
from keju.models.local.settings import Settings
from keju.models.weights import sha256_of

WITHOUT_VOICE = {
    "qwen2_5_omni": "Qwen2_5OmniThinkerForConditionalGeneration",
    "qwen3_omni_moe": "Qwen3OmniMoeThinkerForConditionalGeneration",
}
"""Families that also speak → the class of the part that hears, sees and writes; it loads from the whole checkpoint."""

MAPPINGS = (
    "MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING",
    "MODEL_FOR_MULTIMODAL_LM_MAPPING",
    "MODEL_FOR_CAUSAL_LM_MAPPING",
)
"""Where Transformers lists the classes that write after a prompt, the richer first."""

SERVE = "Serve it with its own code behind an OpenAI-compatible server and name that: openai-compatible/NAME --base-url"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Everything of a checkpoint but its weights."""

    name: str
    """As after `hf/`."""
    source: str
    """Folder, or id on the model hub."""
    revision: str
    """Commit on the hub; of a folder, 16 hex digits over all its files."""
    config: Any
    processor: Any
    """The family's processor, or the tokenizer of a model of text only."""
    model_class: Any
    trusted: bool

    @property
    def tokenizer(self) -> Any:
        return getattr(self.processor, "tokenizer", self.processor)

    @property
    def takes(self) -> frozenset[MediaKind]:
        """Kinds of media that its processor can process."""
        parts: dict[MediaKind, str] = {"image": "image_processor", "audio": "feature_extractor"}
        return frozenset(kind for kind, part in parts.items() if getattr(self.processor, part, None) is not None)

    @property
    def rate(self) -> int:
        """Samples a second that it hears."""
        rate: int = self.processor.feature_extractor.sampling_rate
        return rate

    @property
    def window(self) -> float | None:
        """Seconds of a clip that its processor takes in; what comes after may be cut. None where it does not say."""
        samples = getattr(self.processor.feature_extractor, "n_samples", None)
        return None if samples is None else samples / self.rate

    @property
    def template(self) -> str | None:
        """The chat template: the processor's, else the tokenizer's; None for base models."""
        for part in (self.processor, self.tokenizer):
            found = getattr(part, "chat_template", None)
            if isinstance(found, dict):
                found = found.get("default")
            if found:
                return str(found)
        return None

    @property
    def template_digest(self) -> str:
        """16 hex digits of the chat template, or `none`."""
        return hashlib.sha256(self.template.encode()).hexdigest()[:16] if self.template else "none"

    def load(self, hardware: Hardware, attention: str) -> Any:
        """The model with its weights, ready for inference. Raises `RunStopped` where they are not all to be had."""
        import torch

        place = {"cpu": None, "spread": "auto"}.get(hardware.device, hardware.device)
        try:
            model, report = self.model_class.from_pretrained(
                self.source,
                revision=None if Path(self.source).is_dir() else self.revision,
                dtype=getattr(torch, hardware.dtype),
                attn_implementation=None if attention == "auto" else attention,
                device_map=place,
                trust_remote_code=self.trusted,
                output_loading_info=True,
            )
        except (OSError, ImportError, ValueError, RuntimeError, LookupError) as error:
            raise RunStopped(f"the weights of hf/{self.name} cannot be loaded: {_told(error)}") from error
        if missing := sorted(report["missing_keys"]):
            raise RunStopped(
                f"the checkpoint of hf/{self.name} lacks {len(missing)} of the model's weights ({missing[0]}, …): "
                "they would be random. Fetch it anew, or check that the checkpoint is whole"
            )
        return model.eval()


def open_checkpoint(name: str, settings: Settings) -> Checkpoint:
    """The checkpoint `name` (an id on the model hub, or a path that begins with `/`, `./` or `~`), without its weights.

    Raises `MissingExtra`, `BadFile` or `Misuse` where it cannot be had or nothing here can run it.
    """
    folder = _folder(name)
    tf = _transformers(name)
    source, trusted = str(folder or name), settings.trust_remote_code is not None
    asked = {"revision": None if folder else settings.revision, "trust_remote_code": trusted}
    with _explained(name):
        config = tf.AutoConfig.from_pretrained(source, **asked)
        model_class = _class_of(config, tf, name, trusted=trusted)
        processor = tf.AutoProcessor.from_pretrained(source, **asked)
    commit = getattr(config, "_commit_hash", None) or settings.revision or "main"
    revision = _digest(folder) if folder else commit
    checkpoint = Checkpoint(name, source, revision, config, processor, model_class, trusted)
    _prepare(checkpoint.tokenizer)
    return checkpoint


def _transformers(name: str) -> Any:
    if find_spec("torch") is None or find_spec("transformers") is None:
        raise MissingExtra("local", f"hf/{name}")
    try:
        import transformers
        from transformers import AutoConfig, AutoProcessor  # noqa: F401  they are what fails where versions do not fit
    except (ImportError, RuntimeError) as error:
        raise Misuse(
            f"hf/{name}: Transformers cannot be imported: {_told(error)}. Most often torch and torchvision do not fit "
            "each other: install them together, from one source"
        ) from error
    transformers.logging.set_verbosity_error()  # its notes and bars would be drawn over the progress of the run
    transformers.logging.disable_progress_bar()
    return transformers


def _folder(name: str) -> Path | None:
    """The folder that `name` is, or None where the hub has it."""
    if not name.startswith(("/", ".", "~")) and not Path(name).is_absolute():
        return None
    folder = Path(name).expanduser()
    if not (folder / "config.json").is_file():
        raise BadFile(f"{folder} holds no model: it needs config.json, the weights and the processor's files")
    return folder


def _digest(folder: Path) -> str:
    """16 hex digits over names and bytes of all files in `folder`: retrained weights under an old name are new."""
    files = sorted(path for path in folder.iterdir() if path.is_file())
    with ThreadPoolExecutor(4) as pool:
        sums = pool.map(sha256_of, files)
        lines = "".join(f"{path.name} {digest}\n" for path, digest in zip(files, sums, strict=True))
    return hashlib.sha256(lines.encode()).hexdigest()[:16]


def _class_of(config: Any, tf: Any, name: str, *, trusted: bool) -> Any:
    """The class that runs a model of this configuration."""
    if config.model_type in WITHOUT_VOICE:
        return getattr(tf, WITHOUT_VOICE[config.model_type])
    for mapping in MAPPINGS:
        known = getattr(tf, mapping)
        if type(config) in known:
            return known[type(config)]
    own = getattr(config, "auto_map", None) or {}
    for auto in ("AutoModelForImageTextToText", "AutoModelForCausalLM", "AutoModel"):
        if trusted and auto in own:
            return getattr(tf, auto)
    raise Misuse(f"hf/{name}: Transformers has no class that writes for models of type {config.model_type!r}. {SERVE}")


@contextmanager
def _explained(name: str) -> Iterator[None]:
    """Puts what Transformers raises into words that say what to do."""
    try:
        yield
    except KejuError:
        raise
    except ImportError as error:
        raise Misuse(
            f"hf/{name}: {_told(error)}. Install what is missing: pip install 'keju[local]' brings torchvision, Pillow "
            "and av"
        ) from error
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise Misuse(f"hf/{name} cannot be opened: {_remedied(error, name)}") from error


def _remedied(error: Exception, name: str) -> str:
    text = str(error)
    if "trust_remote_code" in text:
        return (
            "it comes with code of its own, which would run on this machine. If you trust it, say so by its name: "
            f'--extra \'{{"trust_remote_code": "{name}"}}\'. Otherwise: {SERVE}'
        )
    if "does not recognize this architecture" in text:
        return f"{_told(error)}. A newer Transformers may know it. {SERVE}"
    return f"{_told(error)}. Check the name and the way to the model hub, or give a folder: hf//path/to/folder"


def _prepare(tokenizer: Any) -> None:
    """What batches need: padding on the left, so that all prompts end together, and something to pad with."""
    tokenizer.padding_side = "left"
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token


def _told(error: BaseException) -> str:
    """First line of a library's error, without its full stop."""
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__)[:300].rstrip(".:")
