"""The stored plans of a batch."""

from __future__ import annotations

import zlib
from collections.abc import Mapping

from annotator.batches.planning import Design, PlanAnnotator, read_document
from annotator.models import Batch, Membership, Plan
from annotator.models.counting import is_work

Released = tuple[Design, Mapping[str, int]]
"""The input of a release, and the planned number of annotators of each image."""


def released_of(batch: Batch) -> Released | None:
    """Return the release of a batch, which never changes; None without a plan."""
    release = batch.plans.filter(kind=Plan.Kind.RELEASE).first()
    return None if release is None else read_release(release)


def read_release(plan: Plan) -> Released:
    """Return what a stored release was planned from."""
    return read_document(zlib.decompress(plan.design or b""))


def annotators_of(batch: Batch) -> list[PlanAnnotator]:
    """Return the annotators of a batch's last plan; without one, all with assignments."""
    last = batch.plans.order_by("-pk").values_list("annotators", flat=True).first()
    if last is not None:
        return [PlanAnnotator(code, capacity) for code, capacity in last]
    held = Membership.objects.filter(
        is_work("assignments__"), assignments__batch=batch, assignments__position__isnull=False
    )
    return [PlanAnnotator(code) for code in held.distinct().values_list("code", flat=True)]
