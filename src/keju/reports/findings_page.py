"""What checks found as one HTML page: a card an item, with picture or sound and what to do; no network, no script."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from keju.benchmark import Benchmark
from keju.checks import Finding
from keju.errors import BadFile, MissingExtra
from keju.formats.whole_files import write_whole
from keju.items import Item, Medium
from keju.phrase import Phrase
from keju.reports.bilingual import both, page, plain, styles
from keju.reports.findings import SEVERITIES, counted, totals
from keju.reports.wording import Language

MOST = 3_000
"""Findings on one page, the gravest first; more are no help to a reader."""
MEDIA = 9_000_000
"""Characters of pictures and sounds on one page; with the words of `MOST` findings it stays under 15 MB."""

_WORDS: Mapping[str, Phrase] = {
    "all": Phrase("everything", "全部"),
    "show": Phrase("Show", "显示"),
    "rules": Phrase("Only one rule", "只看一条规则"),
    "error": Phrase("errors", "错误"),
    "warning": Phrase("warnings", "警告"),
    "note": Phrase("notes", "提示"),
    "whole": Phrase("The benchmark as a whole", "整套试卷"),
    "item": Phrase("Item", "题目"),
    "file": Phrase("File", "文件"),
    "nothing": Phrase("Nothing was found.", "没有发现问题。"),
    "no picture": Phrase("cannot be shown here", "此处无法显示"),
}


def write_page(benchmark: Benchmark, findings: Sequence[Finding], path: Path, *, language: Language = "en") -> None:
    """Write the page. Raises `BadFile` where it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, findings_page(benchmark, findings, language=language))
    except OSError as error:
        raise BadFile(f"{path}: cannot be written: {error.strerror or error}") from error


def findings_page(benchmark: Benchmark, findings: Sequence[Finding], *, language: Language = "en") -> str:
    """One self-contained page that opens in `language` and shows the other on request.

    Its security policy forbids scripts and any load but what it carries; texts of the benchmark are escaped.
    """
    shown = _gravest(findings)
    cards = _cards(shown)
    embedded, remark = _embedded(benchmark, shown)
    left = len(findings) - len(shown)
    remarks = [remark] if remark else []
    if left:
        remarks.append(Phrase(f"{left} further findings are not on this page", f"另有 {left} 处未列入本页"))
    sums = both(Phrase(totals(findings, len(benchmark), "en"), totals(findings, len(benchmark), "zh")))
    remarked = "".join(f"<p>{both(remark)}</p>" for remark in remarks)
    choices = _filter(shown) if shown else f"<p>{both(_WORDS['nothing'])}</p>"
    found = "\n".join(_card(key, findings, benchmark, embedded) for key, findings in cards.items())
    return page(
        title=f"keju check: {benchmark.name}",
        policy="img-src data:; media-src data:",
        style=styles("findings.css") + _filters(shown),
        language=language,
        head=f"<p>{sums}</p>\n{remarked}",
        body=f"{choices}\n<main>\n{found}\n</main>",
    )


def _gravest(findings: Sequence[Finding]) -> list[Finding]:
    """At most `MOST`, errors before warnings before notes, in the order of the files."""
    worst = list(SEVERITIES)
    ranked = sorted(range(len(findings)), key=lambda n: worst.index(findings[n].severity))
    return [findings[n] for n in sorted(ranked[:MOST])]


Key = tuple[str | None, str | None]
"""Item and file that a card is about: the item where one is known, else the file, else neither."""


def _cards(findings: Iterable[Finding]) -> dict[Key, list[Finding]]:
    cards: dict[Key, list[Finding]] = {}
    for finding in findings:
        key = (finding.item, None) if finding.item is not None else (None, finding.file)
        cards.setdefault(key, []).append(finding)
    return cards


