"""Tokens for programs: made once, shown once, known by their digest."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from keju.studio.models import ApiToken


def new_token(user: User, name: str) -> str:
    """A token by which a program acts as `user`."""
    token = secrets.token_urlsafe(32)  # 256 bits
    ApiToken.objects.create(user=user, name=name, digest=_digest(token))
    return token


def user_of(token: str) -> User | None:
    """Whose token it is; None where it is unknown or its person may no longer come in."""
    found = ApiToken.objects.select_related("user").filter(digest=_digest(token)).first()
    if found is None or not found.user.is_active:
        return None
    today = timezone.now().date()
    if found.used_on is None or today - found.used_on >= timedelta(days=1):  # one write a day, not one a call
        ApiToken.objects.filter(pk=found.pk).update(used_on=today)
    return User.objects.get(pk=found.user_id)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
