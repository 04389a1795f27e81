"""Hostile files sent as people send them, then read, stored and drawn by a worker's code."""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from PIL import Image as Picture

from annotator.images.display import make_displays
from annotator.models import Image, Job, Project
from annotator.uploads.receiving import UploadRefused
from annotator.work.jobs import run_job
from tests.annotator.exchange.conftest import sheet_row, sheet_text
from tests.annotator.uploads.bringing import bring, read, store
from tests.factories import LEAD, make_image, make_member, make_project, user_of
from tests.hostile import archives, pictures

NEAR: Final = 10
"""Allowed difference of a colour, out of 255: display copies are WebP of quality 82."""
UNFORESEEN: Final = "It ended in an error"


def outside(home: Path) -> list[str]:
    """Return files that escaped to an entry's target, and links in the home."""
    here, temporary = Path.cwd(), Path(tempfile.gettempdir())
    places = {Path("/"), Path("/tmp"), Path.home(), here, here.parent, home.parent, temporary}
    escaped = {str(path) for place in places for path in place.glob(f"*{archives.TOKEN}*")}
    for folder, _, names in os.walk(home):
        escaped |= {os.path.join(folder, name) for name in names if archives.TOKEN in name}
        escaped |= {folder} if os.path.islink(folder) else set()
    return sorted(escaped)


def through_archives(files: Iterable[bytes]) -> Counter[str]:
    """Upload each archive alone; count jobs, stored images and stored images with wrong bytes or pixels."""
    ended: Counter[str] = Counter()
    for number, contents in enumerate(files):
        ended += _sent({f"{number}.zip": contents})
    images = list(Image.objects.all())
    ended["stored"] = len(images)
    ended["wrong pixels"] = sum(not (_as_sent(image) and _one_of_ours(image)) for image in images)
    return ended


def through_pictures(samples: list[pictures.Sample]) -> Counter[str]:
    """Upload, store and draw images; count those with wrong colours, and valid ones that are not stored."""
    ended = _sent({sample.name: sample.contents for sample in samples})
    expected = {hashlib.sha256(sample.contents).hexdigest(): sample for sample in samples}
    images = list(Image.objects.all())
    for image in images:
        make_displays([image.pk])
        image.refresh_from_db()
        right = _as_sent(image) and image.display_state == Image.DisplayState.READY
        ended["wrong pixels"] += not (right and _shown_rightly(image, expected[image.sha256]))
    ended["stored"] = len(images)
    valid = {digest for digest, sample in expected.items() if sample.colors}
    ended["valid, not stored"] = len(valid - {image.sha256 for image in images})
    return ended


def through_tables(files: Iterable[tuple[str, bytes]]) -> Counter[str]:
    """Send each table through the page, read it, open the result, store it; count what went wrong."""
    project = make_project()
    for number in (1, 2, 3):
        make_image(project, generator="sdxl", prompt="hug", number=number)
    client = Client(raise_request_exception=False)
    lead = user_of(make_member(project, LEAD))
    client.force_login(lead)
    ended: Counter[str] = Counter()

    def asked(method: str, name: str, *place: Any, **form: Any) -> None:
        answer = getattr(client, method)(reverse(name, args=place), form)
        ended.update({"requests": 1, "5xx": int(answer.status_code >= 500)})

    for name, contents in files:
        file, key = SimpleUploadedFile(name, contents), str(uuid4())
        asked("post", "import_rows", project.slug, "answers", file=file, request_key=key)
        for job in _run(project, ended):
            asked("get", "job", job.pk)
            if job.status == "done":
                asked("get", "rows_reading", project.slug, "answers", job.pk)
                asked("post", "rows_reading", project.slug, "answers", job.pk, request_key=str(uuid4()))
        _run(project, ended)
    asked("post", "exports", project.slug, layout="sheet", format="csv")
    return ended


def _run(project: Project, ended: Counter[str]) -> list[Job]:
    jobs = list(Job.objects.filter(project=project, status="queued"))
    for job in jobs:
        run_job(job.pk)
        job.refresh_from_db()
        ended["ended in an error"] += job.error.startswith(UNFORESEEN)
    return jobs


def _sent(files: dict[str, bytes]) -> Counter[str]:
    """Send files as one upload, read and store it; return how its jobs ended."""
    upload = bring(make_project(), files)
    jobs = [read(upload)]
    with suppress(UploadRefused):
        jobs.append(store(upload))
    unforeseen = sum(job.error.startswith(UNFORESEEN) or job.status == "running" for job in jobs)
    return Counter({"jobs": len(jobs), "ended in an error": unforeseen})


def _as_sent(image: Image) -> bool:
    """Return whether the original has the announced and decoded bytes."""
    with image.file.open("rb") as file:
        return hashlib.sha256(file.read()).hexdigest() == image.sha256


def _one_of_ours(image: Image) -> bool:
    """Return whether an original has one colour and the size of the archives' images."""
    with image.file.open("rb") as file, Picture.open(file) as shown:
        return shown.size == (12, 8) and len(shown.convert("RGB").getcolors() or ()) == 1


def _shown_rightly(image: Image, sample: pictures.Sample) -> bool:
    with image.display.open("rb") as file:
        contents = file.read()
    with Picture.open(io.BytesIO(contents)) as shown:
        if not sample.colors:
            return (shown.format, shown.mode) == ("WEBP", "RGB") and b"<script" not in contents
        if (image.width, image.height) != pictures.SIZE:
            return False
        colors = pictures.middles(shown)
    return all(
        abs(tone - wanted) <= NEAR
        for color, expected in zip(colors, sample.colors, strict=True)
        for tone, wanted in zip(color, expected, strict=True)
    )


CELL: Final = "1. Missing Error-1.2 Limbs"
Maker = Callable[[int], bytes]


def headings(size: int) -> bytes:
    """One line of headings."""
    return ",".join(f"h{number}" for number in range(size)).encode()


def empty_lines(size: int) -> bytes:
    """Empty lines."""
    return ",".join(sheet_row("sdxl_hug_01")).encode() + b"\n" * size


def short_rows(size: int) -> bytes:
    """Five hundred headings, those of the sheet among them, and rows of one cell."""
    more = [f"h{number}" for number in range(500 - len(sheet_row("a_b_1")))]
    return ",".join([*sheet_row("a_b_1"), *more]).encode() + b"\nx" * size


def commas(size: int) -> bytes:
    """A row of commas only."""
    return ",".join(sheet_row("sdxl_hug_01")).encode() + b"\n" + b"," * size


def names(size: int) -> bytes:
    """A different annotator in every row."""
    return sheet_text([sheet_row("sdxl_hug_01", f"anno{number}") for number in range(size)]).encode()
