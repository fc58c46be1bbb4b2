"""Addresses of items: the list, the editor, the page of each."""

from __future__ import annotations

from django.urls import path

from keju.studio.views import aids, answers, drafting, editor, history, items, remarks

_ITEMS = "projects/<slug:slug>/items"
urlpatterns = [
    path(_ITEMS, items.items, name="items"),
    path(f"{_ITEMS}/submit", items.submit_many, name="items-submit"),
    path(f"{_ITEMS}/answers", answers.answers, name="answers"),
    path(f"{_ITEMS}/new", editor.new, name="item-new"),
    path(f"{_ITEMS}/new/draft", drafting.autosave, name="new-draft"),
    path(f"{_ITEMS}/new/discard", drafting.discard, name="new-discard"),
    path(f"{_ITEMS}/new/checks", drafting.live, name="new-checks"),
    path(f"{_ITEMS}/aids/code", aids.code, name="aid-code"),
    path(f"{_ITEMS}/aids/block", aids.block, name="aid-block"),
    path(f"{_ITEMS}/aids/script", aids.script, name="aid-script"),
    path(f"{_ITEMS}/aids/task-type", aids.task_type, name="aid-task-type"),
    path(f"{_ITEMS}/aids/media", aids.media, name="aid-media"),
    path(f"{_ITEMS}/<int:pk>", items.item, name="item"),
    path(f"{_ITEMS}/<int:pk>/edit", editor.edit, name="item-edit"),
    path(f"{_ITEMS}/<int:pk>/draft", drafting.autosave, name="item-draft"),
    path(f"{_ITEMS}/<int:pk>/discard", drafting.discard, name="item-discard"),
    path(f"{_ITEMS}/<int:pk>/checks", drafting.live, name="item-checks"),
    path(f"{_ITEMS}/<int:pk>/move/<slug:verb>", items.move, name="item-move"),
    path(f"{_ITEMS}/<int:pk>/history", history.history, name="item-history"),
    path(f"{_ITEMS}/<int:pk>/restore/<int:number>", history.go_back, name="item-restore"),
    path(f"{_ITEMS}/<int:pk>/comment", remarks.comment, name="item-comment"),
    path(f"{_ITEMS}/<int:pk>/comments/<int:comment>", remarks.settle, name="item-settle"),
    path(f"{_ITEMS}/<int:pk>/findings/<int:finding>", remarks.waive, name="item-waive"),
]
