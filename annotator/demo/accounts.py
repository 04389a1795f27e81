"""Demo accounts with generated passwords."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from annotator.models import Membership, Project, User

LEAD = "lead"
ANNOTATORS = ("annotator1", "annotator2")


@dataclass(frozen=True)
class Account:
    """A user name, its password, and its purpose."""

    username: str
    password: str
    purpose: str


def ready_accounts(keep_in: Path) -> list[Account]:
    """Return the demo's accounts, created at the first call and kept in a file readable only by its owner."""
    passwords = _kept_passwords(keep_in)
    accounts = []
    for username in (LEAD, *ANNOTATORS):
        purpose = "sees projects, reports and exports" if username == LEAD else "labels images"
        user, made = User.objects.get_or_create(username=username)
        if made or not user.check_password(passwords[username]):
            user.set_password(passwords[username])
            user.is_active = True
            user.save()
        accounts.append(Account(username, passwords[username], purpose))
    return accounts


def _kept_passwords(path: Path) -> dict[str, str]:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = {name: "-".join(secrets.token_hex(2) for _ in range(3)) for name in (LEAD, *ANNOTATORS)}
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(fresh, file)
    passwords: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return passwords


def join(project: Project, username: str, role: Membership.Role) -> Membership:
    """Return the account's membership of a project, created if missing.

    The account takes over a simulated annotator with the same code, and continues its work.
    """
    user = User.objects.get(username=username)
    mine = Membership.objects.filter(project=project, user=user).first()
    if mine is not None:
        return mine
    membership, made = Membership.objects.get_or_create(
        project=project, code=username, defaults={"user": user, "role": role}
    )
    if not made:
        simulated = membership.user
        membership.user = user
        membership.save(update_fields=["user"])
        if simulated is not None:
            simulated.delete()
    return membership
