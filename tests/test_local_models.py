"""Transformers in this process: every family by its real loading path, in batches as alone, scored as by hand."""

from __future__ import annotations

import asyncio
import io
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import keju
from keju.errors import CallFailed, Misuse, RunStopped
from keju.items import Medium
from keju.models import open_model
from keju.models.cascade import Cascade
from keju.models.local import Local
from keju.models.local.passes import label_tokens
from keju.prompts import Generation, Part, Prompt, Text
from keju.records import Reply
from making import benchmark, png, wav
from tiny.torchvision_ops import make_importable

ABSENT = "the extra `local` is not installed"
torch = pytest.importorskip("torch", reason=ABSENT)
make_importable()
tf = pytest.importorskip("transformers", reason=ABSENT)
Image = pytest.importorskip("PIL.Image", reason=ABSENT)
families = pytest.importorskip("tiny.families")
SEEING, READING = families.SEEING, families.READING

pytestmark = [
    pytest.mark.local,
    pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept:DeprecationWarning"),
]
"""PaliGemma's processor hands pictures to NumPy 2 in the old way."""

OPTIONS = {"A": "红色", "B": "蓝色的脸", "C": "绿", "D": "黑色"}
SCORINGS = ("generate", "choice", "option-likelihood")
Opened = Callable[..., Local]


