"""The numbers of the stages: the generic ones, and in agreement what only each stage has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from itertools import product
from typing import TYPE_CHECKING, Any, Final

from analysis.protocols.defect.suggested import masks_compared
from analysis.protocols.generic import GENERIC, computing
from analysis.protocols.interface import Numbers, Row
from annotator.annotations.summary_values import BIT_OF
from annotator.models import ImageSummary, Project
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.protocols.defect.decisions import (
    DRAWN,
    WORDS,
    Decided,
    Reasons,
    decided_in,
    drawn_for_marks,
    reasons,
)
from annotator.protocols.defect.material import (
    DEFECTIVE,
    codes_behind,
    every_checked,
    models_of,
    said_by_models,
)
from scoring.defect.consolidation import CHECK, CHECK_FORM, KEEP
from scoring.defect.marks import MARKS
from scoring.defect.masks import NOTHING, Mask, read_mask, union
from scoring.defect.quality import QUALITY, QUALITY_FORM
from scoring.defect.repeated import MADE_FROM, name_of
from scoring.defect.verdict import VERDICT
from scoring.protocol import Payload

if TYPE_CHECKING:
    from analysis.protocols.defect.frames import Said
    from analysis.stats.frames import AnnotationTable


def _frame(chunks: Iterable[list[Row]], project: Project, slug: str, source: str) -> AnnotationTable:
    from analysis.protocols.defect.frames import DefectFrame

    regions: dict[int, Mask] = {}
    details: list[tuple[int, str, str]] = []
    said: list[Said] = []
    by_models = said_by_models(image__project=project) if slug == QUALITY.slug else {}
    said_in = _answers_in(project, slug, by_models)

    def read() -> Iterator[list[Row]]:
        for rows in chunks:
            for image, annotator, *_, payload, _number, pk in rows:
                said.extend(said_in(image, annotator, payload))
                if slug == MARKS.slug:
                    masks = [read_mask(one["mask"]) for one in payload["defects"] if one["mask"]]
                    regions[pk] = union(masks or [NOTHING])
                    parts = ((image, one.get("part"), one.get("severity")) for one in payload["defects"])
                    details.extend(each for each in parts if all(each))
            yield rows

    made: Any = GENERIC.frame(read(), project, slug, source)
    called: dict[str, dict[int, bool]] = defaultdict(dict)
    for image, by_model in by_models.items():
        for model, own in by_model.items():
            called[model][image] = own[DEFECTIVE]
    checked = every_checked(sorted({each.image for each in said})) if slug == CHECK.slug else ()
    # What is marked, and what models detect, is compared with the verdicts.
    decided = decided_in(project, CHECK.slug if slug == CHECK.slug else VERDICT.slug)
    why = reasons(project, slug) if slug != QUALITY.slug else {}
    return DefectFrame(
        **{each.name: getattr(made, each.name) for each in fields(made)},
        regions=regions,
        details=details,
        cells=_parts_in_cells(project) if details else {},
        decided=decided,
        control=_control(project, decided, why) if slug == VERDICT.slug else {},
        said=said,
        called=called,
        added={image: found.added for image, found in checked if found.masks},
        outdated=_outdated(project, why),
    )


def _parts_in_cells(project: Project) -> dict[int, set[str]]:
    """Return the body parts with a marked cell by image, of images annotated under the 25 cells."""
    rows = ImageSummary.objects.filter(project=project, protocol=DEFAULT_PROTOCOL, code="")
    return {
        image: {cell.partition(".")[2] for cell, bit in BIT_OF.items() if marked & bit}
        for image, marked in rows.values_list("image", "marked")
    }


def _answers_in(
    project: Project, slug: str, by_models: Mapping[int, Mapping[str, Payload]]
) -> Callable[[int, str, Payload], Iterator[Said]]:
    """Return what yields the answers in a payload: votes on annotators' marks, scores of models' texts."""
    from analysis.protocols.defect.frames import Said

    rules = {CHECK.slug: CHECK_FORM, QUALITY.slug: QUALITY_FORM}.get(slug)
    codes = codes_behind(batch__project=project) if slug == CHECK.slug else {}
    models = {image: models_of(said) for image, said in by_models.items()}

    def answers(image: int, annotator: str, payload: Payload) -> Iterator[Said]:
        behind = codes.get((image, payload.get(MADE_FROM, "")), {})
        for item, thing in product(rules.form.items, rules.listed(payload)) if rules else ():
            key, value = thing["key"], payload["answers"].get(name_of(thing["key"], item.name))
            if rules is CHECK_FORM:
                yield Said(image, annotator, key, behind.get(key[0], key[0]), item.name, int(value == KEEP))
            for model in models.get(image, {}).get(thing["text"], ()):
                yield Said(image, annotator, model, model, item.name, value)

    return answers


def _control(project: Project, decided: Mapping[int, Decided], why: Reasons) -> dict[int, bool]:
    """Return of the images drawn for marks although they were accepted whether anybody marked a defect."""
    accepted = {image for image, each in decided.items() if each.value == 0}
    drawn = {image for image in drawn_for_marks(project) if DRAWN not in why.get(image, ())}
    rows = ImageSummary.objects.filter(project=project, protocol=MARKS.slug, code="").exclude(mean=None)
    return {
        image: bool(mean) for image, mean in rows.values_list("image", "mean") if image in accepted & drawn
    }


def _outdated(project: Project, why: Reasons) -> list[tuple[int, str, str, int | None, str]]:
    """Return the images behind whose decision something has changed, and what."""
    rows = project.images.filter(pk__in=why).order_by("generator", "prompt", "number", "pk")
    return [
        (*row, "; ".join(WORDS[one] for one in why[row[0]]))
        for row in rows.values_list("pk", "generator", "prompt", "number")
    ]


_EXPERT_DECIDES: Final = frozenset({"agreement", "comparison"})
_OWN: Final = {
    VERDICT.slug: {"agreement": "stages.verdict_agreement"},
    MARKS.slug: {"agreement": "agreement.marks_agreement"},
    CHECK.slug: {"agreement": "stages.check_agreement"},
    QUALITY.slug: {"agreement": "rated.quality_agreement", "comparison": "rated.quality_comparison"},
}
NUMBERS: Final[Mapping[str, Numbers]] = {
    slug: replace(
        computing(**{kind: f"analysis.protocols.defect.{name}" for kind, name in own.items()}),
        frame=_frame,
        using_adjudicated=_EXPERT_DECIDES if slug in (VERDICT.slug, CHECK.slug) else frozenset(),
        compared=masks_compared if slug == MARKS.slug else None,
    )
    for slug, own in _OWN.items()
}
"""The numbers of the family, by protocol."""
