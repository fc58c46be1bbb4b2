"""One function a family: writes a checkpoint into a folder, as `save_pretrained` of the real one would."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import transformers as tf

from tiny.tokenizer import HEADERS, PLAIN_TURNS, ids, im_start, make_tokenizer, turns

TEXT: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 4096,
}
VISION: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "image_size": 56,
    "patch_size": 14,
}
SQUARE = {"height": 56, "width": 56}
LLAMA_ROLES = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
QWEN_ROLES = {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}
QWEN_ENDS = {"bos_token_id": "<|endoftext|>", "eos_token_id": "<|im_end|>", "pad_token_id": "<|endoftext|>"}


def _qwen_parts() -> tuple[Any, dict[str, int], str]:
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>"]
    template = im_start("<|vision_start|><|image_pad|><|vision_end|>")
    tokenizer = make_tokenizer([*special, "<|image_pad|>", "<|video_pad|>"], template, **QWEN_ROLES)
    named = ids(
        tokenizer,
        image_token_id="<|image_pad|>",
        video_token_id="<|video_pad|>",
        vision_start_token_id="<|vision_start|>",
        vision_end_token_id="<|vision_end|>",
    )
    return tokenizer, named, template


def _qwen_text(tokenizer: Any, width: int = 32, layers: int = 2) -> dict[str, Any]:
    heads = max(4, width // 64)
    part = width // heads // 8
    sizes = {"hidden_size": width, "intermediate_size": 2 * width, "num_hidden_layers": layers}
    rope = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [part, part, 2 * part]}
    return {
        **TEXT,
        **sizes,
        "num_attention_heads": heads,
        "rope_parameters": rope,
        "tie_word_embeddings": False,
        "vocab_size": len(tokenizer),
        **ids(tokenizer, **QWEN_ENDS),
    }


def _qwen_pictures() -> Any:
    return tf.Qwen2VLImageProcessor(min_pixels=56 * 56, max_pixels=112 * 112)


def _qwen_seeing(out: Path, family: str, vision: dict[str, Any], **sizes: int) -> None:
    """A family whose classes are called alike: `Qwen2VLConfig`, `Qwen2VLProcessor`, …"""
    tokenizer, named, template = _qwen_parts()
    text = _qwen_text(tokenizer, **sizes)
    config = getattr(tf, f"{family}Config")(text_config=text, vision_config=vision, **named)
    getattr(tf, f"{family}ForConditionalGeneration")(config).save_pretrained(out)
    video = tf.Qwen2VLVideoProcessor()
    processor = getattr(tf, f"{family}Processor")(_qwen_pictures(), tokenizer, video, chat_template=template)
    processor.save_pretrained(out)


def qwen2_vl(out: Path, *, width: int = 32, layers: int = 2) -> None:
    """`width` and `layers` of the language model: wider and deeper than tiny for a benchmark."""
    vision = {"depth": layers, "embed_dim": width, "hidden_size": width, "num_heads": 2, "mlp_ratio": 2}
    _qwen_seeing(out, "Qwen2VL", {**vision, "patch_size": 14}, width=width, layers=layers)


QWEN25_VISION = {
    "depth": 2,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_heads": 2,
    "out_hidden_size": 32,
    "patch_size": 14,
    "window_size": 56,
    "fullatt_block_indexes": [1],
}


def qwen2_5_vl(out: Path) -> None:
    _qwen_seeing(out, "Qwen2_5_VL", QWEN25_VISION)


def qwen2_5_omni(out: Path) -> None:
    """The whole checkpoint, with the parts that speak."""
    import torch

    named = {
        "image_token": "<|IMAGE|>",
        "audio_token": "<|AUDIO|>",
        "video_token": "<|VIDEO|>",
        "vision_bos_token": "<|vision_bos|>",
        "vision_eos_token": "<|vision_eos|>",
        "audio_bos_token": "<|audio_bos|>",
        "audio_eos_token": "<|audio_eos|>",
    }
    template = im_start("<|vision_bos|><|IMAGE|><|vision_eos|>", "<|audio_bos|><|AUDIO|><|audio_eos|>")
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *named.values()]
    tokenizer = make_tokenizer(special, template, **QWEN_ROLES, extra_special_tokens=named)
    audio = {"d_model": 32, "encoder_layers": 2, "encoder_attention_heads": 2, "encoder_ffn_dim": 64, "output_dim": 32}
    thinker = {
        "audio_config": {**audio, "num_mel_bins": 128, "max_source_positions": 1500, "n_window": 100},
        "vision_config": QWEN25_VISION,
        "text_config": _qwen_text(tokenizer),
        **ids(
            tokenizer,
            audio_token_index="<|AUDIO|>",
            image_token_index="<|IMAGE|>",
            video_token_index="<|VIDEO|>",
            audio_start_token_id="<|audio_bos|>",
            audio_end_token_id="<|audio_eos|>",
            vision_start_token_id="<|vision_bos|>",
            vision_end_token_id="<|vision_eos|>",
            user_token_id="user",
        ),
    }
    config = tf.Qwen2_5OmniConfig(
        thinker_config=thinker, talker_config={}, token2wav_config={}, enable_audio_output=False
    )
    tf.Qwen2_5OmniForConditionalGeneration(config).save_pretrained(out)
    voice = {"cond": torch.zeros(1, 128), "ref_mel": torch.zeros(1, 10, 80), "bos_token": 0}
    torch.save({"Chelsie": voice}, out / "spk_dict.pt")
    hears = tf.WhisperFeatureExtractor(feature_size=128, chunk_length=30, return_attention_mask=True)
    video = tf.Qwen2VLVideoProcessor()
    processor = tf.Qwen2_5OmniProcessor(_qwen_pictures(), video, hears, tokenizer, chat_template=template)
    processor.save_pretrained(out)


def _llava(
    out: Path, family: str, pictures: Any, text: Any, tokenizer: Any, template: str | None, **config: Any
) -> None:
    """LLaVA or LLaVA-NeXT around a language model."""
    vision = tf.CLIPVisionConfig(**{**VISION, "num_hidden_layers": 3}, projection_dim=32)
    chosen = {"vision_feature_select_strategy": "default"}
    image = ids(tokenizer, image_token_index="<image>")
    config |= {"vision_config": vision, "text_config": text, "vision_feature_layer": -2, "image_seq_length": 16}
    whole = getattr(tf, f"{family}Config")(**config, **chosen, **image)
    getattr(tf, f"{family}ForConditionalGeneration")(whole).save_pretrained(out)
    processor = getattr(tf, f"{family}Processor")(
        pictures,
        tokenizer,
        patch_size=14,
        num_additional_image_tokens=1,
        chat_template=template,
        image_token="<image>",
        **chosen,
    )
    processor.save_pretrained(out)


def _llama_tokenizer(template: str | None) -> tuple[Any, dict[str, int]]:
    tokenizer = make_tokenizer([*LLAMA_ROLES.values(), "<image>"], template, **LLAMA_ROLES)
    return tokenizer, ids(tokenizer, bos_token_id="<s>", eos_token_id="</s>", pad_token_id="<pad>")


def _plain_turns(*more: str) -> tuple[Any, dict[str, int]]:
    """A language model's own tokenizer and template, which know no pictures."""
    special = ["<|endoftext|>", "<|user|>", "<|assistant|>", "<|end|>", *more]
    tokenizer = make_tokenizer(special, PLAIN_TURNS, eos_token="<|end|>", pad_token="<|endoftext|>")
    ends = ids(tokenizer, bos_token_id="<|endoftext|>", eos_token_id="<|end|>", pad_token_id="<|endoftext|>")
    return tokenizer, ends


