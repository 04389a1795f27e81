"""Suggested masks as numbers, as the report on suggestions compares counts: 1 where somebody has the mask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final

from analysis.protocols.interface import Compared
from annotator.models import Suggestion, SuggestionRun
from annotator.protocols.defect.material import kept_marks, submitted
from scoring.defect.marks import MARKS
from scoring.defect.masks import Mask, iou, read_mask
from scoring.protocol import Payload

SAME, SAME_PLACE = Fraction(9, 10), Fraction(1, 2)
"""Overlaps from which a mask is taken over, and from which it is there at all, as on the page of marks."""
CORRECTED: Final = 0.75
"""Stands for a mask in the place of another: nearer to having it than to having none."""


def masks_compared(run: SuggestionRun) -> Callable[[int, Payload], Compared]:
    """Return what compares the annotation of an image with its suggested masks and with those it lacks.

    What the checks keep is true; of an image without a check nothing is known.
    """
    kept, lacking, true = kept_marks(run.project, ""), dict[int, list[Mask]](), dict[int, list[Mask]]()
    rows = Suggestion.objects.filter(run=run).values_list("image", "payload")
    suggested = {image: [read_mask(one["mask"]) for one in payload["masks"]] for image, payload in rows}
    true |= {image: [] for image, _, _ in kept}
    marked = submitted(batch__project=run.project, batch__protocol=MARKS.slug, image__in=true)
    fields = ("assignment__image", "assignment__annotator__code", "payload")
    for image, code, payload in marked.values_list(*fields):
        for number, mask in enumerate(_masks(payload), 1):
            if (vote := kept.get((image, code, number))) and vote.mask:
                true[image].append(mask)
                beside = lacking.setdefault(image, [])
                if not likeness(mask, [*suggested.get(image, ()), *beside]):
                    beside.append(mask)

    def compared(image: int, payload: Payload) -> Compared:
        own = _masks(payload)
        for mask in suggested[image]:
            is_true = float(likeness(mask, true[image]) > 0) if image in true else float("nan")
            answered = likeness(mask, own)
            yield 1.0, answered, is_true, answered > 0
        for mask in lacking.get(image, ()):
            answered = likeness(mask, own)
            yield float("nan"), answered, 1.0, answered > 0

    return compared


def likeness(mask: Mask, others: Sequence[Mask]) -> float:
    """Return 1 if one of the others is the same, `CORRECTED` if one lies in its place, else 0."""
    near = [each for each in others if min(mask.area, each.area) >= SAME_PLACE * max(mask.area, each.area)]
    best = max((iou(mask, each) or Fraction(0) for each in near), default=Fraction(0))
    return 1.0 if best >= SAME else CORRECTED if best >= SAME_PLACE else 0.0


def _masks(payload: Payload) -> list[Mask]:
    return [read_mask(one["mask"]) for one in payload["defects"] if one["mask"]]
