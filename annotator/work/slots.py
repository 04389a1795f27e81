"""Limit the concurrency of one kind of work across workers, by locks that end with their process.

Web and workers share the folder VAR_DIR, and so do the workers of several machines.
"""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

log = logging.getLogger(__name__)


@contextmanager
def slot(kind: str, most: int) -> Iterator[bool]:
    """Hold one of `most` slots while the block runs; yield whether one was free, without waiting.

    If the folder does not support locks, this is logged and the work continues.
    """
    try:
        handle = _held(kind, most)
    except OSError as error:
        log.warning("The concurrency of %s cannot be limited: %s.", kind, error.strerror or error)
        yield True
        return
    try:
        yield handle is not None
    finally:
        if handle is not None:
            os.close(handle)


def _held(kind: str, most: int) -> int | None:
    folder = Path(settings.VAR_DIR, "slots")
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(most):
        handle = os.open(folder / f"{kind}-{number}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
        except OSError:
            os.close(handle)
            raise
        else:
            return handle
    return None
