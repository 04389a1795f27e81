"""Descriptions that models wrote and people rate, one row for each image and model, all or none.

`defective` says whether the model sees a defect at all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from annotator.database.transactions import write_transaction
from annotator.exchange.image_rows import CheckedRows, ImageRow, RowReader, RowsKind, Stored
from annotator.inputs.refusal import WrongCell
from annotator.models import Image, Project, User
from annotator.protocols.defect.material import DEFECTIVE, DESCRIPTION
from scoring.payloads import LONGEST_TEXT

COLUMNS: Final = ("model", "defective", "description")
LONGEST_NAME: Final = 40

Descriptions = Mapping[int, Mapping[str, str]]
"""By image: what the attributes of the image become."""


def check_descriptions(path: Path, project: Project) -> CheckedRows[Descriptions]:
    """Read a file and check every row; raises as `RowReader`."""
    reader = RowReader(path, project, required=COLUMNS, texts=COLUMNS, reader="counts")
    found: dict[int, dict[str, str]] = {}

    def take(row: ImageRow) -> None:
        made = _candidate(row)
        own = found.setdefault(row.image.pk, {})
        if own.keys() & made.keys():
            raise WrongCell("file", "the image already has a row; keep one of them")
        own |= made

    reader.read(take)
    return reader.checked(found, {"Images": len(found)})


def _candidate(row: ImageRow) -> dict[str, str]:
    model, said = row.values["model"].strip(), row.values.get("defective", "").strip().casefold()
    text = _text(row)
    if not 1 <= len(model) <= LONGEST_NAME:
        raise WrongCell("model", f"expected a name of at most {LONGEST_NAME} characters")
    if said not in ("true", "false"):
        raise WrongCell("defective", "expected true or false")
    if (said == "true") != bool(text):
        raise WrongCell("description", "expected a text exactly if the image is defective")
    return {f"{DESCRIPTION}{model}": text, f"{DEFECTIVE}{model}": said}


def _text(row: ImageRow) -> str:
    """Return the description, which JSON may give as a list of at most one."""
    text = row.values.get("description", "").strip()
    if text.startswith("[") and text.endswith("]"):
        try:
            listed = json.loads(text)
        except ValueError:
            listed = [text]
        if len(listed) > 1 or not all(isinstance(one, str) for one in listed):
            raise WrongCell("description", "expected a list of at most one text")
        text = "".join(listed).strip()
    if len(text) > LONGEST_TEXT:
        raise WrongCell("description", f"expected a text of at most {LONGEST_TEXT:,} characters")
    return text


def store_descriptions(
    checked: CheckedRows[Descriptions], project: Project, _: User | None = None, __: object = None
) -> Stored:
    """Store a checked file with the images; raises StudyRefused if a row is unusable."""
    if checked.refusal is not None:
        raise checked.refusal
    with write_transaction():
        images = list(Image.objects.select_for_update().filter(project=project, pk__in=checked.found))
        for image in images:
            image.attributes = {**image.attributes, **checked.found[image.pk]}
        Image.objects.bulk_update(images, ["attributes"], batch_size=500)
    return Stored(f"Descriptions of {len(images):,} images stored.")


DESCRIPTIONS: Final = RowsKind(
    slug="descriptions",
    title="descriptions by models",
    columns="JSON Lines, CSV or XLSX with model, defective (true or false) and description.",
    page="images",
    section="images",
    check=check_descriptions,
    store=store_descriptions,
)
