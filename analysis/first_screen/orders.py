"""The images of one prompt in two orders: as people score them, and as an outside metric does."""

from __future__ import annotations

from typing import Any, Final

from django.db.models import Count

from analysis.models import ImageMetric
from analysis.tables.wording import rounded
from annotator.models import Image, ImageSummary, Project
from annotator.models.data_sets import is_generated
from scoring.service import get_protocol

MOST: Final = 12
"""Images of a strip; of more, those at equal steps of people's order."""
PROMPTS: Final = 500
"""Prompts that are offered, in alphabetical order."""
PLACES: Final = 2


def ordered_prompts(project: Project, metric: str) -> list[str]:
    """Return the prompts of which two images or more have a value of a metric."""
    counted = ImageMetric.objects.filter(is_generated("image__"), project=project, metric=metric)
    several = counted.values("image__prompt").annotate(images=Count("pk")).filter(images__gte=2)
    return list(several.order_by("image__prompt").values_list("image__prompt", flat=True)[:PROMPTS])


def orders_of(project: Project, protocol: str, metric: str, prompt: str) -> dict[str, Any]:
    """Return both orders of a prompt's images; ties keep the order of the images.

    `people`, best first, and `metric`, highest value first, are the same images, each with its `rank` as
    people see it, from 1, and its `value` here. `images` counts all that have a score and a value.

    The score is that of the gallery under the protocol, without adjudicated values, as in a comparison.
    """
    values = dict(
        ImageMetric.objects.filter(
            is_generated("image__"), project=project, metric=metric, image__prompt=prompt
        ).values_list("image", "value")
    )
    summaries = ImageSummary.objects.filter(project=project, protocol=protocol, code="", image__in=values)
    scores = {
        summary.image_id: score
        for summary in summaries.order_by("image")
        if (score := summary.mean if summary.adjudicated else summary.score) is not None
    }
    better = -1 if get_protocol(protocol).headline.higher_is_better else 1
    ranked = sorted(scores, key=lambda image: (better * round(scores[image], 9), image))
    ranks = {image: rank for rank, image in enumerate(ranked, 1)}
    last = len(ranked) - 1
    steps = [round(step * last / (MOST - 1)) for step in range(MOST)] if last >= MOST else range(last + 1)
    shown = [ranked[place] for place in steps]
    images = Image.objects.in_bulk(shown)

    def placed(pk: int, value: str) -> dict[str, Any]:
        return {"image": images[pk], "rank": ranks[pk], "value": value}

    return {
        "people": [placed(pk, rounded(scores[pk], PLACES)) for pk in shown],
        "metric": [
            placed(pk, f"{values[pk]:.3g}") for pk in sorted(shown, key=lambda pk: (-values[pk], ranks[pk]))
        ],
        "images": len(scores),
    }
