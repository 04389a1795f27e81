"""Projects to make bundles of, with pictures that can be decoded, and bundles as files."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from django.core.files.storage import default_storage
from django.db import transaction
from PIL import Image as Picture

from analysis.bundles.bundle_jobs import write_bundle
from analysis.bundles.source import BundleRequest
from analysis.exports.files import Export, write_whole
from analysis.exports.formats import FORMATS
from analysis.exports.registry import layouts_of
from annotator.images.decoding import decode_contents
from annotator.images.display import store_image
from annotator.models import Annotation, Assignment, Image, Project
from tests.analysis.factories import EARLIER, make_submitted
from tests.annotator.planned import released
from tests.factories import LEAD, make_batch, make_member, make_payload, make_project

LAYOUTS = layouts_of("anatomy")

_COLOURS = count(1)
FORMATTED = ("csv", "xlsx", "parquet")
LATER = EARLIER.replace(hour=11, microsecond=123456)


def make_picture(project: Project, **fields: object) -> Image:
    """An image whose picture lies in the storage, unlike any other."""
    number = next(_COLOURS)
    buffer = BytesIO()
    Picture.new("RGB", (9, 7), (number % 256, number // 256, 5)).save(buffer, "PNG")
    decoded = decode_contents(buffer.getvalue(), max_pixels=100)
    known: dict[str, Any] = {
        "generator": "alpha",
        "prompt": "hugging",
        "number": number,
        "attributes": {"steps": "20"},
    }
    known |= {"source_name": f"images/{number}.png", **fields}
    return store_image(project=project, decoded=decoded, **known)


def make_rich(slug: str = "rich") -> Project:
    """A released batch, an imported one, drafts, flags, pins, odd texts."""
    project = make_project(slug, name="Rich & “odd”", weights={"a": "0.2", "b": "1/3", "c": "1"})
    make_member(project, LEAD, code="the-lead-of-it")
    for code in "ABCD":
        make_member(project, code=code)
    groups = ("individual", "pair", "")
    for number in range(24):
        make_picture(
            project,
            generator=("alpha", "=beta")[number % 2],
            prompt=("jogging", "hugging", "a “pizza”,\nshared")[number % 3],
            prompt_group=groups[number % 3],
            number=number or None,
        )
    batch = released(project, "ABCD", per_image=2)
    _answer(batch.assignments.filter(position__isnull=False).order_by("-pk"))
    _import(project)
    return project


def _answer(assignments: Iterable[Assignment]) -> None:
    """Most are submitted, in another order than they were given out; some are drafts or reopened."""
    cells = ("missing.limbs", "extra.hands", "proportion.face", "orientation.torso")
    for place, assignment in enumerate(assignments):
        if place % 9 == 8:
            _draft(assignment, ("draft", "reopened")[place % 2])
            continue
        terms = [(cells[place % 4], f"1/{place % 5 + 1}{'abc'[place % 3]}")] * (place % 4 > 0)
        Assignment.objects.filter(pk=assignment.pk).update(status="done")
        made = make_submitted(
            assignment.annotator, terms, assignment=assignment, saved_at=LATER, submitted_at=LATER
        )
        for mark in made.payload["marks"]:
            mark["pins"] = [{"x": 0.1 + 0.2, "y": 1 / 3}]
        if place % 5 == 0:
            made.payload |= {"note": "Note – “\u2028” 🙂", "flag": {"reason": "other", "note": "unsure"}}
            made.flagged = True
        made.capture = {"active_ms": 1234.5, "keys": 7, "surround": "dark"}
        made.active_ms = 1234
        made.version = place + 1
        made.save()


def _draft(assignment: Assignment, status: str) -> None:
    payload = make_payload([("extra.feet", "1/3b")], note="begun")
    payload["marks"][0] |= {"total": None, "own_total": False}
    Annotation.objects.create(assignment=assignment, payload=payload, status=status, saved_at=LATER)


def _import(project: Project) -> None:
    """Answers as an import leaves them: with their row, its unreadable terms, and further columns."""
    batch = make_batch(project, name="Imported: sheet.csv", status="closed")
    for image in project.images.order_by("-pk")[:5]:
        made = make_submitted(
            project.memberships.get(code="A"),
            image=image,
            batch=batch,
            saved_at=EARLIER,
            submitted_at=EARLIER,
        )
        heading = "1. Missing Error-1.2 Limbs"
        cells = {heading: "1/4 C", "2. Extra Error-2.1 Torso": "1/5"}
        made.source = {
            "file": "sheet of A.csv",
            "row": 2,
            "image_id": f"@{image.pk}",
            "cells": cells,
            "problems": [],
        }
        made.save()


_KEPT: dict[str, bytes] = {}


def kept(make: Callable[[], Project], path: Path) -> Path:
    """The bundle of a project as a file, made once for all tests of a run; the project is gone again."""
    if make.__name__ not in _KEPT:
        with transaction.atomic():
            project = make()
            _KEPT[make.__name__] = bundle_of(project, path)
            transaction.set_rollback(True)
        # SQLite gives its number to the next project.
        shutil.rmtree(default_storage.path(f"originals/{project.pk}"), ignore_errors=True)
    path.write_bytes(_KEPT[make.__name__])
    return path


def bundle_of(project: Project, path: Path, **choices: object) -> bytes:
    """A project's bundle, as a file and as bytes."""

    def keep(pieces: Iterable[bytes]) -> int:
        write_whole(pieces, path)
        return path.stat().st_size

    write_bundle(project, BundleRequest(**choices), lambda *_: None, keep)  # type: ignore[arg-type]
    return path.read_bytes()


def exports_of(
    project: Project, *, layouts: Iterable[str] = LAYOUTS, hidden: bool = False
) -> dict[str, bytes]:
    """Every layout in every format."""
    return {
        f"{layout}.{form}": b"".join(Export(project, LAYOUTS[layout], FORMATS[form], hidden=hidden))
        for layout in layouts
        for form in FORMATTED
    }


def files_of(path: Path) -> Iterator[tuple[str, bytes]]:
    """Name and contents of every file in a bundle."""
    with ZipFile(path) as archive:
        for name in archive.namelist():
            yield name, archive.read(name)
