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
from annotator.images.display import store_image
from annotator.models import Image, Project
from tests.analysis.factories import EARLIER, make_submitted
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
    known: dict[str, Any] = {
        "generator": "alpha",
        "prompt": "hugging",
        "number": number,
        "attributes": {"steps": "20"},
    }
    known |= {"source_name": f"images/{number}.png", **fields}
    return store_image(project=project, contents=buffer.getvalue(), **known)


def make_rich(slug: str = "rich") -> Project:
    """Submitted, begun and reopened annotations, imported ones, flags, pins, odd texts."""
    project = make_project(slug, name="Rich & “odd”", weights={"a": "0.2", "b": "1/3", "c": "1"})
    make_member(project, LEAD, code="the-lead-of-it")
    one, two = (make_member(project, code=code) for code in "AB")
    batch = make_batch(project, name="First")
    imported = make_batch(project, name="Imported: sheet.csv", status="closed")
    made: dict[str, Any] = {"saved_at": LATER, "submitted_at": LATER}
    capture = {"active_ms": 1234.5, "keys": 7, "surround": "dark"}
    cells = {"1. Missing Error-1.2 Limbs": "1/4 C", "2. Extra Error-2.1 Torso": "1/5"}
    for number in range(6):
        image = make_picture(
            project,
            generator=("alpha", "=beta")[number % 2],
            prompt=("jogging", "hugging", "a “pizza”,\nshared")[number % 3],
            prompt_group=("individual", "pair", "")[number % 3],
            number=number or None,
        )
        terms = [("missing.limbs", f"1/{number + 1}{'abc'[number % 3]}")] * (number > 0)
        flag = {"reason": "other", "note": "unsure"}
        payload = make_payload(terms, note="Note – “\u2028” 🙂", flag=flag)
        for mark in payload["marks"]:
            mark["pins"] = [{"x": 0.1 + 0.2, "y": 1 / 3}]
        about: dict[str, Any] = {"image": image, "batch": batch, **made}
        make_submitted(one, payload=payload, flagged=True, capture=capture, active_ms=1234, **about)
        make_submitted(two, terms, status=("submitted", "draft", "reopened")[number % 3], **about)
        source = {"file": "sheet of A.csv", "row": 2, "image_id": f"@{image.pk}", "cells": cells}
        make_submitted(one, image=image, batch=imported, source={**source, "problems": []}, **made)
    return project


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


def unpacked(project: Project, folder: Path, **choices: object) -> dict[str, bytes]:
    """The files of a new bundle, without reports unless told."""
    bundle_of(project, path := folder / "bundle.zip", **{"reports": False, **choices})
    return dict(files_of(path))


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
