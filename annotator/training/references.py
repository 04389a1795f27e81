"""Make, explain and retire references.

Each change is one transaction with an Event that holds what it replaced.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.db.models import Max, QuerySet
from django.utils import timezone

from annotator.annotations.saving import checked_annotation
from annotator.database.transactions import write_transaction
from annotator.inputs.plain_text import TURNED, turns_text_round
from annotator.inputs.refusal import Refusal
from annotator.models import Event, Image, Project, Reference, User
from annotator.people.members import acting_lead
from annotator.protocols.registry import page_of
from scoring.protocol import InvalidPayload, Payload, Protocol
from scoring.service import get_protocol

REFERENCE_ADDED: Final = "reference_added"
REFERENCE_EXPLAINED: Final = "reference_explained"
REFERENCE_RETIRED: Final = "reference_retired"

LONGEST_RATIONALE: Final = 400
LONGEST_SHOWN: Final = 60


class ReferenceRefused(Refusal, ValueError):
    """A reference that cannot be made or changed; the message names the cause."""


def is_comparable(slug: str) -> bool:
    """Return whether annotations under a protocol can be compared with a reference."""
    return get_protocol(slug).compare is not None


def require_comparable(slug: str) -> Protocol:
    """Return a protocol whose annotations can be compared; raises ReferenceRefused, UnknownProtocol."""
    known = get_protocol(slug)
    if not is_comparable(slug):
        raise ReferenceRefused(
            f"Annotations under “{known.title}” cannot be compared, so this protocol has no references.",
            "not-comparable",
        )
    return known


def active_references(project: Project, protocol: str) -> QuerySet[Reference]:
    """Return the references in use, in the order they were made."""
    return Reference.objects.filter(
        image__project=project,
        protocol=protocol,
        status=Reference.Status.ACTIVE,
    ).select_related("image")


def reference_of(image: Image, protocol: str) -> Reference | None:
    """Return the reference in use of an image; one query."""
    return Reference.objects.filter(image=image, protocol=protocol, status=Reference.Status.ACTIVE).first()


def components_of(reference: Reference) -> list[str]:
    """Return the components that are marked or explained, in the order of the protocol."""
    marked = marked_in(reference.protocol, reference.payload)
    return [key for key in titles_of(reference.protocol) if key in marked or key in reference.rationales]


def titles_of(protocol: str) -> Mapping[str, str]:
    """Return the titles of a protocol's components, by key, in its order."""
    return page_of(protocol).adjudicating.titles


def add_reference(
    *,
    image: Image,
    protocol: str,
    payload: object,
    origin: Reference.Origin,
    actor: User | None,
    rationales: Mapping[str, str] | None = None,
) -> Reference:
    """Store a reference, retire the previous one of the image, and return it.

    Rationales are kept unless new ones are given, but not those of components whose mark appears or goes.
    Values equal to the current reference's make no new version. `actor` is None for a command. Raises
    ReferenceRefused.
    """
    cleaned, ratings = checked_value(image.project, protocol, payload)
    texts = checked_rationales(protocol, rationales or {})
    with write_transaction():
        project = Project.locked(image.project_id)
        lead = acting_lead(project.pk, actor) if actor else None
        if project.goes_at is not None or not Image.objects.filter(pk=image.pk).exists():
            raise ReferenceRefused("The image was deleted, or its project is being deleted.", "deleted")
        earlier = Reference.objects.select_for_update().filter(image=image, protocol=protocol)
        before = earlier.filter(status=Reference.Status.ACTIVE).first()
        if before is not None and before.payload == cleaned:
            _explain(before, texts, actor)
            return before
        latest = earlier.aggregate(latest=Max("version"))["latest"] or 0
        earlier.filter(status=Reference.Status.ACTIVE).update(status=Reference.Status.RETIRED)
        made = Reference(
            image=image,
            protocol=protocol,
            version=latest + 1,
            origin=origin,
            payload=cleaned,
            ratings=ratings,
            made_by=lead,
            made_at=timezone.now(),
        )
        turned = marked_in(protocol, cleaned) ^ marked_in(protocol, before.payload if before else cleaned)
        kept = before.rationales if before else {}
        made.rationales = _merged({key: kept[key] for key in kept if key not in turned}, texts, protocol)
        made.save()
        _record(REFERENCE_ADDED, made, actor, origin=str(origin))
    return made


