"""People at the door: a browser, a password, an authenticator."""

from __future__ import annotations

import base64
import hmac
import struct
import time
from typing import Any, cast
from unittest import mock

from django.http import HttpResponse
from django.test import Client

from annotator.models import Membership, User
from tests.factories import user_of

PASSWORD = "blue-lamp-42"
LOGIN = "/accounts/login/"
CODE = "/accounts/login/code/"


def with_password(member: Membership) -> User:
    """Give somebody a password."""
    user = user_of(member)
    user.set_password(PASSWORD)
    user.save()
    return user


def try_in(client: Client, name: str = "ada", password: str = PASSWORD, **headers: Any) -> HttpResponse:
    """Send the form of the sign-in."""
    sent = {"username": name, "password": password}
    return cast(HttpResponse, client.post(LOGIN, sent, headers=headers or None))


def is_in(client: Client) -> bool:
    """Tell whether somebody is signed in."""
    return client.get("/settings/").status_code == 200


def enters(name: str = "ada", code: str = "", **browser: Any) -> bool:
    """Sign in in a new browser, with a code if there is one; tell whether that is enough."""
    try_in(client := Client(**browser), name)
    if code:
        client.post(CODE, {"code": code})
    return is_in(client)


def code_of(secret: str, steps: int = 0) -> str:
    """What an authenticator shows `steps` half minutes from now."""
    return code_at(secret, int(time.time()) // 30 + steps)


def code_at(secret: str, half_minute: int) -> str:
    """What an authenticator shows in a half minute since 1970 (RFC 6238); not the library's own."""
    digest = hmac.new(base64.b32decode(secret), struct.pack(">Q", half_minute), "sha1").digest()
    offset = digest[-1] & 15
    number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFFFFFF
    return f"{number % 1_000_000:06}"


def set_up(client: Client, password: str = PASSWORD) -> str:
    """Set up an authenticator on the pages, as a person does; returns its key."""
    page = client.get("/settings/account/authenticator/", follow=True)
    if page.request["PATH_INFO"] == "/accounts/confirm/":
        sent = {"password": password, "next": "/settings/account/authenticator/"}
        page = client.post("/accounts/confirm/", sent, follow=True)
    secret: str = page.context["form"].secret
    now = int(time.time()) // 30
    # The oldest code that is taken, so that the later ones are left. A half minute must not end meanwhile.
    clock = "allauth.mfa.totp.internal.auth.yield_hotp_counters_from_time"
    with mock.patch(clock, return_value=(now - 1, now, now + 1)):
        done = client.post("/settings/account/authenticator/", {"code": code_at(secret, now - 1)})
    assert (done.status_code, done["Location"]) == (302, "/settings/account/codes/"), done.content
    return secret
