"""`{{ finding.message|worded }}`: a text of several languages in that of the interface."""

from __future__ import annotations

from django import template

from keju.studio.deeds import group_name
from keju.studio.form_labels import language_name
from keju.studio.wording import in_a_row, worded

register = template.Library()
register.filter("worded", worded)
register.filter("in_a_row", in_a_row)
register.filter("group", group_name)
register.filter("language", language_name)
