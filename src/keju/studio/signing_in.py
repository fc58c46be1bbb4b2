"""One-time links: how people come in without a password sent to anyone."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from keju.studio.models import Batch, Profile, SignInLink

VALID_FOR = timedelta(days=7)


def new_link(user: User, *, batch: Batch | None = None, valid_for: timedelta = VALID_FOR) -> str:
    """A token that signs `user` in once; of a participant, until the sitting is closed."""
    token = secrets.token_urlsafe(16)  # 128 bits
    SignInLink.objects.create(user=user, digest=_digest(token), batch=batch, expires_at=timezone.now() + valid_for)
    return token


@transaction.atomic
def redeem(token: str) -> SignInLink | None:
    """The link of a token, marked as used; None where it is unknown, used or out of date."""
    links = SignInLink.objects.select_for_update(of=("self",)).select_related("user", "batch__project")
    link = links.filter(digest=_digest(token)).first()
    if link is None or not link.user.is_active:
        return None
    if link.batch is not None:
        if link.batch.closed_at is not None:
            return None
    elif link.used_at is not None or link.expires_at < timezone.now():
        return None
    link.used_at = timezone.now()
    link.save(update_fields=("used_at",))
    return link


@transaction.atomic
def new_person(name: str, *, kind: str = "annotator") -> User:
    """An account without a password, and its pseudonym (`annotator-07`)."""
    user = User.objects.create_user(username=name)
    number = (Profile.objects.aggregate(most=Max("pk"))["most"] or 0) + 1
    Profile.objects.create(user=user, pseudonym=f"{kind}-{number:02}")
    return user


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
