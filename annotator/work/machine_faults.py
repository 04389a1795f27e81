"""Errors of reading for which no file is to blame: the machine is short of something, or its disk fails."""

from __future__ import annotations

import errno
from typing import Final, TypeGuard

_PASSING: Final = frozenset(
    {
        *(errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN),
        *(errno.EIO, errno.ENOSPC, errno.EDQUOT),
    }
)


class MachineAtFault(RuntimeError):
    """The machine cannot do now what it could at another time; the message says why, for people."""


def blames_machine(error: Exception) -> TypeGuard[OSError]:
    """Whether an error says nothing about the file that was to be read; Pillow's own have no number."""
    return isinstance(error, OSError) and error.errno in _PASSING


def check_machine(error: OSError) -> None:
    """Raise MachineAtFault, upon which a worker begins again later, for an error that blames no file."""
    if blames_machine(error):
        raise MachineAtFault(f"The server cannot read files just now ({error.strerror or error}).") from error
