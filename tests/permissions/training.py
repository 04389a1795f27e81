"""Training in the world of the permissions' tests."""

from __future__ import annotations

from annotator.models import Assignment, Batch, Image, Membership, Reference
from annotator.training.qualification_batches import release_qualification
from annotator.training.references import add_reference
from annotator.training.training_batches import release_training
from tests.factories import make_payload, user_of


def make_exam(annotator: Membership, lead: Membership, image: Image, name: str) -> Batch:
    """Release a qualification of one image for one annotator."""
    reference = add_reference(
        image=image,
        protocol="anatomy",
        payload=make_payload([("missing.face", "1/1a")]),
        origin=Reference.Origin.PLANTED,
        actor=user_of(lead),
    )
    return release_qualification(
        project=lead.project,
        name=name,
        protocol="anatomy",
        references=[reference.pk],
        people=[annotator],
        rule={"recall": "0.7"},
        images=1,
        seed=1,
        actor=user_of(lead),
    )


def make_training(
    annotator: Membership, lead: Membership, image: Image, name: str, rationale: str
) -> tuple[Reference, Assignment]:
    """Release a training batch of one image for one annotator."""
    reference = add_reference(
        image=image,
        protocol="anatomy",
        payload=make_payload([("missing.face", "1/1a")]),
        origin=Reference.Origin.PLANTED,
        actor=user_of(lead),
        rationales={"missing.face": rationale},
    )
    release_training(
        project=lead.project,
        name=name,
        protocol="anatomy",
        references=[reference.pk],
        people=[annotator],
        actor=user_of(lead),
    )
    trained = annotator.assignments.get(image=reference.image)
    return reference, trained