def _clip_pictures() -> Any:
    return tf.CLIPImageProcessor(size={"shortest_edge": 56}, crop_size=SQUARE)


def llava(out: Path) -> None:
    template = turns("<image>\n")
    tokenizer, ends = _llama_tokenizer(template)
    text = tf.LlamaConfig(**TEXT, vocab_size=len(tokenizer), **ends)
    _llava(out, "Llava", _clip_pictures(), text, tokenizer, template)


def llava_phi3(out: Path) -> None:
    """Phi 3 inside, and no template but the language model's own, which knows no pictures; LLaVA-Llama3 is alike."""
    tokenizer, ends = _plain_turns("<image>")
    text = tf.Phi3Config(**TEXT, vocab_size=len(tokenizer), **ends)
    _llava(out, "Llava", _clip_pictures(), text, tokenizer, None)


def llava_next(out: Path, text_config: Any = tf.MistralConfig) -> None:
    template = turns("<image>\n")
    tokenizer, ends = _llama_tokenizer(template)
    text = text_config(**TEXT, vocab_size=len(tokenizer), **ends)
    grid = {"image_grid_pinpoints": [[56, 112], [112, 56], [112, 112]]}
    pictures = tf.LlavaNextImageProcessor(size={"shortest_edge": 56}, crop_size=SQUARE, **grid)
    _llava(out, "LlavaNext", pictures, text, tokenizer, template, **grid)


