"""`{{ finding.message|worded }}`: a text of several languages in that of the interface."""

from __future__ import annotations

from django import template

from keju.studio.wording import worded

register = template.Library()
register.filter("worded", worded)
