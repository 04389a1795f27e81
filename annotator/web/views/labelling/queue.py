"""The annotator's queue: batches, drafts, submitted images, and the button to continue."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotator.annotations.locking import ended_among, reopened_in_closed_batches, sent_back_among
from annotator.annotations.position import in_order, with_places
from annotator.annotations.queue import (
    has_labelled,
    next_assignment,
    queue_counts,
    queue_of,
)
from annotator.models import Annotation, Assignment, Batch, Membership
from annotator.models.counting import WorkCount, is_labelled_here
from annotator.norming.sessions import revealed_to
from annotator.people.access import membership_of
from annotator.people.panels import may_stop
from annotator.protocols.registry import PAGES
from annotator.protocols.registry import page_of as page_of_protocol
from annotator.training.training_batches import training_ahead
from annotator.web.views.first_day import durations, has_read
from annotator.web.views.guidelines.reading import guideline_address
from annotator.web.views.labelling.undoable_submission import just_submitted
from annotator.web.views.pages import page_of, safe_page
from annotator.web.views.questions.threads import news_of
from annotator.web.views.training.feedback import AttemptNews, qualification_news

BATCHES_SHOWN = 12
SHOWN = 12
NORMINGS_SHOWN = 5


@safe_page
def queue(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the signed-in user's queue in a project."""
    membership = membership_of(request.user, slug)
    counts = queue_counts(membership)
    progress = sum(counts.values(), WorkCount())
    done = progress.submitted > 0 and not progress.open
    batches = [(batch, count) for batch, count in counts.items() if count.total]
    possible = _sections(request, membership, imported=progress.imported > 0)
    sections = [section for section in possible if section["page"].paginator.count]
    still_open = set(reopened_in_closed_batches(membership).values_list("pk", flat=True))
    _fill(sections, membership, still_open)
    upcoming = next_assignment(membership)
    qualifications, normings = qualification_news(membership), revealed_to(membership)[:NORMINGS_SHOWN]
    labelled = has_labelled(membership)
    context = {
        "membership": membership,
        "project": membership.project,
        "is_lead": membership.role == Membership.Role.LEAD,
        "progress": progress,
        "recruitment": membership.recruitment if done else None,
        "may_stop": may_stop(membership) and not done,
        "upcoming": upcoming,
        "several_protocols": len({batch.protocol for batch, _ in batches}) > 1,
        "batches": page_of(request, batches, BATCHES_SHOWN, name="batches"),
        "sections": sections,
        "news": news_of(membership),
        "normings": normings,
        "to_discuss": any(session.is_open for session in normings),
        "labelled": labelled,
        "sent_back": len(still_open),
        "qualifications": qualifications,
        "after": just_submitted(request, membership),
        **(
            _first_day(request, membership, upcoming, qualifications, progress.left)
            if (upcoming or qualifications) and not labelled
            else {}
        ),
    }
    return render(request, "annotator/queue/queue.html", context)


