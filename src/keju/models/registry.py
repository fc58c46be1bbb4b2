"""From what a user writes after `-m` to a `Model`.

    PROVIDER/MODEL        an endpoint of `providers.toml`: openai/gpt-4o, vllm/Qwen/Qwen2-VL-7B-Instruct
    a paper's model name  GPT-4o, as `presets.toml` has it
    FILE.toml             a model file: `model = "PROVIDER/MODEL"` and any of `Options`
    baseline/NAME         keju.models.baselines
    embedded/NAME         small models that come as packages (extra `embedded`)
    hf/NAME               a model of Transformers in this process (extra `local`): an id of the model hub, or a folder
    replay:FILE           the replies that a file holds

What is heavy is imported when a model that needs it is opened.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from keju.benchmark import Benchmark
from keju.errors import Misuse
from keju.models.access import access
from keju.models.baselines import open_baseline
from keju.models.catalogue import Preset, Provider, matches, presets, providers
from keju.models.dialects import dialect_named, no_audio
from keju.models.model import Model
from keju.models.options import Options, did_you_mean, meant

if TYPE_CHECKING:
    from keju.models.negotiation import Manner

_SPECIAL = ("baseline", "embedded", "hf")


def open_model(spec: str | Path, *, benchmark: Benchmark | None = None, **options: Any) -> Model:
    """The model that `spec` names, ready to answer; nothing is sent yet.

    `benchmark` is the exam as it will be asked, after variants: `replay:` and `baseline/prior` need it, and one with
    audio is refused for an endpoint that takes none. `options` are those of `Options`; they win over a model file's,
    and what means nothing to a model is ignored, so that several can be opened alike.
    A model of the papers hears through the transcriber that the paper put before it, unless another is given.
    Raises `Misuse`, with the nearest names, for what does not exist or lacks its key; `BadFile` for a bad model file.
    """
    name, given = meant(spec, options)
    if named := _presets(name):
        name, given = named[0].run, given.over(_as_in_the_paper(named, benchmark))
    model = _open(name, given, benchmark)
    if given.transcriber is None and given.reader is None:
        return model
    from keju.models.cascade import Cascade

    return Cascade(model, transcriber=given.transcriber, reader=given.reader, use_cache=given.use_cache is not False)


def _open(spec: str, options: Options, benchmark: Benchmark | None) -> Model:
    if spec.startswith("replay:"):
        return _replay(spec, options, benchmark)
    provider, _, name = spec.partition("/")
    if not name:
        raise Misuse(
            f"no model {spec!r}{did_you_mean(spec, _known_models())}; write PROVIDER/MODEL, such as openai/gpt-4o"
        )
    if provider == "baseline":
        return open_baseline(name, benchmark=benchmark, seed=_seed(options))
    if provider == "embedded":
        from keju.models.embedded import open_embedded

        own = {} if options.use_cache is None else {"use_cache": options.use_cache}
        return open_embedded(name, **own, **(options.extra or {}))
    if provider == "hf":
        from keju.models.local import open_local

        batch = {} if options.batch_size is None else {"batch_size": options.batch_size}
        return open_local(name, **{**(options.extra or {}), **batch})
    return _endpoint(_provider(provider), name, options, benchmark)


def _replay(spec: str, options: Options, benchmark: Benchmark | None) -> Model:
    from keju.models.replay import Replay

    file = spec.removeprefix("replay:")
    if not file:
        raise Misuse("replay: needs a file of outputs: replay:FILE")
    extra = options.extra or {}
    return Replay(Path(file), benchmark, model=extra.get("model"), format=extra.get("format"))


def _seed(options: Options) -> int:
    seed = (options.extra or {}).get("seed", 0)
    if not isinstance(seed, int):
        raise Misuse(f"the seed of a baseline must be a whole number, not {seed!r}")
    return seed


def _endpoint(provider: Provider, name: str, options: Options, benchmark: Benchmark | None) -> Model:
    from keju.models.ollama import OllamaNative
    from keju.models.openai_compatible import OpenAICompatible

    full = f"{provider.name}/{name}"
    dialect = options.dialect or provider.dialect
    if options.transcriber is None and dialect_named(dialect).audio is None and _has_audio(benchmark):
        raise Misuse(f"{full}: {no_audio(dialect)}")
    reached = access(provider, full, options, remedy=": --base-url http://host:port/v1")
    kind = OllamaNative if dialect == "ollama-native" else OpenAICompatible
    return kind(
        full,
        model=name,
        dialect=dialect,
        manner=_manner(provider, name, options),
        context_length=options.context_length,
        **reached,
    )


def _manner(provider: Provider, name: str, options: Options) -> Manner:
    from keju.models.negotiation import Manner

    return Manner(
        stream=matches(name, provider.stream) if options.stream is None else options.stream,
        tokens_field="max_completion_tokens" if matches(name, provider.max_completion_tokens) else "max_tokens",
        temperature=not matches(name, provider.no_temperature),
    )


def _presets(spec: str) -> list[Preset]:
    """The papers' models of this name: both papers asked some."""
    return [preset for preset in presets() if preset.name.lower() == spec.lower()]


def _as_in_the_paper(named: list[Preset], benchmark: Benchmark | None) -> Options:
    """What stood before the model where a paper asked it about clips; nothing where there are none."""
    transcriber = next((preset.transcriber for preset in named if preset.transcriber), None)
    return Options(transcriber=transcriber if _has_audio(benchmark) else None)


def _provider(name: str) -> Provider:
    for provider in providers():
        if provider.name == name:
            return provider
    known = [*_SPECIAL, *(provider.name for provider in providers())]
    raise Misuse(f"no provider {name!r}{did_you_mean(name, known)}; there are {', '.join(known)}")


def _known_models() -> list[str]:
    return [preset.name for preset in presets()] + [preset.run for preset in presets()]


def _has_audio(benchmark: Benchmark | None) -> bool:
    return benchmark is not None and any(medium.kind == "audio" for item in benchmark for medium in item.media)
