"""A page in both languages, of which its style shows one: the page around its content, and the words on it."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from string import Template

from keju.phrase import in_chinese
from keju.printable import printable
from keju.reports.wording import Language, chinese


def page(*, title: str, policy: str, style: str, language: Language, head: str, body: str) -> str:
    """A page that opens in `language` and shows the other on request, without a script.

    `policy` is what it may load beside its own style; `title` is a text; `head`, below the title, and `body` are HTML.
    """
    return _PAGE.substitute(
        title=plain(title),
        policy=policy,
        style=style,
        language="zh-Hans" if chinese(language) else "en",
        en="checked" if language == "en" else "",
        zh="checked" if language == "zh" else "",
        head=head,
        body=body,
    )


def styles(*names: str) -> str:
    """The sheet of every page, and after it those of these names."""
    return "".join((files("keju.reports") / name).read_text(encoding="utf-8") for name in ("page.css", *names))


def both(phrase: str) -> str:
    """HTML of a phrase in both languages; a text that is the same in both, such as a name, stands once."""
    return either(plain(phrase), plain(in_chinese(phrase)))


def either(english: str, chinese: str, tag: str = "span") -> str:
    """The same of two pieces of HTML."""
    if english == chinese:
        return english
    return f'<{tag} class="en" lang="en">{english}</{tag}><{tag} class="zh" lang="zh-Hans">{chinese}</{tag}>'


def plain(text: str) -> str:
    """HTML of a text as it is; what no reader of a page should meet becomes U+FFFD."""
    return escape(printable(text))


_PAGE = Template("""<!DOCTYPE html>
<html lang="$language">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; $policy">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<style>
$style</style>
</head>
<body>
<header>
<fieldset><legend>Language · 语言</legend>
<label><input type="radio" name="language" id="en" $en><span lang="en">English</span></label>
<label><input type="radio" name="language" id="zh" $zh><span lang="zh-Hans">中文</span></label>
</fieldset>
<h1>$title</h1>
$head
</header>
$body
</body>
</html>
""")
