"""The numbers of the stages: the generic ones, and in agreement what only each stage has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from analysis.protocols.defect.suggested import masks_compared
from analysis.protocols.generic import GENERIC
from analysis.protocols.interface import Compute, Numbers, Row
from annotator.annotations.summary_values import BIT_OF
from annotator.models import ImageSummary, Project
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.protocols.defect.material import (
    AT_ONCE,
    DEFECTIVE,
    checked_among,
    codes_behind,
    every_checked,
    models_of,
    said_by_models,
)
from annotator.protocols.defect.outdated import WORDS, reasons
from scoring.defect.consolidation import CHECK, CHECK_FORM, KEEP, MASK, TEXT
from scoring.defect.marks import MARKS
from scoring.defect.quality import CRITERIA, QUALITY, QUALITY_FORM, scores_of
from scoring.defect.verdict import VERDICT
from scoring.protocol import Payload
from scoring.rating_form.repeated import MADE_FROM

if TYPE_CHECKING:
    from analysis.protocols.defect.stages import Decided, Said
    from analysis.stats.frames import AnnotationTable, Ints


def _marks_frame(chunks: Iterable[list[Row]], project: Project, slug: str, source: str) -> AnnotationTable:
    from analysis.protocols.defect.agreement import RegionsFrame
    from analysis.protocols.defect.regions import region_of

    regions: dict[int, Ints] = {}
    details: list[tuple[int, str, str]] = []

    def read() -> Iterator[list[Row]]:
        for rows in chunks:
            for image, *_, payload, _number, pk in rows:
                regions[pk] = region_of(payload)
                parts = ((image, one.get("part"), one.get("severity")) for one in payload["defects"])
                details.extend(each for each in parts if all(each))
            yield rows

    made: Any = GENERIC.frame(read(), project, slug, source)
    plain = {each.name: getattr(made, each.name) for each in fields(made)}
    cells = _parts_in_cells(project) if details else {}
    return RegionsFrame(**plain, regions=regions, details=details, cells=cells)


def _parts_in_cells(project: Project) -> dict[int, set[str]]:
    """Return the body parts with a marked cell by image, of images annotated under the 25 cells."""
    rows = ImageSummary.objects.filter(project=project, protocol=DEFAULT_PROTOCOL, code="")
    return {
        image: {cell.partition(".")[2] for cell, bit in BIT_OF.items() if marked & bit}
        for image, marked in rows.values_list("image", "marked")
    }


def _marks_computation(kind: str) -> Compute:
    if kind != "agreement":
        return GENERIC.computation(kind)
    from analysis.protocols.defect.agreement import marks_agreement

    return marks_agreement


def _stage_frame(chunks: Iterable[list[Row]], project: Project, slug: str, source: str) -> AnnotationTable:
    from analysis.protocols.defect.stages import Said, StageFrame

    said: list[Said] = []
    by_models = said_by_models(image__project=project) if slug == QUALITY.slug else {}
    called: dict[str, dict[int, bool]] = defaultdict(dict)
    for image, by_model in by_models.items():
        for model, own in by_model.items():
            called[model][image] = own[DEFECTIVE]
    answers_of: Answers | None = None
    if slug in (CHECK.slug, QUALITY.slug):
        answers_of = _votes_in(project) if slug == CHECK.slug else _scores_in(by_models)

    def read() -> Iterator[list[Row]]:
        for rows in chunks:
            if answers_of is not None:
                for image, annotator, *_, payload, _number, _pk in rows:
                    said.extend(Said(image, annotator, *one) for one in answers_of(image, payload))
            yield rows

    made: Any = GENERIC.frame(read(), project, slug, source)
    plain = {each.name: getattr(made, each.name) for each in fields(made)}
    checked = every_checked(sorted({each.image for each in said})) if slug == CHECK.slug else ()
    return StageFrame(
        **plain,
        # What models detect is compared with the verdicts.
        decided=_decided(project, VERDICT.slug if slug == QUALITY.slug else slug),
        said=said,
        called=called,
        added={image: found.added for image, found in checked if found.masks},
        outdated=_outdated(project, slug),
    )


Answers = Callable[[int, Payload], Iterator[tuple[str, str, str, int]]]
"""Yields the thing, whom it is about, the criterion and the value of each answer about an image."""


def _votes_in(project: Project) -> Answers:
    codes = codes_behind(batch__project=project)

    def answers(image: int, payload: Payload) -> Iterator[tuple[str, str, str, int]]:
        behind = codes.get((image, payload.get(MADE_FROM, "")), {})
        for criterion in (MASK, TEXT):
            for key, vote in CHECK_FORM.answers_of(payload, criterion).items():
                yield key, behind.get(key[0], key[0]), criterion, int(vote == KEEP)

    return answers


def _scores_in(by_models: Mapping[int, Mapping[str, Payload]]) -> Answers:
    models = {image: models_of(said) for image, said in by_models.items()}

    def answers(image: int, payload: Payload) -> Iterator[tuple[str, str, str, int]]:
        for name in CRITERIA:
            scores = scores_of(payload, name)
            for thing in QUALITY_FORM.listed(payload):
                for model in models.get(image, {}).get(thing["text"], ()):
                    yield model, model, name, scores[thing["key"]]

    return answers


def _stage_computation(kind: str, slug: str) -> Compute:
    from analysis.protocols.defect import rated, stages

    known: dict[tuple[str, str], Compute] = {
        (VERDICT.slug, "agreement"): stages.verdict_agreement,
        (CHECK.slug, "agreement"): stages.check_agreement,
        (QUALITY.slug, "agreement"): rated.quality_agreement,
        (QUALITY.slug, "comparison"): rated.quality_comparison,
    }
    return known.get((slug, kind)) or GENERIC.computation(kind)


def _decided(project: Project, slug: str) -> dict[int, Decided]:
    """Return what was decided on each image, as its summary has it."""
    from analysis.protocols.defect.stages import Decided

    found = {}
    for row in ImageSummary.objects.filter(project=project, protocol=slug, code="", image__goes_at=None):
        in_doubt = row.apart or row.mean is None or (row.flagged and slug == CHECK.slug)
        by = "unanimity" if not in_doubt else "expert" if row.adjudicated else "majority"
        found[row.image_id] = Decided(row.score, by if row.score is not None else "")
    return found


def _outdated(project: Project, slug: str) -> list[tuple[int, str, str, int | None, str]]:
    """Return the images behind whose decision something has changed, and what."""
    why = reasons(project, slug) if slug != QUALITY.slug else {}
    rows = project.images.filter(pk__in=why, goes_at=None).order_by("generator", "prompt", "number", "pk")
    return [
        (*row, "; ".join(WORDS[one] for one in why[row[0]]))
        for row in rows.values_list("pk", "generator", "prompt", "number")
    ]


def _regions(project: Project) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Yield the region of each checked image as a picture, by the SHA-256 of the image."""
    from analysis.protocols.defect.regions import picture_of

    rows = ImageSummary.objects.filter(project=project, protocol=CHECK.slug, code="", image__goes_at=None)
    columns = ("image", "image__sha256", "image__height", "image__width")
    decided = list(rows.exclude(score=None).order_by("image__sha256").values_list(*columns))
    for start in range(0, len(decided), AT_ONCE):
        some = decided[start : start + AT_ONCE]
        found = checked_among([image for image, *_ in some])
        for image, sha256, *size in some:
            region = found[image].region if image in found else None
            yield f"masks/{sha256}.png", partial(picture_of, region, *size)


def _of_stage(slug: str) -> Numbers:
    return replace(
        GENERIC,
        files=_regions if slug == CHECK.slug else None,
        frame=_stage_frame,
        computation=lambda kind: _stage_computation(kind, slug),
        using_adjudicated=frozenset({"agreement", "comparison"} if slug != QUALITY.slug else ()),
    )


NUMBERS: Final[Mapping[str, Numbers]] = {
    # Nobody outlines and describes a defect in that time, but “no defect” takes no longer.
    MARKS.slug: replace(
        GENERIC,
        frame=_marks_frame,
        computation=_marks_computation,
        using_adjudicated=frozenset(),
        compared=masks_compared,
    ),
    **{slug: _of_stage(slug) for slug in (VERDICT.slug, CHECK.slug, QUALITY.slug)},
}
"""The numbers of the family, by protocol."""
