"""What every worker does with a row of leased work, whatever the work is."""

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
from annotator.work.leases import Claim, Heartbeat
from annotator.work.machine_faults import MachineAtFault
from annotator.work.steps import JobCancelled, Steps

Work = TypeVar("Work", bound=LeasedWork)

log = logging.getLogger(__name__)

NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


class WorkRefused(Refusal, ValueError):
    """What was asked for cannot be done; the message says why and is shown as it is."""


def work_on(model: type[Work], pk: int, do: Callable[[Work, Steps], Mapping[str, Any] | None]) -> bool:
    """Carry out a row that nobody is working on; whether this call stored an ending.

    Safe to call twice, at once or again: the row decides who works. `do` returns the values stored with
    the ending, or None where it has put an end to the row itself. An error is stored in the row in plain
    words and logged in full.
    """
    claim = leases.claim(model, pk)
    return claim is not None and carry_out(model, claim, do)


def carry_out(model: type[Work], claim: Claim, do: Callable[[Work, Steps], Mapping[str, Any] | None]) -> bool:
    """Carry out the row of a claim, as `work_on` does; whether this call stored an ending."""
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
        log.exception("%s lost the database.", claim)
        return _left(claim, error)
    except MachineAtFault as error:
        log.exception("%s: the machine is at fault.", claim)
        return _left(claim, error)
    except Exception as error:
        log.exception("%s failed.", claim)
        return leases.fail(claim, in_plain_words(error))


def _left(claim: Claim, error: Exception) -> bool:
    """Give a row back whose database went away meanwhile, or which the machine cannot do now, being short.

    Nothing is wrong with the work: it is begun again by the next sweep, and fails where that never helps.
    Where the database is still away the lease ends by itself.
    """
    _drop_broken_connection()
    try:
        if claim.attempt >= leases.MAX_ATTEMPTS:
            return leases.fail(claim, in_plain_words(error))
        leases.give_back(claim)
    except (OperationalError, InterfaceError):
        log.warning("%s waits for the end of its lease: the database does not answer.", claim)
        _drop_broken_connection()
    return False


def _drop_broken_connection() -> None:
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()


def in_plain_words(error: Exception) -> str:
    """Return what people are told of an error that nobody foresaw."""
    if isinstance(error, SoftTimeLimitExceeded):
        return "It took longer than workers may take and was stopped."
    if isinstance(error, MachineAtFault):
        return f"{error} Nothing was refused or lost. Once the machine has room again, ask again."
    if isinstance(error, MemoryError):
        return "The worker ran out of memory."
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return f"The disk takes no more ({os.strerror(error.errno)}). Once there is room, ask for it again."
    return (
        f"It ended in an error ({type(error).__name__}). The worker's log, around this time, "
        "holds the details."
    )
