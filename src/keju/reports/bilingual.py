"""Words on a page in both languages, of which its style shows one."""

from __future__ import annotations

from html import escape

from keju.phrase import in_chinese
from keju.reports.numbers import printable


def both(phrase: str) -> str:
    """HTML of a phrase in both languages; a text that is the same in both, such as a name, stands once."""
    english, chinese = plain(phrase), plain(in_chinese(phrase))
    if english == chinese:
        return english
    return f'<span class="en" lang="en">{english}</span><span class="zh" lang="zh-Hans">{chinese}</span>'


def plain(text: str) -> str:
    """HTML of a text as it is; what no reader of a page should meet becomes U+FFFD."""
    return escape(printable(text))
