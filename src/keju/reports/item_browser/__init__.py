"""The items behind the figures, in the page: a list with search and filters, and everything about the item chosen.

`entries` groups marks by item    `contents` makes their data    `media` shows pictures and clips, within a budget
`embed_items` gives the parts of a page; what the reader sees is drawn by the scripts beside this file.

Replies, questions and names reach the page as data only, and its scripts set them as text: none is ever markup.
"""

from __future__ import annotations

from keju.reports.item_browser.embedding import NO_ITEMS, Browser, embed_items

__all__ = ["NO_ITEMS", "Browser", "embed_items"]