def llava_next_vicuna(out: Path) -> None:
    llava_next(out, tf.LlamaConfig)


def idefics2(out: Path) -> None:
    template = turns(end="<end_of_utterance>\n")
    roles = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<unk>", "unk_token": "<unk>"}
    special = ["<unk>", "<s>", "</s>", "<fake_token_around_image>", "<image>", "<end_of_utterance>"]
    tokenizer = make_tokenizer(special, template, **roles)
    pictures = tf.Idefics2ImageProcessor(size={"longest_edge": 112, "shortest_edge": 56}, do_image_splitting=False)
    processor = tf.Idefics2Processor(pictures, tokenizer, image_seq_len=4, chat_template=template)
    resampler = {"hidden_size": 32, "resampler_n_latents": 4, "resampler_depth": 1, "resampler_n_heads": 2}
    ends = ids(tokenizer, bos_token_id="<s>", eos_token_id="</s>", pad_token_id="<unk>")
    config = tf.Idefics2Config(
        vision_config={**VISION, "image_size": 112},
        perceiver_config={**resampler, "resampler_head_dim": 16, "num_key_value_heads": 1},
        text_config=tf.MistralConfig(**TEXT, vocab_size=len(tokenizer), **ends),
        **ids(tokenizer, image_token_id="<image>"),
    )
    tf.Idefics2ForConditionalGeneration(config).save_pretrained(out)
    processor.save_pretrained(out)


def mllama(out: Path) -> None:
    """Llama 3.2 Vision. The picture's token is the last id: the output layer has no row for it."""
    special = [
        "<|begin_of_text|>",
        "<|eot_id|>",
        "<|start_header_id|>",
        "<|end_header_id|>",
        "<|pad|>",
        "<|python_tag|>",
    ]
    roles = {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>", "pad_token": "<|pad|>"}
    tokenizer = make_tokenizer(special, HEADERS, **roles)
    size = len(tokenizer)
    tokenizer.add_special_tokens({"additional_special_tokens": ["<|image|>"]})
    ratios = [[1, 1], [1, 2], [1, 3], [1, 4], [2, 1], [2, 2], [3, 1], [4, 1]]
    vision = {key: value for key, value in VISION.items() if key != "num_attention_heads"}
    vision |= {"attention_heads": 2, "num_global_layers": 1, "max_num_tiles": 4, "vision_output_dim": 96}
    vision |= {"intermediate_layers_indices": [0, 1], "supported_aspect_ratios": ratios}
    ends = ids(tokenizer, bos_token_id="<|begin_of_text|>", eos_token_id="<|eot_id|>", pad_token_id="<|pad|>")
    text = {**TEXT, "num_hidden_layers": 3, "cross_attention_layers": [1], "vocab_size": size, **ends}
    text |= {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4}, "tie_word_embeddings": False}
    config = tf.MllamaConfig(vision_config=vision, text_config=text, image_token_index=size)
    model = tf.MllamaForConditionalGeneration(config)
    for name, weight in model.named_parameters():
        if name.endswith("_gate"):  # a new model's gates are shut: no picture would pass
            weight.data.fill_(0.5)
    model.save_pretrained(out)
    pictures = tf.MllamaImageProcessor(size=SQUARE, max_image_tiles=4)
    tf.MllamaProcessor(pictures, tokenizer, chat_template=HEADERS).save_pretrained(out)


