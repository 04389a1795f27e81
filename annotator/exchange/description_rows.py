"""Reference descriptions that a model wrote from a request file: one row for each image, all or none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from annotator.database.transactions import write_transaction
from annotator.exchange.image_rows import CheckedRows, ImageRow, RowReader, RowsKind, Stored, WrongCell
from annotator.models import Image, Project, User
from annotator.protocols.defect.material import OUTSIDE, OUTSIDE_MADE_FROM
from scoring.payloads import LONGEST_TEXT

COLUMNS: Final = ("made_from", "description")
_DIGEST: Final = re.compile(r"[0-9a-f]{16}")

Descriptions = Mapping[int, tuple[str, str]]
"""By image: what the request was made from, and the description."""


def check_descriptions(path: Path, project: Project) -> CheckedRows[Descriptions]:
    """Read a file and check every row; raises as `RowReader`."""
    reader = RowReader(path, project, required=COLUMNS, reader="counts")
    found: dict[int, tuple[str, str]] = {}

    def take(row: ImageRow) -> None:
        made_from, text = (row.values.get(column, "").strip() for column in COLUMNS)
        if not _DIGEST.fullmatch(made_from):
            raise WrongCell("made_from", "not the 16 digits that the request gives")
        if not text or len(text) > LONGEST_TEXT:
            raise WrongCell("description", f"expected a text of at most {LONGEST_TEXT:,} characters")
        found[row.image.pk] = (made_from, text)

    reader.read(take, once=True)
    return reader.checked(found, {"Images": len(found)})


def store_descriptions(
    checked: CheckedRows[Descriptions], project: Project, _: User | None = None, __: object = None
) -> Stored:
    """Store a checked file with the images; raises StudyRefused if a row is unusable."""
    if checked.refusal is not None:
        raise checked.refusal
    with write_transaction():
        images = list(Image.objects.select_for_update().filter(project=project, pk__in=checked.found))
        for image in images:
            made_from, text = checked.found[image.pk]
            image.attributes = {**image.attributes, OUTSIDE: text, OUTSIDE_MADE_FROM: made_from}
        Image.objects.bulk_update(images, ["attributes"], batch_size=500)
    return Stored(f"{len(images):,} reference descriptions stored. An expert’s own stays.")


DESCRIPTIONS: Final = RowsKind(
    slug="descriptions",
    title="reference descriptions",
    columns="JSON Lines, CSV or XLSX with made_from and description, as the request file gives them.",
    page="images",
    section="images",
    check=check_descriptions,
    store=store_descriptions,
)
