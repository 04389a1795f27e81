"""The exports of verdicts, checks and rated descriptions: decisions, references, and scores by model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from analysis.data.ratings_table import submitted
from analysis.exports.columns import Column, Kind, Line, columns, count, one_of
from analysis.exports.generic.layouts import SUBMITTED
from analysis.exports.image_rows import judged
from analysis.exports.layout import Layout
from analysis.exports.rows import PAYLOAD, AnnotationRow
from analysis.exports.shared_columns import (
    ANSWER_COLUMNS,
    IMAGE_COLUMNS,
    SHA256,
    annotation_values,
    image_values,
)
from analysis.exports.source import ExportSource
from annotator.annotations.given import outdated_among
from annotator.models import Project
from annotator.protocols.defect.decisions import OPEN, WORDS, decided_in, drawn_for_marks, reasons
from annotator.protocols.defect.material import models_of, said_by_models, suggested_references
from scoring.defect.consolidation import Checked, bits_of, checked, votes_of
from scoring.defect.description import effect_of
from scoring.defect.masks import LARGEST_SIDE, Mask
from scoring.defect.quality import CRITERIA, QUALITY_FORM
from scoring.defect.verdict import VERDICT, VERDICT_ITEM
from scoring.protocol import Payload

_BETWEEN: Final = "; "
INSTRUCTIONS: Final = (
    "Join these descriptions of the defects of one image into one text in English. Say nothing that none of "
    "them says. Say what several share once, keep what only one says, and name every defect with its place. "
    "Close with the effect on the image. Fill in the description of the answer."
)


def grid_columns(of: str) -> tuple[Column, ...]:
    """Return the columns with the size of the grid of a mask or masks."""
    return columns(
        Kind.INTEGER,
        *("grid_width", "grid_height"),
        meaning=f"the grid of the {of}: the image's own size, or scaled to a longer side of {LARGEST_SIDE:,}",
        values="whole number of pixels",
        least=1,
    )


DECISION_COLUMNS: Final = (
    *IMAGE_COLUMNS,
    SHA256,
    count(
        "decision",
        "what was decided: of a verdict whether the image is rejected, of a check the masks kept",
        "1 rejected, 0 accepted; or a number of masks; missing while the image is open",
    ),
    one_of(
        "decided_by",
        "how it was decided",
        ("unanimity", "majority", "expert"),
        "empty while the image is open",
    ),
    Column(
        "votes",
        meaning="what each annotator said: the verdict, or the votes of a check, mask and description "
        "of each item",
        values="a code and `accept`, `reject` or `cannot_judge`, or `1` keep and `0` drop; separated by `; `",
    ),
    Column(
        "outdated",
        meaning=f"what has changed: {_BETWEEN.join(f'`{why}`: {WORDS[why]}' for why in WORDS)}",
        values=f"{', '.join(f'`{why}`' for why in WORDS)}, separated by `; `; empty for nothing",
    ),
    count(
        "control",
        "of a verdict: whether the image was drawn for marks although it is accepted",
        "1 yes, 0 no; missing if it was not drawn, or is open",
    ),
    count("annotations", "the annotations on which the decision rests, one per annotator"),
)
REFERENCE_COLUMNS: Final = (
    *IMAGE_COLUMNS,
    SHA256,
    Column(
        "reference",
        meaning="the one description of all defects of the image",
        values="text; empty under pseudonyms",
    ),
    one_of(
        "source",
        "whether an expert wrote the reference, it came from a file, or the kept descriptions were joined",
        ("expert", "outside", "assembled"),
    ),
    Column("made_from", meaning="a digest of the marks that were checked", values="16 hexadecimal digits"),
    *columns(
        Kind.TEXT,
        *("masks_kept", "texts_kept"),
        meaning="the masks or descriptions that are kept, by the letter of their annotator and their number",
        values="`A1; B1`; empty for none",
    ),
    Column(
        "area",
        Kind.NUMBER,
        "the share of the image that the region of the kept masks covers",
        "number from 0 to 1",
    ),
    count("pixels", "the area of the region", "whole number of pixels of the grid"),
    *grid_columns("masks"),
    Column("counts", meaning="the region, as the compressed run lengths of COCO"),
)
QUALITY_COLUMNS: Final = (
    *IMAGE_COLUMNS,
    SHA256,
    Column(
        "model",
        meaning="the model that wrote the description",
        values="text; empty if its description has changed since",
    ),
    *columns(
        Kind.INTEGER,
        *CRITERIA,
        meaning="the rating of the description by this criterion",
        values="0, 1 or 2",
        least=0,
    ),
    *ANSWER_COLUMNS,
)


def _images(reading: ExportSource) -> Iterator[tuple[AnnotationRow, list[AnnotationRow]]]:
    """Yield each image by one annotation, with each annotator's latest submitted one that is not outdated."""
    outdated = reading.once(_outdated)
    for row, counted in judged(reading, lambda row: row.status == SUBMITTED, PAYLOAD):
        yield row, [one for one in counted if one.pk not in outdated]