def paligemma2(out: Path) -> None:
    """As the real checkpoints, without any chat template."""
    roles = {"bos_token": "<bos>", "eos_token": "<eos>", "pad_token": "<pad>", "unk_token": "<unk>"}
    tokenizer = make_tokenizer(["<pad>", "<eos>", "<bos>", "<unk>", "<image>"], None, **roles)
    pictures = tf.SiglipImageProcessor(size=SQUARE)
    pictures.image_seq_length = 16
    processor = tf.PaliGemmaProcessor(pictures, tokenizer)
    vision = {**VISION, "model_type": "siglip_vision_model", "projection_dim": 32, "vision_use_head": False}
    ends = ids(tokenizer, bos_token_id="<bos>", eos_token_id="<eos>", pad_token_id="<pad>")
    text = {**TEXT, "model_type": "gemma2", "head_dim": 8, "query_pre_attn_scalar": 8, "sliding_window": 512}
    config = tf.PaliGemmaConfig(
        vision_config=vision,
        text_config={**text, "vocab_size": len(tokenizer), **ends},
        projection_dim=32,
        hidden_size=32,
        **ids(tokenizer, image_token_index="<image>"),
    )
    tf.PaliGemmaForConditionalGeneration(config).save_pretrained(out)
    processor.save_pretrained(out)


def internvl(out: Path) -> None:
    named = {
        "start_image_token": "<img>",
        "end_image_token": "</img>",
        "context_image_token": "<IMG_CONTEXT>",
        "video_token": "<video>",
    }
    template = im_start("<IMG_CONTEXT>\n")
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *named.values()]
    tokenizer = make_tokenizer(special, template, **QWEN_ROLES, extra_special_tokens=named)
    vision = {**VISION, "image_size": [56, 56], "patch_size": [14, 14], "use_absolute_position_embeddings": True}
    text = tf.Qwen2Config(**TEXT, vocab_size=len(tokenizer), **ids(tokenizer, **QWEN_ENDS))
    shown = ids(tokenizer, image_token_id="<IMG_CONTEXT>")
    config = tf.InternVLConfig(
        vision_config=vision, text_config=text, image_seq_length=4, downsample_ratio=0.5, **shown
    )
    tf.InternVLForConditionalGeneration(config).save_pretrained(out)
    pictures = tf.GotOcr2ImageProcessor(size=SQUARE, crop_to_patches=True, max_patches=2)
    video = tf.InternVLVideoProcessor(size=SQUARE)
    processor = tf.InternVLProcessor(pictures, tokenizer, video, image_seq_length=4, chat_template=template)
    processor.save_pretrained(out)


def llama_base(out: Path) -> None:
    """A language model that was trained for no chat: no template."""
    tokenizer, ends = _llama_tokenizer(None)
    tf.LlamaForCausalLM(tf.LlamaConfig(**TEXT, vocab_size=len(tokenizer), **ends)).save_pretrained(out)
    tokenizer.save_pretrained(out)


def gpt2_base(out: Path) -> None:
    """A language model that counts positions from the first token, padding or not, and has nothing to pad with."""
    tokenizer = make_tokenizer(["<|endoftext|>"], None, eos_token="<|endoftext|>")
    ends = ids(tokenizer, bos_token_id="<|endoftext|>", eos_token_id="<|endoftext|>")
    tf.GPT2LMHeadModel(
        tf.GPT2Config(n_embd=32, n_layer=2, n_head=2, vocab_size=len(tokenizer), **ends)
    ).save_pretrained(out)
    tokenizer.save_pretrained(out)


def qwen2_chat(out: Path) -> None:
    """A language model with a template of its own, for text only."""
    tokenizer, ends = _plain_turns()
    tf.Qwen2ForCausalLM(tf.Qwen2Config(**TEXT, vocab_size=len(tokenizer), **ends)).save_pretrained(out)
    tokenizer.save_pretrained(out)


SEEING: dict[str, Callable[[Path], None]] = {
    make.__name__: make
    for make in (
        qwen2_vl,
        qwen2_5_vl,
        qwen2_5_omni,
        llava,
        llava_phi3,
        llava_next,
        llava_next_vicuna,
        idefics2,
        mllama,
        paligemma2,
        internvl,
    )
}
"""Families that take pictures."""

READING: dict[str, Callable[[Path], None]] = {make.__name__: make for make in (llama_base, gpt2_base, qwen2_chat)}
"""Families of text only."""
