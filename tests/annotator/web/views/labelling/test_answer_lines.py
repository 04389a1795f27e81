"""Lines that are cut, over real sockets: what was sent is stored once, whole or not at all."""

from __future__ import annotations

import json
import socket
import struct
import time
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from annotator.models import Annotation, Assignment, Event
from tests.annotator.acting import HANDS, LIMBS
from tests.annotator.web.views.speaking import Sent, address_of, answer_body
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 6


class Line:
    """A browser's connection to the real server, with cookie and token."""

    def __init__(self, server: LiveServer, client: Client, assignment: Assignment) -> None:
        self.host, self.port = urlsplit(server.url).hostname or "", urlsplit(server.url).port or 0
        client.get(address_of("answer_state", assignment))
        cookies = {name: cookie.value for name, cookie in client.cookies.items()}
        self.headers = {
            "Content-Type": "application/json",
            "Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items()),
            "X-CSRFToken": cookies[settings.CSRF_COOKIE_NAME],
        }

    def ask(self, address: str, body: Sent) -> tuple[int, dict[str, Any]]:
        """Send and wait for the answer."""
        connection = HTTPConnection(self.host, self.port, timeout=20)
        connection.request("POST", address, json.dumps(body), self.headers)
        response = connection.getresponse()
        answer = response.status, json.loads(response.read())
        connection.close()
        return answer

    def cut(self, address: str, body: Sent, share: float = 1) -> None:
        """Send a share of the body and tear the line without listening."""
        text = json.dumps(body).encode()
        head = [f"POST {address} HTTP/1.1", f"Host: {self.host}:{self.port}", f"Content-Length: {len(text)}"]
        head += [f"{name}: {value}" for name, value in self.headers.items()]
        with socket.create_connection((self.host, self.port), timeout=20) as line:
            line.sendall("\r\n".join([*head, "", ""]).encode() + text[: int(len(text) * share)])
            if share == 1:
                # A reset would also throw away what the server has not read yet.
                line.shutdown(socket.SHUT_WR)
                time.sleep(0.02)
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@pytest.fixture
def line(live_server: LiveServer, assignment: Assignment) -> Line:
    return Line(live_server, signed_in(assignment.annotator), assignment)


def wait_for(assignment: Assignment, events: int) -> None:
    """Until the server has committed what it was sent."""
    end = time.monotonic() + 20
    while Event.objects.filter(assignment=assignment).count() < events:
        assert time.monotonic() < end, "the server never stored it"
        time.sleep(0.01)


@pytest.mark.parametrize("patient", [True, False], ids=["after the commit", "at once"])
def test_a_cut_save_sent_again_is_one_version(assignment: Assignment, line: Line, patient: bool) -> None:
    address = address_of("answer_save", assignment)
    for version in range(ROUNDS):
        body = answer_body([LIMBS, HANDS][version % 2], version)
        line.cut(address, body)
        if patient:
            wait_for(assignment, version + 1)
        answers = [line.ask(address, body) for _ in range(2)]
        assert [status for status, _ in answers] == [200, 200]
        assert answers[0] == answers[1]
        assert answers[0][1]["version"] == version + 1
        stored = Annotation.objects.get()
        assert (stored.version, stored.payload) == (version + 1, body["payload"])
        assert Event.objects.count() == version + 1


@pytest.mark.parametrize("share", [0, 0.5, 0.99])
def test_a_body_cut_short_stores_nothing(assignment: Assignment, line: Line, share: float) -> None:
    address, body = address_of("answer_save", assignment), answer_body()
    line.cut(address, body, share)
    time.sleep(0.2)
    assert not Annotation.objects.exists()
    status, answer = line.ask(address, body)
    assert (status, answer["version"], Event.objects.count()) == (200, 1, 1)
