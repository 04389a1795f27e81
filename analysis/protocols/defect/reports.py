"""The numbers of the stages: the generic ones, and in agreement what only each stage has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from analysis.protocols.defect.suggested import masks_compared
from analysis.protocols.generic import GENERIC
from analysis.protocols.interface import Compute, Numbers, Row
from annotator.annotations.summary_values import BIT_OF
from annotator.database.slices import slices
from annotator.models import Batch, ImageSummary, Project
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.protocols.defect.material import (
    DEFECTIVE,
    checked_among,
    letters_in,
    models_of,
    said_by_models,
)
from annotator.protocols.defect.outdated import WORDS, reasons
from scoring.defect.consolidation import CHECK, CHECK_FORM, KEEP, MASK, TEXT, Checked
from scoring.defect.marks import MARKS
from scoring.defect.quality import CRITERIA, QUALITY, QUALITY_FORM, scores_of
from scoring.defect.verdict import VERDICT
from scoring.protocol import Payload

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
    from analysis.protocols.defect.stages import StageFrame

    answers = _Answers(project, slug)
    made: Any = GENERIC.frame(answers.passing(chunks), project, slug, source)
    plain = {each.name: getattr(made, each.name) for each in fields(made)}
    return StageFrame(
        **plain,
        # What models detect is compared with the verdicts.
        decided=_decided(project, VERDICT.slug if slug == QUALITY.slug else slug),
        said=answers.said,
        called=answers.called,
        added={
            image: made.kept.region.area / made.largest - 1
            for image, made in _made(dict.fromkeys(each.image for each in answers.said))
            if made.kept.masks
        }
        if slug == CHECK.slug
        else {},
        outdated=_outdated(project, slug),
    )


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

    rows = ImageSummary.objects.filter(project=project, protocol=slug, code="", image__goes_at=None)
    found = {}
    for image, score, *states in rows.values_list(
        "image", "score", "adjudicated", "apart", "flagged", "mean"
    ):
        adjudicated, apart, flagged, mean = states
        in_doubt = apart or mean is None or (flagged and slug == CHECK.slug)
        by = "unanimity" if not in_doubt else "expert" if adjudicated else "majority"
        found[image] = Decided(score, by if score is not None else "")
    return found


def _outdated(project: Project, slug: str) -> list[tuple[int, str, str, int | None, str]]:
    """Return the images behind whose decision something has changed, and what."""
    why = reasons(project, slug) if slug != QUALITY.slug else {}
    rows = project.images.filter(pk__in=why, goes_at=None).order_by("generator", "prompt", "number", "pk")
    return [
        (*row, "; ".join(WORDS[one] for one in why[row[0]]))
        for row in rows.values_list("pk", "generator", "prompt", "number")
    ]


_AT_ONCE: Final = 200
"""Images whose checks are read at once."""


class _Answers:
    """Reads the answers about given things while annotations pass by."""

    def __init__(self, project: Project, slug: str) -> None:
        self.said: list[Said] = []
        self._slug = slug
        self._models: dict[int, dict[str, list[str]]] = {}
        self._letters: dict[int, dict[str, str]] = {}
        self.called: dict[str, dict[int, bool]] = {}
        if slug == QUALITY.slug:
            for image, said in said_by_models(image__project=project).items():
                self._models[image] = models_of(said)
                for model, own in said.items():
                    self.called.setdefault(model, {})[image] = own[DEFECTIVE]
        if slug == CHECK.slug:
            for batch in Batch.objects.filter(project=project, protocol=slug, follows__isnull=False):
                self._letters |= letters_in(batch)

    def passing(self, chunks: Iterable[list[Row]]) -> Iterator[list[Row]]:
        """Yield the rows unchanged."""
        from analysis.protocols.defect.stages import Said

        for rows in chunks:
            for image, annotator, *_, payload, _number, _pk in rows:
                for said in self._answers(image, payload):
                    self.said.append(Said(image, annotator, *said))
            yield rows

    def _answers(self, image: int, payload: Payload) -> Iterator[tuple[str, str, str, int]]:
        """Yield the thing, whom it is about, the criterion and the value of each answer."""
        if self._slug == CHECK.slug:
            letters = self._letters.get(image, {})
            for criterion in (MASK, TEXT):
                for key, vote in CHECK_FORM.answers_of(payload, criterion).items():
                    yield key, letters.get(key[0], key[0]), criterion, int(vote == KEEP)
        if self._slug == QUALITY.slug:
            for thing in QUALITY_FORM.listed(payload):
                scores = [(name, scores_of(payload, name)[thing["key"]]) for name in CRITERIA]
                for model in self._models.get(image, {}).get(thing["text"], ()):
                    yield from ((model, model, *scored) for scored in scores)


def _made(images: Iterable[int]) -> Iterator[tuple[int, Checked]]:
    """Yield what the checks made of images."""
    for some in slices(list(images), _AT_ONCE):
        yield from checked_among(some).items()


def _regions(project: Project) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Yield the region of each checked image as a picture, by the SHA-256 of the image."""
    from analysis.protocols.defect.regions import picture_of

    rows = ImageSummary.objects.filter(project=project, protocol=CHECK.slug, code="", image__goes_at=None)
    decided = rows.exclude(score=None).order_by("image__sha256")
    columns = ("image", "image__sha256", "image__height", "image__width")
    for some in slices(list(decided.values_list(*columns)), _AT_ONCE):
        found = checked_among([image for image, *_ in some])
        for image, sha256, *size in some:
            region = found[image].kept.region if image in found else None
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