def _vote(payload: Payload, protocol: str) -> str:
    """Return a verdict, or the votes of a check as bits: mask and description of each item; keep is 1."""
    if protocol == VERDICT.slug:
        return str(payload["answers"][VERDICT_ITEM])
    return bits_of(votes_of(payload))


def decision_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield every image with what was decided on it."""
    decided, outdated = reading.once(decided_in), reading.once(reasons)
    drawn = drawn_for_marks(reading.project) if reading.protocol == VERDICT.slug else {}
    for row, counted in _images(reading):
        found = decided.get(row.image, OPEN)
        value = None if found.value is None else int(found.value)
        votes = sorted(
            f"{reading.name(one.annotator)} {_vote(one.said, reading.protocol)}" for one in counted
        )
        yield [
            *image_values(row, reading),
            row.sha256,
            value,
            found.by,
            reading.dialect.text(_BETWEEN.join(votes)),
            _BETWEEN.join(outdated.get(row.image, ())),
            None if value is None or row.image not in drawn else int(value == 0),
            len(counted),
        ]


def _outdated(project: Project, protocol: str) -> set[int]:
    return outdated_among(protocol, submitted(project, protocol))


def checked_images(reading: ExportSource) -> Iterator[tuple[AnnotationRow, Checked]]:
    """Yield every image of which the checks keep something to say, with what they make of it."""
    adjudicated = reading.decided()
    outside = suggested_references(image__project=reading.project)
    for row, counted in _images(reading):
        found = checked([one.said for one in counted], adjudicated.get(row.image), outside.get(row.image))
        if found is not None:
            yield row, found


def reference_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield every checked image with its region and its reference description."""
    text, number = reading.dialect.text, reading.dialect.number
    for row, found in checked_images(reading):
        region: Mask = found.region
        yield [
            *image_values(row, reading),
            row.sha256,
            # A description may name people, whom pseudonyms hide.
            "" if reading.hidden else text(found.reference),
            found.source,
            found.made_from,
            _BETWEEN.join(found.masks),
            _BETWEEN.join(kept.key for kept in found.described),
            number(*region.share.as_integer_ratio()),
            region.area,
            region.width,
            region.height,
            text(str(region.as_json()["counts"])),
        ]


def request_file(reading: ExportSource) -> Iterator[bytes]:
    """Yield a request for each checked image, as a line of JSON: the kept descriptions, to be joined."""
    for row, found in reading.counted(checked_images(reading)):
        about = {"sha256": row.sha256, "made_from": found.made_from}
        # A description may name people, whom pseudonyms hide.
        texts = [] if reading.hidden else [kept.text for kept in found.described]
        asked = {"descriptions": texts, "effect": effect_of(found.effects), "instructions": INSTRUCTIONS}
        line = {**about, **asked, "answer": {**about, "description": ""}}
        yield json.dumps(line, ensure_ascii=False).encode() + b"\n"


def quality_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield every rated description of every annotation."""
    text = reading.dialect.text
    written = said_by_models(image__project=reading.project)
    for row in reading.rows():
        said: Payload = row.said
        models = models_of(written.get(row.image, {}))
        scores = [QUALITY_FORM.answers_of(said, name) for name in CRITERIA]
        for thing in QUALITY_FORM.listed(said):
            names = _BETWEEN.join(models.get(thing["text"], ()))
            yield [
                *image_values(row, reading),
                row.sha256,
                text(names),
                *(own[thing["key"]] for own in scores),
                *annotation_values(row, reading),
            ]


DECISIONS: Final = Layout(
    "decisions",
    "Decisions",
    "One row per image: what was decided, and by whom.",
    "one row per annotated image: what its annotators, or an expert, decided",
    DECISION_COLUMNS,
    decision_lines,
)
REFERENCES: Final = Layout(
    "references",
    "References",
    "One row per checked image: region, kept marks, reference description. As COCO, too.",
    "one row per checked image: the region of the kept masks, the reference description",
    REFERENCE_COLUMNS,
    reference_lines,
)
DESCRIPTIONS: Final = Layout(
    "descriptions",
    "Descriptions by models",
    "One row per description and rater: model, completeness, precision.",
    "one row per rated description of each annotation",
    QUALITY_COLUMNS,
    quality_lines,
)
