"""Malformed tables sent through the import page, and hostile cells through export and import."""

from __future__ import annotations

import csv
import io
import random
from collections import Counter
from typing import Any, Final
from uuid import uuid4

from django.test import override_settings

from benchmarks.hostile import damage
from benchmarks.hostile.uploads import UNFORESEEN

HOSTILE_CELLS: Final = (
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "=cmd|' /C calc'!A0",
    "\t=1+1",
    "\r=1",
    '"',
    "'",
    "1/4c",
    "1/5",
    "²/4c",
    "１/４c",
    "١/٤c",
    "1_0/20c",
    " 1/4c ",
    "1/4c\n",
    "\0",
    "\ufeff1/4c",
    "1/99999999999999999999c",
    "<script>alert(1)</script>",
    "{{7*7}}",
    "'; DROP TABLE annotator_annotation;--",
    "\ud7ff",
    "\U0001f4a9",
    "a" * 40_000,
    "1/4c," * 500,
    "1e308",
    "NaN",
    "None",
    "TRUE",
    "1/1/2024",
    "\u202e1/4c",
    "\x1b[31m",
)


def malformed(chance: random.Random, count: int) -> list[tuple[str, bytes]]:
    """Yield files that claim to be tables of annotations."""
    makers = (
        _cells,
        _cut,
        _flipped,
        _encoded,
        _ragged,
        _headed,
        _quoted,
        _workbook,
        _broken_workbook,
        _json,
        _noise,
    )
    return [
        (f"{make.__name__[1:]}-{number}.{_ENDINGS.get(make.__name__, 'csv')}", make(chance))
        for number in range(count)
        for make in [makers[number % len(makers)]]
    ]


_ENDINGS: Final = {"_workbook": "xlsx", "_broken_workbook": "xlsx", "_json": "json"}


# One lead uploads more than the limits allow.
@override_settings(FILES_A_MINUTE=10**6, FILES_WAITING=10**6, FILES_KEPT_BYTES=10**12)
def sent(chance: random.Random, count: int) -> dict[str, int]:
    """Send each through the page, read it, open the result page, store it, export it."""
    from django.core.files.uploadedfile import SimpleUploadedFile
    from django.test import Client
    from django.urls import reverse

    from annotator.models import Job
    from annotator.work.jobs import run_job
    from tests.factories import LEAD, make_image, make_member, make_project

    project = make_project()
    for number in (1, 2, 3):
        make_image(project, generator="sdxl", prompt="hug", number=number)
    lead, client = make_member(project, LEAD), Client(raise_request_exception=False)
    client.force_login(lead.user)  # type: ignore[arg-type]
    found: Counter[str] = Counter(files=count)

    def answered(answer: Any) -> Any:
        found["requests"] += 1
        found["5xx"] += answer.status_code >= 500
        if answer.streaming:
            b"".join(answer.streaming_content)
        return answer

    for name, contents in malformed(chance, count):
        form = {"file": SimpleUploadedFile(name, contents), "request_key": str(uuid4())}
        answered(client.post(reverse("import_rows", args=[project.slug, "answers"]), form))
        for job in Job.objects.filter(project=project, status="queued"):
            run_job(job.pk)
            job.refresh_from_db()
            found["jobs ended in an error"] += job.error.startswith(UNFORESEEN)
            found["refused in words"] += job.status == "failed"
            answered(client.get(reverse("job", args=[job.pk])))
            if job.status == "done":
                address = reverse("rows_reading", args=[project.slug, "answers", job.pk])
                answered(client.get(address))
                answered(client.post(address, {"request_key": str(uuid4())}))
        for job in Job.objects.filter(project=project, status="queued"):
            run_job(job.pk)
            job.refresh_from_db()
            found["jobs ended in an error"] += job.error.startswith(UNFORESEEN)
        if len(found) and chance.random() < 0.1:
            answered(client.get(reverse("export", args=[project.slug, "sheet"])))
    return dict(found)


