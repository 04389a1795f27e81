"""What needs a lead because of annotators: what quality reports say, silence, old drafts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone

from analysis.home.need_row import Harm, Need, day_of, several, together
from analysis.home.project_work import AnnotatorWork, ProjectWork, work_of
from analysis.home.reviewing import at_most
from annotator.batches.progress import INACTIVE_AFTER, inactive_days
from annotator.models import Project

OLD_DRAFT: Final = timedelta(days=3)


def annotator_needs(
    projects: Sequence[Project],
    work: Mapping[int, ProjectWork],
    now: datetime,
    resolved: Collection[tuple[int, str]] = (),
) -> Iterator[Need]:
    """Yield what needs the leads of these projects; no query.

    Lines of quality reports that are `resolved`, by project and key, do not count in a row that stands for
    several either.
    """
    for project in projects:
        people = work[project.pk].annotators
        quality = reverse("report", args=[project.slug, "quality"])
        watched = [need for person in people if (need := _quality(project, person))]
        watched = [need for need in watched if (project.pk, need.key) not in resolved]
        yield from together(watched, "{} annotators need a look", "See quality", quality)
        inactivity = [(person, inactivity_of(person, now)) for person in people]
        quiet = [_inactive(project, person, days) for person, days in inactivity if days]
        words = f"{{}} annotators have been inactive for {INACTIVE_AFTER.days} days or more"
        yield from together(quiet, words, "See people", reverse("people", args=[project.slug]))
        yield from _old_drafts(project, [person for person, days in inactivity if not days], now)


def _quality(project: Project, each: AnnotatorWork) -> Need | None:
    """Return what a quality report says of somebody to look at or to check."""
    line = next((line for line in each.quality if line["phrases"]), None)
    if line is None:
        return None
    code, (first, *rest) = each.member.code, line["phrases"]
    protocol = urlencode({"protocol": line["protocol"]})
    return Need(
        project.pk,
        "quality",
        Harm.NUMBERS if line["verdict"] == "stop" else Harm.DECISION,
        f"{code}: {first[:1].lower()}{first[1:]}",
        "; ".join(rest) or "From anchors, repeats and times. Nobody is stopped automatically.",
        f"Look at {code}",
        f"{reverse('report', args=[project.slug, 'quality'])}?{protocol}#annotator-{code}",
        pictures=list(line["images"]),
        state=f"{each.member.pk} {line['protocol']} {','.join(line['reasons'])}",
    )


def inactivity_of(each: AnnotatorWork, now: datetime) -> int:
    """Return for how many days an annotator who can sign in has been inactive; 0 if they are not."""
    able = each.member.is_active and each.member.has_account
    return inactive_days(each.count.left, now, each.last_seen, each.since) if able else 0


def inactivity_by_code(project: Project) -> dict[str, str]:
    """Return code → how long an annotator with work left has been inactive; `work_of` has the queries."""
    now = timezone.now()
    inactive = [(person, inactivity_of(person, now)) for person in work_of([project])[project.pk].annotators]
    return {
        person.member.code: f"Inactive for {several(days, 'day')}; {several(person.count.left, 'image')} left"
        for person, days in inactive
        if days
    }


def _inactive(project: Project, each: AnnotatorWork, days: int) -> Need:
    code = each.member.code
    said = [f"{several(each.count.left, 'image')} left"]
    if each.drafts and each.oldest_draft is not None:
        said.append(f"{several(each.drafts, 'draft')} open since {day_of(each.oldest_draft)}")
    return Need(
        project.pk,
        "silent",
        Harm.SILENCE,
        f"{code} has been inactive for {several(days, 'day')}",
        "; ".join(said),
        f"See {code}",
        reverse("person", args=[project.slug, each.member.pk]),
        state=f"{each.member.pk} {each.last_seen}",
    )


def _old_drafts(project: Project, people: Sequence[AnnotatorWork], now: datetime) -> Iterator[Need]:
    behind = [person for person in people if person.oldest_draft and now - person.oldest_draft >= OLD_DRAFT]
    if not behind:
        return
    oldest = min(behind, key=lambda person: person.oldest_draft or now)
    assert oldest.oldest_draft is not None
    codes = ", ".join(person.member.code for person in behind[:3])
    more = f" and {at_most(len(behind) - 3)} more" if len(behind) > 3 else ""
    yield Need(
        project.pk,
        "drafts",
        Harm.SILENCE,
        f"{several(len(behind), 'annotator has', 'annotators have')} drafts older than {OLD_DRAFT.days} days",
        f"{codes}{more}; the oldest is from {day_of(oldest.oldest_draft)}",
        "See drafts",
        reverse("batch_progress", args=[oldest.batch]) + "?state=draft"
        if oldest.batch
        else reverse("batches", args=[project.slug]),
        count=len(behind),
        state=f"{len(behind)} {oldest.oldest_draft}",
    )
