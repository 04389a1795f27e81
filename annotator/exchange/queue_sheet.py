"""An annotator's queue as a sheet for offline use, with a hidden column that identifies its rows.

Like the pages of the batch, the sheet has generator and prompt only if the lead shows them.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urljoin

from django.urls import reverse

from annotator.exchange.formats.completed_sheet import ASSIGNMENT, NO_ERRORS, YES
from annotator.exchange.formats.xlsx_writer import (
    LINK,
    PLAIN,
    TEXT,
    Condition,
    SheetColumn,
    Worksheet,
    letters,
    workbook,
)
from annotator.inputs.refusal import Refusal
from annotator.models import Assignment, Batch, Event, Membership, User
from annotator.protocols.registry import has_queue_sheet, page_of
from annotator.protocols.sheet_format import SheetFormat
from annotator.training.training_batches import is_training
from scoring.grid.taxonomy import BODY_PARTS, CELLS, ERROR_TYPES
from scoring.service import get_protocol

TAKEN: Final = "sheet_taken"
MOST_ROWS: Final = 5_000
"""Rows per sheet, limited by the time of one request; the next sheet has the rest."""

_ALWAYS: Final = (
    (f"{YES} under {NO_ERRORS}", "the image has no errors; leave all its cells empty"),
    ("an empty row", "not annotated yet; the image stays in the queue"),
)
_DONE: Final = "Enter yes if the image has no errors. Otherwise leave the cell empty."


class NoSheet(Refusal):
    """The batch's protocol has no sheet."""


def queue_sheet(*, batch: Batch, annotator: Membership, site: str, actor: User) -> bytes:
    """Return the open assignments of an annotator in a batch, in queue order, and record an Event.

    `site` is the base address of links. At most MOST_ROWS rows. Raises NoSheet if the protocol has none.
    """
    notation = page_of(batch.protocol).sheet
    if notation is None or not has_queue_sheet(batch.protocol):
        title = get_protocol(batch.protocol).title
        raise NoSheet(f"The protocol “{title}” has no sheet. Annotate the images on their pages.")
    if is_training(batch):
        raise NoSheet(
            "Training batches have no sheet, because each image is followed by its reference. Annotate the "
            "images on their pages."
        )
    waiting = batch.assignments.filter(annotator=annotator, status=Assignment.Status.OPEN)
    found = list(waiting.select_related("image").order_by("position")[:MOST_ROWS])
    data = {"batch": batch.pk, "annotator": annotator.pk, "rows": len(found)}
    Event.objects.create(project=batch.project, actor=actor, verb=TAKEN, data=data)
    return workbook([_queue(batch, found, site, notation), _guide(notation)])


def identity(assignment: Assignment, slug: str) -> str:
    """Return the value of the hidden column: project, assignment and image, which reveal nothing."""
    known = f"{slug}/{assignment.pk}/{assignment.image.public_id}"
    notation = page_of(assignment.batch.protocol).sheet
    # The sheet names its protocol if its cells are not terms.
    return f"{known}/{assignment.batch.protocol}" if notation and notation.reader else known


def _queue(batch: Batch, found: list[Assignment], site: str, notation: SheetFormat) -> Worksheet:
    shown = [
        *([("Prompt", "prompt")] if batch.show_prompt else []),
        *([("Model", "generator")] if batch.show_generator else []),
    ]
    before = [
        SheetColumn(ASSIGNMENT, hidden=True),
        SheetColumn("Place", 7, PLAIN),
        SheetColumn("Image", 14, LINK),
        *(SheetColumn(heading, 24) for heading, _ in shown),
        SheetColumn(NO_ERRORS, 10),
    ]
    first, last = len(before), len(before) + len(CELLS) - 1
    slug = batch.project.slug
    rows = [
        [
            identity(each, slug),
            str(each.position),
            "Open image",
            *(getattr(each.image, name) for _, name in shown),
        ]
        for each in found
    ]
    links = [(place, 2, urljoin(site, reverse("label", args=[each.pk]))) for place, each in enumerate(found)]
    columns = [*before, *(SheetColumn(cell.heading, 13) for cell in CELLS)]
    conditions = [
        Condition((first - 1, first - 1), NO_ERRORS, _DONE, f'"{YES}"', listed=True),
        Condition((first, last), "Cell", notation.rule, notation.formula(f"{letters(first)}2")),
    ]
    return Worksheet("Queue", columns, rows, conditions, links, frozen=first)


def _guide(notation: SheetFormat) -> Worksheet:
    rows = [
        *notation.guide,
        *_ALWAYS,
        ("a column", f"one of {', '.join(ERROR_TYPES)} on one of {', '.join(BODY_PARTS)}"),
        (
            "Afterwards",
            "Save as XLSX or CSV and upload it to your queue, or send it to the lead. "
            "You can sort the rows; do not change column A.",
        ),
    ]
    return Worksheet("Notation", [SheetColumn("Written", 26, TEXT), SheetColumn("Meaning", 80, TEXT)], rows)