def there_and_back(chance: random.Random, count: int) -> dict[str, int]:
    """Export cells that a spreadsheet would execute, import them into a copy, export again."""
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from analysis.exports.anatomy.layouts import MARKS, SHEET
    from scoring.grid.taxonomy import CELLS
    from tests.analysis.exports.test_there_and_back import lines, through
    from tests.analysis.factories import make_submitted
    from tests.factories import make_batch, make_image, make_member, make_project

    found: Counter[str] = Counter(projects=count)
    names = ("=1+1", "1/5", "+49", "@SUM(A1)", "1e5", "007", "東京", "Żółć", 'a, "b"', "it's", "-x")
    for _ in range(count):
        project = make_project()
        batch, member = make_batch(project), make_member(project, code=chance.choice(names))
        for place in range(1, 6):
            total = chance.randrange(1, 100)
            marks = [
                (cell.key, f"{chance.randrange(1, total + 1)}/{total}{chance.choice('abc')}")
                for cell in CELLS
                if chance.random() < 0.15
            ]
            generator = chance.choice(names)
            image = make_image(
                project, generator=generator, prompt=f"{chance.choice(names)} {place}", number=place
            )
            make_submitted(member, marks, image=image, batch=batch)
        for layout in (SHEET, MARKS):
            for form in ("csv", "xlsx"):
                with TemporaryDirectory() as folder:
                    other = through(project, layout, form, Path(folder))
                before, after = lines(project, layout), lines(other, layout)
                found["round trips"] += 1
                found["lines"] += len(before)
                found["mismatches"] += before != after
                found["live formulas"] += sum(_runs(value) for line in before for value in line.values())
    return dict(found)


def _runs(value: str) -> bool:
    return len(value) > 1 and value[0] in "=+-@\t\r"


def _rows(chance: random.Random, rows: int = 4) -> list[list[str]]:
    from scoring.grid.taxonomy import SHEET_COLUMNS
    from tests.annotator.exchange.conftest import sheet_row

    made = []
    for number in range(rows):
        row = sheet_row(f"sdxl_hug_0{number % 3 + 1}", f"anno{chance.randrange(4)}")
        for _ in range(chance.randrange(1, 8)):
            row[chance.choice(SHEET_COLUMNS)] = chance.choice(HOSTILE_CELLS)
        made.append([row[heading] for heading in SHEET_COLUMNS])
    return [list(SHEET_COLUMNS), *made]


def _csv(rows: list[list[str]], **how: Any) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer, **how).writerows(rows)
    return buffer.getvalue().encode("utf-8", "surrogatepass")


def _cells(chance: random.Random) -> bytes:
    return _csv(
        _rows(chance), delimiter=chance.choice(",;\t"), lineterminator=chance.choice(("\n", "\r\n", "\r"))
    )


def _cut(chance: random.Random) -> bytes:
    return damage.shortened(chance, _cells(chance))


def _flipped(chance: random.Random) -> bytes:
    return damage.flipped(chance, _cells(chance), 30)


def _encoded(chance: random.Random) -> bytes:
    text = _cells(chance).decode("utf-8", "replace")
    way = chance.choice(("utf-16", "utf-32", "utf-8-sig", "cp1252", "utf-7", "cp037", "shift_jis"))
    return text.encode(way, "replace")


def _ragged(chance: random.Random) -> bytes:
    rows = _rows(chance)
    return _csv([row[: chance.randrange(len(row) + 1)] + ["x"] * chance.randrange(5) for row in rows])


def _headed(chance: random.Random) -> bytes:
    head, *rows = _rows(chance)
    for _ in range(chance.randrange(1, 4)):
        head[chance.randrange(len(head))] = chance.choice((*HOSTILE_CELLS, head[0]))
    return _csv([head, *rows])


def _quoted(chance: random.Random) -> bytes:
    whole = _cells(chance)
    place = chance.randrange(len(whole))
    return whole[:place] + chance.choice((b'"', b'""', b'"\n', b'\\"', b"\0", b"\r\r\n")) + whole[place:]


def _workbook(chance: random.Random) -> bytes:
    import openpyxl
    from openpyxl.utils.exceptions import IllegalCharacterError

    book = openpyxl.Workbook()
    for row in _rows(chance):
        cells: list[Any] = [
            chance.choice((each, each, each, 7, 0.5, True, None)) if each else None for each in row
        ]
        try:
            book.active.append(cells)
        except IllegalCharacterError:
            continue
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def _broken_workbook(chance: random.Random) -> bytes:
    whole = bytearray(_workbook(chance))
    for _ in range(chance.randrange(1, 200)):
        whole[chance.randrange(4, len(whole))] = chance.randrange(256)
    return bytes(whole[: chance.choice((len(whole), chance.randrange(4, len(whole))))])


def _json(chance: random.Random) -> bytes:
    texts = (
        b"[]",
        b"{}",
        b"[{}]",
        b"[" * 5_000,
        b'[{"id": 1, "annotations": null}]',
        b'[{"id": NaN}]',
        b'{"a": 1e999}',
    )
    more = (
        b'[{"data": {"image": "x"}, "annotations": [{"result": [{"value": 7}]}]}]',
        b'["\\ud800"]',
        b"[1, 2",
        b"null",
    )
    return chance.choice((*texts, *more))


def _noise(chance: random.Random) -> bytes:
    return chance.choice((b"", b"PK\x03\x04", b"[", b"\xef\xbb\xbf")) + chance.randbytes(
        chance.randrange(3_000)
    )