def explain_reference(*, reference: Reference, rationales: Mapping[str, str], actor: User) -> Reference:
    """Replace the rationales given, by component, and keep the others; raises ReferenceRefused."""
    texts = checked_rationales(reference.protocol, rationales)
    with write_transaction():
        held = Reference.objects.select_for_update().select_related("image__project").get(pk=reference.pk)
        acting_lead(held.image.project_id, actor)
        _explain(held, texts, actor)
    return held


def retire_reference(*, reference: Reference, actor: User) -> bool:
    """Retire a reference; return False if it was not in use. Images of open training batches lose it."""
    with write_transaction():
        acting_lead(reference.image.project_id, actor)
        rows = Reference.objects.filter(pk=reference.pk, status=Reference.Status.ACTIVE)
        if not rows.update(status=Reference.Status.RETIRED):
            return False
        _record(REFERENCE_RETIRED, reference, actor)
    return True


def checked_rationales(protocol: str, rationales: Mapping[str, object]) -> dict[str, str]:
    """Return rationales without spaces around them; raises ReferenceRefused naming the component."""
    titles, texts = titles_of(protocol), {}
    for key, text in rationales.items():
        if key not in titles or not isinstance(text, str):
            raise ReferenceRefused(f"“{key[:LONGEST_SHOWN]}”: expected a text for a cell of the protocol.")
        texts[key] = text.strip()
        if len(texts[key]) > LONGEST_RATIONALE:
            said = f"the rationale has {len(texts[key])} characters; the limit is {LONGEST_RATIONALE}."
            raise ReferenceRefused(f"{titles[key]}: {said}", "too-long")
        if turns_text_round(text) or "\0" in text:
            raise ReferenceRefused(f"{titles[key]}: {TURNED}", "turned")
    return texts


def marked_in(protocol: str, payload: Payload) -> set[str]:
    """Return the components that a payload marks."""
    form = page_of(protocol).adjudicating([], stored=payload)
    return {key for key in form.titles if form.text_of(payload, key)}


def _merged(kept: Mapping[str, str], given: Mapping[str, str], protocol: str) -> dict[str, str]:
    """Return rationales in the order of the protocol; an empty one is removed."""
    told = {**kept, **given}
    return {key: told[key] for key in titles_of(protocol) if told.get(key)}


def _explain(held: Reference, texts: Mapping[str, str], actor: User | None) -> None:
    """Store rationales, in the transaction that holds the reference."""
    told = _merged(held.rationales, texts, held.protocol)
    if held.rationales != told:
        before, held.rationales = held.rationales, told
        held.save(update_fields=["rationales"])
        _record(REFERENCE_EXPLAINED, held, actor, replaced=before)


def checked_value(project: Project, protocol: str, payload: object) -> tuple[Payload, list[list[str]]]:
    """Return a complete payload in stored form, and its ratings; raises ReferenceRefused."""
    known = require_comparable(protocol)
    try:
        return checked_annotation(payload, known, project.exact_weights)
    except InvalidPayload as error:
        raise ReferenceRefused(f"The reference is rejected: {error}", "invalid") from error


def _record(verb: str, reference: Reference, actor: User | None, **more: object) -> None:
    data = {
        "name": reference.image.source_name,
        "image": str(reference.image.public_id),
        "protocol": reference.protocol,
        "version": reference.version,
        **more,
    }
    Event.objects.create(project_id=reference.image.project_id, actor=actor, verb=verb, data=data)
