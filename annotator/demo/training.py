"""The demo's training and qualification, of planted errors, for somebody new who begins with them."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from annotator.database.transactions import write_transaction
from annotator.models import Image, Membership, Project, Reference, User
from annotator.protocols.registry import counted_cells_of
from annotator.training.qualification_batches import default_rule, release_qualification
from annotator.training.references import add_reference
from annotator.training.training_batches import release_training
from scoring.grid.notation import Term
from scoring.grid.taxonomy import SEVERITY_TITLES, parts_in_words

NEWCOMER: Final = "newcomer"
TRAINING: Final = "Training"
QUALIFICATION: Final = "Qualification"
PROTOCOL: Final = "anatomy"
Place = tuple[str, str, int]
"""Generator, prompt and number of an image."""
Planted = dict[str, str]
"""A row of the table of planted errors."""
LESSONS: Final[tuple[Place, ...]] = (
    ("model-a", "person waving", 2),
    ("model-a", "person waving", 1),
    ("model-b", "person waving", 2),
    ("model-a", "person waving", 3),
    ("model-b", "person stretching", 1),
    ("model-c", "person waving", 1),
    ("model-c", "two people shaking hands", 2),
    ("model-b", "group of four standing", 3),
)
"""The images to train on, from easy to difficult; the second has no errors. All error types occur."""
EXAM: Final[tuple[Place, ...]] = (
    ("model-b", "person waving", 1),
    ("model-b", "person waving", 3),
    ("model-c", "person waving", 3),
    ("model-a", "person stretching", 3),
    ("model-c", "person stretching", 1),
    ("model-b", "person stretching", 3),
    ("model-c", "person stretching", 3),
    ("model-a", "two people shaking hands", 1),
    ("model-b", "two people shaking hands", 2),
    ("model-a", "group of four standing", 3),
)
"""The images of two attempts at the qualification; the fourth has no errors."""


def build_training(project: Project, truth: Path, person: Membership, lead: User) -> None:
    """Make the planted errors of the lessons references, and release them as training. Safe to repeat."""
    if project.batches.filter(name=TRAINING).exists():
        return
    with write_transaction():
        release_training(
            project=project,
            name=TRAINING,
            protocol=PROTOCOL,
            references=_references(project, LESSONS, truth, lead),
            people=[person],
            actor=lead,
        )


def build_qualification(project: Project, truth: Path, person: Membership, lead: User) -> None:
    """Release a qualification of other images with planted errors. Safe to repeat."""
    if project.batches.filter(name=QUALIFICATION).exists():
        return
    with write_transaction():
        release_qualification(
            project=project,
            name=QUALIFICATION,
            protocol=PROTOCOL,
            references=_references(project, EXAM, truth, lead),
            people=[person],
            rule=default_rule(PROTOCOL),
            images=len(EXAM) // 2,
            seed=1,
            actor=lead,
            waiting_hours=0,
        )


def _references(project: Project, places: Sequence[Place], truth: Path, lead: User) -> list[int]:
    """Make the planted errors of images their references, and return these by id, in order."""
    planted = planted_by_image(truth)
    made = []
    for place in places:
        image = project.images.get(generator=place[0], prompt=place[1], number=place[2])
        made.append(make_reference(image, planted.get(place, []), lead).pk)
    return made


def planted_by_image(path: Path) -> dict[Place, list[Planted]]:
    """Return the planted errors by image."""
    found: dict[Place, list[Planted]] = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found[row["generator"], row["prompt"], int(row["number"])].append(row)
    return found


def make_reference(image: Image, rows: Sequence[Planted], lead: User) -> Reference:
    """Make the planted errors of an image its reference, each with its reason."""
    terms: dict[str, list[Term]] = defaultdict(list)
    reasons: dict[str, list[str]] = defaultdict(list)
    pins = {}
    for row in rows:
        term = Term(int(row["affected"]), int(row["total"]), row["severity"])
        terms[row["cell"]].append(term)
        reasons[row["cell"]].append(_reason(row, term))
        pins[row["cell"], row["severity"]] = [{"x": float(row["x"]), "y": float(row["y"])}]
    payload = counted_cells_of(PROTOCOL).payload(terms, not terms)
    for mark in payload["marks"]:
        mark["pins"] = pins[f"{mark['type']}.{mark['part']}", mark["severity"]]
    return add_reference(
        image=image,
        protocol=PROTOCOL,
        payload=payload,
        origin=Reference.Origin.PLANTED,
        actor=lead,
        rationales={cell: " ".join(texts) for cell, texts in reasons.items()},
    )


def _reason(row: dict[str, str], term: Term) -> str:
    """Return why a cell has its value, such as `Hand missing: 1 of 2 hands, severe (c).`"""
    severity = f"{SEVERITY_TITLES[term.severity]} ({term.severity})"
    parts = parts_in_words(term.total, row["cell"].partition(".")[2])
    return f"{row['error'].capitalize()}: {term.affected} of {parts}, {severity}."
