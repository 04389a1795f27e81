"""Read errors caused by the machine, not by the file: lack of resources, or a failing disk."""

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
    """A temporary fault of the machine."""


def blames_machine(error: Exception) -> TypeGuard[OSError]:
    """Return whether an error is not the file's fault; Pillow's errors have no errno."""
    return isinstance(error, OSError) and error.errno in _PASSING


def check_machine(error: OSError) -> None:
    """Raise MachineAtFault, which makes a worker retry later, for an error that is not the file's fault."""
    if blames_machine(error):
        raise MachineAtFault(f"The server cannot read files now ({error.strerror or error}).") from error