def _first_day(
    request: HttpRequest,
    membership: Membership,
    upcoming: Assignment | None,
    qualifications: list[AttemptNews],
    left: int,
) -> dict[str, Any]:
    """Return what the page shows to somebody who has not annotated anything here yet.

    The path leads through one qualification, the latest that is not passed; cards show the others.
    """
    unfinished = [news for news in qualifications if not news.attempt.passed]
    qualifying = next(iter(unfinished or qualifications), None)
    leading = upcoming or qualifying
    assert leading is not None
    if leading.batch.protocol not in PAGES:
        return {}  # a protocol that this version does not know, with other work in the queue
    protocol = page_of_protocol(leading.batch.protocol)
    guide = protocol.guide
    address = guideline_address(membership.project, leading.batch.protocol)
    training = training_ahead(membership)
    work = next_assignment(membership, learning=False) if training or qualifying else upcoming
    read, trained = (
        has_read(request, leading.batch.protocol) or not address,
        training is None or training["upcoming"] is None,
    )
    qualified = qualifying is None or bool(qualifying.attempt.passed)
    # Whether the guideline was opened is known of this session alone.
    begun = bool(training and training["done"]) or bool(qualifying and (qualifying.done or qualified))
    waits = qualifying is not None and not (qualifying.is_open or qualifying.attempt.may_follow)
    to_train = training["total"] - training["done"] if training else 0
    to_label = left - to_train - sum(news.left for news in unfinished if news.is_open)
    to_qualify = qualifying.left if qualifying and qualifying.is_open else 0
    steps = {"read": bool(address), "train": training, "qualify": qualifying, "label": work or qualifying}
    return {
        "first_day": True,
        "to_label": to_label,
        "durations": durations(
            {"train": to_train, "qualify": to_qualify, "label": to_label},
            protocol.pace,
            reads=bool(address) and not read,
        ),
        "guide": address,
        "glance": guide.glance if guide else "",
        "read": read,
        "training": training,
        "trained": trained,
        "qualifying": qualifying,
        "qualified": qualified,
        "qualifications": [news for news in qualifications if news is not qualifying],
        "work": work,
        "steps": {name: place for place, name in enumerate([name for name in steps if steps[name]], 1)},
        "now": "read"
        if not (read or begun)
        else "train"
        if not trained
        else "label"
        if qualified or (waits and work)
        else "qualify",
    }


def _sections(request: HttpRequest, membership: Membership, *, imported: bool) -> list[dict[str, Any]]:
    """Return the lists of images with an explanatory `note`; `page` holds primary keys."""
    begun = queue_of(membership.pk).filter(annotation__isnull=False)
    submitted = begun.filter(annotation__status=Annotation.Status.SUBMITTED)
    drafts = begun.exclude(annotation__status=Annotation.Status.SUBMITTED)
    drafts = drafts.exclude(status=Assignment.Status.SKIPPED)
    skipped = queue_of(membership.pk).filter(
        status=Assignment.Status.SKIPPED, batch__status=Batch.Status.OPEN
    )
    given_away = membership.assignments.filter(status=Assignment.Status.WITHDRAWN, annotation__isnull=False)

    def section(name: str, title: str, note: str, found: QuerySet[Assignment]) -> dict[str, Any]:
        keys = in_order(found).values_list("pk", flat=True)
        page = page_of(request, keys, SHOWN, name=name)
        return {"name": name, "title": title, "note": note, "page": page}

    made_elsewhere = ("Imported", "Imported under your code. They are not part of your progress.")
    return [
        section("drafts", "Drafts", "Not submitted yet.", drafts),
        section(
            "skipped", "Skipped", "Open one to annotate it after all, until its batch is closed.", skipped
        ),
        section(
            "page",
            "Submitted",
            "You can correct an image until its batch is closed. After that, you see what became of it where "
            "the lead allows it.",
            submitted.filter(is_labelled_here()),
        ),
        *([section("imported", *made_elsewhere, submitted.exclude(is_labelled_here()))] if imported else []),
        section(
            "withdrawn",
            "Reassigned",
            "Another annotator has these images now. Your drafts are kept, read-only.",
            given_away,
        ),
    ]


def _fill(sections: list[dict[str, Any]], membership: Membership, still_open: set[int]) -> None:
    """Fetch the rows of all pages in one query, because places are counted row by row.

    `still_open` were reopened by a lead in closed batches.
    """
    keys = {pk for section in sections for pk in section["page"]}
    shown = (
        membership.assignments.filter(pk__in=keys)
        .select_related("image", "batch", "annotation")
        .defer("annotation__payload", "annotation__ratings", "annotation__source", "annotation__capture")
    )
    rows = {row.pk: row for row in with_places(shown)} if keys else {}
    sent_back = sent_back_among(rows)
    ended = ended_among(rows.values())
    for row in rows.values():
        is_open = row.batch.status == Batch.Status.OPEN or row.pk in still_open
        withdrawn = row.status == Assignment.Status.WITHDRAWN
        row.locked = withdrawn or not is_open or row.pk in ended  # type: ignore[attr-defined]
        row.sent_back = row.pk in sent_back  # type: ignore[attr-defined]
    for section in sections:
        section["rows"] = [rows[pk] for pk in section["page"]]
