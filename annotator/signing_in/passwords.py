"""Check a signed-in user's password again; failed attempts count as at sign-in."""

from __future__ import annotations

from django.contrib.auth import authenticate
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from annotator.models import User
from annotator.signing_in.throttling import locked_words

WRONG = "Incorrect password."


def check_own_password(request: HttpRequest, user: User, password: str) -> None:
    """Raise ValidationError for an incorrect password or a locked-out client."""
    credentials = {"username": user.username}
    found = authenticate(request, **credentials, password=password)
    if found is None and getattr(request, "axes_locked_out", False):
        raise ValidationError(locked_words(request, credentials), "locked")
    if found is None or found.pk != user.pk:
        raise ValidationError(WRONG, "wrong")
