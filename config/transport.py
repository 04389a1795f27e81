"""The embedded message queue: files in a folder, each written atomically; and the Redis transport's name.

Kombu's file transport writes a message in place, and a worker that reads it half-written exits. Writing
under another name and renaming avoids that. Messages are only wake-ups: the database rows are the truth,
and a sweep resends the messages of a killed worker.
"""

from __future__ import annotations

import os
import uuid
from pathlib import Path
from time import monotonic_ns
from typing import Any

from kombu.exceptions import ChannelError
from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.encoding import str_to_bytes
from kombu.utils.json import dumps

ALIAS = "folder"


class Channel(filesystem.Channel):
    """A channel that writes messages atomically."""

    def _put(self, queue: str, payload: dict[str, Any], **kwargs: Any) -> None:  # type: ignore[override]
        name = f"{monotonic_ns() // 1_000_000}_{uuid.uuid4()}.{queue}.msg"
        partial = Path(self.data_folder_out, f".{name}.tmp")
        try:
            partial.write_bytes(str_to_bytes(dumps(payload)))
            os.replace(partial, Path(self.data_folder_out, name))
        except OSError as error:
            raise ChannelError(f"The message could not be written to {self.data_folder_out}.") from error


class Transport(filesystem.Transport):
    """Kombu's file transport with the channel above."""

    Channel = Channel


def folder_options(folder: Path) -> dict[str, Any]:
    """Return transport options that keep messages below `folder`, which is created if missing."""
    parts = {name: folder / name for name in ("messages", "control", "processed")}
    for part in parts.values():
        part.mkdir(parents=True, exist_ok=True)
    return {
        "data_folder_in": str(parts["messages"]),
        "data_folder_out": str(parts["messages"]),
        "control_folder": str(parts["control"]),
        "processed_folder": str(parts["processed"]),
        "store_processed": True,
        "polling_interval": 0.05,
    }


TRANSPORT_ALIASES[ALIAS] = "config.transport:Transport"
# By name, so that it loads only with a REDIS_URL.
TRANSPORT_ALIASES["redis"] = TRANSPORT_ALIASES["rediss"] = "config.redis_transport:Transport"
