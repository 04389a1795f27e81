"""The message queues: every message whole, none lost, with real processes at both ends; a lost Redis."""

from __future__ import annotations

import multiprocessing
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from kombu import Connection

from config import redis_transport, transport
from tests.config.deploy.process_set import free_port, program

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


@pytest.mark.thorough
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


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A Redis of this test's own, which it may kill."""
    if not program("redis-server"):
        pytest.skip("redis-server is not on this machine")
    port = free_port()
    words = [program("redis-server"), "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir"]
    running = subprocess.Popen([*words, str(tmp_path)], stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.02)
        yield f"redis://127.0.0.1:{port}/0", running
    finally:
        running.kill()
        running.wait()


def test_the_address_of_redis_leads_to_our_transport() -> None:
    assert isinstance(Connection("redis://127.0.0.1:1/0").transport, redis_transport.Transport)


def test_a_channel_that_holds_messages_is_closed_after_redis_has_gone(
    server: tuple[str, subprocess.Popen[bytes]],
) -> None:
    """The library raises AttributeError, which is no connection error: a worker ended."""
    url, process = server
    connection = Connection(url, transport=redis_transport.Transport)
    connection.SimpleQueue("work").put({"id": 1})
    channel: Any = connection.default_channel  # its stubs know less than it has
    message = connection.SimpleQueue("work").get(timeout=5)
    process.kill()
    process.wait()
    # As a worker does that reconnects: its transport lets go before the channel is closed.
    connection.transport.client = None
    channel._disconnect_pools()
    channel._pool = None
    channel.qos._on_collect.cancel()  # at the end of this process it would try once more
    with pytest.raises(connection.connection_errors):
        message.ack()


def test_a_message_that_redis_did_not_acknowledge_in_time_frees_its_place(
    server: tuple[str, subprocess.Popen[bytes]],
) -> None:
    """With the library, a worker that holds as many messages as it may took none ever again."""
    url, process = server
    options = {"socket_timeout": 0.5}
    connection = Connection(url, transport=redis_transport.Transport, transport_options=options)
    queue = connection.SimpleQueue("work")
    for number in (1, 2):
        queue.put({"id": number})
    channel: Any = connection.default_channel
    channel.basic_qos(0, 1, False)
    message = queue.get(timeout=5)
    assert not channel.qos.can_consume()
    process.send_signal(signal.SIGSTOP)
    try:
        with pytest.raises(connection.connection_errors):
            message.ack()
    finally:
        process.send_signal(signal.SIGCONT)
    assert channel.qos.can_consume()
    assert queue.get(timeout=5).payload == {"id": 2}
    channel.qos._on_collect.cancel()
