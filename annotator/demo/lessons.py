"""A ready training: drawn images with references and reasons, for everybody who annotates or is invited."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Final

from annotator.demo.simulated import ANATOMY, Place, make_reference, rows_by_image
from annotator.images.decoding import content_hash
from annotator.images.display import store_image
from annotator.models import Batch, Image, Membership, Project, User
from annotator.models.images import LESSONS
from annotator.training.training_batches import release_training
from annotator.work.sending import send_displays
from scoring.service import PROTOCOLS

DATA: Final = Path(__file__).with_name("data")
TAUGHT: Final = (ANATOMY, *(slug for slug, protocol in PROTOCOLS.items() if ANATOMY in protocol.shown_as))
"""The protocols under which the planted errors of the drawings can be stated."""
DRAWN: Final = 12


def train_with_drawings(project: Project, protocol: str, actor: User) -> Batch:
    """Release a training batch of `DRAWN` drawings to all active annotators, invited ones included.

    The drawings are stored with the project, apart from its study. Safe to repeat. Raises InvalidBatch, and
    OSError if an image cannot be written.
    """
    planted = rows_by_image(DATA / "data" / "truth.csv")
    places = list(islice(rows_by_image(DATA / "lessons.csv"), DRAWN))
    images = {place: _stored(project, place) for place in places}
    send_displays(image.pk for image in images.values())
    references = [make_reference(images[place], planted.get(place, ()), actor, protocol) for place in places]
    return release_training(
        project=project,
        name=f"Training {project.batches.count() + 1}",
        protocol=protocol,
        references=[reference.pk for reference in references],
        people=list(project.memberships.filter(is_active=True, role=Membership.Role.ANNOTATOR)),
        actor=actor,
    )


def _stored(project: Project, place: Place) -> Image:
    """Return the drawing of this place in the project, stored if it is not there yet."""
    generator, prompt, number = place
    name = f"{generator}_{prompt.replace(' ', '_')}_{number:02}.webp"
    contents = (DATA / "images" / generator / prompt.replace(" ", "_") / name).read_bytes()
    known = project.images.filter(sha256=content_hash(contents)).first()
    return known or store_image(
        project=project,
        contents=contents,
        source_name=name,
        generator=LESSONS,
        prompt=f"{prompt} ({generator})",
        prompt_group="",
        number=number,
        attributes={},
    )
