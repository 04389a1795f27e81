"""The embedded queue: every message whole, none lost, with real processes at both ends."""

from __future__ import annotations

import multiprocessing
import time
from pathlib import Path
from queue import Empty
from typing import Any

from kombu import Connection

from config import transport

PRODUCERS = 2
CONSUMERS = 2
EACH = 150
PADDING = "x" * 20_000


def connect(folder: Path) -> Connection:
    return Connection(f"{transport.ALIAS}://", transport_options=transport.folder_options(folder))


def produce(folder: Path, producer: int) -> None:
    with connect(folder) as connection:
        queue = connection.SimpleQueue("work")
        for number in range(EACH):
            queue.put({"id": producer * EACH + number, "padding": PADDING})


def consume(folder: Path, results: Any) -> None:
    seen: list[int] = []
    deadline = time.monotonic() + 60
    with connect(folder) as connection:
        queue = connection.SimpleQueue("work")
        while time.monotonic() < deadline:
            try:
                message = queue.get(timeout=2)
            except Empty:
                break
            assert message.payload["padding"] == PADDING
            seen.append(message.payload["id"])
            message.ack()
    results.put(seen)


def test_no_message_is_lost_torn_or_doubled(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    workers = [context.Process(target=consume, args=(tmp_path, results)) for _ in range(CONSUMERS)]
    workers += [context.Process(target=produce, args=(tmp_path, number)) for number in range(PRODUCERS)]
    for worker in workers:
        worker.start()
    seen = [number for _ in range(CONSUMERS) for number in results.get(timeout=90)]
    for worker in workers:
        worker.join(30)
        assert worker.exitcode == 0
    assert sorted(seen) == list(range(PRODUCERS * EACH))


def test_a_half_written_message_is_invisible(tmp_path: Path) -> None:
    with connect(tmp_path) as connection:
        queue = connection.SimpleQueue("work")
        (tmp_path / "messages" / ".1_x.work.msg.tmp").write_bytes(b'{"half')
        queue.put({"id": 1})
        assert queue.get(timeout=2).payload == {"id": 1}
        assert sorted(path.name for path in (tmp_path / "messages").iterdir()) == [".1_x.work.msg.tmp"]
