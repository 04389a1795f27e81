"""Signs test clients in, with one statement instead of nineteen.

`Client.force_login` goes through the whole sign-in: two sessions, throttling, the time of the last sign-in.
Thousands of cases only need to be somebody; those about signing in send the form.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils.crypto import get_random_string

from annotator.models import Membership, User
from annotator.signing_in.sessions import SessionStore

KEY_LENGTH = 32
REAL = Client.force_login


@contextmanager
def signed_in_quickly() -> Iterator[None]:
    """Let `force_login` store the session that a sign-in leaves, and nothing else."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Client, "force_login", _force_login)
        yield


def _force_login(client: Client, user: User, backend: str | None = None) -> None:
    if client.cookies.get(settings.SESSION_COOKIE_NAME):
        REAL(client, user, backend)  # the visitor's session goes over into the new one
        return
    key = get_random_string(KEY_LENGTH).lower()
    kept = {
        SESSION_KEY: str(user.pk),
        BACKEND_SESSION_KEY: backend or settings.AUTHENTICATION_BACKENDS[-1],
        HASH_SESSION_KEY: user.get_session_auth_hash(),
    }
    store = SessionStore(key)
    stored = Session(session_key=key, session_data=store.encode(kept), expire_date=store.get_expiry_date())
    Session.objects.bulk_create([stored])
    client.cookies[settings.SESSION_COOKIE_NAME] = key


def signed_in(member: Membership) -> Client:
    """Return a browser in which a member is signed in."""
    client = Client()
    assert member.user is not None
    client.force_login(member.user)
    return client