def _embedded(benchmark: Benchmark, findings: Iterable[Finding]) -> tuple[dict[str, str], Phrase | None]:
    """Data URIs of the media of what was found, the gravest first; and why there are no pictures, if so."""
    from keju.reports.thumbnails import embedded

    worst = list(SEVERITIES)
    told = sorted(findings, key=lambda finding: worst.index(finding.severity))
    items = dict.fromkeys(finding.item for finding in told if finding.item and finding.item in benchmark)
    media = [medium for item in items for medium in benchmark[item].media]
    try:
        return embedded(media, MEDIA), None
    except MissingExtra as missing:
        sounds = embedded([medium for medium in media if medium.kind == "audio"], MEDIA)
        return sounds, Phrase(str(missing), "页面上要有图片，请安装：pip install 'keju[checks]'")


def _card(key: Key, findings: Sequence[Finding], benchmark: Benchmark, embedded: Mapping[str, str]) -> str:
    item_id, file = key
    item = benchmark[item_id] if item_id is not None and item_id in benchmark else None
    classes = " ".join(dict.fromkeys(name for finding in findings for name in (finding.code, finding.severity)))
    head = both(_WORDS["whole"])
    if item_id is not None or file is not None:
        head = f"{both(_WORDS['file' if item_id is None else 'item'])} {plain(item_id or file or '')}"
    media = "".join(_medium(medium, embedded) for medium in (item.media if item else ()))
    return (
        f'<article class="{classes}">\n<div class="media">{media}</div>\n<div><h2>{head}</h2>\n'
        f"{_question(item) if item else ''}<ul>{''.join(map(_finding, findings))}</ul></div>\n</article>"
    )


def _medium(medium: Medium, embedded: Mapping[str, str]) -> str:
    name, uri = plain(medium.name), embedded.get(medium.name)
    if uri is None:
        shown = f"<p>{both(_WORDS['no picture'])}</p>"
    elif medium.kind == "image":
        shown = f'<img src="{uri}" alt="{name}" loading="lazy">'
    else:
        shown = f'<audio controls preload="none" src="{uri}"></audio>'
    return f"<figure>{shown}<figcaption>{name}</figcaption></figure>"


def _question(item: Item) -> str:
    """The item in its original wording; the key is marked."""
    options = "".join(
        f"<li{' class=key' if label == item.answer else ''}><b>{plain(label)}</b> {plain(text)}</li>"
        for label, text in item.options.items()
    )
    language, question = plain(item.wording.language), plain(item.wording.question)
    return f'<blockquote lang="{language}"><p>{question}</p><ol>{options}</ol></blockquote>\n'


def _finding(finding: Finding) -> str:
    place = f"<code>{plain(finding.place)}</code> " if finding.place else ""
    severity = both(SEVERITIES[finding.severity])
    return (
        f'<li class="finding {finding.code} {finding.severity}"><p><b>{finding.code}</b> <i>{severity}</i> {place}'
        f"{both(finding.message)}</p><p class=remedy>{both(finding.remedy)}</p></li>"
    )


def _filter(findings: Sequence[Finding]) -> str:
    """One choice: everything, a severity, or a code."""
    kinds = [_choice("all", len(findings), both(_WORDS["all"]), checked=True)]
    for severity in SEVERITIES:
        if n := sum(finding.severity == severity for finding in findings):
            kinds.append(_choice(severity, n, both(_WORDS[severity]), severity))
    rules = [
        _choice(rule.code, n, f"<b>{rule.code}</b> {both(rule.title)} <small>{both(rule.why)}</small>", rule.severity)
        for rule, n in counted(findings)
    ]
    return (
        f'<fieldset class="filter"><legend>{both(_WORDS["show"])}</legend>{"".join(kinds)}\n'
        f"<details open><summary>{both(_WORDS['rules'])}</summary>{''.join(rules)}</details></fieldset>"
    )


def _choice(name: str, n: int, words: str, kind: str = "", *, checked: bool = False) -> str:
    of = f' class="{kind}"' if kind else ""
    box = f'<input type="radio" name="only" id="only-{name}"{" checked" if checked else ""}>'
    return f"<label{of}>{box}<span><data>{n}</data> {words}</span></label>"


def _filters(findings: Iterable[Finding]) -> str:
    """Style that hides what is not chosen, a line a choice."""
    names = dict.fromkeys(name for finding in findings for name in (finding.severity, finding.code))
    return "".join(
        f":root:has(#only-{n}:checked) :is(article, .finding):not(.{n}) {{ display: none; }}\n" for n in names
    )
