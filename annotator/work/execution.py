"""Claim a row of leased work, carry it out, and store the outcome."""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from billiard.exceptions import SoftTimeLimitExceeded
from django.db import InterfaceError, OperationalError, connection

from annotator.inputs.refusal import Refusal
from annotator.models import LeasedWork
from annotator.work import leases
from annotator.work.leases import Claim, Heartbeat, JobCancelled, Steps
from annotator.work.machine_faults import MachineAtFault

Work = TypeVar("Work", bound=LeasedWork)

log = logging.getLogger(__name__)

NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


class WorkRefused(Refusal, ValueError):
    """The work is refused; the message is shown to users."""


def work_on(model: type[Work], pk: int, do: Callable[[Work, Steps], Mapping[str, Any] | None]) -> bool:
    """Claim and carry out a row; return whether this call stored an outcome.

    Safe to repeat and to run concurrently, because only one claim succeeds. `do` returns the values to store
    with the outcome, or None if it has ended the row itself. Errors are stored in plain language and logged
    in full.
    """
    claim = leases.claim(model, pk)
    return claim is not None and carry_out(model, claim, do)


def carry_out(model: type[Work], claim: Claim, do: Callable[[Work, Steps], Mapping[str, Any] | None]) -> bool:
    """Carry out a claimed row as `work_on` does; return whether this call stored an outcome."""
    try:
        work = model._default_manager.select_related("project", "requested_by").get(pk=claim.pk)
        with Heartbeat(claim):
            values = do(work, Steps(claim))
            return True if values is None else leases.finish(claim, **values)
    except JobCancelled as stopped:
        log.info("%s", stopped)
        return False
    except WorkRefused as error:
        return leases.fail(claim, str(error))
    except (OperationalError, InterfaceError) as error:
        log.exception("%s lost the database connection.", claim)
        return _left(claim, error)
    except MachineAtFault as error:
        log.exception("%s: the machine is at fault.", claim)
        return _left(claim, error)
    except Exception as error:
        log.exception("%s failed.", claim)
        return leases.fail(claim, in_plain_words(error))


def _left(claim: Claim, error: Exception) -> bool:
    """Release a row after a database failure or a lack of resources.

    The next sweep retries the work, up to the limit of attempts. While the database is unavailable, the lease
    simply expires.
    """
    _drop_broken_connection()
    try:
        if claim.attempt >= leases.MAX_ATTEMPTS:
            return leases.fail(claim, in_plain_words(error))
        leases.give_back(claim)
    except (OperationalError, InterfaceError):
        log.warning("%s waits until its lease expires: the database does not respond.", claim)
        _drop_broken_connection()
    return False


def _drop_broken_connection() -> None:
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()


def in_plain_words(error: Exception) -> str:
    """Return the message for an unexpected error."""
    if isinstance(error, SoftTimeLimitExceeded):
        return "The job exceeded the time limit and was stopped."
    if isinstance(error, MachineAtFault):
        return f"{error} No data was lost. Retry when the server has resources again."
    if isinstance(error, MemoryError):
        return "The worker ran out of memory."
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return f"The disk is full ({os.strerror(error.errno)}). Free some space, then retry."
    return f"The job failed with an error ({type(error).__name__}). The worker's log has the details."
