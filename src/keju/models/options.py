"""How a model is opened: options from the command line, from Python, or from a model file."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from keju.errors import BadFile, Misuse
from keju.formats.toml_text import read_toml


@dataclass(frozen=True, slots=True)
class Options:
    """What can be said of a model beside its name; the fields of a model file. None: not said."""

    base_url: str | None = None
    """Address of the server, up to `/chat/completions`."""
    key_env: str | None = None
    """Environment variable that holds the key, instead of the provider's."""
    key_file: str | Path | None = None
    """File that holds the key and nothing else; in a model file, relative to it."""
    dialect: str | None = None
    """How media are written, where the server is not what the provider says."""
    stream: bool | None = None
    """Ask for a stream; gives the time to the first token."""
    timeout: float | None = None
    """Seconds for one attempt."""
    context_length: int | None = None
    """The server's window in tokens; replies to prompts that filled it carry a warning."""
    concurrency: int | None = None
    """Prompts in flight when the run does not say."""
    extra: Mapping[str, Any] | None = None
    """Further request fields (`top_p`, `seed`, …); of a baseline its `seed`, of `embedded/` its own options."""
    batch_size: int | str | None = None
    """Prompts that a local model (`hf/…`) answers together at most, or `auto`."""
    transcriber: Any = None
    """What turns audio into text before the model: a name (`whisper/base`) or a perceiver."""
    reader: Any = None
    """What turns images into text before the model, likewise."""
    use_cache: bool | None = None
    """False: transcribe and read anew, whatever is cached."""

    def over(self, other: Options) -> Options:
        """These options, and those of `other` where these say nothing."""
        ours = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) is not None}
        return replace(other, **ours)


_KINDS: Mapping[str, tuple[type | tuple[type, ...], str]] = {
    "base_url": (str, "a text"),
    "key_env": (str, "a text"),
    "key_file": ((str, Path), "a path"),
    "dialect": (str, "a text"),
    "stream": (bool, "true or false"),
    "timeout": ((int, float), "a number of seconds"),
    "context_length": (int, "a whole number"),
    "concurrency": (int, "a whole number"),
    "extra": (Mapping, "a table"),
    "batch_size": ((int, str), "a whole number or `auto`"),
    "use_cache": (bool, "true or false"),
}


def options_of(table: Mapping[str, Any], place: str, error: type[Misuse] = Misuse) -> Options:
    """The options in `table`. Raises `error`, which names `place`, where one is unknown or not of its kind."""
    known = [field.name for field in fields(Options)]
    for name, value in table.items():
        if name not in known:
            raise error(f"{place}: no option {name!r}{did_you_mean(name, known)}; there are {', '.join(known)}")
        if value is not None:
            _check(name, value, place, error)
    return Options(**table)


def _check(name: str, value: Any, place: str, error: type[Misuse]) -> None:
    kind, called = _KINDS.get(name, (object, ""))
    fits = isinstance(value, kind) and (kind in (bool, object) or not isinstance(value, bool))
    if not fits:
        raise error(f"{place}: {name} must be {called}, not {value!r}")
    if name in ("concurrency", "context_length") and value < 1:
        raise error(f"{place}: {name} must be at least 1, not {value}")


def read_model_file(path: Path) -> tuple[str, Options]:
    """The model that a model file names, and its options. Raises `BadFile` where it is none."""
    table = read_toml(path)
    spec = table.pop("model", None)
    if not isinstance(spec, str) or spec.endswith(".toml"):
        raise BadFile(f'model file {path} must say which model: model = "PROVIDER/MODEL"')
    said = options_of(table, f"model file {path}", BadFile)
    return spec, said if said.key_file is None else replace(said, key_file=path.parent / said.key_file)


def meant(spec: str | Path, options: Mapping[str, Any]) -> tuple[str, Options]:
    """What `keju.models.registry.open_model` is given, as a model's name and its options, those of a model file under
    those that were given. Raises as it does.
    """
    given = options_of(options, "open_model")
    if isinstance(spec, str) and not spec.endswith(".toml"):
        return spec, given
    name, said = read_model_file(Path(spec))
    return name, given.over(said)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint at the names most like `name`, in brackets; empty where none is."""
    spelled = {one.lower(): one for one in known}
    close = difflib.get_close_matches(name.lower(), spelled, n=3)
    return f" (did you mean {' or '.join(spelled[one] for one in close)}?)" if close else ""
