"""The account of the services: a command typed as root runs as it, so that they can write what it leaves."""

from __future__ import annotations

import os
import pwd
from pathlib import Path


def run_as_owner(*folders: Path) -> None:
    """As root, become the owner of the first of the folders that exists and is not root's.

    Anybody else, and root where no folder names an account, stays who they are.
    """
    if os.geteuid() != 0:
        return
    owner = next((folder.stat() for folder in folders if folder.is_dir() and folder.stat().st_uid), None)
    if owner is None:
        return
    try:
        os.initgroups(pwd.getpwuid(owner.st_uid).pw_name, owner.st_gid)
    except KeyError:  # in a container, a number without a name
        os.setgroups([owner.st_gid])
    os.setgid(owner.st_gid)
    os.setuid(owner.st_uid)
