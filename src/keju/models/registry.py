"""From what a user writes after `-m` to a `Model`.

PROVIDER/MODEL        an endpoint of `providers.toml`: openai/gpt-4o, vllm/Qwen/Qwen2-VL-7B-Instruct
a paper's model name  GPT-4o, as `presets.toml` has it
FILE.toml             a model file: `model = "PROVIDER/MODEL"` and any option of `open_model`
baseline/NAME         keju.models.baselines
embedded/NAME         small models that come as packages (extra `embedded`)
replay:FILE           the replies that a file holds
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keju.benchmark import Benchmark
from keju.errors import BadFile, Misuse
from keju.models.baselines import open_baseline
from keju.models.catalogue import Provider, matches, presets, providers
from keju.models.dialects import dialect_named, no_audio
from keju.models.keys import find_key
from keju.models.model import Model

if TYPE_CHECKING:
    from keju.models.negotiation import Manner

_SPECIAL = ("baseline", "embedded")


@dataclass(frozen=True, slots=True)
class Options:
    """How a model is opened; the fields of a model file. None: not said."""

    base_url: str | None = None
    """Address of the server, up to `/chat/completions`."""
    key_env: str | None = None
    """Environment variable that holds the key, instead of the provider's."""
    key_file: str | Path | None = None
    """File that holds the key and nothing else."""
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
    """Further request fields (`seed`, `top_p`, …); of `baseline/` and `embedded/`, their own options."""
    transcriber: Any = None
    """What turns audio into text before the model."""
    reader: Any = None
    """What turns images into text before the model."""


def open_model(spec: str | Path, *, benchmark: Benchmark | None = None, **options: Any) -> Model:
    """The model that `spec` names, ready to answer; nothing is sent yet.

    `benchmark` is the exam as it will be asked, after variants: `replay:` and `baseline/prior` need it, and one with
    audio is refused for an endpoint that takes none. `options` are those of `Options`; they win over a model file's.
    Raises `Misuse`, with the nearest names, for what does not exist or lacks its key; `BadFile` for a bad model file.
    """
    given = _options(options, "open_model", Misuse)
    if isinstance(spec, Path) or spec.endswith(".toml"):
        spec, given = _from_file(Path(spec), given)
    model = _open(_preset(spec), given, benchmark)
    if given.transcriber is None and given.reader is None:
        return model
    from keju.models.cascade import Cascade

    return Cascade(model, transcriber=given.transcriber, reader=given.reader)


def _open(spec: str, options: Options, benchmark: Benchmark | None) -> Model:
    if spec.startswith("replay:"):
        return _replay(spec, options, benchmark)
    provider, _, name = spec.partition("/")
    if not name:
        raise Misuse(f"no model {spec!r}{_nearest(spec, _known_models())}; write PROVIDER/MODEL, such as openai/gpt-4o")
    if provider == "baseline":
        _only(options, spec)
        return _baseline(name, dict(options.extra or {}), benchmark)
    if provider == "embedded":
        from keju.models.embedded import open_embedded

        _only(options, spec)
        return open_embedded(name, **(options.extra or {}))
    return _endpoint(_provider(provider), name, options, benchmark)


def _replay(spec: str, options: Options, benchmark: Benchmark | None) -> Model:
    from keju.models.replay import Replay

    _only(options, spec)
    file = spec.removeprefix("replay:")
    if not file:
        raise Misuse("replay: needs a file of outputs: replay:FILE")
    return Replay(Path(file), benchmark, **(options.extra or {}))


def _baseline(name: str, extra: dict[str, Any], benchmark: Benchmark | None) -> Model:
    seed = extra.pop("seed", 0)
    if extra or not isinstance(seed, int):
        raise Misuse(f"baseline/{name} takes one option, a whole number `seed`, not {', '.join(extra) or repr(seed)}")
    return open_baseline(name, benchmark=benchmark, seed=seed)