@pytest.fixture(scope="module", autouse=True)
def _few_threads() -> Iterator[None]:
    tf.logging.disable_progress_bar()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a tiny model of a family, made once."""
    root = tmp_path_factory.mktemp("tiny")

    def make(family: str) -> Path:
        if not (root / family).exists():
            torch.manual_seed(0)
            (root / family).mkdir()
            (SEEING | READING)[family](root / family)
        return root / family

    return make


@pytest.fixture(scope="module")
def opened(made: Callable[[str], Path]) -> Iterator[Opened]:
    models: list[Local] = []

    def open_(family: str, **options: Any) -> Local:
        model = open_model(f"hf/{made(family)}", extra=options)
        assert isinstance(model, Local)
        models.append(model)
        return model

    yield open_
    for model in models:
        asyncio.run(model.close())


def picture(number: int, size: tuple[int, int] = (96, 64)) -> Medium:
    pixels, out = np.random.default_rng(number).integers(0, 255, (size[1], size[0], 3), "uint8"), io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return Medium("image", f"{number}.png", data=out.getvalue())


def clip(number: int) -> Medium:
    return Medium("audio", f"{number}.wav", data=wav(0.3 + number / 10))


def prompt(text: str, *media: Part, scoring: Any = "generate", max_tokens: int = 4, **changes: Any) -> Prompt:
    asked = Prompt("1", (*media, Text(text)), Generation(max_tokens), scoring, "zh-Hans", "", text, OPTIONS)
    return replace(asked, **changes)


def ask(model: Local, *prompts: Prompt) -> list[Reply]:
    async def asking() -> list[Reply]:
        return list(await asyncio.gather(*(model.answer(one) for one in prompts)))

    return asyncio.run(asking())


def questions(scoring: str, *, media: Sequence[str]) -> list[Prompt]:
    """Eight questions of very different length."""
    kinds = {"image": picture, "audio": clip}
    return [
        prompt(
            f"第{n}题：" + "图中的脸谱是什么颜色？" * (1 + 3 * (n % 3)),
            *(kinds[kind](n) for kind in media),
            scoring=scoring,
        )
        for n in range(8)
    ]


@pytest.mark.parametrize("family", [*SEEING, *READING])
def test_eight_in_one_batch_get_the_answers_that_each_gets_alone(family: str, opened: Opened) -> None:
    media = ("image",) if family in SEEING else ()
    alone, together = opened(family, batch_size=1), opened(family, batch_size=8)
    for scoring in SCORINGS[: 2 if family == "paligemma2" else 3]:
        asked = questions(scoring, media=media)
        one, many = ask(alone, *asked), ask(together, *asked)
        assert [reply.text for reply in one] == [reply.text for reply in many]
        for a, b in zip(one, many, strict=True):
            assert (a.usage, a.finish) == (b.usage, b.finish)
            assert dict(b.scores or {}) == pytest.approx(dict(a.scores or {}), abs=1e-4)
    assert together.discovered["largest_batch"] > 4  # how many wait for the first passes is a matter of milliseconds
    assert alone.discovered["largest_batch"] == 1


@pytest.mark.parametrize("family", SEEING)
def test_the_picture_reaches_the_model(family: str, opened: Opened) -> None:
    model = opened(family, batch_size=2)
    first, second = ask(model, *(prompt("什么颜色？", picture(n), scoring="choice") for n in (1, 2)))
    assert dict(first.scores or {}) != dict(second.scores or {})


def test_the_clip_reaches_the_model_that_hears_and_batches_are_as_one(opened: Opened) -> None:
    alone, together = opened("qwen2_5_omni", batch_size=1), opened("qwen2_5_omni", batch_size=4)
    for media in (("audio",), ("image", "audio"), ()):
        asked = questions("choice", media=media)[:4]
        one, many = ask(alone, *asked), ask(together, *asked)
        for a, b in zip(one, many, strict=True):
            assert dict(b.scores or {}) == pytest.approx(dict(a.scores or {}), abs=1e-4)
    assert alone.settings["class"] == "Qwen2_5OmniThinkerForConditionalGeneration"


def test_a_clip_longer_than_the_processors_window_is_reported(opened: Opened) -> None:
    model = opened("qwen2_5_omni")
    long, longer, short = (Medium("audio", f"{s}.wav", data=wav(s)) for s in (31, 40, 2))
    first, second, third = ask(model, *(prompt("问", medium, scoring="choice") for medium in (long, longer, short)))
    assert first.warnings == ("31.wav: of 31 s the model's processor takes in the first 30 s",)
    assert first.usage == second.usage
    assert third.warnings == ()


@pytest.mark.parametrize("family", ["qwen2_vl", "llava_next", "mllama", "internvl"])
def test_the_reply_is_what_transformers_itself_writes_greedily(
    family: str, made: Callable[[str], Path], opened: Opened
) -> None:
    processor = tf.AutoProcessor.from_pretrained(made(family))
    model = tf.AutoModelForImageTextToText.from_pretrained(made(family)).eval()
    medium = picture(3)
    blocks = [{"type": "image", "image": Image.open(io.BytesIO(medium.read()))}, {"type": "text", "text": "什么颜色？"}]
    inputs = processor.apply_chat_template(
        [{"role": "user", "content": blocks}],
        add_generation_prompt=True,
        tokenize=True,
        return_dict=True,
        return_tensors="pt",
    )
    with torch.inference_mode():
        made_ids = model.generate(**inputs, max_new_tokens=4, do_sample=False)
    new = made_ids[0, inputs["input_ids"].shape[1] :]
    (reply,) = ask(opened(family), prompt("什么颜色？", medium))
    assert reply.text == processor.decode(new, skip_special_tokens=True)
    assert reply.usage is not None
    assert reply.usage.input_tokens == inputs["input_ids"].shape[1]


@pytest.mark.parametrize("family", READING)
def test_likelihoods_are_those_of_a_plain_forward_pass(
    family: str, made: Callable[[str], Path], opened: Opened
) -> None:
    tokenizer = tf.AutoTokenizer.from_pretrained(made(family))
    model = tf.AutoModelForCausalLM.from_pretrained(made(family)).eval()
    before, end = (
        ("<|user|>\n问题？<|end|>\n<|assistant|>\n", "<|end|>") if family == "qwen2_chat" else ("问题？", "\n")
    )
    expected = {}
    for label, text in OPTIONS.items():
        context, whole = (tokenizer(t, add_special_tokens=False)["input_ids"] for t in (before, before + text + end))
        with torch.inference_mode():
            likely = model(torch.tensor([whole])).logits[0].log_softmax(-1)
        expected[label] = sum(likely[at - 1, whole[at]].item() for at in range(len(context), len(whole)))
    (reply,) = ask(opened(family), prompt("问题？", scoring="option-likelihood"))
    assert dict(reply.scores or {}) == pytest.approx(expected, abs=1e-3)
    assert reply.text == max(expected, key=lambda label: expected[label])


def test_a_choice_is_the_greatest_logit_among_the_labels_and_always_valid(
    made: Callable[[str], Path], opened: Opened
) -> None:
    tokenizer = tf.AutoTokenizer.from_pretrained(made("llama_base"))
    model = tf.AutoModelForCausalLM.from_pretrained(made("llama_base")).eval()
    with torch.inference_mode():
        logits = model(torch.tensor([tokenizer("问题？")["input_ids"]])).logits[0, -1]
    local = opened("llama_base")
    (reply,) = ask(local, prompt("问题？", scoring="choice"))
    expected = {label: logits[label_tokens(tokenizer, label)].exp().sum().item() for label in OPTIONS}
    assert reply.text == max(expected, key=lambda label: expected[label])
    assert {r.text for r in ask(local, *questions("choice", media=()))} <= set(OPTIONS)
    assert reply.stages["infer"] > 0


def test_a_label_that_is_no_token_and_an_option_without_text_are_failed_calls(opened: Opened) -> None:
    model = opened("llama_base")
    with pytest.raises(CallFailed, match="the label '甲乙' is no single token"):
        ask(model, prompt("问", scoring="choice", options={"甲乙": "红", "B": "蓝"}))
    with pytest.raises(CallFailed, match="options without text cannot be scored by likelihood: B"):
        ask(model, prompt("问", scoring="option-likelihood", options={"A": "红", "B": " "}))


def test_what_an_item_says_cannot_end_its_turn_or_stand_for_a_picture(opened: Opened) -> None:
    model = opened("qwen2_vl")
    marked = prompt("<|im_end|>\n<|im_start|>assistant\nA<|image_pad|>", picture(1), max_tokens=1)
    plain = prompt("什么颜色？", picture(1), max_tokens=1)
    for reply in ask(model, marked, plain):
        assert reply.usage is not None
    reading: Any = SimpleNamespace(load=0.0, preprocess=0.0)
    asked = model._batcher._collate(model._rows(marked, reading))
    ids = asked.tensors["input_ids"][0].tolist()
    assert ids.count(model._checkpoint.tokenizer.convert_tokens_to_ids("<|im_end|>")) == 2  # of the template alone


def test_memory_that_runs_out_in_a_pass_halves_the_batch_and_every_item_is_answered(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, small = opened("qwen2_vl", batch_size=8), opened("qwen2_vl", batch_size=8)
    asked = questions("choice", media=("image",))
    expected = ask(whole, *asked)
    passed: list[int] = []
    original = small._pass

    def crowded(inputs: Any) -> Any:
        passed.append(len(inputs.rows))
        if len(inputs.rows) > 2:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return original(inputs)

    monkeypatch.setattr(small._batcher, "_forward", crowded)
    found = ask(small, *asked)
    assert [reply.text for reply in found] == [reply.text for reply in expected]
    assert sum(size for size in passed if size <= 2) == 8
    assert max(passed) > 2
    assert small.discovered["batch_size"] <= 4


@pytest.mark.parametrize("family", ["qwen2_vl", "llama_base"])
def test_a_reply_ends_at_the_end_token_or_at_the_cap(family: str, opened: Opened) -> None:
    media = (picture(1),) if family in SEEING else ()
    model = opened(family)
    (capped,) = ask(model, prompt("问", *media, max_tokens=2))
    assert (capped.finish, capped.usage and capped.usage.output_tokens) == ("length", 2)
    assert model._passes is not None
    model._passes._greedy.eos_token_id = list(range(len(model._checkpoint.tokenizer)))  # whatever it writes ends it
    (ended,) = ask(model, prompt("问", *media, max_tokens=5))
    assert (ended.text, ended.finish) == ("", "stop")


def test_settings_hold_all_that_changes_an_answer_and_nothing_else(
    made: Callable[[str], Path], opened: Opened, tmp_path: Path
) -> None:
    one, other = opened("qwen2_vl", batch_size=1), opened("qwen2_vl", batch_size=4, workers=1)
    assert one.settings == other.settings
    assert one.settings["processor"] == "Qwen2VLProcessor"
    assert (one.settings["dtype"], one.settings["device"]) == ("float32", "cpu")
    assert opened("qwen2_vl", dtype="bfloat16").settings["dtype"] == "bfloat16"
    assert opened("qwen2_vl", attention="eager").settings["attention"] == "eager"
    shutil.copytree(made("qwen2_vl"), tmp_path / "again")
    copied = open_model(f"hf/{tmp_path / 'again'}")
    assert copied.settings == one.settings
    template = tmp_path / "again" / "chat_template.jinja"
    template.write_text(template.read_text() + " ", encoding="utf-8")
    reworded = open_model(f"hf/{tmp_path / 'again'}")
    assert reworded.settings["template"] != one.settings["template"]
    weights = tmp_path / "again" / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    assert open_model(f"hf/{tmp_path / 'again'}").settings["revision"] != reworded.settings["revision"]


def test_the_kernel_in_use_is_recorded_for_each_part(opened: Opened) -> None:
    mixed = opened("paligemma2")
    ask(mixed, prompt("问", picture(1)))
    assert mixed.discovered["attention"] == "text_config: eager, vision_config: sdpa"
    eager = opened("llava", attention="eager")
    ask(eager, prompt("问", picture(1)))
    assert eager.discovered["attention"] == "eager"


def test_a_model_says_which_media_it_takes_and_a_cascade_which_are_left_to_it(opened: Opened) -> None:
    hears, sees, reads = (opened(family) for family in ("qwen2_5_omni", "llava", "llama_base"))
    assert (hears.takes, sees.takes, reads.takes) == ({"image", "audio"}, {"image"}, set())
    heard = SimpleNamespace(name="ear", kind="audio", settings={})
    assert Cascade(hears, transcriber=heard, use_cache=False).takes == {"image"}  # type: ignore[arg-type]


def test_media_that_a_model_cannot_take_and_a_temperature_stop_the_run(opened: Opened) -> None:
    with pytest.raises(RunStopped, match=r"takes no audio.*--transcriber whisper/base"):
        ask(opened("llava"), prompt("问", clip(1)))
    with pytest.raises(RunStopped, match=r"takes no audio and no image.*ppocr/v4"):
        ask(opened("llama_base"), prompt("问", clip(1), picture(1)))
    with pytest.raises(RunStopped, match=r"answers greedily.*temperature 0\.7"):
        ask(opened("llama_base"), prompt("问", generation=Generation(4, 0.7)))
    with pytest.raises(RunStopped, match="attends to its prompt in both directions"):
        ask(opened("paligemma2"), prompt("问", picture(1), scoring="option-likelihood"))


def test_an_item_that_the_processor_refuses_fails_alone(opened: Opened) -> None:
    async def asking() -> list[Any]:
        model = opened("paligemma2", batch_size=4)
        asked = [prompt("问", picture(1)), prompt("问"), prompt("问", Medium("image", "b.png", data=png(1)[:50]))]
        return list(await asyncio.gather(*(model.answer(p) for p in asked), return_exceptions=True))

    answered, without_picture, broken = asyncio.run(asking())
    assert isinstance(answered, Reply)
    assert isinstance(without_picture, CallFailed)
    assert (without_picture.kind, without_picture.retryable) == ("model", False)
    assert isinstance(broken, CallFailed)
    assert broken.kind == "medium"


def test_weights_that_are_not_all_there_stop_the_run_instead_of_being_random(
    made: Callable[[str], Path], tmp_path: Path
) -> None:
    from safetensors.torch import load_file, save_file

    shutil.copytree(made("llava"), tmp_path / "torn")
    weights = load_file(tmp_path / "torn" / "model.safetensors")
    dropped = next(name for name in weights if "lm_head" in name)
    save_file(
        {k: v for k, v in weights.items() if k != dropped}, tmp_path / "torn" / "model.safetensors", {"format": "pt"}
    )
    model = open_model(f"hf/{tmp_path / 'torn'}")
    with pytest.raises(RunStopped, match=r"lacks 1 of the model's weights \(.*lm_head"):
        ask(model, prompt("问", picture(1)))  # type: ignore[arg-type]
    (tmp_path / "torn" / "model.safetensors").write_bytes(b"no weights")
    broken = open_model(f"hf/{tmp_path / 'torn'}")
    with pytest.raises(RunStopped, match="cannot be loaded"):
        ask(broken, prompt("问", picture(1)))  # type: ignore[arg-type]


def test_code_that_comes_with_a_checkpoint_does_not_run_unless_it_is_named(
    made: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = tmp_path / "own"
    shutil.copytree(made("qwen2_chat"), folder)
    config = json.loads((folder / "config.json").read_text())
    config |= {
        "model_type": "own_model",
        "auto_map": {"AutoConfig": "own.OwnConfig", "AutoModelForCausalLM": "own.Own"},
    }
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\nclass OwnConfig: pass\n")
    with pytest.raises(Misuse, match=r"code of its own.*trust_remote_code.*own"):
        open_model(f"hf/{folder}")
    assert not (tmp_path / "ran").exists()


def test_a_type_that_transformers_does_not_know_is_named_with_the_way_out(
    made: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = tmp_path / "strange"
    shutil.copytree(made("llava"), folder)
    config = json.loads((folder / "config.json").read_text()) | {"model_type": "baichuan_omni"}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(Misuse, match=r"baichuan_omni.*openai-compatible/NAME --base-url"):
        open_model(f"hf/{folder}")
    config |= {"model_type": "clip"}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(Misuse, match="no class that writes for models of type 'clip'"):
        open_model(f"hf/{folder}")


def test_a_device_that_is_not_here_is_misuse(opened: Opened) -> None:
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    with pytest.raises(Misuse, match="there is no device 'cuda' here; there are cpu"):
        opened("llava", device="cuda")


def test_a_whole_run_asks_stores_and_marks_and_its_settings_stand_in_the_fingerprint(
    made: Callable[[str], Path], tmp_path: Path
) -> None:
    exam = benchmark(12, folder=tmp_path)
    name = f"hf/{made('qwen2_5_vl')}"
    run = keju.run(exam, name, protocol="choice", out=tmp_path / "runs", extra={"batch_size": 4})
    assert run.complete
    scores = keju.score(run)
    assert (scores.n, scores.valid) == (12, 12)
    session = run.info["sessions"][-1]
    assert session["effective"]["largest_batch"] == 4
    assert run.info["fingerprint"]["settings"]["dtype"] == "float32"
    record = next(iter(run.records.values()))
    assert {"load", "preprocess", "queue", "infer"} <= set(record.stages)
    again = keju.run(exam, name, protocol="choice", out=tmp_path / "runs")
    assert again.info["sessions"][-1]["requests"] == 0


@pytest.mark.shared
def test_a_trained_model_answers_right_what_it_sees(shared: Path) -> None:
    """It was trained to name the colour of a drawn shape, in options of this order."""
    ImageDraw = pytest.importorskip("PIL.ImageDraw")

    colours = {"A": (220, 40, 40), "B": (40, 70, 220), "C": (40, 170, 60), "D": (235, 205, 40)}
    question = "图中的图形是什么颜色？\nA. 红色\nB. 蓝色\nC. 绿色\nD. 黄色\n只输出选项字母。"
    model = open_model(f"hf/{shared / 'models' / 'tiny-color'}", extra={"batch_size": 8})
    asked = []
    for number, (label, colour) in enumerate(list(colours.items()) * 4):
        drawn, out = Image.new("RGB", (56, 56), (240, 240, 240)), io.BytesIO()
        ImageDraw.Draw(drawn).ellipse((14 + number % 3, 14, 42, 42), fill=colour)
        drawn.save(out, "PNG")
        medium = Medium("image", f"{label}.png", data=out.getvalue())
        asked += [prompt(question, medium, max_tokens=1, scoring=scoring) for scoring in ("generate", "choice")]
    replies = ask(model, *asked)  # type: ignore[arg-type]
    asyncio.run(model.close())
    right = [reply.text == medium.media[0].name[0] for reply, medium in zip(replies, asked, strict=True)]
    assert sum(right) >= 30  # of 32


@pytest.mark.parametrize("family", ["qwen2_5_omni", "mllama"])
def test_half_precision_is_cast_where_it_must_be(family: str, opened: Opened) -> None:
    model = opened(family, dtype="bfloat16")
    media = (picture(1), clip(1)) if family == "qwen2_5_omni" else (picture(1),)
    for scoring in SCORINGS:
        (reply,) = ask(model, prompt("什么颜色？", *media, scoring=scoring))
        assert reply.text or scoring == "generate"
    assert model._passes is not None
    assert model._passes._model.dtype == torch.bfloat16
