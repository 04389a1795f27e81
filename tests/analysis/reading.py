"""Reading a report page with the sections that opening it fetches, and files of rows."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from html import unescape
from io import StringIO

from django.test import Client

SECTION = re.compile(r'hx-get="([^"]*/sections/[^"]*)"')


def whole_page(client: Client, path: str) -> str:
    """Return a page of a report, followed by each of its sections as htmx fetches it."""
    page = client.get(path)
    assert page.status_code == 200
    html = page.content.decode()
    return "\n".join([html, *(section(client, unescape(each)) for each in SECTION.findall(html))])


def section(client: Client, path: str) -> str:
    """Return one section as htmx fetches it."""
    answer = client.get(path, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    piece = answer.content.decode()
    assert "<html" not in piece
    return piece


def rows_in(file: Iterable[bytes]) -> list[dict[str, str]]:
    """Return the rows of a CSV file that comes in pieces."""
    return list(csv.DictReader(StringIO(b"".join(file).decode(), newline="")))