def _endpoint(provider: Provider, name: str, options: Options, benchmark: Benchmark | None) -> Model:
    from keju.models.ollama import OllamaNative
    from keju.models.openai_compatible import OpenAICompatible

    full = f"{provider.name}/{name}"
    base_url = options.base_url or provider.base_url
    if base_url is None:
        raise Misuse(f"{full} needs the address of its server: --base-url http://host:port/v1")
    dialect = options.dialect or provider.dialect
    if options.transcriber is None and dialect_named(dialect).audio is None and _has_audio(benchmark):
        raise Misuse(f"{full}: {no_audio(dialect)}")
    variable = options.key_env or provider.key
    required = not provider.key_optional or options.key_env is not None
    kind = OllamaNative if dialect == "ollama-native" else OpenAICompatible
    return kind(
        full,
        model=name,
        base_url=base_url,
        dialect=dialect,
        key=find_key(variable, options.key_file, required=required, needed_by=full),
        key_from=f"file {options.key_file}" if options.key_file else variable or "",
        manner=_manner(provider, name, options),
        extra=options.extra or {},
        timeout=120.0 if options.timeout is None else options.timeout,
        context_length=options.context_length,
        concurrency=options.concurrency or provider.concurrency,
    )


def _manner(provider: Provider, name: str, options: Options) -> Manner:
    from keju.models.negotiation import Manner

    return Manner(
        stream=matches(name, provider.stream) if options.stream is None else options.stream,
        tokens_field="max_completion_tokens" if matches(name, provider.max_completion_tokens) else "max_tokens",
        temperature=not matches(name, provider.no_temperature),
    )


def _from_file(path: Path, given: Options) -> tuple[str, Options]:
    """The `model` of a model file, and its options under those `given`."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadFile(f"model file {path} cannot be read: {error.strerror or error}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadFile(f"model file {path} is not TOML in UTF-8: {error}") from error
    spec = table.pop("model", None)
    if not isinstance(spec, str) or spec.endswith(".toml"):
        raise BadFile(f'model file {path} must say which model: model = "PROVIDER/MODEL"')
    said = _options(table, f"model file {path}", BadFile)
    if said.key_file is not None:
        said = replace(said, key_file=path.parent / said.key_file)
    return spec, Options(**{f.name: _first(getattr(given, f.name), getattr(said, f.name)) for f in fields(Options)})


_TYPES: Mapping[str, tuple[type, ...]] = {
    "stream": (bool,),
    "timeout": (int, float),
    "context_length": (int,),
    "concurrency": (int,),
    "extra": (Mapping,),
    "base_url": (str,),
    "key_env": (str,),
    "key_file": (str, Path),
    "dialect": (str,),
}


_KINDS = {
    (bool,): "true or false",
    (int,): "a whole number",
    (int, float): "a number",
    (Mapping,): "a table",
    (str,): "a text",
    (str, Path): "a path",
}


def _fits(value: Any, types: tuple[type, ...]) -> bool:
    return isinstance(value, types) and (types == (bool,) or not isinstance(value, bool))


def _options(table: Mapping[str, Any], place: str, error: type[Misuse]) -> Options:
    known = [field.name for field in fields(Options)]
    for name, value in table.items():
        if name not in known:
            raise error(f"{place}: no option {name!r}{_nearest(name, known)}; there are {', '.join(known)}")
        types = _TYPES.get(name)
        if value is not None and types and not _fits(value, types):
            raise error(f"{place}: {name} must be {_KINDS[types]}, not {value!r}")
    concurrency = table.get("concurrency")
    if concurrency is not None and concurrency < 1:
        raise error(f"{place}: concurrency must be at least 1, not {concurrency}")
    return Options(**table)


def _only(options: Options, spec: str) -> None:
    """Refuse options that mean nothing to a model without an endpoint."""
    needs_endpoint = ("base_url", "key_env", "key_file", "dialect", "context_length")
    if idle := [name for name in needs_endpoint if getattr(options, name) is not None]:
        raise Misuse(f"{spec} has no endpoint and takes no {', '.join(idle)}")


def _preset(spec: str) -> str:
    """What to run for a name that a paper prints; anything else as it is."""
    found = [preset.run for preset in presets() if preset.name.lower() == spec.lower()]
    return found[0] if found else spec


def _provider(name: str) -> Provider:
    for provider in providers():
        if provider.name == name:
            return provider
    known = [*_SPECIAL, *(provider.name for provider in providers())]
    raise Misuse(f"no provider {name!r}{_nearest(name, known)}; there are {', '.join(known)}")


def _known_models() -> list[str]:
    return [preset.name for preset in presets()] + [preset.run for preset in presets()]


def _nearest(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name.lower(), {k.lower(): k for k in known}, n=3)
    originals = {k.lower(): k for k in known}
    return f" (did you mean {' or '.join(originals[c] for c in close)}?)" if close else ""


def _has_audio(benchmark: Benchmark | None) -> bool:
    return benchmark is not None and any(medium.kind == "audio" for item in benchmark for medium in item.media)


def _first(one: Any, other: Any) -> Any:
    return other if one is None else one
