"""The steps of one project, with what only reports and exports know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.bundles.source import BUNDLED
from analysis.exports.requests import EXPORTED
from analysis.home.need_row import Need
from analysis.home.project_work import ProjectWork
from analysis.models import Report
from annotator.faces.gate import decided_on
from annotator.models import Event, Project
from annotator.projects.checklist import (
    Facts,
    Step,
    image_counts,
    people_counts,
    steps_of,
    training_counts,
)
from annotator.projects.protocols import measured
from annotator.protocols.registry import page_of
from scoring.protocol import Protocol
from scoring.service import PROTOCOLS, get_protocol

FEW_IMAGES: Final = 5_000
"""Up to so many images, the overview of a project at work counts them."""


def measures_of(project: Project) -> list[Protocol] | None:
    """Return the protocols that a project measures by; None if nobody was asked, and no batch says it."""
    slugs = measured(project)
    if project.protocols is None and not slugs:
        return None
    return [get_protocol(slug) for slug in slugs if slug in PROTOCOLS]


def setup_of(project: Project, work: ProjectWork, needs: Sequence[Need] = ()) -> list[Step]:
    """Return the steps of a project, in at most eleven queries; `needs` are those of its leads."""
    # Once a batch is released, a page that is opened often shows them.
    images, generators, prompts = image_counts(project, FEW_IMAGES if work.released else None)
    annotators, invited = people_counts(project)
    trained, in_training = training_counts(project)
    measures = measures_of(project)
    # While a report is due or being computed, the stored one does not know the last annotations.
    agreement = Report.objects.filter(project=project, kind=Report.Kind.AGREEMENT).order_by()
    states = set(agreement.values_list("status", flat=True).distinct())
    compared = Report.Status.DONE in states and not states & {Report.Status.QUEUED, Report.Status.RUNNING}
    exported = Event.objects.filter(project=project, verb__in=(EXPORTED, BUNDLED)).exists()
    return steps_of(
        Facts(
            measures=measures,
            images=images,
            generators=generators,
            prompts=prompts,
            annotators=annotators,
            invited=invited,
            faces=decided_on(project)
            if any(page_of(protocol.slug).faces_blurred for protocol in measures or ())
            else None,
            published=bool(project.guideline_versions),
            in_training=in_training,
            trained=trained,
            batches=work.batches,
            count=work.count,
            waiting=work.count.left,
            to_adjudicate=sum(need.count for need in needs if need.code == "disagreements")
            if compared
            else None,
            exported=exported,
        )
    )
