"""Races for access that works once or has ended: invitations, codes, tokens, sessions."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from unittest import mock
from uuid import uuid4

from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from allauth.mfa.utils import decrypt
from axes.utils import reset
from django.test import Client

from annotator.models import Invitation, Membership, User
from annotator.people.invitations import NewAccount, accept_invitation, revoke_invitation
from annotator.people.tokens import create_token, revoke_token, token_with
from benchmarks.races.rounds import Round
from benchmarks.races.worlds import browser, tabs
from tests.annotator.invited import invite
from tests.annotator.signing_in.ways_in import CODE, PASSWORD, code_of, is_in, try_in, with_password
from tests.factories import make_member, make_project, make_user

FOUR = 4
CALLS = 6


def invitation_used(round_: Round) -> None:
    """Two accounts and two newcomers open one link, which a lead revokes in every other round."""
    project = make_project()
    invitation = invite(project=project, role="annotator", code="ann", actor=None)
    names = [f"new-{uuid4().hex[:12]}" for _ in range(2)]
    jobs: list[Callable[[], object]] = [
        *(partial(accept_invitation, invitation=invitation, user=make_user()) for _ in range(2)),
        *(partial(accept_invitation, invitation=invitation, user=NewAccount(name, "x")) for name in names),
    ]
    if round_.number % 2:
        jobs.append(partial(revoke_invitation, invitation=invitation, actor=None))
    outcomes = round_.race(*jobs)
    won = [each for each in outcomes if isinstance(each, Membership)]
    now = Invitation.objects.get(pk=invitation.pk)
    revoked = now.revoked_at is not None
    round_.holds("one gets in, or nobody where it was taken back", len(won) == (not revoked))
    round_.holds("used or taken back", (now.used_at is None) == revoked)
    round_.holds("the project has who got in", project.memberships.count() == len(won))
    left = set(User.objects.filter(username__in=names).values_list("pk", flat=True))
    round_.holds("nobody else has an account", left <= {each.user_id for each in won})


def token_revoked(round_: Round) -> None:
    """Four programs use a token while its owner revokes it."""
    user = make_user()
    token, secret = create_token(user=user, name="race", days=1)
    ended: list[float] = []

    def revoke() -> None:
        revoke_token(token)
        ended.append(time.monotonic())

    headers = {"authorization": f"Bearer {secret}"}
    calls = [
        partial(_calls, Client(raise_request_exception=False), "/api/v1/projects", headers)
        for _ in range(FOUR)
    ]
    *answered, _ = round_.race(*calls, revoke)
    _shut(round_, answered, ended[0], (401,))
    last = Client().get("/api/v1/projects", headers=headers)
    round_.holds("it opens nothing any more", (last.status_code, token_with(secret)) == (401, None))


def password_changed(round_: Round) -> None:
    """A user changes the password while four tabs of other devices continue."""
    member = make_member(make_project())
    with_password(member)
    working, leaving = tabs(member, FOUR), browser(member)
    ended: list[float] = []

    new = {"old_password": PASSWORD, "new_password1": "new-lamp-43", "new_password2": "new-lamp-43"}

    def leave() -> int:
        status: int = leaving.post("/accounts/password/", new).status_code
        ended.append(time.monotonic())
        return status

    *answered, left = round_.race(*(partial(_calls, tab, "/settings/", {}) for tab in working), leave)
    round_.holds("it was done", left == 302)
    _shut(round_, answered, ended[0], (302,))
    round_.holds("no tab of another device is signed in", not any(is_in(tab) for tab in working))
    round_.holds("the one with the new password is", is_in(leaving))


def recovery_code_used(round_: Round) -> None:
    """Four browsers with the password send one recovery code."""
    user = _with_codes()
    code = Authenticator.objects.get(user=user, type="recovery_codes").wrap().get_unused_codes()[0]
    _code_sent(round_, user, code)
    left = Authenticator.objects.get(user=user, type="recovery_codes").wrap().get_unused_codes()
    round_.holds("it is used up, and no other", (len(left), code in left) == (9, False))


def authenticator_code_used(round_: Round) -> None:
    """Four browsers with the password send one code of the authenticator app."""
    user = _with_codes()
    secret = decrypt(Authenticator.objects.get(user=user, type="totp").data["secret"])
    # The library remembers used codes per process, so several processes do not share them.
    with mock.patch("allauth.mfa.totp.internal.auth.cache.add", return_value=True):
        _code_sent(round_, user, code_of(secret))


def _code_sent(round_: Round, user: User, code: str) -> None:
    reset(ip="127.0.0.1")  # the wrong guesses of earlier rounds would shut everybody out
    browsers = [Client(raise_request_exception=False) for _ in range(FOUR)]
    for client in browsers:
        try_in(client, user.username)
    answers = round_.race(*(partial(client.post, CODE, {"code": code}) for client in browsers))
    let_in = [is_in(client) for client in browsers]
    round_.holds("one browser is let in", sum(let_in) == 1)
    round_.holds("as it was told", [each.status_code == 302 for each in answers] == let_in)


def _with_codes() -> User:
    """A user with a password, an authenticator app and recovery codes."""
    user = with_password(make_member(make_project()))
    TOTP.activate(user, generate_totp_secret())
    RecoveryCodes.activate(user)
    return user


def _calls(client: Client, address: str, headers: dict[str, str]) -> _Answers:
    """Send requests one after another; record when each started and its response."""
    found = []
    for _ in range(CALLS):
        begun = time.monotonic()
        found.append((begun, client.get(address, headers=headers or None).status_code))
    return _Answers(tuple(found))


@dataclass(frozen=True)
class _Answers:
    """The responses to a program or tab."""

    all: tuple[tuple[float, int], ...]

    @property
    def in_words(self) -> str:
        """Whether it was refused after a success."""
        good = sum(status == 200 for _, status in self.all)
        return "served" if good == CALLS else "shut out" if good == 0 else "shut out midway"


def _shut(round_: Round, answered: list[object], end: float, refusals: tuple[int, ...]) -> None:
    """Requests started after the end are refused; earlier ones may succeed or fail."""
    # What raised instead has already broken the round.
    seen = [one for each in answered if isinstance(each, _Answers) for one in each.all]
    late = {status for begun, status in seen if begun > end}
    round_.holds(f"nothing is open afterwards: {late}", late <= set(refusals))
    round_.holds("nothing but yes or no", {status for _, status in seen} <= {200, *refusals})
