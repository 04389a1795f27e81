"""Plans: who labels which image in which order; the same everywhere. See docs/planning.md."""

from annotator.planning.balance import Balance, Margin, Workload
from annotator.planning.certificate import ALGORITHM, Placement, read_document
from annotator.planning.change_design import Change, ChangeDesign, Held
from annotator.planning.changing import propose_change
from annotator.planning.dealing import sample
from annotator.planning.design import Design, Earlier, InvalidDesign, PlanAnnotator, PlanImage
from annotator.planning.plan import Plan, make_plan
from annotator.planning.randomness import Stream
from annotator.planning.verification import verify

__all__ = [
    "ALGORITHM",
    "Balance",
    "Change",
    "ChangeDesign",
    "Design",
    "Earlier",
    "Held",
    "InvalidDesign",
    "Margin",
    "Placement",
    "Plan",
    "PlanAnnotator",
    "PlanImage",
    "Stream",
    "Workload",
    "make_plan",
    "propose_change",
    "read_document",
    "sample",
    "verify",
]
