"""`keju models`: what can stand after `-m`."""

from __future__ import annotations

import argparse
import os
from dataclasses import asdict

from keju.cli.options import output_options
from keju.phrase import Phrase


def add_arguments(parser: argparse.ArgumentParser) -> None:
    output_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print providers (and whether their key is set), the papers' models, and what needs no endpoint."""
    import json

    from keju.cli.printing import print_tables
    from keju.models.catalogue import presets, providers
    from keju.results.table import Column, Table

    if args.json:
        both = {"providers": [asdict(p) for p in providers()], "presets": [asdict(p) for p in presets()]}
        print(json.dumps(both, ensure_ascii=False, indent=1))
        return 0
    served = Table(
        "providers",
        "Providers: -m PROVIDER/MODEL",
        (
            Column("name", "Provider", title_zh="服务商"),
            Column("title", "What it is", title_zh="说明"),
            Column("key", "Key", title_zh="密钥"),
            Column("base_url", "Address", title_zh="地址"),
        ),
        tuple(
            {"name": p.name, "title": p.title, "key": _key(p.key), "base_url": p.base_url or "--base-url"}
            for p in providers()
        ),
        (_without_endpoint(),),
        "服务商：-m 服务商/模型",
    )
    papers = Table(
        "presets",
        "The papers' models: -m NAME",
        (
            Column("name", "Model", title_zh="模型"),
            Column("paper", "Paper", title_zh="论文"),
            Column("run", "Runs as", title_zh="运行方式"),
            Column("parameters", "Parameters (B)", "number", "参数（十亿）"),
            Column("modalities", "Media", title_zh="媒体"),
            Column("transcriber", "Clips by", title_zh="转写器"),
            Column("license", "Licence", title_zh="许可"),
        ),
        tuple(asdict(p) | {"modalities": " + ".join(p.modalities)} for p in presets()),
        title_zh="论文中的模型：-m 名称",
    )
    print_tables([served, papers], args)
    return 0


def _without_endpoint() -> Phrase:
    names = "baseline/random, baseline/always-a, baseline/longest-option, baseline/prior, baseline/overlap, "
    names += "hf/NAME, embedded/cascade, embedded/blind, replay:FILE"
    return Phrase(f"Without an endpoint: {names}, or a model file in TOML.", f"无需接口：{names}，或 TOML 模型文件。")


def _key(variable: str | None) -> Phrase:
    if variable is None:
        return Phrase("none", "无需")
    if os.environ.get(variable):
        return Phrase(f"{variable} (set)", f"{variable}（已设）")
    return Phrase(f"{variable} (not set)", f"{variable}（未设）")
