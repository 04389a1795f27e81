"""The form of a qualification batch, and its release."""

from __future__ import annotations

import secrets
from typing import Any, Final

from django.http import QueryDict

from annotator.batches.assignments import InvalidBatch
from annotator.exchange.formats.names import whole_number
from annotator.models import Batch, Project
from annotator.training.qualification_batches import (
    MOST_ATTEMPTS,
    MOST_IMAGES,
    USUAL_ATTEMPTS,
    default_rule,
    release_qualification,
)
from annotator.training.references import active_references
from annotator.web.views.pages import SignedIn
from annotator.web.views.protocol_choice import ChosenProtocol
from annotator.web.views.training.references import annotators_of
from scoring.qualification_rules import ENOUGH_IMAGES

REFERENCES_SHOWN: Final = 200
_SEEDS: Final = 1_000_000


def qualification_form(
    request: SignedIn, project: Project, chosen: ChosenProtocol, refused: InvalidBatch | None = None
) -> dict[str, Any]:
    """Return the form of a qualification: as proposed, or as it was sent and refused."""
    there, people = list(active_references(project, chosen.slug)[:REFERENCES_SHOWN]), annotators_of(project)
    if refused:
        wanted = request.POST.dict()
        picked, asked = request.POST.getlist("reference"), request.POST.getlist("person")
    else:
        wanted = _proposed(project, chosen, len(there))
        picked = [str(reference.pk) for reference in there]
        asked = [str(person.pk) for person in people if person.user_id]
    return {
        "terms": [(term, wanted.get(f"rule.{term.name}", "")) for term in chosen.protocol.rule_terms],
        "references": [(reference, str(reference.pk) in picked) for reference in there],
        "people": [(person, str(person.pk) in asked) for person in people],
        "wanted": wanted,
        "enough": ENOUGH_IMAGES,
        "most": {"images": MOST_IMAGES, "attempts": MOST_ATTEMPTS},
        "not_released": refused,
    }


def _proposed(project: Project, chosen: ChosenProtocol, references: int) -> dict[str, str]:
    rule = {f"rule.{name}": text for name, text in default_rule(chosen.slug).items()}
    return {
        "name": f"Qualification {project.batches.count() + 1}",
        "images": str(max(1, min(ENOUGH_IMAGES, references))),
        "attempts": str(USUAL_ATTEMPTS),
        **rule,
    }


def release(request: SignedIn, project: Project, chosen: ChosenProtocol) -> Batch:
    """Release the qualification that a form asks for; raises InvalidBatch."""
    sent = request.POST
    people = [person for person in annotators_of(project) if str(person.pk) in sent.getlist("person")]
    rule = {term.name: sent.get(f"rule.{term.name}", "") for term in chosen.protocol.rule_terms}
    return release_qualification(
        project=project,
        name=sent.get("name", ""),
        protocol=chosen.slug,
        references=[number for text in sent.getlist("reference") if (number := whole_number(text))],
        people=people,
        rule=rule,
        images=_number(sent, "images", "images per attempt"),
        attempts=_number(sent, "attempts", "attempts"),
        seed=secrets.randbelow(_SEEDS),
        actor=request.user,
    )


def _number(sent: QueryDict, name: str, title: str) -> int:
    """Return a whole number typed into a field; raises InvalidBatch."""
    number = whole_number(sent.get(name, ""))
    if number is None:
        raise InvalidBatch(f"Enter {title} as a whole number, not “{sent.get(name, '')[:20]}”.", "number")
    return number
