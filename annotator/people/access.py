"""Loaders that fetch and authorise in one step, named by the right they grant.

Missing and forbidden objects both raise Http404. Rights come only from active memberships of active
accounts; a superuser has no further rights outside the Django admin. A project being deleted cannot be
opened: its members get ProjectDeleted. Only the leads' deletion page and the refusal of annotations can
still load it.
"""

from __future__ import annotations

from typing import Final, TypeVar
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotator.database.prepared import PreparedObjects
from annotator.models import (
    Annotation,
    Assignment,
    Attempt,
    Batch,
    Image,
    Invitation,
    Job,
    Membership,
    Project,
    Question,
    Upload,
    User,
)

Visitor = User | AnonymousUser
Row = TypeVar("Row", bound=Model)

LARGEST_KEY: Final = 2**63 - 1
"""No row has a larger primary key, and the databases refuse to look for one."""


class ProjectDeleted(Http404):
    """A project of the user is being deleted; `membership` names both."""

    def __init__(self, membership: Membership) -> None:
        super().__init__("This project is being deleted.")
        self.membership = membership


_SEES_ALL = (Membership.Role.LEAD, Membership.Role.REVIEWER)


def project_as_lead(user: Visitor, slug: str) -> Project:
    """Return a project that the user leads; raises Http404."""
    leads = _active(user).filter(role=Membership.Role.LEAD, project__slug=slug)
    led = leads.select_related("project").first()
    if led is None:
        _tell_of_deletion(user, slug)
        raise Http404("No such project.")
    return led.project


def deletion_as_lead(user: Visitor, slug: str) -> Project:
    """Return a project that the user leads, being deleted or not; raises Http404."""
    leads = _own(user).filter(role=Membership.Role.LEAD)
    return get_object_or_404(Project.objects.filter(memberships__in=leads), slug=slug)


def membership_of(user: Visitor, slug: str) -> Membership:
    """Return the user's active membership of a project, in any role; raises Http404."""
    member = _active(user).select_related("project", "user").filter(project__slug=slug).first()
    if member is None:
        _tell_of_deletion(user, slug)
        raise Http404("No such project.")
    return member


def membership_seeing_numbers(user: Visitor, slug: str) -> Membership:
    """Return the membership of a project's lead or reviewer; raise Http404.

    Annotators have no access: seeing how others judged the same images would bias their own annotations.
    """
    membership = membership_of(user, slug)
    if membership.role not in _SEES_ALL:
        raise Http404("No report.")
    return membership


def may_draw(member: Membership) -> bool:
    """Return whether a member may decide where faces are: a lead, or an annotator with that right."""
    is_annotator = member.role == Membership.Role.ANNOTATOR
    return member.role == Membership.Role.LEAD or (is_annotator and member.draws_faces)


def marker_of(user: Visitor, slug: str) -> Membership:
    """Return the user's membership of a project in which they may mark faces; raises Http404."""
    member = membership_of(user, slug)
    if not may_draw(member):
        raise Http404("No such project.")
    return member


def batch_as_lead(user: Visitor, pk: int) -> Batch:
    """Return a batch of a project that the user leads, with project and qualification; raises Http404."""
    return _led(user, Batch.objects.select_related("project", "qualification"), pk=pk)


def assignment_for(user: Visitor, pk: int) -> Assignment:
    """Return one of the user's assignments with all that belongs to it; raises Http404.

    Includes withdrawn assignments, which are read-only, and those whose project is being deleted,
    so that changes can be refused (see `annotator.annotations.locking`).
    """
    found = _ASSIGNMENT.first(_signed_in(user).pk, pk) if pk <= LARGEST_KEY else None
    if found is None:
        raise Http404("No such assignment.")
    return found


def _owned(user_pk: int, pk: int) -> QuerySet[Assignment]:
    owned = Assignment.objects.filter(pk=pk, annotator__in=_memberships(user_pk))
    return owned.select_related("image", "batch__project", "annotator", "annotation")


# Prepared because every request of the annotation page begins with it.
_ASSIGNMENT: Final = PreparedObjects(_owned)


def attempt_for(user: Visitor, pk: int) -> Attempt:
    """Return the user's latest attempt at the qualification of a batch, by the batch's id; raises Http404."""
    made = Attempt.objects.filter(qualification__batch=pk, annotator__in=_active(user))
    found = made.select_related("qualification__batch__project", "annotator").order_by("-number").first()
    if found is None:
        raise Http404("No such qualification.")
    return found


def image_for(user: Visitor, public_id: UUID, *, blurred: bool = False) -> Image:
    """Return an image of which the user may see this copy: with its faces or blurred; raises Http404.

    They lead or review its project, or have it in a batch whose annotators see this copy.
    """
    return _existing(_IMAGE.first(_signed_in(user).pk, public_id, _copy(blurred)))


