"""One prompt's images side by side, a column per generator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.db.models import Avg, Count, F, FilteredRelation, Q, QuerySet, Window
from django.db.models.expressions import OrderBy
from django.db.models.functions import RowNumber

from annotator.gallery.small_grids import FIELDS, small_grids
from annotator.models import Image, Project
from annotator.models.images import IS_STUDIED
from annotator.models.prompts import of_prompt
from scoring.prompts import prompt_key
from scoring.service import get_protocol

COLUMNS: Final = 6
EACH: Final = 8


def compare(project: Project, protocol: str, prompt: str) -> dict[str, Any]:
    """Return at most COLUMNS `generators` of a prompt, from the best mean, and the prompts beside it.

    Each has some of its images at equal steps of rank, with scores and marked cells; six queries in all.
    """
    higher = get_protocol(protocol).headline.higher_is_better
    images = project.images.filter(of_prompt(prompt)).annotate(
        own=FilteredRelation("summaries", condition=Q(summaries__protocol=protocol, summaries__code=""))
    )
    means: list[Any] = list(
        images.order_by()
        .values("generator")
        .annotate(images=Count("pk"), mean=Avg("own__score"))
        .order_by(_best_first("mean", higher), "generator")
    )
    columns = means[:COLUMNS]
    placed = _placed(images, [row["generator"] for row in columns], higher)
    found = Image.objects.in_bulk([line["pk"] for line in placed])
    grids = small_grids({line["pk"]: _summary(line) for line in placed}, protocol)
    for row in columns:
        row["shown"] = [
            (found[line["pk"]], line["own__score"], grids[line["pk"]])
            for line in placed
            if line["generator"] == row["generator"] and line["pk"] in found
        ]
    previous, following = _beside(project, prompt)
    named = {"prompt": prompt, "previous": previous, "next": following}
    return {**named, "columns": columns, "generators": len(means)}


def _best_first(name: str, higher_is_better: bool) -> OrderBy:
    order = F(name)
    return order.desc(nulls_last=True) if higher_is_better else order.asc(nulls_last=True)


def _placed(images: QuerySet[Image], generators: list[str], higher_is_better: bool) -> list[dict[str, Any]]:
    """Return image, generator, score and marks by rank; all of a generator if there are at most EACH."""
    order = [_best_first("own__score", higher_is_better), F("pk").asc()]
    ranked = (
        images.filter(generator__in=generators)
        .annotate(
            rank=Window(RowNumber(), partition_by=[F("generator")], order_by=order),
            count=Window(Count("pk"), partition_by=[F("generator")]),
        )
        # rank × EACH passes a multiple of the number EACH times, evenly.
        .annotate(step=F("rank") * EACH % F("count"))
        .filter(step__lt=EACH)
        .order_by("generator", "rank")
    )
    own = [f"own__{name}" for name in ("score", "adjudicated", *FIELDS)]
    return list(ranked.values("pk", "generator", *own))


def _summary(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[f"own__{name}"] for name in (*FIELDS, "adjudicated")}


def _beside(project: Project, prompt: str) -> tuple[str, str]:
    """Return the prompts before and after one, in alphabetical order; empty at the ends."""
    studied, own = project.images.filter(IS_STUDIED), prompt_key(prompt)
    names = studied.order_by("prompt__key").values_list("prompt", flat=True)
    before = names.filter(prompt__key__lt=own).reverse().first()
    return before or "", names.filter(prompt__key__gt=own).first() or ""
