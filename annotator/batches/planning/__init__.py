"""Plans: who annotates which image in which order; the same everywhere. See docs/explanation/planning.md."""

from annotator.batches.planning.assigning.allocation import sample
from annotator.batches.planning.change.changing import propose_change
from annotator.batches.planning.change.design import ChangeDesign, Held, PlanChange
from annotator.batches.planning.counts import Counts
from annotator.batches.planning.design import (
    Checks,
    Design,
    InvalidDesign,
    PlanAnnotator,
    PlanImage,
)
from annotator.batches.planning.document import ALGORITHM, Placement, read_document
from annotator.batches.planning.plan import Plan, make_plan
from annotator.batches.planning.randomness import Stream

__all__ = [
    "ALGORITHM",
    "ChangeDesign",
    "Checks",
    "Counts",
    "Design",
    "Held",
    "InvalidDesign",
    "Placement",
    "Plan",
    "PlanAnnotator",
    "PlanChange",
    "PlanImage",
    "Stream",
    "make_plan",
    "propose_change",
    "read_document",
    "sample",
]