def assigned_image_for(user: Visitor, assignment: int, *, blurred: bool) -> Image:
    """Return the image of one of the user's assignments, if its batch shows this copy; raises Http404."""
    return _existing(_ASSIGNED_IMAGE.first(_signed_in(user).pk, assignment, _copy(blurred)))


def _copy(blurred: bool) -> str:
    return str(Batch.Picture.FACES_BLURRED if blurred else Batch.Picture.DISPLAY)


def _existing(image: Image | None) -> Image:
    if image is None:
        raise Http404("No such image.")
    return image


def _assigned_image(user_pk: int, assignment: int, picture: str) -> QuerySet[Image]:
    held = Image.objects.filter(
        assignments__pk=assignment,
        assignments__annotator__in=_in_living_projects(_memberships(user_pk)),
        assignments__batch__picture=picture,
    )
    return held.select_related("project").order_by()


def _visible(user_pk: int, public_id: UUID, picture: str) -> QuerySet[Image]:
    memberships = _in_living_projects(_memberships(user_pk))
    overseen = memberships.filter(role__in=_SEES_ALL, project=OuterRef("project"))
    assigned = Assignment.objects.filter(
        image=OuterRef("pk"), annotator__in=memberships, batch__picture=picture
    )
    visible = Image.objects.filter(Q(Exists(overseen)) | Q(Exists(assigned)), public_id=public_id)
    return visible.select_related("project").order_by()


# Prepared because every request for an image file begins with it.
_IMAGE: Final = PreparedObjects(_visible)
_ASSIGNED_IMAGE: Final = PreparedObjects(_assigned_image)


def annotation_as_lead(user: Visitor, pk: int) -> Annotation:
    """Return an annotation made in a project that the user leads; raises Http404."""
    related = ("assignment__batch__project", "assignment__image", "assignment__annotator__user")
    return _led(user, Annotation.objects.select_related(*related), "assignment__batch__project", pk=pk)


def own_annotation(user: Visitor, pk: int) -> Annotation:
    """Return one of the user's annotations, whatever the status of its assignment; raises Http404."""
    made = Annotation.objects.filter(assignment__annotator__in=_active(user))
    related = ("assignment__batch__project", "assignment__image", "assignment__annotator")
    return get_object_or_404(made.select_related(*related), pk=pk)


def question_as_lead(user: Visitor, pk: int) -> Question:
    """Return a question of a project that the user leads, with project and assignment; raises Http404."""
    return _led(user, Question.objects.select_related("project", "assignment__batch"), pk=pk)


def own_question(user: Visitor, pk: int) -> Question:
    """Return one of the user's own questions, with project, annotator and assignment; raises Http404."""
    asked = Question.objects.filter(annotator__in=_active(user))
    return get_object_or_404(asked.select_related("project", "annotator", "assignment__batch"), pk=pk)


def person_as_lead(user: Visitor, slug: str, pk: int) -> Membership:
    """Return a member, active or not, of a project that the user leads; raises Http404."""
    project = project_as_lead(user, slug)
    return get_object_or_404(project.memberships.select_related("project", "user"), pk=pk)


def invitation_as_lead(user: Visitor, pk: int) -> Invitation:
    """Return an invitation into a project that the user leads; raises Http404."""
    return _led(user, Invitation.objects.select_related("project"), pk=pk)


def job_as_lead(user: Visitor, pk: int) -> Job:
    """Return a background job of a project that the user leads; raises Http404."""
    return _led(user, Job.objects.select_related("project", "requested_by"), pk=pk)


def upload_as_lead(user: Visitor, public_id: UUID) -> Upload:
    """Return an upload into a project that the user leads, with its project; raises Http404."""
    return _led(user, Upload.objects.select_related("project"), public_id=public_id)


def _led(user: Visitor, rows: QuerySet[Row], project: str = "project", **key: object) -> Row:
    """Return the row with a key if the user leads the project that `project` names; raises Http404."""
    leads = _active(user).filter(role=Membership.Role.LEAD)
    return get_object_or_404(rows.filter(**{f"{project}__memberships__in": leads}), **key)


def _active(user: Visitor) -> QuerySet[Membership]:
    return _in_living_projects(_own(user))


def _in_living_projects(memberships: QuerySet[Membership]) -> QuerySet[Membership]:
    return memberships.filter(project__goes_at=None)


def _tell_of_deletion(user: Visitor, slug: str) -> None:
    deleted = _own(user).filter(project__slug=slug, project__goes_at__isnull=False)
    member = deleted.select_related("project").first()
    if member is not None:
        raise ProjectDeleted(member)


def _own(user: Visitor) -> QuerySet[Membership]:
    return _memberships(_signed_in(user).pk)


def _memberships(user_pk: int) -> QuerySet[Membership]:
    return Membership.objects.filter(user=user_pk, user__is_active=True, is_active=True)


def _signed_in(user: Visitor) -> User:
    if not isinstance(user, User):
        raise Http404("Not signed in.")
    return user
