"""Programs that call the API: a token of a person's own, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http.response import HttpResponseBase
from django.test import Client

from annotator.models import Membership, User
from annotator.people.tokens import create_token

ROOT = "/api/v1"


@dataclass(frozen=True)
class Caller:
    """A program with somebody's token."""

    secret: str
    client: Client

    def get(self, path: str, **headers: str) -> Any:
        """GET below the API's root."""
        return self.client.get(ROOT + path, headers=self.headers | headers)

    def post(self, path: str, sent: object) -> Any:
        """POST JSON below the API's root."""
        return self.client.post(ROOT + path, sent, "application/json", headers=self.headers)

    @property
    def headers(self) -> dict[str, str]:
        """What every request carries."""
        return {"authorization": f"Bearer {self.secret}"} if self.secret else {}


def calling(who: Membership | User | None) -> Caller:
    """A program with a new token of a person; without a person one without a token."""
    user = who.user if isinstance(who, Membership) else who
    secret = ""
    if user is not None:
        _, secret = create_token(user=user, name="notebook", days=1)
    return Caller(secret, Client(raise_request_exception=False))


def items(answer: HttpResponseBase) -> list[dict[str, Any]]:
    """What a list holds."""
    assert answer.status_code == 200, answer
    rows: list[dict[str, Any]] = answer.json()["results"]  # type: ignore[attr-defined]
    return rows
