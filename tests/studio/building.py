"""Makes what the studio's tests need: a project, people with roles, assets and items."""

from __future__ import annotations

import io
from itertools import count
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from PIL import Image

from keju.studio.content import Content, Option
from keju.studio.models import Asset, Item, Membership, Project, Role, Term
from keju.studio.saving import Edit, create
from keju.studio.signing_in import new_person
from keju.studio.store import keep

_numbers = count(1)


def project(profile: str = "tco", **fields: Any) -> Project:
    """A project with a few terms of each kind that items have."""
    number = next(_numbers)
    values: dict[str, Any] = {"languages": ["zh-Hans", "en"], "title": f"戏曲 {number}", **fields}
    made = Project.objects.create(slug=f"project-{number}", profile=profile, **values)
    for kind, code in (("genre", "peking"), ("genre", "kunqu"), ("question_type", "role"), ("difficulty", "easy")):
        Term.objects.create(project=made, kind=kind, code=code, label={"en": code.title(), "zh-hans": code})
    return made


def person(project: Project | None, *roles: Role, name: str | None = None) -> User:
    """Someone with an account, and with roles in a project where one is given."""
    user = new_person(name or f"person-{next(_numbers)}")
    if project and roles:
        Membership.objects.create(project=project, user=user, roles=[str(role) for role in roles])
    return user


def client_of(user: User) -> Client:
    """A browser in which `user` is signed in."""
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def png(width: int = 1280, height: int = 720, colour: int | None = None) -> bytes:
    """Bytes of a picture that no other call makes, unless `colour` is given."""
    value = next(_numbers) if colour is None else colour
    buffer = io.BytesIO()
    picture = Image.linear_gradient("L").resize((width, height)).convert("RGB")
    picture.paste((value % 256, value // 256 % 256, 90), (0, 0, width // 4, height // 4))
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def asset(project: Project, user: User, data: bytes | None = None, **fields: Any) -> Asset:
    """A picture in the store."""
    data = data or png()
    sha256, size = keep([data])
    values = {"kind": "image", "mime": "image/png", "name": f"still-{next(_numbers)}.png", **fields}
    return Asset.objects.create(project=project, sha256=sha256, size=size, uploaded_by=user, **values)


def content(key: int | None = 1, *, stem: str = "这是什么行当？", options: int = 4) -> Content:
    """A bilingual item; the second option is right unless told otherwise."""
    texts = [("生", "Sheng"), ("旦", "Dan"), ("净", "Jing"), ("丑", "Chou"), ("末", "Mo"), ("外", "Wai")][:options]
    return Content(
        stem={"zh-Hans": stem, "en": "Which role type is this?"},
        options=[
            Option(text={"zh-Hans": zh, "en": en}, strategy=None if i == key else "semantic")
            for i, (zh, en) in enumerate(texts)
        ],
        key=key,
        rationale={"zh-Hans": "看脸谱"},
    )


def item(project: Project, author: User, *, state: str = "draft", key: int | None = 1, **fields: Any) -> Item:
    """An item with a picture and one revision, in any state."""
    picture = fields.pop("image", None) or asset(project, author)
    body = fields.pop("content", None) or content(key, stem=f"第{next(_numbers)}幅图是什么行当？")
    code = fields.pop("code", None) or f"{next(_numbers):04}"
    made = create(project, code, author, Edit(body, image=picture))
    for name, value in {**fields, "state": state}.items():
        setattr(made, name, value)
    made.save()
    return Item.objects.select_related("project", "current").get(pk=made.pk)
